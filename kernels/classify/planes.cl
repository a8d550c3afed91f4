// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: counters of a few bits, the form PLANES of a group's counters
// (counter_forms.cl). More than 48 000 labels leave so little room for each.
//
//     words    | bit 0 of all slots | bit 1 of all slots | ...     PLANES of them, behind SKEWED
//
// The bit in plane 0 is turned over, and who turned it from 1 to 0 turns the one in plane 1, and
// so on. Who turned that of the last plane to 0 adds 2^PLANES to the counts. Each plane's bit
// goes from 1 to 0 after every second turn, whoever turns it. So the sum is right in any order.
//
// A slot that overflows among a group's first tiles becomes hot. Prototype, H200, 2026-11-22,
// share of the bound with counts alone: 65 536 classes 0.45, 90 % of the elements in one class
// 0.022 -> 0.43, 30 % 0.06 -> 0.34, sorted 0.12 -> 0.38. H200, driver 580.159.04, 2026-11-23, us
// by fields of 5 bits and by planes: 65 535 counts of 2^28 f32 2893 631, 90 % in one class 1384
// 639.
//
// An element takes two local atomics on average, and 2^-PLANES global ones.
//
// Macros  those of counter_forms.cl
//         PLANES  how many
//
// Defines what counter_forms.cl does

#if COUNTERS == COUNTERS_PLANES
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

// Chooses the slot that the item counts by itself. Items may choose different ones.
static void choose_hottest(struct counters *c)
{
    uint most = 0;
    for (uint i = 0; i < HOT_SLOTS; i++) {
        const uint slot = c->hot[i], n = c->hot[HOT_SLOTS + i] + 1;
        const bool is_more = slot != NO_SLOT && n > most;
        c->hottest = is_more ? slot : c->hottest;
        most = is_more ? n : most;
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
