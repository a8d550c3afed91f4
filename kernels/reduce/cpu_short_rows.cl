// SPDX-License-Identifier: Apache-2.0
//
// reduce, cpu_short_rows: many short rows, of at most CHAIN vectors' elements each.
//
// A group takes a share of the rows, VEC_N of them at a time, and folds them to one vector that
// has a row in each element. There are two ways to this vector.
//
// Along the rows, whose stride is 1: each row is folded to one vector. Then the halves of two
// vectors meet, interleaved, until each element of one vector holds a row (drawn for VEC_N = 4
// and the rows p q r s):
//
//     p0 p1 p2 p3   q0 q1 q2 q3   r0 r1 r2 r3   s0 s1 s2 s3
//          p02 r02 p13 r13             q02 s02 q13 s13
//                           p q r s
//
// At the end of a row, elements that do not fill a vector are loaded together with what follows
// them in memory, which is then left out. Where nothing may follow, they are loaded one by one.
//
// Across the rows (ACROSS), which have any strides: vector e has element e of each row. It is
// one load where the rows are neighbours, else VEC_N:
//
//     p0 q0 r0 s0   p1 q1 r1 s1   p2 q2 r2 s2 ...
//
// Macros: see reduce.cl; ACROSS. No local memory, no barriers. Per element: its bytes and 1 /
// VEC_N of a vector's load, conversion and STEP, across the rows mostly a load of its own; along
// them VEC_N - 1 elements of MEET per row.

#ifndef ACROSS
#error "ACROSS must be defined"
#endif

#if !ACROSS
// The first n elements at p, then the last of them again and again.
static x_vector load_some(global const ELEM *p, uint n)
{
    union {
        x_vector v;
        OPERAND element[VEC_N];
    } r;
    for (uint i = 0; i < VEC_N; i++)
        r.element[i] = (OPERAND)LOAD(p, min(i, n - 1));
    return r.v;
}

// VEC_N vectors meet until each element of a[0], b[0] holds one row.
static void transpose(a_vector *a, b_vector *b)
{
    #pragma unroll
    for (int n = VEC_N / 2; n > 0; n /= 2)
        #pragma unroll
        for (int i = 0; i < n; i++) {
            a_vector a1, a2;
            b_vector b1, b2;
            INTERLEAVE_CHAINS(a1, a2, a[i], a[i + n]);
            INTERLEAVE(b1, b2, b[i], b[i + n]);
            MEET(VEC_N, a1, b1, a2, b2);
            a[i] = a1;
            b[i] = b1;
        }
}

// Folds the VEC_N rows at p, `step` apart, to a[0], b[0]. `safe`: whole vectors may be loaded
// at the end of each row.
static void fold_rows(a_vector *a, b_vector *b, global const ELEM *p, long step, bool safe,
                      const struct arguments *g)
{
    const uint count = (uint)g->count, full = count - count % VEC_N;
    const i_vector inside = POSITIONS < (i_vector)((INDEX)(count - full));
    #pragma unroll
    for (int i = 0; i < VEC_N; i++) {
        x_vector x0 = (x_vector)((OPERAND)LOAD(p, i * step));
#if OP == STATISTICS // a pivot for each element: an outlier would be a bad one for all
        if (full)
            x0 = load(p + i * step);
#endif
        START(VEC_N, a[i], b[i], x0, (i_vector)(0));
    }
    for (uint e = 0; e < full; e += VEC_N, p += VEC_N)
        #pragma unroll
        for (int i = 0; i < VEC_N; i++) {
            const x_vector v = load(p + i * step);
            prefetch_ahead(p + i * step);
            STEP(a[i], b[i], v, POSITIONS + (INDEX)e);
        }
    if (full < count) {
        x_vector rest[VEC_N];
        if (safe)
            #pragma unroll
            for (int i = 0; i < VEC_N; i++)
                rest[i] = load(p + i * step);
        else
            #pragma unroll
            for (int i = 0; i < VEC_N; i++)
                rest[i] = load_some(p + i * step, count - full);
        #pragma unroll
        for (int i = 0; i < VEC_N; i++) {
            a_vector a2 = a[i];
            b_vector b2 = b[i];
            STEP(a2, b2, rest[i], POSITIONS + (INDEX)full);
            CHOOSE_CHAINS(a[i], inside, a2);
            CHOOSE(b[i], inside, b2);
        }
    }
    transpose(a, b);
}

#else
// Element i of a vector is p[i * step]. Volatile loads stay what they are. Of others PoCL 3.1
// makes gathers, which take an AMD EPYC (AVX-512) ten times as long: 2026-11-22, 88813 rows of 23
// f32, 3 apart: any 8.4 ns per element by gathers, 0.7 by single loads; sum 2.0 and 0.7.
static x_vector load_across(global const ELEM *p, long step)
{
    if (step == 1)
        return load(p);
#if TYPE == F16
    volatile global const ushort *q = (volatile global const ushort *)p;
#else
    volatile global const ELEM *q = p;
#endif
#define FOUR(i) q[(i) * step], q[((i) + 1) * step], q[((i) + 2) * step], q[((i) + 3) * step]
#if VEC_N == 8
    return operands_of((bits_vector)(FOUR(0), FOUR(4)));
#else
    return operands_of((bits_vector)(FOUR(0), FOUR(4), FOUR(8), FOUR(12)));
#endif
}

// Folds the VEC_N rows at p, `step` apart, to a[0], b[0].
static void fold_rows(a_vector *a, b_vector *b, global const ELEM *p, long step, bool safe,
                      const struct arguments *g)
{
    const uint count = (uint)g->count;
    for (uint e = 0; e < count;) {
        const bool is_first = e == 0;
        const uint end = min(count, e + CHAIN);
        a_vector a1;
        b_vector b1;
        START(VEC_N, a1, b1, load_across(p, step), (i_vector)((INDEX)e));
        for (; e < end; e++, p += g->stride) {
            const x_vector v = load_across(p, step);
            STEP(a1, b1, v, (i_vector)((INDEX)e));
        }
        if (is_first) {
            *a = a1;
            *b = b1;
        } else
            MEET(VEC_N, *a, *b, a1, b1);
    }
}
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void reduce_partial(global const ELEM *restrict x, global uint *scratch, global OUT_T *out,
                    const struct arguments g)
{
    global acc *part = partials_of(scratch);
    const ulong groups = get_num_groups(0),
                share = (g.rows + groups * VEC_N - 1) / (groups * VEC_N) * VEC_N;
    const ulong begin = get_group_id(0) * share, end = min(g.rows, begin + share);
    // Where there are fewer than VEC_N rows, each is taken VEC_N times.
    const bool few = g.rows < VEC_N;
    const long step = few ? 0 : g.row_stride;
    // The last place from which a whole vector of a row may be loaded: memory ends with the row
    // that lies last.
    const long top = (long)(g.rows - 1) * max(g.row_stride, 0L) + (long)g.count - VEC_N;
    const uint full = (uint)g.count - (uint)g.count % VEC_N;

    uint n;
    for (ulong row = begin; row < end; row += n) {
        n = few ? 1 : (uint)min((ulong)VEC_N, end - row);
        const ulong start = few ? row : min(row, g.rows - VEC_N);
        const long at = (long)start * g.row_stride;
        const bool safe = max(at, at + (VEC_N - 1) * step) + full <= top;
        a_vector a[VEC_N];
        b_vector b[VEC_N];
        fold_rows(a, b, x + (g.first + at), step, safe, &g);
        for (uint i = 0; i < n; i++) {
            CHAIN_A one_a;
            CHAIN_B one_b;
            ONE_CHAIN(VEC_N, one_a, one_b, a[0], b[0], (uint)(row - start) + i);
            acc r;
            acc_of(&r, one_a, one_b, g.index);
            emit(part, out, &g, row + i, 1, &r);
        }
    }
}
