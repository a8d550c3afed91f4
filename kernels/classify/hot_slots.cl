// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs, counters of the form FIELDS (fields.cl): slots that come up often.
//
// Additions of one address wait for each other; only atomic_inc is merged. When a group has
// counted two tiles, a slot that an eighth of its items have met last becomes hot: each item
// counts it by itself, without an atomic. Then neighbours that are all alike, as in sorted data,
// are one addition, too. Groups without such a slot ask only whether they have one. What fields
// lose is added up in local memory, of one slot for each remainder, which is the first that
// became full: some 100 000 additions of all groups to one count take a millisecond.
//
// Local memory: the first part of what fields.cl draws.
// Barriers: two in choose_hottest(), which all items of a group call.
//
// Defines clear_hot(), empty_hot()  the same as of counters, for slots that come up often
//         choose_hottest()          after the second tile of a group
//         add_more()                what a field has lost

#if COUNTERS == COUNTERS_FIELDS
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

// The counter in local memory of a slot whose field became too small, or 0. The first slot of
// those with one remainder has it.
static local uint *place_for_more(const struct counters *c, uint slot)
{
    const uint i = slot % HOT_SLOTS, tag = atomic_cmpxchg(c->hot + HOT_TAGS + i, NO_SLOT, slot);
    return tag == slot || tag == NO_SLOT ? c->hot + HOT_MORE + i : 0;
}

// Behind a barrier.
static void empty_hot(const struct counters *c, const struct arguments *g)
{
    for (uint i = get_local_id(0); i < HOT_SLOTS; i += WG)
        change_count(c, c->hot[HOT_TAGS + i], (int)c->hot[HOT_MORE + i], g);
    if (get_local_id(0) == 0 && c->is_skewed)
        add_count(c, c->hottest, c->hot[HOT_OWN], g);
}

// Adds to what a slot's count is to get; takes from it where n is below 0.
static void add_more(const struct counters *c, uint slot, int n, const struct arguments *g)
{
    local uint *counter = place_for_more(c, slot);
    if (counter)
        atomic_add(counter, (uint)n);
    else
        change_count(c, slot, n, g);
}
#endif
