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

// How `rows` rows of `n` elements lie in the input and in the output.
enum layout { ROWS, COLUMNS, TO_COLUMNS, TO_ROWS };

static struct convolve_shape shape_of(const struct gpuprim_filter *f, uint64_t rows, uint64_t n,
                                      enum layout layout)
{
    const bool columns_in = layout == COLUMNS || layout == TO_ROWS,
               columns_out = layout == COLUMNS || layout == TO_COLUMNS;
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

// Shapes that one variant is made for.
static const struct made_for {
    const char *variant;
    enum gpuprim_type type;
    uint64_t taps, stride, dilation, rows, n;
    enum layout layout;
    bool own_taps;
} made_for[] = {
    { "gpu_register_window", GPUPRIM_F32, 129, 1, 1, 1, 1 << 28, ROWS, false },
    { "gpu_tile", GPUPRIM_F32, 5, 1, 1, 100000, 100, ROWS, false },
    { "gpu_tile", GPUPRIM_F32, 9, 4, 1, 1, 1 << 26, ROWS, false },
    { "gpu_tile", GPUPRIM_F32, 9, 1, 1, 1, 10000, ROWS, false }, // few outputs for an item
    { "gpu_tile", GPUPRIM_F16, 64, 7, 1, 189430, 2840, ROWS, true },
    { "gpu_tap_chunks", GPUPRIM_F32, 30, 1, 1, 1000000, 40, ROWS, true }, // few items of a row
    { "gpu_tap_chunks", GPUPRIM_F32, 577, 7, 1, 37, 1705311, ROWS, false },
    { "gpu_roll", GPUPRIM_F32, 72, 5, 1, 6077, 10687, TO_ROWS, true },
    { "gpu_walk", GPUPRIM_F32, 3, 1, 1, 4096, 4096, COLUMNS, false },
    { "gpu_walk", GPUPRIM_C32, 2, 1, 1, 77, 500000, COLUMNS, false },
    { "gpu_walk", GPUPRIM_C32, 17, 1, 1, 533, 78768, COLUMNS, false },
    { "gpu_walk", GPUPRIM_F32, 8, 1, 1, 4096, 4096, COLUMNS, true },
    { "gpu_walk", GPUPRIM_U8, 2, 2, 1, 1000, 1 << 17, COLUMNS, true },
    { "gpu_folds", GPUPRIM_F32, 3721, 1, 1, 1000000, 38, ROWS, false },
    { "gpu_places", GPUPRIM_F32, 461, 1, 16, 1911, 97, COLUMNS, false },
    { "gpu_roll", GPUPRIM_F32, 65, 1, 1, 4096, 4096, COLUMNS, false },
    { "gpu_turn", GPUPRIM_F32, 3, 1, 1, 100000, 300, TO_COLUMNS, false },
    { "gpu_stretches", GPUPRIM_U8, 4, 1, 1, 200000, 420, ROWS, false },
    { "gpu_stretches", GPUPRIM_U8, 3, 1, 17, 26212318, 59, ROWS, false },
    { "gpu_tile", GPUPRIM_U8, 2, 1, 1, 6533, 263, ROWS, false }, // few groups by gpu_stretches
    { "gpu_row_registers", GPUPRIM_F32, 33, 1, 1, 1000000, 5, ROWS, false },
    { "gpu_narrow", GPUPRIM_U8, 9, 1, 1, 1, 1 << 28, ROWS, false },
    { "gpu_tap_chunks", GPUPRIM_F32, 1000, 1, 1, 1, 1 << 26, ROWS, false },
    { "gpu_tap_chunks", GPUPRIM_F32, 300, 1, 1, 4096, 4096, COLUMNS, true },
    { "gpu_roll", GPUPRIM_F32, 40, 1, 1, 4096, 4096, COLUMNS, true },
    { "gpu_turn", GPUPRIM_F32, 19, 1, 21, 224, 147307, TO_ROWS, true },
    { "gpu_turn", GPUPRIM_F32, 4, 1, 14, 9747, 7783, TO_COLUMNS, true },
    { "gpu_narrow", GPUPRIM_U8, 2, 1, 1, 1, 1 << 28, ROWS, false },
    // Rows come as words; most inputs meet no tap; lines are loaded for few outputs.
    { "gpu_turn", GPUPRIM_I16, 18, 6, 27, 211579, 4294, TO_COLUMNS, false },
    { "gpu_tap_chunks", GPUPRIM_F16, 85, 7, 7, 1, 801657207, ROWS, false },
    { "gpu_roll", GPUPRIM_F32, 2, 8, 1, 1941, 134580, TO_ROWS, false },
    // Items read much of local memory for few outputs.
    { "gpu_tile", GPUPRIM_U16, 150, 6, 1, 5, 94510322, COLUMNS, false },
    { "gpu_walk", GPUPRIM_U8, 15, 8, 1, 90, 17601878, COLUMNS, false }, // many inputs of one
};

static void takes(struct check *check, gpuprim *gp)
{
    for (unsigned i = 0; i < sizeof made_for / sizeof *made_for; i++) {
        const struct made_for *m = &made_for[i];
        struct gpuprim_filter f =
            convolve_filter_of(gp, m->type, m->taps, m->stride, m->dilation);
        f.rows = m->own_taps ? m->rows : 1;
        const struct convolve_shape s = shape_of(&f, m->rows, m->n, m->layout);
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
        enum layout layout;
    } parts[] = {
        { "gpu_tile", GPUPRIM_F64, GPUPRIM_F64, 7, 11, 2198984, 12, 12, 1, 1, COLUMNS },
        { "gpu_tile", GPUPRIM_F32, GPUPRIM_F32, 16, 47, 963634, 86, 60, 1, 1, COLUMNS },
        { "gpu_tile", GPUPRIM_F16, GPUPRIM_F32, 10, 50, 1024787, 69, 75, 1, 1, COLUMNS },
        { "gpu_walk", GPUPRIM_F32, GPUPRIM_F32, 3, 400, 100000, 500, 500, 1, 1, COLUMNS },
        // Few of the lines are written, and in parts of sectors.
        { "gpu_walk", GPUPRIM_F16, GPUPRIM_F16, 7, 11, 36983056, 12, 13, 3, 1, COLUMNS },
        { "gpu_roll", GPUPRIM_U8, GPUPRIM_U8, 35, 17, 45552800, 26, 26, 3, 5, COLUMNS },
        // Rows of outputs that begin anywhere in sectors, and with one.
        { "gpu_turn", GPUPRIM_F16, GPUPRIM_F32, 3, 11952, 10870, 13762, 1, 1, 1, TO_ROWS },
        { "gpu_roll", GPUPRIM_F16, GPUPRIM_F32, 3, 11952, 10872, 13762, 1, 1, 1, TO_ROWS },
    };
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct gpuprim_filter f = convolve_filter_of(gp, parts[i].in, parts[i].taps,
                                                     parts[i].stride, parts[i].dilation);
        f.out = parts[i].out;
        f.taps_type = parts[i].in == GPUPRIM_F64 ? GPUPRIM_F64 : GPUPRIM_F32;
        f.size = gp_type_size(f.taps_type);
        struct convolve_shape s = shape_of(&f, parts[i].columns, parts[i].n, parts[i].layout);
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
    } some[] = { { "gpu_tap_chunks", GPUPRIM_F16, 281, 5, 2045, 80549, 5 },
                 { "gpu_tap_chunks", GPUPRIM_F32, 157, 3, 771, 141027, 3 },
                 { "gpu_tile", GPUPRIM_F16, 289, 3, 23854, 2147, 10 } };
    for (unsigned i = 0; i < sizeof some / sizeof *some; i++) {
        const struct gpuprim_filter f =
            convolve_filter_of(gp, some[i].type, some[i].taps, some[i].stride, 1);
        struct convolve_shape s = shape_of(&f, some[i].rows, some[i].n, ROWS);
        s.stride = some[i].every;
        s.row_stride *= some[i].every;
        gp_convolve_derive(&s);
        const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
        check->cases++;
        CHECK(check, v && strcmp(v->name, some[i].variant) == 0, "every %u: %s, not %s", i,
              v ? v->name : "none", some[i].variant);
    }
}

// Bytes that are multiplied as matrices are not taken apart, with a step neither.
static void takes_bytes(struct check *check, gpuprim *gp)
{
    struct gpuprim_filter f = convolve_filter_of(gp, GPUPRIM_I8, 81, 6, 1);
    f.taps_type = GPUPRIM_I32;
    f.tap_bytes = 2;
    f.sum_bits = 31;
    const struct convolve_shape s = shape_of(&f, 23635, 50588, TO_COLUMNS);
    const unsigned ptx = gp->caps.ptx;
    gp->caps.ptx = 90;
    const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_convolve1d, &s);
    gp->caps.ptx = ptx;
    check->cases++;
    CHECK(check, v == &gp_convolve_gpu_byte_matrices, "bytes: %s, not gpu_byte_matrices",
          v ? v->name : "none");
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
    const struct convolve_shape s =
        shape_of(&f, some(check), some(check), (enum layout)check_below(check, 4));
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

// Groups have numbers of 32 bits. Where they would not do for all outputs, gpu_byte_matrices is not
// to take the shape.
static void numbers_groups(struct check *check, gpuprim *gp)
{
    enum { MOST = 49136 }; // results of a group, of a byte each, in local memory
    const struct gp_variant *v = &gp_convolve_gpu_byte_matrices;
    const struct convolve_ops *ops = v->ops;
    struct gpuprim_filter f = convolve_filter_of(gp, GPUPRIM_I8, 64, 1, 1);
    f.taps_type = GPUPRIM_I32;
    f.tap_bytes = 1;
    static const uint64_t sizes[][2] = { { (UINT64_C(1) << 32) + 1000, 8 },
                                         { UINT64_C(1) << 32, 8 },
                                         { 1, (UINT64_C(1) << 35) + 8000 },
                                         { 1, UINT64_C(1) << 36 },
                                         { UINT64_C(1) << 40, 8 } };
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct convolve_shape s = shape_of(&f, sizes[i][0], sizes[i][1], ROWS);
        struct convolve_layout l = { 0 };
        check->cases++;
        if (!v->fits(gp, &s))
            continue;
        ops->lay_out(gp, &s, v, 128, &l);
        CHECK(check, l.groups <= INT32_MAX && l.groups >= s.rows * s.outputs / MOST,
              "%llu rows of %llu: %llu groups", (unsigned long long)s.rows,
              (unsigned long long)s.n, (unsigned long long)l.groups);
    }
}

// gpu_turn: the tile of a group has room in local memory, also where 32 rows have more bytes
// than 32 bits can number.
static void has_room(struct check *check, gpuprim *gp)
{
    static const uint64_t steps[][2] = { { 1, 1 }, { 4096, 4096 }, { 1, 1 << 12 }, { 3, 40 } };
    const struct gp_variant *v = &gp_convolve_gpu_turn;
    const struct convolve_ops *ops = v->ops;
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct gpuprim_filter f =
            convolve_filter_of(gp, GPUPRIM_F32, 2, steps[i][0], steps[i][1]);
        const struct convolve_shape s = shape_of(&f, 64, 1 << 27, TO_COLUMNS);
        struct gp_key key = { .n = 0 };
        struct convolve_layout l = { 0 };
        struct turn_arguments t;
        check->cases++;
        if (!v->fits(gp, &s))
            continue;
        ops->specialise(gp, &s, v, &key);
        ops->lay_out(gp, &s, v, key.work_group, &l);
        memcpy(&t, l.own, sizeof t);
        const uint64_t outputs = (uint64_t)t.outputs;
        CHECK(check,
              (uint64_t)t.pitch * check_macro(check, &key, "TILE_ROWS") <=
                      4 * (uint64_t)check_macro(check, &key, "ROOM") &&
                  t.pitch > (outputs - 1) * f.stride + f.halo,
              "stride %llu, dilation %llu: %llu outputs, rows of %llu inputs",
              (unsigned long long)f.stride, (unsigned long long)f.dilation,
              (unsigned long long)outputs, (unsigned long long)t.pitch);
    }
}

// gpu_tile: groups of 256 items are for lines of more than 64 lanes. Groups of 192 are for lanes of
// which 128 items would leave many idle. With gaps between the inputs of outputs a line has a lane
// for each channel, whatever the dilation is.
static void has_lanes(struct check *check, gpuprim *gp)
{
    static const struct {
        uint64_t stride, dilation, channels;
        unsigned group;
    } shapes[] = { { 1, 101, 1, 256 },    { 203, 101, 1, 128 }, { 203, 101, 3, 128 },
                   { 203, 101, 65, 256 }, { 1, 27, 1, 192 },    { 1, 16, 1, 128 } };
    const struct gp_variant *v = &gp_convolve_gpu_tile;
    const struct convolve_ops *ops = v->ops;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct gpuprim_filter f =
            convolve_filter_of(gp, GPUPRIM_F32, 2, shapes[i].stride, shapes[i].dilation);
        const struct convolve_shape s = shape_of(&f, shapes[i].channels, 1 << 20, COLUMNS);
        struct gp_key key = { .n = 0 };
        check->cases++;
        ops->specialise(gp, &s, v, &key);
        CHECK(check,
              key.work_group == shapes[i].group &&
                  check_macro(check, &key, "GAPS") == (f.stride > 1),
              "stride %llu, dilation %llu, %llu channels: groups of %u items",
              (unsigned long long)f.stride, (unsigned long long)f.dilation,
              (unsigned long long)s.rows, key.work_group);
    }
}

// gpu_tile: items take four rows where one is little work, and rows are many. There is code for what
// stands beyond the ends as far as it is needed.
static void has_item_rows(struct check *check, gpuprim *gp)
{
    static const struct {
        uint64_t rows, n, taps, dilation;
        unsigned item_rows, many_ends;
    } shapes[] = { { 441398, 69, 2, 26, 4, 1 }, { 441398, 69, 30, 26, 1, 1 },
                   { 20000, 69, 2, 26, 1, 0 },  { 441398, 69, 2, 1, 1, 0 },
                   { 1, 1 << 20, 2, 26, 1, 0 }, { 441398, 20, 5, 7, 4, 1 },
                   { 2684354, 100, 3, 1, 1, 0 } };
    const struct gp_variant *v = &gp_convolve_gpu_tile;
    const struct convolve_ops *ops = v->ops;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct gpuprim_filter f =
            convolve_filter_of(gp, GPUPRIM_F32, shapes[i].taps, 1, shapes[i].dilation);
        const struct convolve_shape s = shape_of(&f, shapes[i].rows, shapes[i].n, ROWS);
        struct gp_key key = { .n = 0 };
        check->cases++;
        ops->specialise(gp, &s, v, &key);
        CHECK(check, check_macro(check, &key, "ITEM_ROWS") == shapes[i].item_rows,
              "shape %u: %u rows to an item, not %u", i, check_macro(check, &key, "ITEM_ROWS"),
              shapes[i].item_rows);
        CHECK(check, check_macro(check, &key, "MANY_ENDS") == shapes[i].many_ends,
              "shape %u: code for many ends, or none", i);
    }
}

// gpu_tap_chunks: lanes whose outputs are a few more than 128 items have take groups of 160, if
// groups are many.
static void has_segments(struct check *check, gpuprim *gp)
{
    static const struct {
        uint64_t rows, n, stride, dilation;
        unsigned group;
    } shapes[] = { { 6659, 38340, 2, 11, 160 }, { 66, 38340, 2, 11, 128 },
                   { 6659, 46000, 2, 11, 128 }, { 6659, 33000, 2, 11, 128 },
                   { 6659, 66000, 2, 11, 128 }, { 6659, 38340, 4, 11, 128 } };
    const struct gp_variant *v = &gp_convolve_gpu_tap_chunks;
    const struct convolve_ops *ops = v->ops;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct gpuprim_filter f =
            convolve_filter_of(gp, GPUPRIM_U16, 1010, shapes[i].stride, shapes[i].dilation);
        const struct convolve_shape s = shape_of(&f, shapes[i].rows, shapes[i].n, ROWS);
        struct gp_key key = { .n = 0 };
        check->cases++;
        ops->specialise(gp, &s, v, &key);
        CHECK(check, key.work_group == shapes[i].group, "shape %u: groups of %u items, not %u",
              i, key.work_group, shapes[i].group);
    }
}

// gpu_byte_matrices: few groups have 256 items, and of many columns with dilation each has a part
// of the phases. Local memory has room for the table of all items.
static void has_items(struct check *check, gpuprim *gp)
{
    static const struct {
        enum gpuprim_type type;
        uint64_t taps, rows, n, dilation;
        enum layout layout;
        bool is_wide, has_parts;
    } shapes[] = { { GPUPRIM_U8, 46, 6, 349362, 1, COLUMNS, true, false },
                   { GPUPRIM_U8, 46, 64, 1 << 21, 1, COLUMNS, false, false },
                   { GPUPRIM_I32, 250, 22946, 2301, 22, TO_ROWS, false, true } };
    const struct gp_variant *v = &gp_convolve_gpu_byte_matrices;
    const struct convolve_ops *ops = v->ops;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct gpuprim_filter f =
            convolve_filter_of(gp, shapes[i].type, shapes[i].taps, 1, shapes[i].dilation);
        f.taps_type = GPUPRIM_I32;
        f.tap_bytes = 2;
        const struct convolve_shape s =
            shape_of(&f, shapes[i].rows, shapes[i].n, shapes[i].layout);
        struct gp_key key = { .n = 0 };
        struct convolve_layout l = { 0 };
        struct byte_arguments a;
        check->cases++;
        if (!CHECK(check, v->fits(gp, &s), "shape %u does not fit", i))
            continue;
        ops->specialise(gp, &s, v, &key);
        ops->lay_out(gp, &s, v, key.work_group, &l);
        memcpy(&a, l.own, sizeof a);
        const uint32_t room = 4 * check_macro(check, &key, "ROOM");
        CHECK(check,
              (key.work_group == 256) == shapes[i].is_wide &&
                  (a.phase_blocks > 1) == shapes[i].has_parts &&
                  a.table_at + key.work_group * BYTE_TABLE_WORDS <= room,
              "shape %u: %u items, %u parts of phases, table at %u of %u", i, key.work_group,
              a.phase_blocks, a.table_at, room);
    }
}

void convolve_costs_run(struct check *check)
{
    if (!check_begin(check, "convolve1d/costs"))
        return;
    gpuprim *gp = NULL;
    if (CHECK(check, gpuprim_create(NULL, &gp) == GPUPRIM_OK, "%s", gpuprim_last_error())) {
        gp->caps.is_cpu = false;
        gp->caps.compute_units = 132;
        gp->caps.width = 32;
        gp->caps.local_bytes = 48 << 10;
        gp->caps.max_parameter_bytes = 4352;
        gp->force_variant[0] = '\0';
        takes(check, gp);
        takes_parts(check, gp);
        takes_every(check, gp);
        takes_bytes(check, gp);
        for (int i = 0; i < 300; i++)
            compares(check, gp);
        numbers_groups(check, gp);
        has_room(check, gp);
        has_lanes(check, gp);
        has_item_rows(check, gp);
        has_segments(check, gp);
        has_items(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}
