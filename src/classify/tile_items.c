/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_tiles of classify: how many elements an item has in flight, the items of a group, and how
 * labels go through local memory where they are turned. tile_cut.c cuts tiles. */
#include "tiles.h"

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
    // For narrow elements of channels or short rows, without counts. H200, driver 580.159.04,
    // 2026-11-29, us by 256 and 128: i8, 6 channels 155 143, 8 163 159, 2 158 152; u16, 4 128
    // 124; i16, 12 of 16 134 126; f16, 6 235 229, rows of 9 118 117. With counts i8 229 243,
    // f16 152 163, but 172 166.
    WORK_GROUP_CHANNELS = 128,
    WIDE = 16, // lines from which on neighbouring items read neighbours
    LARGE_BITS = 22,
    UNIT_ELEMENTS = 32768, // for each compute unit, from which on tiles may have passes
    MOST_ITEMS = 16,       // of more a pass takes registers that the loop would need
    ITEM_ELEMENTS = 64,    // that an item takes of a tile of turned labels, in some passes
    PASSES_BYTES = 20480,  // of the labels of such a tile
    ROW_BYTES = 512,       // of each row: counters, and keys or places of values, at most
    // Bytes of a line of labels of one pass, before line_of() halves its width, from which on rows
    // with keys of their own have the next tile loaded ahead instead of passes. A line of 32
    // bytes, as elements of 2 bytes have, takes 16 to 32 steps for the labels at its ends
    // (turned.cl): as many as labels. H100, driver 580.159.04, 2026-11-27, i16, 3 keys and 4
    // counts of each of 13 560 columns, us with passes and so: 778 302. Other lines were not
    // measured.
    SHORT_LINE = 128,
};

bool gp_tiles_are_turned(const struct classification *c)
{
    return c->has_labels &&
           gp_classify_is_by_columns(&c->in) != gp_classify_is_by_columns(&c->labels);
}

// Whether lines of the input have WIDE neighbours or more.
static bool is_wide(const struct classification *c)
{
    return (gp_classify_is_by_columns(&c->in) ? c->in.rows : c->in.count) >= WIDE;
}

// Whether a tile of turned labels is wide, and there are so many that all groups get some.
static bool is_large(const struct classification *c)
{
    return gp_tiles_are_turned(c) && !c->has_counts && !gp_classify_has_row_keys(c) &&
           is_wide(c) && c->in.rows * c->in.count >= (uint64_t)1 << LARGE_BITS;
}

// Whether tiles of turned labels may take several passes: they leave room for tables and
// counters, and there are so many elements that all groups get some. Beside many counters they
// lost: f32 to u16, 6992 counts, 122 and 135 us (H200, driver 580.159.04, 2026-11-23).
static bool may_have_passes(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    const uint64_t room = gp_classify_local_room(f->gp), tables = gp_classify_table_bytes(f),
                   counters = c->has_counts ? f->labels * sizeof(cl_uint) : 0,
                   of_row = gp_tiles_key_bytes(c) + (c->counts_rows ? counters : 0),
                   shared = (f->rows == 1 && tables <= room ? tables : 0) +
                            (c->counts_rows ? 0 : counters);
    return gp_tiles_are_turned(c) && of_row <= ROW_BYTES && shared + PASSES_BYTES <= room &&
           (c->counts_rows || counters < TILE_MANY) &&
           c->in.rows * c->in.count / UNIT_ELEMENTS >= f->gp->caps.compute_units;
}

// Whether a line of labels of one pass has few bytes, and is longer with more, of columns with
// keys of their own.
static bool has_short_lines(const struct classification *c)
{
    const uint64_t line = gp_tiles_full_line(c), along = gp_min(c->in.rows, line),
                   pass = WORK_GROUP * gp_tiles_items(c);
    return gp_classify_is_by_columns(&c->in) && pass / along * c->labels.size < SHORT_LINE;
}

// Whether a group has so many counters that a unit runs few groups, which wait for their loads.
static bool has_many_counters(const struct classification *c)
{
    return !c->counts_rows && c->classifier->labels * sizeof(cl_uint) >= TILE_MANY;
}

// Whether columns have keys of their own, and the call counts all rows together. Without this an
// element's load waits for the search of the element before it, because the compiler moves no load
// across the counting. H200, driver 580.159.04, 2026-12-01, us without and with it: f16, 39 keys of
// each of 24 668 columns 739, 571; f32, 971 of each of 2920 1084, 1063, and with 2 elements of an item
// instead of 4 878. For elements of 4 bytes no other number of keys was measured. Columns without
// counts, or without keys of their own, lost in six calls of ten: f16, 5 keys 1128, 1532, 11 keys
// 1045, 1122; i16, 4 keys 1118, 1220; counts of each: u8, 2 292, 369, i16, 5 360, 445, f16, 354 296,
// 323. They gained in four: counts of each: u16, 34 333, 308, i32, 165 253, 250; i64, 490 counts and
// labels 784, 750; f32, 488 keys 1030, 1022.
static bool is_counted_search(const struct classification *c)
{
    return gp_classify_has_row_keys(c) && gp_classify_is_by_columns(&c->in) && c->has_counts &&
           !c->counts_rows && !gp_tiles_are_turned(c);
}

// Whether the next tile's elements are loaded while this one's labels leave. An item holds them in
// registers then, so that fewer groups run at once. H200, driver 580.159.04, 2026-11-23, us without
// and with it: i64 columns of 834 to rows of u8 153, 123; f32, 938 bins, 8 channels to rows of u16
// 220, 190; u8, 6 keys of each of 5 channels to rows of u8 297, 276; but u32, 2 keys, columns to
// rows of u8 51, 58; i16 rows of 96 to columns of u8 205, 293; f16, 3 channels to rows of u16 209,
// 220; u8 rows to columns 108, 136. With it and with passes instead: f32, 411 keys, 47 columns to
// rows of u16 110, 130; f64, 3 channels to rows of u16 134, 142, rows of 5 to columns of u32 139,
// 145; but i64, a table, 5 counts, 2046 columns to rows of u8 79.8, 75.4. Beside many counters,
// H100, driver 580.159.04, 2026-11-28, without and with it: f32 to u16, 49 507 counts, 6
// channels to rows 240, 204; 22 459 counts, pitched columns to rows 131, 119.
static bool is_ahead(const struct classification *c)
{
    const bool is_searched = c->in.type == GPUPRIM_F32 && c->labels.size > 1 &&
                             c->classifier->method == METHOD_SEARCH;
    if (!gp_tiles_are_turned(c))
        return false;
    if (gp_classify_has_row_keys(c))
        return !has_short_lines(c) || !may_have_passes(c);
    return c->has_counts ? is_searched && has_many_counters(c) : is_searched || c->in.size == 8;
}

bool gp_tiles_load_ahead(const struct classification *c)
{
    return gp_tiles_are_turned(c) ? is_ahead(c) : is_counted_search(c);
}

static bool has_passes(const struct classification *c)
{
    return may_have_passes(c) && !is_ahead(c);
}

// Whether a tile should have one large pass: because one must do, or because elements below 4
// bytes have labels wider than u8. For labels of u8 beside narrow elements several small passes
// take less time. H200, driver 580.159.04, 2026-11-29, us by passes of 512 items with 32
// elements each and by several of 256 with 16: labels of u8, 17 calls, 16 % less in the mean,
// from 28 % less to 1 % more: i8 columns of 170 260 194, u8 of 26 101 182 130, f16 rows of 27
// 217 187, i16 columns of 47 702 254 211, i8 rows to 280 columns 214 212; of u16, by 256 with
// 32: i16 385 395, 204 199, 123 128, f16 172 176, i8 105 110.
static bool has_large_pass(const struct classification *c)
{
    const bool are_wide = c->in.size < 4 && c->labels.size > 1;
    return is_large(c) && (are_wide || !has_passes(c));
}

// Whether columns have twice as many narrow elements for an item. H200, driver 580.159.04, 2026-12-01,
// us by half of them and so: u8, 2 counts of each of 36 136 columns 320, 290; by a search of line_keys.cl,
// f16, 11 keys of each of 2977 1194, 1045, i16, 4 keys of each of 2740 1234, 1118; but i16, 1630 keys of
// each of 10 1892, 2092; 89 counts of each of 12 579 columns of u8 360, 513. Counts of bytes from 3 to 88, bytes
// with keys, and fewer than 161 columns, were not measured.
static bool has_twice(const struct classification *c)
{
    enum { FEW_KEYS = 256 };
    const bool is_short_search = gp_classify_has_row_keys(c) && c->in.size == 2 &&
                                 !c->has_counts && !gp_tiles_are_turned(c) &&
                                 c->classifier->n <= FEW_KEYS;
    const bool counts_bytes = gp_classify_has_row_counts(c) && !gp_classify_has_row_keys(c) &&
                              c->in.size == 1 && !c->has_labels &&
                              c->classifier->labels <= TILE_ITEM_COUNTS;
    return gp_classify_is_by_columns(&c->in) && (is_short_search || counts_bytes);
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
unsigned gp_tiles_items(const struct classification *c)
{
    const bool are_wide = c->in.size == 8 || (c->has_labels && c->labels.size == 4);
    if (gp_classify_has_row_keys(c) && c->in.size == 4)
        return gp_tiles_hold_keys(c) ? 8 : is_counted_search(c) ? 2 : 4;
    if (gp_classify_has_row_keys(c) && c->in.size < 4)
        return (has_twice(c) ? 32 : 16) / (unsigned)c->in.size;
    if (has_twice(c))
        return 32;
    if (are_wide || (c->in.size == 4 && c->has_counts))
        return 8;
    const bool takes_registers =
        c->in.type == GPUPRIM_F32 && c->classifier->method == METHOD_SEARCH;
    return has_large_pass(c) && !takes_registers ? 32 : 16;
}

// Whether elements have 1 or 2 bytes, labels have 1, and tiles have several passes.
static bool is_narrow(const struct classification *c)
{
    return c->in.size <= 2 && c->labels.size == 1 && !gp_classify_has_row_keys(c) &&
           has_passes(c);
}

// H200, driver 580.159.04, 2026-11-29, us by lines of 64 elements and of 32: u8 and i8 to u8, 8
// calls without counts, 6 % less in the mean: 70.2 65.8, 214 193, 212 170, 61.7 62.6; with
// counts 191 177, 135 132, 153 151; of 16 bits with counts 155 128, 267 250, 250 238, 225 220,
// 245 249; but without counts 126 138, 124 126, 177 183, 128 148, 162 156.
uint64_t gp_tiles_line(const struct classification *c)
{
    const uint64_t all = gp_tiles_full_line(c);
    return is_narrow(c) && (c->in.size == 1 || c->has_counts) ? all / 2 : all;
}

unsigned gp_tiles_passes(const struct classification *c, unsigned items)
{
    return has_passes(c) && items <= MOST_ITEMS ? ITEM_ELEMENTS / items : 1;
}

unsigned gp_tiles_work_group(const struct classification *c)
{
    const uint64_t shared = c->has_counts && !c->counts_rows ? c->classifier->labels : 0;
    uint64_t bytes = shared * sizeof(cl_uint);
    if (gp_classify_has_row_counts(c) && !gp_tiles_are_turned(c)) {
        const uint64_t rows = gp_min(gp_tiles_line(c), c->in.rows);
        bytes = rows * c->classifier->labels * sizeof(cl_uint) +
                gp_classify_table_bytes(c->classifier);
    }
    if (has_large_pass(c) && c->labels.size == 1 && !is_ahead(c))
        return WORK_GROUP_LARGE;
    if (is_narrow(c) && !c->has_counts && !is_wide(c))
        return WORK_GROUP_CHANNELS;
    return bytes >= TILE_MANY ? WORK_GROUP_MANY : WORK_GROUP;
}

// Local memory of a tile's labels, on their way to other neighbours: lines of whole words. It has
// room for a pass at least.
uint64_t gp_tiles_turned_bytes(const struct classification *c, unsigned items)
{
    const uint64_t work_group = gp_tiles_work_group(c),
                   pass = work_group * items * c->labels.size + work_group * 16,
                   some = has_passes(c) ? PASSES_BYTES : 0;
    return !gp_tiles_are_turned(c) ? 0 : pass > some ? pass : some;
}

static uint64_t lines_across(const struct classification *c)
{
    return gp_classify_is_by_columns(&c->in) ? c->in.count : c->in.rows;
}

// Whether a tile's labels are one line of memory.
static bool is_one_line(const struct classification *c, unsigned items)
{
    enum { NARROW = 32 };
    const uint64_t across = lines_across(c);
    const struct gp_array *labels = &c->labels;
    const bool by_columns = gp_classify_is_by_columns(&c->in);
    const int64_t next = by_columns ? labels->stride : labels->row_stride,
                  line = by_columns ? labels->row_stride : labels->stride;
    return next == 1 && line == (int64_t)across &&
           across <= (uint64_t)items * gp_tiles_work_group(c) / NARROW;
}

// Whether labels go to local memory by words of 4 bytes: not where those of a tile are one line
// of memory, or lines have few words.
static bool is_by_words(const struct classification *c, unsigned items)
{
    enum { LEAST_ACROSS = 64 };
    return !is_one_line(c, items) && lines_across(c) >= LEAST_ACROSS &&
           items % (4 / c->labels.size) == 0;
}

// Whether labels that are one line have a free word behind each 32: where lines of 16, 32, ... 128 bytes
// would begin in at most 8 of 32 banks.
static bool is_padded(const struct classification *c, unsigned items)
{
    enum { QUARTER = 16, BANKS = 128 }; // bytes
    const uint64_t line = lines_across(c) * c->labels.size;
    return is_one_line(c, items) && line % QUARTER == 0 && line <= BANKS;
}

// TURNED: 1, with TURNED_BY_WORDS or TURNED_PADDED, and with TURNED_SIDE_BY_SIDE, where neighbouring
// items still read neighbours if an item's elements lie side by side, as a tile is wide.
unsigned gp_tiles_turned(const struct classification *c, unsigned items)
{
    if (!gp_tiles_are_turned(c))
        return 0;
    return 1 | (is_by_words(c, items) ? TURNED_BY_WORDS : 0) |
           (is_padded(c, items) ? TURNED_PADDED : 0) | (is_wide(c) ? TURNED_SIDE_BY_SIDE : 0) |
           (gp_tiles_passes(c, items) > 1 ? TURNED_PASSES : 0);
}
