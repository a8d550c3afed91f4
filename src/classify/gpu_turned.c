/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_turned of classify: columns with so many keys or counts of each that a group has
 * room for those of few. By gpu_tiles or gpu_words each group would read sectors of memory of
 * which few elements belong to its columns. Instead the columns are first brought to rows in
 * scratch memory, gpu_words takes these, and labels of columns are brought back
 * (kernels/classify/turn.cl). Large calls go piece by piece. */
#include "tiles.h"
#include "words.h"

// H200, driver 580.159.04, 2026-11-29, 96 MiB of elements, GB/s read and written by turn, turn_back:
//     rows x elements of a tile   44 x u16      97 x u16      590 x u16     590 x u32     4134 x u8
//     about 48 or 56 x 256 bytes  2885, 2911    2987, 2224    3057, 2147    3464, 3299    -
//     about 56 or 64 x 128 bytes  2459, 2527    2724, 2642    3045, 2979    3377, 3466    2437, 2397
//     about 104 or 120 x 128      -             3017, 2837    2997, 2873    2995, 3132    2220, 2192
// Where elements went to local memory one by one, and a word was made of what lay in several lines:
// 44 x u16 2507, 2930, 97 x u16 1974, 2343, 590 x u32 3122, 3048, 4134 x u8 1863, 1814.
enum {
    TURN_GROUP = 256,
    // Of a tile, without the pad of its rows, and its rows.
    TILE_BYTES = 13312,
    MOST_TILE_ROWS = 104,
    TILE_BYTES_OF_U8 = 8192,
    MOST_TILE_ROWS_OF_U8 = 64,
    TILE_ROWS_STEP = 8, // so that few programs serve all numbers of rows
    SECTOR = 32,        // bytes that memory gives at least
    LEAST_SHARED = 4,   // columns of a sector
    // Bytes from element to element of a column.
    LEAST_LINE = 24,
    LEAST_ELEMENTS = 1 << 22, // not measured
    // Bytes that pieces have of each line of columns. By 56 of 97 columns of u16, turn_back took 179
    // us for 117 MB of labels; by all of them, with the same tiles, 90 us for 101 MB.
    LEAST_SPAN = 256,
};

// What the program of turn.cl follows from: bytes of an element, and the tile.
struct turn {
    unsigned size, rows, count;
};

// Whether labels are written to scratch memory and brought to columns.
static bool turns_labels(const struct classification *c)
{
    return c->has_labels && gp_classify_is_by_columns(&c->labels);
}

// The call for gpu_words. Pieces come one after the other, as those of host arrays do.
static struct classification turned(const struct classification *c)
{
    struct classification rows = *c;
    rows.in.memory = GPUPRIM_HOST;
    rows.in.stride = 1;
    rows.in.row_stride = (int64_t)c->in.count;
    if (turns_labels(c)) {
        rows.labels.memory = GPUPRIM_HOST;
        rows.labels.stride = 1;
        rows.labels.row_stride = rows.in.row_stride;
    }
    return rows;
}

// Tiles of equal numbers of rows.
static struct turn turn_of(const struct classification *c, const struct gp_array *array)
{
    const bool is_u8 = array->size == 1;
    const unsigned most_rows = is_u8 ? MOST_TILE_ROWS_OF_U8 : MOST_TILE_ROWS,
                   bytes = is_u8 ? TILE_BYTES_OF_U8 : TILE_BYTES;
    const uint64_t wanted = gp_ceil_div(c->in.rows, gp_ceil_div(c->in.rows, most_rows));
    struct turn t = { .size = (unsigned)array->size,
                      .rows = (unsigned)gp_ceil_div(wanted, TILE_ROWS_STEP) * TILE_ROWS_STEP,
                      .count = 1 };
    while (2 * t.count * t.rows * t.size <= bytes)
        t.count *= 2;
    return t;
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    if (c->in.rows == 1 || !c->in.count || !gp_classify_is_by_columns(&c->in) ||
        !(gp_classify_has_row_counts(c) || gp_classify_has_row_keys(c)))
        return false;
    const struct classification rows = turned(c);
    return gp_classify_gpu_words.fits(gp, &rows) &&
           2 * TILE_BYTES <= gp_classify_local_room(gp);
}

// Whether a group has room for the keys and counters of so many neighbouring rows that it needs all
// of each sector of memory. H200, driver 580.159.04, 2026-11-29, f64, 832 keys of each of 760
// columns, us by gpu_tiles, which has room for seven of them, and by this: 1943 1744.
static bool has_sectors(const gpuprim *gp, const struct classification *c)
{
    const uint64_t row = gp_tiles_counter_bytes(c) + gp_tiles_key_bytes(c), all = c->in.rows,
                   rows = row ? gp_classify_local_room(gp) / row : all,
                   sector = c->in.size == 8 ? 2 * SECTOR : SECTOR;
    return rows >= gp_min(sector / c->in.size, all);
}

static bool suits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    const uint64_t apart = gp_abs(c->in.row_stride) * c->in.size; // 0: the rows are one
    return !gp->caps.is_cpu && c->in.rows * c->in.count >= LEAST_ELEMENTS &&
           c->in.rows >= LEAST_SHARED && apart && apart <= SECTOR / LEAST_SHARED &&
           gp_abs(c->in.stride) * c->in.size >= LEAST_LINE && !has_sectors(gp, c);
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    const struct classify_ops *words = gp_classify_gpu_words.ops;
    const struct classification rows = turned(c);
    words->specialise(gp, &rows, variant, key);
}

static void lay_out(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *l)
{
    const struct classify_ops *words = gp_classify_gpu_words.ops;
    const struct classification call = turned(c);
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
// Columns to rows, and back

static void specialise_turn(const gpuprim *gp, const void *call,
                            const struct gp_variant *variant, struct gp_key *key)
{
    const struct turn *t = call;
    (void)gp;
    (void)variant;
    gp_define(key, "TYPE",
              t->size == 1   ? GPUPRIM_U8
              : t->size == 2 ? GPUPRIM_U16
              : t->size == 4 ? GPUPRIM_U32
                             : GPUPRIM_U64);
    gp_define(key, "TILE_ROWS", t->rows);
    gp_define(key, "TILE_COUNT", t->count);
}

static bool turns_all(const gpuprim *gp, const void *call)
{
    (void)gp;
    (void)call;
    return true;
}

static const struct gp_variant turn_variant = {
    .name = "turn",
    .fits = turns_all,
    .sources = (const char *const[]){ "classify/arguments.h", "classify/turn.cl", NULL },
    .work_group = TURN_GROUP,
};

static const struct gp_variant *const turn_variants[] = { &turn_variant };

// A part of classify that is planned and built as primitives are.
static const struct gp_primitive turn_primitive = {
    .name = "classify_turn",
    .variants = turn_variants,
    .n_variants = 1,
    .kernels = { "turn", "turn_back" },
    .local_bytes = 0,
    .specialise = specialise_turn,
};

// Bytes of scratch memory for an element.
static uint64_t element_bytes(const struct classification *c)
{
    return c->in.size + (turns_labels(c) ? c->labels.size : 0);
}

// Rows of the scratch memory, of elements and of labels, begin where lines of memory do.
static uint64_t pitch_of(const struct classification *c, uint64_t count)
{
    const uint64_t size = turns_labels(c) ? gp_min(c->in.size, c->labels.size) : c->in.size;
    const uint64_t line = 128 / size;
    return gp_ceil_div(count, line) * line;
}

void gp_classify_limit_turned(const gpuprim *gp, const struct classification *c,
                              struct gp_piece *piece)
{
    // Host arrays take the other half.
    const uint64_t bytes =
                       gp_classify_is_on_host(c) ? gp->staging_bytes / 2 : gp->staging_bytes,
                   room = bytes / element_bytes(c),
                   spans = c->in.rows * c->in.size / LEAST_SPAN,
                   least = gp_min(gp_ceil_div(c->in.rows, spans ? spans : 1), piece->rows);
    if (pitch_of(c, piece->count) * least > room) {
        const struct turn t = turn_of(c, &c->in);
        const uint64_t count = room / least;
        piece->rows = least;
        piece->count = gp_min(piece->count, count > t.count ? count : t.count);
        return;
    }
    piece->rows = gp_min(piece->rows, room / pitch_of(c, piece->count));
}

// Launches kernel `index` of turn.cl.
static int launch_turn(struct classify_run *run, const struct turn *t, unsigned index,
                       const struct gp_argument *from, const struct gp_argument *to,
                       const struct turn_arguments *arguments, bool last)
{
    struct gp_plan plan;
    cl_kernel kernel;
    int status = gp_plan(run->call.gp, &turn_primitive, t, &plan);
    const unsigned kinds = (from->is_svm ? GP_SVM_IN : 0u) | (to->is_svm ? GP_SVM_OUT : 0u);
    if (!status)
        status = gp_plan_kernel(&plan, index, kinds, &kernel);
    if (status)
        return status;
    const struct gp_argument list[] = { *from, *to, { arguments, sizeof *arguments, false } };
    const uint64_t tiles =
        gp_ceil_div(arguments->rows, t->rows) * gp_ceil_div(arguments->count, t->count);
    return gp_launch(&run->call, kernel, tiles, plan.program->work_group, list, 3, last);
}

// Columns that become rows of scratch memory from the element `rows_first` on.
static struct turn_arguments turn_arguments(const struct gp_piece *piece,
                                            const struct gp_bound *columns, uint64_t rows_first,
                                            uint64_t pitch)
{
    return (struct turn_arguments){ columns->first, columns->stride, columns->row_stride,
                                    rows_first,     pitch,           piece->rows,
                                    piece->count };
}

// The same rows, in *memory.
static struct gp_bound bind_rows(cl_mem *memory, const struct turn_arguments *turn)
{
    return (struct gp_bound){ .argument = { memory, sizeof *memory, false },
                              .first = (int64_t)turn->rows_first,
                              .stride = 1,
                              .row_stride = (int64_t)turn->pitch };
}

int gp_classify_run_turned(struct classify_run *run, const struct gp_piece *piece,
                           const struct gp_bound *in, const struct gp_bound *labels, bool last)
{
    const struct classification *c = run->c;
    const uint64_t pitch = pitch_of(c, piece->count), elements = piece->rows * pitch;
    cl_mem memory;
    int status = gp_call_memory(&run->call, GP_SEGMENTS, elements * element_bytes(c), &memory);
    if (status)
        return status;
    const struct turn turn = turn_of(c, &c->in);
    const struct turn_arguments there = turn_arguments(piece, in, 0, pitch);
    const struct gp_bound rows = bind_rows(&memory, &there);
    status = launch_turn(run, &turn, 0, &in->argument, &rows.argument, &there, false);
    if (status || !turns_labels(c))
        return status ? status : gp_classify_launch(run, piece, &rows, labels, last);
    const struct turn turn_labels = turn_of(c, &c->labels);
    const struct turn_arguments back =
        turn_arguments(piece, labels, elements * c->in.size / c->labels.size, pitch);
    const struct gp_bound row_labels = bind_rows(&memory, &back);
    status = gp_classify_launch(run, piece, &rows, &row_labels, false);
    return status ? status
                  : launch_turn(run, &turn_labels, 1, &row_labels.argument, &labels->argument,
                                &back, last);
}

int gp_classify_build_turned(gpuprim *gp, const struct classification *c, unsigned kinds)
{
    const struct turn turn = turn_of(c, &c->in);
    const unsigned there[GP_MAX_KERNELS] = { kinds & GP_SVM_IN };
    const int status = gp_plan_prepare(gp, &turn_primitive, &turn, there);
    if (status || !turns_labels(c))
        return status;
    const struct turn turn_labels = turn_of(c, &c->labels);
    const unsigned back[GP_MAX_KERNELS] = { 0, kinds & GP_SVM_OUT };
    return gp_plan_prepare(gp, &turn_primitive, &turn_labels, back);
}

unsigned gp_classify_turned_kinds(const struct classification *c, unsigned kinds)
{
    return kinds & ~(GP_SVM_IN | (turns_labels(c) ? GP_SVM_OUT : 0u));
}
