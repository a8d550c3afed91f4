// SPDX-License-Identifier: Apache-2.0
//
// classify on CPU devices: rows of stride 1. One item per group owns a core's vector unit and
// takes a share of a segment (see baseline.cl) block by block. The elements of a block are
// converted to the type of the keys and lie side by side in private memory. Loops over them
// become vectors. Their labels are narrowed into another private array and are written by whole
// cache lines, which need not be read before.
//
//     row      | block | block | block |   ...   | block |
//     labels   ^ any address  ^ a cache line begins  ^ the last one ends with the row
//
// So blocks overlap at both ends: elements in two of them are labelled twice and counted once.
// A row that is shorter than a block makes one block that is not full. Rows without gaps are
// one long row.
//
// Counts: each label has COPIES counters side by side, which neighbouring elements use in turn,
// so that data of one class do not wait for each other's additions. One more label stands for
// none. Local memory holds the counters, where g.privatised says so. There are no barriers.
//
// An element takes BYTES of reading and LABEL_TYPE of writing (past the caches where g.streamed
// says so), the gathers of cpu_search.cl and cpu_label.cl, one addition in local memory if it
// is counted, and about two operations to convert and to narrow.
//
// Macros  those of cpu_search.cl and cpu_label.cl; WG must be 1
//         COPIES  counters of a label, at most 8

#if WG != 1
#error "cpu_blocks runs with one item per group"
#endif
#ifndef COPIES
#error "COPIES must be defined"
#endif

// Vectors in memory that begin at any element.
#if TYPE == F16 // loaded as bits first: PoCL 3.1 takes vload_half16's argument for aligned
typedef JOIN_NAMES(ushort, VEC_N) elem_vec;
#else
typedef JOIN_NAMES(ELEM, VEC_N) elem_vec;
#endif
typedef elem_vec __attribute__((aligned(BYTES))) elem_vec_unaligned;

// The labels of a block.
struct labels {
    LABEL_T label[BLOCK];
    uint counter[BLOCK]; // the position of the label's first counter
};

// ---------------------------------------------------------------- a block
static key_vec load(global const ELEM *p)
{
    const elem_vec v = *(global const elem_vec_unaligned *)p;
#if TYPE == F16
    return JOIN_NAMES(vload_half, VEC_N)(0, (const half *)&v);
#else
    return JOIN_NAMES(JOIN_NAMES(convert_, KEY_T), VEC_N)(v);
#endif
}

static void read_block(key_vec *v, global const ELEM *p, uint n)
{
    if (n == BLOCK) {
        #pragma unroll
        for (uint i = 0; i < BLOCK / VEC_N; i++) {
            if (i * VEC_N * BYTES % CACHE_LINE == 0)
                prefetch_ahead(p + i * VEC_N);
            v[i] = load(p + i * VEC_N);
        }
        return;
    }
    KEY_T *one = (KEY_T *)v;
    for (uint i = 0; i < n; i++)
        one[i] = (KEY_T)LOAD(p, i);
    for (uint i = n; i % STEP; i++)
        one[i] = 0;
}

#define LABEL_VEC 16 // labels that are narrowed at once
#if LABEL_TYPE == U8
typedef uchar16 label_vec;
#define NARROW convert_uchar16
#elif LABEL_TYPE == U16
typedef ushort16 label_vec;
#define NARROW convert_ushort16
#else
typedef uint16 label_vec;
#define NARROW
#endif

static void label_block(struct labels *restrict to, const KEY_T *restrict v, uint n,
                        const struct held *restrict held, global const uint *restrict tables,
                        const struct arguments *restrict g)
{
    for (uint s = 0; s < n; s += STEP) {
        uint16 label[STEP / LABEL_VEC];
        label_step((uint *)label, v + s, held, tables, g);
        #pragma unroll
        for (int i = 0; i < STEP / LABEL_VEC; i++) {
#if LABEL_TYPE
            *(label_vec *)(to->label + s + i * LABEL_VEC) = NARROW(label[i]);
#endif
#if COUNTS
            *(uint16 *)(to->counter + s + i * LABEL_VEC) =
                min(label[i], (uint16)(uint)g->labels) * COPIES;
#endif
        }
    }
}

#if LABEL_TYPE
typedef uint16 __attribute__((aligned(1))) uint16_unaligned;

static void write_block(global LABEL_T *out, const struct labels *from, uint n,
                        bool is_streamed)
{
    const uint16 *lines = (const uint16 *)from->label;
    if (n < BLOCK)
        for (uint i = 0; i < n; i++)
            out[i] = from->label[i];
    else if (is_streamed)
        for (uint i = 0; i < BLOCK * sizeof(LABEL_T) / CACHE_LINE; i++)
            STREAM((global uint16 *)out + i, lines[i]);
    else
        for (uint i = 0; i < BLOCK * sizeof(LABEL_T) / CACHE_LINE; i++)
            ((global uint16_unaligned *)out)[i] = lines[i];
}
#endif

#if COUNTS
static void count_block(global uint *counts, long counts_at, local uint *local_counts,
                        const struct labels *from, uint first, uint n,
                        const struct arguments *g)
{
    uint i = first;
    if (!g->privatised) {
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
            local_counts[from->counter[i + k] + k % COPIES]++;
    }
    for (; i < n; i++)
        local_counts[from->counter[i]]++;
}
#endif

// ---------------------------------------------------------------- a share
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void classify(global const ELEM *restrict x, global const uint *restrict tables,
              global LABEL_T *restrict labels, global uint *counts, local uint *local_counts,
              const struct arguments g)
{
    const ulong group = get_group_id(0), segment = group / g.segment_groups;
    const ulong begin = (group - segment * g.segment_groups) * g.share;
    const ulong end = min(g.segment, begin + g.share);
    const long counts_at = g.count_first + (long)segment * g.count_row_stride;
#if COUNTS
    for (uint l = 0; g.privatised && l < ((uint)g.labels + 1) * COPIES; l++)
        local_counts[l] = 0;
#endif
    bool is_dense = g.row_stride == (long)g.count;
#if LABEL_TYPE
    is_dense &= g.label_row_stride == (long)g.count;
#endif
    const ulong length = is_dense ? g.segment : g.count; // elements side by side
    key_vec v[BLOCK / VEC_N];
    struct labels block __attribute__((aligned(CACHE_LINE)));
    struct held held;
    hold(&held, tables, &g);

    ulong row = (segment * g.segment + begin) / length;
    ulong i = segment * g.segment + begin - row * length;
    for (ulong left = end - begin; left > 0; row++, i = 0) {
        const ulong n = min(left, length - i);
        global const ELEM *p = x + (g.first + (long)row * g.row_stride + (long)i);
        global LABEL_T *out =
            labels + (g.label_first + (long)row * g.label_row_stride + (long)i);
        const uint size = (uint)min(n, (ulong)BLOCK);
        for (ulong done = 0; done < n;) {
            ulong at = done;
#if LABEL_TYPE
            at -= min(done, (ulong)(((size_t)(out + done) & (CACHE_LINE - 1)) /
                                    sizeof(LABEL_T)));
#endif
            at = min(at, n - size);
            read_block(v, p + at, size);
            label_block(&block, (const KEY_T *)v, size, &held, tables, &g);
#if LABEL_TYPE
            write_block(out + at, &block, size,
                        g.streamed && ((size_t)(out + at) & (CACHE_LINE - 1)) == 0);
#endif
#if COUNTS
            count_block(counts, counts_at, local_counts, &block, (uint)(done - at), size, &g);
#endif
            done = at + size;
        }
        left -= n;
    }

#if COUNTS
    for (uint l = 0; g.privatised && l < (uint)g.labels; l++) {
        uint sum = 0;
        for (uint k = 0; k < COPIES; k++)
            sum += local_counts[l * COPIES + k];
        if (sum)
            count_add(counts, counts_at + (long)l * g.count_stride, sum, g.wide);
    }
#endif
}
