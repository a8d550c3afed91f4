/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: reads the arrays that the caller gives a rule, and notes which labels there are.
 * The files of the rules call it. */
#include "classifier.h"

#include <stdlib.h>
#include <string.h>

int gp_classify_no_memory(void)
{
    return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
}

int gp_classify_read(gpuprim *gp, const struct gp_array *array, const char *name,
                     unsigned char **out)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(array->rows, array->count * array->size, &bytes) ||
        bytes > SIZE_MAX - 1)
        return gp_fail(GPUPRIM_E_RANGE, "the size of %s overflows 64 bits", name);
    *out = malloc((size_t)bytes + 1);
    return *out ? gp_array_read(gp, array, name, *out) : gp_classify_no_memory();
}

int gp_classify_read_values(struct gpuprim_classifier *c, const struct gpuprim_array *given,
                            uint64_t most, struct gp_array *array, unsigned char **out)
{
    struct gpuprim_array values = *given;
    if (!values.type && !values.count) // there are none
        values.type = c->in;
    const int status = gp_array_resolve(c->gp, &values, "values", false, array);
    if (status)
        return status;
    if (array->type != c->in)
        return gp_fail(GPUPRIM_E_TYPE, "input of %s takes values of %s, not of %s",
                       gp_type_name(c->in), gp_type_name(c->in), gp_type_name(array->type));
    if (array->rows == 0)
        return gp_fail(GPUPRIM_E_ARG, "values has no rows, 1 is needed, or one for each "
                                      "row of the data");
    if (array->count > most)
        return gp_fail(GPUPRIM_E_ARG, "a row has at most %llu values, not %llu",
                       (unsigned long long)most, (unsigned long long)array->count);
    return gp_classify_read(c->gp, array, "values", out);
}

void gp_classify_note_label(struct gpuprim_classifier *c, uint32_t label)
{
    if (label == GPUPRIM_REJECT)
        c->may_reject = true;
    else if (label >= c->labels)
        c->labels = (uint64_t)label + 1;
}

enum gpuprim_type gp_classify_narrowest(const struct gpuprim_classifier *classifier)
{
    // Rejected elements have all bits one.
    const uint64_t values = classifier->labels + classifier->may_reject;
    return values <= 1u << 8 ? GPUPRIM_U8 : values <= 1u << 16 ? GPUPRIM_U16 : GPUPRIM_U32;
}

int gp_classify_read_labels(struct gpuprim_classifier *c, const struct gpuprim_array *array,
                            const char *name, uint32_t **out, uint64_t *n)
{
    struct gp_array labels;
    unsigned char *values = NULL;
    int status = gp_array_resolve(c->gp, array, name, false, &labels);
    if (status)
        return status;
    if (labels.type != GPUPRIM_U8 && labels.type != GPUPRIM_U16 && labels.type != GPUPRIM_U32)
        return gp_fail(GPUPRIM_E_TYPE, "%s must be of u8, u16 or u32, not of %s", name,
                       gp_type_name(labels.type));
    // With OUTSIDE_CLASSES a map has two entries more than there are bins.
    if (labels.rows != 1 || labels.count < 1 || labels.count > CLASSIFY_MAX_KEYS + 2)
        return gp_fail(GPUPRIM_E_ARG, "%s must be one row of 1 to 65537, not %llu rows of %llu",
                       name, (unsigned long long)labels.rows, (unsigned long long)labels.count);
    status = gp_classify_read(c->gp, &labels, name, &values);
    uint32_t *wide = status ? NULL : calloc(labels.count, sizeof *wide);
    if (!status && !wide)
        status = gp_classify_no_memory();
    for (uint64_t i = 0; !status && i < labels.count; i++) {
        memcpy(&wide[i], values + i * labels.size, labels.size);
        gp_classify_note_label(c, wide[i]);
    }
    free(values);
    *out = wide;
    *n = labels.count;
    return status;
}
