/* SPDX-License-Identifier: Apache-2.0
 *
 * classify on GPUs: rows of stride 1 by aligned words. */
#include "classify.h"

#include <stdio.h>

// Where the tables and the counters of a group are, and how large it is.
struct geometry {
    unsigned work_group, items; // words that an item has in flight
    unsigned items_per_unit;    // of the launch, for each compute unit
    bool is_near, tallies;
    uint64_t near_first, near_words;
};

static uint64_t tally_bytes(const struct gpuprim_classifier *f)
{
    return (f->labels + 1) * sizeof(cl_uint);
}

// Half of local memory is left to tables, and more where there are few counters.
static bool has_tallies(const gpuprim *gp, const struct classification *c)
{
    return c->has_counts && tally_bytes(c->classifier) <= gp_classify_local_room(gp) / 2;
}

// Of the tables what every element needs: places and labels.
static void find_near(const struct gpuprim_classifier *f, struct geometry *g)
{
    const uint64_t first = f->form == CLASSIFY_CHAIN                   ? 1
                           : f->form == CLASSIFY_TABLE || f->labels_at ? f->labels_at
                                                                       : f->aid_at;
    // Even, as keys of 64 bits are aligned, and before the labels: at word 0 there are none.
    g->near_first = (first - 1) & ~(uint64_t)1;
    g->near_words = f->words - g->near_first;
}

// Keys at even distances are read so seldom that filling local memory would take longer; or, from
// some ten thousand on, they do not fit.
static bool reads_seldom(const struct gpuprim_classifier *f)
{
    return f->form == CLASSIFY_SEARCH && f->aid.way == CLASSIFY_EVEN && !f->labels_at;
}

static struct geometry geometry_of(const gpuprim *gp, const struct classification *c)
{
    struct geometry g;
    find_near(c->classifier, &g);
    g.tallies = has_tallies(gp, c);
    const uint64_t room =
        gp_classify_local_room(gp) - (g.tallies ? tally_bytes(c->classifier) : 0);
    g.is_near = !reads_seldom(c->classifier) && g.near_words * sizeof(cl_uint) <= room;
    const uint64_t bytes = (g.is_near ? g.near_words * sizeof(cl_uint) : 0) +
                           (g.tallies ? tally_bytes(c->classifier) : 0);
    // Large groups where counters have to be merged, more groups the less each has to fill. H200,
    // driver 580.159, 2026-11-21, 2^28 of f32, us by group / items / items_per_unit, by a kernel
    // that read the next tile meanwhile, which was worth less than 1 %:
    //     256 bins, counts alone    1024/2/4096 254, 512/4/4096 260, 256/4/4096 274
    //     255 keys, u8 and counts   1024/4/16384 333, 512/4/16384 335, 256/4/8192 346
    //     1023 keys, u16 and counts 1024/1/16384 403, 512/1/16384 409, 1024/2/16384 407
    //     255 keys, u8              512/4/16384 315, 512/4/8192 318, 512/2/16384 319
    //     1023 keys, u16            512/2/16384 386, 512/2/8192 401, 512/1/16384 386
    //     1023 keys by a guide      1024/4/8192 384, 512/4/8192 392, 512/4/4096 413; but of 4095
    //                               1024/4/8192 446, 512/4/8192 433
    const bool narrow = c->has_labels && c->labels.size == 1;
    g.work_group = g.tallies ? 1024 : 512;
    g.items_per_unit = !c->has_labels ? 4096 : bytes <= 8192 ? 16384 : 8192;
    if (g.tallies)
        g.items = !c->has_labels ? 2 : narrow ? 4 : 1;
    else
        g.items = g.is_near || narrow ? 4 : 2;
    // A word of small elements has work enough.
    while (g.items > 1 && g.items * (16 / c->in.size) > 16)
        g.items /= 2;
    return g;
}

static uint64_t tile_of(const struct classification *c, const struct geometry *g,
                        unsigned work_group)
{
    return (uint64_t)work_group * g->items * (16 / c->in.size);
}

bool gp_classify_fits_gpu_words(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    const bool is_plain = c->in.stride == 1 && (!c->has_labels || c->labels.stride == 1) &&
                          c->classifier->rows == 1;
    // Of shorter rows a group would have more setting up than work.
    const bool worth_it = !gp->caps.is_cpu && (c->in.rows == 1 || c->in.count >= 4096);
    return is_plain && (worth_it || gp_classify_is_forced(gp));
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct classify_special *out)
{
    (void)variant;
    const struct gpuprim_classifier *f = c->classifier;
    const struct geometry g = geometry_of(gp, c);
    const unsigned levels = f->form == CLASSIFY_SEARCH  ? f->aid.levels
                            : f->form == CLASSIFY_TABLE ? f->n
                                                        : 0;
    out->work_group = g.work_group;
    out->number = (unsigned)f->aid.way | levels << 3 | (unsigned)g.is_near << 8 |
                  (unsigned)g.tallies << 9 | (unsigned)(f->labels_at > 0) << 10 |
                  g.items << 11 | (unsigned)f->may_reject << 14;
}

static void lay_out(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *l)
{
    (void)variant;
    const struct geometry g = geometry_of(gp, c);
    const unsigned work_group = program->work_group;
    const uint64_t tile = tile_of(c, &g, work_group);
    uint64_t wanted = (uint64_t)gp->caps.compute_units * g.items_per_unit / work_group / rows;
    const uint64_t most = gp_ceil_div(count, tile);
    wanted = wanted > most ? most : wanted ? wanted : 1;
    // Counters of a group have 32 bits.
    const uint64_t least = gp_ceil_div(count, (uint64_t)1 << 31);
    l->line_groups = wanted < least ? least : wanted;
    l->groups = l->line_groups * rows;
    l->near_first = g.near_first;
    l->near_words = g.is_near ? g.near_words : 0;
    l->gathers = g.tallies;
    l->local_bytes =
        l->near_words * sizeof(cl_uint) + (g.tallies ? tally_bytes(c->classifier) : 0);
}

int gp_classify_describe_places(const struct gpuprim_classifier *f, char *text, size_t size)
{
    const struct classify_aid *a = &f->aid;
    switch (f->form == CLASSIFY_SEARCH ? a->way : CLASSIFY_NO_WAY) {
    case CLASSIFY_COUNTED:
        return snprintf(text, size, "each of the %u keys compared", f->n);
    case CLASSIFY_TREE:
        return snprintf(text, size, "a tree of %u levels, as no guide needs fewer steps",
                        a->levels);
    case CLASSIFY_EVEN:
        return snprintf(text, size,
                        "the place among %u keys at even distances computed, and one of them "
                        "compared where that leaves a doubt",
                        f->n);
    case CLASSIFY_LINEAR:
        return snprintf(text, size,
                        "a guide of %u cells of one width, then %u halvings at most", a->cells,
                        a->levels);
    case CLASSIFY_ORDERED:
        return snprintf(text, size,
                        "a guide of %u cells of equally many values, then %u halvings at most",
                        a->cells, a->levels);
    default:
        return snprintf(text, size, "%s",
                        f->form == CLASSIFY_TABLE ? "one look into the table"
                                                  : "all cases asked, without a branch");
    }
}

const struct classify_shape gp_classify_gpu_words = { specialise, lay_out,
                                                      gp_classify_describe_places };
