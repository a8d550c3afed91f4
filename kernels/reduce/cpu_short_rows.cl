// SPDX-License-Identifier: Apache-2.0
//
// reduce, cpu_short_rows: many short rows of stride 1, of floats at most CHAIN
// vectors each.
//
// A group takes a share of the rows, N of them at a time. Each is folded to one vector; then the
// halves of two vectors meet, interleaved, until one vector holds a row in each lane (drawn for
// N = 4 and the rows p q r s):
//
//     p0 p1 p2 p3   q0 q1 q2 q3   r0 r1 r2 r3   s0 s1 s2 s3
//          p02 r02 p13 r13             q02 s02 q13 s13
//                           p q r s
//
// What does not fill a vector at the end of a row is loaded with what follows it in memory, and
// left out lane by lane; where nothing may follow, it is loaded element by element.
//
// No local memory.

// The first n elements at p, and the last of them again.
static w_vector load_some(global const T *p, uint n)
{
    union {
        w_vector v;
        W element[N];
    } r;
    for (uint i = 0; i < N; i++)
        r.element[i] = (W)LOAD(p, min(i, n - 1));
    return r.v;
}

// Lanes to rows: N vectors meet until a[0], b[0] hold one row in each lane.
static void transpose(a_vector *a, b_vector *b)
{
    #pragma unroll
    for (int n = N / 2; n > 0; n /= 2)
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
            MEET(N, a1, b1, a2, b2);
            a[i] = a1;
            b[i] = b1;
        }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void reduce_partial(global const T *restrict x, global acc *part, global uint *counters,
                    global R *out, const struct arguments g)
{
    const ulong groups = get_num_groups(0), share = (g.rows + groups * N - 1) / (groups * N) * N;
    const ulong begin = get_group_id(0) * share, end = min(g.rows, begin + share);
    const uint count = (uint)g.count, full = count - count % N;
    const i_vector inside = POSITIONS < (i_vector)((B)(count - full));
    // Where there are fewer than N rows, each is taken N times.
    const bool few = g.rows < N;
    const long step = few ? 0 : g.row_stride;
    // The last place a whole vector may be loaded from: memory ends with the row that lies last.
    const long top = (long)(g.rows - 1) * max(g.row_stride, 0L) + (long)g.count - N;

    uint n;
    for (ulong row = begin; row < end; row += n) {
        n = few ? 1 : (uint)min((ulong)N, end - row);
        const ulong start = few ? row : min(row, g.rows - N);
        const long at = (long)start * g.row_stride + full;
        const bool safe = max(at, at + (N - 1) * step) <= top;
        global const T *p = x + (g.first + at - full);
        a_vector a[N];
        b_vector b[N];
        #pragma unroll
        for (int i = 0; i < N; i++)
            START(N, a[i], b[i], (w_vector)((W)LOAD(p, i * step)), (i_vector)(0));
        for (uint e = 0; e < full; e += N, p += N)
            #pragma unroll
            for (int i = 0; i < N; i++) {
                const w_vector v = load(p + i * step);
                ask_ahead(p + i * step);
                STEP(a[i], b[i], v, POSITIONS + (B)e);
            }
        if (full < count) {
            w_vector rest[N];
            if (safe)
                #pragma unroll
                for (int i = 0; i < N; i++)
                    rest[i] = load(p + i * step);
            else
                #pragma unroll
                for (int i = 0; i < N; i++)
                    rest[i] = load_some(p + i * step, count - full);
            #pragma unroll
            for (int i = 0; i < N; i++) {
                a_vector a2 = a[i];
                b_vector b2 = b[i];
                STEP(a2, b2, rest[i], POSITIONS + (B)full);
                a[i] = inside ? a2 : a[i];
                b[i] = inside ? b2 : b[i];
            }
        }
        transpose(a, b);
        union {
            a_vector v;
            A row[N];
        } a_of = { a[0] };
        union {
            b_vector v;
            B_LANE row[N];
        } b_of = { b[0] };
        for (uint i = 0; i < n; i++) {
            const uint k = (uint)(row - start) + i;
            acc r;
            acc_of(&r, a_of.row[k], b_of.row[k], g.index);
            emit(part, out, &g, row + i, 1, &r);
        }
    }
}
