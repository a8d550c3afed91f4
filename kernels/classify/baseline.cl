// SPDX-License-Identifier: Apache-2.0
//
// classify, baseline: any device, any work-group size, any stride; one element at a time.
//
// The elements of all rows are numbered one behind the other, row 0 first. The elements that
// are counted together, one row or all of them, are a segment. A segment is cut into shares,
// one for each group, and the items of a group take the elements of its share in turn:
//
//     segment   0                           | 1
//     group     0         | 1         | 2   | 3         | 4         | 5        segment_groups 3
//     item      0 1 0 1 0 1 0 1 ...                                            WG 2
//
// Counts: where there is room (g.privatised) a group counts in local memory. `local_counts` has
// one word for each label and one for what is rejected. When its share is done, the group adds
// them to the counts. A share is shorter than 2^32 elements. Without room each element is
// counted at once. A group of one item has its local counts to itself and needs no atomics
// there.
//
// Barriers: after local_counts is zero, and before it is added to the counts.
//
// An element takes BYTES of reading and LABEL_TYPE of writing, the reads of binary.cl and
// label.cl, and about 20 operations for positions.

#if WG == 1
#define COUNT_LOCAL(p) (*(p) += 1)
#else
#define COUNT_LOCAL(p) atomic_inc(p)
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void classify(global const ELEM *restrict x, global const uint *restrict tables,
              global LABEL_T *restrict labels, global uint *counts, local uint *local_counts,
              const struct arguments g)
{
    const uint item = get_local_id(0);
    const ulong group = get_group_id(0), segment = group / g.segment_groups;
    const ulong begin = (group - segment * g.segment_groups) * g.share;
    const ulong end = min(g.segment, begin + g.share);
#if COUNTS
    const long counts_at = g.count_first + (long)segment * g.count_row_stride;
    if (g.privatised)
        for (ulong l = item; l <= g.labels; l += WG)
            local_counts[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    ulong row = (segment * g.segment + begin + item) / g.count;
    ulong i = segment * g.segment + begin + item - row * g.count;
    for (ulong e = begin + item; e < end; e += WG) {
        const KEY_T v = (KEY_T)LOAD(x, g.first + (long)row * g.row_stride + (long)i * g.stride);
        struct row_constants constants;
        load_row(&constants, row, tables, tables, &g);
        const uint label = label_of(v, &constants, tables, &g);
#if LABEL_TYPE
        labels[g.label_first + (long)row * g.label_row_stride + (long)i * g.label_stride] =
            (LABEL_T)label;
#endif
#if COUNTS
        if (g.privatised)
            COUNT_LOCAL(local_counts + min((ulong)label, g.labels));
        else if (label < g.labels)
            count_add(counts, counts_at + (long)label * g.count_stride, 1, g.wide);
#endif
        i += g.step;
        const bool next = i >= g.count;
        row += g.step_rows + (next ? 1 : 0);
        i -= next ? g.count : 0;
    }

#if COUNTS
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g.privatised)
        for (ulong l = item; l < g.labels; l += WG)
            if (local_counts[l])
                count_add(counts, counts_at + (long)l * g.count_stride, local_counts[l],
                          g.wide);
#endif
}
