// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: what lies beyond the ends of several short rows, when all that
// is inside is in local memory. It comes from there, unless no output needs that input.
//
// Macros   those of gpu_tile.cl

#if ROWS
// The input that stands for X(p), p beyond an end that is not CONSTANT or HISTORY: rows shorter
// than the filter fold more than once. A function of its own as resolve() is.
#if PTX
__attribute__((noinline))
#endif
static int folded(int p, int n, uint mode)
{
    if (mode == BOUNDARY_EDGE)
        return p < 0 ? 0 : n - 1;
    const int last = mode == BOUNDARY_REFLECT_WHOLE ? 2 * n - 2 : 2 * n - 1;
    const int period = mode == BOUNDARY_WRAP           ? n
                       : mode == BOUNDARY_REFLECT_HALF ? 2 * n
                                                       : max(last, 1);
    int q = p % period;
    q += q < 0 ? period : 0;
    return mode == BOUNDARY_WRAP ? q : min(q, last - q);
}

// Puts a constant into elements begin ... end - 1 of all rows.
static void fill_constant(local OPERAND *tile, global const ELEM *x, const struct arguments *g,
                          const struct tile_arguments *t, const struct place *s, int begin,
                          int end, OPERAND value, uint item)
{
    const struct share own = share_of(&t->ends, item);
    #pragma unroll 1
    for (int line = own.line; own.works && line < (int)s->rows; line += own.lines) {
        local OPERAND *to = row_of(tile, x, g, t, s, line);
        #pragma unroll 4
        for (int e = begin + own.number; e < end; e += own.team)
            to[place_of(t, e, 0)] = value;
    }
}

// A history, of which `count` elements stand in front of the rows.
static void fill_history(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                         const struct arguments *g, const struct tile_arguments *t,
                         const struct place *s, int count, uint item)
{
    const struct share own = share_of(&t->ends, item);
    global const ELEM *from =
        before + (g->before_first + (s->p0 + (long)g->halo + own.number) * g->before_stride);
    #pragma unroll 1
    for (int line = own.line; own.works && line < (int)s->rows; line += own.lines)
        fill_run(row_of(tile, x, g, t, s, line), t,
                 from + (long)(s->row + line) * g->before_row_stride,
                 own.team * g->before_stride, own.number, own.team, count);
}

// Elements begin ... end - 1 of all rows, beyond an end that is not CONSTANT or HISTORY. An item
// finds what stands for an element, and puts it into several rows. `factor`, `shift`: one fold.
static void fill_folded(local OPERAND *tile, global const ELEM *x, const struct arguments *g,
                        const struct tile_arguments *t, const struct place *s, int begin, int end,
                        uint mode, int factor, int shift, uint item)
{
    const struct share own = share_of(&t->ends, item);
    const int origin = (int)s->p0, n = (int)g->n, rows = (int)s->rows;
    if (!own.works)
        return;
    #pragma unroll 1
    for (int e = begin + own.number; e < end; e += own.team) {
        const int p = origin + e, to = (int)place_of(t, e, 0);
        int q = factor * p + shift;
        if ((uint)q >= (uint)n)
            q = folded(p, n, mode);
        const bool is_here = (uint)(q - origin) < s->elements; // an output needs it
        const int from = is_here ? (int)place_of(t, q - origin, 0) : 0;
        #pragma unroll 1
        for (int line = own.line; line < rows; line += own.lines) {
            local OPERAND *row = row_of(tile, x, g, t, s, line);
            row[to] = is_here ? row[from]
                              : (OPERAND)LOAD(x, g->first + (long)(s->row + line) * g->row_stride +
                                                     q * g->stride);
        }
    }
}

static void fill_ends(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                      const struct arguments *g, const struct tile_arguments *t,
                      const struct place *s, uint item)
{
    const int head = head_of(s), tail = tail_of(g, s);
    #pragma unroll 1
    for (uint right = 0; right < 2; right++) {
        const int begin = right ? tail : 0, end = right ? (int)s->elements : head;
        const uint mode = right ? g->right : g->left;
        if (begin >= end)
            continue;
        if (mode == BOUNDARY_CONSTANT)
            fill_constant(tile, x, g, t, s, begin, end,
                          constant_of(right ? g->constant_right : g->constant_left), item);
        else if (mode == BOUNDARY_HISTORY)
            fill_history(tile, x, before, g, t, s, head, item);
        else
            fill_folded(tile, x, g, t, s, begin, end, mode,
                        right ? t->right_factor : t->left_factor,
                        (int)(right ? t->right_shift : t->left_shift), item);
    }
}
#endif
