// SPDX-License-Identifier: Apache-2.0
//
// reduce, cpu_rows: rows of stride 1.
//
// A slot is a contiguous share of a row. The item walks it in blocks of CHAIN / 2 x LANES x N
// elements, LANES vectors of N side by side to hide the latency of one addition:
//
//     x  [ N | N | N | N | N | N | N | N ] [ N | N | ...        CHAIN / 2 times, then merge
//          a0  a1  a2  a3  a4  a5  a6  a7    a0  a1
//
// No local memory.

#define LANES 8
#define STEPS (CHAIN / 2)

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void reduce_partial(global const T *restrict x, global acc *part, global uint *counters,
                    global R *out, const struct arguments g)
{
    const ulong row = get_group_id(0) / g.slots, slot = get_group_id(0) % g.slots;
    global const T *p = x + (g.first + (long)row * g.row_stride);
    ulong e = slot * g.share;
    const ulong end = min(g.count, e + g.share);
    acc r;
    acc_start(&r);

    for (; e + STEPS * LANES * N <= end; e += STEPS * LANES * N) {
        a_vector a[LANES];
        b_vector b[LANES];
        #pragma unroll
        for (int k = 0; k < LANES; k++)
            START(N, a[k], b[k], load(p + e + k * N), POSITIONS + (B)(k * N));
        for (int s = 0; s < STEPS * LANES; s += LANES) {
            #pragma unroll
            for (int k = 0; k < LANES; k++) {
                const w_vector v = load(p + e + (s + k) * N);
                if (k * N * BYTES % LINE == 0)
                    ask_ahead(p + e + (s + k) * N);
                STEP(a[k], b[k], v, POSITIONS + (B)((s + k) * N));
            }
        }
        #pragma unroll
        for (int half_way = LANES / 2; half_way > 0; half_way /= 2)
            #pragma unroll
            for (int k = 0; k < half_way; k++)
                MEET(N, a[k], b[k], a[k + half_way], b[k + half_way]);
        JOIN_NAMES(take, N)(&r, a[0], b[0], g.index + e);
    }
    // What is left, less than a block: single vectors, then single elements.
    while (e + N <= end) {
        a_vector a;
        b_vector b;
        const ulong base = e;
        START(N, a, b, load(p + e), POSITIONS);
        for (int s = 0; s < CHAIN && e + N <= end; s++, e += N) {
            const w_vector v = load(p + e);
            STEP(a, b, v, POSITIONS + (B)(s * N));
        }
        JOIN_NAMES(take, N)(&r, a, b, g.index + base);
    }
    if (e < end) {
        A a;
        B_LANE b;
        const ulong base = e;
        START(, a, b, (W)LOAD(p, e), 0);
        for (; e < end; e++) {
            const W v = (W)LOAD(p, e);
            STEP(a, b, v, (B)(e - base));
        }
        take(&r, a, b, g.index + base);
    }
    emit(part, out, &g, row, slot + 1, &r);
}
