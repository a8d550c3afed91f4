/* SPDX-License-Identifier: Apache-2.0
 *
 * classify on CPU devices: one item per group owns a core's vector unit. */
#include "classify.h"

#include <stdio.h>

enum {
    BLOCK = 128,         // elements, as in kernels/classify/cpu_blocks.cl
    SHARE = 128 * BLOCK, // a core's wake-up costs more than this many elements
    // Bytes of labels from which on they pass by the caches. PoCL 3.1, two cores with AVX-512
    // that others used too, 2026-11-21, f32, a memcpy's processor time over that of the
    // kernel, medians of 15 rounds, two runs of each:
    //     labels             u8, 7 keys                 u16, 4095 keys
    //     elements     1 Mi       4 Mi       64 Mi      1 Mi       4 Mi       16 Mi
    //     pass by      0.90 0.99  0.96 1.04  0.77 0.77  0.36 0.29  0.43 0.44  0.57 0.61
    //     do not       0.70 0.87  0.86 0.91  0.71 0.71  0.41 0.42  0.47 0.42  0.50 0.52
    LARGE = 1 << 22,
};

// How many counters a label has: as many as the nearest cache holds. PoCL 3.1, two cores with
// AVX-512 that others used too, 2026-11-21, 2^25 of f32 to labels and counts, a memcpy's
// processor time over that of the kernel, means of two runs, random data and data of one class:
//     counters   2            4            8
//     7 keys     0.43  0.22   0.43  0.36   0.41  0.43
//     255 keys   0.30  0.18   0.30  0.24   0.29  0.26
static unsigned copies_of(const struct classification *c)
{
    enum { MOST = 8, BYTES = 32768 };
    const uint64_t bytes = (c->classifier->labels + 1) * sizeof(cl_uint);
    unsigned copies = MOST;
    while (copies > 1 && copies * bytes > BYTES)
        copies /= 2;
    return copies;
}

bool gp_classify_fits_cpu_blocks(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    return gp->caps.is_cpu && gp->force_work_group <= 1 && c->classifier->rows == 1 &&
           c->in.stride == 1 && (!c->has_labels || c->labels.stride == 1);
}

// A place is a label, and a NaN's place, behind all keys, is the class it belongs to.
static bool is_plain(const struct gpuprim_classifier *f)
{
    const bool nan = !gp_type_is_float(f->in) || f->nan_class == f->n;
    return !f->labels_at && f->first_class == 0 && f->classes == f->n + 1 && nan;
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct classify_special *out)
{
    (void)gp;
    const struct gpuprim_classifier *f = c->classifier;
    const unsigned copies = c->has_counts ? copies_of(c) : 1;
    const unsigned levels = f->form == CLASSIFY_SEARCH  ? f->aid.levels
                            : f->form == CLASSIFY_TABLE ? f->n
                                                        : 0;
    out->work_group = variant->work_group;
    out->number = (unsigned)f->aid.way | levels << 3 | copies << 10 |
                  (unsigned)is_plain(f) << 14 | (unsigned)(f->labels_at > 0) << 15;
}

static void lay_out(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *l)
{
    (void)program;
    const uint64_t labels = c->classifier->labels, counters = copies_of(c) * (labels + 1);
    const uint64_t lines = c->counts_rows ? rows : 1;
    const uint64_t groups = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    const uint64_t least = SHARE > labels ? SHARE : labels; // each group adds all counts
    const uint64_t most = (uint64_t)1 << 31;                // counters are of 32 bits
    l->length = c->counts_rows ? count : rows * count;
    l->share = gp_ceil_div(gp_ceil_div(l->length, gp_ceil_div(groups, lines)), BLOCK) * BLOCK;
    if (l->share < least)
        l->share = least;
    if (l->share > most)
        l->share = most;
    l->line_groups = gp_ceil_div(l->length, l->share);
    l->groups = lines * l->line_groups;
    const uint64_t bytes = counters * sizeof(cl_uint);
    l->gathers = c->has_counts && labels <= l->length && bytes <= CLASSIFY_ROOM &&
                 bytes <= gp->caps.local_bytes;
    l->local_bytes = l->gathers ? bytes : 0;
    l->extra = c->has_labels && rows * count * c->labels.size > LARGE;
}

static int describe(const struct gpuprim_classifier *f, char *text, size_t size)
{
    const char *const held = "choices among keys in registers, a vector of elements at a time";
    if (f->form == CLASSIFY_CHAIN)
        return snprintf(text, size, "all cases asked, of a vector of elements at a time");
    if (f->form == CLASSIFY_SEARCH && f->aid.way == CLASSIFY_COUNTED)
        return snprintf(text, size, "%s", held);
    if (f->form == CLASSIFY_SEARCH && f->aid.way == CLASSIFY_TREE)
        return snprintf(text, size,
                        "%s, then a tree to level %u, as no guide needs fewer steps", held,
                        f->aid.levels);
    return gp_classify_describe_places(f, text, size);
}

const struct classify_shape gp_classify_cpu_blocks = { specialise, lay_out, describe };
