/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reduce: what the variants for GPUs decide before a launch, without a device: which of
 * them a call gets, and how gpu_columns cuts a matrix. suite.c runs this file. */
#include "case.h"

#include "src/reduce/column_cut.h"

#include <inttypes.h>
#include <string.h>

// ---------------------------------------------------------------------------------------
// The choice

static const char *chosen(const struct reduction *r)
{
    static const gpuprim gp = { .caps = { .ptx = true, .compute_units = 132 } };
    for (unsigned v = 0; v < gp_primitive_reduce.n_variants; v++) {
        const struct gp_variant *variant = gp_primitive_reduce.variants[v];
        if (variant->fits(&gp, r) && (!variant->suits || variant->suits(&gp, r)))
            return variant->name;
    }
    return "none";
}

static void choices(struct check *check)
{
    static const struct {
        enum gpuprim_op op;
        enum gpuprim_type type;
        uint64_t count, rows;
        int64_t stride, row_stride;
        const char *variant;
    } calls[] = {
        // Elements that lie apart, of rows one behind the other and of rows between each other.
        { GPUPRIM_SUM, GPUPRIM_I16, 4000000, 1, 8, 0, "gpu_long_rows" },
        { GPUPRIM_SUM, GPUPRIM_I16, 4000000, 4, 8, 32000000, "gpu_long_rows" },
        { GPUPRIM_SUM, GPUPRIM_I16, 4000000, 4, 8, 31999993, "gpu_long_rows" },
        { GPUPRIM_SUM, GPUPRIM_I16, 4000000, 4, 8, 31999992, "baseline" },
        { GPUPRIM_SUM, GPUPRIM_I16, 4000000, 4, 8, 2, "baseline" },
        { GPUPRIM_SUM, GPUPRIM_I16, 2000, 4, 8, 16000, "gpu_rows" },
        { GPUPRIM_SUM, GPUPRIM_I16, 2000, 4, 8, 2, "baseline" },
        { GPUPRIM_ARGMAX, GPUPRIM_F32, 4000000, 2, -4, 2, "baseline" },
        { GPUPRIM_SUM, GPUPRIM_I16, 4000000, 4, 1, 2, "gpu_long_rows" }, // they overlap
        // Squares, and counts of 8 bits, apart and side by side.
        { GPUPRIM_SUM_SQUARES, GPUPRIM_I16, 4000000, 1, 2, 0, "gpu_long_rows" },
        { GPUPRIM_SUM_SQUARES, GPUPRIM_U8, 4000000, 1, 2, 0, "gpu_long_rows" },
        { GPUPRIM_SUM_SQUARES, GPUPRIM_I16, 4000000, 1, 1, 0, "gpu_long_rows" },
        { GPUPRIM_COUNT, GPUPRIM_I8, 4000000, 1, 5, 0, "baseline" },
        { GPUPRIM_COUNT, GPUPRIM_U16, 4000000, 1, 5, 0, "gpu_long_rows" },
        // Packed rows of elements of 4 bytes, forwards and backwards.
        { GPUPRIM_ARGMIN, GPUPRIM_F32, 40, 1000000, 1, 40, "gpu_tiles" },
        { GPUPRIM_ARGMIN, GPUPRIM_F32, 40, 1000000, -1, 40, "gpu_tiles" },
        { GPUPRIM_ARGMIN, GPUPRIM_F32, 100, 1000000, 1, 100, "gpu_rows" },
        { GPUPRIM_ARGMIN, GPUPRIM_F32, 100, 1000000, -1, 100, "gpu_rows" },
        // Packed rows of which a tile of 4096 bytes has as many as leave a warp busy, or fewer.
        { GPUPRIM_SUM_SQUARES, GPUPRIM_F32, 32, 1000000, 1, 32, "gpu_tiles" },
        { GPUPRIM_SUM_SQUARES, GPUPRIM_F32, 48, 1000000, 1, 48, "gpu_rows" },
        { GPUPRIM_COUNT, GPUPRIM_I16, 204, 1000000, 1, 204, "gpu_rows" },
        { GPUPRIM_MIN, GPUPRIM_I16, 300, 1000000, 1, 300, "gpu_tiles" },
        { GPUPRIM_MIN, GPUPRIM_I8, 120, 1000000, 1, 120, "gpu_tiles" }, // they are too short
        { GPUPRIM_MAX, GPUPRIM_U8, 200, 1000000, 1, 280, "gpu_tiles" }, // 14 in a tile, not 20
        { GPUPRIM_MAX, GPUPRIM_U8, 440, 1000000, 1, 440, "gpu_tiles" }, // 8, not 9
        // Shorter rows of narrow elements keep few items busy in tiles.
        { GPUPRIM_COUNT, GPUPRIM_U8, 195, 1000000, 1, 195, "gpu_tiles" },
        { GPUPRIM_AND, GPUPRIM_I16, 180, 1000000, 1, 180, "gpu_tiles" },
        { GPUPRIM_ARGMAX, GPUPRIM_I16, 199, 1000000, 1, 199, "gpu_rows" },
        // Statistics of long rows, few and many.
        { GPUPRIM_STATISTICS, GPUPRIM_F32, 18892, 14478, 1, 18892, "gpu_rows" },
        { GPUPRIM_STATISTICS, GPUPRIM_F32, 18892, 1000, 1, 18892, "gpu_long_rows" },
        { GPUPRIM_STATISTICS, GPUPRIM_F32, 200000, 14478, 1, 200000, "gpu_long_rows" },
        { GPUPRIM_MAX, GPUPRIM_F32, 18892, 14478, 1, 18892, "gpu_long_rows" },
    };
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
        const struct reduction r = {
            .op = calls[i].op,
            .in = { .type = calls[i].type,
                    .size = gp_type_size(calls[i].type),
                    .count = calls[i].count,
                    .rows = calls[i].rows,
                    .stride = calls[i].stride,
                    .row_stride = calls[i].row_stride },
            .sum = calls[i].op == GPUPRIM_SUM ? GPUPRIM_I64 : calls[i].type,
        };
        const char *variant = chosen(&r);
        check->cases++;
        CHECK(check, strcmp(variant, calls[i].variant) == 0,
              "%s instead of %s for rows=%" PRIu64 " count=%" PRIu64 " stride=%" PRId64
              " row_stride=%" PRId64,
              variant, calls[i].variant, calls[i].rows, calls[i].count, calls[i].stride,
              calls[i].row_stride);
    }
}

// ---------------------------------------------------------------------------------------
// Cuts

// Matrices of any extent, by groups of any size: some that are set by force are no power of two.
static void cuts(struct check *check)
{
    static const unsigned groups[] = { 1, 5, 37, 48, 96, 127, 256, 1000, 1024 };
    static const unsigned depths[] = { 8, 16, 32 };
    for (unsigned i = 0; i < (check->quick ? 2000 : 20000); i++) {
        const uint64_t vectors = 1 + check_below(check, check_once_in(check, 2) ? 100 : 10000);
        const unsigned columns = 1u << check_below(check, 5);
        const struct shares shares = {
            .rows = vectors * columns,
            .vectors = vectors,
            .lines = check_below(check, check_once_in(check, 2) ? 100 : 100000),
            .pitch_bytes = vectors * columns,
            .units = 132,
            .groups = 132 * (1 + check_below(check, 40)),
            .slots = 1 + check_below(check, 1000),
            .depth = depths[check_below(check, 3)],
            .work_group = groups[check_below(check, 9)],
            .vector_bytes = columns,
            .alone = 1 + (unsigned)check_below(check, 2),
            .is_small = check_once_in(check, 2),
            .few_lanes = check_once_in(check, 2),
        };
        struct layout l = { .sets = 1, .lanes = 1 };
        gp_reduce_cut_columns(&l, &shares);
        check->cases++;
        CHECK(check,
              l.block >= 1 && l.block <= shares.work_group && l.slots >= 1 &&
                  l.slots <= shares.slots && (uint64_t)l.block * l.blocks >= vectors &&
                  (uint64_t)l.block * (l.blocks - 1) < vectors,
              "%u blocks of %u vectors, %" PRIu64 " slots: %" PRIu64 " vectors, %" PRIu64
              " lines, groups of %u",
              l.blocks, l.block, l.slots, vectors, shares.lines, shares.work_group);
    }
}

// Lines of a wide matrix go to most units: `and` of i32, 44 867 of 82 169 columns, on an H200.
static void wide_cut(struct check *check)
{
    enum { UNITS = 132, LEAST = 120 };
    const struct shares shares = { .rows = 44867,
                                   .vectors = 44872,
                                   .lines = 718,
                                   .pitch_bytes = 4 * UINT64_C(82169) * 4,
                                   .units = UNITS,
                                   .groups = UNITS,
                                   .slots = 2,
                                   .depth = 16,
                                   .work_group = 512,
                                   .vector_bytes = 16,
                                   .alone = 1,
                                   .fused = true };
    struct layout l = { .sets = 1, .lanes = 1, .fused = true, .fuse = 2 };
    gp_reduce_cut_columns(&l, &shares);
    check->cases++;
    CHECK(check, l.blocks * l.slots >= LEAST && l.blocks * l.slots <= UNITS,
          "%u blocks, %" PRIu64 " slots", l.blocks, l.slots);
}

// The plan of rows is kept for calls that begin elsewhere (planned.c). So their programs are the same.
static void same_programs(struct check *check)
{
    static const struct gp_variant *const variants[] = { &gp_reduce_gpu_tiles,
                                                         &gp_reduce_gpu_rows,
                                                         &gp_reduce_gpu_long_rows };
    static const enum gpuprim_type types[] = { GPUPRIM_U8, GPUPRIM_F16, GPUPRIM_I32,
                                               GPUPRIM_F64 };
    gpuprim *gp = check_context(check, NULL, 0);
    for (unsigned i = 0; gp && i < 3 * 4 * 100; i++) {
        struct reduction r = { .op = check_once_in(check, 2) ? GPUPRIM_ARGMAX : GPUPRIM_MAX,
                               .in = { .type = types[i / 3 % 4], .rows = 1000000, .stride = 1 },
                               .sum = types[i / 3 % 4] };
        r.in.size = gp_type_size(r.in.type);
        r.in.count = 16 / r.in.size * (1 + check_below(check, 60));
        r.in.row_stride = (int64_t)r.in.count;
        struct gp_key keys[2] = { { .n = 0 }, { .n = 0 } };
        for (unsigned k = 0; k < 2; k++) {
            r.in.first = k ? (int64_t)check_below(check, 16) : 0;
            gp_primitive_reduce.specialise(gp, &r, variants[i % 3], &keys[k]);
        }
        check->cases++;
        for (unsigned m = 0; m < keys[0].n; m++)
            CHECK(check, keys[0].macros[m].value == keys[1].macros[m].value,
                  "%s, rows of %" PRIu64 ": %s depends on where they begin",
                  variants[i % 3]->name, r.in.count, keys[0].macros[m].name);
    }
    gpuprim_destroy(&gp);
}

void reduce_layouts_run(struct check *check)
{
    if (check_begin(check, "reduce/layouts/choices")) {
        choices(check);
        check_end(check);
    }
    if (check_begin(check, "reduce/layouts/cuts")) {
        cuts(check);
        wide_cut(check);
        check_end(check);
    }
    if (check_begin(check, "reduce/layouts/programs")) {
        same_programs(check);
        check_end(check);
    }
}
