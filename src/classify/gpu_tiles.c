/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_tiles of classify: tiles of rows and elements on GPUs, for labels that lie
 * by columns where the input lies by rows, or the other way round, and for rows that are
 * interleaved or short and have counts or keys of their own: which calls it takes, and how many
 * groups there are. tile_cut.c cuts tiles, tile_items.c has what an item takes, tile_rows.c
 * what a group has of its rows. The kernel is kernels/classify/gpu_tiles.cl. */
#include "tiles.h"
#include "words.h"

#include <stdio.h>

enum {
    // Work-items of the launch for each compute unit: with at most TILE_SMALL bytes of local memory
    // to fill and empty, and with more.
    PER_UNIT = 16384,
    PER_UNIT_LARGE = 4096,
    // With MANY bytes of counters of all rows. Own counters had so few until 2026-12-01: H200, driver
    // 580.159.04, us by 1024, 2048 and 4096: f16, 354 counts of each of 3074 columns 574,
    // 414, 352; 1683 of each of 632 927, 770, 726; i64, 490 and labels of 47 843, 809, 782; u16, 34 of
    // each of 4673 377, 328, 333.
    PER_UNIT_MANY = 1024,
    // Copies of counters of values, at most. More take the room of other groups. H200, driver
    // 580.159.04, 2026-11-23, us by 16 and 4: u8, 9 counts, 803 columns to rows of u8 labels 186,
    // 176; i8, 110 counts, 1022 columns 179, 161.
    VALUE_COPIES = 4,
    LONG_ROW = 4096,  // rows whose elements gpu_words reads as well
    LINES_COUNT = 64, // elements of a row, at most (are_lines_of_words())
};

static bool fits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    return c->in.rows > 1 && c->in.count > 1 &&
           (gp_tiles_are_of_rows(c) || gp_tiles_are_turned(c)) &&
           gp_tiles_turned_bytes(c, gp_tiles_items(c)) + sizeof(cl_ulong) <=
               gp_classify_local_room(gp);
}

// Whether a call is so small that labels which leave one by one stay in the caches, while
// groups that fill in the keys of several rows take longer than their elements. H200, driver
// 580.159.04, 2026-11-23, 15 rows of 10 411 i16, 276 keys of each, u16 labels by columns: 13.9
// us, by gpu_words 8.6.
static bool is_small(const struct classification *c)
{
    return c->in.rows * c->in.count <= (uint64_t)1 << 20;
}

static struct classify_counters shared_counters(const struct classification *c, uint64_t room)
{
    const struct gpuprim_classifier *f = c->classifier;
    const struct classify_counters direct = { .form = COUNTERS_DIRECT, .label_shift = 32 };
    if (!c->has_counts || c->counts_rows)
        return direct;
    if (f->rows == 1 || c->in.size > 1) {
        struct classify_counters counters = gp_classify_counters(f, room, UINT64_MAX);
        gp_classify_limit_copies(&counters, VALUE_COPIES, TILE_MANY);
        return counters;
    }
    // Counters of values would have to have one label for each value.
    const struct classify_counters words = { .form = COUNTERS_WORDS,
                                             .copies = 1,
                                             .label_shift = 32,
                                             .bytes = (f->labels + 2) * sizeof(cl_uint) };
    return words.bytes <= room ? words : direct;
}

// Whether counters of a tile's rows are too many for local memory, while those of one row are
// not: gpu_words has them, if it has room for them beside the row's keys. H200, driver 580.159,
// 2026-11-22: two interleaved rows of 46 587 635 f32, 9055 counts of each, most elements in few
// classes, took 34 ms by additions in global memory. Without gpu_words, H100, driver
// 580.159.04, 2026-11-27, 24 interleaved rows of 6 981 586 i16, 27 213 keys and 27 214 counts
// of each: 14.4 ms by baseline, 4.5 ms by tiles. Since then gpu_words has their ranks: 2.2 ms.
static bool lacks_counters(const struct classification *c, uint64_t room, uint64_t keys)
{
    const uint64_t counters = gp_tiles_counter_bytes(c) * gp_tiles_least_rows(c);
    if (counters)
        return counters + keys > room;
    return keys && c->has_counts &&
           (keys > room || shared_counters(c, room - keys).form == COUNTERS_DIRECT);
}

// Whether columns have few elements of each of many keys of their own, which gpu_words has to make cells
// of. Near columns of this kind were not measured. They stay here.
static bool are_short_columns(const struct classification *c)
{
    enum { ELEMENTS_OF_KEY = 16 };
    const struct words_keys own = gp_words_keys(c);
    return gp_classify_is_by_columns(&c->in) && own.form == OWN_CELLS && own.apart &&
           c->in.count < (uint64_t)c->classifier->n * ELEMENTS_OF_KEY;
}

// Whether gpu_words should take the call because a tile lacks room. Keys of near rows take room,
// too; far rows are left to tiles, which then read keys through the caches. H200, driver
// 580.159.04, 2026-11-30, channels, us by tiles and by gpu_words: f16, 2911 keys of each of 6, 2912
// counts of all 19 042 691; f32, 45 317 keys of each of 2 2898 1495; f16, 44 680 keys of each of
// 2, counts of all 2922 1339. Beside counts of all tiles have no room for cells: f32, 3532 keys of
// each of 3 1085 500; i32, 3740 keys of each of 5 1377 794. But where few elements lie between
// keys, u32, 22 761 keys and counts of each of 6 1036 1822; f16, 37 695 keys of each of 5 2330
// 4144.
static bool lacks_room(const gpuprim *gp, const struct classification *c)
{
    const bool is_near = gp_tiles_are_near(c);
    const struct words_keys own = gp_words_keys(c);
    const uint64_t room = gp_classify_local_room(gp), least = gp_tiles_least_rows(c),
                   keys = is_near ? gp_tiles_key_bytes(c) * least : 0;
    if ((gp_tiles_are_turned(c) && !is_near) || c->in.count < LONG_ROW || own.bytes > room)
        return false;
    if (are_short_columns(c))
        return false;
    if (c->has_counts &&
        gp_classify_counters(c->classifier, room - own.bytes, c->in.count).form ==
            COUNTERS_DIRECT)
        return false;
    const bool counts_all = c->has_counts && !c->counts_rows,
               lacks_cells = is_near && own.form == OWN_CELLS && counts_all &&
                             own.bytes * least + c->classifier->labels * sizeof(cl_uint) > room;
    const uint64_t labels = // on their way
        gp_tiles_turned_bytes(c, gp_tiles_items(c)) + sizeof(cl_ulong);
    return keys > room || lacks_cells || lacks_counters(c, room - gp_min(room, labels), keys);
}

struct classify_counters gp_tiles_counters(const gpuprim *gp, const struct classification *c)
{
    const uint64_t taken = gp_tiles_turned_bytes(c, gp_tiles_items(c)) + sizeof(cl_ulong),
                   local = gp_classify_local_room(gp), room = local > taken ? local - taken : 0;
    return shared_counters(
        c, room - gp_classify_local_tables(c->classifier, COUNTED_BESIDE, room));
}

// Whether a tile's labels on their way leave room for counters of few bits alone, which
// overflow often, where gpu_words could read the same rows. H200, driver 580.159.04,
// 2026-11-23, 197 rows of 307 356 i16 with gaps, u16 labels by columns, 27 953 counts: 361 us,
// by smaller tiles with counters of more bits 427, by gpu_words 282. 2026-11-29, 3 channels of
// 291 508 903 u16 to rows of u16 labels, 64 339 counts: counters of 2 bits 21.3 ms, by gpu_words,
// whose counters have 5, 2.0. Columns that are not near have not been measured.
static bool crowds_counters(const gpuprim *gp, const struct classification *c)
{
    const struct classify_counters counters = gp_tiles_counters(gp, c);
    const bool are_read = !gp_classify_is_by_columns(&c->in) || gp_tiles_are_near(c);
    return gp_tiles_are_turned(c) && are_read && c->in.count >= LONG_ROW &&
           counters.form == COUNTERS_FIELDS && counters.fields > 4 && !are_short_columns(c) &&
           gp_classify_gpu_words.fits(gp, c);
}

// Whether gpu_words, whose groups take WORDS_OF_ALL of short rows, reads whole lines of columns
// although neighbouring items read across them: elements of 8 bytes of 32 rows are two lines.
// Where elements are not counted, tiles load the next one meanwhile (tile_items.c); that was
// not compared. H100, driver 580.159.04, 2026-11-27, 36 rows of 641 846 i64 to columns of u16
// labels, 273 counts: 117 us, by gpu_words 96. The limits have not been measured.
static bool are_lines_of_words(const struct classification *c)
{
    return c->has_counts && !gp_tiles_are_of_rows(c) && gp_classify_is_by_columns(&c->in) &&
           gp_abs(c->in.row_stride) == 1 && c->in.size == 8 && c->in.count <= LINES_COUNT &&
           gp_words_kind(c) == WORDS_OF_ALL;
}

// Whether a few long rows become channels whose labels share a sector of memory, and a tile has
// room for the counters of some of the rows alone, so that its labels are a part of each
// sector. H200, driver 580.159.04, 2026-11-29, 6 rows of 6 109 856 u32, 2569 keys, u16 labels
// and 2570 counts of each: 579 us, by gpu_words 372. More rows have not been measured.
static bool splits_sectors(const gpuprim *gp, const struct classification *c)
{
    enum { SECTOR = 32 };
    return gp_classify_has_row_counts(c) && gp_tiles_are_turned(c) &&
           !gp_classify_is_by_columns(&c->in) && c->in.count >= LONG_ROW &&
           gp_abs(c->labels.row_stride) == 1 && c->in.rows * c->labels.size <= SECTOR &&
           gp_tiles_counter_bytes(c) * c->in.rows > gp_classify_local_room(gp) &&
           gp_classify_gpu_words.fits(gp, c);
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    if (gp->caps.is_cpu || lacks_room(gp, c))
        return false;
    if (gp_classify_has_row_keys(c) && is_small(c) && c->in.count >= LONG_ROW &&
        !gp_classify_is_by_columns(&c->in) && gp_classify_gpu_words.fits(gp, c))
        return false;
    if (crowds_counters(gp, c) || splits_sectors(gp, c) || are_lines_of_words(c))
        return false;
    // Long rows whose keys have no room in local memory: H200, driver 580.159.04, 2026-11-28,
    // f32, 22 294 keys of each of 7 rows, 22 295 counts of all, 715 us, by baseline 2362.
    return gp_tiles_are_turned(c) || gp_classify_is_by_columns(&c->in) ||
           !gp_words_are_long(c) || !gp_classify_gpu_words.fits(gp, c);
}

// Words of the fields in which an item counts its elements of a row; 0 where labels are many.
static unsigned fields_of(uint64_t labels)
{
    return labels <= TILE_WORD_COUNTS ? 1 : labels <= TILE_ITEM_COUNTS ? 2 : 0;
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    const struct gpuprim_classifier *f = c->classifier;
    struct classify_choice *t = c->choice;
    const bool by_columns = gp_classify_is_by_columns(&c->in);
    struct tiles_rows parts;
    t->items = gp_tiles_items(c);
    uint64_t table_bytes;
    const uint64_t room = gp_tiles_room(gp, c, t->items, &table_bytes);
    gp_tiles_choose_rows(c, room, &parts);
    gp_tiles_line_up(c, &parts);
    const uint64_t row_room = t->row_bytes ? t->row_bytes * t->tile_rows : 0;
    t->counters = shared_counters(c, room > row_room ? room - row_room : 0);
    gp_tiles_add_starts(c, room, &parts);
    // Elements that are only counted need no map. H200, driver 580.159.04, 2026-11-30, f16, 354
    // counts of each of 3074 columns, us by the map and an even number of counters for each column,
    // and by classes and ROW_COUNTERS: 681, 577.
    t->counters.of_classes =
        parts.counters && !c->has_labels && gp_classify_has_counted_classes(f);
    const uint64_t across = by_columns ? c->in.count : gp_min(t->tile_rows, c->in.rows);
    if (f->rows == 1)
        t->counters.label_shift = gp_classify_label_shift(c);
    if (gp_tiles_are_turned(c)) // no element of an item is beyond the last line
        t->items = (unsigned)gp_min(t->items, across);
    while (!by_columns && t->items > 1 && t->items > across)
        t->items /= 2;
    t->local_first = gp_classify_first_local(f, table_bytes);
    t->local_words = table_bytes / sizeof(cl_uint);
    t->local_bytes = table_bytes + t->counters.bytes;
    key->work_group = gp_tiles_work_group(c);
    const struct tiles_cut cut = gp_tiles_cut(c, key->work_group, c->in.rows, c->in.count);
    t->tiles_along =
        gp_tiles_are_of_rows(c) ? by_columns : c->has_counts || cut.along <= cut.across;
    t->zeroes = gp_classify_zeroes(gp, c);
    t->counts_in_rows = parts.counters && !t->counters.of_classes; // several may have one label
    gp_classify_define_local(key, c, t);
    gp_define(key, "ITEMS", t->items);
    gp_define(key, "ROWS_ALONG", by_columns);
    gp_define(key, "TURNED", gp_tiles_turned(c, t->items));
    gp_define(key, "TILES_ALONG", t->tiles_along);
    gp_define(key, "LOADS_AHEAD", gp_tiles_load_ahead(c));
    gp_define(key, "ROW_COUNTS", !gp_classify_has_row_counts(c) ? 0 : parts.counters ? 1 : 2);
    t->short_counters = parts.counters && gp_tiles_count_in_shorts(c);
    gp_define(key, "SHORT_COUNTERS", t->short_counters);
    gp_define(key, "FEW_COUNTS", parts.counters && by_columns ? fields_of(f->labels) : 0);
    gp_define(key, "ROW_KEYS", gp_classify_has_row_keys(c));
    gp_define(key, "LINE_ROWS", t->line_rows);
    if (!gp_classify_has_row_keys(c))
        return;
    gp_define(key, "KEYS_LOCAL", parts.keys);
    gp_define(key, "KEYS_EVEN", f->are_even_rows);
    gp_define(key, "KEYS_HELD", parts.keys && !parts.cells && gp_tiles_hold_keys(c));
    gp_classify_define_cells(key, f, parts.cells, parts.merge, 0);
}

// Parts of a line of tiles: as few as have no more tiles each, where there are many groups
// anyway. 39 parts of 50 tiles have two tiles at most, and so have 25, which fill and empty
// less.
static uint64_t even_parts(const gpuprim *gp, uint64_t parts, uint64_t tiles, uint64_t lines)
{
    enum { MANY_GROUPS = 16 }; // for each compute unit: twice what it runs at once
    const uint64_t even = parts ? gp_even_part(tiles, parts) : 0;
    return even * lines >= (uint64_t)MANY_GROUPS * gp->caps.compute_units ? even : parts;
}

// How many groups share a line of tiles: so many that units are busy, but not so many that filling and
// emptying the table takes longer than the elements, and no tile is left without a group.
static uint64_t parts_of_rows(const gpuprim *gp, const struct classify_choice *t,
                              const struct classify_layout *l, uint64_t count)
{
    const uint64_t lines = l->segment_groups, tiles = l->segment / lines,
                   work = gp_ceil_div(count, 1 + 8 * t->row_bytes / sizeof(cl_uint)),
                   idle = gp_ceil_div(2 * gp->caps.compute_units, lines),
                   most = gp_min(tiles, work > idle ? work : idle),
                   parts = even_parts(gp, gp_min(l->groups / lines, most), tiles, lines);
    // A counter of 16 bits overflows if a group has more tiles.
    const uint64_t fewest =
        t->short_counters ? gp_ceil_div(tiles, MOST_SHORT_COUNT / l->block_count) : 1;
    return parts > fewest ? parts : fewest;
}

static void lay_out(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *l)
{
    (void)variant;
    const struct classify_choice *t = c->choice;
    const bool by_columns = gp_classify_is_by_columns(&c->in), turned = gp_tiles_are_turned(c);
    // Larger groups than the tuned ones would have more labels than their local memory has
    // room.
    const uint64_t work_group = gp_min(program->work_group, gp_tiles_work_group(c));
    const struct tiles_cut cut = gp_tiles_cut(c, work_group, rows, count);
    l->row_factor = (uint32_t)cut.items;
    l->row_words = (uint32_t)gp_tiles_label_words(c, cut.depth);
    l->block_rows = (uint32_t)(by_columns ? cut.width : cut.depth);
    l->block_count = (uint32_t)(by_columns ? cut.depth : cut.width);
    l->segment = cut.along * cut.across;
    l->segment_groups = t->tiles_along ? cut.along : cut.across;
    const uint64_t table_rows = t->line_rows ? t->line_rows : l->block_rows,
                   local_bytes = t->local_bytes + t->row_bytes * table_rows;
    const bool are_large =
        local_bytes > TILE_SMALL || (turned && c->has_counts && !c->counts_rows);
    const unsigned per_unit = t->counters.bytes >= TILE_MANY ? PER_UNIT_MANY
                              : are_large                    ? PER_UNIT_LARGE
                                                             : PER_UNIT;
    const uint64_t wanted = (uint64_t)gp->caps.compute_units * per_unit / work_group;
    // Counters have so many bits, and no group has four times the elements of the others.
    const uint64_t least =
        gp_ceil_div(rows * count, (uint64_t)1 << (t->counters.label_shift - 2));
    l->groups = gp_min(wanted > least ? wanted : least, l->segment);
    if (gp_tiles_are_of_rows(c)) { // groups of the same rows
        const uint64_t parts = parts_of_rows(gp, t, l, count);
        l->groups = l->segment_groups * parts;
        l->stores = parts <= 1 && gp_classify_has_row_counts(c) && t->counts_in_rows;
    }
    l->local_first = t->local_first;
    l->local_words = t->local_words;
    l->local_bytes =
        local_bytes + (turned ? (cut.width * l->row_words + 2 * TURNED_BESIDE) * 4 : 0);
}

static int describe(const struct gpuprim_classifier *f, char *text, size_t size)
{
    // Cells and places of values, which depend on the call, take fewer halvings.
    if (f->method == METHOD_SEARCH && f->rows > 1)
        return snprintf(text, size, "the row's keys halved, %u times at most",
                        gp_classify_levels(f->n));
    return gp_classify_describe_method(f, f->index.method, text, size);
}

static const struct classify_ops ops = { specialise, lay_out, describe };

const struct gp_variant gp_classify_gpu_tiles = {
    .name = "gpu_tiles",
    .fits = fits,
    .suits = suits,
    .sources = CLASSIFY_GPU_SOURCES(
        "classify/row_keys.cl", "classify/row_places.cl", "classify/held_keys.cl",
        "classify/line_keys.cl", "classify/label.cl", CLASSIFY_COUNTER_SOURCES,
        "classify/turned.cl", "classify/tile_lines.cl", "classify/tile_counts.cl",
        "classify/tile_part.cl", "classify/gpu_tiles.cl"),
    .ops = &ops
};
