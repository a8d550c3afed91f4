// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: the forms of a group's counters in local memory. A counter has a slot, a
// number from 0 on. counters.cl says which, and calls these functions.
//
//     WORDS   u32, COPIES of each side by side     | slot 0, copy 0 1 2 ... | slot 1, copy 0 ...
//     FIELDS  some to a u32, behind SKEWED         | slot 0 . slot 1 . slot 2 | slot 3 . ...
//     PLANES  bits, behind SKEWED (planes.cl)      | bit 0 of all slots | bit 1 of all | ...
//     SKEWED  u32 for slots that come up often     | tags, HOT_SLOTS | counters, HOT_SLOTS | any |
//
// WORDS: nobody reads what atomic_inc returns, so that hardware merges the increments of a warp
// that meet. Elements of few slots meet in one bank instead; neighbouring items take other
// copies. Prototype, H200, 2026-11-22, u8: 16 copies 0.82 of the bound, 32 copies 0.76, one
// copy 0.29 (the library then).
//
// FIELDS: one addition to the word. It returns the word before, which says exactly how the fields
// change. A field that was full begins again at 0, and the one above it gets 1, which it should
// not; if that was full, too, the next one does. Who added sees that, and adds to the counts what
// the fields have lost, and takes from them what they have too much:
//
//     count of a slot = its field at the end + all that was added to the count meanwhile
//
// This holds for each addition by itself, and so for all of them in any order. Counts may be
// below 0 for a while, and wrap.
//
// SKEWED: additions of one address wait for each other; only atomic_inc is merged. A slot that
// an item of FIELDS meets RUN times more in a row, among a group's first tiles, gets a counter
// of its own, if no other slot with the same remainder has it: a tag names its slot. Groups
// without such slots take the plain path. Where neighbours of a vector are all alike, as in
// sorted data, one addition serves them. One such slot an item counts by itself, without an
// atomic. Prototype with other fields, H200, 2026-11-22, share of the bound with counts alone: 20 000
// classes, 90 % of the elements in one class 0.24 -> 0.41, sorted 0.22 -> 0.56, but 30 % in one
// class 0.49 -> 0.41.
//
// A group that counts fewer elements than there are slots adds each to the counts at once
// (slots 0). The items of a warp that meet make one addition, where PTX is known.
//
// Barriers: those of next_tile() (counters.cl), which all items of a group call.
//
// An element takes one local atomic, of FIELDS some ten operations, and two global ones for
// each time that its field is full.
//
// Macros  COUNTERS  COUNTERS_DIRECT (none), COUNTERS_WORDS, COUNTERS_FIELDS or COUNTERS_PLANES
//         COPIES    WORDS: a power of two
//         FIELDS    FIELDS: of a word
//
// Defines struct counters   where a group counts
//         add_count()       adds to the count of a slot
//         next_tile()       before a tile is counted
//         count_slots()     counts at most four elements, of any item
//         slot_words()      words of all slots, SKEWED aside
//         slot_count()      what a slot has at the end, SKEWED aside

#ifndef COUNTERS
#error "COUNTERS must be defined"
#endif

struct counters {
    global uint *counts;
    global const uint *map; // COUNT_CLASSES: the labels of classes
    long at;                // of label 0 in counts
    local uint *hot, *slot; // SKEWED; the other counters
    uint slots;             // how many; FIELDS, PLANES: 0: elements are counted at once
    uint tiles;             // FIELDS, PLANES: begun, up to 3
    uint last, run;         // FIELDS: the slot that the item met last; how often in a row
    uint is_skewed;         // 1: some slot is hot
    uint hottest, own;      // SKEWED: one that is, and how often this item has met it
};

// The label of a slot, or of a value's label; from g.labels on: none.
static uint counted_label(const struct counters *c, uint slot, const struct arguments *g)
{
    if (COUNT_CLASSES)
        return slot < g->classes ? c->map[slot] : REJECT;
    return slot;
}

// Adds to the count of a slot.
static void add_count(const struct counters *c, uint slot, uint n, const struct arguments *g)
{
    const uint label = counted_label(c, slot, g);
    if (label < g->labels)
        count_add(c->counts, c->at + (long)label * g->count_stride, n, g->wide);
}

#if COUNTERS != COUNTERS_WORDS
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

// ---------------------------------------------------------------- SKEWED
#if COUNTERS == COUNTERS_FIELDS || COUNTERS == COUNTERS_PLANES
#define NO_SLOT 0xffffffffu

static bool is_hot(const struct counters *c, uint slot)
{
    return c->hot[slot % HOT_SLOTS] == slot;
}

// Makes a slot hot, if its tag is free. False where another slot has it.
static bool make_hot(const struct counters *c, uint slot)
{
    const uint was = atomic_cmpxchg(c->hot + slot % HOT_SLOTS, NO_SLOT, slot);
    if (was == NO_SLOT)
        atomic_or(c->hot + 2 * HOT_SLOTS, 1u);
    return was == NO_SLOT || was == slot;
}

static bool are_alike(const uint *slot, uint n)
{
    bool are = n > 1;
    #pragma unroll
    for (uint i = 1; i < n; i++)
        are &= slot[i] == slot[0];
    return are;
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

static void next_tile(struct counters *c)
{
}

static __attribute__((always_inline)) void count_slots(struct counters *c,
                                                       const uint *slot, uint n,
                                                       const struct arguments *g)
{
    const uint copy = get_local_id(0) % COPIES;
    #pragma unroll
    for (uint i = 0; i < n; i++)
        atomic_inc(c->slot + slot[i] * COPIES + copy);
}

static uint slot_count(const struct counters *c, uint slot)
{
    uint n = 0;
    #pragma unroll
    for (uint copy = 0; copy < COPIES; copy++) // neighbours read different banks
        n += c->slot[slot * COPIES + (copy + slot / 2) % COPIES] & COUNT_BITS;
    return n;
}

// ---------------------------------------------------------------- FIELDS
#elif COUNTERS == COUNTERS_FIELDS
#ifndef FIELDS
#error "FIELDS must be defined"
#endif
#define FIELD_BITS (32 / FIELDS)
#define FULL       ((1u << FIELD_BITS) - 1)
#define RUN        4

static uint slot_words(const struct counters *c)
{
    return (c->slots + FIELDS - 1) / FIELDS;
}

static uint field_shift(uint slot)
{
    return slot % FIELDS * FIELD_BITS;
}

static uint slot_count(const struct counters *c, uint slot)
{
    return c->slot[slot / FIELDS] >> field_shift(slot) & FULL;
}

// Among a group's first tiles: makes slots hot that come up often.
static void look_for_hot(struct counters *c, const uint *slot, uint n)
{
    #pragma unroll
    for (uint i = 0; i < n; i++) {
        c->run = slot[i] == c->last ? c->run + 1 : 0;
        c->last = slot[i];
        if (c->run == RUN)
            make_hot(c, slot[i]);
    }
}

// Chooses the slot that the item counts by itself. Items may choose different ones.
static void choose_hottest(struct counters *c)
{
    uint most = 0;
    #pragma unroll 1
    for (uint i = 0; i < HOT_SLOTS; i++) {
        const uint slot = c->hot[i], n = slot_count(c, min(slot, c->slots - 1)) + 1;
        const bool is_more = slot != NO_SLOT && n > most;
        c->hottest = is_more ? slot : c->hottest;
        most = is_more ? n : most;
    }
}

// `word` is what was there when n was added to the slot, whose field has become too small.
static void carry_on(const struct counters *c, uint slot, uint word, const struct arguments *g)
{
    add_count(c, slot, FULL + 1, g);
    while (++slot % FIELDS && (word >> field_shift(slot) & FULL) == FULL)
        add_count(c, slot, FULL, g);
    if (slot % FIELDS == 0)
        return;
    const uint label = counted_label(c, slot, g);
    if (label < g->labels)
        count_drop(c->counts, c->at + (long)label * g->count_stride, g->wide);
}

// Adds n, at most FULL, to some slots, at most four.
static __attribute__((always_inline)) void add_to_slots(const struct counters *c,
                                                        const uint *slot, uint slots, uint n,
                                                        const struct arguments *g)
{
    uint word[4], full = 0;
    #pragma unroll
    for (uint i = 0; i < 4; i++)
        if (i < slots)
            word[i] = atomic_add(c->slot + slot[i] / FIELDS, n << field_shift(slot[i]));
    #pragma unroll
    for (uint i = 0; i < 4; i++)
        if (i < slots)
            full |= (word[i] >> field_shift(slot[i]) & FULL) > FULL - n ? 1u << i : 0;
    if (!full)
        return;
    #pragma unroll 1
    for (uint i = 0; i < slots; i++)
        if (full >> i & 1)
            carry_on(c, pick(slot, slots, i), pick(word, slots, i), g);
}

static void count_skewed(struct counters *c, const uint *slot, uint n, const struct arguments *g)
{
    const bool alike = are_alike(slot, n);
    const uint each = alike ? n : 1, all = alike ? 1 : n;
    #pragma unroll 1
    for (uint i = 0; i < all; i++) {
        const uint one = pick(slot, n, i);
        local uint *hot = c->hot + HOT_SLOTS + one % HOT_SLOTS;
        if (one == c->hottest)
            c->own += each;
        else if (!is_hot(c, one))
            add_to_slots(c, &one, 1, each, g);
        else if (alike)
            atomic_add(hot, each);
        else
            atomic_inc(hot);
    }
}

static __attribute__((always_inline)) void count_slots(struct counters *c,
                                                       const uint *slot, uint n,
                                                       const struct arguments *g)
{
    if (!c->slots) {
        count_at_once(c, slot, n, g);
    } else if (c->is_skewed) {
        count_skewed(c, slot, n, g);
    } else {
        if (c->tiles < 3)
            look_for_hot(c, slot, n);
        add_to_slots(c, slot, n, 1, g);
    }
}
#endif
