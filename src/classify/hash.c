/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, the rule CASES (cases.h): the method HASH, a hash table for each mask.
 *
 *     h      (x & mask) * odd number          so that different values have different h
 *     place  upper 32 bits of h * places / 2^32
 *     entry  h << code bits | code            a table has at least 2^(code bits) places, so that
 *                                             the bits of h that the shift drops follow from the
 *                                             place
 *
 * So entry ^ (h << code bits) is the code where the case matches, and is no less than 2^(code
 * bits) where it does not. The least code of all masks decides. Codes are labels, where that
 * is the order of the cases, or else numbers of labels. An empty place has the code that is one
 * more than all others. hash_places.c finds odd numbers and places. */
#include "cases.h"
#include "classify.h"

#include <stdlib.h>
#include <string.h>

enum {
    // So many places are given to labels that are codes, also where there are few cases.
    LABEL_PLACES = 1024,
    // Of all tables. Many masks of many cases need more, as each mask has places for all codes.
    MOST_BYTES = 1 << 26,
    // Tables of more bytes have a sieve, with two to four words for each case, at most, of which
    // one element in some 1500 and mask passes that is no case.
    UNSIEVED_BYTES = 16384,
    LEAST_SIEVE_BITS = 5,
    MOST_SIEVE_BITS = 13,
};

// ---------------------------------------------------------------------------------------
// Codes

static uint32_t largest_group(const struct case_groups *g)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < g->n_groups; i++)
        most = g->groups[i].n > most ? g->groups[i].n : most;
    return most;
}

// Whether labels can be codes: the least code decides among several masks, and codes take bits
// from the places.
static bool labels_are_codes(const struct gpuprim_cases *p, const struct case_groups *g)
{
    const uint32_t most = 2 * largest_group(g);
    const uint64_t places = most > LABEL_PLACES ? most : LABEL_PLACES;
    uint32_t before = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        const uint32_t label = p->list[k].label;
        if (g->is_left_out[k])
            continue;
        if (label == GPUPRIM_REJECT || (uint64_t)1 << gp_bits_of(label + 1) > places ||
            (g->n_groups > 1 && label < before))
            return false;
        before = label;
    }
    return true;
}

// Neighbouring cases of one label have one code.
static void number_labels(struct hash *h, const struct gpuprim_cases *p)
{
    uint32_t before = 0;
    for (uint32_t k = 0; k < p->count; k++) {
        if (h->g->is_left_out[k])
            continue;
        if (h->n_codes == 0 || p->list[k].label != before)
            h->n_codes++;
        before = p->list[k].label;
        h->codes[k] = h->n_codes - 1;
    }
}

static void make_codes(struct hash *h, const struct gpuprim_cases *p)
{
    h->has_labels = !labels_are_codes(p, h->g);
    if (h->has_labels)
        number_labels(h, p);
    for (uint32_t k = 0; !h->has_labels && k < p->count; k++)
        if (!h->g->is_left_out[k]) {
            h->codes[k] = p->list[k].label;
            if (h->codes[k] >= h->n_codes)
                h->n_codes = h->codes[k] + 1;
        }
    h->code_bits = gp_bits_of(h->n_codes);
}

// ---------------------------------------------------------------------------------------
// The classifier's tables

// Words of the sieve; a sieve of local memory is for GPUs. Counters of all labels are to have
// room beside it.
static uint32_t sieve_words(const struct hash *h)
{
    const uint64_t bytes = h->n_entries * gp_key_size(h->c->in);
    if (h->c->gp->caps.is_cpu || bytes <= UNSIEVED_BYTES)
        return 0;
    const uint64_t room = gp_classify_local_room(h->c->gp),
                   counters = gp_classify_counters(h->c, room, UINT64_MAX).bytes;
    unsigned bits = gp_bits_of(h->g->n_cases) + 1;
    bits = bits < MOST_SIEVE_BITS ? bits : MOST_SIEVE_BITS;
    while (bits > LEAST_SIEVE_BITS && (UINT64_C(4) << bits) + counters > room)
        bits--;
    return UINT32_C(1) << bits;
}

// Two bits for each case (kernels/classify/hash.cl).
static void write_sieve(const struct hash *h, const struct mask_tables *tables, uint32_t *sieve)
{
    const bool is_wide = gp_key_size(h->c->in) == 8;
    const unsigned shift = h->c->index.shift;
    for (uint32_t i = 0; i < h->g->n_groups; i++) {
        const struct case_group *group = &h->g->groups[i];
        for (uint32_t k = 0; k < group->n; k++) {
            const uint64_t product = h->g->cases[group->first + k].value * tables[i].odds[0];
            const uint32_t hash = (uint32_t)(is_wide ? product >> 32 : product);
            sieve[hash >> shift] |= UINT32_C(0x80000000) >> (hash >> (shift - 5) & 31) |
                                    UINT32_C(0x80000000) >> (hash >> (shift - 10) & 31);
        }
    }
}

// kernels/classify/classify.cl has the layout.
static int write_tables(struct hash *h, const struct gpuprim_cases *p,
                        const struct mask_tables *tables)
{
    struct gpuprim_classifier *c = h->c;
    const uint32_t n = h->g->n_groups;
    const size_t size = gp_key_size(c->in), words = size / sizeof(uint32_t);
    // Aligned, as it is copied by 16 bytes.
    c->sieve_at = (3 * (uint64_t)n * words + 3 * (uint64_t)n + 3) & ~(uint64_t)3;
    c->index.cells = sieve_words(h);
    c->index.shift = c->index.cells ? 33 - gp_bits_of(c->index.cells) : 0;
    const uint64_t labels = c->sieve_at + c->index.cells;
    c->labels_at = h->has_labels ? labels : 0;
    c->index_at = (labels + (h->has_labels ? h->n_codes + 1 : 0) + 1) & ~(uint64_t)1;
    c->words = c->index_at + h->n_entries * words;
    c->tables = calloc(c->words, sizeof *c->tables);
    if (!c->tables)
        return gp_classify_no_memory();
    char *numbers = (char *)c->tables;
    uint32_t *places = c->tables + 3 * (uint64_t)n * words;
    for (uint32_t i = 0; i < n; i++) { // hosts and devices are little-endian
        memcpy(numbers + i * size, &h->g->groups[i].mask, size);
        for (int way = 0; way < 2; way++) {
            memcpy(numbers + ((1 + way) * n + i) * size, &tables[i].odds[way], size);
            places[(1 + way) * n + i] = tables[i].starts[way];
        }
        places[i] = tables[i].places;
    }
    for (uint32_t k = 0; h->has_labels && k < p->count; k++)
        if (!h->g->is_left_out[k])
            c->tables[c->labels_at + h->codes[k]] = p->list[k].label;
    if (h->has_labels)
        c->tables[c->labels_at + h->n_codes] = c->otherwise;
    for (uint32_t i = 0; i < h->n_entries; i++)
        memcpy(c->tables + c->index_at + i * words, &h->entries[i], size);
    if (c->index.cells)
        write_sieve(h, tables, c->tables + c->sieve_at);
    c->method = METHOD_HASH;
    c->n = n;
    c->classes = h->n_codes;
    c->code_bits = h->code_bits;
    return GPUPRIM_OK;
}

uint64_t gp_hash_looks(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                       const struct case_groups *g)
{
    struct hash h = { .c = c, .g = g };
    const bool has_labels = !labels_are_codes(p, g);
    h.code_bits =
        gp_bits_of(has_labels || c->labels > UINT32_MAX ? g->n_cases : (uint32_t)c->labels);
    if (gp_hash_bytes(&h) > MOST_BYTES)
        return UINT32_MAX;
    return (uint64_t)g->n_groups * (gp_hash_fits_one_table(&h) ? 1 : 2) + has_labels;
}

int gp_hash_make(struct gpuprim_classifier *c, const struct gpuprim_cases *p,
                 const struct case_groups *g, bool *is_made)
{
    struct hash h = { .c = c, .g = g };
    struct mask_tables *tables = malloc(((size_t)g->n_groups + 1) * sizeof *tables);
    h.codes = malloc(((size_t)p->count + 1) * sizeof *h.codes);
    int status = tables && h.codes ? GPUPRIM_OK : gp_classify_no_memory();
    if (!status) {
        make_codes(&h, p);
        status = gp_hash_find(&h, tables, is_made);
    }
    if (!status && *is_made)
        status = write_tables(&h, p, tables);
    free(tables);
    free(h.codes);
    free(h.entries);
    free(h.owners);
    free(h.stamps);
    return status;
}
