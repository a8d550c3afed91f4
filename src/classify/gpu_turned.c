/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_turned of classify: columns with so many counts of each that a group has room
 * for those of one. By gpu_words each group would read the whole sectors of memory in which its
 * column's elements lie. Instead the columns are first brought to rows in scratch memory, by
 * the kernel kernels/classify/turn.cl, and gpu_words counts these. Large calls go piece by
 * piece. */
#include "words.h"

enum {
    TURN_GROUP = 256,
    TILE_BYTES = 16384, // without the pad of its lines
    LEAST_TILE_ROWS = 4,
    MOST_TILE_ROWS = 64,
    SECTOR = 32,      // bytes that memory gives at least
    LEAST_SHARED = 4, // columns of a sector
    // Bytes from element to element of a column: of fewer the lines of memory that a group
    // reads have more than one of its elements. H100, driver 580.159.04, 2026-11-27, us by
    // gpu_words and by this: f16, 42 797 counts of each of 287 columns, 574 bytes 1000 535;
    // f32, 55 578 counts of 19, 144 bytes 313 312; f16, 47 822 counts of 14, 28 bytes 560 590.
    // Fewer counts, other types and distances between these have not been measured.
    LEAST_LINE = 256,
    LEAST_ELEMENTS = 1 << 22, // not measured
};

// The call for gpu_words. Pieces come one after the other, as those of host arrays do.
static struct classification turned(const struct classification *c)
{
    struct classification rows = *c;
    rows.in.memory = GPUPRIM_HOST;
    rows.in.stride = 1;
    rows.in.row_stride = (int64_t)c->in.count;
    return rows;
}

static unsigned tile_rows(const struct classification *c)
{
    unsigned rows = LEAST_TILE_ROWS;
    while (rows < MOST_TILE_ROWS && rows < c->in.rows)
        rows *= 2;
    return rows;
}

static unsigned tile_count(const struct classification *c)
{
    return TILE_BYTES / (unsigned)c->in.size / tile_rows(c);
}

// Elements of a line of a tile, with a pad: an odd number of words, or of elements of 8 bytes.
static unsigned tile_line(const struct classification *c)
{
    return tile_rows(c) + (c->in.size < 4 ? 4 / (unsigned)c->in.size : 1);
}

static uint64_t tile_bytes(const struct classification *c)
{
    return (uint64_t)tile_count(c) * tile_line(c) * c->in.size;
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    const struct classification rows = turned(c);
    return !c->has_labels && gp_classify_has_row_counts(c) && c->in.rows > 1 && c->in.count &&
           gp_classify_is_by_columns(&c->in) && gp_classify_gpu_words.fits(gp, &rows) &&
           tile_bytes(c) <= gp_classify_local_room(gp);
}

// gpu_tiles has been asked before.
static bool suits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    const uint64_t apart = gp_abs(c->in.row_stride) * c->in.size; // 0: the rows are one
    return !gp->caps.is_cpu && c->in.rows * c->in.count >= LEAST_ELEMENTS &&
           c->in.rows >= LEAST_SHARED && apart && apart <= SECTOR / LEAST_SHARED &&
           gp_abs(c->in.stride) * c->in.size >= LEAST_LINE;
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
// Columns to rows

static void specialise_turn(const gpuprim *gp, const void *call,
                            const struct gp_variant *variant, struct gp_key *key)
{
    const struct classification *c = call;
    (void)gp;
    (void)variant;
    gp_define(key, "TYPE", c->in.type);
    gp_define(key, "TILE_ROWS", tile_rows(c));
    gp_define(key, "TILE_COUNT", tile_count(c));
    gp_define(key, "LINE", tile_line(c));
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
    .kernels = { "turn" },
    .local_bytes = 0,
    .specialise = specialise_turn,
};

// Rows of the scratch memory begin where lines of memory do.
static uint64_t pitch_of(const struct classification *c, uint64_t count)
{
    const uint64_t line = 128 / c->in.size;
    return gp_ceil_div(count, line) * line;
}

void gp_classify_limit_turned(const gpuprim *gp, const struct classification *c,
                              struct gp_piece *piece)
{
    const uint64_t room = gp->staging_bytes / 2 / c->in.size, tile = tile_rows(c),
                   least = gp_min(tile, piece->rows);
    if (pitch_of(c, piece->count) * least > room) {
        const uint64_t count = room / least;
        piece->rows = least;
        piece->count = gp_min(piece->count, count > tile_count(c) ? count : tile_count(c));
        return;
    }
    const uint64_t rows = room / pitch_of(c, piece->count);
    piece->rows = gp_min(piece->rows, rows > tile ? rows / tile * tile : rows);
}

int gp_classify_turn(struct classify_run *run, const struct gp_piece *piece,
                     const struct gp_bound *in, struct gp_bound *out)
{
    const struct classification *c = run->c;
    const uint64_t pitch = pitch_of(c, piece->count), rows = tile_rows(c),
                   count = tile_count(c);
    const struct turn_arguments arguments = { in->first,   in->stride,   in->row_stride,
                                              piece->rows, piece->count, pitch };
    struct gp_plan plan;
    cl_kernel kernel;
    *out = (struct gp_bound){ .stride = 1, .row_stride = (int64_t)pitch };
    out->argument = (struct gp_argument){ &out->memory, sizeof out->memory, false };
    int status = gp_plan(run->call.gp, &turn_primitive, c, &plan);
    if (!status)
        status = gp_plan_kernel(&plan, 0, in->argument.is_svm ? GP_SVM_IN : 0, &kernel);
    if (!status)
        status = gp_call_memory(&run->call, GP_SEGMENTS, piece->rows * pitch * c->in.size,
                                &out->memory);
    if (status)
        return status;
    const struct gp_argument list[] = { in->argument,
                                        out->argument,
                                        { &arguments, sizeof arguments, false } };
    const uint64_t tiles = gp_ceil_div(piece->rows, rows) * gp_ceil_div(piece->count, count);
    return gp_launch(&run->call, kernel, tiles, plan.program->work_group, list, 3, false);
}

int gp_classify_build_turn(gpuprim *gp, const struct classification *c, unsigned kind)
{
    const unsigned kinds[GP_MAX_KERNELS] = { kind };
    return gp_plan_prepare(gp, &turn_primitive, c, kinds);
}
