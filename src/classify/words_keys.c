/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_words of classify: what a group has in local memory of the keys of its row, where rows have
 * keys of their own. gpu_words.c asks here, and so do variants that leave calls to gpu_words. */
#include "words.h"

enum {
    // Elements of 8 bits also have the places of their values.
    VALUES = 256,
    // Not more than 2^MOST_APART - 1 of a row's keys lie between two that local memory has. H200,
    // driver 580.159.04, 2026-11-30, f64, 25 431 keys of each of 95 columns, 15 of them between
    // two, 4579 us by gpu_turned, 3539 by gpu_tiles.
    MOST_APART = 3,
};

// Words that are made for a row are worth it where rows are long, and units have enough elements.
static bool has_ranks(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    return f->may_rank_rows && c->in.count >= RANKED_PART &&
           f->rows * c->in.count >= RANKED_PART * (uint64_t)f->gp->caps.compute_units;
}

// Whether the group counts ranks, and looks up the places of its counters instead of those of its
// elements. Ranks differ from places only where some keys are equal, and only places can be labels.
bool gp_words_count_ranks(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    const bool are_places =
        !f->labels_at && !f->may_reject && f->first_class == 0 &&
        (!gp_type_is_float(f->in) || (f->are_even_rows && f->nan_class == f->n));
    return f->places_at && has_ranks(c) && c->has_counts && !c->has_labels && are_places;
}

// The words of RANK. Where some keys are equal, their places, too, if these leave room for a word
// for each counter.
static struct words_keys ranks_of(const struct classification *c, uint64_t room)
{
    const struct gpuprim_classifier *f = c->classifier;
    const uint64_t words = RANK_WORDS * sizeof(cl_uint),
                   places = PLACES_WORDS(f->n) * sizeof(cl_uint),
                   counters = c->has_counts ? f->labels * sizeof(cl_uint) : 0;
    struct words_keys k = { .form = OWN_RANKS, .bytes = words };
    if (f->places_at)
        k.places = !gp_words_count_ranks(c) && words + places + counters <= room
                       ? PLACES_LOCAL
                       : PLACES_GLOBAL;
    if (k.places == PLACES_LOCAL)
        k.bytes += places;
    return k;
}

static uint64_t tree_bytes(const struct gpuprim_classifier *f)
{
    const unsigned levels = gp_classify_levels(f->n);
    const uint64_t places = gp_type_size(f->in) > 1 ? 0 : levels > 8 ? 4 * VALUES : VALUES;
    return (gp_key_size(f->in) << levels) + places;
}

// Whether no cell has so many keys that to halve them takes as long as the tree. H200, driver
// 580.159.04, 2026-11-30, us by a tree and by cells: f64, 135 keys 436 336; i64, 378 398 237; f32,
// 1911 785 505; u64, 3512 1532 595; but f32, 2126 keys, every ninth element 547 554. i32, 1165 keys
// with a few in most cells and many in some, rows of 36 292, 738 1030.
static bool are_short(const struct gpuprim_classifier *f, const struct words_keys *k)
{
    return f->index.levels + k->merge + 2 < gp_classify_levels(f->n);
}

// Whether a row is long beside its keys, for which starts are made, and the call is not small.
// Elements of 8 bits have places of their values, which take less. H200, driver 580.159.04,
// 2026-11-30, i64, 6476 keys of each of 3 channels of 73 747, 57.5 us, by gpu_tiles, which reads
// all keys through the caches, 7.3. Where there is no room for a tree, elements of a key in front, us by
// gpu_tiles and by cells: 5, i64, 9059 keys 3438, 427; 14, f64, 13 567 keys 5184, 507; 9, f64, 11 410 keys
// 20 004, 1884; 8, u32, 40 961 keys of columns 10 219, 1375; 12, f32, 14 089 keys 442, 342. Fewer were not
// measured, and beside a tree not less than 16.
static bool are_worth_cells(const struct classification *c, bool has_tree)
{
    enum { ELEMENTS_OF_KEY = 16, FEW_OF_KEY = 4, SMALL = 1 << 20 };
    const struct gpuprim_classifier *f = c->classifier;
    const uint64_t elements = has_tree ? ELEMENTS_OF_KEY : FEW_OF_KEY; // of a key
    if (gp_type_size(f->in) == 1)
        return false;
    return f->gp->as_if_large ||
           (c->in.count >= (uint64_t)f->n * elements && c->in.count * f->rows > SMALL);
}

// Starts of cells beside all keys or, where these have no room, every 2nd, 4th or 8th. Counters
// have half of the room, if they need so much.
static bool choose_cells(const struct classification *c, uint64_t room, struct words_keys *k)
{
    const struct gpuprim_classifier *f = c->classifier;
    if (!are_worth_cells(c, tree_bytes(f) <= room))
        return false;
    const uint64_t counters = c->has_counts ? f->labels * sizeof(cl_uint) : 0,
                   left = room - gp_min(counters, room / 2);
    for (unsigned apart = 0; apart <= MOST_APART; apart++) {
        const uint64_t size = gp_key_size(f->in),
                       keys = (MOST_COPIED(f->n, apart, size) | 1) * size;
        unsigned merge;
        const uint64_t starts =
            keys < left ? gp_classify_fit_starts(f, left - keys, apart, &merge) : 0;
        if (!starts)
            continue;
        *k = (struct words_keys){
            .form = OWN_CELLS, .bytes = keys + starts, .merge = merge, .apart = apart
        };
        return true;
    }
    return false;
}

struct words_keys gp_words_keys(const struct classification *c)
{
    const struct gpuprim_classifier *f = c->classifier;
    const uint64_t room = gp_classify_local_room(f->gp);
    struct words_keys k = { .form = 0 };
    if (f->rows == 1)
        return k;
    if (has_ranks(c))
        return ranks_of(c, room);
    if (choose_cells(c, room, &k) && (tree_bytes(f) > room || are_short(f, &k)))
        return k;
    return (struct words_keys){ .form = OWN_TREE, .bytes = tree_bytes(f) };
}
