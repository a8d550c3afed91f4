// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: where a flat row lies, and its inputs beyond the ends. gpu_narrow.cl and
// gpu_register_window.cl stand on this file.
//
// Macros  PACKED  1: neighbouring elements of flat rows are neighbours in memory, and so are outputs

#ifndef PACKED
#error "PACKED must be defined"
#endif

// A row as an array without gaps, in which taps lie apart by its lanes (src/convolve1d/
// convolve1d.h). Positions in it are flat: interleaved rows are one row, with as many times the
// elements.
struct row {
    global const ELEM *x;   // input 0
    global OUT_T *out;      // output 0
    long before_at;         // element 0 of the row in before
    long origin;            // the input that g[0] meets for output 0
    long n, outputs;        // as many
    long stride, out_stride; // elements between neighbours
    uint channels;          // rows that are interleaved, or 1
};

// Finds this group's row, and sets *slot to the number of its part of the row. Groups are
// numbered by row, row_groups of each. The last group of a row goes first: it fetches inputs
// beyond the end one by one, which the work of the other groups hides. H200, 2026-11-21: when
// it went last, WRAP with 65 taps took 11 us longer than ZERO. Not measured since.
static struct row find_row(global const ELEM *x, global OUT_T *out, const struct arguments *g,
                           uint channels, uint *slot)
{
    uint group = get_group_id(0), number = 0;
    if (channels == 1 && g->rows > 1) { // spares one row the slow divisions
        number = group / g->row_groups;
        group -= number * g->row_groups;
    }
    *slot = (group ? group : g->row_groups) - 1;
    struct row r;
    r.x = x + (g->first + (long)number * g->row_stride);
    r.out = out + (g->out_first + (long)number * g->out_row_stride);
    r.before_at = g->before_first + (long)number * g->before_row_stride;
    r.origin = g->origin * channels;
    r.n = (long)g->n * channels;
    r.outputs = (long)g->outputs * channels;
    r.stride = PACKED ? 1 : g->stride;
    r.out_stride = PACKED ? 1 : g->out_stride;
    r.channels = channels;
    return r;
}

// The input at j, which may lie beyond an end. No output needs the inputs in front of output
// 0's, and a history need not have them.
static OPERAND fetch_flat(const struct row *r, global const ELEM *before,
                          const struct arguments *g, long j)
{
    j = max(j, r->origin);
    if (r->channels == 1)
        return fetch(r->x, before, g, 0, r->before_at, j);
    long p = j / (long)r->channels, c = j - p * (long)r->channels;
    if (c < 0) {
        p--;
        c += r->channels;
    }
    return fetch(r->x, before, g, c, r->before_at + c * g->before_row_stride, p);
}
