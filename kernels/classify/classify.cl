// SPDX-License-Identifier: Apache-2.0
//
// classify: what its kernels share: types, arguments, how labels are counted, and the kernel that
// sets counts to zero.
//
// Every rule has been brought to one of three forms (src/classify/rules.c, src/classify/cases.c):
//
//     SEARCH  ascending keys k[0] ... k[n-1]; p = how many keys are not greater than x
//             class = NaN ? nan_class : p - first;   label = class < classes ? map[class] : none
//     TABLE   index = bits of x, gathered run by run: (bits >> shift) & mask, one after another;
//             label = table[index]
//     CHAIN   the first of n cases with (bits & mask) == value says the label
//
// All tables are in one buffer of 32-bit words; the arguments say where in it each begins:
//
//     SEARCH  | keys, row by row | keys of each row, if there are several rows | map, if any |
//     TABLE   | shift, mask | shift, mask | ... | table |
//     CHAIN   | masks | values | labels, and the one for the rest |
//
// Macros  TYPE        of x; see common.cl
//         FORM        SEARCH, TABLE or CHAIN
//         LABEL_TYPE  U8, U16 or U32; 0: labels are not written
//         COUNTS      1: labels are counted
//         WG          items per group, any number from 1 up
//         SHAPE       each variant's own
//
// Defines C           what x is compared as: LOAD(x, i) becomes one without loss
//         U           the bits of x, zeros above them
//         L           an element of labels in memory
//         REJECT      the label of what has none
//         count_add() adds to a count

#define SEARCH 0
#define TABLE  1
#define CHAIN  2

#if !defined(FORM) || !defined(LABEL_TYPE) || !defined(COUNTS) || !defined(SHAPE)
#error "FORM, LABEL_TYPE, COUNTS and SHAPE must be defined"
#endif
#if !defined(WG) || WG < 1
#error "WG must be defined, at least 1"
#endif

#define REJECT 0xffffffffu

// The host's struct classify_arguments, member for member.
struct arguments {
    long first, stride, row_stride; // where x lies, elements
    long label_first, label_stride, label_row_stride;
    long count_first, count_stride, count_row_stride; // row_stride 0: one row for all
    ulong rows, count;     // elements are numbered row by row
    ulong length, share;   // of what is counted together, and of a group; elements
    ulong line_groups;     // groups to a length
    ulong step_rows, step; // WG elements: so many rows, and so many elements beyond
    ulong row;             // SEARCH: the keys' row of the first row
    ulong rows_at, labels_at; // words; 0: not there
    ulong labels;          // how many counts there are
    uint n;                // SEARCH: keys of a row, at most; TABLE: runs; CHAIN: cases
    uint top;              // SEARCH: the largest power of two within n
    uint first_class, classes, nan_class;
    uint wide;             // counts are of 64 bits
    uint gathers;          // counts are gathered in local memory
    uint extra;            // the variant's own
    uint cells, shift;     // of a guide; EVEN: shift: kernels/classify/place.cl
    ulong low, scale;      // of a guide, of EVEN: bits
    ulong slack;           // of EVEN: parts
    ulong aid_at;          // SEARCH, all but baseline: words
    ulong near_first, near_words; // of the tables, that go to local memory
};

// ---------------------------------------------------------------- types
#if TYPE == F64
#define C double
#elif IS_FLOAT
#define C float
#elif BYTES == 8
#define C T
#elif IS_SIGNED
#define C int
#else
#define C uint
#endif

#if BYTES == 8
#define U ulong
#else
#define U uint
#endif

#if BYTES == 1
#define BITS(v) ((uint)(uchar)(v))
#elif BYTES == 2
#define BITS(v) ((uint)(ushort)(v))
#else
#define BITS(v) ((U)(v))
#endif

#if LABEL_TYPE == 0 || LABEL_TYPE == U32
#define L uint
#elif LABEL_TYPE == U16
#define L ushort
#elif LABEL_TYPE == U8
#define L uchar
#else
#error "LABEL_TYPE is no type of labels"
#endif

// ---------------------------------------------------------------- counts
// Counts of 64 bits are two words, the low one first. Whose addition wraps the low one carries:
// no atomics of 64 bits are needed, and whatever the order, the sum is the same.
static void count_add(global uint *counts, long at, uint n, uint wide)
{
    const uint before = atomic_add(counts + (at << wide), n);
    if (wide && before + n < before)
        atomic_inc(counts + (at << wide) + 1);
}

// Sets the counts of g.rows rows to zero.
kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void classify_zero(global uint *counts, const struct arguments g)
{
    const ulong all = g.rows * g.labels, step = get_global_size(0);
    for (ulong i = get_global_id(0); i < all; i += step) {
        const ulong row = i / g.labels;
        const long at = g.count_first + (long)row * g.count_row_stride +
                        (long)(i - row * g.labels) * g.count_stride;
        counts[at << g.wide] = 0;
        if (g.wide)
            counts[(at << 1) + 1] = 0;
    }
}
