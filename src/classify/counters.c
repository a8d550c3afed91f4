/* SPDX-License-Identifier: Apache-2.0
 *
 * How a group of gpu_words counts: the form of its counters, by how many there are and how much
 * local memory is left to them. kernels/classify/counter_forms.cl describes the forms. */
#include "classify.h"

#include <stdio.h>
#include <string.h>

enum {
    VALUES = 256, // of an element of 8 bits
    // Elements of a launch for each counter of its groups, at least, because these are cleared and
    // emptied. H200, driver 580.159.04, 2026-11-23, us by 4 and 64: 31 558 counts of 18.8 million
    // f64 91.3 57.1, 47 191 counts and labels of 34.1 million u64 139.6 100.4, 8941 and labels of
    // 36.7 million i32 84.3 71.5.
    EMPTIED = 64,
    // Copies of a counter where elements have 8 bits, so that counting takes longer than reading.
    // Those of values that are counted alone are as many as there are banks. Prototype, H200,
    // 2026-11-23, 2^30 u8 by two groups of 1024 a unit, us by 1, 4, 8, 16, 32 copies: 465 472 435
    // 324 246 (read 236). The library, u8, 200 counts and labels by 16 and 32 copies 80.6 90.4.
    MOST_COPIES = 16,
    MOST_COPIES_OF_VALUES = 32,
    // The same of elements of 16 bits, in COPIES_BYTES. H200, driver 580.159.04, 2026-11-29, us
    // by 8 copies and by 16, counts alone: 10 counts 103 111, 8 68.3 72.2, 244 85.5 91.5, 9
    // 82.1 82.6; with labels 5 counts 161 163, 17 142 142, 200 185 189, 47 152 151, 84 194 192;
    // but 300 counts and u16 labels 211 195. By 8 and by 4: 548 counts 103 110; 806 counts,
    // which are counted by fewer classes, 183 190.
    MOST_COPIES_OF_16_BITS = 8,
    COPIES_BYTES = 24576,
    // Bits of a label in a counter: so many groups that 20 bits count their elements are not too
    // many.
    MOST_LABEL_BITS = 12,
    // Elements from which on labels are worth a place in counters. H200, driver 580.159.04,
    // 2026-11-23, us without and with it: 135 million u8, 53 labels and counts 94.2 83.4; 203 153
    // u8, 5 counts 6.1 8.1. The limit between them has not been measured.
    LABELLED = 1 << 22,
    // The library, H200, 2026-11-23, f16, 6 bins, u8 labels and counts by 7 intervals 86.6, by
    // counters 67.8.
    MOST_BESIDE_LABELS = 3,
    MOST_ZEROED = 1 << 18, // counts that some groups set to zero
    // Elements for each counter, at least, because it is cleared and emptied. H200, driver
    // 580.159.04, 2026-11-23, 14 counts of each of 12 595 rows of 5941 u8, us by 2, 4 and 16
    // elements: 64.6, 64.0, 59.9; by 16 copies whatever the row 66.9.
    COUNTED = 16,
    MANY_LABELS = 1024,
    // From so many groups on their number is odd where they have FIELDS. Of G groups, group i has
    // the tiles i, i + G, i + 2 G. Of data that repeat after 2^16 elements, as those of the
    // benchmark, each of 264 groups had an eighth, and its fields became full 25 063 times at
    // 65 535 classes. Those of 263 groups did 10 350 times (computed, by half of a field for each
    // group).
    MANY_GROUPS = 64,
    // Bits of a field from which on a group has a quarter of what it counts to, and not half. With
    // fewer a group would have few more elements than fields to empty.
    QUARTER_BITS = 5,
    // So many elements for each label or class are few: counters would take longer to empty.
    // H200, driver 580.159.04, 2026-11-27, us by counters and at once: 57 771 u16, 3647 counts
    // 8.2 11.2; 371 511 f16, 33 807 counts 12.4 16.6; 202 342 f32, 8243 counts and labels 9.0
    // 8.7; 38 795 i64, 20 963 counts 11.8 8.3. It was 16 until 2026-12-01: H200, 475 807 f32, 31 975 counts and
    // labels 12.4 29.0. From 2 to 11 elements for each nothing was measured.
    FEW_FOR_SLOT = 4,
};

void gp_classify_sizes(const struct gpuprim_classifier *f, uint64_t sizes[CLASSIFY_SIZES])
{
    const uint64_t all[] = { CLASSIFY_LONG,
                             LABELLED,
                             LABELLED - 1,
                             f->labels * FEW_FOR_SLOT + 1,
                             (uint64_t)f->classes * FEW_FOR_SLOT + 1,
                             1 };
    _Static_assert(sizeof all / sizeof *all == CLASSIFY_SIZES, "all of them");
    memcpy(sizes, all, sizeof all);
}

bool gp_classify_are_few(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    const bool by_class = !c->has_labels && gp_classify_has_counted_classes(f);
    return c->has_counts && !c->counts_rows && f->labels >= MANY_LABELS &&
           c->in.rows * c->in.count <= (by_class ? f->classes : f->labels) * FEW_FOR_SLOT;
}

uint64_t gp_classify_counted(const struct classification *c)
{
    return c->counts_rows                         ? c->in.count
           : c->in.rows * c->in.count >= LABELLED ? UINT64_MAX
                                                  : LABELLED - 1;
}

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

static unsigned copies_of(const struct gpuprim_classifier *f, enum counted counted,
                          uint64_t slots, uint64_t room, uint64_t elements)
{
    const bool are_values = gp_type_size(f->in) == 1 && counted == COUNTED_ALONE;
    const unsigned most = gp_type_size(f->in) > 2              ? 1
                          : gp_type_size(f->in) == 2           ? MOST_COPIES_OF_16_BITS
                          : are_values && elements >= LABELLED ? MOST_COPIES_OF_VALUES
                                                               : MOST_COPIES;
    const uint64_t bytes = gp_type_size(f->in) == 2 ? gp_min(room, COPIES_BYTES) : room;
    unsigned copies = 1;
    while (copies < most && 2 * copies * slots <= elements / COUNTED &&
           2 * copies * (slots + 1) * sizeof(cl_uint) <= bytes)
        copies *= 2;
    return copies;
}

// Bytes have counters of values, from which labels come, too. Floats must have stayed bits.
bool gp_classify_counts_intervals(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    const bool are_bits = !gp_type_is_float(f->in) || f->index.method == SEARCH_RANK ||
                          f->index.method == SEARCH_STEPS,
               may_beside =
                   are_bits && gp_type_size(f->in) > 1 && f->intervals <= MOST_BESIDE_LABELS;
    return c->has_counts && f->intervals_at && (!c->has_labels || may_beside);
}

struct classify_counters gp_classify_interval_counters(const struct gpuprim_classifier *f)
{
    return (struct classify_counters){ .form = COUNTERS_INTERVALS,
                                       .intervals = f->intervals,
                                       .low_intervals = f->low_intervals,
                                       .label_shift = 32,
                                       .bytes = (f->intervals + 1) * INTERVAL_COPIES *
                                                sizeof(cl_uint) };
}

// The bits of a field of FIELDS, the most first. A global atomic for each fourth element is the
// least that is worth having; not measured.
static const unsigned field_bits[] = { 16, 10, 8, 6, 5, 4, 3, 2 };

bool gp_classify_has_counted_classes(const struct gpuprim_classifier *f)
{
    return f->method == METHOD_SEARCH && f->rows == 1 && f->index.method != SEARCH_STEPS &&
           f->labels_at && f->classes <= f->labels;
}

// Words of the sums of values, and of their owners.
static uint64_t sum_words(const struct gpuprim_classifier *f)
{
    return f->labels > SUM_WORDS ? 2 * SUM_WORDS : SUM_WORDS;
}

// WORDS has one slot more (kernels/classify/counter_forms.cl).
struct classify_counters gp_classify_counters_of(const struct gpuprim_classifier *f,
                                                 enum counted counted, uint64_t room,
                                                 uint64_t elements)
{
    struct classify_counters c = { .form = COUNTERS_WORDS,
                                   .copies = 1,
                                   .label_shift = 32,
                                   .of_values = gp_type_size(f->in) == 1,
                                   .of_ranks = counted == COUNTED_BY_RANK };
    c.of_classes =
        counted == COUNTED_ALONE && !c.of_values && gp_classify_has_counted_classes(f);
    const uint64_t classes = c.of_ranks     ? f->ranks
                             : c.of_classes ? f->classes
                                            : f->labels,
                   slots = c.of_values ? VALUES : classes + f->may_reject,
                   word = sizeof(cl_uint), sums = c.of_values ? sum_words(f) * word : 0;
    c.copies = copies_of(f, counted, slots, room > sums ? room - sums : 0, elements);
    c.bytes = (slots + 1) * c.copies * word + sums;
    if (c.bytes <= room)
        return c;
    if (c.of_values) // what overflows a smaller form would be a value, not a label
        return (struct classify_counters){ .form = COUNTERS_DIRECT, .label_shift = 32 };
    c.form = COUNTERS_FIELDS;
    for (unsigned i = 0; i < sizeof field_bits / sizeof *field_bits; i++) {
        c.fields = 32 / field_bits[i];
        c.bytes = (HOT_WORDS + gp_ceil_div(slots, c.fields)) * word;
        if (c.bytes <= room)
            return c;
    }
    return (struct classify_counters){ .form = COUNTERS_DIRECT, .label_shift = 32 };
}

// As many copies as there are banks. Where local memory then has more bytes than WORDS_SMALL, the
// launch has the items of larger tables (take_items() in gpu_words.c): that is in these figures.
// H200, driver 580.159.04, 2026-11-29, f32 and i32, u8 labels and counts, us without and with
// copies: 102 counts 90.6 81.3, 80 131 124, 10 110 110, 20 92.1 92.3, 3 116 115; but 16 copies of
// 294 counts and u16 labels 166 175. Counts alone: 251 46.4 44.2, 25 105 106, 300 of each row 42.8
// 46.0; of 8 bytes 80 47.6 55.4, 1032 51.1 55.6.
void gp_classify_copy_counters(const struct gpuprim_classifier *f, uint64_t room,
                               struct classify_counters *c)
{
    enum { BANKS = 32, MOST_BYTES = 16384 };
    const uint64_t slots = f->labels + f->may_reject,
                   bytes = (slots + 1) * BANKS * sizeof(cl_uint);
    if (c->form != COUNTERS_WORDS || c->of_values || bytes > gp_min(room, MOST_BYTES))
        return;
    c->copies = BANKS;
    c->bytes = bytes;
}

void gp_classify_limit_copies(struct classify_counters *c, unsigned most, uint64_t bytes)
{
    while (c->copies > 1 && (c->of_values ? c->copies > most : c->bytes >= bytes)) {
        c->copies /= 2;
        c->bytes -= c->of_values ? c->copies * (VALUES + 1) * sizeof(cl_uint) : c->bytes / 2;
    }
}

struct classify_counters gp_classify_counters(const struct gpuprim_classifier *f, uint64_t room,
                                              uint64_t elements)
{
    return gp_classify_counters_of(f, COUNTED_BESIDE, room, elements);
}

uint64_t gp_classify_groups(const struct classification *c, uint64_t elements, uint64_t wanted,
                            uint64_t least)
{
    if (!c->has_counts || c->choice->counters.form == COUNTERS_DIRECT ||
        c->choice->counters.form == COUNTERS_INTERVALS || c->choice->counters.of_values)
        return wanted;
    const struct classify_counters *counters = &c->choice->counters;
    const struct gpuprim_classifier *f = c->classifier;
    const uint64_t slots = counters->of_ranks     ? f->ranks
                           : counters->of_classes ? f->classes
                                                  : f->labels;
    // Rounds of all units: 209 groups take 132 units as long as 264 do.
    const uint64_t rounds = elements / (EMPTIED * slots + 1) / least;
    const uint64_t groups = gp_min(wanted, rounds > 1 ? rounds * least : least);
    // Where elements are spread, a part of what a counter of few bits counts to is a group's. What
    // overflows is added to the result at once. H200, driver 580.159.04, 2026-11-30, 2^28 f32,
    // 65 535 counts by 5 bits, some of them 3 to 5 times as high as others, us by half and by a
    // quarter: 657, 512, and 632, 590 with 90 % in one. Other bits were not measured.
    const bool are_fields = counters->form == COUNTERS_FIELDS;
    const unsigned bits = are_fields ? 32 / counters->fields : 32;
    const uint64_t part = (uint64_t)1 << (bits - (are_fields && bits >= QUARTER_BITS ? 2 : 1));
    const uint64_t spread = elements / (part * (slots + 1));
    const uint64_t enough = groups > spread ? groups : (spread / least + 1) * least;
    return are_fields && enough >= MANY_GROUPS && enough % 2 == 0 ? enough - 1 : enough;
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
    gp_define(key, "COUNT_RANKS", c->of_ranks);
    gp_define(key, "LABEL_SHIFT", c->label_shift);
    if (c->form == COUNTERS_WORDS)
        gp_define(key, "COPIES", c->copies);
    if (c->form == COUNTERS_FIELDS)
        gp_define(key, "FIELDS", c->fields);
    if (c->form == COUNTERS_INTERVALS) {
        gp_define(key, "INTERVALS", c->intervals);
        gp_define(key, "LOW_INTERVALS", c->low_intervals);
    }
}

int gp_classify_describe_counters(const struct classify_counters *c, char *text, size_t size)
{
    switch (c->form) {
    case COUNTERS_WORDS:
        return snprintf(text, size, "counts by %u counter%s of 32 bits for each %s", c->copies,
                        c->copies == 1 ? "" : "s",
                        c->of_values ? "of the 256 values" : "label");
    case COUNTERS_FIELDS:
        return snprintf(text, size,
                        "counts by counters of %u bits, as larger ones do not fit local memory",
                        32 / c->fields);
    case COUNTERS_INTERVALS:
        return snprintf(text, size, "counts alone by %u intervals of one label",
                        c->intervals + 1);
    default:
        return snprintf(text, size,
                        "counts each element at once, as no counters fit local "
                        "memory");
    }
}
