// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: tiles of cpu_matrix whose rows stand one behind the other, each with the
// inputs beyond its ends:
//
//     rows of 4, wrapped, 3 taps      memory   a0 a1 a2 a3 b0 b1 b2 b3
//     buffer                          a3 a0 a1 a2 a3 a0 b3 b0 b1 b2 b3 b0
//     outputs                         0  1  2  3  .  .  0  1  2  3
//
// Inputs inside come first, of all rows: their last vectors reach beyond. Then each position beyond
// the ends comes, for all rows.
//
// Rows that are lanes need no inputs beyond the ends, but each element and each result is transposed
// (cpu_lines.cl, cpu_give.cl). The host takes what takes less time (src/convolve1d/cpu_padded.c).
//
// Macros  those of cpu_vector.cl
//
// Defines fill_padded()

// Line i of all rows, beyond an end, stands for X(j).
static void pad_line(CALC_T *to, const struct stretch *t, const struct source *s,
                     const struct arguments *g, uint i, uint padded, uint rows)
{
    const long n = (long)g->n, j = t->j + i * t->apart, at = resolve(j, n, g->left, g->right);
    CALC_T *p = to + i * COMPONENTS;
    const uint next = padded * COMPONENTS;
    if (at < 0 ? g->left == BOUNDARY_CONSTANT : at >= n) {
        const OPERAND w = constant_of(j < 0 ? g->constant_left : g->constant_right);
        for (uint r = 0; r < rows; r++, p += next)
            put(p, w);
        return;
    }
    const long from = (at - t->j) / t->apart;
    if (at >= 0 && from * t->apart == at - t->j && from >= t->from && from < t->past) {
        const CALC_T *input = to + from * COMPONENTS;
        NOT_VECTORS
        for (uint r = 0; r < rows; r++, p += next, input += next)
            for (uint c = 0; c < COMPONENTS; c++)
                p[c] = input[c];
        return;
    }
    global const elem *input = at < 0 ? s->before + (at + (long)g->halo) * g->before_stride
                                      : s->x + at * g->stride;
    const long by = at < 0 ? g->before_row_stride : g->row_stride;
    NOT_VECTORS
    for (uint r = 0; r < rows; r++, p += next, input += by)
        put(p, (OPERAND)LOAD((global const ELEM *)input, 0));
}

// Puts the inputs for taps first ... first + count - 1 of the tile's rows into the buffer.
static void fill_padded(CALC_T *buffer, const struct source *s, const struct arguments *g,
                        const struct matrix_arguments *m, uint rows, uint first, uint count)
{
    for (uint phase = 0; phase < min(count, m->step); phase++) {
        CALC_T *to = buffer + phase * m->length * COMPONENTS;
        const uint lines = (uint)g->outputs + (count - 1 - phase) / m->step * m->spread;
        const long j = g->origin + (long)(first + phase) * g->dilation;
        const struct stretch t = stretch_of(to, 1, g, j, g->step, lines, 1);
        if (t.from < t.past)
            take_even(to + t.from * COMPONENTS, m->padded,
                      s->x + (j + t.from * t.apart) * g->stride, s->end, rows, g->row_stride,
                      t.past - t.from, t.apart * g->stride);
        for (uint i = 0; i < t.from; i++)
            pad_line(to, &t, s, g, i, m->padded, rows);
        for (uint i = t.past; i < lines; i++)
            pad_line(to, &t, s, g, i, m->padded, rows);
    }
}
