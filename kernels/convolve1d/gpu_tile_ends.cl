// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: what lies beyond the ends of several short rows, when all that
// is inside is in local memory. It comes from there, unless no output needs that input.
//
// Macros   those of gpu_tile.cl

#if ROWS
#define ENDS_AHEAD 4 // of an item under way

// Puts a constant into elements begin ... end - 1 of all rows.
static void fill_constant(const struct tile_rows *r, const struct tile_arguments *t,
                          const struct place *s, int begin, int end, OPERAND value, uint item)
{
    const struct share own = share_of(&t->ends, item);
    #pragma unroll 1
    for (int line = own.line; own.works && line < (int)s->rows; line += own.lines) {
        local OPERAND *to = row_of(r, line);
        #pragma unroll 4
        for (int e = begin + own.number; e < end; e += own.team)
            to[place_of(t, e, 0)] = value;
    }
}

// A history, of which `count` elements stand in front of the rows. Items take those of all rows
// in turn.
static void fill_history(const struct tile_rows *r, global const ELEM *before,
                         const struct arguments *g, const struct tile_arguments *t,
                         const struct place *s, uint count, uint item)
{
    const uint all = s->rows * count;
    global const ELEM *from =
        before + (g->before_first + (long)s->row * g->before_row_stride +
                  (s->p0 + (long)g->halo) * g->before_stride);
    #pragma unroll 1
    for (uint i = item; i < all; i += HISTORY_AHEAD * WG) {
        raw_elem v[HISTORY_AHEAD];
        #pragma unroll
        for (uint u = 0; u < HISTORY_AHEAD; u++) {
            const uint line = divide(i + u * WG, t->by_history), e = i + u * WG - line * count;
            if (i + u * WG < all)
                v[u] = LOAD_RAW(from + ((long)line * g->before_row_stride +
                                        (long)e * g->before_stride));
        }
        #pragma unroll
        for (uint u = 0; u < HISTORY_AHEAD; u++) {
            const uint line = divide(i + u * WG, t->by_history), e = i + u * WG - line * count;
            if (i + u * WG < all)
                row_of(r, line)[place_of(t, (int)e, 0)] = VALUE(v[u]);
        }
    }
}

// Elements begin ... end - 1 of all rows, beyond an end that is not CONSTANT or HISTORY. An
// item that has more elements than rows takes row by row, else it finds what stands for an
// element, and puts it into its rows. `factor`, `shift`: one fold.
static void fill_folded(const struct tile_rows *r, global const ELEM *x,
                        const struct arguments *g, const struct tile_arguments *t,
                        const struct place *s, int begin, int end, uint mode, int factor,
                        int shift, uint item)
{
    const struct share own = share_of(&t->ends, item);
    const int origin = (int)s->p0, n = (int)g->n, team = own.team, rows = (int)s->rows;
    const bool has_all = origin <= 0 && n - origin <= (int)s->elements; // of what is inside
    if (!own.works)
        return;
    if (!has_all || (end - begin) * own.lines <= rows * team) {
        #pragma unroll 1
        for (int e = begin + own.number; e < end; e += team) {
            const int p = origin + e, to = (int)place_of(t, e, 0);
            int q = factor * p + shift;
            if ((uint)q >= (uint)n)
                q = folded(p, n, mode);
            if ((uint)(q - origin) < s->elements) {
                const int from = (int)place_of(t, q - origin, 0);
                #pragma unroll 4
                for (int line = own.line; line < rows; line += own.lines) {
                    local OPERAND *row = row_of(r, line);
                    row[to] = row[from];
                }
                continue;
            }
            // No output needs that input.
            #pragma unroll 1
            for (int line = own.line; line < rows; line += own.lines)
                row_of(r, line)[to] = (OPERAND)LOAD(
                    x, g->first + (long)(s->row + line) * g->row_stride + q * g->stride);
        }
        return;
    }
    struct repeats at = repeats_of(origin + begin + own.number, team, n, mode, origin);
    const int first = at.place;
    #pragma unroll 1
    for (int line = own.line; line < rows; line += own.lines) {
        local OPERAND *row = row_of(r, line);
        int e = begin + own.number;
        at.place = first;
        #pragma unroll 1
        for (; e + (ENDS_AHEAD - 1) * team < end; e += ENDS_AHEAD * team) {
            OPERAND v[ENDS_AHEAD];
            #pragma unroll
            for (int u = 0; u < ENDS_AHEAD; u++)
                v[u] = row[place_of(t, repeated(&at), 0)];
            #pragma unroll
            for (int u = 0; u < ENDS_AHEAD; u++)
                row[place_of(t, e + u * team, 0)] = v[u];
        }
        #pragma unroll 1
        for (; e < end; e += team)
            row[place_of(t, e, 0)] = row[place_of(t, repeated(&at), 0)];
    }
}

// All ends of all rows, where they are few: an item takes an element at a time.
static void fill_few(const struct tile_rows *r, global const ELEM *x, global const ELEM *before,
                     const struct arguments *g, const struct tile_arguments *t,
                     const struct place *s, int head, int tail, uint ends, uint item)
{
    const int origin = (int)s->p0, n = (int)g->n;
    #pragma unroll 1
    for (uint i = item; i < s->rows * ends; i += WG) {
        const uint line = divide(i, t->by_ends);
        const int k = (int)(i - line * ends);
        const bool is_right = k >= head;
        const int e = is_right ? k - head + tail : k, p = origin + e;
        const uint mode = is_right ? g->right : g->left;
        local OPERAND *row = row_of(r, line);
        OPERAND v = constant_of(is_right ? g->constant_right : g->constant_left);
        if (mode == BOUNDARY_HISTORY)
            v = (OPERAND)LOAD(before, g->before_first +
                                          (long)(s->row + line) * g->before_row_stride +
                                          (p + (long)g->halo) * g->before_stride);
        else if (mode != BOUNDARY_CONSTANT) {
            int q = is_right ? t->right_factor * p + (int)t->right_shift
                             : t->left_factor * p + (int)t->left_shift;
            if ((uint)q >= (uint)n)
                q = folded(p, n, mode);
            v = (uint)(q - origin) < s->elements
                    ? row[place_of(t, q - origin, 0)]
                    : (OPERAND)LOAD(x, g->first + (long)(s->row + line) * g->row_stride +
                                           q * g->stride);
        }
        row[place_of(t, e, 0)] = v;
    }
}

#if FILLER
#if TYPE == C32
#define SPLAT(v) ((vec16)((v), (v)))
#else
#define SPLAT(v) ((vec16)(v))
#endif

// Whether the constant of an end is what was put everywhere.
static bool is_filler(const struct arguments *g, uint right)
{
    return (right ? g->constant_right : g->constant_left) ==
           (FILLER == 1 ? g->constant_left : g->constant_right);
}
#endif

static void fill_ends(local OPERAND *tile, global const ELEM *x, global const ELEM *before,
                      const struct arguments *g, const struct tile_arguments *t,
                      const struct place *s, uint item)
{
    const struct tile_rows rows = rows_of(tile, x, g, t, s);
    const int head = head_of(s), tail = tail_of(g, s);
    const uint ends = (uint)head + s->elements - (uint)tail;
    if (!MANY_ENDS || s->rows * ends <= TILE_ITEM_ENDS * WG) {
        fill_few(&rows, x, before, g, t, s, head, tail, ends, item);
        return;
    }
    #pragma unroll 1
    for (uint right = 0; right < 2; right++) {
        int begin = right ? tail : 0, end = right ? (int)s->elements : head;
        const uint mode = right ? g->right : g->left;
        if (begin >= end)
            continue;
#if FILLER
        // Loads left there what lies beside a row, no more than this (gp_tile_filler()).
        const int beside = LENGTH - 1 + (BY_VECTORS ? (int)g->row_stride - (int)g->n : 0);
        if (mode == BOUNDARY_CONSTANT && is_filler(g, right)) {
            begin = right ? begin : max(begin, end - beside);
            end = right ? min(end, begin + beside) : end;
        }
#endif
        if (mode == BOUNDARY_CONSTANT)
            fill_constant(&rows, t, s, begin, end,
                          constant_of(right ? g->constant_right : g->constant_left), item);
        else if (mode == BOUNDARY_HISTORY)
            fill_history(&rows, before, g, t, s, (uint)head, item);
        else
            fill_folded(&rows, x, g, t, s, begin, end, mode,
                        right ? t->right_factor : t->left_factor,
                        (int)(right ? t->right_shift : t->left_shift), item);
    }
}
#endif
