/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the search method RANK (kernels/classify/rank.cl) for elements of 16 bits: a bit
 * for each value, and how many keys there are before each 16 of them. search_index.c asks here
 * first on GPUs, and search.c for keys of each row's own. */
#include "classifier.h"
#include "classify.h"

enum { VALUES = 65536, EACH = 16, HALF = VALUES / 2 };

// Fewer keys of a row's own have a tree with at most one read (own_keys.cl).
enum { LEAST_ROW_KEYS = 8 };

// The number of a key among the values, as the kernel counts them.
static uint32_t value_of(const struct gpuprim_classifier *c, int64_t key)
{
    const bool is_signed = gp_type_is_float(c->in) || gp_type_is_signed(c->in);
    return (uint32_t)(is_signed ? HALF + key : key);
}

static bool has_equal_keys(const int64_t *keys, uint32_t n)
{
    for (uint32_t k = 1; k < n; k++)
        if (keys[k] == keys[k - 1])
            return true;
    return false;
}

bool gp_search_ranks(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                     struct search_index *index)
{
    if (gp_type_size(c->in) != 2 || n > UINT16_MAX || has_equal_keys(keys, n))
        return false;
    *index = (struct search_index){ .method = SEARCH_RANK, .words = RANK_WORDS };
    return true;
}

void gp_search_write_ranks(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                           uint32_t *words)
{
    uint32_t before = 0;
    const uint32_t nans = gp_type_is_float(c->in)
                              ? (uint32_t)(HALF + gp_ordinal_lowest(c->in)) / EACH
                              : 0; // words of negative ones
    for (uint32_t w = 0; w < RANK_WORDS; w++) {
        words[w] = before << 16;
        for (; before < n && value_of(c, keys[before]) / EACH == w; before++)
            words[w] |= 1u << value_of(c, keys[before]) % EACH;
        if (w < nans)
            words[w] = n << 16;
    }
}

bool gp_search_ranks_rows(const struct gpuprim_classifier *c, const struct classify_search *s)
{
    return !c->gp->caps.is_cpu && gp_type_size(c->in) == 2 && s->rows > 1 &&
           c->n >= LEAST_ROW_KEYS && c->n <= UINT16_MAX &&
           RANK_WORDS * sizeof(cl_uint) <= gp_classify_local_room(c->gp);
}

bool gp_search_needs_places(const struct classify_search *s, uint32_t *ranks)
{
    bool needs = false;
    *ranks = 1;
    for (uint64_t row = 0; row < s->rows; row++) {
        const int64_t *keys = s->keys + row * s->pitch;
        const uint32_t n = s->row_keys[row];
        uint32_t different = n > 0;
        for (uint32_t k = 1; k < n; k++)
            different += keys[k] != keys[k - 1];
        needs |= different < n;
        *ranks = different + 1 > *ranks ? different + 1 : *ranks;
    }
    return needs;
}

void gp_search_write_places(const struct gpuprim_classifier *c, const struct classify_search *s,
                            uint32_t *words)
{
    for (uint64_t row = 0; row < s->rows; row++) {
        const int64_t *keys = s->keys + row * s->pitch;
        const uint32_t n = s->row_keys[row];
        uint16_t *places = (uint16_t *)(words + row * PLACES_WORDS(c->n));
        uint32_t different = 0;
        places[0] = 0;
        for (uint32_t k = 0; k < n; k++) {
            different += k == 0 || keys[k] != keys[k - 1];
            places[different] = (uint16_t)(k + 1);
        }
        while (different < n) // a NaN asks for place n
            places[++different] = (uint16_t)n;
    }
}
