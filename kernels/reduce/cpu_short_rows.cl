// SPDX-License-Identifier: Apache-2.0
//
// reduce, cpu_short_rows: many short rows of stride 1, of at most CHAIN vectors each.
//
// A group takes a share of the rows, VEC_N of them at a time. Each is folded to one vector.
// Then the halves of two vectors meet, interleaved, until each element of one vector holds a
// row (drawn for VEC_N = 4 and the rows p q r s):
//
//     p0 p1 p2 p3   q0 q1 q2 q3   r0 r1 r2 r3   s0 s1 s2 s3
//          p02 r02 p13 r13             q02 s02 q13 s13
//                           p q r s
//
// At the end of a row, elements that do not fill a vector are loaded together with what follows
// them in memory, which is then left out. Where nothing may follow, they are loaded one by one.
//
// Macros: see reduce.cl. No local memory, no barriers. Per element: its bytes and 1 / VEC_N of
// a vector's load, conversion and STEP; per row VEC_N - 1 elements of MEET.

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
            a1.even = a[i].lo;
            a1.odd = a[i + n].lo;
            a2.even = a[i].hi;
            a2.odd = a[i + n].hi;
            b1.even = b[i].lo;
            b1.odd = b[i + n].lo;
            b2.even = b[i].hi;
            b2.odd = b[i + n].hi;
            MEET(VEC_N, a1, b1, a2, b2);
            a[i] = a1;
            b[i] = b1;
        }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void reduce_partial(global const ELEM *restrict x, global acc *part, global uint *counters,
                    global OUT_T *out, const struct arguments g)
{
    const ulong groups = get_num_groups(0),
                share = (g.rows + groups * VEC_N - 1) / (groups * VEC_N) * VEC_N;
    const ulong begin = get_group_id(0) * share, end = min(g.rows, begin + share);
    const uint count = (uint)g.count, full = count - count % VEC_N;
    const i_vector inside = POSITIONS < (i_vector)((INDEX)(count - full));
    // Where there are fewer than VEC_N rows, each is taken VEC_N times.
    const bool few = g.rows < VEC_N;
    const long step = few ? 0 : g.row_stride;
    // The last place from which a whole vector may be loaded: memory ends with the row that
    // lies last.
    const long top = (long)(g.rows - 1) * max(g.row_stride, 0L) + (long)g.count - VEC_N;

    uint n;
    for (ulong row = begin; row < end; row += n) {
        n = few ? 1 : (uint)min((ulong)VEC_N, end - row);
        const ulong start = few ? row : min(row, g.rows - VEC_N);
        const long at = (long)start * g.row_stride + full;
        const bool safe = max(at, at + (VEC_N - 1) * step) <= top;
        global const ELEM *p = x + (g.first + at - full);
        a_vector a[VEC_N];
        b_vector b[VEC_N];
        #pragma unroll
        for (int i = 0; i < VEC_N; i++)
            START(VEC_N, a[i], b[i], (x_vector)((OPERAND)LOAD(p, i * step)), (i_vector)(0));
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
                a[i] = inside ? a2 : a[i];
                b[i] = inside ? b2 : b[i];
            }
        }
        transpose(a, b);
        union {
            a_vector v;
            CHAIN_A row[VEC_N];
        } a_of = { a[0] };
        union {
            b_vector v;
            CHAIN_B row[VEC_N];
        } b_of = { b[0] };
        for (uint i = 0; i < n; i++) {
            const uint k = (uint)(row - start) + i;
            acc r;
            acc_of(&r, a_of.row[k], b_of.row[k], g.index);
            emit(part, out, &g, row + i, 1, &r);
        }
    }
}
