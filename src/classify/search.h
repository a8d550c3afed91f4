/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the method SEARCH. search.c makes its tables; search_index.c, row_cells.c,
 * interpolate.c, linear.c, multiples.c, rank.c, steps.c, cell_keys.c and piecewise.c are the
 * ways to search ascending keys. */
#ifndef GP_CLASSIFY_SEARCH_H
#define GP_CLASSIFY_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

struct gpuprim_classifier;

// The macros LAST_APART and ONE_ZERO of kernels/classify/linear.cl.
enum { LINEAR_LAST_APART = 1, LINEAR_ONE_ZERO = 2 };

// How one row of keys is searched, or keys of each row's own (BINARY). All variants but
// baseline use it.
struct search_index {
    unsigned method; // SEARCH_TREE ...
    // TREE: of the tree; GRID, RADIX, BINARY, PIECEWISE: halvings in a cell; LINEAR: 1:
    // integers are bounded; of floats the sum of LINEAR_...
    unsigned levels;
    uint32_t cells, shift;
    uint64_t low, scale, slack; // as in struct arguments
    uint64_t words;             // of its tables
    bool rises, has_odd;        // STEPS: as kernels/classify/steps.cl says
    // BINARY: cells have equal width; the most cells in a row that have no key
    bool is_grid;
    uint32_t most_empty;
};

// Ascending keys, as ordinals, and the classes between them. A key that would have to be beyond
// the type's last value is left out: no element reaches it.
struct classify_search {
    uint64_t rows;
    uint32_t pitch;     // keys of a row, at most
    int64_t *keys;      // rows of them
    uint32_t *row_keys; // how many each row has
    uint32_t first_class, classes, nan_class;
    const uint32_t *map; // NULL: a class is its own label
};

// Makes room for `rows` rows of `pitch` keys. gp_search_free is right after a failure, too.
int gp_search_allocate(struct classify_search *s, uint64_t rows, uint32_t pitch);
void gp_search_free(struct classify_search *s);

// Appends a key to a row: the ordinal itself, or the next one (`behind`).
void gp_search_add(const struct gpuprim_classifier *c, struct classify_search *s, uint64_t row,
                   int64_t ordinal, bool behind);

// The first row: sorts its keys and keeps each once; how many of them are not greater than x.
void gp_search_sort(struct classify_search *s);
uint32_t gp_search_place(const struct classify_search *s, int64_t x);

// Drops the keys that have one label on either side, and those labels: map[k] is the label
// before key k, map[k + 1] the one behind it.
void gp_search_merge(struct classify_search *s, uint32_t *map);

// Makes the classifier's tables. Bytes get a table of all values instead.
int gp_search_finish(struct gpuprim_classifier *c, const struct classify_search *s);

// search_index.c: chooses a search method whose tables have at most `room` words, if there is
// one, and makes the tables, which the caller frees.
int gp_search_index(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                    uint64_t room, struct search_index *index, uint32_t **words);

// row_cells.c: for 128 and more keys of each row's own, on GPUs: *index has cells, the same
// for all rows. Where keys are many, *words has for each row and cell the first key there and
// the one behind the last, of 16 bits each, and the caller frees it; else it is NULL.
int gp_search_row_cells(const struct gpuprim_classifier *c, const struct classify_search *s,
                        struct search_index *index, uint32_t **words);

// interpolate.c: whether the keys are at so even distances that arithmetic gives an element's
// place. Then *index says how; its tables are the keys.
bool gp_search_interpolates(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                            struct search_index *index);

// rank.c: whether elements have 16 bits and no key is written twice. Then *index says how, and
// the tables can be written.
bool gp_search_ranks(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                     struct search_index *index);
void gp_search_write_ranks(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                           uint32_t *words);

// rank.c: whether rows that have keys of their own are worth the words of RANK, which groups
// make in calls of long rows (kernels/classify/own_ranks.cl).
bool gp_search_ranks_rows(const struct gpuprim_classifier *c, const struct classify_search *s);

// rank.c: whether some keys of a row are equal, so that ranks, which have each key once, are
// not places yet. Then there are PLACES_WORDS(c->n) words for each row, and they can be written:
// u16 number d says how many keys are up to the d-th of those that differ. A row has `ranks` such
// numbers at most.
bool gp_search_needs_places(const struct classify_search *s, uint32_t *ranks);
void gp_search_write_places(const struct gpuprim_classifier *c, const struct classify_search *s,
                            uint32_t *words);

// linear.c: whether elements have 16 bits and one linear function gives their places. Then
// *index says how, without tables.
bool gp_search_lines(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                     struct search_index *index);

// multiples.c: where f32 keys are the multiples of one number, so that arithmetic gives places
// exactly, *index says how, without tables.
void gp_search_multiplies(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                          struct search_index *index);

// steps.c: whether elements have 16 bits and labels, too. Then gp_search_steps is asked with the
// labels of all values, in the order of their bits: where they change once at most in each of
// nearly all of some cells, *index says how, and *words are the tables, which the caller frees;
// else they are NULL.
bool gp_search_may_step(const struct gpuprim_classifier *c, const struct classify_search *s);
int gp_search_steps(const struct gpuprim_classifier *c, const uint16_t *labels, bool has_map,
                    struct search_index *index, uint32_t **words);

// cell_keys.c: whether cells of keys of 32 bits have one key each. Then *index says how, and
// the tables can be written.
bool gp_search_cells_have_keys(const struct gpuprim_classifier *c, const int64_t *keys,
                               uint32_t n, uint64_t room, struct search_index *index);
void gp_search_write_cell_keys(const struct gpuprim_classifier *c, const int64_t *keys,
                               uint32_t n, const struct search_index *index, uint32_t *words);

// piecewise.c: whether lines give an element's place. Then *index says how, and the caller
// frees the tables.
bool gp_search_pieces(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                      uint64_t room, struct search_index *index, uint32_t **words);

#endif
