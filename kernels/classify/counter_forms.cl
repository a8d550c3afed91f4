// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: the forms of a group's counters in local memory. A counter has a slot, a
// number from 0 on. counters.cl says which, and calls these functions.
//
//     WORDS   u32, COPIES of each side by side     | slot 0, copy 0 1 2 ... | slot 1, copy 0 ...
//     PAIRS   u16, two to a u32, behind SKEWED     | slot 0 . slot 1 | slot 2 . slot 3 | ...
//     PLANES  bits, behind SKEWED                  | bit 0 of all slots | bit 1 of all | ...
//     SKEWED  u32 for slots that come up often     | tags, HOT_SLOTS | counters, HOT_SLOTS | any |
//
// WORDS: nobody reads what atomic_inc returns, so that hardware merges the increments of a warp
// that meet. Elements of few slots meet in one bank instead; neighbouring items take other
// copies. Prototype, H200, 2026-11-22, u8: 16 copies 0.82 of the bound, 32 copies 0.76, one
// copy 0.29 (the library then).
//
// PAIRS: an addition of 1 or 65536. A counter must not pass 65535, so all counters that have
// come to FAR are added to the counts before 65535 - FAR more elements are counted.
//
// PLANES: the bit in plane 0 is turned over, and who turned it from 1 to 0 turns the one in
// plane 1, and so on. Who turned that of the last plane to 0 adds 2^PLANES to the counts. Each
// plane's bit goes from 1 to 0 after every second turn, whoever turns it. So the sum is right
// in any order.
//
// SKEWED: additions and turns of one address wait for each other; only atomic_inc is merged. A
// slot that comes up often in a group's first tiles (PAIRS: or later) gets a counter of its
// own, if no other slot with the same remainder has it: a tag names its slot. Groups without
// such slots take the plain path. Where neighbours of a vector are all alike, as in sorted
// data, one addition serves them. One such slot an item counts by itself, without an atomic.
// Prototype, H200, 2026-11-22, share of the bound with counts
// alone: 20 000 classes by PAIRS 0.56, 90 % of the elements in one class 0.24 -> 0.41, sorted
// 0.22 -> 0.56, but 30 % in one class 0.49 -> 0.41, hence OFTEN; 65 536 classes by PLANES 0.45,
// 90 % 0.022 -> 0.43, 30 % 0.06 -> 0.34, sorted 0.12 -> 0.38. Random data pay 4 to 7 %.
//
// Barriers: in next_tile(), which all items of a group call.
//
// An element takes one local atomic: WORDS an increment, PAIRS an addition, PLANES two turns on
// average, and 2^-PLANES global ones.
//
// Macros  COUNTERS  COUNTERS_DIRECT (none), COUNTERS_WORDS, COUNTERS_PAIRS or COUNTERS_PLANES
//         COPIES    WORDS: a power of two
//         PLANES    PLANES: how many
//
// Defines struct counters   where a group counts
//         add_count()       adds to the count of a label
//         next_tile()       before a tile is counted
//         count_slots()     counts at most four elements, of any item
//         slot_words()      words of all slots, SKEWED aside
//         slot_count()      what a slot has at the end, SKEWED aside

#ifndef COUNTERS
#error "COUNTERS must be defined"
#endif

struct counters {
    global uint *counts;
    long at;                // of label 0 in counts
    local uint *hot, *slot; // SKEWED; the other counters
    uint slots;             // how many; PAIRS and PLANES: 0: elements are counted at once
    uint left;              // PAIRS: elements until the next look
    uint often;             // PAIRS: of one slot, to make it hot at that look
    uint tiles;             // PLANES: begun, up to 3
    uint is_skewed;         // 1: some slot is hot
    uint hottest, own;      // SKEWED: one that is, and how often this item has met it
};

static void add_count(const struct counters *c, uint label, uint n, const struct arguments *g)
{
    if (label < g->labels)
        count_add(c->counts, c->at + (long)label * g->count_stride, n, g->wide);
}

#if COUNTERS == COUNTERS_PAIRS || COUNTERS == COUNTERS_PLANES
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

// Where a call has fewer elements than slots, which would take longer to clear and to empty.
static void count_at_once(const struct counters *c, const uint *slot, uint n,
                          const struct arguments *g)
{
    #pragma unroll
    for (uint i = 0; i < n; i++)
        add_count(c, slot[i], 1, g);
}

// Chooses the slot that the item counts by itself, if none is chosen yet. Items may choose
// different ones.
static void choose_hottest(struct counters *c)
{
    uint most = 0;
    if (!c->is_skewed || c->hottest != NO_SLOT)
        return;
    for (uint i = 0; i < HOT_SLOTS; i++) {
        const uint slot = c->hot[i], n = c->hot[HOT_SLOTS + i] + 1;
        const bool is_more = slot != NO_SLOT && n > most;
        c->hottest = is_more ? slot : c->hottest;
        most = is_more ? n : most;
    }
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

// One slot more is for elements that are not there.
static uint slot_words(const struct counters *c)
{
    return (c->slots + 1) * COPIES;
}

static void next_tile(struct counters *c, uint elements, const struct arguments *g)
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
        n += c->slot[slot * COPIES + (copy + slot / 2) % COPIES];
    return n;
}

// ---------------------------------------------------------------- PAIRS
#elif COUNTERS == COUNTERS_PAIRS
#define FAR          8192u
#define MOST         65535u
#define OFTEN(count) ((count) / 8 * 3) // of so many elements

static uint slot_words(const struct counters *c)
{
    return (c->slots + 1) / 2;
}

// Adds those that have come to FAR to the counts. Nobody else is at a word meanwhile.
static void empty_far(const struct counters *c, const struct arguments *g)
{
    for (uint i = get_local_id(0); i < slot_words(c); i += WG) {
        const uint pair = c->slot[i];
        uint rest = pair;
        #pragma unroll
        for (uint h = 0; h < 2; h++) {
            const uint n = pair >> (16 * h) & 0xffff;
            if (n >= c->often)
                make_hot(c, 2 * i + h);
            if (n >= FAR) {
                add_count(c, 2 * i + h, n, g);
                rest &= 0xffff0000u >> (16 * h);
            }
        }
        if (rest != pair)
            c->slot[i] = rest;
    }
}

// The first look is after two tiles.
static void next_tile(struct counters *c, uint elements, const struct arguments *g)
{
    if (c->often == 0) {
        c->left = 2 * elements;
        c->often = OFTEN(2 * elements);
    }
    if (c->left < elements) {
        barrier(CLK_LOCAL_MEM_FENCE);
        empty_far(c, g);
        barrier(CLK_LOCAL_MEM_FENCE);
        c->is_skewed = c->hot[2 * HOT_SLOTS];
        choose_hottest(c);
        c->left = MOST - FAR;
        c->often = OFTEN(MOST - FAR);
    }
    c->left -= elements;
}

static void add_to_slot(const struct counters *c, uint slot, uint n)
{
    atomic_add(c->slot + slot / 2, slot % 2 ? n << 16 : n);
}

static __attribute__((always_inline)) void count_slots(struct counters *c,
                                                       const uint *slot, uint n,
                                                       const struct arguments *g)
{
    if (!c->slots) {
        count_at_once(c, slot, n, g);
    } else if (!c->is_skewed) {
        #pragma unroll
        for (uint i = 0; i < n; i++)
            add_to_slot(c, slot[i], 1);
    } else if (are_alike(slot, n)) {
        if (slot[0] == c->hottest)
            c->own += n;
        else if (is_hot(c, slot[0]))
            atomic_add(c->hot + HOT_SLOTS + slot[0] % HOT_SLOTS, n);
        else
            add_to_slot(c, slot[0], n);
    } else {
        #pragma unroll
        for (uint i = 0; i < n; i++)
            if (slot[i] == c->hottest)
                c->own++;
            else if (is_hot(c, slot[i]))
                atomic_inc(c->hot + HOT_SLOTS + slot[i] % HOT_SLOTS);
            else
                add_to_slot(c, slot[i], 1);
    }
}

static uint slot_count(const struct counters *c, uint slot)
{
    return c->slot[slot / 2] >> (slot % 2 * 16) & 0xffff;
}

// ---------------------------------------------------------------- PLANES
#elif COUNTERS == COUNTERS_PLANES
#ifndef PLANES
#error "PLANES must be defined"
#endif

static uint plane_words(const struct counters *c)
{
    return (c->slots + 31) / 32;
}

static uint slot_words(const struct counters *c)
{
    return plane_words(c) * PLANES;
}

// Slots become hot where they overflow before the third tile.
static void next_tile(struct counters *c, uint elements, const struct arguments *g)
{
    if (c->tiles < 3 && ++c->tiles == 3) {
        barrier(CLK_LOCAL_MEM_FENCE);
        c->is_skewed = c->hot[2 * HOT_SLOTS];
        choose_hottest(c);
    }
}

// Turns the slot's bit of a plane over. Whether it was 1.
static bool turn(const struct counters *c, uint slot, uint plane)
{
    const uint bit = 1u << (slot % 32);
    return (atomic_xor(c->slot + plane * plane_words(c) + slot / 32, bit) & bit) != 0;
}

// Adds 2^plane to a slot.
static void carry_on(const struct counters *c, uint slot, uint plane, const struct arguments *g)
{
    bool carry = true;
    #pragma unroll
    for (uint p = plane; p < PLANES; p++)
        if (carry)
            carry = turn(c, slot, p);
    if (!carry)
        return;
    if (c->tiles < 3 && make_hot(c, slot))
        atomic_add(c->hot + HOT_SLOTS + slot % HOT_SLOTS, 1u << PLANES);
    else
        add_count(c, slot, 1u << PLANES, g);
}

static __attribute__((always_inline)) void count_slots(struct counters *c,
                                                       const uint *slot, uint n,
                                                       const struct arguments *g)
{
    bool carry[4];
    if (!c->slots) {
        count_at_once(c, slot, n, g);
        return;
    }
    if (c->is_skewed && are_alike(slot, n)) {
        if (slot[0] == c->hottest)
            c->own += n;
        else if (is_hot(c, slot[0]))
            atomic_add(c->hot + HOT_SLOTS + slot[0] % HOT_SLOTS, n);
        else
            carry_on(c, slot[0], n == 4 ? 2 : 1, g);
        return;
    }
    #pragma unroll
    for (uint i = 0; i < n; i++) {
        carry[i] = false;
        if (c->is_skewed && slot[i] == c->hottest)
            c->own++;
        else if (c->is_skewed && is_hot(c, slot[i]))
            atomic_inc(c->hot + HOT_SLOTS + slot[i] % HOT_SLOTS);
        else
            carry[i] = turn(c, slot[i], 0);
    }
    #pragma unroll
    for (uint i = 0; i < n; i++)
        if (carry[i])
            carry_on(c, slot[i], 1, g);
}

static uint slot_count(const struct counters *c, uint slot)
{
    uint n = 0;
    #pragma unroll
    for (uint p = 0; p < PLANES; p++)
        n |= (c->slot[p * plane_words(c) + slot / 32] >> (slot % 32) & 1) << p;
    return n;
}
#endif
