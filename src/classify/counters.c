/* SPDX-License-Identifier: Apache-2.0
 *
 * How a group of gpu_words counts: the form of its counters, by how many there are and how much
 * local memory is left to them. kernels/classify/counter_forms.cl describes the forms. */
#include "classify.h"

#include <stdio.h>

enum {
    // Elements of a launch for each counter of its groups, at least, because these are cleared and
    // emptied. H200, driver 580.159.04, 2026-11-23, us by 4 and 64: 31 558 counts of 18.8 million
    // f64 91.3 57.1, 47 191 counts and labels of 34.1 million u64 139.6 100.4, 8941 and labels of
    // 36.7 million i32 84.3 71.5.
    EMPTIED = 64,
    // Copies of a counter where elements are so small that counting takes longer than reading,
    // and their bytes. Prototype, H200, 2026-11-22, u8: counter_forms.cl has the figures.
    MOST_COPIES = 16,
    COPIES_BYTES = 16384,
    // Bits of a label in a counter: so many groups that 20 bits count their elements are not too
    // many.
    MOST_LABEL_BITS = 12,
    // Elements from which on labels are worth a place in counters. H200, driver 580.159.04,
    // 2026-11-23, us without and with it: 135 million u8, 53 labels and counts 94.2 83.4; 203 153
    // u8, 5 counts 6.1 8.1. The limit between them has not been measured.
    LABELLED = 1 << 22,
    MOST_ZEROED = 1 << 18, // counts that some groups set to zero
    // Fields of fewer than 8 bits overflow often. H200, driver 580.159.04, 2026-11-23, us by fields
    // of 5 or 6 bits and by planes: 54 660 counts and labels of 67 million i16, half of them in one
    // class, 2745 536; 51 034 of 56 million u64 183 171; but 56 293 even ones of 48 million f64,
    // which do not overflow, 127 192.
    MOST_FIELDS = 4,
    // Prototype, H200, 2026-11-22: 65 536 classes, counts alone, by 5 planes 0.45 of the bound.
    // A global atomic for each fourth element is the least that is worth having; not measured.
    MOST_PLANES = 5,
    LEAST_PLANES = 2,
    // Elements for each counter, at least, because it is cleared and emptied. H200, driver
    // 580.159.04, 2026-11-23, 14 counts of each of 12 595 rows of 5941 u8, us by 2, 4 and 16
    // elements: 64.6, 64.0, 59.9; by 16 copies whatever the row 66.9.
    COUNTED = 16,
};

unsigned gp_classify_label_shift(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    const struct classify_counters *counters = &c->choice->counters;
    unsigned bits = 8;
    while (f->labels + f->may_reject > (uint64_t)1 << bits)
        bits++;
    return c->has_labels && c->in.rows * c->in.count >= LABELLED && counters->of_values &&
                   counters->form == COUNTERS_WORDS && bits <= MOST_LABEL_BITS
               ? 32 - bits
               : 32;
}

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

bool gp_classify_has_counted_classes(const struct gpuprim_classifier *f)
{
    return f->method == METHOD_SEARCH && f->rows == 1 && f->index.method != SEARCH_STEPS &&
           f->labels_at && f->classes <= f->labels;
}

// WORDS has one slot more (kernels/classify/counter_forms.cl).
struct classify_counters gp_classify_counters_of(const struct gpuprim_classifier *f,
                                                 enum counted counted, uint64_t room,
                                                 uint64_t elements)
{
    struct classify_counters c = { .form = COUNTERS_WORDS,
                                   .copies = 1,
                                   .label_shift = 32,
                                   .of_values = gp_type_size(f->in) == 1 };
    c.of_classes =
        counted == COUNTED_ALONE && !c.of_values && gp_classify_has_counted_classes(f);
    const uint64_t classes = c.of_classes ? f->classes : f->labels,
                   slots = c.of_values ? 256 : classes + f->may_reject, word = sizeof(cl_uint),
                   sums = c.of_values ? SUM_WORDS * word : 0;
    c.copies = copies_of(f, slots, room > sums ? room - sums : 0, elements);
    c.bytes = (slots + 1) * c.copies * word + sums;
    if (c.bytes <= room)
        return c;
    if (c.of_values) // what overflows a smaller form would be a value, not a label
        return (struct classify_counters){ .form = COUNTERS_DIRECT, .label_shift = 32 };
    c.form = COUNTERS_FIELDS;
    for (c.fields = 2; c.fields <= MOST_FIELDS; c.fields++) {
        c.bytes = (HOT_WORDS + gp_ceil_div(slots, c.fields)) * word;
        if (c.bytes <= room)
            return c;
    }
    c.form = COUNTERS_PLANES;
    for (c.planes = MOST_PLANES; c.planes >= LEAST_PLANES; c.planes--) {
        c.bytes = (HOT_WORDS + gp_ceil_div(slots, 32) * c.planes) * word;
        if (c.bytes <= room)
            return c;
    }
    return (struct classify_counters){ .form = COUNTERS_DIRECT, .label_shift = 32 };
}

struct classify_counters gp_classify_counters(const struct gpuprim_classifier *f, uint64_t room,
                                              uint64_t elements)
{
    return gp_classify_counters_of(f, COUNTED_BESIDE, room, elements);
}

// Elements that are fewer than the counters meet in few of them, whatever they are.
bool gp_classify_privatises(const struct classification *c, uint64_t elements)
{
    return elements > c->classifier->labels;
}

uint64_t gp_classify_groups(const struct classification *c, uint64_t elements, uint64_t wanted,
                            uint64_t least)
{
    if (!c->has_counts || c->choice->counters.form == COUNTERS_DIRECT ||
        c->choice->counters.of_values)
        return wanted;
    const struct classify_counters *counters = &c->choice->counters;
    const uint64_t slots =
        counters->of_classes ? c->classifier->classes : c->classifier->labels;
    // Rounds of all units: 209 groups take 132 units as long as 264 do.
    const uint64_t rounds = elements / (EMPTIED * slots + 1) / least;
    const uint64_t groups = gp_min(wanted, rounds > 1 ? rounds * least : least);
    // Where elements are spread, half of what a counter of few bits counts to is a group's: what
    // overflows is added to the result at once.
    const unsigned bits = counters->form == COUNTERS_FIELDS   ? 32 / counters->fields
                          : counters->form == COUNTERS_PLANES ? counters->planes
                                                              : 32;
    const uint64_t half = (uint64_t)1 << (bits - 1);
    const uint64_t spread = elements / (half * (slots + 1));
    return groups > spread ? groups : (spread / least + 1) * least;
}

bool gp_classify_zeroes(const gpuprim *gp, const struct classification *c)
{
    const bool is_one_launch = c->in.rows <= CLASSIFY_MAX_ROWS &&
                               c->in.memory != GPUPRIM_HOST &&
                               (!c->has_labels || c->labels.memory != GPUPRIM_HOST);
    return gp->caps.ptx && c->has_counts && c->counts.count && is_one_launch &&
           !c->classifier->accumulates &&
           c->classifier->labels <=
               MOST_ZEROED / (c->counts_rows ? c->in.rows + !c->in.rows : 1);
}

void gp_classify_define_counters(struct gp_key *key, const struct classify_counters *c)
{
    gp_define(key, "COUNTERS", c->form);
    gp_define(key, "COUNT_VALUES", c->of_values);
    gp_define(key, "LABEL_SHIFT", c->label_shift);
    if (c->form == COUNTERS_WORDS)
        gp_define(key, "COPIES", c->copies);
    if (c->form == COUNTERS_FIELDS)
        gp_define(key, "FIELDS", c->fields);
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
    case COUNTERS_FIELDS:
    case COUNTERS_PLANES:
        return snprintf(text, size,
                        "counts by counters of %u bits, as larger ones do not fit local memory",
                        c->form == COUNTERS_FIELDS ? 32 / c->fields : c->planes);
    default:
        return snprintf(text, size,
                        "counts each element at once, as no counters fit local "
                        "memory");
    }
}
