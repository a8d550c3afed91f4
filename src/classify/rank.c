/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the search method RANK (kernels/classify/rank.cl) for elements of 16 bits: a bit
 * for each value, and how many keys there are before each 16 of them. search_index.c asks here
 * first on GPUs. */
#include "classify.h"

enum { VALUES = 65536, EACH = 16, HALF = VALUES / 2 };

// The number of a key among the values, as the kernel counts them. The key 0 of floats stands
// at -0, which is one less than 0. Infinities stand at the ends.
static uint32_t value_of(const struct gpuprim_classifier *c, int64_t key)
{
    if (gp_type_is_float(c->in) && key == gp_ordinal_lowest(c->in))
        return 0;
    if (gp_type_is_float(c->in))
        return (uint32_t)(key > 0 ? HALF + key : HALF - 1 + key);
    return (uint32_t)(gp_type_is_signed(c->in) ? HALF + key : key);
}

bool gp_search_ranks(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                     struct search_index *index)
{
    const bool is_float = gp_type_is_float(c->in);
    if (gp_type_size(c->in) != 2 || n > UINT16_MAX || (is_float && !c->gp->caps.has_denormals))
        return false;
    for (uint32_t k = 1; k < n; k++)
        if (keys[k] == keys[k - 1])
            return false;
    *index = (struct search_index){ .method = SEARCH_RANK, .words = VALUES / EACH };
    return true;
}

void gp_search_write_ranks(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                           uint32_t *words)
{
    uint32_t before = 0;
    for (uint32_t w = 0; w < VALUES / EACH; w++) {
        words[w] = before << 16;
        for (; before < n && value_of(c, keys[before]) / EACH == w; before++)
            words[w] |= 1u << value_of(c, keys[before]) % EACH;
    }
}
