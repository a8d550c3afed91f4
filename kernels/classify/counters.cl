// SPDX-License-Identifier: Apache-2.0
//
// classify on GPUs: the counters of a group. With PRIVATISED a group counts in local memory and
// adds its counters to the counts at its end. Without, each element is counted at once.
//
//     local counters   | label 0 | label 1 | ... | label g.labels - 1 | none |     u32 each
//     counts           | label 0 | label 1 | ... | label g.labels - 1 |
//
// Nobody reads the value that atomic_inc returns, so that hardware merges the increments of a
// warp that meet: data of one class are no slower.
//
// The caller has the barriers: one after clear_counters, and one before empty_counters. All
// items of a group call these two.
//
// An element takes one local atomic. A group takes 4 bytes of local memory for each label, to
// clear and to empty, and at most as many global atomics of neighbouring addresses.
//
// Macros  PRIVATISED  1: groups count in local memory first
//         REJECTS     1: some element may have no label
//
// Defines struct counters   where a group counts
//         clear_counters()  sets its counters to zero
//         count_labels()    counts a few labels, of any item
//         empty_counters()  adds its counters to the counts
//         Without COUNTS they do nothing.

#if !defined(PRIVATISED) || !defined(REJECTS)
#error "PRIVATISED and REJECTS must be defined"
#endif

struct counters {
    global uint *counts;
    long at; // of label 0 in counts
    local uint *local_counts;
};

static void clear_counters(const struct counters *c, const struct arguments *g)
{
#if COUNTS && PRIVATISED
    for (uint l = get_local_id(0); l <= g->labels; l += WG)
        c->local_counts[l] = 0;
#endif
}

// `n` is known when the kernel is compiled.
static void count_labels(const struct counters *c, const uint *labels, uint n,
                         const struct arguments *g)
{
#if COUNTS
    #pragma unroll
    for (uint i = 0; i < n; i++) {
        const uint label = labels[i];
#if PRIVATISED
        atomic_inc(c->local_counts + (REJECTS ? min(label, (uint)g->labels) : label));
#else
        if (label < g->labels)
            count_add(c->counts, c->at + (long)label * g->count_stride, 1, g->wide);
#endif
    }
#endif
}

static void empty_counters(const struct counters *c, const struct arguments *g)
{
#if COUNTS && PRIVATISED
    for (uint l = get_local_id(0); l < g->labels; l += WG)
        if (c->local_counts[l])
            count_add(c->counts, c->at + (long)l * g->count_stride, c->local_counts[l],
                      g->wide);
#endif
}
