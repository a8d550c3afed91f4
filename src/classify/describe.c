/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: gpuprim_classifier_describe says in words which rule, method and variant a
 * classifier has. The variants write their own part (method.c and their files). */
#include "classify.h"

static void append_hash(struct gp_text *text, const struct gpuprim_classifier *c)
{
    gp_text_add(
        text, "%s of %u mask%s, %s%s%s", c->n * c->ways == 1 ? "a hash table" : "hash tables",
        c->n, c->n == 1 ? "" : "s",
        c->ways == 1 ? "without collisions" : "two for each mask, a case is in one",
        c->index.cells ? ", with a sieve" : "", c->labels_at ? ", then labels by code" : "");
}

static void append_method(struct gp_text *text, const struct gpuprim_classifier *c)
{
    switch (c->method) {
    case METHOD_SEARCH:
        gp_text_add(text, "a search among %u keys", c->n);
        if (c->rows > 1)
            gp_text_add(text, " in each of %llu rows", (unsigned long long)c->rows);
        gp_text_add(text, c->labels_at ? ", then a map" : "");
        break;
    case METHOD_TABLE:
        gp_text_add(text, "a table of %llu labels by %u bit%s of the element in %u run%s",
                    (unsigned long long)c->entries, c->index_bits,
                    c->index_bits == 1 ? "" : "s", c->n, c->n == 1 ? "" : "s");
        break;
    case METHOD_HASH:
        append_hash(text, c);
        break;
    case METHOD_BITS:
        gp_text_add(text, "bit vectors of %u bits in each of %u looks, as there are many masks",
                    c->n * 32, c->index.cells);
        break;
    case METHOD_LISTS:
        gp_text_add(text,
                    "lists of %u cases by %d bits of the element, behind a sieve of %d bits",
                    c->n, LIST_BITS, LIST_SIEVE_BITS);
        break;
    default:
        gp_text_add(text, "a chain of %u cases, as no tables take less time than asking them",
                    c->n);
    }
}

static void append_variant(struct gp_text *text, const struct gpuprim_classifier *c)
{
    const struct gp_variant *variant = gp_classify_packed_variant(c);
    if (!variant)
        return;
    const struct classify_ops *ops = variant->ops;
    char part[256];
    ops->describe(c, part, sizeof part);
    gp_text_add(text, "; %s: %s", variant->name, part);
}

static void append_shadowed(struct gp_text *text, const struct gpuprim_classifier *c)
{
    enum { SHOWN = 32 };
    if (!c->n_shadowed)
        return;
    gp_text_add(text,
                "\n%u of the cases can never decide, for earlier ones take all that fits: ",
                c->n_shadowed);
    for (uint32_t i = 0; i < c->n_shadowed && i < SHOWN; i++)
        gp_text_add(text, "%s%u", i ? ", " : "", c->shadowed[i]);
    if (c->n_shadowed > SHOWN)
        gp_text_add(text, ", ...");
}

size_t gpuprim_classifier_describe(const gpuprim_classifier *classifier, char *text,
                                   size_t size)
{
    gp_enter("gpuprim_classifier_describe"); // building a program may leave a message
    if (!classifier)
        return 0;
    struct gp_text t = { text, text ? size : 0, 0 };
    gp_text_add(&t, "%s of %s: ", classifier->rule, gp_type_name(classifier->in));
    append_method(&t, classifier);
    append_variant(&t, classifier);
    append_shadowed(&t, classifier);
    return t.length;
}
