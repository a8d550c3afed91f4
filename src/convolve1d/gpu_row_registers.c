/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_row_registers: GPUs; many rows of a few elements. Its kernel,
 * kernels/convolve1d/gpu_row_registers.cl, says how an item takes one. */
#include "gpu_sizes.h"

enum {
    WORK_GROUP = 128,
    MOST_INPUTS = 48,  // of a row,
    MOST_OUTPUTS = 48, // both without limits of their own: these are what was measured
    MOST_WORDS = 144,  // registers that operands and sums take
    MOST_TAPS = 1024,  // as many as the kernel has code for
    MOST_CODE = 4096,  // multiply-adds of an item, which are all unrolled
    LEAST_ROWS = 512,
    MANY_ROWS = 1 << 20,
    ROW_SPAN = 256,       // bytes from a row to the next, in local memory
    MOST_STRIDE = 1 << 20 // with so many taps no position leaves 32 bits
};

// H200, driver 580.159, 2026-11-23, us before by gpu_tile, gpu_turn or gpu_folds, and so: f32,
// 96 taps, rows of 5 587, 306; 51 taps, rows of 13 503, 219; f16, 1 tap, rows of 43 to columns
// 209, 117; u16, 116 taps, step 7, rows of 35 119, 38. Fewer than 28000 rows and more than 48
// elements were not measured.

enum out_way { OUT_EACH, OUT_VECTORS, OUT_ELEMENTS };

// How rows lie that an item loads or stores. Single elements that are neighbours come faster by
// vectors, those of 4 bytes and more where rows are many.
static bool is_near(enum gpuprim_type type, int64_t stride, int64_t row_stride, uint64_t count,
                    uint64_t rows)
{
    if (count > 1)
        return gp_abs(row_stride) < gp_abs(stride);
    return gp_type_size(type) > 2 &&
           (rows < MANY_ROWS ? gp_abs(row_stride) <= 2 : gp_abs(row_stride) == 2);
}

static bool is_span(enum gpuprim_type type, int64_t stride, int64_t row_stride, uint64_t count,
                    uint64_t rows)
{
    const bool are_apart =
        row_stride > 0 &&
        (count == 1 || gp_abs(stride) <= (uint64_t)(row_stride - 1) / (count - 1));
    return !is_near(type, stride, row_stride, count, rows) && are_apart &&
           gp_abs(row_stride) * gp_type_size(type) <= ROW_SPAN;
}

// Words of a row of `elements` in local memory, where rows have a pad there: those that would
// lie in four banks or fewer. 0: they have none.
static uint32_t padded_words(enum gpuprim_type type, uint64_t elements)
{
    const uint64_t words = elements * gp_type_size(type) / 4;
    return gp_type_size(type) >= 4 && words % 8 == 0 ? (uint32_t)words : 0;
}

// Vectors of local memory for `rows` such rows, with pads.
static uint64_t span_vectors(uint64_t rows, enum gpuprim_type type, uint64_t elements)
{
    const uint64_t pad = gp_type_size(type) < 4 ? 0 : 8;
    return gp_ceil_div(rows * (elements * gp_type_size(type) + pad), 16) + 1;
}

// Elements of the history that outputs need.
static uint64_t past_of(const struct convolve_shape *s)
{
    return s->filter->left == GPUPRIM_HISTORY && s->origin < 0 ? (uint64_t)-s->origin : 0;
}

static enum out_way out_way(const struct convolve_shape *s)
{
    if (is_near(s->filter->out, s->out_stride, s->out_row_stride, s->outputs, s->rows) ||
        gp_abs(s->out_row_stride) * gp_type_size(s->filter->out) > ROW_SPAN)
        return OUT_EACH;
    const bool is_dense = s->outputs == 1 || s->out_stride == 1;
    return is_dense && s->out_row_stride == (int64_t)s->outputs ? OUT_VECTORS : OUT_ELEMENTS;
}

// Rows that an item takes: more than one where they are so short that a group would move little.
static unsigned item_rows(const gpuprim *gp, const struct convolve_shape *s)
{
    enum {
        MOST = 16,
        BYTES = 96,
        GROUPS = 32
    }; // of an item, about; of a compute unit, at least
    const struct gpuprim_filter *f = s->filter;
    if (!is_span(f->in, s->stride, s->row_stride, s->n, s->rows))
        return 1;
    const uint64_t bytes = gp_abs(s->row_stride) * gp_type_size(f->in) +
                           (past_of(s) ? f->halo : 0) * gp_type_size(f->in) +
                           s->outputs * gp_type_size(f->out);
    const uint64_t most = s->rows / ((uint64_t)WORK_GROUP * GROUPS * gp->caps.compute_units);
    unsigned rows = 1;
    while (rows < MOST && 2 * rows * bytes <= BYTES && 2 * rows <= most)
        rows *= 2;
    return rows;
}

// Vectors of local memory: the span of the inputs. An item's only results take their place.
static uint64_t room_of(const gpuprim *gp, const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const bool in_span = is_span(f->in, s->stride, s->row_stride, s->n, s->rows);
    const uint64_t rows = (uint64_t)WORK_GROUP * item_rows(gp, s);
    const uint64_t inputs = in_span ? span_vectors(rows, f->in, gp_abs(s->row_stride)) : 0;
    const uint64_t results = span_vectors(rows, f->out, s->outputs);
    return item_rows(gp, s) > 1 || inputs > results ? inputs : results;
}

// The same for results that have a place of their own.
static uint64_t results_room_of(const gpuprim *gp, const struct convolve_shape *s)
{
    const uint64_t rows = item_rows(gp, s);
    return rows > 1 && out_way(s) != OUT_EACH
               ? span_vectors(WORK_GROUP * rows, s->filter->out, s->outputs)
               : 0;
}

// The same for the history, if there is any.
static uint64_t past_room_of(const gpuprim *gp, const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    return past_of(s) && f->halo * gp_type_size(f->in) <= ROW_SPAN
               ? span_vectors((uint64_t)WORK_GROUP * item_rows(gp, s), f->in, f->halo)
               : 0;
}

// Instructions of a multiply-add.
static unsigned multiply_add(const struct gpuprim_filter *f)
{
    return f->in != GPUPRIM_C32 ? 1 : f->taps_type == GPUPRIM_C32 ? 4 : 2;
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct convolve_shape *s = call;
    const struct gpuprim_filter *f = s->filter;
    const uint64_t held = s->n + 2 + past_of(s);
    if (gp->caps.is_cpu || f->rows > 1 || s->n < 1 || s->n > MOST_INPUTS ||
        s->outputs > MOST_OUTPUTS || f->taps > MOST_TAPS || f->stride > MOST_STRIDE ||
        f->dilation > MOST_STRIDE || past_of(s) > f->halo || s->origin > MOST_STRIDE ||
        s->origin < -((int64_t)1 << 30) || !gp_convolve_takes_taps(gp, f, 0))
        return false;
    return held * gp_convolve_operand_bytes(f) + s->outputs * gp_convolve_sum_bytes(f) <=
               4 * MOST_WORDS &&
           s->outputs * f->taps * multiply_add(f) <= MOST_CODE &&
           16 * (room_of(gp, s) + past_room_of(gp, s) + results_room_of(gp, s)) <=
               gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
}

static bool suits(const gpuprim *gp, const void *call)
{
    (void)gp;
    const struct convolve_shape *s = call;
    return s->rows >= LEAST_ROWS;
}

static void specialise(const gpuprim *gp, const struct convolve_shape *s,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    const struct gpuprim_filter *f = s->filter;
    const bool in_span = is_span(f->in, s->stride, s->row_stride, s->n, s->rows);
    key->work_group = WORK_GROUP;
    gp_define(key, "VEC_N", 16 / gp_convolve_operand_bytes(f));
    gp_define(key, "TAPS", (uint32_t)f->taps);
    gp_define(key, "STEP", (uint32_t)f->stride);
    gp_define(key, "DILATION", (uint32_t)f->dilation);
    gp_define(key, "N", (uint32_t)s->n);
    gp_define(key, "OUTPUTS", (uint32_t)s->outputs);
    gp_define(key, "ORIGIN", (uint32_t)s->origin);
    gp_define(key, "PAST", (uint32_t)past_of(s));
    gp_define(key, "LEFT", f->left == GPUPRIM_ZERO ? GPUPRIM_CONSTANT : f->left);
    gp_define(key, "RIGHT", f->right == GPUPRIM_ZERO ? GPUPRIM_CONSTANT : f->right);
    gp_define(key, "IN_SPAN", in_span);
    gp_define(key, "OUT_WAY", out_way(s));
    gp_define(key, "IN_WORDS", in_span ? padded_words(f->in, gp_abs(s->row_stride)) : 0);
    gp_define(key, "OUT_WORDS",
              out_way(s) == OUT_VECTORS ? padded_words(f->out, s->outputs) : 0);
    gp_define(key, "ITEM_ROWS", item_rows(gp, s));
    gp_define(key, "ROOM", (uint32_t)room_of(gp, s));
    gp_define(key, "PAST_ROOM", (uint32_t)past_room_of(gp, s));
}

static void lay_out(const gpuprim *gp, const struct convolve_shape *s,
                    const struct gp_variant *variant, unsigned work_group,
                    struct convolve_layout *l)
{
    (void)variant;
    l->groups = gp_ceil_div(s->rows, (uint64_t)work_group * item_rows(gp, s));
}

static void count(const gpuprim *gp, const struct convolve_shape *s, struct convolve_work *w)
{
    // Lines of rows that lie far apart and are wide leave the caches before an item has read
    // them. H200, driver 580.159.04, 2026-11-28, f32, 20 taps, dilation 4, rows of 35, 68
    // apart: 421 us, the estimate 169 by FAR; by gpu_folds 254.
    enum { FAR = 8, FAR_WIDE = 32, WIDE = 96 };
    // So do those of rows whose elements lie apart, in some sectors. H200, driver 580.159.04,
    // 2026-12-01, us, the estimate without FAR_PASSES, by gpu_folds: f16, 167 taps, 8 elements, each
    // 26th, 2735, 1105, 1071; u16 to u8, 63 taps, 33, each 12th, 2102, 611, 622; f32, 2 taps, 20, each
    // 11th, to columns 578, 525, 399; but c32, 146 taps, 4, each 17th, 261, 298 by gpu_folds. Nine
    // that gpu_tile took anyway: 1.5 to 3.5 times as long as by gpu_folds.
    enum { SECTOR = 32, SOME_BYTES = 160 };
    const double FAR_PASSES = 1.5;
    const struct gpuprim_filter *f = s->filter;
    const double rows = (double)s->rows;
    const bool is_wide = s->n * gp_type_size(f->in) > WIDE;
    const bool in_span = is_span(f->in, s->stride, s->row_stride, s->n, s->rows);
    const bool is_far = !is_near(f->in, s->stride, s->row_stride, s->n, s->rows) && !in_span;
    const bool out_is_far =
        out_way(s) == OUT_EACH &&
        !is_near(s->filter->out, s->out_stride, s->out_row_stride, s->outputs, s->rows);
    w->items = (double)gp_ceil_div(s->rows, WORK_GROUP * item_rows(gp, s)) * WORK_GROUP;
    w->outputs = w->products = rows * (double)s->outputs;
    w->loads = rows * ((double)s->n * (!is_far   ? 1
                                       : is_wide ? FAR_WIDE
                                                 : FAR) +
                       (double)past_of(s) * (past_room_of(gp, s) ? 1 : FAR));
    w->stores = w->outputs * (out_is_far ? FAR : 1);
    // Gaps between rows are moved, too.
    w->is_ragged = in_span && gp_abs(s->row_stride) > s->n * gp_abs(s->stride);
    const uint64_t apart = gp_abs(s->stride) * gp_type_size(f->in);
    const bool is_spread = gp_abs(s->stride) > 1 && s->n * gp_min(apart, SECTOR) > SOME_BYTES;
    w->passes = is_far && is_spread ? FAR_PASSES : 0;
}

static uint64_t own_rows(const gpuprim *gp, const struct convolve_shape *s)
{
    return (uint64_t)WORK_GROUP * item_rows(gp, s);
}

static const struct convolve_ops ops = {
    .count = count,
    .rates = { .start = 1,
               .item = 100,
               .output = 10,
               .load = 8,
               .store = 10,
               .passes = 1.3,
               .ragged = 0.9 },
    .specialise = specialise,
    .lay_out = lay_out,
    .by_value = true,
    .why = "an item holds a row of a few elements in registers",
    .updates_history = true,
    .own_rows = own_rows,
};

const struct gp_variant gp_convolve_gpu_row_registers = {
    .name = "gpu_row_registers",
    .fits = fits,
    .suits = suits,
    .cost = gp_convolve_cost,
    .sources = CONVOLVE_SOURCES("convolve1d/gpu_vectors.cl", "convolve1d/gpu_row_spans.cl",
                                "convolve1d/gpu_row_registers.cl"),
    .ops = &ops,
};
