// SPDX-License-Identifier: Apache-2.0
//
// classify, baseline and gpu_words: the method HASH, which finds a case by the bits of x in one
// hash table for each mask, or in one of two.
//
//     h     (x & mask) * odd number                      different values have different h
//     d     entry[upper 32 bits of h * places / 2^32] ^ (h << code bits)
//
//     h     |  selects the place  |  all in the entry  |     the bits that the shift drops are
//           |  code bits  |       shift                |     among those that select the place
//
// d is a case's code if the case has the value of x under the mask. If not, d is the number of
// codes (of an empty place), or no less than 2^(code bits). The least code of all masks decides:
// it belongs to the first case.
//
// A mask has an entry of 4 bytes to read for each of its tables (of 8 bytes, where x has 64
// bits), one multiplication for it, one for the place, and four other operations. Both of two
// small tables in local memory are read (BOTH_LOOKS), so that nothing waits. Of larger ones, and
// through the caches, the second is read only if the first has no such case: fewer lanes meet in
// a bank, and fewer lines are read.
//
// Tables that do not fit local memory may have a sieve there (SIEVED): two bits of a word for
// each case. Where one of them is 0, no case of the mask has the value, and its tables are not
// read:
//
//     h     |  selects the word  | 5 bits: a bit | 5 bits: another |     of the first table
//           |  32 - g.shift bits |
//
// Bits are numbered from the upper one on: turned left by its number, a bit is the upper one. That
// takes one local read for each mask, and nine operations.
//
// Macros  MASKS       how many, at most MOST_HELD_MASKS, held in registers; 0: g.n, from memory
//         WAYS        tables of a mask, 1 or 2
//         BOTH_LOOKS  1: both tables are read for each element
//         HAS_MAP     1: codes are numbers of labels; 0: codes are labels
//         SIEVED      1: TABLE_SPACE has the sieve, of 2^(32 - g.shift) words, and global
//                     memory the tables
//
// Defines for label.cl: struct row_constants, load_row(), label_of_case(); and where there is a
// sieve and MASKS is not 0, labels_of_cases()

#if METHOD == METHOD_HASH
#if !defined(MASKS) || !defined(WAYS) || !defined(BOTH_LOOKS) || !defined(HAS_MAP) || \
    !defined(SIEVED)
#error "MASKS, WAYS, BOTH_LOOKS, HAS_MAP and SIEVED must be defined"
#endif

// Where the tables are.
#if SIEVED
#define HASH_SPACE ALL_SPACE
#else
#define HASH_SPACE TABLE_SPACE
#endif

// The numbers of a mask.
struct hashing {
    BITS_T mask, odd, second_odd;
    uint places, start, second_start;
};

static void load_hashing(struct hashing *to, uint m, uint n, ALL_SPACE const uint *all_tables)
{
    ALL_SPACE const BITS_T *numbers = (ALL_SPACE const BITS_T *)all_tables;
    ALL_SPACE const uint *places = (ALL_SPACE const uint *)(numbers + 3 * n);
    to->mask = numbers[m];
    to->odd = numbers[n + m];
    to->second_odd = numbers[2 * n + m];
    to->places = places[m];
    to->start = places[n + m];
    to->second_start = places[2 * n + m];
}

struct row_constants {
#if MASKS
    struct hashing held[MASKS];
#endif
    ALL_SPACE const uint *numbers;
    HASH_SPACE const uint *tables;
};

static void load_row(struct row_constants *k, ulong row, ALL_SPACE const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
#if MASKS
    #pragma unroll
    for (uint m = 0; m < MASKS; m++)
        load_hashing(&k->held[m], m, MASKS, all_tables);
#endif
    k->numbers = all_tables;
#if SIEVED
    k->tables = all_tables + g->local_first;
#else
    k->tables = tables;
#endif
}

// What a table says of a value: a code, or a larger number.
static BITS_T look(BITS_T value, BITS_T odd, uint places, uint start,
                   HASH_SPACE const BITS_T *entries, const struct arguments *g)
{
    const BITS_T h = value * odd;
    const uint place = mul_hi((uint)(h >> (sizeof(h) * 8 - 32)), places);
    return entries[start + place] ^ (h << g->code_bits);
}

static BITS_T code_under(BITS_T bits, const struct hashing *its,
                         HASH_SPACE const BITS_T *entries, const struct arguments *g)
{
    const BITS_T value = bits & its->mask;
    BITS_T d = look(value, its->odd, its->places, its->start, entries, g);
#if WAYS == 2
#if !BOTH_LOOKS
    if (d >= g->classes)
#endif
        d = min(d, look(value, its->second_odd, its->places, its->second_start, entries, g));
#endif
    return d;
}

// The upper bit: whether a mask may have a case of this value.
static uint sieved(BITS_T bits, const struct hashing *its, TABLE_SPACE const uint *sieve,
                   const struct arguments *g)
{
#if SIEVED
    const BITS_T all = (bits & its->mask) * its->odd;
    const uint h = (uint)(all >> (sizeof(all) * 8 - 32));
    const uint word = sieve[h >> g->shift];
    return rotate(word, h >> (g->shift - 5)) & rotate(word, h >> (g->shift - 10));
#else
    return 0x80000000u;
#endif
}

// The label of an element with these bits.
static uint label_of_case(BITS_T bits, const struct row_constants *k,
                          TABLE_SPACE const uint *tables, const struct arguments *g)
{
    HASH_SPACE const BITS_T *entries = (HASH_SPACE const BITS_T *)(k->tables + g->index_at);
    BITS_T code = ~(BITS_T)0;
#if MASKS
    #pragma unroll
    for (uint m = 0; m < MASKS; m++)
        if (sieved(bits, &k->held[m], tables, g) >> 31)
            code = min(code, code_under(bits, &k->held[m], entries, g));
#else
    for (uint m = 0; m < g->n; m++) {
        struct hashing its;
        load_hashing(&its, m, g->n, k->numbers);
        if (sieved(bits, &its, tables, g) >> 31)
            code = min(code, code_under(bits, &its, entries, g));
    }
#endif
    const bool is_case = code < g->classes;
    if (HAS_MAP)
        return k->tables[g->labels_at + (is_case ? (uint)code : g->classes)];
    return is_case ? (uint)code : g->otherwise;
}

#if HAS_SIEVE
// Elements of labels_of_cases(), of which there are at most 8. A loop over them within its loop
// would leave them in memory.
#define PICK(e) bits = e < few && its_element == e ? BITS(x[e < few ? e : 0]) : bits;
#define KEEP(e) \
    if (e < few) \
        label[e] = its_element == e && d < label[e] ? (uint)d : label[e];

// The labels of a few elements, `few` * MASKS at most 32. The sieve is asked for all of them.
// What it leaves, pairs of an element and a mask, is taken one by one: lanes of a warp that have
// other pairs take the same steps.
static __attribute__((always_inline)) void labels_of_cases(uint *label, const KEY_T *x, uint few,
                                                           const struct row_constants *k,
                                                           TABLE_SPACE const uint *tables,
                                                           const struct arguments *g)
{
    HASH_SPACE const BITS_T *entries = (HASH_SPACE const BITS_T *)(k->tables + g->index_at);
    uint left = 0;
    #pragma unroll
    for (uint e = 0; e < few; e++) {
        label[e] = g->classes;
        #pragma unroll
        for (uint m = 0; m < MASKS; m++)
            left = left << 1 | sieved(BITS(x[e]), &k->held[m], tables, g) >> 31;
    }
    const bool any = left != 0;
    #pragma unroll 1
    while (left) {
        const uint bit = 31 - clz(left), pair = few * MASKS - 1 - bit;
        const uint its_element = pair / MASKS, its_mask = pair % MASKS;
        left &= ~(1u << bit);
        BITS_T bits = BITS(x[0]);
        PICK(1) PICK(2) PICK(3) PICK(4) PICK(5) PICK(6) PICK(7)
        struct hashing its;
        load_hashing(&its, its_mask, MASKS, k->numbers);
        const BITS_T d = code_under(bits, &its, entries, g);
        KEEP(0) KEEP(1) KEEP(2) KEEP(3) KEEP(4) KEEP(5) KEEP(6) KEEP(7)
    }
    #pragma unroll
    for (uint e = 0; e < few; e++)
        if (any && HAS_MAP)
            label[e] = k->tables[g->labels_at + label[e]];
        else
            label[e] = label[e] < g->classes ? label[e] : g->otherwise;
}
#endif
#endif
