/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of convolve1d: how variants divide shapes among groups and items, at the limits of
 * local memory and of numbers. Nothing is built, as in costs.c. suite.c runs this file. */
#include "case.h"

#include <string.h>

#include "src/convolve1d/arguments.h"
#include "src/convolve1d/convolve1d.h"

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
        const struct convolve_shape s =
            convolve_shape_of(&f, sizes[i][0], sizes[i][1], AS_ROWS);
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
        const struct convolve_shape s = convolve_shape_of(&f, 64, 1 << 27, ROWS_TO_COLUMNS);
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

// gpu_walk: strips of many taps are long, because each loads all inputs of its first output.
static void has_long_strips(struct check *check, gpuprim *gp)
{
    enum { TAPS = 214, STEP = 6, COLUMNS = 512, GROUP = 128, TIMES = 4 };
    const struct gp_variant *v = &gp_convolve_gpu_walk;
    const struct convolve_ops *ops = v->ops;
    const struct gpuprim_filter f = convolve_filter_of(gp, GPUPRIM_F32, TAPS, STEP, 1);
    const struct convolve_shape s = convolve_shape_of(&f, COLUMNS, 1 << 20, AS_COLUMNS);
    struct convolve_layout l = { 0 };
    check->cases++;
    if (!CHECK(check, v->fits(gp, &s), "gpu_walk does not take it"))
        return;
    ops->lay_out(gp, &s, v, GROUP, &l);
    const uint64_t inputs = s.outputs * STEP / (l.groups * GROUP / COLUMNS); // of a strip
    CHECK(check, inputs >= TIMES * TAPS, "strips of %llu inputs", (unsigned long long)inputs);
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
                   { 203, 101, 64, 128 }, { 1, 27, 1, 192 },    { 1, 16, 1, 128 } };
    const struct gp_variant *v = &gp_convolve_gpu_tile;
    const struct convolve_ops *ops = v->ops;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct gpuprim_filter f =
            convolve_filter_of(gp, GPUPRIM_F32, 2, shapes[i].stride, shapes[i].dilation);
        const struct convolve_shape s =
            convolve_shape_of(&f, shapes[i].channels, 1 << 20, AS_COLUMNS);
        struct gp_key key = { .n = 0 };
        check->cases++;
        if (!CHECK(check, v->fits(gp, &s), "shape %u does not fit", i))
            continue;
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
        const struct convolve_shape s =
            convolve_shape_of(&f, shapes[i].rows, shapes[i].n, AS_ROWS);
        struct gp_key key = { .n = 0 };
        check->cases++;
        if (!CHECK(check, v->fits(gp, &s), "shape %u does not fit", i))
            continue;
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
        const struct convolve_shape s =
            convolve_shape_of(&f, shapes[i].rows, shapes[i].n, AS_ROWS);
        struct gp_key key = { .n = 0 };
        check->cases++;
        if (!CHECK(check, v->fits(gp, &s), "shape %u does not fit", i))
            continue;
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
        enum convolve_rows layout;
        bool is_wide, has_parts;
    } shapes[] = { { GPUPRIM_U8, 46, 6, 349362, 1, AS_COLUMNS, true, false },
                   { GPUPRIM_U8, 46, 64, 1 << 21, 1, AS_COLUMNS, false, false },
                   { GPUPRIM_I32, 250, 22946, 2301, 22, COLUMNS_TO_ROWS, false, true } };
    const struct gp_variant *v = &gp_convolve_gpu_byte_matrices;
    const struct convolve_ops *ops = v->ops;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct gpuprim_filter f =
            convolve_filter_of(gp, shapes[i].type, shapes[i].taps, 1, shapes[i].dilation);
        f.taps_type = GPUPRIM_I32;
        f.tap_bytes = 2;
        const struct convolve_shape s =
            convolve_shape_of(&f, shapes[i].rows, shapes[i].n, shapes[i].layout);
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

// cpu_matrix: lines of dilated channels have all positions where inputs or outputs lie by rows, and
// taps are not far apart. Else they are every dilation-th position.
static void folds(struct check *check, gpuprim *gp)
{
    static const struct {
        enum convolve_rows layout;
        uint64_t step, dilation, fold;
    } calls[] = { { ROWS_TO_COLUMNS, 1, 2, 1 },
                  { COLUMNS_TO_ROWS, 1, 2, 1 },
                  { ROWS_TO_COLUMNS, 5, 3, 1 },
                  { ROWS_TO_COLUMNS, 1, 100, 100 },
                  { AS_COLUMNS, 1, 2, 2 } };
    const struct gp_variant *v = &gp_convolve_cpu_matrix;
    const struct convolve_ops *ops = v->ops;
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct gpuprim_filter f =
            convolve_filter_of(gp, GPUPRIM_F32, 33, calls[i].step, calls[i].dilation);
        const struct convolve_shape s = convolve_shape_of(&f, 64, 32768, calls[i].layout);
        struct convolve_layout l = { 0 };
        struct matrix_arguments m;
        ops->lay_out(gp, &s, v, 1, &l);
        memcpy(&m, l.own, sizeof m);
        check->cases++;
        CHECK(check, m.fold == calls[i].fold, "cpu_matrix, call %u: lines of %u", i, m.fold);
    }
}

// cpu_matrix: rows downwards are divided as rows upwards, and elements that lie a few apart are
// lanes, or not, by how many outputs a row has.
static void divides_downwards(struct check *check, gpuprim *gp)
{
    static const struct {
        uint64_t taps, stride, rows, n, apart;
        bool are_lanes;
    } shapes[] = { { 1, 5, 10000, 153, 1, true },
                   { 1, 5, 10000, 600, 1, false },
                   { 33, 1, 5000, 60, 2, true },
                   { 33, 1, 5000, 120, 2, false } };
    const struct convolve_ops *ops = gp_convolve_cpu_matrix.ops;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct gpuprim_filter f =
            convolve_filter_of(gp, GPUPRIM_F32, shapes[i].taps, shapes[i].stride, 1);
        struct matrix_arguments m[2];
        for (unsigned back = 0; back < 2; back++) {
            struct convolve_shape s =
                convolve_shape_of(&f, shapes[i].rows, shapes[i].n, AS_ROWS);
            struct convolve_layout l = { 0 };
            s.stride = back ? -(int64_t)shapes[i].apart : (int64_t)shapes[i].apart;
            s.row_stride = (int64_t)(shapes[i].n * shapes[i].apart);
            gp_convolve_derive(&s);
            ops->lay_out(gp, &s, &gp_convolve_cpu_matrix, 1, &l);
            memcpy(&m[back], l.own, sizeof m[back]);
        }
        check->cases++;
        CHECK(check, memcmp(&m[0], &m[1], sizeof m[0]) == 0,
              "shape %u: %u lanes upwards, %u downwards", i, m[0].pitch, m[1].pitch);
        CHECK(check, (m[1].pitch > 1) == shapes[i].are_lanes, "shape %u: %u lanes", i,
              m[1].pitch);
    }
}

void convolve_divisions_run(struct check *check)
{
    if (!check_begin(check, "convolve1d/divisions"))
        return;
    gpuprim *gp = convolve_large_gpu(check);
    if (gp) {
        numbers_groups(check, gp);
        has_room(check, gp);
        has_long_strips(check, gp);
        has_lanes(check, gp);
        has_item_rows(check, gp);
        has_segments(check, gp);
        has_items(check, gp);
        folds(check, gp);
        gp->caps.is_cpu = true;
        divides_downwards(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}
