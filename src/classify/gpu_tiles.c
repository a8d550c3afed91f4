/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_tiles of classify: tiles of rows and elements on GPUs, for labels that lie
 * by columns where the input lies by rows, or the other way round, and for rows that are
 * interleaved or short and have counts or keys of their own. The kernel is
 * kernels/classify/gpu_tiles.cl. */
#include "classify.h"

// H200, driver 580.159.04, 2026-11-23, us of calls of the map, with 16 items of 4 bytes in
// flight: a: i32, 9 counts of each of 34 870 columns; b: i64, 5 counts of each of 568 columns;
// c: i32, 199 counts of each of 11 752 columns; d: i16, a table, 174 counts of each of 37
// columns; e: u8 columns to rows of labels; f: f16 columns to rows.
//                               a    b    c    d    e    f
//     256, LINE 128, 64        230  282  142  413  256  164
//     WORK_GROUP 128           169  282  217  583  261  182
//     WORK_GROUP 512           212  309  122  302  311  266
//     LINE 64                  239  392  137  413  256  161
//     LINE 256, 128 items      229  213  159  415  291  164
//     PER_UNIT 4096, 2048      215  345  141  407  314  164
//     PER_UNIT 65536, 16384    287  209  142  445  234  166
// LONG_ROW has not been measured.
enum {
    WORK_GROUP = 256,
    WORK_GROUP_MANY = 512,  // with MANY bytes of counters, or of a tile's counters and tables
    WORK_GROUP_LARGE = 512, // for long lines of labels
    LINE = 128,             // bytes of the input that a tile has along it
    LINE_ITEMS = 64,        // and elements, at most
    WIDE_LINE = 512,        // bytes, where rows have few counters and labels are not turned
    // Work-items of the launch for each compute unit: with at most SMALL bytes of local memory
    // to fill and empty, and with more.
    PER_UNIT = 16384,
    PER_UNIT_LARGE = 4096,
    PER_UNIT_MANY = 1024, // with MANY bytes of counters of a group
    SMALL = 8192,
    MANY = 16000,
    ENOUGH_FIELDS = 5, // more than so many are of few bits
    WIDE = 16,         // lines from which on neighbouring items read neighbours
    LARGE_BITS = 22,
    LONG_ROW = 4096, // gpu_words takes longer rows whose elements are neighbours
};

static bool has_row_keys(const struct classification *c)
{
    return c->classifier->rows > 1;
}

// Also where a row has 0 counts.
static bool has_row_counts(const struct classification *c)
{
    return c->has_counts && c->counts_rows;
}

static bool is_of_rows(const struct classification *c)
{
    return has_row_keys(c) || has_row_counts(c);
}

static bool is_turned(const struct classification *c)
{
    return c->has_labels &&
           gp_classify_is_by_columns(&c->in) != gp_classify_is_by_columns(&c->labels);
}

// Whether a tile of turned labels is wide, and there are so many that all groups get some.
static bool is_large(const struct classification *c)
{
    const uint64_t along = gp_classify_is_by_columns(&c->in) ? c->in.rows : c->in.count;
    return is_turned(c) && !c->has_counts && !has_row_keys(c) && along >= WIDE &&
           c->in.rows * c->in.count >= (uint64_t)1 << LARGE_BITS;
}

// Elements that an item has in flight. H200, driver 580.159, 2026-11-22, us by 8, 16 and 32 (of
// 64 bits or with labels of 32 bits by 4, 8 and 16), groups of 256:
//     i8 columns to rows of u8 labels   139, 114, 111     f16 rows to columns of u8  310, 240, 227
//     f32 columns to rows of u16        115, 117, 122     f64 rows to columns of u8  192, 169, 199
//     u8 to u8, 3 counts                326, 263, 316     u16, 33 counts of each row 175, 175, 227
//     u32, 1713 keys of each row        596, 787, 778     f64, 1798 keys of each row 287, 260, 393
// 2026-11-23, by 8 and 16: i32, 9 counts of each row 158, 219; f32 rows to columns of u8, 108
// counts 236, 249; f32 columns of 1000 to rows of u8 698, 629, by 32 533 with what else changed
// then. Since turned labels leave by 16 bytes, groups / elements, us: i16 rows of 96 to columns
// of u8 256/32 245, 512/16 252, 512/32 199 (lines of labels of 160, 160 and 320 bytes), f16, 3
// channels to rows of u16 256/32 293 (by 96 registers), 256/16 194, 512/16 206, 512/32 510;
// u32, 97 rows to columns of u16 156, 512/16 170, 512/32 157; i32 columns to rows of u8 69,
// 512/16 75; u8, 5 channels to rows, 1.2 million elements, 256/32 and 256/16 0.77 and 0.82 of
// the bound, rows to 5 columns 0.72 and 0.75; f32 by 12 comparisons, rows of 77 to columns of
// u8, 512/16 179, 512/32 201. With 32 elements that are searched f32 takes 79 registers: 134
// columns to rows, 12 bins, 236 instead of 223 before.
static unsigned items_of(const struct classification *c)
{
    const bool are_wide = c->in.size == 8 || (c->has_labels && c->labels.size == 4);
    if (has_row_keys(c) && c->in.size < 8)
        return 4;
    if (are_wide || (c->in.size == 4 && c->has_counts))
        return 8;
    const bool takes_registers =
        c->in.type == GPUPRIM_F32 && c->classifier->method == METHOD_SEARCH;
    return is_large(c) && !takes_registers ? 32 : 16;
}

static unsigned work_group_of(const struct classification *c)
{
    const uint64_t shared = c->has_counts && !c->counts_rows ? c->classifier->labels : 0;
    uint64_t bytes = shared * sizeof(cl_uint);
    if (has_row_counts(c) && !is_turned(c)) {
        const uint64_t rows = gp_min(gp_min(LINE / c->in.size, LINE_ITEMS), c->in.rows);
        bytes = rows * c->classifier->labels * sizeof(cl_uint) +
                gp_classify_table_bytes(c->classifier);
    }
    if (is_large(c) && c->labels.size == 1)
        return WORK_GROUP_LARGE;
    return bytes >= MANY ? WORK_GROUP_MANY : WORK_GROUP;
}

// Local memory of a tile's labels, on their way to other neighbours: lines of whole words.
static uint64_t turned_bytes(const struct classification *c, unsigned items)
{
    const uint64_t work_group = work_group_of(c);
    return is_turned(c) ? work_group * items * c->labels.size + work_group * 16 : 0;
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    return c->in.rows > 1 && c->in.count > 1 && (is_of_rows(c) || is_turned(c)) &&
           turned_bytes(c, items_of(c)) + sizeof(cl_ulong) <= gp_classify_local_room(gp);
}

// Bytes of a row's own counters, and of its keys.
static uint64_t counter_bytes(const struct classification *c)
{
    return has_row_counts(c) ? c->classifier->labels * sizeof(cl_uint) : 0;
}

static uint64_t key_bytes(const struct classification *c)
{
    return has_row_keys(c) ? (c->classifier->n | 1) * gp_key_size(c->in.type) : 0;
}

// Rows of a tile that are worth it: a quarter of a sector of memory, or some rows for an item.
static uint64_t least_rows(const struct classification *c)
{
    const uint64_t least = gp_classify_is_by_columns(&c->in) ? 8 / c->in.size : 2;
    return gp_min(c->in.rows, least ? least : 1);
}

// Whether counters of a tile's rows are too many for local memory, while those of one row are
// not: gpu_words has them. H200, driver 580.159, 2026-11-22: two interleaved rows of 46 587 635
// f32, 9055 counts of each, most elements in few classes, took 34 ms by additions in global
// memory.
static bool lacks_room(const gpuprim *gp, const struct classification *c)
{
    const uint64_t room = gp_classify_local_room(gp);
    return counter_bytes(c) * least_rows(c) > room && c->in.count >= LONG_ROW &&
           gp_classify_counters(c->classifier, room, c->in.count).form != COUNTERS_DIRECT;
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
    if (f->rows == 1 || c->in.size > 1)
        return gp_classify_counters(f, room, UINT64_MAX);
    // Counters of values would have to have one label for each value.
    const struct classify_counters words = { .form = COUNTERS_WORDS,
                                             .copies = 1,
                                             .label_shift = 32,
                                             .bytes = (f->labels + 2) * sizeof(cl_uint) };
    return words.bytes <= room ? words : direct;
}

// Whether a tile's labels on their way leave room for counters of few bits alone, which
// overflow often, where gpu_words could read the same rows. H200, driver 580.159.04,
// 2026-11-23, 197 rows of 307 356 i16 with gaps, u16 labels by columns, 27 953 counts: 361 us,
// by smaller tiles with counters of more bits 427, by gpu_words 282.
static bool crowds_counters(const gpuprim *gp, const struct classification *c)
{
    const uint64_t taken = turned_bytes(c, items_of(c)) + sizeof(cl_ulong),
                   local = gp_classify_local_room(gp), room = local > taken ? local - taken : 0;
    const struct classify_counters counters =
        shared_counters(c, room - gp_classify_local_tables(c->classifier, c->has_counts, room));
    return is_turned(c) && !gp_classify_is_by_columns(&c->in) && c->in.count >= LONG_ROW &&
           (counters.form == COUNTERS_PLANES ||
            (counters.form == COUNTERS_FIELDS && counters.fields > ENOUGH_FIELDS));
}

static uint64_t lines_across(const struct classification *c)
{
    return gp_classify_is_by_columns(&c->in) ? c->in.count : c->in.rows;
}

// Whether labels go to local memory by words of 4 bytes: not where those of a tile are one line
// of memory, or lines have few words.
static bool is_by_words(const struct classification *c, unsigned items)
{
    enum { LEAST_ACROSS = 64, NARROW = 32 };
    const uint64_t across = lines_across(c);
    const struct gp_array *labels = &c->labels;
    const bool by_columns = gp_classify_is_by_columns(&c->in);
    const int64_t next = by_columns ? labels->stride : labels->row_stride,
                  line = by_columns ? labels->row_stride : labels->stride;
    const bool is_one_line = next == 1 && line == (int64_t)across &&
                             across <= (uint64_t)items * work_group_of(c) / NARROW;
    return is_turned(c) && !is_one_line && across >= LEAST_ACROSS &&
           items % (4 / labels->size) == 0;
}

// TURNED: 1, with TURNED_BY_WORDS, and with TURNED_SIDE_BY_SIDE, where neighbouring items still
// read neighbours if an item's elements lie side by side, as a tile is wide.
static unsigned turned_of(const struct classification *c, unsigned items)
{
    const uint64_t along = gp_classify_is_by_columns(&c->in) ? c->in.rows : c->in.count;
    if (!is_turned(c))
        return 0;
    return 1 | (is_by_words(c, items) ? TURNED_BY_WORDS : 0) |
           (along >= WIDE ? TURNED_SIDE_BY_SIDE : 0);
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    if (gp->caps.is_cpu || (lacks_room(gp, c) && !is_turned(c)))
        return false;
    if (has_row_keys(c) && is_small(c) && c->in.count >= LONG_ROW &&
        !gp_classify_is_by_columns(&c->in))
        return false;
    if (crowds_counters(gp, c))
        return false;
    return is_turned(c) || gp_classify_is_by_columns(&c->in) || c->in.count < LONG_ROW;
}

// Chooses which of a row's counters and keys are in local memory, and for how many rows.
static void choose_rows(const struct classification *c, uint64_t room,
                        struct classify_choice *t, bool *keys, bool *counters)
{
    const uint64_t least = least_rows(c), of_keys = key_bytes(c),
                   of_counters = counter_bytes(c);
    *keys = of_keys && of_keys * least <= room;
    *counters = of_counters && (of_counters + (*keys ? of_keys : 0)) * least <= room;
    const uint64_t each = (*keys ? of_keys : 0) + (*counters ? of_counters : 0);
    t->tile_rows = each ? room / each : UINT32_MAX;
    t->row_bytes = each;
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    const struct gpuprim_classifier *f = c->classifier;
    struct classify_choice *t = c->choice;
    const bool by_columns = gp_classify_is_by_columns(&c->in);
    bool has_keys, has_counters;
    t->items = items_of(c);
    uint64_t room = gp_classify_local_room(gp) - turned_bytes(c, t->items) - sizeof(cl_ulong);
    const uint64_t table_bytes = gp_classify_local_tables(f, c->has_counts, room);
    room -= table_bytes;
    choose_rows(c, room, t, &has_keys, &has_counters);
    if (has_keys && !has_counters && c->has_counts && !c->counts_rows) // leave them some
        t->tile_rows = room / 2 / t->row_bytes ? room / 2 / t->row_bytes : 1;
    const uint64_t row_room = t->row_bytes ? t->row_bytes * t->tile_rows : 0;
    t->counters = shared_counters(c, room > row_room ? room - row_room : 0);
    const uint64_t across = by_columns ? c->in.count : gp_min(t->tile_rows, c->in.rows);
    if (is_turned(c)) // no element of an item is beyond the last line
        t->items = (unsigned)gp_min(t->items, across);
    while (!by_columns && t->items > 1 && t->items > across)
        t->items /= 2;
    t->local_first = gp_classify_first_local(f, table_bytes);
    t->local_words = table_bytes / sizeof(cl_uint);
    t->local_bytes = table_bytes + t->counters.bytes;
    key->work_group = work_group_of(c);
    t->zeroes = gp_classify_zeroes(gp, c);
    gp_classify_define_local(key, c, t);
    gp_define(key, "ITEMS", t->items);
    gp_define(key, "ROWS_ALONG", by_columns);
    gp_define(key, "TURNED", turned_of(c, t->items));
    gp_define(key, "ROW_COUNTS", !has_row_counts(c) ? 0 : has_counters ? 1 : 2);
    gp_define(key, "ROW_KEYS", has_row_keys(c));
    if (!has_row_keys(c))
        return;
    gp_define(key, "KEYS_LOCAL", has_keys);
    gp_define(key, "KEYS_EVEN", f->are_even_rows);
    gp_define(key, "ROW_CELLS", !has_keys && f->index.cells > 0);
}

// Cuts `all` into equal parts of at most `most`.
static uint64_t even_part(uint64_t all, uint64_t most)
{
    return gp_ceil_div(all, gp_ceil_div(all, most));
}

static void lay_out(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *l)
{
    (void)variant;
    const struct classify_choice *t = c->choice;
    const bool by_columns = gp_classify_is_by_columns(&c->in), turned = is_turned(c);
    // Larger groups than the tuned ones would have more labels than their local memory has
    // room.
    const uint64_t work_group = gp_min(program->work_group, work_group_of(c)),
                   along = by_columns ? rows : count, across = by_columns ? count : rows;
    const uint64_t most_rows = gp_min(rows, t->tile_rows);
    // A tile. Where it cannot be deep, it is wide, so that items have work.
    uint64_t width = gp_min(LINE / c->in.size, LINE_ITEMS),
             deep = gp_ceil_div(by_columns ? count : most_rows, t->items);
    if (by_columns && !turned && t->row_bytes)
        while (2 * width * c->in.size <= WIDE_LINE && 2 * width * t->row_bytes <= SMALL)
            width *= 2;
    if (width < work_group / deep)
        width = work_group / deep;
    width = gp_min(width, work_group);
    width = even_part(along, by_columns ? gp_min(width, most_rows) : width);
    uint64_t depth = work_group / width * t->items;
    depth = gp_min(depth, by_columns ? count : most_rows);
    l->block_rows = (uint32_t)(by_columns ? width : depth);
    l->block_count = (uint32_t)(by_columns ? depth : width);
    // All tiles.
    const uint64_t tiles_along = gp_ceil_div(along, width),
                   tiles_across = gp_ceil_div(across, depth);
    l->segment = tiles_along * tiles_across;
    l->segment_groups = by_columns || !is_of_rows(c) ? tiles_along : tiles_across;
    const uint64_t local_bytes = t->local_bytes + t->row_bytes * l->block_rows;
    const bool are_many =
        t->counters.bytes >= MANY || (has_row_counts(c) && local_bytes >= MANY);
    const unsigned per_unit = are_many              ? PER_UNIT_MANY
                              : local_bytes > SMALL ? PER_UNIT_LARGE
                                                    : PER_UNIT;
    const uint64_t wanted = (uint64_t)gp->caps.compute_units * per_unit / work_group;
    const uint64_t least =
        gp_ceil_div(rows * count, (uint64_t)1 << 31); // counters have 32 bits
    l->groups = gp_min(wanted > least ? wanted : least, l->segment);
    if (is_of_rows(c)) { // groups of the same rows
        const uint64_t work = gp_ceil_div(count, 1 + 8 * t->row_bytes / sizeof(cl_uint)),
                       idle = gp_ceil_div(2 * gp->caps.compute_units, l->segment_groups),
                       most = gp_min(l->segment / l->segment_groups, work > idle ? work : idle),
                       parts = gp_min(l->groups / l->segment_groups, most);
        l->groups = l->segment_groups * (parts ? parts : 1);
    }
    const uint64_t words = 4 / (c->has_labels ? c->labels.size : 4);
    l->row_words = (uint32_t)gp_ceil_div(depth, words) | 1;
    l->privatised = gp_classify_privatises(c, rows * count / l->groups);
    l->local_first = t->local_first;
    l->local_words = t->local_words;
    l->local_bytes =
        local_bytes + (turned ? (width * l->row_words + 2 * TURNED_BESIDE) * 4 : 0);
}

static int describe(const struct gpuprim_classifier *f, char *text, size_t size)
{
    return gp_classify_describe_method(f, text, size);
}

static const char *const sources[] = { "classify/arguments.h",      "classify/classify.cl",
                                       "classify/search.cl",        "classify/compare_all.cl",
                                       "classify/tree.cl",          "classify/interpolate.cl",
                                       "classify/cells.cl",         "classify/cell_keys.cl",
                                       "classify/steps.cl",         "classify/rank.cl",
                                       "classify/piecewise.cl",     "classify/bits.cl",
                                       "classify/hash.cl",          "classify/case_bits.cl",
                                       "classify/row_keys.cl",      "classify/label.cl",
                                       "classify/counter_forms.cl", "classify/planes.cl",
                                       "classify/counters.cl",      "classify/turned.cl",
                                       "classify/gpu_tiles.cl",     NULL };
static const struct classify_ops ops = { specialise, lay_out, describe };

const struct gp_variant gp_classify_gpu_tiles = {
    .name = "gpu_tiles", .fits = fits, .suits = suits, .sources = sources, .ops = &ops
};
