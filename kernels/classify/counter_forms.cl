// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: the forms of a group's counters in local memory. A counter has a slot, a
// number from 0 on. counters.cl says which, and calls these functions.
//
//     WORDS   u32, COPIES of each side by side     | slot 0, copy 0 1 2 ... | slot 1, copy 0 ...
//     FIELDS  some to a u32 (fields.cl)            | slot 0 . slot 1 . slot 2 | slot 3 . ...
//     INTERVALS  sums of an item, in registers (intervals.cl)
//
// WORDS: nobody reads what atomic_inc returns, so that hardware merges the increments of a warp
// that meet. Elements of few slots meet in one bank instead; neighbouring items take other
// copies (src/classify/counters.c has the figures).
//
// Barriers: those of next_tile() (counters.cl), which all items of a group call.
//
// An element takes one local atomic.
//
// Macros  COUNTERS  COUNTERS_DIRECT (none), COUNTERS_WORDS, COUNTERS_FIELDS or
//                   COUNTERS_INTERVALS
//         COPIES    WORDS: a power of two
//
// Defines struct counters   where a group counts
//         add_count()       adds to the count of a slot
//         next_tile()       before a tile is counted
//         count_slots()     counts at most four elements, of any item
//         slot_words()      words of all slots
//         slot_count()      what a slot has at the end

#ifndef COUNTERS
#error "COUNTERS must be defined"
#endif

struct counters {
    global uint *counts;
#if COUNT_CLASSES || FAR_MAP
    ALL_SPACE const ENTRY_T *map; // the labels of classes
#endif
#if COUNT_RANKS
    global const ushort *places; // of the row's ranks
#endif
    long at;                // of label 0 in counts
    local uint *hot, *slot; // FIELDS: for slots that come up often; the counters
    local uint *own;        // WORDS: slot 0 of the copies that the item counts in
    uint slots;             // how many
    uint tiles;             // FIELDS: begun
    uint last;              // FIELDS: a slot that the item met lately
    bool is_skewed;         // FIELDS: some slot is hot
    uint hottest, met;      // FIELDS: that slot, and how often this item has met it
#if COUNTERS == COUNTERS_INTERVALS
    ALL_SPACE const uint *intervals; // starts, without their upper bits, and labels
    uint elements;                   // that this item has counted
    // One more: an array of no elements is not allowed.
    uint start[INTERVALS + 1], from[INTERVALS + 1];
#endif
};

// The label of a slot, or of a value's label; from g.labels on: none.
static uint counted_label(const struct counters *c, uint slot, const struct arguments *g)
{
#if COUNT_CLASSES
    return slot < g->classes ? label_of_entry(c->map[slot]) : REJECT;
#elif COUNT_RANKS
    return slot < g->classes ? c->places[slot] : REJECT;
#else
    return slot;
#endif
}

// Adds to the count of a slot.
static void add_count(const struct counters *c, uint slot, uint n, const struct arguments *g)
{
    const uint label = counted_label(c, slot, g);
    if (label < g->labels)
        count_add(c->counts, c->at + (long)label * g->count_stride, n, g->wide);
}

// The same of a number that may be below 0.
static void change_count(const struct counters *c, uint slot, int n, const struct arguments *g)
{
    const uint label = counted_label(c, slot, g);
    if (label < g->labels)
        count_change(c->counts, c->at + (long)label * g->count_stride, n, g->wide);
}

#if COUNTERS == COUNTERS_DIRECT
// Number i of n, at most four, in registers. Loops that are not unrolled keep the code short.
static uint pick(const uint *slot, uint n, uint i)
{
    const uint low = n > 1 && i & 1 ? slot[n > 1 ? 1 : 0] : slot[0];
    const uint high = n > 3 && i & 1 ? slot[n > 3 ? 3 : 0] : slot[n > 2 ? 2 : 0];
    return i & 2 ? high : low;
}

// Adds 1 to the counts of some slots at once.
static void count_at_once(const struct counters *c, const uint *slot, uint n,
                          const struct arguments *g)
{
    #pragma unroll 1
    for (uint i = 0; i < n; i++) {
        uint many;
        const uint one = pick(slot, n, i);
        if (is_first_of_alike(one, &many))
            add_count(c, one, many, g);
    }
}
#endif

// ---------------------------------------------------------------- WORDS
#if COUNTERS == COUNTERS_WORDS
#ifndef COPIES
#error "COPIES must be defined"
#endif

#define COUNT_BITS (0xffffffffu >> (32 - LABEL_SHIFT))

// One slot more is for elements that are not there.
static uint slot_words(const struct counters *c)
{
    return (c->slots + 1) * COPIES;
}

// The address as one number: a compiler that knows its parts adds them anew for each element.
static local uint *own_copies(local uint *slots)
{
    local uint *own = slots + get_local_id(0) % COPIES;
#if PTX && COPIES > 1
    uint address = (uint)(size_t)own;
    asm("mov.b32 %0, %0;" : "+r"(address));
    return (local uint *)(size_t)address;
#else
    return own;
#endif
}

static void next_tile(struct counters *c, const struct arguments *g)
{
}

static __attribute__((always_inline)) void count_slots(struct counters *c, const uint *slot,
                                                       uint n, uint there,
                                                       const struct arguments *g)
{
    #pragma unroll
    for (uint i = 0; i < n; i++)
        atomic_inc(c->own + (there >> i & 1 ? slot[i] : c->slots) * COPIES);
}

static uint slot_count(const struct counters *c, uint slot)
{
    uint n = 0;
    #pragma unroll
    for (uint copy = 0; copy < COPIES; copy++) // neighbours read different banks
        n += c->slot[slot * COPIES + (copy + slot / 2) % COPIES] & COUNT_BITS;
    return n;
}
#endif
