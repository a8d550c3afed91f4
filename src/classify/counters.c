/* SPDX-License-Identifier: Apache-2.0
 *
 * How a group of gpu_words counts: the form of its counters, by how many there are and how much
 * local memory is left to them. kernels/classify/counter_forms.cl describes the forms. */
#include "classify.h"

#include <stdio.h>

enum {
    // Copies of a counter where elements are so small that counting takes longer than reading,
    // and their bytes. Prototype, H200, 2026-11-22, u8: counter_forms.cl has the figures.
    MOST_COPIES = 16,
    COPIES_BYTES = 16384,
    // Elements for each counter, at least, because it is cleared and emptied. H200, driver
    // 580.159.04, 2026-11-23, 14 counts of each of 12 595 rows of 5941 u8, us by 2, 4 and 16
    // elements: 64.6, 64.0, 59.9; by 16 copies whatever the row 66.9.
    COUNTED = 16,
    // Prototype, H200, 2026-11-22: 65 536 classes, counts alone, by 5 planes 0.45 of the bound.
    // A global atomic for each fourth element is the least that is worth having; not measured.
    MOST_PLANES = 5,
    LEAST_PLANES = 2,
};

static unsigned copies_of(const struct gpuprim_classifier *f, uint64_t slots, uint64_t room,
                          uint64_t elements)
{
    unsigned copies = 1;
    const uint64_t most = gp_min(COPIES_BYTES / sizeof(cl_uint), elements / COUNTED);
    while (gp_type_size(f->in) <= 2 && copies < MOST_COPIES && 2 * copies * slots <= most &&
           2 * copies * (slots + 1) * sizeof(cl_uint) <= room)
        copies *= 2;
    return copies;
}

// WORDS has one slot more (kernels/classify/counter_forms.cl).
struct classify_counters gp_classify_counters(const struct gpuprim_classifier *f, uint64_t room,
                                              uint64_t elements)
{
    struct classify_counters c = { .form = COUNTERS_WORDS,
                                   .copies = 1,
                                   .planes = MOST_PLANES,
                                   .of_values = gp_type_size(f->in) == 1 };
    const uint64_t slots = c.of_values ? 256 : f->labels + f->may_reject,
                   word = sizeof(cl_uint), sums = c.of_values ? SUM_WORDS * word : 0;
    c.copies = copies_of(f, slots, room > sums ? room - sums : 0, elements);
    c.bytes = (slots + 1) * c.copies * word + sums;
    if (c.bytes <= room)
        return c;
    if (c.of_values) // what overflows a smaller form would be a value, not a label
        return (struct classify_counters){ .form = COUNTERS_DIRECT };
    c.form = COUNTERS_PAIRS;
    c.bytes = (HOT_WORDS + gp_ceil_div(slots, 2)) * word;
    if (c.bytes <= room)
        return c;
    c.form = COUNTERS_PLANES;
    for (; c.planes >= LEAST_PLANES; c.planes--) {
        c.bytes = (HOT_WORDS + gp_ceil_div(slots, 32) * c.planes) * word;
        if (c.bytes <= room)
            return c;
    }
    return (struct classify_counters){ .form = COUNTERS_DIRECT };
}

// Elements that are fewer than the counts meet in few of them, whatever they are.
bool gp_classify_privatises(const struct classification *c, uint64_t rows, uint64_t count)
{
    return (c->counts_rows ? count : rows * count) > c->classifier->labels;
}

// WORDS: the others add to the counts before a group's end.
bool gp_classify_zeroes(const gpuprim *gp, const struct classification *c,
                        const struct classify_counters *counters)
{
    const bool is_one_launch = c->in.rows <= CLASSIFY_MAX_ROWS &&
                               c->in.memory != GPUPRIM_HOST &&
                               (!c->has_labels || c->labels.memory != GPUPRIM_HOST);
    return gp->caps.ptx && c->has_counts && !c->counts_rows && c->counts.count &&
           is_one_launch && !c->classifier->accumulates && counters->form == COUNTERS_WORDS;
}

void gp_classify_define_counters(struct gp_key *key, const struct classify_counters *c)
{
    gp_define(key, "COUNTERS", c->form);
    gp_define(key, "COUNT_VALUES", c->of_values);
    if (c->form == COUNTERS_WORDS)
        gp_define(key, "COPIES", c->copies);
    if (c->form == COUNTERS_PLANES)
        gp_define(key, "PLANES", c->planes);
}

int gp_classify_describe_counters(const struct classify_counters *c, char *text, size_t size)
{
    switch (c->form) {
    case COUNTERS_WORDS:
        return snprintf(text, size, "counts by %u counter%s of 32 bits for each %s", c->copies,
                        c->copies == 1 ? "" : "s",
                        c->of_values ? "of the 256 values" : "label");
    case COUNTERS_PAIRS:
        return snprintf(text, size,
                        "counts by counters of 16 bits, as those of 32 bits do not fit local "
                        "memory");
    case COUNTERS_PLANES:
        return snprintf(text, size,
                        "counts by counters of %u bits, as those of 16 bits do not fit local "
                        "memory",
                        c->planes);
    default:
        return snprintf(text, size,
                        "counts each element at once, as no counters fit local "
                        "memory");
    }
}
