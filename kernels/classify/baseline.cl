// SPDX-License-Identifier: Apache-2.0
//
// classify, baseline: any device, any work-group size, any stride; an element at a time.
//
// The elements of all rows are numbered one behind the other, row 0 first. What is counted
// together, one row or all of them, is a line; it is cut into shares, a group each, and the items
// of a group take the elements of its share in turn:
//
//     line      0                           | 1
//     group     0         | 1         | 2   | 3         | 4         | 5        line_groups 3
//     item      0 1 0 1 0 1 0 1 ...                                            WG 2
//
// Counts: where there is room (g.gathers) a group counts in local memory, `tally`, one word for
// each label and one for what is rejected, and adds what it has to the counts when its share is
// done. A share is shorter than 2^32 elements. Else each element is counted where it belongs.
//
// A group of one item has its tally to itself and needs no atomics there.
//
// Barriers: after tally is zero, and before it is added to the counts.

#if WG == 1
#define TALLY(p) (*(p) += 1)
#else
#define TALLY(p) atomic_inc(p)
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void classify(global const T *restrict x, global const uint *restrict tables,
              global L *restrict labels, global uint *counts, local uint *tally,
              const struct arguments g)
{
    const uint item = get_local_id(0);
    const ulong group = get_group_id(0), line = group / g.line_groups;
    const ulong begin = (group - line * g.line_groups) * g.share;
    const ulong end = min(g.length, begin + g.share);
#if COUNTS
    const long counts_at = g.count_first + (long)line * g.count_row_stride;
    if (g.gathers)
        for (ulong l = item; l <= g.labels; l += WG)
            tally[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    ulong row = (line * g.length + begin + item) / g.count;
    ulong i = line * g.length + begin + item - row * g.count;
    for (ulong e = begin + item; e < end; e += WG) {
        const C v = (C)LOAD(x, g.first + (long)row * g.row_stride + (long)i * g.stride);
        struct opened opened;
        open_row(&opened, row, tables, tables, &g);
        const uint label = label_of(v, &opened, tables, &g);
#if LABEL_TYPE
        labels[g.label_first + (long)row * g.label_row_stride + (long)i * g.label_stride] =
            (L)label;
#endif
#if COUNTS
        if (g.gathers)
            TALLY(tally + min((ulong)label, g.labels));
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
    if (g.gathers)
        for (ulong l = item; l < g.labels; l += WG)
            if (tally[l])
                count_add(counts, counts_at + (long)l * g.count_stride, tally[l], g.wide);
#endif
}
