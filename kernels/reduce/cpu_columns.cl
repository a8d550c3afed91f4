// SPDX-License-Identifier: Apache-2.0
//
// reduce, cpu_columns: the columns of a matrix, which are the rows of the call. Rows of the
// call lie side by side in memory, and elements of one are `stride` apart, so that the matrix
// is reduced from top to bottom. A line is what lies contiguous: one element of each column.
//
// A group takes at most COLUMNS columns, and of them the share of one slot. Each vector of
// columns has a chain, which goes down line by line, TALL lines at a time, so that its state is
// loaded and stored once for TALL loads from x:
//
//     line      x  [ v0 | v1 | v2 | ... | v' ]     v' ends with the last column and may overlap
//     line + 1     [ v0 | v1 | v2 | ... | v' ]     the vector before it: both find the same
//
// Where the matrix is narrow, `tall` of its lines, with what lies between them, are taken as
// one; each column then has that many chains.
//
// A chain ends after CHAIN lines and meets those before it. After CHAIN such chains an acc
// takes in what they come to. Two levels of 64 additions are far within the documented bound,
// and accs, which are scalar, are rare.
//
// There is no prefetch, because it loses here (4096 wide 1.22 without, 0.90 with;
// kernels/cpu.cl says of what): each line is a stream of its own, which the processor
// prefetches by itself.
//
// Macros: COLUMNS of a group at most; ONE_COLUMN: each row of the call is a matrix with one column,
// and the rows may lie anywhere. No local memory, no barriers.
// Per element: its bytes and 1 / VEC_N of a vector's load, conversion and STEP; for every TALL
// elements a load and a store of the chain's state.

#if !defined(COLUMNS) || !defined(ONE_COLUMN)
#error "COLUMNS and ONE_COLUMN must be defined"
#endif

#define TALL    8
#define VECTORS ((COLUMNS + VEC_N - 1) / VEC_N)

// The lines of a group.
struct band {
    global const ELEM *p; // first column of the first line
    long step;         // elements from line to line
    uint width;        // elements of a line, at least VEC_N
    uint tall;         // rows of the matrix in a line
    uint vectors;
};

struct chains {
    a_vector a[VECTORS];
    b_vector b[VECTORS];
};

static uint begin_of(const struct band *band, uint vector)
{
    return min(vector * VEC_N, band->width - VEC_N);
}

// Folds lines first ... first + n - 1, at most CHAIN of them. Their positions count from `at`.
static void fold_chain(struct chains *chains, const struct band *band, ulong first, uint at, uint n)
{
    global const ELEM *p = band->p + (long)first * band->step;
    const long step = band->step;
    for (uint v = 0; v < band->vectors; v++)
        START(VEC_N, chains->a[v], chains->b[v], load(p + begin_of(band, v)),
              (i_vector)((INDEX)(at * band->tall)));
    uint k = 0;
    for (; k + TALL <= n; k += TALL, p += TALL * step)
        for (uint v = 0; v < band->vectors; v++) {
            a_vector a = chains->a[v];
            b_vector b = chains->b[v];
            global const ELEM *q = p + begin_of(band, v);
            #pragma unroll
            for (uint i = 0; i < TALL; i++) {
                const x_vector x = load(q + i * step);
                STEP(a, b, x, (i_vector)((INDEX)((at + k + i) * band->tall)));
            }
            chains->a[v] = a;
            chains->b[v] = b;
        }
    for (; k < n; k++, p += step)
        for (uint v = 0; v < band->vectors; v++) {
            const x_vector x = load(p + begin_of(band, v));
            STEP(chains->a[v], chains->b[v], x, (i_vector)((INDEX)((at + k) * band->tall)));
        }
}

// r[c] takes in what the chains have of column c. Lines of the matrix are `pitch` elements
// apart, the first one last where the matrix is read from its end (`back`), and the first column
// is element `skip` of a line. Positions count from `index`.
static void merge_chains(acc *r, const struct chains *chains, const struct band *band, uint columns,
                        uint skip, uint pitch, bool back, ulong index)
{
    for (uint c = 0; c < columns; c++)
        for (uint i = 0; i < band->tall; i++) {
            const uint at = skip + i * pitch + c, v = at / VEC_N, lane = at - begin_of(band, v);
            CHAIN_A a;
            CHAIN_B b;
            ONE_CHAIN(VEC_N, a, b, chains->a[v], chains->b[v], lane);
            take(&r[c], a, b, index + (back ? band->tall - 1 - i : i));
        }
}

// Folds lines begin ... end - 1 element by element, where no vector fits.
static void merge_scalars(acc *r, global const ELEM *p, long step, uint columns, ulong begin,
                          ulong end, ulong index)
{
    for (ulong e = begin; e < end; e += CHAIN) {
        const uint n = (uint)min((ulong)CHAIN, end - e);
        for (uint c = 0; c < columns; c++) {
            global const ELEM *q = p + (long)e * step + c;
            CHAIN_A a;
            CHAIN_B b;
            START(, a, b, (OPERAND)LOAD(q, 0), 0);
            for (uint k = 0; k < n; k++) {
                const OPERAND x = (OPERAND)LOAD(q, k * step);
                STEP(a, b, x, (INDEX)k);
            }
            take(&r[c], a, b, index + e);
        }
    }
}

// How many of `count` lines of the matrix, `width` columns wide, are taken as one: few enough
// that chains are long. 0: lines are narrower than a vector and too far apart, and no vectors
// are used.
static uint rows_of_line(const struct arguments *g, ulong width, ulong count)
{
    const ulong pitch = abs(g->stride);
    const bool dense = pitch >= width && (pitch <= 2 * width || pitch * BYTES <= 64);
    if (!dense || pitch > COLUMNS / 2)
        return width >= VEC_N;
    const ulong worth = max(count / CHAIN, (ulong)VEC_N);
    const uint n = (uint)min(COLUMNS / pitch, worth);
    return n < VEC_N ? n : n - n % VEC_N; // whole vectors
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void reduce_partial(global const ELEM *restrict x, global uint *scratch, global OUT_T *out,
                    const struct arguments g)
{
    global acc *part = partials_of(scratch);
    const uint slots = (uint)g.slots, slot = get_group_id(0) % slots;
    const uint group = get_group_id(0) / slots;
    const ulong begin = slot * g.share, end = min(g.count, begin + g.share);
#if ONE_COLUMN
    const ulong width = 1, first = group;
    const uint columns = 1;
    global const ELEM *p = x + (g.first + (long)group * g.row_stride);
#else
    // All groups but the last take whole vectors of columns.
    const uint bands = get_num_groups(0) / slots;
    const ulong wide = (g.rows + (ulong)bands * VEC_N - 1) / ((ulong)bands * VEC_N) * VEC_N;
    const ulong width = g.rows, first = group * wide;
    const uint columns = (uint)min(wide, g.rows - first);
    global const ELEM *p = x + (g.first + (long)first);
#endif
    const uint pitch = (uint)abs(g.stride);
    const bool back = g.stride < 0;
    struct band band = { .tall = rows_of_line(&g, width, end - begin), .step = g.stride };
    uint skip = 0;
    ulong lines = 0, from = begin; // the first element that is in a line
    if (band.tall > 1) {
        band.width = band.tall * pitch;
        band.step *= band.tall;
        // What lies behind the row of the highest address may not be memory.
        const bool gaps = pitch > width;
        from += gaps && back && begin == 0 && end > 0;
        if (end > from)
            lines = (end - from - (gaps && !back && end == g.count)) / band.tall;
    } else if (band.tall == 1) {
        skip = columns < VEC_N ? VEC_N - columns : 0; // these are the group's before
        band.width = columns + skip;
        lines = end - begin;
    }
    band.vectors = (band.width + VEC_N - 1) / VEC_N;
    // A line begins with the row of its lowest address.
    band.p = p + (long)(from + (back && band.tall > 1 ? band.tall - 1 : 0)) * g.stride - skip;

    acc r[COLUMNS];
    for (uint c = 0; c < columns; c++)
        acc_start(&r[c]);
    for (ulong block = 0; block < lines; block += CHAIN * CHAIN) {
        const uint n = (uint)min((ulong)(CHAIN * CHAIN), lines - block);
        struct chains sum, chains;
        fold_chain(&sum, &band, block, 0, min(n, (uint)CHAIN));
        for (uint k = CHAIN; k < n; k += CHAIN) {
            fold_chain(&chains, &band, block + k, k, min(n - k, (uint)CHAIN));
            for (uint v = 0; v < band.vectors; v++)
                MEET(VEC_N, sum.a[v], sum.b[v], chains.a[v], chains.b[v]);
        }
        merge_chains(r, &sum, &band, columns, skip, pitch, back && band.tall > 1,
                    g.index + from + block * band.tall);
    }
    merge_scalars(r, p, g.stride, columns, begin, from, g.index);
    merge_scalars(r, p, g.stride, columns, from + lines * band.tall, end, g.index);
    for (uint c = 0; c < columns; c++)
        emit(part, out, &g, first + c, slot + 1, &r[c]);
}
