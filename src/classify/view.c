/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: brings the view of a call's elements to a normal form, so that the variants meet
 * few shapes. Rows and elements may change places where all elements have one rule and are
 * counted together; then only the pairing of an input with its label matters:
 *
 *     reversed   labels run forward (without labels: the input); the input goes along
 *     swapped    neighbours of a row lie nearer in memory than neighbours of a column
 *     joined     rows that lie one behind the other are one row
 *
 *     columns of a matrix       in, labels  | 0 3 6 | 1 4 7 | 2 5 8 |    3 rows, stride 3
 *     swapped, then joined                  | 0 1 2 3 4 5 6 7 8 |        1 row, stride 1
 *
 * With counts or thresholds for each row, rows stay rows in their order, and only the elements
 * of each may be reversed. */
#include "classify.h"

// A step that is never taken is what packed arrays have.
static void drop_idle_steps(struct gp_array *array)
{
    if (array->count == 1)
        array->stride = 1;
    if (array->rows == 1)
        array->row_stride = 0;
}

static void reverse_elements(struct gp_array *array)
{
    array->first += (int64_t)(array->count - 1) * array->stride;
    array->stride = -array->stride;
}

static void reverse_rows(struct gp_array *array)
{
    array->first += (int64_t)(array->rows - 1) * array->row_stride;
    array->row_stride = -array->row_stride;
}

static void swap_axes(struct gp_array *array)
{
    const uint64_t count = array->count;
    const int64_t stride = array->stride;
    array->count = array->rows;
    array->stride = array->row_stride;
    array->rows = count;
    array->row_stride = stride;
    drop_idle_steps(array);
}

bool gp_classify_is_by_columns(const struct gp_array *array)
{
    return array->rows > 1 &&
           (array->count == 1 || gp_abs(array->row_stride) < gp_abs(array->stride));
}

// Whether each row begins where the one before would go on.
static bool is_dense(const struct gp_array *array)
{
    int64_t length;
    return !__builtin_mul_overflow((int64_t)array->count, array->stride, &length) &&
           array->row_stride == length;
}

static void join_rows(struct gp_array *array)
{
    array->count *= array->rows;
    array->rows = 1;
    array->row_stride = 0;
}

void gp_classify_normalise(struct classification *c)
{
    if (c->in.count == 0 || c->in.rows == 0)
        return;
    if (!c->has_labels) // so that both arrays have one shape
        c->labels = c->in;
    struct gp_array *in = &c->in, *labels = &c->labels;
    const bool is_free = c->classifier->rows == 1 && !c->counts_rows;
    drop_idle_steps(in);
    drop_idle_steps(labels);
    if (is_free && gp_classify_is_by_columns(labels)) {
        swap_axes(in);
        swap_axes(labels);
    }
    if (labels->stride < 0) {
        reverse_elements(in);
        reverse_elements(labels);
    }
    if (is_free && labels->row_stride < 0) {
        reverse_rows(in);
        reverse_rows(labels);
    }
    if (is_free && in->rows > 1 && is_dense(in) && is_dense(labels)) {
        join_rows(in);
        join_rows(labels);
    }
}
