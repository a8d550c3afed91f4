/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_turned of classify: labels or elements go by way of rows in scratch memory, which
 * gpu_words writes or reads (core/transpose.c). This file has which calls it takes;
 * turned_pieces.c has pieces and launches.
 *
 *     columns     with so many keys or counts of each that a group has room for those of a few
 *                 columns only. By gpu_tiles or gpu_words each group would read sectors of memory of
 *                 which few elements belong to its columns. They are brought to rows first.
 *                 Labels of columns are brought back.
 *     rows        with so many keys or counts of each, and labels that lie by columns. By gpu_tiles
 *                 each group would write few labels of each sector. The rows are read where they
 *                 lie. Their labels are brought to columns. */
#include "turned.h"

#include "tiles.h"
#include "words.h"

enum {
    SECTOR = 32, // bytes that memory gives at least
};

static bool has_label_columns(const struct classification *c)
{
    return c->has_labels && gp_classify_is_by_columns(&c->labels);
}

bool gp_turned_has_input(const struct classification *c)
{
    return gp_classify_is_by_columns(&c->in);
}

// On their way from a GPU to the host labels are packed rows already.
bool gp_turned_has_labels(const gpuprim *gp, const struct classification *c)
{
    return has_label_columns(c) && (gp->caps.is_cpu || c->labels.memory != GPUPRIM_HOST);
}

// Labels in scratch memory are as narrow as their values allow, and become wide on their way to
// columns.
enum gpuprim_type gp_turned_label_type(const gpuprim *gp, const struct classification *c)
{
    const enum gpuprim_type narrowest = gp_classify_narrowest(c->classifier);
    return gp_turned_has_labels(gp, c) && gp_type_size(narrowest) < c->labels.size
               ? narrowest
               : c->labels.type;
}

uint64_t gp_turned_apart(const struct classification *c)
{
    const struct gp_array *columns = gp_turned_has_input(c) ? &c->in : &c->labels;
    return gp_abs(columns->row_stride) * columns->size;
}

// The call for gpu_words. Pieces come one after the other, as those of host arrays do.
static struct classification turned(const gpuprim *gp, const struct classification *c)
{
    struct classification rows = *c;
    if (c->has_labels) {
        rows.labels.type = gp_turned_label_type(gp, c);
        rows.labels.size = gp_type_size(rows.labels.type);
    }
    if (gp_turned_has_input(c)) {
        rows.in.memory = GPUPRIM_HOST;
        rows.in.stride = 1;
        rows.in.row_stride = (int64_t)c->in.count;
    }
    if (has_label_columns(c)) {
        rows.labels.memory = GPUPRIM_HOST;
        rows.labels.stride = 1;
        rows.labels.row_stride = (int64_t)c->in.count;
    }
    return rows;
}

// Labels that lie by columns always have counts or keys of rows: elsewhere rows and elements
// change places (view.c).
static bool fits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    if (c->in.rows == 1 || !c->in.count ||
        !(gp_turned_has_input(c) || gp_turned_has_labels(gp, c)) ||
        !(gp_classify_has_row_counts(c) || gp_classify_has_row_keys(c)))
        return false;
    const struct classification rows = turned(gp, c);
    return gp_classify_gpu_words.fits(gp, &rows) &&
           TRANSPOSE_LOCAL_BYTES <= gp_classify_local_room(gp);
}

// How much of each sector is enough, in quarters. H200, driver 580.159.04, 2026-11-30, elements of
// 16 bits, us by gpu_tiles and by this. Halvings of keys take longer than memory: f16, 912 keys of
// each of 936 columns, some of them equal, room for 13 of 16 columns, 2320 3745, with ranks and
// places of the keys 2876. So do counts beside labels: f16, 1004 counts of each of 240 pitched
// columns, room for 12, 1180 1593. Counts alone turn no labels: u16, 2630 counts of each of 12 644
// columns, room for 4, 920 1062; 2026-12-01, i16, 5002 of each of 7687, room for 3, 2042 1834. Other
// parts of a sector and other elements were not measured.
static unsigned enough_quarters(const struct classification *c)
{
    enum { ALL = 4, MOST = 3, SOME = 1 };
    const struct words_keys keys = gp_words_keys(c);
    const bool has_keys = gp_classify_has_row_keys(c),
               has_counts = gp_classify_has_row_counts(c);
    if (c->in.size != 2)
        return ALL;
    if (has_keys)
        return !has_counts && (keys.form != OWN_RANKS || keys.places) ? MOST : ALL;
    return c->has_labels ? MOST : SOME;
}

// Whether a group of gpu_tiles has room for the keys and counters of so many neighbouring columns
// that it needs enough of each sector of memory. H200, driver 580.159.04, 2026-11-29, f64, 832
// keys of each of 760 columns, room for seven of eight, us by gpu_tiles and by this: 1938 1658.
static bool has_sectors(const gpuprim *gp, const struct classification *c)
{
    const uint64_t row = gp_tiles_counter_bytes(c) + gp_tiles_key_bytes(c), all = c->in.rows,
                   room = row ? gp_classify_local_room(gp) / row : all,
                   sector = c->in.size == 8 ? 2 * SECTOR : SECTOR,
                   wanted = gp_min(sector / gp_turned_apart(c), all);
    // Tables that all rows share leave less.
    const uint64_t rows =
        gp_classify_has_row_counts(c) ? gp_min(room, gp_tiles_rows(gp, c)) : room;
    return rows >= gp_ceil_div(enough_quarters(c) * wanted, 4);
}

static bool suits_columns(const gpuprim *gp, const struct classification *c)
{
    // Near columns whose keys are searched: H200, driver 580.159.04, 2026-11-30, us by gpu_tiles,
    // gpu_words and this: f64, 1047 keys of each of 7 channels 913 1847 1927; u32, 22 761 keys and
    // counts of each of 6 1036 1822 3125; u64, 36 887 keys of each of 5, counts of all 802 1133
    // 2507. By ranks, i16, 16 397 keys of each of 25 6687 17 000 3970.
    const bool are_searched = gp_classify_has_row_keys(c) && gp_tiles_are_near(c) &&
                              gp_words_keys(c).form != OWN_RANKS;
    return gp_may_turn_columns(c) && !are_searched && !has_sectors(gp, c);
}

// Whether a tile of gpu_tiles has counters, or keys, of few rows: its labels leave by few of each line of
// memory, and local memory is full, so that few groups run. Rows must be long beside them, as each row
// has a group of its own here. H200, driver 580.159.04, 2026-11-30, rows of a tile in front, us by gpu_tiles
// and by this: 2, u32, 3536 counts of each, u16 labels 5783, 1466; 5, f32, 2032 own keys 1842, 676; 8, u16,
// 1222 own keys 1164, 676; 19, i32, 322 own keys and counts 2643, 1539; 28, f32, 431 own keys 2093, 1152; 29,
// i32, 205 own keys and counts, u8 labels 2208, 935; 40, u32, 305 counts of each 1680, 901; 60, f32, 203 own
// keys, u32 labels 2076, 1348; but 231, f32, 53 own keys, rows of 1141 1657, 2829; 48, f64, 256 counts of rows
// of 994 698, 866; all of 7, u32, 268 counts 738, 1264; all of 10, i8, 172 counts 617, 974; all of 20, u64, 197
// counts 622, 626. Where neither has room: f16, 14 809 counts 14 597, 2532; f32, 27 012 counts of rows of
// 119 856 9484, 906; f32, 4109 own keys, counts of all 37 445, 1350; i32, 32 669 own keys 11 697, 2321. By
// gpu_words, and by this: f32, 13 646 counts of each of 3 rows 2943, 1246; f16, 2694 of each of 9 5052, 1060;
// f16, 32 208 own keys of each of 14 9532, 2843; 36 456 of each of 29 518, 386. Two rows were not measured.
static bool suits_rows(const gpuprim *gp, const struct classification *c)
{
    enum { LEAST_ROWS = 3, MOST_OF_TILE = 64, FULL = 16 << 10, LONG = 4 };
    const uint64_t rows = gp_tiles_rows(gp, c),
                   bytes = gp_tiles_counter_bytes(c) + gp_tiles_key_bytes(c); // of a row
    if (c->in.rows < LEAST_ROWS || c->in.count * sizeof(cl_uint) < LONG * bytes)
        return false;
    if (rows && rows != UINT32_MAX) // these: no room for counters, or for keys without counters
        return rows <= MOST_OF_TILE && c->in.rows * bytes >= FULL;
    return gp_classify_counters(c->classifier, gp_classify_local_room(gp), c->in.count).form !=
           COUNTERS_DIRECT;
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    if (gp->caps.is_cpu || c->in.rows * c->in.count < TURNED_ELEMENTS ||
        gp_turned_apart(c) > SECTOR / TURNED_ROWS)
        return false;
    const struct classification rows = turned(gp, c);
    return gp_classify_gpu_words.suits(gp, &rows) &&
           (gp_turned_has_input(c) ? suits_columns(gp, c) : suits_rows(gp, c));
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    const struct classify_ops *words = gp_classify_gpu_words.ops;
    const struct classification rows = turned(gp, c);
    words->specialise(gp, &rows, variant, key);
}

static void lay_out(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *l)
{
    const struct classify_ops *words = gp_classify_gpu_words.ops;
    const struct classification call = turned(gp, c);
    words->lay_out(gp, &call, variant, program, rows, count, l);
}

static int describe(const struct gpuprim_classifier *f, char *text, size_t size)
{
    const struct classify_ops *words = gp_classify_gpu_words.ops;
    return words->describe(f, text, size);
}

static const struct classify_ops ops = { specialise, lay_out, describe };

const struct gp_variant gp_classify_gpu_turned = { .name = "gpu_turned",
                                                   .fits = fits,
                                                   .suits = suits,
                                                   .sources = CLASSIFY_WORDS_SOURCES,
                                                   .ops = &ops };
