// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: the form FIELDS of a group's counters (counter_forms.cl): some counters to a
// word, where there is no room for more.
//
// An element is one addition to the word. It returns the word before, which says exactly how the
// fields change. A field that was full begins again at 0, and the one above it gets 1, which it
// should not; if that was full, too, the next one does. Who added sees that. What the fields
// have lost is added to the counts, and the 1 is taken back by a subtraction, which returns the
// word before, too:
//
//     count of a slot = its field at the end + all that was added to the count meanwhile
//
// This holds for each addition and subtraction by itself, and so for all of them in any order.
// Counts may be below 0 for a while, and wrap. To take the 1 from the count of the field above
// instead was as many additions to global memory again.
//
// Slots whose fields became full wait, and after some tiles the whole group settles them, an
// item each. Where an item settled its own at once, the other items of its warp waited for it,
// and did not meet with it again until the end: 97.6 million f32, 12 722 counts by 8 bits 1494
// us, 409 where they met before each tile, 273 where nothing was settled (H200, driver
// 580.159.04, 2026-11-27).
//
// Prototype, H200, 2026-11-23, 2^28 elements of 4 bytes, even labels by three operations, counts
// alone, us: 12 000 WORDS 240, 24 000 in 16 bits 241, 48 000 in 8 bits 241, 65 535 in 5 bits 245,
// in 4 bits 299; bits that are turned over one plane after another 363; each element at once
// 2923.
//
// Local memory: | slots put forward, HOT_SLOTS | votes | tags | more | own | how many wait, 3 |
//                 those that wait, 2 times WAITING_SLOTS | fields |
// Barriers: those of next_tile(), before and after settle_last(), and before empty_hot().
//
// An element takes one local atomic and some ten operations, and some of either memory for each
// time that its field is full.
//
// Macros  those of counter_forms.cl
//         FIELDS  of a word
//
// Defines what counter_forms.cl does, and
//         settle_last()  settles what waits at the end
//
// hot_slots.cl has what slots take that come up often.

#if COUNTERS == COUNTERS_FIELDS
#ifndef FIELDS
#error "FIELDS must be defined"
#endif
#define FIELD_BITS (32 / FIELDS)
#define FULL       ((1u << FIELD_BITS) - 1)

// How many slots wait, of three periods, and which they are, of two. A period has so many tiles,
// of 8192 elements or 4096, that fields become full half as often as there is room or less, as far
// as one tile allows it.
#define WAITING   (4 * HOT_SLOTS + 1)
#define WAIT_AT   (WAITING + 3)
#define PERIOD_TILES                                                                      \
    (FIELD_BITS > 10  ? 1u << 20                                                          \
     : FIELD_BITS > 8 ? 32u                                                               \
     : FIELD_BITS > 6 ? 8u                                                                \
     : FIELD_BITS > 5 ? 2u                                                                \
                      : 1u)

static uint slot_words(const struct counters *c)
{
    return (c->slots + FIELDS - 1) / FIELDS;
}

// The word that has a slot's field. One product gives it, which is right for slots below 2^30. A
// compiler's division takes a shift more, because it is right for all numbers of 32 bits.
static uint word_of(uint slot)
{
    return FIELDS * FIELD_BITS == 32 ? slot / FIELDS : mul_hi(slot, 0xffffffffu / FIELDS + 1);
}

// Which field of its word.
static uint field_number(uint slot)
{
    return slot - word_of(slot) * FIELDS;
}

static uint field_shift(uint slot)
{
    return field_number(slot) * FIELD_BITS;
}

static uint field_of(uint word, uint slot)
{
    return word >> field_shift(slot) & FULL;
}

static uint slot_count(const struct counters *c, uint slot)
{
    return field_of(c->slot[word_of(slot)], slot);
}

// A one in the slot's field. A shift takes an operation more than rotate(): OpenCL takes its
// distance modulo 32.
static uint one_of(uint slot)
{
    return rotate(1u, FIELDS * FIELD_BITS == 32 ? slot * FIELD_BITS : field_shift(slot));
}

// Counts what the fields have lost when the field of a slot became too small, and takes back
// what one of them got too much. `word` was there before. A field that is 0 when 1 is taken has
// FULL then, and the one above it 1 less.
static void carry_on(const struct counters *c, uint slot, uint word, const struct arguments *g)
{
    local uint *fields = c->slot + word_of(slot);
    uint shift = field_shift(slot);
    int n = FULL + 1;
    bool takes = false;
    #pragma unroll 1
    for (;;) {
        add_more(c, slot, n, g);
        shift += FIELD_BITS;
        slot++;
        if (shift >= FIELDS * FIELD_BITS || (takes && n == 1))
            return;
        const uint above = word >> shift & FULL;
        if (takes) {
            n = above ? 1 : -(int)FULL;
        } else if (above == FULL) {
            n = FULL;
        } else {
            word = atomic_sub(fields, 1u << shift);
            if (word >> shift & FULL)
                return;
            takes = true;
            n = -(int)FULL - 1;
        }
    }
}

static bool is_full_above(uint word, uint slot)
{
    return field_number(slot) + 1 < FIELDS && field_of(word, slot + 1) == FULL;
}

// The slots that wait, of a period.
static local uint *waiting(const struct counters *c, uint period)
{
    return c->hot + WAIT_AT + period % 2 * WAITING_SLOTS;
}

static void settle(const struct counters *c, uint period, const struct arguments *g)
{
    const uint n = min(c->hot[WAITING + period % 3], (uint)WAITING_SLOTS);
    // Behind a barrier that not all tiles reach, all items of PoCL 3.1 take the way of the
    // first one at the loop's condition.
    for (uint first = 0; first < n; first += WG) {
        const uint i = first + get_local_id(0);
        if (i < n)
            carry_on(c, waiting(c, period)[i], 0, g);
    }
}

static void settle_last(const struct counters *c, const struct arguments *g)
{
    settle(c, c->tiles / PERIOD_TILES, g);
}

// The field of the slot became too small, and the one above it was not full: the slot waits.
// False: there is no room.
static bool may_wait(const struct counters *c, uint slot)
{
    const uint period = c->tiles / PERIOD_TILES;
    const uint i = atomic_inc(c->hot + WAITING + period % 3);
    if (i < WAITING_SLOTS)
        waiting(c, period)[i] = slot;
    return i < WAITING_SLOTS;
}

// Where a period begins, what waits from the one before is settled. Meanwhile others already
// wait in this one. The number of those of the next period is set to zero: it was of the period
// before the one before, which all items have settled.
static void next_tile(struct counters *c, const struct arguments *g)
{
    if (c->tiles == 2)
        choose_hottest(c);
#if PTX // items of a warp that went different ways need not have met since
    asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
#endif
    if (++c->tiles % PERIOD_TILES)
        return;
    const uint period = c->tiles / PERIOD_TILES;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        c->hot[WAITING + (period + 1) % 3] = 0;
    settle(c, period - 1, g);
}

// Adds to the field of a slot; gives the word before.
static uint add_to_slot(const struct counters *c, uint slot, uint n)
{
    return atomic_add(c->slot + word_of(slot), n * one_of(slot));
}

// All bits of a slot's field.
static uint all_of(uint slot)
{
    return FULL * one_of(slot);
}

// Four elements, some of which are those of the hottest slot, or alike: which of them are
// counted by additions, of *each. The words before go to `was`.
static __attribute__((always_inline)) void add_cold(struct counters *c, const uint4 slot,
                                                    uint n, uint *there, uint *each,
                                                    uint4 *was)
{
    const uint all = (1u << n) - 1, h = c->hottest;
    const uint hot =
        (slot.x == h) | (slot.y == h) << 1 | (slot.z == h) << 2 | (slot.w == h) << 3;
    uint cold = *there & all & ~hot;
    c->met += popcount(*there & all & hot);
    const bool are_alike = ((n > 1) & (FIELD_BITS > 2)) && cold == all && slot.x == slot.y &&
                           slot.x == slot.z && slot.x == slot.w;
    *each = are_alike ? n : 1;
    *there = cold = are_alike ? 1 : cold;
    if (cold & 1)
        was->x = add_to_slot(c, slot.x, *each);
    if (n > 1 && cold & 2)
        was->y = add_to_slot(c, slot.y, 1);
    if (n > 1 && cold & 4)
        was->z = add_to_slot(c, slot.z, 1);
    if (n > 1 && cold & 8)
        was->w = add_to_slot(c, slot.w, 1);
}

// `there` has a bit for each of n elements that exists; n is 1 or 4. They stand in variables,
// not in an array: compilers left its loops as they were. Those that are not there add 0.
// PoCL 3.1 must not inline it: it gave wrong counts by 5 bits, of elements of 4 and 8 bytes that
// are counted alone. With POCL_WORK_GROUP_METHOD=workitemloops, and in Oclgrind, the same calls
// are right.
#ifdef POCL_DEVICE_ADDRESS_BITS
__attribute__((noinline))
#else
__attribute__((always_inline))
#endif
static void count_slots(struct counters *c, const uint *slots,
                                                       uint n, uint there,
                                                       const struct arguments *g)
{
    const uint4 slot =
        n > 1 ? (uint4)(slots[0], slots[1], slots[2], slots[3]) : (uint4)slots[0];
    uint4 was = 0;
    uint each = 1;
    c->last = slot.x;
    if (c->is_skewed) {
        add_cold(c, slot, n, &there, &each, &was);
    } else {
        was.x = add_to_slot(c, slot.x, there & 1);
        uint room = ~was.x & all_of(slot.x); // 0 where some field was full
        if (n > 1) {
            was.y = add_to_slot(c, slot.y, there >> 1 & 1);
            was.z = add_to_slot(c, slot.z, there >> 2 & 1);
            was.w = add_to_slot(c, slot.w, there >> 3 & 1);
            room = min(min(room, ~was.y & all_of(slot.y)),
                       min(~was.z & all_of(slot.z), ~was.w & all_of(slot.w)));
        }
        if (room)
            return;
    }
    uint over = field_of(was.x, slot.x) > FULL - each ? 1 : 0;
    if (n > 1)
        over |= (field_of(was.y, slot.y) == FULL) << 1 |
                (field_of(was.z, slot.z) == FULL) << 2 | (field_of(was.w, slot.w) == FULL) << 3;
    over &= there;
    #pragma unroll 1
    while (over) {
        const uint i = 31 - clz(over);
        const uint one = i & 2 ? (i & 1 ? slot.w : slot.z) : (i & 1 ? slot.y : slot.x);
        const uint word = i & 2 ? (i & 1 ? was.w : was.z) : (i & 1 ? was.y : was.x);
        if (is_full_above(word, one) || !may_wait(c, one))
            carry_on(c, one, word, g);
        over ^= 1u << i;
    }
}
#endif
