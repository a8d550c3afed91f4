// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: the form INTERVALS of a group's counters (counter_forms.cl), for elements of
// 8 and 16 bits whose label changes at few values. The bits of an element are a number. An
// interval has the numbers from its start up to the next start, all of one label. An item counts
// how many of its elements are not below each start: a word of 4 bytes at once, in registers.
// Nobody asks for an element's label.
//
//     numbers    | 0 ... 6 | 7 ... 99 | 100 ... 255 |
//     labels     |    5    |    2     |      5      |
//     starts      (0)       7          100              count of an interval = those from its
//                                                       start on - those from the next start on
//
// The upper bit of each element in a word is set, and the start taken from what is below it. The
// bit stays where those bits are at least as large. Together with the upper bit itself it decides.
// A dot product adds these bits of a word to the sum of an item; each counts UPPER_WEIGHT.
//
// An element that is not there is replaced by 0, which is below all starts but the first.
//
// Local memory: | elements that are there, INTERVAL_COPIES | those from start 1 on | ... |
// Barriers: sum_intervals() has one, behind which interval_count() is right.
//
// A word of 4 bytes takes one operation, and four for each start.
//
// Macros  those of counter_forms.cl
//         INTERVALS      how many there are behind the first
//         LOW_INTERVALS  how many of these begin at a number whose upper bit is 0
//
// Defines count_in_intervals()  counts a few elements
//         sum_intervals()       adds up the counts of a group's items
//         interval_count()      how many elements an interval has then
//         interval_label()      its label

#if COUNTERS == COUNTERS_INTERVALS
#if !defined(INTERVALS) || !defined(LOW_INTERVALS)
#error "INTERVALS and LOW_INTERVALS must be defined"
#endif

#define UPPER_BITS   (BYTES == 1 ? 0x80808080u : 0x80008000u)
#define UPPER_WEIGHT (PTX ? (BYTES == 1 ? 128u : 32768u) : 1u)

static uint slot_words(const struct counters *c)
{
    return (INTERVALS + 1) * INTERVAL_COPIES;
}

static void next_tile(struct counters *c, const struct arguments *g)
{
}

// The starts without their upper bits, once for each element of a word.
static void load_intervals(struct counters *c, ALL_SPACE const uint *all_tables,
                           const struct arguments *g)
{
    c->intervals = all_tables + g->intervals_at;
    c->elements = 0;
    #pragma unroll
    for (uint r = 0; r < INTERVALS; r++) {
        c->start[r] = c->intervals[r];
        c->from[r] = 0;
    }
}

// Adds the upper bits of a word's elements, which are all that is in it.
static uint add_upper(uint upper, uint sum)
{
#if PTX && BYTES == 1
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(upper), "r"(0x01010101u), "r"(sum));
    return sum;
#elif PTX
    asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(upper), "r"(0x0101u), "r"(sum));
    return sum;
#else
    return sum + popcount(upper);
#endif
}

// Counts n elements, of which `there` has a bit for each that exists.
static __attribute__((always_inline)) void count_in_intervals(struct counters *c,
                                                              const KEY_T *x, uint n,
                                                              uint there)
{
    const uint each = 4 / BYTES, all = n < 32 ? (1u << n) - 1 : ~0u;
    const bool is_whole = (there & all) == all;
    c->elements += is_whole ? n : popcount(there & all);
    #pragma unroll
    for (uint first = 0; first < n; first += each) {
        uint word = 0;
        #pragma unroll
        for (uint e = 0; e < each; e++)
            if (first + e < n)
                word |= BITS(x[first + e]) << (e * BYTES * 8);
        if (!is_whole) {
            uint mask = 0;
            #pragma unroll
            for (uint e = 0; e < each; e++)
                if (there >> (first + e) & 1)
                    mask |= (0xffffffffu >> (32 - 8 * BYTES)) << (e * BYTES * 8);
            word &= mask;
        }
        const uint upper = word | UPPER_BITS;
        #pragma unroll
        for (uint r = 0; r < INTERVALS; r++) {
            const uint below = upper - c->start[r];
            c->from[r] = add_upper((r < LOW_INTERVALS ? below | word : below & word) & UPPER_BITS,
                                   c->from[r]);
        }
    }
}

// All items of a group call it.
static void sum_intervals(const struct counters *c)
{
    local uint *copy = c->slot + get_local_id(0) % INTERVAL_COPIES;
    atomic_add(copy, c->elements);
    #pragma unroll
    for (uint r = 0; r < INTERVALS; r++)
        atomic_add(copy + (r + 1) * INTERVAL_COPIES, c->from[r] / UPPER_WEIGHT);
    barrier(CLK_LOCAL_MEM_FENCE);
}

// How many elements there are from an interval's start on.
static uint from_interval(const struct counters *c, uint i)
{
    uint n = 0;
    #pragma unroll
    for (uint copy = 0; copy < INTERVAL_COPIES; copy++)
        n += c->slot[i * INTERVAL_COPIES + copy];
    return n;
}

static uint interval_count(const struct counters *c, uint i)
{
    return from_interval(c, i) - (i < INTERVALS ? from_interval(c, i + 1) : 0);
}

static uint interval_label(const struct counters *c, uint i)
{
    return c->intervals[INTERVALS + i];
}
#endif
