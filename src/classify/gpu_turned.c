/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_turned of classify: columns with very many keys or counts of each, so that a group
 * has room for those of a few columns only. By gpu_tiles or gpu_words each group would read
 * sectors of memory of which few elements belong to its columns. Instead the columns are first
 * brought to rows in scratch memory, gpu_words takes these, and labels of columns are brought
 * back (core/transpose.c). Large calls go piece by piece. */
#include "turned.h"

#include "tiles.h"
#include "words.h"

enum {
    SECTOR = 32,      // bytes that memory gives at least
    LEAST_SHARED = 4, // columns of a sector
    // Bytes from element to element of a column. H200, driver 580.159.04, 2026-11-29, f32, 2349 counts of
    // each of 7 columns, 28 bytes, us by gpu_tiles and by this: 3260 2327. H100, 2026-11-27, by older
    // kernels, f16, 47 822 counts of each of 14 columns, 28 bytes, us by gpu_words and by this: 560 590.
    LEAST_APART = 24,
    LEAST_ELEMENTS = 1 << 22, // not measured
    // Bytes of each line of columns that pieces have. By 56 of 97 columns of u16, 117 MB of labels
    // took 179 us to columns; by all of them, with the same tiles, 101 MB took 90 us.
    LEAST_OF_LINE = 256,
    MEMORY_LINE = 128, // bytes
};

static bool has_label_columns(const struct classification *c)
{
    return c->has_labels && gp_classify_is_by_columns(&c->labels);
}

// Whether labels are written to scratch memory and brought to columns. On their way from a GPU to
// the host they are packed rows already.
static bool turns_labels(const gpuprim *gp, const struct classification *c)
{
    return has_label_columns(c) && (gp->caps.is_cpu || c->labels.memory != GPUPRIM_HOST);
}

// Labels in scratch memory are as narrow as their values allow, and become wide on their way to
// columns.
enum gpuprim_type gp_turned_label_type(const gpuprim *gp, const struct classification *c)
{
    const enum gpuprim_type narrowest = gp_classify_narrowest(c->classifier);
    return turns_labels(gp, c) && gp_type_size(narrowest) < c->labels.size ? narrowest
                                                                           : c->labels.type;
}

static size_t label_size(const gpuprim *gp, const struct classification *c)
{
    return gp_type_size(gp_turned_label_type(gp, c));
}

// The call for gpu_words. Pieces come one after the other, as those of host arrays do.
static struct classification turned(const gpuprim *gp, const struct classification *c)
{
    struct classification rows = *c;
    if (c->has_labels) {
        rows.labels.type = gp_turned_label_type(gp, c);
        rows.labels.size = gp_type_size(rows.labels.type);
    }
    rows.in.memory = GPUPRIM_HOST;
    rows.in.stride = 1;
    rows.in.row_stride = (int64_t)c->in.count;
    if (has_label_columns(c)) {
        rows.labels.memory = GPUPRIM_HOST;
        rows.labels.stride = 1;
        rows.labels.row_stride = rows.in.row_stride;
    }
    return rows;
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    if (c->in.rows == 1 || !c->in.count || !gp_classify_is_by_columns(&c->in) ||
        !(gp_classify_has_row_counts(c) || gp_classify_has_row_keys(c)))
        return false;
    const struct classification rows = turned(gp, c);
    return gp_classify_gpu_words.fits(gp, &rows) &&
           TRANSPOSE_LOCAL_BYTES <= gp_classify_local_room(gp);
}

// Bytes from column to column.
static uint64_t apart_of(const struct classification *c)
{
    return gp_abs(c->in.row_stride) * c->in.size;
}

// How much of each sector is enough, in quarters. H200, driver 580.159.04, 2026-11-30, elements of
// 16 bits, us by gpu_tiles and by this. Halvings of keys take longer than memory: f16, 912 keys of
// each of 936 columns, some of them equal, room for 13 of 16 columns, 2320 3745, with ranks and
// places of the keys 2876. So do counts beside labels: f16, 1004 counts of each of 240 pitched
// columns, room for 12, 1180 1593. Counts alone turn no labels: u16, 2630 counts of each of 12 644
// columns, room for 4, 920 1062. Other parts of a sector and other elements were not measured.
static unsigned enough_quarters(const struct classification *c)
{
    const struct words_keys keys = gp_words_keys(c);
    const bool has_keys = gp_classify_has_row_keys(c),
               has_counts = gp_classify_has_row_counts(c);
    if (c->in.size != 2)
        return 4;
    if (has_keys)
        return !has_counts && (keys.form != OWN_RANKS || keys.places) ? 3 : 4;
    return c->has_labels ? 3 : 1;
}

// Whether a group of gpu_tiles has room for the keys and counters of so many neighbouring columns
// that it needs enough of each sector of memory. H200, driver 580.159.04, 2026-11-29, f64, 832
// keys of each of 760 columns, room for seven of eight, us by gpu_tiles and by this: 1938 1658.
static bool has_sectors(const gpuprim *gp, const struct classification *c)
{
    const uint64_t row = gp_tiles_counter_bytes(c) + gp_tiles_key_bytes(c), all = c->in.rows,
                   rows = row ? gp_classify_local_room(gp) / row : all,
                   sector = c->in.size == 8 ? 2 * SECTOR : SECTOR,
                   wanted = gp_min(sector / apart_of(c), all);
    return rows >= gp_ceil_div(enough_quarters(c) * wanted, 4);
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    if (gp->caps.is_cpu || c->in.rows * c->in.count < LEAST_ELEMENTS ||
        c->in.rows < LEAST_SHARED || apart_of(c) > SECTOR / LEAST_SHARED ||
        gp_abs(c->in.stride) * c->in.size < LEAST_APART)
        return false;
    // Near columns whose keys are searched: H200, driver 580.159.04, 2026-11-30, us by gpu_tiles,
    // gpu_words and this: f64, 1047 keys of each of 7 channels 913 1847 1927; u32, 22 761 keys and
    // counts of each of 6 1036 1822 3125; u64, 36 887 keys of each of 5, counts of all 802 1133
    // 2507. By ranks, i16, 16 397 keys of each of 25 6687 17 000 3970.
    if (gp_classify_has_row_keys(c) && gp_tiles_are_near(c) &&
        gp_words_keys(c).form != OWN_RANKS)
        return false;
    const struct classification rows = turned(gp, c);
    return gp_classify_gpu_words.suits(gp, &rows) && !has_sectors(gp, c);
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

// ---------------------------------------------------------------------------------------
// Pieces

// Bytes of scratch memory for an element.
static uint64_t element_bytes(const gpuprim *gp, const struct classification *c)
{
    return c->in.size + (turns_labels(gp, c) ? label_size(gp, c) : 0);
}

// Elements of a line of memory.
static uint64_t line_of(const gpuprim *gp, const struct classification *c)
{
    return MEMORY_LINE /
           (turns_labels(gp, c) ? gp_min(c->in.size, label_size(gp, c)) : c->in.size);
}

// Rows of the scratch memory, of elements and of labels, begin where lines of memory do.
static uint64_t pitch_of(const gpuprim *gp, const struct classification *c, uint64_t count)
{
    const uint64_t line = line_of(gp, c);
    return gp_ceil_div(count, line) * line;
}

// Elements for which a call has scratch memory. It has the bytes of staging memory, or half of them
// where elements or labels go through that, but no more than a 32nd of the device's memory.
static uint64_t room_of(const gpuprim *gp, const struct classification *c)
{
    enum { PART_OF_DEVICE = 32 };
    const bool is_staged =
        c->in.memory == GPUPRIM_HOST || (c->has_labels && c->labels.memory == GPUPRIM_HOST);
    const uint64_t wanted = gp->staging_bytes / (is_staged ? 2 : 1),
                   most =
                       gp_min(gp->caps.max_alloc_bytes, gp->caps.global_bytes / PART_OF_DEVICE);
    return gp_min(wanted, most) / element_bytes(gp, c);
}

void gp_turned_limit(const gpuprim *gp, const struct classification *c, struct gp_piece *piece)
{
    const uint64_t room = room_of(gp, c), rows = piece->rows, line = line_of(gp, c),
                   parts = rows * apart_of(c) / LEAST_OF_LINE,
                   least = gp_ceil_div(rows, parts ? parts : 1),
                   whole = room / pitch_of(gp, c, piece->count),
                   even = whole ? gp_even_part(rows, whole) : 0;
    // Whole columns, although somewhat fewer than are wanted: pieces of half columns would be twice
    // as many.
    if (4 * even >= 3 * least) {
        piece->rows = even;
        return;
    }
    const uint64_t lines = room / least / line;
    const uint64_t count = gp_even_part(piece->count, lines ? lines * line : line);
    piece->rows = least;
    piece->count = gp_min(piece->count, pitch_of(gp, c, count));
}

// What turns the elements of the largest piece, or its labels.
static struct transpose turn_of(const gpuprim *gp, const struct classification *c,
                                bool of_labels)
{
    struct gp_piece piece = { .rows = c->in.rows, .count = c->in.count };
    gp_turned_limit(gp, c, &piece);
    struct transpose t =
        gp_transpose_of(piece.rows, of_labels ? label_size(gp, c) : c->in.size);
    if (of_labels) {
        t.to_columns = true;
        t.column_size = (unsigned)c->labels.size;
        t.rejects = c->classifier->may_reject;
    }
    return t;
}

// ---------------------------------------------------------------------------------------
// Launches

// Columns that are rows of scratch memory from the element `rows_first` on.
static struct transpose_arguments arguments_of(const struct gp_piece *piece,
                                               const struct gp_bound *columns,
                                               uint64_t rows_first, uint64_t pitch)
{
    return (struct transpose_arguments){ .first = columns->first,
                                         .stride = columns->stride,
                                         .row_stride = columns->row_stride,
                                         .rows_first = (int64_t)rows_first,
                                         .rows_stride = 1,
                                         .pitch = (int64_t)pitch,
                                         .rows = piece->rows,
                                         .count = piece->count };
}

// The same rows, in *memory.
static struct gp_bound bind_rows(cl_mem *memory, const struct transpose_arguments *a)
{
    return (struct gp_bound){ .argument = { memory, sizeof *memory, false },
                              .first = (int64_t)a->rows_first,
                              .stride = 1,
                              .row_stride = (int64_t)a->pitch };
}

int gp_turned_launch(struct classify_run *run, const struct gp_piece *piece,
                     const struct gp_bound *in, const struct gp_bound *labels, bool last)
{
    const struct classification *c = run->c;
    gpuprim *gp = run->call.gp;
    const uint64_t pitch = pitch_of(gp, c, piece->count), elements = piece->rows * pitch;
    cl_mem memory;
    int status =
        gp_call_memory(&run->call, GP_SEGMENTS, elements * element_bytes(gp, c), &memory);
    if (status)
        return status;
    const struct transpose to_rows = turn_of(gp, c, false);
    const struct transpose_arguments arguments = arguments_of(piece, in, 0, pitch);
    const struct gp_bound rows = bind_rows(&memory, &arguments);
    status = gp_transpose_launch(&run->call, &to_rows, &in->argument, &rows.argument,
                                 &arguments, false);
    if (status || !turns_labels(gp, c))
        return status ? status : gp_classify_launch(run, piece, &rows, labels, last);
    const struct transpose to_columns = turn_of(gp, c, true);
    const struct transpose_arguments label_arguments =
        arguments_of(piece, labels, elements * c->in.size / label_size(gp, c), pitch);
    const struct gp_bound row_labels = bind_rows(&memory, &label_arguments);
    status = gp_classify_launch(run, piece, &rows, &row_labels, false);
    return status ? status
                  : gp_transpose_launch(&run->call, &to_columns, &row_labels.argument,
                                        &labels->argument, &label_arguments, last);
}

int gp_turned_build(gpuprim *gp, const struct classification *c, unsigned kinds)
{
    const struct transpose to_rows = turn_of(gp, c, false);
    const int status = gp_transpose_build(gp, &to_rows, kinds & GP_SVM_IN);
    if (status || !turns_labels(gp, c))
        return status;
    const struct transpose to_columns = turn_of(gp, c, true);
    return gp_transpose_build(gp, &to_columns, kinds & GP_SVM_OUT);
}

unsigned gp_turned_kinds(const gpuprim *gp, const struct classification *c, unsigned kinds)
{
    return kinds & ~(GP_SVM_IN | (turns_labels(gp, c) ? GP_SVM_OUT : 0u));
}
