/* SPDX-License-Identifier: Apache-2.0
 *
 * What the variants with a search index have in common, all but baseline.c: the
 * macros that tell their kernels how a classifier's method is computed, and the same in words
 * for gpuprim_classifier_describe. */
#include "classify.h"

#include <stdio.h>

unsigned gp_classify_levels(uint32_t n)
{
    return n ? 32 - (unsigned)__builtin_clz(n) : 0;
}

void gp_classify_define_method(struct gp_key *key, const struct gpuprim_classifier *c,
                               unsigned search_method)
{
    if (c->method == METHOD_TABLE)
        gp_define(key, "RUNS", c->n);
    if (c->method == METHOD_CHAIN && !c->gp->caps.is_cpu) // of CPUs no kernel asks
        gp_define(key, "HELD_CASES", c->n <= MOST_HELD_CASES ? c->n : 0);
    if (c->method == METHOD_HASH) {
        gp_define(key, "MASKS", c->n <= MOST_HELD_MASKS ? c->n : 0);
        gp_define(key, "WAYS", c->ways);
        gp_define(key, "HAS_MAP", c->labels_at > 0);
    }
    if (c->method == METHOD_BITS) {
        gp_define(key, "LOOKS", c->index.cells);
        gp_define(key, "CASE_WORDS", c->n <= MOST_HELD_WORDS ? c->n : 0);
        gp_define(key, "CASE_WIDTH", c->n < 4 ? c->n : 4);
    }
    if (c->method != METHOD_SEARCH)
        return;
    gp_define(key, "SEARCH_METHOD", search_method);
    if (search_method == SEARCH_COMPARE_ALL)
        gp_define(key, "KEYS", c->n);
    else if (search_method == SEARCH_BINARY)
        gp_define(key, "LEVELS", gp_classify_levels(c->n));
    else if (search_method != SEARCH_INTERPOLATE && search_method != SEARCH_RANK &&
             search_method != SEARCH_STEPS && search_method != SEARCH_CELL_KEYS &&
             search_method != SEARCH_LINEAR && search_method != SEARCH_MULTIPLES)
        gp_define(key, "LEVELS", c->index.levels);
    if (search_method == SEARCH_STEPS) {
        gp_define(key, "STEP_RISES", c->index.rises);
        gp_define(key, "ODD_CELLS", c->index.has_odd);
    }
    if (search_method == SEARCH_CELL_KEYS)
        gp_define(key, "BY_FLOATS", c->index.levels);
    if (search_method == SEARCH_LINEAR && gp_type_is_float(c->in)) {
        gp_define(key, "LAST_APART", c->index.levels & LINEAR_LAST_APART);
        gp_define(key, "ONE_ZERO", (c->index.levels & LINEAR_ONE_ZERO) != 0);
    } else if (search_method == SEARCH_LINEAR)
        gp_define(key, "WITHIN", c->index.levels);
    gp_define(key, "HAS_MAP", c->labels_at > 0);
    // A NaN may have any cell, but where rows have none, it reaches all keys of its row.
    const bool is_placed = search_method == SEARCH_INTERPOLATE ||
                           search_method == SEARCH_RANK || search_method == SEARCH_LINEAR ||
                           search_method == SEARCH_MULTIPLES ||
                           (search_method == SEARCH_BINARY && !c->index.cells);
    gp_define(key, "ALL_CLASSES",
              c->first_class == 0 && c->n < c->classes &&
                  (!gp_type_is_float(c->in) || c->nan_class < c->classes));
    gp_define(key, "NAN_IS_LAST",
              is_placed && c->are_even_rows && c->nan_class == c->n - c->first_class);
}

static int describe_search(const struct gpuprim_classifier *c, unsigned search_method,
                           char *text, size_t size)
{
    const struct search_index *index = &c->index;
    switch (search_method) {
    case SEARCH_COMPARE_ALL:
        return snprintf(text, size, "each of the %u keys compared", c->n);
    case SEARCH_BINARY:
        return snprintf(text, size, "a tree of the row's keys, of %u levels",
                        gp_classify_levels(c->n));
    case SEARCH_TREE:
        return snprintf(text, size,
                        "a tree of %u levels, as no grid of cells needs fewer steps",
                        index->levels);
    case SEARCH_INTERPOLATE:
        return snprintf(text, size,
                        "the place among %u keys at even distances computed, and one of them "
                        "compared where that leaves a doubt",
                        c->n);
    case SEARCH_CELL_KEYS:
        return snprintf(text, size, "%u cells of %s, with one key each", index->cells,
                        index->levels ? "values by powers of two" : "equally many values");
    case SEARCH_STEPS:
        return snprintf(text, size, "one look into %u cells of equally many values",
                        index->cells);
    case SEARCH_LINEAR:
        return snprintf(text, size, "the place among %u even keys computed", c->n);
    case SEARCH_RANK:
        return snprintf(text, size, "the bits of keys among all values counted");
    case SEARCH_PIECEWISE:
        return snprintf(text, size,
                        "the place among %u keys computed by a piecewise linear function, and "
                        "one of them compared where that leaves a doubt",
                        c->n);
    case SEARCH_GRID:
        return snprintf(text, size, "%u cells of one width, then %u halvings at most",
                        index->cells, index->levels);
    default:
        return snprintf(text, size, "%u cells of equally many values, then %u halvings at most",
                        index->cells, index->levels);
    }
}

int gp_classify_describe_method(const struct gpuprim_classifier *c, unsigned search_method,
                                char *text, size_t size)
{
    if (c->method == METHOD_SEARCH)
        return describe_search(c, search_method, text, size);
    if (c->method == METHOD_HASH)
        return snprintf(text, size, "%u look%s into hash tables", c->n * c->ways,
                        c->n * c->ways == 1 ? "" : "s");
    if (c->method == METHOD_BITS)
        return snprintf(text, size, "%u look%s into bit vectors and one for the label",
                        c->n * c->index.cells, c->n * c->index.cells == 1 ? "" : "s");
    if (c->method == METHOD_LISTS)
        return snprintf(text, size,
                        "one look into the sieve and the lists, then the cases of one "
                        "tried in turn");
    return snprintf(text, size, "%s",
                    c->method == METHOD_TABLE ? "one look into the table"
                                              : "all cases asked, without a branch");
}
