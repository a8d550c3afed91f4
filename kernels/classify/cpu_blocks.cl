// SPDX-License-Identifier: Apache-2.0
//
// classify on CPU devices: rows of stride 1. One item per group owns a core's vector unit and walks
// a share of a line (see classify/baseline.cl) block by block: elements are brought to the type
// they are compared in, side by side in private memory; loops over them become vectors; labels are
// narrowed to another private array and leave by whole lines of the cache, which need not be
// read before they are written.
//
//     row      | block | block | block |   ...   | block |
//     labels   ^ any address  ^ a line begins     ^ the last one ends with the row
//
// So blocks overlap at both ends: what is in two of them is labelled twice and counted once. A row
// shorter than a block goes to one that is not full. Rows without gaps are one long row.
//
// Counts: COPIES counters for each label, side by side, which neighbours take in turn, so that data
// of one class do not wait for each other's additions. One more label stands for none.
//
// Macros: those of classify/cpu_place.cl; WG must be 1. g.extra: labels pass by the caches.
// Local memory: the counters, where g.gathers says so. No barriers.

#if WG != 1
#error "the CPU shape runs with one item per group"
#endif

// PoCL 3.1, two cores with AVX-512 that others used too, 2026-11-21, 2^25 of f32 to labels, a
// memcpy's processor time over that of the kernel, two runs of each, medians of 7:
//     BLOCK           128        256        512        1024
//     15 keys         0.99 0.89  0.83 0.93  0.71 0.80  0.60 0.60
//     255 evenly      0.53 0.53  0.52 0.52  0.46 0.45  0.40 0.39
//     4095 evenly     0.48 0.47  0.48 0.41  0.37 0.39  0.36 0.35
// The same of 2^26, three runs, medians of 9:
//     AHEAD           2048             4096             8192             16384
//     15 keys         0.69 0.69 0.71   0.72 0.75 0.74   0.73 0.73 0.72   0.69 0.75 0.73
//     255 evenly      0.39 0.45 0.44   0.45 0.44 0.42   0.41 0.45 0.45   0.35 0.45 0.44
#define LINE  64   // bytes
#define BLOCK 128  // elements
#define AHEAD 4096 // bytes

// Vectors in memory, at any element.
#if TYPE == F16 // by way of an aligned copy: PoCL 3.1 takes vload_half16's argument for aligned
typedef JOIN_NAMES(ushort, N) t_vector;
#else
typedef JOIN_NAMES(T, N) t_vector;
#endif
typedef t_vector __attribute__((aligned(BYTES))) t_anywhere;

// Ordinary stores would read each line before it is written.
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(p, v) __builtin_nontemporal_store((v), (p))
#endif
#endif
#ifndef STREAM
#define STREAM(p, v) (*(p) = (v))
#endif

static void ask_ahead(global const T *p)
{
#ifdef POCL_DEVICE_ADDRESS_BITS
    __builtin_prefetch((const void *)((size_t)p + AHEAD), 0, 3);
#endif
}

// What a block becomes.
struct labels {
    L label[BLOCK];
    uint counter[BLOCK]; // where the first of the label's counters is
};

// ---------------------------------------------------------------- a block
static c_vector load(global const T *p)
{
    const t_vector v = *(global const t_anywhere *)p;
#if TYPE == F16
    return JOIN_NAMES(vload_half, N)(0, (const half *)&v);
#else
    return JOIN_NAMES(JOIN_NAMES(convert_, C), N)(v);
#endif
}

static void read_block(c_vector *v, global const T *p, uint n)
{
    if (n == BLOCK) {
        #pragma unroll
        for (uint i = 0; i < BLOCK / N; i++) {
            if (i * N * BYTES % LINE == 0)
                ask_ahead(p + i * N);
            v[i] = load(p + i * N);
        }
        return;
    }
    C *one = (C *)v;
    for (uint i = 0; i < n; i++)
        one[i] = (C)LOAD(p, i);
    for (uint i = n; i % STEP; i++)
        one[i] = 0;
}

#define LANES 16 // labels in a vector of 64 bytes
#if LABEL_TYPE == U8
typedef uchar16 l_vector;
#define NARROW convert_uchar16
#elif LABEL_TYPE == U16
typedef ushort16 l_vector;
#define NARROW convert_ushort16
#else
typedef uint16 l_vector;
#define NARROW
#endif

static void label_block(struct labels *restrict to, const C *restrict v, uint n,
                        const struct held *restrict held, global const uint *restrict tables,
                        const struct arguments *restrict g)
{
    for (uint s = 0; s < n; s += STEP) {
        uint16 label[STEP / LANES];
        label_step((uint *)label, v + s, held, tables, g);
        #pragma unroll
        for (int i = 0; i < STEP / LANES; i++) {
#if LABEL_TYPE
            *(l_vector *)(to->label + s + i * LANES) = NARROW(label[i]);
#endif
#if COUNTS
            *(uint16 *)(to->counter + s + i * LANES) =
                min(label[i], (uint16)(uint)g->labels) * COPIES;
#endif
        }
    }
}

#if LABEL_TYPE
typedef uint16 __attribute__((aligned(1))) line_anywhere;

static void write_block(global L *out, const struct labels *from, uint n, bool passes_by)
{
    const uint16 *lines = (const uint16 *)from->label;
    if (n < BLOCK)
        for (uint i = 0; i < n; i++)
            out[i] = from->label[i];
    else if (passes_by)
        for (uint i = 0; i < BLOCK * sizeof(L) / LINE; i++)
            STREAM((global uint16 *)out + i, lines[i]);
    else
        for (uint i = 0; i < BLOCK * sizeof(L) / LINE; i++)
            ((global line_anywhere *)out)[i] = lines[i];
}
#endif

#if COUNTS
static void count_block(global uint *counts, long counts_at, local uint *tally,
                        const struct labels *from, uint first, uint n,
                        const struct arguments *g)
{
    uint i = first;
    if (!g->gathers) {
        for (; i < n; i++) {
            const uint label = from->counter[i] / COPIES;
            if (label < g->labels)
                count_add(counts, counts_at + (long)label * g->count_stride, 1, g->wide);
        }
        return;
    }
    for (; i + 8 <= n; i += 8) {
        #pragma unroll
        for (uint k = 0; k < 8; k++)
            tally[from->counter[i + k] + k % COPIES]++;
    }
    for (; i < n; i++)
        tally[from->counter[i]]++;
}
#endif

// ---------------------------------------------------------------- a share
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void classify(global const T *restrict x, global const uint *restrict tables,
              global L *restrict labels, global uint *counts, local uint *tally,
              const struct arguments g)
{
    const ulong group = get_group_id(0), line = group / g.line_groups;
    const ulong begin = (group - line * g.line_groups) * g.share;
    const ulong end = min(g.length, begin + g.share);
    const long counts_at = g.count_first + (long)line * g.count_row_stride;
#if COUNTS
    for (uint l = 0; g.gathers && l < ((uint)g.labels + 1) * COPIES; l++)
        tally[l] = 0;
#endif
    bool is_dense = g.row_stride == (long)g.count;
#if LABEL_TYPE
    is_dense &= g.label_row_stride == (long)g.count;
#endif
    const ulong length = is_dense ? g.length : g.count; // of what lies side by side
    c_vector v[BLOCK / N];
    struct labels block __attribute__((aligned(LINE)));
    struct held held;
    hold(&held, tables, &g);

    ulong row = (line * g.length + begin) / length;
    ulong i = line * g.length + begin - row * length;
    for (ulong left = end - begin; left > 0; row++, i = 0) {
        const ulong n = min(left, length - i);
        global const T *p = x + (g.first + (long)row * g.row_stride + (long)i);
        global L *out = labels + (g.label_first + (long)row * g.label_row_stride + (long)i);
        const uint size = (uint)min(n, (ulong)BLOCK);
        for (ulong done = 0; done < n;) {
            ulong at = done;
#if LABEL_TYPE
            at -= min(done, (ulong)(((size_t)(out + done) & (LINE - 1)) / sizeof(L)));
#endif
            at = min(at, n - size);
            read_block(v, p + at, size);
            label_block(&block, (const C *)v, size, &held, tables, &g);
#if LABEL_TYPE
            write_block(out + at, &block, size,
                        g.extra && ((size_t)(out + at) & (LINE - 1)) == 0);
#endif
#if COUNTS
            count_block(counts, counts_at, tally, &block, (uint)(done - at), size, &g);
#endif
            done = at + size;
        }
        left -= n;
    }

#if COUNTS
    for (uint l = 0; g.gathers && l < (uint)g.labels; l++) {
        uint sum = 0;
        for (uint k = 0; k < COPIES; k++)
            sum += tally[l * COPIES + k];
        if (sum)
            count_add(counts, counts_at + (long)l * g.count_stride, sum, g.wide);
    }
#endif
}
