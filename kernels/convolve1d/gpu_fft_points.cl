// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_fft and gpu_fft_columns: the inputs and outputs of a block of segments of SPAN
// points. Complex points are
//
//     PACKED   points 2 n and 2 n + 1 of one real segment
//     else     points n of two real segments, or of one of complex data
//
// An item has FFT_POINTS complex points, from its first one on APART of them apart.
//
//     u        m - lead                 m                                    m + SPAN - lead
//     points   | lead: not needed       | needed by `valid` outputs          | rest |
//     outputs                           | m ... m + valid - 1 |
//
// `lead` makes loads begin where lines of memory do, if the array does. Taps may be divided: part
// t has part_taps of them, and its segments lie t * part_taps further on.
//
// Macros   those of fft_lines.cl and gpu_fft_passes.cl
//          COLUMNS  1: of a segment that is a matrix an item has a column
//          PACKED   see above
//          DENSE    1: neighbouring inputs and outputs of lines are neighbours in memory
//
// Defines  SPAN, APART
//          struct segment, block_of()
//          load_points(), multiply(), store_outputs()
//
// Per block: 2 * SPAN loads, 2 * valid stores

#if !defined(COLUMNS) || !defined(PACKED) || !defined(DENSE)
#error "COLUMNS, PACKED and DENSE must be defined"
#endif

#if COLUMNS
#define SPAN  (LENGTH * P)
#define APART LENGTH
#else
#define SPAN  (LENGTH * NEXT)
#define APART WG
#endif
#if PACKED
#define NEXT 2 // points of a segment from a complex point to the next
#else
#define NEXT 1
#endif
// Whether a pair of points may be one vector in memory.
#define PAIRS_IN  (DENSE && (TYPE == F32 || TYPE == F64))
#define PAIRS_OUT (DENSE && OUT_TYPE == (TYPE == F64 ? F64 : F32))

struct segment {
    struct line line;
    long m; // its first output
};

// The segments of block `number`. Returns the number of their line.
INLINE uint block_of(const struct arguments *g, const struct fft_arguments *f, uint number,
                     struct segment *first, struct segment *second)
{
    uint line = 0, block = number;
    if (f->lines > 1) {
        line = f->lines_near ? number % f->lines : number / f->blocks;
        block = f->lines_near ? number / f->lines : number % f->blocks;
    }
    line_of(g, f->phases, line, &first->line);
    first->m = (long)block * (SEGMENTS * f->valid);
    *second = *first;
    second->m += f->valid;
    return line;
}

// An item's inputs at the ends of a row are under way so many at a time: with 64 of them one
// after the other the first and the last block of a row took longer than all others.
#define AT_ONCE 4

// The item's points of a segment at an end of a row, whose first point is X(u). They go through
// local memory, in a loop that is not unrolled: else the kernel would have the registers of this
// one, too. An item meets its own points alone. part: of complex data.
INLINE void load_edge(REAL *v, uint part, local REAL *cells, global const ELEM *x,
                      global const ELEM *before, const struct arguments *g,
                      const struct segment *s, uint valid, long u, uint item)
{
    const long n = (long)g->n, halo = (long)g->halo;
    // Inputs that outputs need; others are 0, and nothing is read in front of a history.
    const long outputs = clamp(s->line.outputs - s->m, 0L, (long)valid);
    const long end = s->m + (outputs ? outputs + (long)g->taps - 1 : 0);
#pragma unroll 1
    for (uint q = 0; q < P; q += AT_ONCE) {
        OPERAND w[AT_ONCE];
        global const ELEM *from[AT_ONCE];
        long at[AT_ONCE];
#pragma unroll
        for (uint a = 0; a < AT_ONCE; a++) {
            const long p = u + (long)(q + a) * (APART * NEXT);
            const bool is_needed = p >= s->m && p < end;
            const long j = is_needed ? resolve(s->line.origin + p * g->dilation, n, g->left,
                                               g->right)
                                     : 0;
            const bool is_inside = (ulong)j < (ulong)n;
            const bool is_before = j < 0 && g->left == BOUNDARY_HISTORY;
            from[a] = is_before ? before : is_inside && is_needed ? x : 0;
            at[a] = is_before ? s->line.before_at + (j + halo) * g->before_stride
                              : s->line.at + j * g->stride;
            w[a] = is_needed ? constant_of(j < 0 ? g->constant_left : g->constant_right) : 0;
        }
#pragma unroll
        for (uint a = 0; a < AT_ONCE; a++)
            if (from[a])
                w[a] = LOAD(from[a], at[a]);
#pragma unroll
        for (uint a = 0; a < AT_ONCE; a++)
#if TYPE == C32
            cells[item + (q + a) * WG] = part ? w[a].y : w[a].x;
#else
            cells[item + (q + a) * WG] = w[a];
#endif
    }
#pragma unroll
    for (uint q = 0; q < P; q++)
        v[q] = cells[item + q * WG];
}

// Whether all points exist from X(u) on.
INLINE bool is_inside(const struct arguments *g, const struct line *line, long u)
{
    const long first = line->origin + u * g->dilation;
    return first >= 0 && first + (SPAN - 1) * (long)g->dilation < (long)g->n;
}

#if PACKED
INLINE bool is_aligned(global const void *p)
{
    return ((size_t)p & (sizeof(REAL2) - 1)) == 0;
}
#endif

// All the item's points of a block: two segments, whose first points lie `skip` behind their first
// outputs. point: the item's first one.
INLINE void load_points(REAL *re, REAL *im, local CELL *cells, global const ELEM *x,
                        global const ELEM *before, const struct arguments *g,
                        const struct segment *s, const struct segment *second, uint valid,
                        long skip, uint point, uint item)
{
    const long u = s->m + skip, u2 = second->m + skip;
    const bool all = is_inside(g, &s->line, u) &&
                     (SEGMENTS == 1 ||
                      (second->m < second->line.outputs && is_inside(g, &second->line, u2)));
    if (!all) {
        const long first = u + (long)point * NEXT;
        load_edge(re, 0, (local REAL *)cells, x, before, g, s, valid, first, item);
        load_edge(im, 1, (local REAL *)cells, x, before, g, SEGMENTS == 1 ? s : second, valid,
                  SEGMENTS == 2 ? u2 + point : first + NEXT - 1, item);
        BARRIER;
        return;
    }
    const long step = DENSE ? 1 : s->line.step;
    const long first = (s->line.origin + u * g->dilation) * g->stride + point * NEXT * step;
    global const ELEM *from = x + (s->line.at + first);
#if SEGMENTS == 2
    const long other = (second->line.origin + u2 * g->dilation) * g->stride + point * step;
    global const ELEM *from2 = x + (second->line.at + other);
#endif
#if PACKED && PAIRS_IN
    if (is_aligned(from)) {
        global const REAL2 *pairs = (global const REAL2 *)from;
#pragma unroll
        for (uint q = 0; q < P; q++) {
            const REAL2 v = pairs[q * WG];
            re[q] = v.x;
            im[q] = v.y;
        }
        return;
    }
#endif
#pragma unroll
    for (uint q = 0; q < P; q++) {
#if TYPE == C32
        const OPERAND v = LOAD(from, q * APART * step);
        re[q] = v.x;
        im[q] = v.y;
#elif PACKED
        re[q] = LOAD(from, 2 * q * WG * step);
        im[q] = LOAD(from, (2 * q * WG + 1) * step);
#else
        re[q] = LOAD(from, q * APART * step);
        im[q] = LOAD(from2, q * APART * step);
#endif
    }
}

#if PACKED
// The item's outputs. Point p is output m + p.
INLINE void store_pairs(global OUT_T *out, const struct segment *s, uint valid, uint shift,
                        uint item, const REAL *re, const REAL *im)
{
    const int end = (int)clamp(s->line.outputs - s->m, 0L, (long)valid);
    const long step = DENSE ? 1 : s->line.out_step;
    global OUT_T *to = out + (s->line.out_at + (s->m + 2 * item) * step);
#if PAIRS_OUT
    if (is_aligned(to) && end % 2 == 0) {
        global REAL2 *pairs = (global REAL2 *)to;
#pragma unroll
        for (uint q = 0; q < P; q++)
            if ((int)(2 * (item + q * WG)) < end)
                pairs[q * WG] = (REAL2)(re[q], im[q]);
        return;
    }
#endif
#pragma unroll
    for (uint q = 0; q < P; q++) {
        const int p = (int)(2 * (item + q * WG));
        if (p < end)
            STORE(to, 2 * q * WG * step, re[q], shift);
        if (p + 1 < end)
            STORE(to, (2 * q * WG + 1) * step, im[q], shift);
    }
}
#else
// The item's outputs of a segment. Point p is output m + p.
INLINE void store_outputs(global OUT_T *out, const struct segment *s, uint valid, uint shift,
                          uint point, const REAL *re, const REAL *im)
{
    const int end = (int)clamp(s->line.outputs - s->m, 0L, (long)valid);
    const long step = DENSE ? 1 : s->line.out_step;
    global OUT_T *to = out + (s->line.out_at + (s->m + point) * step);
#pragma unroll
    for (uint q = 0; q < P; q++)
        if ((int)(point + q * APART) < end) {
#if TYPE == C32
            STORE(to, q * APART * step, (OPERAND)(re[q], im[q]), shift);
#else
            STORE(to, q * APART * step, re[q], shift);
#endif
        }
}
#endif

// Times the spectrum.
INLINE void multiply(REAL *re, REAL *im, global const REAL2 *spectrum)
{
    EACH
    {
        const REAL2 h = spectrum[k * WG];
        const REAL x = PRODUCT_X(re[k], im[k], h.x, h.y);
        im[k] = PRODUCT_Y(re[k], im[k], h.x, h.y);
        re[k] = x;
    }
}
