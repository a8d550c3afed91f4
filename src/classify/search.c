/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the method SEARCH: ascending keys, the classes between them, and the tables of
 * both. Elements of 8 bits get a table of all values instead (table.c). The rules add the keys;
 * search_index.c chooses how they are searched. */
#include "classify.h"

#include <stdlib.h>
#include <string.h>

void gp_search_free(struct classify_search *s)
{
    free(s->keys);
    free(s->row_keys);
}

int gp_search_allocate(struct classify_search *s, uint64_t rows, uint32_t pitch)
{
    uint64_t keys;
    s->rows = rows;
    s->pitch = pitch;
    if (__builtin_mul_overflow(rows, pitch, &keys) || keys > SIZE_MAX / 16 ||
        rows > SIZE_MAX / 16)
        return gp_fail(GPUPRIM_E_RANGE, "the size of all thresholds overflows 64 bits");
    s->keys = malloc((keys + 1) * sizeof *s->keys);
    s->row_keys = calloc(rows, sizeof *s->row_keys);
    return s->keys && s->row_keys ? GPUPRIM_OK : gp_classify_no_memory();
}

void gp_search_add(const struct gpuprim_classifier *c, struct classify_search *s, uint64_t row,
                   int64_t ordinal, bool behind)
{
    if (behind && ordinal == gp_ordinal_highest(c->in))
        return;
    s->keys[row * s->pitch + s->row_keys[row]++] = ordinal + behind;
}

static int compare_ordinals(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void gp_search_sort(struct classify_search *s)
{
    qsort(s->keys, s->row_keys[0], sizeof *s->keys, compare_ordinals);
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->row_keys[0]; k++)
        if (n == 0 || s->keys[k] != s->keys[n - 1])
            s->keys[n++] = s->keys[k];
    s->row_keys[0] = n;
}

void gp_search_merge(struct classify_search *s, uint32_t *map)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->row_keys[0]; k++)
        if (map[k + 1] != map[n]) {
            s->keys[n++] = s->keys[k];
            map[n] = map[k + 1];
        }
    s->row_keys[0] = n;
}

uint32_t gp_search_place(const struct classify_search *s, int64_t x)
{
    uint32_t begin = 0, end = s->row_keys[0];
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (s->keys[middle] <= x)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static uint32_t search_label(const struct classify_search *s, int64_t x)
{
    const uint32_t class = gp_search_place(s, x) - s->first_class;
    if (class >= s->classes)
        return GPUPRIM_REJECT;
    return s->map ? s->map[class] : class;
}

// The labels of all values of 16 bits, also of NaNs, in the order of their bits.
static uint16_t *label_values(const struct gpuprim_classifier *c,
                              const struct classify_search *s)
{
    enum { VALUES = 65536 };
    uint16_t *labels = malloc(VALUES * sizeof *labels);
    for (uint32_t v = 0; labels && v < VALUES; v++) {
        const uint16_t bits = (uint16_t)v;
        const int64_t x = gp_ordinal(c->in, &bits);
        uint32_t label = search_label(s, x);
        if (gp_ordinal_is_nan(c->in, x))
            label = s->nan_class >= s->classes ? GPUPRIM_REJECT
                    : s->map                   ? s->map[s->nan_class]
                                               : s->nan_class;
        labels[v] = (uint16_t)label; // none: all bits one
    }
    return labels;
}

// ---------------------------------------------------------------------------------------
// Tables

static int table_of_bytes(struct gpuprim_classifier *c, const struct classify_search *s)
{
    const int status = gp_classify_make_table(c, 1, 256);
    if (status)
        return status;
    c->index_bits = 8;
    c->tables[0] = 0;
    c->tables[1] = 255;
    for (unsigned i = 0; i < 256; i++) {
        const unsigned char byte = (unsigned char)i;
        c->tables[c->labels_at + i] = search_label(s, gp_ordinal(c->in, &byte));
    }
    gp_classify_narrow_table(c);
    return GPUPRIM_OK;
}

// Words that a search index may have. On GPUs it should fit into local memory beside counters
// and map.
static uint64_t index_room(const struct gpuprim_classifier *c)
{
    if (c->gp->caps.is_cpu)
        return UINT64_MAX;
    const uint64_t room = gp_classify_local_room(c->gp) / sizeof(cl_uint);
    const uint64_t others = 2 * c->labels + 64;
    return others < room / 2 ? room - others : room / 2;
}

static void write_keys(struct gpuprim_classifier *c, const struct classify_search *s)
{
    const size_t size = gp_key_size(c->in);
    for (uint64_t row = 0; row < s->rows; row++)
        for (uint32_t k = 0; k < c->n; k++) {
            const bool is_there = k < s->row_keys[row];
            gp_key_store(c->in, is_there ? s->keys[row * s->pitch + k] : 0,
                         (char *)c->tables + (row * c->n + k) * size);
        }
}

// The search index of one row of keys.
static int index_of_row(struct gpuprim_classifier *c, const struct classify_search *s,
                        uint32_t **index)
{
    if (c->index.method == SEARCH_LINEAR) { // there is nothing in its tables
        *index = calloc(1, sizeof **index);
        return *index ? GPUPRIM_OK : gp_classify_no_memory();
    }
    if (gp_search_may_step(c, s)) {
        uint16_t *labels = label_values(c, s);
        const int status = labels ? gp_search_steps(c, labels, s->map != NULL, &c->index, index)
                                  : gp_classify_no_memory();
        free(labels);
        if (status || *index)
            return status;
    }
    const int status = gp_search_index(c, s->keys, c->n, index_room(c), &c->index, index);
    if (!status && c->index.method == SEARCH_INTERPOLATE && !s->map)
        gp_search_multiplies(c, s->keys, c->n, &c->multiples);
    return status;
}

// Writes the map, whose entries are as narrow as the labels, but on CPUs, whose gathers have 32
// bits.
static void write_map(struct gpuprim_classifier *c, const struct classify_search *s)
{
    char *to = (char *)(c->tables + c->labels_at);
    for (uint32_t k = 0; k < s->classes; k++) // hosts and devices are little-endian
        memcpy(to + (size_t)k * c->entry_bytes, s->map + k, c->entry_bytes);
}

// Makes the tables: | keys | lengths of the key rows | map | search index | places |
static int make_tables(struct gpuprim_classifier *c, const struct classify_search *s)
{
    const uint64_t key_words = s->rows * c->n * (gp_key_size(c->in) / sizeof(uint32_t));
    const uint64_t row_words = s->rows > 1 ? s->rows : 0;
    c->entry_bytes = s->map && !c->gp->caps.is_cpu
                         ? (unsigned)gp_type_size(gp_classify_narrowest(c))
                         : sizeof *c->tables;
    // One word more: a part at word 0 would mean that there is none. Of own keys the last vector reads
    // three words behind the keys (kernels/classify/row_places.cl): this one and two lengths of rows.
    c->words = key_words + 1 + row_words +
               gp_ceil_div(s->map ? (uint64_t)s->classes * c->entry_bytes : 0, 4);
    uint32_t *index = NULL;
    const int status = s->rows == 1 ? index_of_row(c, s, &index)
                                    : gp_search_row_cells(c, s, &c->index, &index);
    if (status)
        return status;
    if (index) {
        c->index_at = (c->words + 1) & ~(uint64_t)1; // keys may have 64 bits
        c->words = c->index_at + c->index.words;
    }
    if (c->may_rank_rows && gp_search_needs_places(s, &c->ranks)) {
        c->places_at = c->words;
        c->words += s->rows * PLACES_WORDS(c->n);
    }
    c->tables = calloc(c->words, sizeof *c->tables);
    if (c->tables && index)
        memcpy(c->tables + c->index_at, index, c->index.words * sizeof *index);
    free(index);
    if (!c->tables)
        return gp_classify_no_memory();
    write_keys(c, s);
    if (c->places_at)
        gp_search_write_places(c, s, c->tables + c->places_at);
    if (row_words) {
        c->rows_at = key_words + 1;
        memcpy(c->tables + c->rows_at, s->row_keys, row_words * sizeof *c->tables);
    }
    if (s->map) {
        c->labels_at = key_words + 1 + row_words;
        write_map(c, s);
    }
    return GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------
// Equal keys

// Whether the search method RANK would suit the keys if each were there once.
static bool has_equal_keys(const struct gpuprim_classifier *c, const struct classify_search *s)
{
    bool is_equal = false;
    for (uint32_t k = 1; k < s->row_keys[0]; k++)
        is_equal |= s->keys[k] == s->keys[k - 1];
    return is_equal && s->rows == 1 && gp_type_size(c->in) == 2 && !c->gp->caps.is_cpu;
}

// Keeps each key once. A map, of one entry more for NaNs, then gives the labels. The caller
// frees *map.
static int keep_once(struct classify_search *s, uint32_t **map)
{
    struct classify_search all = *s;
    all.keys = malloc(((size_t)s->row_keys[0] + 1) * sizeof *all.keys);
    *map = malloc(((size_t)s->row_keys[0] + 2) * sizeof **map);
    if (!all.keys || !*map) {
        free(all.keys);
        return gp_classify_no_memory();
    }
    const uint32_t n = s->row_keys[0];
    memcpy(all.keys, s->keys, n * sizeof *all.keys);
    all.row_keys = &(uint32_t){ n };
    gp_search_sort(s);
    const uint32_t kept = s->row_keys[0];
    for (uint32_t k = 0; k <= kept; k++)
        (*map)[k] = k ? search_label(&all, s->keys[k - 1])
                      : search_label(&all, all.keys[0] - 1); // before all keys
    s->classes = kept + 1;
    if (s->nan_class < all.classes) {
        const uint32_t label = s->map ? s->map[s->nan_class] : s->nan_class;
        s->nan_class = kept + ((*map)[kept] != label);
        (*map)[s->nan_class] = label;
        s->classes = s->nan_class + 1;
    }
    s->first_class = 0;
    s->map = *map;
    free(all.keys);
    return GPUPRIM_OK;
}

// Makes the tables of all but bytes.
static int make_search(struct gpuprim_classifier *c, const struct classify_search *s)
{
    c->method = METHOD_SEARCH;
    c->rows = s->rows;
    c->n = s->rows > 1 ? s->pitch : s->row_keys[0];
    c->may_rank_rows = gp_search_ranks_rows(c, s);
    c->are_even_rows = true;
    for (uint64_t row = 0; row < s->rows; row++)
        c->are_even_rows &= s->row_keys[row] == c->n;
    c->first_class = s->first_class;
    c->classes = s->classes;
    c->nan_class = s->nan_class;
    return make_tables(c, s);
}

int gp_search_finish(struct gpuprim_classifier *c, const struct classify_search *s)
{
    if (gp_type_size(c->in) == 1 && s->rows == 1)
        return table_of_bytes(c, s);
    struct classify_search once = *s;
    uint32_t *map = NULL;
    // A map would be read for each element, and STEPS has its labels.
    const bool is_linear =
        s->rows == 1 && !s->map && gp_search_lines(c, s->keys, s->row_keys[0], &c->index);
    int status = !is_linear && has_equal_keys(c, s) ? keep_once(&once, &map) : GPUPRIM_OK;
    if (!status)
        status = make_search(c, &once);
    if (!status)
        status = gp_classify_search_intervals(c, &once);
    free(map);
    return status;
}
