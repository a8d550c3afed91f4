/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant cpu_blocks of classify: every call on CPU devices. One item per group owns a
 * core's vector unit and takes its share block by block. The kernel is
 * kernels/classify/cpu_blocks.cl. */
#include "classify.h"

#include <stdio.h>

enum {
    // Blocks of a group, at least. A guess: to wake up a core costs more than they do.
    SHARE = 128,
    COMPONENTS = 16, // of a vector of elements; 8 where they have 8 bytes
    // From so many bytes on, labels are written past the caches. PoCL 3.1, two cores with
    // AVX-512 that others used too, 2026-11-21, f32, a memcpy's processor time over that of the
    // kernel, medians of 15 rounds, two runs of each:
    //     labels             u8, 7 keys                 u16, 4095 keys
    //     elements     1 Mi       4 Mi       64 Mi      1 Mi       4 Mi       16 Mi
    //     past caches  0.90 0.99  0.96 1.04  0.77 0.77  0.36 0.29  0.43 0.44  0.57 0.61
    //     by caches    0.70 0.87  0.86 0.91  0.71 0.71  0.41 0.42  0.47 0.42  0.50 0.52
    STREAMED = 1 << 22,
};

// Elements of 8 bits are counted by value. Rows with counts of their own may be short.
static bool counts_values(const struct classification *c)
{
    return c->has_counts && c->in.size == 1 && c->classifier->rows == 1 && !c->counts_rows;
}

// Counters of a set, but for copies. A label stands for none.
static uint64_t slots_of(const struct classification *c)
{
    return counts_values(c) ? 256 : c->classifier->labels + 1;
}

static bool is_by_columns(const struct gp_array *array)
{
    return gp_abs(array->row_stride) < gp_abs(array->stride);
}

// How many counters a label has: as many as the nearest cache holds. PoCL 3.1, two cores with
// AVX-512 that others used too, 2026-11-21, 2^25 of f32 to labels and counts, a memcpy's
// processor time over that of the kernel, means of two runs, random data and data of one class:
//     counters   2            4            8
//     7 keys     0.43  0.22   0.43  0.36   0.41  0.43
//     255 keys   0.30  0.18   0.30  0.24   0.29  0.26
static unsigned copies_of(const struct classification *c)
{
    enum { MOST = 8, BYTES = 32768 };
    const uint64_t rows = c->counts_rows ? COMPONENTS : 1; // of a band, about
    if (c->counts_rows && (is_by_columns(&c->in) || is_by_columns(&c->labels)))
        return 1; // neighbouring elements are of different rows
    const uint64_t bytes = slots_of(c) * sizeof(cl_uint) * rows;
    unsigned copies = MOST;
    while (copies > 1 && copies * bytes > BYTES)
        copies /= 2;
    return copies;
}

static bool fits(const gpuprim *gp, const void *call)
{
    (void)call;
    return gp->caps.is_cpu && gp->force_work_group <= 1;
}

// Whether an element's place is its label. NaNs have the place behind all keys, which must be
// their class, too. Rows of keys may be shorter than the longest.
static bool is_place_label(const struct gpuprim_classifier *f)
{
    const bool nan = !gp_type_is_float(f->in) || (f->nan_class == f->n && f->rows == 1);
    return !f->labels_at && f->first_class == 0 && f->classes == f->n + 1 && nan;
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)gp, (void)variant;
    gp_classify_define_method(key, c->classifier, c->classifier->index.method);
    gp_define(key, "TABLES_LOCAL", false);
    gp_define(key, "BY_VALUE", false);
    if (c->classifier->method == METHOD_SEARCH)
        gp_define(key, "PLACE_IS_LABEL", is_place_label(c->classifier));
    gp_define(key, "COPIES", c->has_counts ? copies_of(c) : 1);
    gp_define(key, "COUNT_VALUES", counts_values(c));
}

// The shape of a block. Columns of input or labels share cache lines: a block takes whole ones.
// Short rows share a block.
static void shape_blocks(const struct classification *c, uint64_t rows, uint64_t count,
                         struct classify_layout *l)
{
    const bool has_own_keys = c->classifier->rows > 1;
    const unsigned components = c->in.size == 8 ? COMPONENTS / 2 : COMPONENTS;
    uint64_t block_rows = 1;
    l->by_columns = rows > 1 && (is_by_columns(&c->in) || is_by_columns(&c->labels) ||
                                 (has_own_keys && count < BLOCK / 2));
    if (l->by_columns) { // each row is a component of the vectors
        block_rows = gp_min(rows, components);
        while (has_own_keys && components % block_rows) // vectors meet the same rows
            block_rows++;
        // Fewer, where their counters have no room: 148 columns of 39981 f32 by 6662 keys took
        // 9.4 ns of processor time an element, and take 6.5 (PoCL 3.1, 2026-11-23).
        const uint64_t bytes = slots_of(c) * sizeof(cl_uint); // of a row
        while (c->counts_rows && !has_own_keys && block_rows > 1 &&
               block_rows * bytes > CLASSIFY_ROOM)
            block_rows /= 2;
        l->by_columns = block_rows > 1;
    } else if (count && count < BLOCK / 2 && !has_own_keys)
        block_rows = gp_min(rows, BLOCK / count);
    l->block_rows = (uint32_t)block_rows;
    l->block_count = (uint32_t)(BLOCK / block_rows);
    if (!l->by_columns && l->block_rows > 1) {
        l->by_columns = block_rows > count; // lines are as long as can be
        l->block_count = (uint32_t)count;
    }
}

static void lay_out(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *l)
{
    (void)program;
    const uint64_t groups = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    shape_blocks(c, rows, count, l);
    const uint64_t slots = slots_of(c);
    const uint64_t counters = copies_of(c) * slots * (c->counts_rows ? l->block_rows : 1);
    const uint64_t least = gp_ceil_div(slots, BLOCK);  // each group adds all counts
    const uint64_t most = ((uint64_t)1 << 31) / BLOCK; // counters have 32 bits
    l->segment = gp_ceil_div(count, l->block_count);
    const uint64_t blocks = gp_ceil_div(rows, l->block_rows) * l->segment;
    l->share = gp_ceil_div(blocks, groups);
    if (l->share < SHARE)
        l->share = SHARE;
    if (l->share < least)
        l->share = least;
    if (l->share > most)
        l->share = most;
    l->groups = gp_ceil_div(blocks, l->share);
    const uint64_t bytes = counters * sizeof(cl_uint);
    const uint64_t counted = c->counts_rows ? count : rows * count;
    l->privatised =
        counts_values(c) || (c->has_counts && c->classifier->labels <= counted &&
                             bytes <= CLASSIFY_ROOM && bytes <= gp->caps.local_bytes);
    l->local_bytes = l->privatised ? bytes : 0;
    l->streamed = c->has_labels && rows * count * c->labels.size > STREAMED;
}

static int describe(const struct gpuprim_classifier *f, char *text, size_t size)
{
    static const char registers[] =
        "choices among keys in registers, a vector of elements at a time";
    if (f->method == METHOD_SEARCH && f->rows > 1)
        return snprintf(text, size, "%s, then halving among the row's keys", registers);
    if (f->method == METHOD_CHAIN)
        return snprintf(text, size, "all cases asked, of a vector of elements at a time");
    if (f->method == METHOD_SEARCH && f->index.method == SEARCH_COMPARE_ALL)
        return snprintf(text, size, "%s", registers);
    if (f->method == METHOD_SEARCH && f->index.method == SEARCH_TREE)
        return snprintf(text, size,
                        "%s, then a tree to level %u, as no grid of cells needs fewer steps",
                        registers, f->index.levels);
    return gp_classify_describe_method(f, f->index.method, text, size);
}

static const char *const sources[] = { "classify/arguments.h",
                                       "classify/classify.cl",
                                       "classify/search.cl",
                                       "classify/interpolate.cl",
                                       "classify/cells.cl",
                                       "cpu.cl",
                                       "classify/cpu_held.cl",
                                       "classify/cpu_search.cl",
                                       "classify/cpu_label.cl",
                                       "classify/cpu_cases.cl",
                                       "classify/cpu_lines.cl",
                                       "classify/cpu_blocks.cl",
                                       NULL };
static const struct classify_ops ops = { specialise, lay_out, describe };

const struct gp_variant gp_classify_cpu_blocks = { .name = "cpu_blocks",
                                                   .fits = fits,
                                                   .sources = sources,
                                                   .work_group = 1,
                                                   .groups_per_unit = 8,
                                                   .ops = &ops };
