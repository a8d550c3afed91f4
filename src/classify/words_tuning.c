/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_words of classify: groups and items, and how many of them, as they were measured. */
#include "words.h"

// Without counters in few words, and with them; by the labels: none, u8, or wider. H200, driver
// 580.159, 2^28 of f32, us by group / items / items_per_unit. 2026-11-22:
//     256 bins, counts alone    1024/2/4096 255, 512/4/2048 254, 512/4/4096 261, 256/4/4096 290
//     1024 bins                 1024/2/4096 255, 512/4/2048 259, 512/4/4096 263, 256/4/4096 294
//     4096 bins                 1024/2/4096 263, 512/4/2048 273, 512/4/4096 279, 256/4/4096 318
//     255 keys, u8 and counts   512/4/16384 335, 512/4/8192 334, 512/2/16384 340, 1024/2/16384
//                               383, 1024/4/16384 350
//     1023 keys, u16 and counts 512/4/16384 395, 512/4/8192 396, 512/2/16384 402, 1024/1/16384
//                               404, 1024/2/16384 440
// 2026-11-21, by a kernel that read the next tile meanwhile, which was worth less than 1 %:
//     255 keys, u8              512/4/16384 315, 512/4/8192 318, 512/2/16384 319
//     1023 keys, u16            512/2/16384 386, 512/2/8192 401, 512/1/16384 386
//     1023 keys in cells        1024/4/8192 384, 512/4/8192 392, 512/4/4096 413; but of 4095
//                               1024/4/8192 446, 512/4/8192 433
// 2026-11-23, driver 580.159.04, 1023 log-spaced keys of 12 KiB, u16: 512/4/16384 391,
// 512/4/8192 399
// 2026-11-27, driver 580.159.04, counts alone, 1024/2/4096 and 1024/2/2048, H200: 30.7 million
// f32, 3 counts 39.3 36.6, 37.9 million, 2 counts 51.8 48.6, 60.4 million, 153 counts 62.1
// 59.4; H100: 104.4 million i32, 3140 counts 152.1 140.9
static const struct words_tuning tunings[2][3] = {
    { { 512, 4, 2, 4096, 4096 }, { 512, 4, 4, 16384, 8192 }, { 512, 4, 2, 16384, 8192 } },
    { { 1024, 2, 2, 2048, 2048 }, { 512, 4, 4, 16384, 8192 }, { 512, 4, 4, 16384, 8192 } },
};

// Keys of each row's own, wherever labels go: the prototype's groups (kernels/classify/
// own_keys.cl). The library has not measured them.
static const struct words_tuning own_keys = { 256, 4, 4, 2048, 2048 };

// Cells of such keys. Two groups of a unit leave much of its memory to the cache, through which
// keys between those of local memory come. H200, driver 580.159.04, 2026-11-30, f32, 39 090 keys of
// each of 8 rows, us by 1024/2 1693, 512/2 2557, 512/4 2543, 256/4 2845. Keys that local memory has
// all of were measured by 1024/2 alone.
static const struct words_tuning own_cells = { 1024, 2, 2, 2048, 2048 };

// From WORDS_MANY bytes of counters on, of some 8000 labels, groups that empty them are few: two of
// 1024 items for each unit (prototype, H200, 2026-11-22: 12 000 classes 0.90 of the bound).
// Counters of values that are counted alone have the groups that were best there. Beside
// labels, H200, driver 580.159.04, 2026-11-29, us by 512/2/2048, 512/4/8192 and 512/2/16384:
// u8, 255 counts 120 105 103, 5 counts 75.2 70.4 76.0; i8, 15 counts 132 113 114. FIELDS, H200,
// driver 580.159.04, 2026-11-23, us by 1024/2, 1024/1 and 512/4: 27 658 counts and labels of
// u32 148 165 169, 47 191 of u64 100 109 110, 31 558 counts of f64 57 61 65; the form has
// changed since. Elements that are few are counted at once by small groups: 842 088 i16, 61 101
// counts, 25.3 by 52 groups of 1024 and 15.1 by 411 of 256.
//
// Where a table fills more than LARGE bytes, a group takes so many tiles that filling local
// memory is little work. H200, driver 580.159.04, 2026-11-29, u16 to u8, 1896 cases of 3 masks,
// us by 1024/2/2048 and 512/4/8192: 124 113. Groups of hash tables are more. Prototype, H200,
// 2026-11-22: two tables of 1000 and of 5000 cases 0.98 of a copy by four groups a unit. H200,
// driver 580.159.04, 2026-11-28, i32, 15 918 cases, us of items_per_unit 2048, 4096, 8192 and
// 16384: 216 187 176 174.
//
// One row by a table that local memory has in part has two groups for each unit: a group fills
// 48 KiB, and what more groups would take is left to the caches, for the rest of the table. Two
// words of an item leave room for 2048 items on a unit, four for 1024 (ptxas: 32 and 48
// registers). H200, driver 580.159.04, 2026-11-30, 2^28 u16, a table of 64 KiB, us by
// 512/4/8192 and so: 235, 212. More rows were not measured but for the cases of 3 masks above,
// in 8 channels, which took longer so.
enum { LARGE = 16384 };

const struct words_tuning *gp_words_tuning(const struct classification *c,
                                           const struct classify_counters *counters,
                                           uint64_t table_bytes)
{
    if (c->choice->keys.form == OWN_TREE)
        return &own_keys;
    if (c->choice->keys.form == OWN_CELLS)
        return &own_cells;

    static const struct words_tuning hash = { 512, 2, 2, 8192, 8192 },
                                     table = { 512, 4, 4, 8192, 8192 },
                                     part = { 1024, 2, 2, 2048, 2048 };
    if (!c->has_counts && table_bytes > LARGE && c->classifier->method == METHOD_HASH)
        return &hash;
    if (!c->has_counts && table_bytes > LARGE && c->classifier->method == METHOD_TABLE)
        return table_bytes < gp_classify_table_bytes(c->classifier) && c->in.rows == 1 ? &part
                                                                                       : &table;

    // Elements of 8 and 16 bits, labels alone. H200, driver 580.159.04, 2026-11-23, us by groups of
    // 512 and 256: f16, 683 bins, rows of 3096 312 299, 328 bins, rows of 1075 169 158; u16 by 15
    // comparisons 126 124; f16, 18 keys 133 131; f16, 102 bins 144 146. Labels of u8 in long rows,
    // us by elements of an item / items_per_unit: i16, 3 bins 16/16384 132.6, 16/32768 129.6,
    // 32/16384 130.7, 32/32768 128.7; u16 by 15 comparisons, tables of 8 KiB, 16/16384 111.6,
    // 16/8192 109.6, 32/8192 108.1; i8, 14 bins 16/16384 85.5, 32/16384 84.5, 32/32768 87.2.
    // 2026-11-28, 13 calls of 16 bits, 32/16384 3.5 % less than 32/32768 in the mean, each from
    // 7 % less to 1 % more. Long rows of 4 bytes have the same groups. 2026-11-29, us by
    // 512/4/16384 (labels of u16 whose tables are in global memory 512/2) and so: labels of u8
    // 99.5 99.0, 149 140, 77.0 73.7, 93.6 92.3, 132 132; of u16 93.1 91.9, 220 215, 171 162,
    // 137 130; of u32 92.3 93.8, 191 190, 162 163. Short rows to u16 123 137.
    static const struct words_tuning labels_alone = { 256, 4, 4, 16384, 8192 };
    const bool are_long =
        c->in.size == 4 && c->labels.size < 4 && c->choice->words == WORDS_OF_ROW;
    if (!c->has_counts && (c->in.size <= 2 || are_long))
        return &labels_alone;

    // Fields of few bits have a barrier for each tile, or for a few (kernels/classify/fields.cl). A
    // unit of NVIDIA's GPUs has room for two groups, of which one counts while the other waits.
    // H200, driver 580.159.04, 2026-11-30, 2^28 f32, 65 535 counts by 5 bits, us by 1024 and by 512
    // items: 688 657, with 90 % in one 621 632. Other bits were not measured.
    enum { FEW_BITS = 8 };
    static const struct words_tuning fields = { 1024, 2, 2, 2048, 2048 },
                                     few_bits = { 512, 2, 2, 2048, 2048 },
                                     few = { 256, 1, 1, 8192, 8192 },
                                     values[2] = { { 512, 4, 4, 2048, 2048 },
                                                   { 512, 4, 4, 8192, 8192 } };
    if (counters->form == COUNTERS_FIELDS)
        return !c->has_labels && 32 / counters->fields <= FEW_BITS &&
                       c->classifier->gp->caps.is_nvidia
                   ? &few_bits
                   : &fields;
    if (counters->form == COUNTERS_DIRECT && gp_classify_are_few(c))
        return &few;
    if (counters->of_values || (counters->form == COUNTERS_INTERVALS && !c->has_labels))
        return &values[c->has_labels];
    const bool has_few =
        counters->form == COUNTERS_WORDS || counters->form == COUNTERS_INTERVALS;
    // Elements of 8 and 16 bits, labels of u8 and counts. H200, driver 580.159.04, 2026-11-28,
    // us of items_per_unit 16384 and 8192: u8 103.5 89.2, i8 72.3 62.9, f16 277.8 262, i16
    // 156.8 149, 176.3 165, 134.3 138; every second of i8 123.4 115, every sixth of u8 58.9
    // 60.7.
    static const struct words_tuning both = { 512, 4, 4, 8192, 8192 };
    if (has_few && c->in.size <= 2 && c->has_labels && c->labels.size == 1)
        return &both;
    return &tunings[has_few][!c->has_labels ? 0 : c->labels.size == 1 ? 1 : 2];
}

// Tuned groups would leave most compute units idle in calls of few elements. An item that
// takes several words of one row keeps them. H200, driver 580.159.04, 2026-11-29, us before
// and with one word: f32, 36 020 counts of 26 064 elements, each 3rd 8.5 6.1; u8 to u8, rows
// of 17 with gaps 6.1 4.6; i16, table, 300 counts of 141 066 7.0 5.6; u8 to u8 and 191 counts,
// rows of 28 with gaps 8.9 6.7; u8, 4 counts, rows of 72 9.8 7.7. But f32 to u8, 163 rows of
// 776, of which an item takes four words, 4.9 5.3. And with groups of 128 as well: u64, 5
// counts of 113 917 4.9 4.4; i16, 300 counts 5.6 5.3; but 780 counts of 634 565 f16 5.1 5.3.
// Counters that are many for a group's elements take longer to clear and to empty than the elements
// take: i8, each 2nd, 299 counts of 263 305 elements, 7.0 by 33 groups, and 45.0 with one word for
// an item, by 515 groups that have 512 elements and 4368 counters each. Counters of values did so
// only while each value was added to the counts by itself where labels are more than 256. H200,
// 2026-12-01, us before and with one word: u8, rows of 13 with gaps, 300 counts and labels of 79 573
// elements 8.7 5.5; i8, each 2nd, 25 counts of 31 620 8.8 6.3. Not measured: the limit of half of
// the units, groups of 256, FEW_COUNTS and EACH_COUNTERS.
//
// Elements that are taken one by one may be more than that, and still fill fewer than SOME_TILES tiles
// for each unit. Then an item takes SOME_ITEMS of them. H200, driver 580.159.04,
// 2026-12-01, us by 16 and by 4: u8 to u8, 18 680 rows of 28 with gaps 7.5 4.4; f16 to u8, 45 531
// rows of 15 6.4 5.0. SOME_TILES and calls with counts were not measured.
unsigned gp_words_spread_few(const gpuprim *gp, const struct classification *c,
                             unsigned work_group)
{
    enum {
        LARGE_GROUP = 1024,
        SMALL_GROUP = 256,
        FEW_COUNTS = 512,
        EACH_COUNTERS = 2,
        SOME_TILES = 2,
        SOME_ITEMS = 4
    };
    struct classify_choice *t = c->choice;
    const uint64_t elements = c->in.rows * c->in.count,
                   each = (uint64_t)gp->caps.compute_units * work_group * t->word;
    const bool are_together = t->words == WORDS_OF_ROWS && t->row_items > 1;
    // Rows with keys of their own, where words are not of one element: a classifier has the
    // programs of packed ones for two lengths alone.
    const bool are_built = gp_classify_has_row_keys(c) && t->word > 1;
    const bool are_many =
        !t->counters.of_values &&
        t->counters.bytes / sizeof(cl_uint) > EACH_COUNTERS * (uint64_t)work_group * t->word;
    if (gp->as_if_large || are_together || are_built || are_many)
        return work_group;
    if (elements >= each * t->items / 2) {
        const bool are_some =
            t->word == 1 && !c->has_counts && elements < each * t->items * SOME_TILES;
        if (are_some && t->items > SOME_ITEMS) {
            t->row_items = t->row_items > 1 ? SOME_ITEMS : 1;
            t->items = SOME_ITEMS;
        }
        return work_group;
    }
    t->items = t->row_items = 1;
    const bool are_few = c->classifier->labels <= FEW_COUNTS;
    return work_group == LARGE_GROUP && c->has_counts && are_few ? SMALL_GROUP : work_group;
}
