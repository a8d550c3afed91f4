// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs, for cpu_residues: a group's share of a row, inputs at its edges, and
// stores.
//
//     a row of out   | - - - 0 1 2 | tile | tile | ... | tile | n-1 - - - |
//                    tiles begin on lines of the cache; outputs of the first and the last tile
//                    that are not the share's are computed, but not written
//
// Macros  those of cpu_vector.cl

// ---------------------------------------------------------------- rows and their edges
// A group's row and its outputs. They begin where a line of the cache does, which may be in
// front of the row.
struct share {
    global const ELEM *x, *before;
    global const TAP_T *taps;
    global OUT_T *out;
    long begin, end;
};

static struct share find_share(global const ELEM *x, global const ELEM *before,
                               global const TAP_T *taps, global OUT_T *out,
                               const struct arguments *g)
{
    const ulong row = get_group_id(0) / g->row_groups, part = get_group_id(0) % g->row_groups;
    struct share r;
    r.x = x + (g->first + (long)row * g->row_stride);
    r.before = before + (g->before_first + (long)row * g->before_row_stride);
    r.taps = taps + (g->tap_first + row * g->tap_row);
    r.out = out + (g->out_first + (long)row * g->out_row_stride);
    r.begin = (long)(part * g->share) - (long)(((size_t)r.out % CACHE_LINE) / sizeof(OUT_T));
    r.end = min(r.begin + (long)g->share, (long)g->outputs);
    return r;
}

// buffer = X(j) ... X(past - 1), with zeros for inputs that no output needs.
static void gather(CALC_T *buffer, const struct share *r, const struct arguments *g, long j,
                   long past)
{
    const long n = (long)g->n;
    const long last = min(past, g->origin + (long)g->outputs + (long)g->halo);
    long i = j;
    for (; i < g->origin; i++, buffer += COMPONENTS)
        put(buffer, (OPERAND)(0));
    for (; i < min(last, 0L); i++, buffer += COMPONENTS)
        put(buffer, fetch(r->x, r->before, g, 0, 0, i));
    for (; i + ORDER <= min(last, n); i += ORDER, buffer += VEC_N)
        *(unaligned_calc_vec *)buffer = converted((global const PART_T *)(r->x + i));
    for (; i < min(last, n); i++, buffer += COMPONENTS)
        put(buffer, (OPERAND)LOAD(r->x, i));
    for (; i < last; i++, buffer += COMPONENTS)
        put(buffer, fetch(r->x, r->before, g, 0, 0, i));
    for (; i < past; i++, buffer += COMPONENTS)
        put(buffer, (OPERAND)(0));
}

// Asks for the lines that lie AHEAD bytes behind those of the tile that begins with input j.
static void prefetch_tile(global const ELEM *x, long j)
{
    #pragma unroll
    for (int line = 0; line < OUTPUTS * BYTES; line += CACHE_LINE)
        prefetch_ahead((global const char *)(x + j) + line);
}

// ---------------------------------------------------------------- results
// Writes outputs e, e + 1 ... of the share. Whole tiles are streamed: an ordinary store would
// read each line before it is written.
static void store_tile(const struct share *r, const calc_vec *a, long e,
                       const struct arguments *g)
{
    global out_vec *p = (global out_vec *)(r->out + e);
    if (g->out_stride == 1 && e >= 0 && e + OUTPUTS <= r->end &&
        (size_t)p % sizeof(out_vec) == 0) {
        #pragma unroll
        for (int i = 0; i < TILE_VECS; i++)
            STREAM(p + i, result_of(a[i], g->shift));
        return;
    }
    union {
        calc_vec v[TILE_VECS];
        CALC_T part[TILE_VECS * VEC_N];
    } sums;
    #pragma unroll
    for (int i = 0; i < TILE_VECS; i++)
        sums.v[i] = a[i];
    for (long i = max(e, 0L); i < min(r->end, e + OUTPUTS); i++) {
        const CALC_T *s = sums.part + (i - e) * COMPONENTS;
#if TYPE == C32
        STORE(r->out, i * g->out_stride, (SUM_T)(s[0], s[1]), g->shift);
#else
        STORE(r->out, i * g->out_stride, (SUM_T)*s, g->shift);
#endif
    }
}
