/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: which variant takes a call on a GPU. Of those that suit a shape it
 * is the one of the least cost, and for shapes that one variant is made for it is that one.
 * Nothing is built: the context is one of the device at hand, with the limits of a large
 * GPU. suite.c runs this file. */
#include "case.h"

#include <string.h>

#include "src/convolve1d/arguments.h"
#include "src/convolve1d/convolve1d.h"

struct convolve_shape convolve_shape_of(const struct gpuprim_filter *f, uint64_t rows,
                                        uint64_t n, enum convolve_rows layout)
{
    const bool columns_in = layout == AS_COLUMNS || layout == COLUMNS_TO_ROWS,
               columns_out = layout == AS_COLUMNS || layout == ROWS_TO_COLUMNS;
    struct convolve_shape s = {
        .filter = f, .n = n, .outputs = (n + f->stride - 1) / f->stride, .rows = rows
    };
    s.stride = columns_in ? (int64_t)rows : 1;
    s.row_stride = columns_in ? 1 : (int64_t)n;
    s.out_stride = columns_out ? (int64_t)rows : 1;
    s.out_row_stride = columns_out ? 1 : (int64_t)s.outputs;
    gp_convolve_derive(&s);
    return s;
}

struct gpuprim_filter convolve_filter_of(gpuprim *gp, enum gpuprim_type type, uint64_t taps,
                                         uint64_t stride, uint64_t dilation)
{
    return (struct gpuprim_filter){ .gp = gp,
                                    .taps_type = GPUPRIM_F32,
                                    .in = type,
                                    .out = type,
                                    .taps = taps,
                                    .rows = 1,
                                    .stride = stride,
                                    .dilation = dilation,
                                    .halo = (taps - 1) * dilation,
                                    .size = 4 };
}

gpuprim *convolve_large_gpu(struct check *check)
{
    gpuprim *gp = NULL;
    if (!CHECK(check, gpuprim_create(NULL, &gp) == GPUPRIM_OK, "%s", gpuprim_last_error()))
        return NULL;
    gp->caps.is_cpu = false;
    gp->caps.compute_units = 132;
    gp->caps.width = 32;
    gp->caps.local_bytes = 48 << 10;
    gp->caps.max_parameter_bytes = 4352;
    gp->force_variant[0] = '\0';
    return gp;
}

// Shapes that one variant is made for.
static const struct made_for {
    const char *variant;
    enum gpuprim_type type;
    uint64_t taps, stride, dilation, rows, n;
    enum convolve_rows layout;
    bool own_taps;
} made_for[] = {
    { "gpu_register_window", GPUPRIM_F32, 129, 1, 1, 1, 1 << 28, AS_ROWS, false },
    { "gpu_tile", GPUPRIM_F32, 5, 1, 1, 100000, 100, AS_ROWS, false },
    { "gpu_tile", GPUPRIM_F32, 9, 4, 1, 1, 1 << 26, AS_ROWS, false },
    { "gpu_tile", GPUPRIM_F32, 9, 1, 1, 1, 10000, AS_ROWS, false }, // few outputs for an item
    { "gpu_tile", GPUPRIM_F16, 64, 7, 1, 189430, 2840, AS_ROWS, true },
    { "gpu_tap_chunks", GPUPRIM_F32, 30, 1, 1, 1000000, 40, AS_ROWS,
      true }, // few items of a row
    { "gpu_tap_chunks", GPUPRIM_F32, 577, 7, 1, 37, 1705311, AS_ROWS, false },
    { "gpu_roll", GPUPRIM_F32, 72, 5, 1, 6077, 10687, COLUMNS_TO_ROWS, true },
    { "gpu_walk", GPUPRIM_F32, 3, 1, 1, 4096, 4096, AS_COLUMNS, false },
    { "gpu_walk", GPUPRIM_C32, 2, 1, 1, 77, 500000, AS_COLUMNS, false },
    { "gpu_walk", GPUPRIM_C32, 17, 1, 1, 533, 78768, AS_COLUMNS, false },
    { "gpu_walk", GPUPRIM_F32, 8, 1, 1, 4096, 4096, AS_COLUMNS, true },
    { "gpu_walk", GPUPRIM_U8, 2, 2, 1, 1000, 1 << 17, AS_COLUMNS, true },
    { "gpu_folds", GPUPRIM_F32, 3721, 1, 1, 1000000, 38, AS_ROWS, false },
    { "gpu_places", GPUPRIM_F32, 461, 1, 16, 1911, 97, AS_COLUMNS, false },
    { "gpu_roll", GPUPRIM_F32, 65, 1, 1, 4096, 4096, AS_COLUMNS, false },
    { "gpu_turn", GPUPRIM_F32, 3, 1, 1, 100000, 300, ROWS_TO_COLUMNS, false },
    { "gpu_stretches", GPUPRIM_U8, 4, 1, 1, 200000, 420, AS_ROWS, false },
    { "gpu_stretches", GPUPRIM_U8, 3, 1, 17, 26212318, 59, AS_ROWS, false },
    { "gpu_tile", GPUPRIM_U8, 2, 1, 1, 6533, 263, AS_ROWS,
      false }, // few groups by gpu_stretches
    { "gpu_row_registers", GPUPRIM_F32, 33, 1, 1, 1000000, 5, AS_ROWS, false },
    { "gpu_narrow", GPUPRIM_U8, 9, 1, 1, 1, 1 << 28, AS_ROWS, false },
    { "gpu_tap_chunks", GPUPRIM_F32, 1000, 1, 1, 1, 1 << 26, AS_ROWS, false },
    { "gpu_tap_chunks", GPUPRIM_F32, 300, 1, 1, 4096, 4096, AS_COLUMNS, true },
    { "gpu_roll", GPUPRIM_F32, 40, 1, 1, 4096, 4096, AS_COLUMNS, true },
    { "gpu_turn", GPUPRIM_F32, 19, 1, 21, 224, 147307, COLUMNS_TO_ROWS, true },
    { "gpu_turn", GPUPRIM_F32, 4, 1, 14, 9747, 7783, ROWS_TO_COLUMNS, true },
    { "gpu_narrow", GPUPRIM_U8, 2, 1, 1, 1, 1 << 28, AS_ROWS, false },
    // Rows come as words; most inputs meet no tap; lines are loaded for few outputs.
    { "gpu_tap_chunks", GPUPRIM_F16, 85, 7, 7, 1, 801657207, AS_ROWS, false },
    { "gpu_tile", GPUPRIM_F32, 965, 1, 1, 1, 94675211, AS_ROWS, false }, // many taps of a row
    { "gpu_transposed", GPUPRIM_F32, 2, 8, 1, 1941, 134580, COLUMNS_TO_ROWS, false },
    // Items read much of local memory for few outputs.
    { "gpu_tile", GPUPRIM_U16, 150, 6, 1, 5, 94510322, AS_COLUMNS, false },
    { "gpu_walk", GPUPRIM_U8, 15, 8, 1, 90, 17601878, AS_COLUMNS, false }, // many inputs of one
    { "gpu_tap_chunks", GPUPRIM_F32, 188, 4, 1, 15, 21528554, AS_COLUMNS,
      false },                                                              // many sums of one
    { "gpu_walk", GPUPRIM_F64, 23, 1, 15, 1725, 77011, AS_COLUMNS, false }, // few words of sums
};

static void takes(struct check *check, gpuprim *gp)
{
    for (unsigned i = 0; i < sizeof made_for / sizeof *made_for; i++) {
        const struct made_for *m = &made_for[i];
        struct gpuprim_filter f =
            convolve_filter_of(gp, m->type, m->taps, m->stride, m->dilation);
        f.rows = m->own_taps ? m->rows : 1;
        const struct convolve_shape s = convolve_shape_of(&f, m->rows, m->n, m->layout);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
        check->cases++;
        CHECK(check, v && strcmp(v->name, m->variant) == 0, "shape %u: %s, not %s", i,
              v ? v->name : "none", m->variant);
    }
}

// Columns of a matrix, of which both arrays have a part.
static void takes_parts(struct check *check, gpuprim *gp)
{
    static const struct {
        const char *variant;
        enum gpuprim_type in, out;
        uint64_t taps, columns, n;
        int64_t width, out_width;
        uint64_t stride, dilation;
        enum convolve_rows layout;
    } parts[] = {
        { "gpu_tile", GPUPRIM_F64, GPUPRIM_F64, 7, 11, 2198984, 12, 12, 1, 1, AS_COLUMNS },
        { "gpu_tile", GPUPRIM_F32, GPUPRIM_F32, 16, 47, 963634, 86, 60, 1, 1, AS_COLUMNS },
        { "gpu_tile", GPUPRIM_F16, GPUPRIM_F32, 10, 50, 1024787, 69, 75, 1, 1, AS_COLUMNS },
        { "gpu_walk", GPUPRIM_F32, GPUPRIM_F32, 3, 400, 100000, 500, 500, 1, 1, AS_COLUMNS },
        // Few of the lines are written, and in parts of sectors.
        { "gpu_walk", GPUPRIM_F16, GPUPRIM_F16, 7, 11, 36983056, 12, 13, 3, 1, AS_COLUMNS },
        { "gpu_roll", GPUPRIM_U8, GPUPRIM_U8, 35, 17, 45552800, 26, 26, 3, 5, AS_COLUMNS },
        // Many taps with a step: gpu_roll has no room, or sums are few, or many.
        { "gpu_walk", GPUPRIM_U8, GPUPRIM_I16, 21, 159, 1691194, 237, 232, 8, 1, AS_COLUMNS },
        { "gpu_walk", GPUPRIM_F32, GPUPRIM_I16, 214, 499, 623099, 499, 499, 6, 1, AS_COLUMNS },
        { "gpu_walk", GPUPRIM_F16, GPUPRIM_F16, 41, 2525, 235039, 2525, 2525, 4, 1,
          AS_COLUMNS },
        { "gpu_roll", GPUPRIM_F16, GPUPRIM_F16, 113, 2525, 235039, 2525, 2525, 3, 1,
          AS_COLUMNS },
        // Rows of outputs that begin anywhere in sectors, and with one.
        { "gpu_turn", GPUPRIM_F16, GPUPRIM_F32, 3, 11952, 10870, 13762, 1, 1, 1,
          COLUMNS_TO_ROWS },
        { "gpu_roll", GPUPRIM_F16, GPUPRIM_F32, 3, 11952, 10872, 13762, 1, 1, 1,
          COLUMNS_TO_ROWS },
    };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct gpuprim_filter f = convolve_filter_of(gp, parts[i].in, parts[i].taps,
                                                     parts[i].stride, parts[i].dilation);
        f.out = parts[i].out;
        f.taps_type = parts[i].in == GPUPRIM_F64 ? GPUPRIM_F64 : GPUPRIM_F32;
        f.size = gp_type_size(f.taps_type);
        struct convolve_shape s =
            convolve_shape_of(&f, parts[i].columns, parts[i].n, parts[i].layout);
        s.stride = parts[i].width;
        s.out_stride = parts[i].out_width;
        gp_convolve_derive(&s);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
        check->cases++;
        CHECK(check, v && strcmp(v->name, parts[i].variant) == 0, "part %u: %s, not %s", i,
              v ? v->name : "none", parts[i].variant);
    }
}

// Every k-th element of rows: what items load side by side lies in few lines of the cache.
static void takes_every(struct check *check, gpuprim *gp)
{
    static const struct {
        const char *variant;
        enum gpuprim_type type;
        uint64_t taps, stride, rows, n;
        int64_t every;
    } calls[] = { { "gpu_tap_chunks", GPUPRIM_F16, 281, 5, 2045, 80549, 5 },
                  { "gpu_tap_chunks", GPUPRIM_F32, 157, 3, 771, 141027, 3 },
                  { "gpu_tile", GPUPRIM_F16, 289, 3, 23854, 2147, 10 },
                  // Rows that reach over many sectors, and over few.
                  { "gpu_folds", GPUPRIM_F16, 167, 1, 4326762, 8, 26 },
                  { "gpu_row_registers", GPUPRIM_C32, 146, 2, 1601123, 4, 17 } };
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct gpuprim_filter f =
            convolve_filter_of(gp, calls[i].type, calls[i].taps, calls[i].stride, 1);
        struct convolve_shape s = convolve_shape_of(&f, calls[i].rows, calls[i].n, AS_ROWS);
        s.stride = calls[i].every;
        s.row_stride *= calls[i].every;
        gp_convolve_derive(&s);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
        check->cases++;
        CHECK(check, v && strcmp(v->name, calls[i].variant) == 0, "every %u: %s, not %s", i,
              v ? v->name : "none", calls[i].variant);
    }
}

// Which variant takes integers on a GPU that multiplies matrices of bytes. gpu_transposed is not asked.
static void takes_integers(struct check *check, gpuprim *gp, enum gpuprim_type type,
                           uint64_t taps, uint64_t step, uint64_t dilation, uint64_t rows,
                           uint64_t n, const struct gp_variant *wanted)
{
    struct gpuprim_filter f = convolve_filter_of(gp, type, taps, step, dilation);
    f.taps_type = GPUPRIM_I32;
    f.tap_bytes = 2;
    f.sum_bits = 31;
    f.taps_are_finite = true;
    f.right = GPUPRIM_CONSTANT;
    f.constant[1] = 1;
    struct convolve_shape s = convolve_shape_of(&f, rows, n, ROWS_TO_COLUMNS);
    s.origin = -(int64_t)f.halo / 2;
    const unsigned ptx = gp->caps.ptx;
    gp->caps.ptx = 90;
    const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d_part, &s);
    gp->caps.ptx = ptx;
    check->cases++;
    CHECK(check, v == wanted, "%u integer taps: %s, not %s", (unsigned)taps,
          v ? v->name : "none", wanted->name);
}

// Bytes that are multiplied as matrices are not taken apart, with a step neither. What stands beyond the
// ends of rows that are much shorter than the reach of the taps takes longer than these products.
static void takes_bytes(struct check *check, gpuprim *gp)
{
    takes_integers(check, gp, GPUPRIM_I8, 81, 6, 1, 23635, 50588,
                   &gp_convolve_gpu_byte_matrices);
    takes_integers(check, gp, GPUPRIM_I16, 3910, 1, 27, 12210, 1767,
                   &gp_convolve_gpu_tap_chunks);
}

// Tiles of few outputs load most inputs several times.
static void takes_short_tiles(struct check *check, gpuprim *gp)
{
    takes_integers(check, gp, GPUPRIM_U8, 48, 1, 1, 52, 2119, &gp_convolve_gpu_tap_chunks);
}

// Small calls with many taps, for which items of few outputs wait, with more than 512 longer.
static void takes_many_taps(struct check *check, gpuprim *gp)
{
    static const struct {
        uint64_t taps, rows, n;
    } calls[] = { { 900, 155, 1841 }, { 500, 1, 285355 } };
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct gpuprim_filter f =
            convolve_filter_of(gp, GPUPRIM_F32, calls[i].taps, 1, 1);
        const struct convolve_shape s =
            convolve_shape_of(&f, calls[i].rows, calls[i].n, AS_ROWS);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
        check->cases++;
        CHECK(check, v == &gp_convolve_gpu_tap_chunks, "%u taps: %s", (unsigned)calls[i].taps,
              v ? v->name : "none");
    }
}

// Rows of bytes that have two to five tiles. A group could take more tiles than a row has, and the
// estimate counts those of the row.
static void takes_few_tiles(struct check *check, gpuprim *gp)
{
    static const struct {
        uint64_t taps, rows, n;
    } calls[] = { { 9, 33554, 8000 }, { 15, 33554, 8000 }, { 3, 13421, 20000 } };
    static const float values[15];
    const unsigned ptx = gp->caps.ptx;
    gp->caps.ptx = 90;
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct gpuprim_filter f = convolve_filter_of(gp, GPUPRIM_U8, calls[i].taps, 1, 1);
        f.taps_type = GPUPRIM_I32;
        f.tap_bytes = 1;
        f.sum_bits = 16;
        f.sums_in_f32 = f.taps_are_i8 = f.taps_are_finite = true;
        f.values = (void *)values;
        struct convolve_shape s = convolve_shape_of(&f, calls[i].rows, calls[i].n, AS_ROWS);
        s.origin = -(int64_t)f.halo / 2;
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
        check->cases++;
        CHECK(check, v == &gp_convolve_gpu_narrow, "%u taps, rows of %u: %s",
              (unsigned)calls[i].taps, (unsigned)calls[i].n, v ? v->name : "none");
    }
    gp->caps.ptx = ptx;
}

// A result of 64 bits takes a few instructions, and no more by one variant than by another.
static void takes_long_results(struct check *check, gpuprim *gp)
{
    struct gpuprim_filter f = convolve_filter_of(gp, GPUPRIM_I32, 30, 1, 1);
    f.taps_type = GPUPRIM_I32;
    f.out = GPUPRIM_I64;
    f.tap_bytes = 1;
    f.sum_bits = 40;
    f.taps_are_finite = true;
    const struct convolve_shape s = convolve_shape_of(&f, 134, 1640497, AS_ROWS);
    const unsigned ptx = gp->caps.ptx;
    gp->caps.ptx = 90;
    const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
    gp->caps.ptx = ptx;
    check->cases++;
    CHECK(check, v == &gp_convolve_gpu_register_window, "i64: %s", v ? v->name : "none");
}

// Calls of which the estimates of 2026-11-30 chose a slower variant.
static void takes_sums(struct check *check, gpuprim *gp)
{
    static const struct {
        const char *variant;
        enum gpuprim_type in, out;
        unsigned taps, sum_bits; // 0: f32 taps
        bool sums_in_f64;
        uint64_t stride, dilation, rows, n;
        enum convolve_rows layout;
        enum gpuprim_boundary left;
    } calls[] = {
        { "gpu_tile", GPUPRIM_I32, GPUPRIM_U8, 4, 61, false, 1, 12, 1, 269984896, AS_ROWS,
          GPUPRIM_CONSTANT },
        { "gpu_tile", GPUPRIM_U8, GPUPRIM_U8, 12, 42, true, 1, 2, 5, 339400184, AS_COLUMNS,
          GPUPRIM_CONSTANT },
        { "gpu_byte_matrices", GPUPRIM_U8, GPUPRIM_I16, 4, 31, false, 8, 2, 1, 786654372,
          AS_ROWS, GPUPRIM_CONSTANT },
        { "gpu_folds", GPUPRIM_U8, GPUPRIM_I16, 143, 31, false, 3, 1, 7016758, 79, AS_ROWS,
          GPUPRIM_REFLECT_HALF },
        { "gpu_byte_matrices", GPUPRIM_U8, GPUPRIM_U8, 577, 31, false, 1, 5, 3, 59064,
          AS_COLUMNS, GPUPRIM_CONSTANT },
        { "gpu_tap_chunks", GPUPRIM_I16, GPUPRIM_F16, 598, 0, false, 1, 1, 37, 6572,
          ROWS_TO_COLUMNS, GPUPRIM_EDGE },
    };
    const unsigned ptx = gp->caps.ptx;
    gp->caps.ptx = 90;
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct gpuprim_filter f = convolve_filter_of(gp, calls[i].in, calls[i].taps,
                                                     calls[i].stride, calls[i].dilation);
        f.out = calls[i].out;
        f.taps_type = calls[i].sum_bits ? GPUPRIM_I32 : GPUPRIM_F32;
        f.tap_bytes = 4;
        f.sum_bits = calls[i].sum_bits;
        f.sums_in_f64 = calls[i].sums_in_f64;
        f.taps_are_finite = true;
        f.left = calls[i].left;
        f.right = GPUPRIM_CONSTANT;
        f.constant[1] = 1;
        struct convolve_shape s =
            convolve_shape_of(&f, calls[i].rows, calls[i].n, calls[i].layout);
        s.origin = -(int64_t)f.halo / 2;
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
        check->cases++;
        CHECK(check, v && strcmp(v->name, calls[i].variant) == 0, "sums %u: %s, not %s", i,
              v ? v->name : "none", calls[i].variant);
    }
    gp->caps.ptx = ptx;
}

// From 1 to 2^16, short ones as often as long ones.
static uint64_t some(struct check *check)
{
    return 1 + check_below(check, (uint64_t)1 << check_below(check, 17));
}

static void compares(struct check *check, gpuprim *gp)
{
    static const enum gpuprim_type types[] = { GPUPRIM_U8, GPUPRIM_F16, GPUPRIM_F32 };
    const struct gp_primitive *p = &gp_primitive_convolve1d;
    const struct gpuprim_filter f =
        convolve_filter_of(gp, types[check_below(check, 3)], 1 + check_below(check, 400),
                           1 + check_below(check, 9), 1 + check_below(check, 40));
    const struct convolve_shape s = convolve_shape_of(
        &f, some(check), some(check), (enum convolve_rows)check_below(check, 4));
    const struct gp_variant *own = gp_variant_pick(gp, p, &s);
    check->cases++;
    if (!CHECK(check, own && own->cost, "%s has no cost", own ? own->name : "none"))
        return;
    for (unsigned i = 0; i < p->n_variants; i++) {
        const struct gp_variant *v = p->variants[i];
        if (!v->cost || !v->fits(gp, &s))
            continue;
        const double cost = v->cost(gp, v, &s);
        CHECK(check, cost > 0 && cost < 1e15, "%s: %g us", v->name, cost);
        CHECK(check, (v->suits && !v->suits(gp, &s)) || cost >= own->cost(gp, own, &s),
              "%s takes %g us, %s %g", v->name, cost, own->name, own->cost(gp, own, &s));
    }
}

void convolve_costs_run(struct check *check)
{
    if (!check_begin(check, "convolve1d/costs"))
        return;
    gpuprim *gp = convolve_large_gpu(check);
    if (gp) {
        takes(check, gp);
        takes_parts(check, gp);
        takes_every(check, gp);
        takes_bytes(check, gp);
        takes_few_tiles(check, gp);
        takes_short_tiles(check, gp);
        takes_many_taps(check, gp);
        takes_long_results(check, gp);
        takes_sums(check, gp);
        for (int i = 0; i < 300; i++)
            compares(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}
