// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: how a group counts. It has counters in local memory, of a form that
// counter_forms.cl describes, and adds them to the counts at its end. Where they do not fit
// (COUNTERS_DIRECT) each element is counted at once.
//
//     elements -> labels -> slots of the counters, one for each label, and one for none
//     elements -> slots of the counters, one for each value -> labels       COUNT_VALUES
//     elements -> classes -> slots, one for each and one for none -> labels  COUNT_CLASSES
//     elements -> ranks -> slots, one for each -> places = labels           COUNT_RANKS
//     elements -> intervals -> labels                          COUNTERS_INTERVALS (intervals.cl)
//
// With COUNT_VALUES elements have 8 bits. Then 256 counters do for any rule, and the group
// looks up the labels of its 256 counters instead of those of its elements. Values of one label
// are added up in local memory (sums): all groups add to the same counts, and such additions wait
// for each other. Where labels are more than sums, some share one. The first one that is added owns it.
// What the others count is added to the counts at once:
//
//     sums    | 0 | 17 | 5 | 0 | ...        label L: sum L % SUM_WORDS
//     owners  | - | 257 | 2 | - | ...       which label owns it
//
// With COUNT_CLASSES the map is read from global memory, for a group's slots at the end. Elements
// that are only counted do not need it.
//
// With FAR_MAP local memory has room for the search index, but not for the map. The labels that
// are written are read from the map in global memory.
//
// With LABEL_SHIFT the counters of a value begin with its label in their upper bits. Then the
// addition that counts an element returns its label, too, and nothing else is read for it:
//
//     counter of a value, each copy    | label | elements so far |
//
// The caller has the barriers: one after clear_counters(), and one before empty_counters(). All
// items of a group call these two, and next_tile(), which has the barriers of SKEWED.
//
// A group clears and empties its counters: as many global atomics of neighbouring addresses as
// it has slots that are not 0. To write them as plain words, which a second launch adds up, was
// 1 to 5 % slower (prototype, H200, 2026-11-22).
//
// Macros  those of counter_forms.cl
//         COUNT_VALUES  1: slots are the values of elements of 8 bits
//         COUNT_RANKS   1: slots are the ranks of a row's own keys (own_ranks.cl)
//         COUNT_CLASSES 1: slots are the classes of a map; with COUNTERS_DIRECT the slots of each
//                       row's own counters (gpu_tiles)
//         FAR_MAP       1: elements get a class, and its label from the map by map_labels()
//         LABEL_SHIFT   32, or COUNT_VALUES: where labels begin in counters; the host makes so many
//                       groups that none counts more elements
//         REJECTS       1: some element may have no label
//         ZEROES        1: the launch sets the counts to zero itself. A launch of its own takes a
//                       fifth to a half of a small call. The first groups do it. With WORDS and
//                       INTERVALS the others wait for it before they empty their counters, which
//                       takes no time by then; elsewhere before they count. Only where PTX is
//                       known: the signals are words of tickets.cl
//
// Defines clear_counters()  sets a group's counters to zero
//         count_elements()  counts a few elements, of any item
//         map_labels()      FAR_MAP: gives classes their labels
//         take_one()        the same for one, and gives its label
//         empty_counters()  adds the counters to the counts
//         zero_counts(), begin_counts(), end_counts()  ZEROES
//         Without COUNTS they do nothing.

#if !defined(COUNT_VALUES) || !defined(COUNT_CLASSES) || !defined(COUNT_RANKS) ||             \
    !defined(FAR_MAP) || !defined(REJECTS)
#error "COUNT_VALUES, COUNT_CLASSES, COUNT_RANKS, FAR_MAP and REJECTS must be defined"
#endif

#ifndef LABEL_SHIFT
#error "LABEL_SHIFT must be defined"
#endif

#define SUMS     (COUNT_VALUES ? SUM_WORDS : 0)
#define NO_OWNER 0xffffffffu // no label

#if COUNTERS == COUNTERS_DIRECT
static void next_tile(struct counters *c, const struct arguments *g)
{
}
#endif

// `at` is the place of label 0 in counts, and `words` the group's local memory for counters.
static void clear_counters(struct counters *c, global uint *counts, long at, local uint *words,
                           ALL_SPACE const uint *all_tables, const struct arguments *g)
{
    *c = (struct counters){ .counts = counts, .at = at, .slot = words };
#if COUNT_CLASSES || FAR_MAP
    c->map = (ALL_SPACE const ENTRY_T *)(all_tables +
                                         (g->labels_at + (TABLES_LOCAL ? g->local_first : 0)));
#endif
#if COUNTERS == COUNTERS_INTERVALS
    load_intervals(c, all_tables, g);
#endif
#if COUNTERS != COUNTERS_DIRECT
    c->slots = COUNT_VALUES ? 256
                            : (COUNT_CLASSES | COUNT_RANKS ? g->classes : (uint)g->labels) + REJECTS;
#if COUNTERS == COUNTERS_FIELDS
    c->hot = words;
    c->slot = words + HOT_WORDS;
    clear_hot(c);
#elif COUNTERS == COUNTERS_WORDS
    c->own = own_copies(words);
#endif
    for (uint i = get_local_id(0); i < slot_words(c) + SUMS; i += WG)
        c->slot[i] = 0;
    for (uint i = get_local_id(0); i < SUMS && g->labels > SUMS; i += WG)
        c->slot[slot_words(c) + SUMS + i] = NO_OWNER;
#endif
}

// x are elements, and label their labels. `n` is 1 or a power of two that is known when the
// kernel is compiled. A bit of `there` says whether an element exists; with DIRECT all do. WORDS:
// a condition for each atomic would take a branch for each.
static __attribute__((always_inline)) void count_elements(
    struct counters *c, const KEY_T *x, const uint *label, uint n, uint there,
    const struct arguments *g)
{
#if COUNTS && COUNTERS == COUNTERS_INTERVALS
    count_in_intervals(c, x, n, there);
#elif COUNTS
    #pragma unroll
    for (uint first = 0; first < n; first += 4) {
        const uint few = n < 4 ? n : 4;
#if COUNTERS == COUNTERS_DIRECT
        count_at_once(c, label + first, few, g);
#else
        uint slot[4];
        #pragma unroll
        for (uint i = 0; i < few; i++)
#if COUNT_VALUES
            slot[i] = (uint)BITS(x[first + i]);
#else
            slot[i] = REJECTS ? min(label[first + i], c->slots - 1) : label[first + i];
#endif
        count_slots(c, slot, few, there >> first, g);
#endif
    }
#endif
}

#if LABEL_SHIFT < 32
// Behind a barrier after clear_counters(), and before another.
static void fill_labels(struct counters *c, const struct row_constants *constants,
                        TABLE_SPACE const uint *tables, const struct arguments *g)
{
    for (uint i = get_local_id(0); i < c->slots * COPIES; i += WG)
        c->slot[i] = label_of((KEY_T)(ELEM)(i / COPIES), constants, tables, g) << LABEL_SHIFT;
}

// Counts elements, at most 16, as count_elements() does, and gives their labels.
static __attribute__((always_inline)) void count_and_label(struct counters *c, const KEY_T *x,
                                                           uint *label, uint n, uint there)
{
    #pragma unroll
    for (uint i = 0; i < 16; i++) {
        if (i >= n)
            continue;
        const uint slot = there >> i & 1 ? (uint)BITS(x[i]) : c->slots;
        label[i] = atomic_add(c->own + slot * COPIES, 1u) >> LABEL_SHIFT;
        if (REJECTS & (LABEL_TYPE != U8))
            label[i] = label[i] == REJECT >> LABEL_SHIFT ? REJECT : label[i];
    }
}
#endif

// Classes become labels.
static __attribute__((always_inline)) void map_labels(const struct counters *c, uint *label,
                                                      uint n, const struct arguments *g)
{
#if FAR_MAP
    #pragma unroll
    for (uint e = 0; e < n; e++) {
        const uint mapped = label_of_entry(c->map[label[e] < g->classes ? label[e] : 0]);
        label[e] = label[e] < g->classes ? mapped : REJECT;
    }
#endif
}

// Counts an element and gives its label.
static uint take_one(KEY_T x, struct counters *c, const struct row_constants *constants,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
#if LABEL_SHIFT < 32
    uint label;
    count_and_label(c, &x, &label, 1, 1);
#else
    uint label = label_of(x, constants, tables, g);
    if (COUNT_CLASSES)
        count_elements(c, &x, &label, 1, 1, g);
    map_labels(c, &label, 1, g);
    if (!COUNT_CLASSES)
        count_elements(c, &x, &label, 1, 1, g);
#endif
    return label;
}

#if COUNT_VALUES && COUNTERS == COUNTERS_WORDS
// The counters of values, by way of sums.
static void empty_values(const struct counters *c, const struct row_constants *constants,
                         TABLE_SPACE const uint *tables, const struct arguments *g)
{
    local uint *sums = c->slot + slot_words(c), *owners = sums + SUMS;
    const bool has_owners = g->labels > SUMS;
    for (uint slot = get_local_id(0); slot < c->slots; slot += WG) {
        const uint n = slot_count(c, slot);
        if (n == 0)
            continue;
        const uint label = label_of((KEY_T)(ELEM)slot, constants, tables, g);
        if (label >= g->labels)
            continue;
        const uint owner =
            has_owners ? atomic_cmpxchg(owners + label % SUMS, NO_OWNER, label) : label;
        if (owner == NO_OWNER || owner == label)
            atomic_add(sums + label % SUMS, n);
        else
            add_count(c, label, n, g);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < SUMS; i += WG)
        if (sums[i])
            add_count(c, has_owners ? owners[i] : i, sums[i], g);
}
#endif

static void empty_counters(const struct counters *c, const struct row_constants *constants,
                           TABLE_SPACE const uint *tables, const struct arguments *g)
{
#if COUNTERS == COUNTERS_INTERVALS
    sum_intervals(c);
    for (uint i = get_local_id(0); i <= INTERVALS; i += WG) {
        const uint n = interval_count(c, i);
        if (n)
            add_count(c, interval_label(c, i), n, g);
    }
#elif COUNTERS != COUNTERS_DIRECT
#if COUNTERS == COUNTERS_FIELDS
    settle_last(c, g);
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if COUNT_VALUES
    empty_values(c, constants, tables, g);
#else
    for (uint slot = get_local_id(0); slot < c->slots; slot += WG) {
        const uint n = slot_count(c, slot);
        if (n)
            add_count(c, slot, n, g);
    }
#endif
#if COUNTERS == COUNTERS_FIELDS
    if (c->met)
        atomic_add(c->hot + HOT_OWN, c->met);
    barrier(CLK_LOCAL_MEM_FENCE);
    empty_hot(c, g);
#endif
#endif
}

// ---------------------------------------------------------------- counts that begin with zero
#if ZEROES
#define ITEM_ZEROES 4 // counts that an item sets to zero

// How many groups set the counts to zero: the first ones, or none where the host has done it.
static uint zeroers(uint all, const struct arguments *g)
{
    return min((uint)get_num_groups(0), min(all / (WG * ITEM_ZEROES) + 1, g->zeroers));
}

// All counts: the host sees to it that they are not too many.
static uint all_counts(const struct arguments *g)
{
    return (uint)g->labels * (g->own_counts ? (uint)g->rows : 1);
}

static void zero_counts(global uint *counts, const struct arguments *g)
{
    const uint group = get_group_id(0), all = all_counts(g), labels = (uint)g->labels;
    if (group >= zeroers(all, g))
        return;
    for (uint i = group * WG + (uint)get_local_id(0); i < all; i += zeroers(all, g) * WG) {
        const uint row = g->own_counts ? i / labels : 0;
        const long at = g->count_first + (long)row * g->count_row_stride;
        count_clear(counts, at + (long)(i - row * labels) * g->count_stride, g->wide);
    }
}

// Waits until they are zero. A group that has set its part to zero says so by the number of the
// launch, in a word of its own. No earlier launch had that number. The first groups wait for one
// another. So all of them must run at once: they are at most a quarter of the device's compute
// units (launch.c), and NVIDIA's devices begin groups in the order of their numbers. CUB's scans
// rely on that order, too.
static void await_zero(const struct arguments *g)
{
    global const ulong *const signals = ticket_words(g->ticket);
    for (uint i = get_local_id(0); i < zeroers(all_counts(g), g); i += WG) {
        ulong seen;
        do
            asm volatile("ld.acquire.gpu.global.u64 %0, [%1];"
                         : "=l"(seen)
                         : "l"(signals + i)
                         : "memory");
        while (seen != g->launch);
    }
}

// All items of a group call it, behind a barrier after zero_counts().
static void begin_counts(const struct arguments *g)
{
    if (get_local_id(0) == 0 && get_group_id(0) < zeroers(all_counts(g), g))
        asm volatile("st.release.gpu.global.u64 [%0], %1;"
                     :
                     : "l"(ticket_words(g->ticket) + get_group_id(0)), "l"(g->launch)
                     : "memory");
#if COUNTERS == COUNTERS_DIRECT || COUNTERS == COUNTERS_FIELDS
    await_zero(g);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#endif
}

// All items call it, before a barrier.
static void end_counts(const struct arguments *g)
{
#if COUNTERS == COUNTERS_WORDS || COUNTERS == COUNTERS_INTERVALS
    await_zero(g);
#endif
}
#endif
