/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_tiles of classify: how large tiles are, how many, and what local memory they leave to their
 * rows. tile_items.c has what an item takes of them, gpu_tiles.c the groups. */
#include "tiles.h"

enum {
    WIDE_LINE = 512, // bytes, where rows have few counters and labels are not turned
};

bool gp_tiles_are_of_rows(const struct classification *c)
{
    return gp_classify_has_row_keys(c) || gp_classify_has_row_counts(c);
}

// Padded lines have a word more for each 32: lines of a piece may be shorter than those of the call, and have an
// odd number of words.
uint64_t gp_tiles_label_words(const struct classification *c, uint64_t depth)
{
    const uint64_t words = gp_ceil_div(depth, 4 / (c->has_labels ? c->labels.size : 4));
    const bool is_padded = gp_tiles_turned(c, c->choice->items) & TURNED_PADDED;
    return (words + is_padded) | 1;
}

uint64_t gp_tiles_room(const gpuprim *gp, const struct classification *c, unsigned items,
                       uint64_t *table_bytes)
{
    const uint64_t taken = gp_tiles_turned_bytes(c, items) + sizeof(cl_ulong),
                   local = gp_classify_local_room(gp), room = local - gp_min(local, taken);
    *table_bytes = gp_classify_local_tables(c->classifier, COUNTED_BESIDE, room);
    const uint64_t counters = gp_tiles_counter_bytes(c), rows = gp_tiles_sector_rows(c),
                   least = counters * gp_tiles_least_rows(c);
    const bool has_counters = gp_classify_is_by_columns(&c->in) && counters && least <= room,
               is_part = *table_bytes < gp_classify_table_bytes(c->classifier),
               lacks_counters = room - *table_bytes < least;
    // A part of a table takes what counters of the columns of a sector leave. So does a table that
    // leaves no room for counters, unless gpu_turned may make rows of these columns.
    if (has_counters && (is_part || (lacks_counters && !gp_may_turn_columns(c))))
        *table_bytes = gp_classify_local_tables(
            c->classifier, COUNTED_NOT, room - counters * gp_min(rows, room / counters));
    return room - *table_bytes;
}

uint64_t gp_tiles_rows(const gpuprim *gp, const struct classification *c)
{
    struct classify_choice choice = { .items = gp_tiles_items(c) };
    struct classification call = *c;
    struct tiles_rows parts;
    uint64_t table_bytes;
    call.choice = &choice;
    gp_tiles_choose_rows(&call, gp_tiles_room(gp, c, choice.items, &table_bytes), &parts);
    return gp_classify_has_row_counts(c) && !parts.counters ? 0 : choice.tile_rows;
}

// Makes a tile of one pass larger, as far as there is room for its labels: deeper, or, where that
// is all there is or rows are its own, wider.
static void add_passes(const struct classification *c, uint64_t along, uint64_t across,
                       struct tiles_cut *cut)
{
    const unsigned items = c->choice->items;
    const uint64_t room = gp_tiles_turned_bytes(c, items) / sizeof(cl_uint) - 2 * TURNED_BESIDE;
    const bool by_columns = gp_classify_is_by_columns(&c->in),
               of_rows = gp_tiles_are_of_rows(c);
    for (unsigned passes = gp_tiles_passes(c, items); passes > 1; passes--) {
        const uint64_t most = gp_ceil_div(across, cut->depth),
                       down = of_rows && !by_columns ? 1 : gp_min(passes, most),
                       beside = of_rows && by_columns ? 1 : passes / down;
        const uint64_t depth = gp_min(cut->depth * down, across),
                       width = gp_min(cut->width * beside, along);
        if (width * gp_tiles_label_words(c, depth) > room)
            continue;
        cut->depth = depth;
        cut->width = width;
        return;
    }
}

// Elements of the input along a tile of one pass: half as many where lines of labels would be
// short otherwise. H200, driver 580.159.04, 2026-11-23, us by all and by half: f16 to u16, 1448
// keys, rows of 3105 to columns 134.8, 123.7; 44 419 keys, 5666 columns to rows 340, 322; f32, 5
// counts of each row of 340 200, 181; u16, 23 counts of each row of 36 549 244, 241; but i16 rows
// to columns of u8 207, 214.
static uint64_t line_of(const struct classification *c)
{
    const uint64_t line = gp_tiles_line(c);
    const bool of_rows = gp_classify_has_row_counts(c) && !gp_classify_is_by_columns(&c->in);
    return gp_tiles_are_turned(c) && (of_rows || (c->in.size <= 2 && c->labels.size > 1))
               ? line / 2
               : line;
}

// Rows of a tile: where rows become columns, and their counters or keys let a tile have some,
// whole words of labels, unless a quarter would be lost: a line's ends are half as many steps
// then where these are units, too (kernels/classify/turned.cl), and no item has a part of its
// rows alone. H100, driver 580.159.04, 2026-11-27, with SHORT_LINE (tile_items.c) and
// even_parts() (gpu_tiles.c), us before and after: i64, 25 counts of each row, pitched columns,
// 136 116.
static uint64_t rows_of_tile(const struct classification *c, uint64_t rows)
{
    const struct classify_choice *t = c->choice;
    const uint64_t most = gp_min(rows, t->tile_rows);
    const bool is_less = !gp_classify_is_by_columns(&c->in) && gp_tiles_are_turned(c) &&
                         most < rows && most >= 3 * t->items;
    return is_less ? most - most % t->items : most;
}

// Cuts a call, or a piece of it, into tiles.
struct tiles_cut gp_tiles_cut(const struct classification *c, uint64_t work_group,
                              uint64_t rows, uint64_t count)
{
    const struct classify_choice *t = c->choice;
    const bool by_columns = gp_classify_is_by_columns(&c->in), turned = gp_tiles_are_turned(c);
    const uint64_t most_rows = rows_of_tile(c, rows), along = by_columns ? rows : count,
                   across = by_columns ? count : most_rows,
                   deep = gp_ceil_div(across, t->items);
    // Where a tile cannot be deep, it is wide, so that items have work.
    uint64_t width = line_of(c);
    if (by_columns && !turned && t->row_bytes)
        while (2 * width * c->in.size <= WIDE_LINE && 2 * width * t->row_bytes <= TILE_SMALL)
            width *= 2;
    if (width < work_group / deep)
        width = work_group / deep;
    width = gp_min(width, work_group);
    width = gp_even_part(along, by_columns ? gp_min(width, most_rows) : width);
    struct tiles_cut cut = { .items = width,
                             .width = width,
                             .depth = gp_min(work_group / width * t->items, across) };
    if (turned)
        add_passes(c, along, across, &cut);
    cut.along = gp_ceil_div(along, cut.width);
    cut.across = gp_ceil_div(by_columns ? count : rows, cut.depth);
    return cut;
}

// Keys and counters of neighbouring columns side by side (kernels/classify/line_keys.cl). H200, driver
// 580.159.04, 2026-12-01, us before and so: f16, 39 keys of each of 24 668 pitched columns, counts of
// all 783, 617; 11 keys of each of 2977 1292, 1194; 34 counts of each of 4673 columns of u16 420, 377;
// 2 of each of 36 136 of u8 353, 320; f16, 354 of each of 3074, by 16 columns instead of 23 583, 378;
// but 5 counts of each of 7440 columns of i16 345, 360. Of keys 16 columns lost: f32, 488 keys of each
// of 67 1036, 1538. Cells beside 49 to 384 keys of 4 bytes, which were there before, were not compared.
void gp_tiles_line_up(const struct classification *c, struct tiles_rows *parts)
{
    enum { LEAST_LINE_OF_KEYS = 32, LEAST_LINE = 16 };
    struct classify_choice *t = c->choice;
    const unsigned least = parts->keys ? LEAST_LINE_OF_KEYS : LEAST_LINE;
    t->line_rows = 0;
    if (!gp_classify_is_by_columns(&c->in) || parts->cells || !t->row_bytes ||
        (parts->counters && gp_tiles_count_in_shorts(c)) ||
        (gp_classify_has_row_keys(c) && !parts->keys))
        return;
    const struct gpuprim_classifier *f = c->classifier;
    const uint64_t width =
        gp_tiles_cut(c, gp_tiles_work_group(c), c->in.rows, c->in.count).width;
    unsigned line = least;
    while (line < width && 2 * line <= t->tile_rows)
        line *= 2;
    // Lines of keys that make a tile much narrower lost in the one call that was measured.
    const bool is_narrower = parts->keys && 4 * line < 3 * gp_min(width, t->tile_rows);
    if (line > t->tile_rows || width <= least / 2 || is_narrower)
        return;
    t->line_rows = line;
    t->tile_rows = line;
    t->row_bytes = (parts->keys ? f->n * gp_key_size(c->in.type) : 0) +
                   (parts->counters ? f->labels * sizeof(cl_uint) : 0);
}
