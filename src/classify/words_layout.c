/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_words of classify: how rows and words are divided among groups. */
#include "words.h"

enum {
    ROW_PARTS = 8, // for each group, where rows are counted together
    // WORDS_OF_ROWS: tiles of a group at least, if a half of the groups still has them: filling
    // in the tables takes as long as a tile. H200, driver 580.159.04, 2026-11-23, us without
    // and with it: i8, 210 984 rows of 340 81.0, 77.4; f16 and counts, 174 092 rows of 438 145,
    // 136; u8, 1 353 959 rows of 45 69.2, 66.5; u8, 145 227 rows of 447 67.7, 67.8. With a
    // quarter of the groups, or twice the tiles, the last took 71.9.
    LEAST_TILES = 4,
    LEAST_PART = 2,
    // WORDS_OF_ROWS: items of a row side by side, if it has the words; passes of them that are
    // wanted, so that a row's place is found once for some words, if all items that the device runs
    // at once have so many; how many more are tried; and items of a row where words have one
    // element. H100, driver 580.159.04, 2026-11-27, us by four passes that left few groups and by
    // the fewest: 1622 rows of 577 u16 14.2 7.9, 163 rows of 1192 f16 and counts 10.0 7.7.
    // docs/measurements/classify.md has the figures of large calls. More are tried only where the
    // device has no items left. H200, driver 580.159.04, 2026-12-01, us by more and by the fewest:
    // f64, 40 rows of 886 8.2 4.5; f32, 336 columns of 887 to rows 8.3 6.3.
    // Elements of 4 bytes have the fewest passes: then a group reads a row at once, and not
    // some rows part by part. H200, driver 580.159.04, 2026-11-28, us by four passes and by the
    // fewest: u32 to u8, rows of 3630 73.0 60.0; i32 to u8, rows of 713 72.7 62.9, to u32, of
    // 814 117 102; f32 to u16 and counts, rows of 854 116 93. But f16, rows of 1033 91.7 104.8,
    // i8, of 3691 49.4 57. Two calls of 8 bytes, rows of 109 and of 2561, did not change.
    LEAST_LANES = 8,
    WANTED_PASSES = 4,
    MORE_PASSES = 7,
    RUN_ITEMS = 2048, // that a compute unit runs at once
    OWN_PART =
        16384, // elements of a group, where rows have keys (kernels/classify/own_keys.cl)
};

// Items of a row side by side: so many that in few passes, but as many as are wanted, most items
// of a group have words. More passes, of which `more` are tried, must save a sixteenth of the
// items.
static uint64_t lanes_of(uint64_t row_words, uint64_t row_items, uint64_t work_group,
                         uint64_t least_lanes, uint64_t wanted, uint64_t more)
{
    const uint64_t fewest = gp_ceil_div(row_words, row_items * work_group),
                   few = gp_min(wanted, row_words / (row_items * least_lanes)),
                   least = fewest > few ? fewest : few;
    uint64_t best = 0, best_part = 0;
    for (uint64_t passes = least; passes <= least + more; passes++) {
        const uint64_t lanes = gp_ceil_div(row_words, row_items * passes);
        const uint64_t part = row_words * (work_group / lanes) * 256 / (passes * row_items) /
                              work_group; // of 256
        if (part <= best_part + (best ? 16 : 0) || (best && lanes < least_lanes))
            continue;
        best = lanes;
        best_part = part;
    }
    return best ? best : 1;
}

// Whole short rows, as many as a tile has words for.
static void lay_out_rows(const gpuprim *gp, const struct classification *c, uint64_t rows,
                         uint64_t count, uint64_t work_group, uint64_t wanted,
                         struct classify_layout *l)
{
    const struct classify_choice *t = c->choice;
    const uint64_t word = t->word;
    if (t->words == WORDS_OF_ALL) {
        // A multiple of `word` rows, so that all groups begin alike within a word.
        const uint64_t tile = work_group * t->items,
                       at_once = (tile - 1) * word / count / word * word,
                       factor = ((uint64_t)1 << 32) / count;
        l->row_factor = factor > UINT32_MAX ? UINT32_MAX : (uint32_t)factor;
        l->block_rows = (uint32_t)(at_once ? at_once : word);
    } else {
        const uint64_t row_words = gp_words_most(count, word),
                       each = rows * row_words /
                              ((uint64_t)gp->caps.compute_units * RUN_ITEMS * t->items),
                       passes = word == 1 || c->in.size == 4 ? 1 : gp_min(WANTED_PASSES, each);
        // Where the device has items left, fewer groups would leave more.
        const uint64_t more = each ? MORE_PASSES : 0,
                       least = word == 1 ? WORDS_SPREAD_LANES : LEAST_LANES;
        const uint64_t lanes =
            lanes_of(row_words, t->row_items, work_group, least, passes, more);
        l->row_words = (uint32_t)lanes;
        l->block_rows = (uint32_t)(work_group / lanes * (t->items / t->row_items));
    }
    const uint64_t most = gp_ceil_div(rows, l->block_rows);
    l->groups = wanted > most ? most : wanted;
}

// Into how many groups a row is cut that is counted by itself, or whose groups have much to
// fill in: waves of groups that run at once take the least time, where a group has START
// elements' work to begin and to end, and some for each of its counters. H200, driver
// 580.159.04, 2026-11-23, us by twice the groups that run at once and by this: 5504 counts of
// each of 36 rows of f32 96.1 87.5, 5 counts of each of 335 rows of f16 92.2 90.2.
static uint64_t parts_of(const gpuprim *gp, const struct classify_choice *t, uint64_t rows,
                         uint64_t count, uint64_t work_group)
{
    enum { MOST_PARTS = 512, START = 8192, OF_COUNTER = 4, UNIT_BYTES = 200000 };
    const uint64_t of_items = RUN_ITEMS / work_group + (work_group > RUN_ITEMS),
                   of_bytes = UNIT_BYTES / (t->local_bytes + 1024) + 1,
                   at_once = gp->caps.compute_units * gp_min(of_items, of_bytes),
                   work = START + OF_COUNTER * t->counters.bytes / sizeof(cl_uint);
    uint64_t best = 1, least = UINT64_MAX;
    for (uint64_t parts = 1; parts <= MOST_PARTS; parts++) {
        const uint64_t time = gp_ceil_div(rows * parts, at_once) * (count / parts + work);
        best = time < least ? parts : best;
        least = time < least ? time : least;
    }
    return best;
}

// Groups of one long row. Groups that follow one another read and write what lies side by side.
// Fewer groups, with more tiles each, are at more places of memory at a time, for which DRAM takes
// longer. But each has its tables to fill in, and its counters to empty. H200, driver 580.159.04,
// 2026-11-29, us by the groups of words_tuning.c and by groups of 1, 2, 3 and 4 tiles: 514 million
// f16 to u8 421 392 362 370 372, 439 million f32 to u32 912 855 857 863 877, 413 million f32 to u8
// 498 519 476 477 482. With counts, and by groups of 4, 8 and 16 tiles: 918 million f16, 1 count
// 768 646 663 689, i16, 181 counts 540 528 498 512, f16, 104 counts 511 566 530 513. LABELS_OF_TILE
// is a compromise of these three. Intervals have not been measured.
static uint64_t groups_of_row(const struct classification *c, uint64_t tiles, uint64_t tuned)
{
    enum { TILES = 3, TILES_COUNTED = 4, LABELS_OF_TILE = 16 };
    const struct gpuprim_classifier *f = c->classifier;
    const struct classify_choice *t = c->choice;
    const bool is_long = t->words == WORDS_OF_ROW && t->word > 1 && c->in.rows == 1;
    const bool has_light_tables = t->local_bytes - t->counters.bytes <= WORDS_SMALL_TABLES;
    // The lists of METHOD_LISTS take long to fill in. To go through them takes longer than memory
    // does.
    const bool has_lists = f->method == METHOD_LISTS,
               has_intervals = t->counters.form == COUNTERS_INTERVALS;
    if (!is_long || !has_light_tables || has_lists || has_intervals || !c->has_labels)
        return tuned;
    const uint64_t each = c->has_counts ? TILES_COUNTED + f->labels / LABELS_OF_TILE : TILES,
                   groups = gp_ceil_div(tiles, each);
    return groups > tuned ? groups : tuned;
}

void gp_words_lay_out(const gpuprim *gp, const struct classification *c,
                      const struct gp_variant *variant, const struct gp_program *program,
                      uint64_t rows, uint64_t count, struct classify_layout *l)
{
    (void)variant;
    const struct classify_choice *t = c->choice;
    const unsigned work_group = program->work_group;
    const uint64_t tile = (uint64_t)work_group * t->items;
    const uint64_t all = t->words == WORDS_OF_ROW ? count : rows * count;
    // Counters have so many bits, and no group has four times the elements of the others.
    const uint64_t most_counted = t->counters.form == COUNTERS_INTERVALS
                                      ? (uint64_t)work_group << 14
                                      : (uint64_t)1 << (t->counters.label_shift - 2),
                   least = gp_ceil_div(all, most_counted);
    // A group for each unit, of 1024 items, is enough to keep it busy.
    const uint64_t units = gp_ceil_div((uint64_t)gp->caps.compute_units * 1024, work_group);
    uint64_t wanted =
        groups_of_row(c, gp_ceil_div(all, tile * t->word),
                      (uint64_t)gp->caps.compute_units * t->items_per_unit / work_group);
    if (!c->counts_rows)
        wanted = gp_classify_groups(c, rows * count, wanted, units);
    if (t->words == WORDS_OF_ROWS) {
        const uint64_t few = wanted / LEAST_PART,
                       worth = gp_ceil_div(all, tile * t->word) / LEAST_TILES;
        wanted = gp_min(wanted, worth > few ? worth : few);
    }
    if (t->words == WORDS_OF_ROW) {
        const uint64_t most = gp_ceil_div(count, tile * t->word), enough = wanted;
        const bool has_much_to_fill = t->keys.form == OWN_RANKS || t->keys.form == OWN_CELLS;
        // Rows that are counted together are cut into more parts than there are groups, so that
        // all groups get about as many. Elsewhere a part is a group. There are more than run at
        // once, of which the last end at about the same time, unless each has many counters to
        // empty.
        if (rows > 1)
            wanted = gp_words_are_together(c) ? gp_ceil_div(ROW_PARTS * wanted, rows)
                     : c->counts_rows || has_much_to_fill
                         ? parts_of(gp, t, rows, count, work_group)
                     : t->counters.bytes < WORDS_MANY ? gp_ceil_div(2 * wanted, rows)
                                                      : wanted / rows;
        if (has_much_to_fill)
            wanted =
                gp_min(wanted, count / (RANKED_PART + RANKED_KEY * (uint64_t)c->classifier->n));
        else if (c->classifier->rows > 1 && wanted < count / OWN_PART)
            wanted = count / OWN_PART;
        wanted = wanted > most ? most : wanted ? wanted : 1;
        l->segment_groups = wanted < least ? least : wanted;
        l->segment = l->groups = l->segment_groups * rows;
        const uint64_t fewest = gp_ceil_div(rows * count, most_counted);
        if (gp_words_are_together(c) && l->groups > enough)
            l->groups = enough > fewest ? enough : fewest;
    } else {
        lay_out_rows(gp, c, rows, count, work_group, wanted < least ? least : wanted, l);
    }
    l->local_first = t->local_first;
    l->local_words = t->local_words;
    l->local_bytes = t->local_bytes;
}
