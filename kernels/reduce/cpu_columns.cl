// SPDX-License-Identifier: Apache-2.0
//
// reduce, cpu_columns: element e of neighbouring rows are neighbours in memory, and
// elements of a row are `stride` apart. In memory that is a matrix which is reduced from top to
// bottom; here its columns are what is called rows elsewhere.
//
// A group takes at most COLUMNS columns, and of them the share of one slot. Each vector of columns
// has a lane, which goes down line by line; TALL lines at a time, so that a lane is loaded and
// stored once for TALL loads from x:
//
//     line      x  [ v0 | v1 | v2 | ... | v' ]     v' ends with the last column and may overlap
//     line + 1     [ v0 | v1 | v2 | ... | v' ]     the vector before it: both find the same
//
// Where the matrix is narrow, a line is as many of its lines as fit, `tall` of them, with what lies
// between them; each column then has that many lanes.
//
// A lane ends after CHAIN lines and meets those before it; after CHAIN chains an acc is made of
// it. Two levels of 64 additions are far within the documented bound, and accs, which are scalar,
// are rare.
//
// Macros: COLUMNS columns of a group at most. No local memory.

#ifndef COLUMNS
#error "COLUMNS must be defined"
#endif

#define TALL    8
#define VECTORS ((COLUMNS + N - 1) / N)

// The lines of a group and where its lanes are.
struct band {
    global const T *p; // first column of the first line
    long step;         // elements from line to line
    uint width;        // elements of a line, at least N
    uint tall;         // rows of the matrix in a line
    uint vectors;
};

struct lanes {
    a_vector a[VECTORS];
    b_vector b[VECTORS];
};

static uint begin_of(const struct band *band, uint vector)
{
    return min(vector * N, band->width - N);
}

// Lines first ... first + n - 1, at most CHAIN of them, whose positions count from `first`.
static void fold_chain(struct lanes *lanes, const struct band *band, ulong first, uint at, uint n)
{
    global const T *p = band->p + (long)first * band->step;
    const long step = band->step;
    for (uint v = 0; v < band->vectors; v++)
        START(N, lanes->a[v], lanes->b[v], load(p + begin_of(band, v)),
              (i_vector)((B)(at * band->tall)));
    uint k = 0;
    for (; k + TALL <= n; k += TALL, p += TALL * step)
        for (uint v = 0; v < band->vectors; v++) {
            a_vector a = lanes->a[v];
            b_vector b = lanes->b[v];
            global const T *q = p + begin_of(band, v);
            #pragma unroll
            for (uint i = 0; i < TALL; i++) {
                const w_vector x = load(q + i * step);
                STEP(a, b, x, (i_vector)((B)((at + k + i) * band->tall)));
            }
            lanes->a[v] = a;
            lanes->b[v] = b;
        }
    for (; k < n; k++, p += step)
        for (uint v = 0; v < band->vectors; v++) {
            const w_vector x = load(p + begin_of(band, v));
            STEP(lanes->a[v], lanes->b[v], x, (i_vector)((B)((at + k) * band->tall)));
        }
}

// The accs of `columns` columns, `pitch` elements from line to line of the matrix; the first of
// them is element `skip` of a line. Positions count from `index`.
static void merge_lanes(acc *r, const struct lanes *lanes, const struct band *band, uint columns,
                        uint skip, uint pitch, ulong index)
{
    const A *a = (const A *)lanes->a;
    const B_LANE *b = (const B_LANE *)lanes->b;
    for (uint c = 0; c < columns; c++)
        for (uint i = 0; i < band->tall; i++) {
            const uint at = skip + i * pitch + c, v = at / N;
            const uint k = v * N + at - begin_of(band, v);
            take(&r[c], a[k], b[k], index + i);
        }
}

// The same for lines begin ... end - 1 that no vector fits.
static void merge_scalars(acc *r, global const T *p, long step, uint columns, ulong begin,
                          ulong end, ulong index)
{
    for (ulong e = begin; e < end; e += CHAIN) {
        const uint n = (uint)min((ulong)CHAIN, end - e);
        for (uint c = 0; c < columns; c++) {
            global const T *q = p + (long)e * step + c;
            A a;
            B_LANE b;
            START(, a, b, (W)LOAD(q, 0), 0);
            for (uint k = 0; k < n; k++) {
                const W x = (W)LOAD(q, k * step);
                STEP(a, b, x, (B)k);
            }
            take(&r[c], a, b, index + e);
        }
    }
}

// How many rows of the matrix make a line; 0 = they are narrower than a vector and too far apart.
static uint rows_of_line(const struct arguments *g)
{
    const bool dense = g->stride > 0 && (ulong)g->stride >= g->rows &&
                       (g->stride <= 2 * (long)g->rows || g->stride * BYTES <= 64);
    if (!dense || g->stride > COLUMNS / 2)
        return g->rows >= N;
    const uint n = COLUMNS / (uint)g->stride;
    return n < N ? n : n - n % N; // whole vectors
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void reduce_partial(global const T *restrict x, global acc *part, global uint *counters,
                    global R *out, const struct arguments g)
{
    const uint slots = (uint)g.slots, slot = get_group_id(0) % slots;
    const uint bands = get_num_groups(0) / slots;
    // All bands but the last are whole vectors.
    const ulong wide = (g.rows + (ulong)bands * N - 1) / ((ulong)bands * N) * N;
    const ulong first = get_group_id(0) / slots * wide;
    const uint columns = (uint)min(wide, g.rows - first);
    const ulong begin = slot * g.share, end = min(g.count, begin + g.share);
    struct band band = { .tall = rows_of_line(&g), .step = g.stride };
    uint skip = 0;
    ulong lines = 0;
    if (band.tall > 1) {
        band.width = band.tall * (uint)g.stride;
        band.step = band.width;
        // What lies behind the last row may not be memory.
        const bool gaps = (ulong)g.stride > g.rows;
        if (end > begin)
            lines = (end - begin - (gaps && end == g.count)) / band.tall;
    } else if (band.tall == 1) {
        skip = columns < N ? N - columns : 0; // the band before it has these
        band.width = columns + skip;
        lines = end - begin;
    }
    band.vectors = (band.width + N - 1) / N;
    global const T *p = x + (g.first + (long)first);
    band.p = p + (long)begin * g.stride - skip;

    acc r[COLUMNS];
    for (uint c = 0; c < columns; c++)
        acc_start(&r[c]);
    for (ulong block = 0; block < lines; block += CHAIN * CHAIN) {
        const uint n = (uint)min((ulong)(CHAIN * CHAIN), lines - block);
        struct lanes sum, lanes;
        fold_chain(&sum, &band, block, 0, min(n, (uint)CHAIN));
        for (uint k = CHAIN; k < n; k += CHAIN) {
            fold_chain(&lanes, &band, block + k, k, min(n - k, (uint)CHAIN));
            for (uint v = 0; v < band.vectors; v++)
                MEET(N, sum.a[v], sum.b[v], lanes.a[v], lanes.b[v]);
        }
        merge_lanes(r, &sum, &band, columns, skip, (uint)g.stride,
                    g.index + begin + block * band.tall);
    }
    merge_scalars(r, p, g.stride, columns, begin + lines * band.tall, end, g.index);
    for (uint c = 0; c < columns; c++)
        emit(part, out, &g, first + c, slot + 1, &r[c]);
}
