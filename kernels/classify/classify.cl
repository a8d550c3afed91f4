// SPDX-License-Identifier: Apache-2.0
//
// classify: what all its kernels share: types, the addition to a count, and the kernel that
// sets counts to zero. Arguments and numbers stand in src/classify/arguments.h.
//
// The host has brought every rule to one of these methods (src/classify/classifier.h):
//
//     SEARCH  ascending keys k[0] ... k[n-1]; the place p is how many of them are <= x
//             class = NaN ? nan_class : p - first_class
//             label = class < classes ? map[class] : none
//     TABLE   index = bits of x, run by run: (bits >> shift) & mask, all ORed
//             label = table[index]
//     CHAIN   the first of n cases with (bits & mask) == value says the label
//     HASH    the same by tables (hash.cl): code = the least that the tables of n masks give
//             label = code < classes ? labels[code], or the code itself : otherwise
//     BITS    the same by bit vectors (case_bits.cl), 32 n cases
//     LISTS   the same by lists of the cases that some bits allow (case_lists.cl)
//
// All tables are in one buffer of u32. The arguments say where in it each part begins:
//
//     SEARCH  | keys, row by row | lengths of rows, if several | map, if any | search index |
//     TABLE   | shift, mask | shift, mask | ... | sieve, if any | table |
//     CHAIN   | masks | values | labels, and the one where no case matches |
//     HASH    | masks | odd numbers | those of the second tables | places | first entries |
//             | those of the second tables | sieve, if any | labels, if any, as above |
//             | search index: entries |
//     BITS    | shift of each look | labels as above | search index: look by look, value by value, words |
//     LISTS   | shifts of the sieve and of the lists | labels as above | search index: sieve |
//             | starts, 16 bits each | mask and value of each case | entries, 16 bits each |
//
// Macros  TYPE        of x; see common.cl
//         METHOD      METHOD_SEARCH, METHOD_TABLE, METHOD_CHAIN ...
//         ENTRY_BYTES    TABLE, SEARCH: of a label there, or in the map, 1, 2 or 4; on CPUs 4
//         ENTRY_REJECTS  the same: 1: an entry of all bits one says that there is no label
//         LABEL_TYPE  U8, U16 or U32; 0: labels are not written
//         COUNTS      1: labels are counted
//         WG          items per group, any number from 1 up
//
// Defines ENTRY_T     an entry of a table or a map
//         label_of_entry()  the label that it is
//         KEY_T       what x is compared as; LOAD(x, i) becomes one without loss
//         IS_NAN(x)   of a KEY_T
//         BITS_T      holds the bits of x, with zeros above them
//         LABEL_T     an element of labels in memory
//         REJECT      the label of elements that have none
//         count_add(), count_change(), count_put()  add to a count, add or take, add or store
//
// classify_zero writes each count once, 4 or 8 bytes, with one division; on CPUs with none.

#if !defined(METHOD) || !defined(LABEL_TYPE) || !defined(COUNTS)
#error "METHOD, LABEL_TYPE and COUNTS must be defined"
#endif
#if !defined(WG) || WG < 1
#error "WG must be defined, at least 1"
#endif

#define REJECT 0xffffffffu

// ---------------------------------------------------------------- types
// The search methods RANK and STEPS take f16 as their bits: then x is no number (rank.cl). So do
// counts by intervals.
#if defined COUNTERS && COUNTERS == COUNTERS_INTERVALS
#define ALONE_BY_INTERVALS 1
#else
#define ALONE_BY_INTERVALS 0
#endif
#if TYPE == F16 && METHOD == METHOD_SEARCH && defined SEARCH_METHOD
#define BITS_OF_F16                                                   \
    (SEARCH_METHOD == SEARCH_RANK || SEARCH_METHOD == SEARCH_STEPS || \
     (ALONE_BY_INTERVALS && LABEL_TYPE == 0))
#else
#define BITS_OF_F16 0
#endif
#if BITS_OF_F16
#undef ELEM
#undef LOAD
#define ELEM       short
#define LOAD(p, i) ((p)[i])
#define IS_NAN(x)  (((x) & 0x7fff) > 0x7c00)
#else
#define IS_NAN(x) ((x) != (x))
#endif

#if TYPE == F64
#define KEY_T double
#elif BITS_OF_F16
#define KEY_T int
#elif IS_FLOAT
#define KEY_T float
#elif BYTES == 8
#define KEY_T ELEM
#elif IS_SIGNED
#define KEY_T int
#else
#define KEY_T uint
#endif

#if BYTES == 8
#define BITS_T ulong
#else
#define BITS_T uint
#endif

#if BYTES == 1
#define BITS(v) ((uint)(uchar)(v))
#elif BYTES == 2
#define BITS(v) ((uint)(ushort)(v))
#else
#define BITS(v) ((BITS_T)(v))
#endif

#if METHOD == METHOD_TABLE || METHOD == METHOD_SEARCH
#if !defined(ENTRY_BYTES) || !defined(ENTRY_REJECTS)
#error "ENTRY_BYTES and ENTRY_REJECTS must be defined"
#endif
#if ENTRY_BYTES == 1
#define ENTRY_T uchar
#elif ENTRY_BYTES == 2
#define ENTRY_T ushort
#else
#define ENTRY_T uint
#endif

static uint label_of_entry(uint entry)
{
    return ENTRY_REJECTS && entry == (ENTRY_T)REJECT ? REJECT : entry;
}
#endif

#if LABEL_TYPE == 0 || LABEL_TYPE == U32
#define LABEL_T uint
#elif LABEL_TYPE == U16
#define LABEL_T ushort
#elif LABEL_TYPE == U8
#define LABEL_T uchar
#else
#error "LABEL_TYPE is no type of labels"
#endif

// ---------------------------------------------------------------- counts
// The sum is the same in any order. Nobody waits for a result, where PTX is known: an addition
// that returns one takes longer where many meet at one count. Elsewhere counts of 64 bits are two
// u32, the low one first, so that no 64-bit atomics are needed: the addition that wraps the low
// one carries.
static void count_add(global uint *counts, long at, uint n, uint wide)
{
    if (!wide) {
        atomic_add(counts + at, n);
        return;
    }
#if PTX
    const ulong more = n;
    asm volatile("red.global.add.u64 [%0], %1;" : : "l"(counts + (at << 1)), "l"(more) : "memory");
#else
    const uint before = atomic_add(counts + (at << 1), n);
    if (before + n < before)
        atomic_inc(counts + (at << 1) + 1);
#endif
}

// Adds a number that may be below 0. A count may be below 0 for a while: it wraps.
static void count_change(global uint *counts, long at, int n, uint wide)
{
    if (!wide) {
        atomic_add(counts + at, (uint)n);
        return;
    }
#if PTX
    const long more = n;
    asm volatile("red.global.add.u64 [%0], %1;" : : "l"(counts + (at << 1)), "l"(more) : "memory");
#else
    const uint before = atomic_add(counts + (at << 1), (uint)n), after = before + (uint)n;
    if (n < 0 ? after > before : after < before)
        atomic_add(counts + (at << 1) + 1, n < 0 ? ~0u : 1u);
#endif
}

// What a group counted of a row. Where it has all of the row, the count is written, also one of
// 0: nothing is set to zero before, and nobody else adds to it.
static void count_put(global uint *counts, long at, uint n, const struct arguments *g)
{
    if (g->stores && g->wide)
        ((global ulong *)counts)[at] = n;
    else if (g->stores)
        counts[at] = n;
    else if (n)
        count_add(counts, at, n, g->wide);
}

static void count_clear(global uint *counts, long at, uint wide)
{
    counts[at << wide] = 0;
    if (wide)
        counts[(at << 1) + 1] = 0;
}

// Sets the counts of g.rows rows to zero.
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void classify_zero(global uint *counts, const struct arguments g)
{
    const ulong all = g.rows * g.labels;
#if WG == 1 // on CPUs: neighbours are for one processor
    const ulong groups = get_num_groups(0), share = (all + groups - 1) / groups;
    ulong i = min(all, get_group_id(0) * share), row = i / g.labels, label = i - row * g.labels;
    const ulong end = min(all, i + share);
    while (i < end) {
        const ulong n = min(g.labels - label, end - i);
        const long at = g.count_first + (long)row++ * g.count_row_stride;
        for (ulong k = label; k < label + n; k++)
            count_clear(counts, at + (long)k * g.count_stride, g.wide);
        i += n;
        label = 0;
    }
#else
    const ulong step = get_global_size(0);
    for (ulong i = get_global_id(0); i < all; i += step) {
        const ulong row = i / g.labels;
        const long at = g.count_first + (long)row * g.count_row_stride +
                        (long)(i - row * g.labels) * g.count_stride;
        count_clear(counts, at, g.wide);
    }
#endif
}
