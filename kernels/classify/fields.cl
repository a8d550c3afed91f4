// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: the form FIELDS of a group's counters (counter_forms.cl): some counters to a
// word, where there is no room for more.
//
// An element is one addition to the word. It returns the word before, which says exactly how the
// fields change. A field that was full begins again at 0, and the one above it gets 1, which it should
// not; if that was full, too, the next one does. Who added sees that, adds to the counts what the
// fields have lost, and takes the 1 back by a subtraction, which returns the word before, too:
//
//     count of a slot = its field at the end + all that was added to the count meanwhile
//
// This holds for each addition and subtraction by itself, and so for all of them in any order.
// Counts may be below 0 for a while, and wrap. To take the 1 from the count of the field above
// instead was as many additions to global memory again.
//
// Additions of one address wait for each other; only atomic_inc is merged. When a group has
// counted two tiles, a slot that an eighth of its items have met last becomes hot: each item
// counts it by itself, without an atomic. Then neighbours that are all alike, as in sorted data,
// are one addition, too. Groups without such a slot ask only whether they have one. What fields
// lose before that is counted in local memory, of one slot for each remainder: some 100 000
// additions of all groups to one count take a millisecond.
//
// Prototype, H200, 2026-11-23, 2^28 elements of 4 bytes, even labels by three operations, counts
// alone, us: 12 000 WORDS 240, 24 000 in 16 bits 241, 48 000 in 8 bits 241, 65 535 in 5 bits 245,
// in 4 bits 299; bits that are turned over one plane after another 363; each element at once
// 2923.
//
// Local memory: | slots put forward, HOT_SLOTS | votes | tags | more | own | fields |
// Barriers: those of next_tile(), and one before empty_hot().
//
// An element takes one local atomic and some ten operations, and one of either memory for each
// time that its field is full.
//
// Macros  those of counter_forms.cl
//         FIELDS  of a word
//
// Defines what counter_forms.cl does
//         clear_hot(), empty_hot()  the same as of counters, for slots that come up often

#if COUNTERS == COUNTERS_FIELDS
#ifndef FIELDS
#error "FIELDS must be defined"
#endif
#define FIELD_BITS (32 / FIELDS)
#define FULL       ((1u << FIELD_BITS) - 1)

#define NO_SLOT    0xffffffffu
#define CANDIDATES (WG < HOT_SLOTS ? WG : HOT_SLOTS)

// Words of local memory: slots that are put forward, and votes for them; slots that became too
// large early, and what their counts are to get; how often the hottest came up.
#define HOT_VOTES HOT_SLOTS
#define HOT_TAGS  (2 * HOT_SLOTS)
#define HOT_MORE  (3 * HOT_SLOTS)
#define HOT_OWN   (4 * HOT_SLOTS)

static void clear_hot(struct counters *c)
{
    c->hottest = c->last = NO_SLOT;
    for (uint i = get_local_id(0); i < HOT_WORDS; i += WG)
        c->hot[i] = i >= HOT_TAGS && i < HOT_MORE ? NO_SLOT : 0;
}

// Some items put the slots that they met last forward, and all items vote. The winner becomes
// hot, if an eighth of the items has it. All items of a group call it.
static void choose_hottest(struct counters *c)
{
    const uint item = get_local_id(0), each = WG / CANDIDATES;
    if (item % each == 0)
        c->hot[item / each] = c->last;
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 1
    for (uint i = 0; i < CANDIDATES; i++)
        if (c->hot[i] == c->last)
            atomic_inc(c->hot + HOT_VOTES + i);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint most = 0;
    #pragma unroll 1
    for (uint i = 0; i < CANDIDATES; i++) {
        const uint votes = c->hot[HOT_VOTES + i];
        c->hottest = votes > most ? c->hot[i] : c->hottest;
        most = max(votes, most);
    }
    c->is_skewed = c->hottest != NO_SLOT && most >= WG / 8;
}

static void next_tile(struct counters *c)
{
    if (c->tiles < 3 && ++c->tiles == 3)
        choose_hottest(c);
}

// The counter of a slot that became too large early, or 0.
static local uint *early(const struct counters *c, uint slot)
{
    const uint i = slot % HOT_SLOTS;
    // Others may take the place meanwhile. From the third tile on nothing is exchanged.
    const uint tag =
        atomic_cmpxchg(c->hot + HOT_TAGS + i, NO_SLOT, c->tiles < 3 ? slot : NO_SLOT);
    return tag == slot || (tag == NO_SLOT && c->tiles < 3) ? c->hot + HOT_MORE + i : 0;
}

// Behind a barrier.
static void empty_hot(const struct counters *c, const struct arguments *g)
{
    for (uint i = get_local_id(0); i < HOT_SLOTS; i += WG)
        add_count(c, c->hot[HOT_TAGS + i], c->hot[HOT_MORE + i], g);
    if (get_local_id(0) == 0 && c->is_skewed)
        add_count(c, c->hottest, c->hot[HOT_OWN], g);
}

static uint slot_words(const struct counters *c)
{
    return (c->slots + FIELDS - 1) / FIELDS;
}

static uint field_shift(uint slot)
{
    return slot % FIELDS * FIELD_BITS;
}

static uint field_of(uint word, uint slot)
{
    return word >> field_shift(slot) & FULL;
}

static uint slot_count(const struct counters *c, uint slot)
{
    return field_of(c->slot[slot / FIELDS], slot);
}

// A one in the slot's field.
static uint one_of(uint slot)
{
    return FIELDS * FIELD_BITS == 32 ? rotate(1u, slot * FIELD_BITS) : 1u << field_shift(slot);
}

static void add_more(const struct counters *c, uint slot, uint n, const struct arguments *g)
{
    local uint *counter = early(c, slot);
    if (counter)
        atomic_add(counter, n);
    else
        add_count(c, slot, n, g);
}

// Takes the 1 back that a field got too much, by a subtraction that says as an addition does how
// the fields change. A field that was 0 has FULL then, and the one above it 1 less.
static void take_back(const struct counters *c, uint slot, const struct arguments *g)
{
    const uint word = atomic_sub(c->slot + slot / FIELDS, one_of(slot));
    if (field_of(word, slot) != 0)
        return;
    drop_count(c, slot, FULL + 1, g);
    #pragma unroll 1
    while (++slot % FIELDS && field_of(word, slot) == 0)
        drop_count(c, slot, FULL, g);
    if (slot % FIELDS)
        add_count(c, slot, 1, g);
}

// Counts what the fields have lost when the field of a slot became too small, and takes back what
// one of them got too much. `word` was there before.
static void carry_on(const struct counters *c, uint slot, uint word, const struct arguments *g)
{
    add_more(c, slot, FULL + 1, g);
    #pragma unroll 1
    while (++slot % FIELDS && field_of(word, slot) == FULL)
        add_more(c, slot, FULL, g);
    if (slot % FIELDS)
        take_back(c, slot, g);
}

// Which of some elements are counted by additions; sets *each to what is added. The others are
// those of the hottest slot, and all but the first of some that are alike.
static uint leave_out(struct counters *c, const uint *slot, uint n, uint there, uint *each)
{
    const uint all = (1u << n) - 1;
    uint cold = there & all;
    #pragma unroll
    for (uint i = 0; i < n; i++)
        cold &= slot[i] == c->hottest ? ~(1u << i) : ~0u;
    c->own += popcount(there & all & ~cold);
    bool are_alike = FIELD_BITS > 2 && cold == all;
    #pragma unroll
    for (uint i = 1; i < n; i++)
        are_alike &= slot[i] == slot[0];
    *each = are_alike ? n : 1;
    return are_alike ? 1 : cold;
}

static uint add_to_slot(const struct counters *c, uint slot, uint each)
{
    return atomic_add(c->slot + slot / FIELDS, each * one_of(slot));
}

// `there` has a bit for each of n elements, at most four, that exists.
static __attribute__((always_inline)) void count_slots(struct counters *c, const uint *slot,
                                                       uint n, uint there,
                                                       const struct arguments *g)
{
    uint word[4] = { 0, 0, 0, 0 }, each = 1, room = 1; // 0 where some field was full
    c->last = slot[0];
    if (c->is_skewed) {
        there = leave_out(c, slot, n, there, &each);
        #pragma unroll
        for (uint i = 0; i < n; i++) {
            if (there >> i & 1)
                word[i] = add_to_slot(c, slot[i], each);
            room &= field_of(word[i], slot[i]) <= FULL - each;
        }
    } else {
        #pragma unroll
        for (uint i = 0; i < n; i++)
            if (there >> i & 1)
                word[i] = add_to_slot(c, slot[i], 1);
        #pragma unroll
        for (uint i = 0; i < n; i++)
            room = min(room, ~word[i] & FULL * one_of(slot[i]));
    }
    if (room)
        return;
    #pragma unroll 1
    for (uint i = 0; i < n; i++) {
        const uint one = pick(slot, n, i), was = pick(word, n, i);
        if (field_of(was, one) > FULL - each)
            carry_on(c, one, was, g);
    }
}
#endif
