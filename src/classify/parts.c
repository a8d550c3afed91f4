/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: which calls on GPUs that give labels and counts are made in two parts, one that gives
 * the labels, and one that counts. The input is read twice. But each part looks at its elements in
 * the order that suits it, and has local memory for itself. Such a call takes the place of two
 * plans among those that a classifier keeps. It is planned each time, because calls of two launches
 * are not repeated (core/repeat.c). That is short beside the LARGE elements that it has at least.
 * run.c and plan.c call this. */
#include "tiles.h"

enum {
    LARGE = 1 << 22,  // elements of a call; fewer were not measured
    CHANNELS = 64,    // columns that gpu_channels takes as one line
    MANY_NARROW = 64, // counts of each column of 2-byte elements are many; of 4: CLASSIFY_MANY
    // So many counters of all rows in a word of local memory are crowded: of elements of up to 2
    // bytes, and of 4.
    CROWDED_NARROW = 4,
    CROWDED = 5,
};

// Columns with many counts of each. By gpu_tiles or gpu_channels an item has one column, so that its
// labels leave one by one. Labels alone leave by words, as all columns have the same rule. H200,
// driver 580.159.04, 2026-12-01, us in one part and in two: i16, 592 counts 3239, 1633; f16, 71 of
// 1751 columns 1654, 1553, 77 of 88 1184, 1008; but 45 720, 809; u16, 20 1170, 1141; i16, 81 cases,
// 197 counts 1518, 1609. f32, 118 1089, 772, 177 1417, 1005, 493 3159, 1487; i32, 291 1449, 842, 959
// 2345, 926, 2761 2773, 1964; but u32, 31 998, 1002; i32, 13 704, 840; f32, 68 by gpu_channels 471,
// 600. Of 8 bytes 7 436, 709, 246 504, 600; of bytes 4 1011, 902, 12 659, 853, 25 556, 935, 122 660,
// 702, 242 1279, 1191.
static bool has_many_of_column(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    return gp_classify_has_row_counts(c) && !gp_classify_has_row_keys(c) &&
           f->method == METHOD_SEARCH && gp_classify_is_by_columns(&c->in) &&
           gp_classify_is_by_columns(&c->labels) && c->in.rows > CHANNELS &&
           ((c->in.size == 2 && f->labels >= MANY_NARROW) ||
            (c->in.size == 4 && f->labels >= CLASSIFY_MANY));
}

// Labels that change places, and many counts of all rows. Labels on their way leave gpu_tiles room
// for counters of few bits, or none. H200, driver 580.159.04, 2026-12-01, us in one part and in two:
// i16, 24 191 counts 2773, 2043, 41 474 5636, 1132; f16, 31 909 3518, 1826; f32, 38 739 1802, 1583,
// 62 564 2473, 1168; i32, 57 342, rows of 18, 3327, 1294; but u16, 11 644 1820, 1930; u32, 13 634 957,
// 1069; f32, 21 717 685, 868; i32, 24 339 1548, 1697. Elements of 8 bytes were not measured.
static bool has_crowded_counters(const gpuprim *gp, const struct classification *c)
{
    if (c->counts_rows || gp_classify_has_row_keys(c) || c->in.size > 4 ||
        !gp_tiles_are_turned(c))
        return false;
    const struct classify_counters counters = gp_tiles_counters(gp, c);
    const unsigned crowded = c->in.size <= 2 ? CROWDED_NARROW : CROWDED;
    return (counters.form == COUNTERS_DIRECT ||
            (counters.form == COUNTERS_FIELDS && counters.fields >= crowded)) &&
           gp_variant_pick(gp, &gp_primitive_classify, c) == &gp_classify_gpu_tiles;
}

bool gp_classify_has_parts(const gpuprim *gp, const struct classification *c)
{
    if (gp->caps.is_cpu || !c->has_labels || !c->has_counts || gp_classify_is_on_host(c) ||
        gp_variant_is_forced(gp, "classify") ||
        (!gp->as_if_large && c->in.rows * c->in.count < LARGE))
        return false;
    return has_many_of_column(c) || has_crowded_counters(gp, c);
}

struct classification gp_classify_part(const struct classification *c, enum classify_part part,
                                       struct classify_choice *choice)
{
    struct classification p = *c;
    p.choice = choice;
    p.has_labels = part == PART_LABELS;
    p.has_counts = part == PART_COUNTS;
    p.counts_rows = p.has_counts && c->counts_rows;
    if (!p.has_counts) // as in a call without them
        p.counts = (struct gp_array){ .count = 0 };
    gp_classify_normalise(&p);
    return p;
}
