// SPDX-License-Identifier: Apache-2.0
//
// reduce, cpu_rows: rows of stride 1.
//
// A slot is a contiguous share of a row. The item walks it in blocks of at most CHAIN / 2 x
// CPU_ROWS_CHAINS vectors of VEC_N elements. Eight chains side by side, CPU_ROWS_CHAINS, hide the
// latency of one addition:
//
//     x  [ vec | vec | vec | vec | vec | vec | vec | vec ] [ vec | vec | ...    CHAIN / 2 times,
//          a0    a1    a2    a3    a4    a5    a6    a7      a0    a1           then they merge
//
// Chains of statistics have six vectors each. Four of them, of CHAIN elements, fill the registers.
// PoCL 3.1, AMD EPYC (AVX-512) that others used too, 2026-11-22, 128 MiB, a sum's processor time
// over that of statistics with eight / with four: f32 0.79 / 1.01, u8 0.70 / 0.86, i16 0.79 / 0.89.
//
// Macros: see reduce.cl. No local memory, no barriers.
// Per element: its bytes and 1 / VEC_N of a vector's load, conversion and STEP.

#if OP == STATISTICS
#define CHAINS (CPU_ROWS_CHAINS / 2)
#else
#define CHAINS CPU_ROWS_CHAINS
#endif
#define STEPS (CHAIN / 2 * CPU_ROWS_CHAINS / CHAINS)

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void reduce_partial(global const ELEM *restrict x, global uint *scratch, global OUT_T *out,
                    const struct arguments g)
{
    global acc *part = partials_of(scratch);
    const ulong row = get_group_id(0) / g.slots, slot = get_group_id(0) % g.slots;
    global const ELEM *p = x + (g.first + (long)row * g.row_stride);
    ulong e = slot * g.share;
    const ulong end = min(g.count, e + g.share);
    acc r;
    acc_start(&r);

    while (e + CHAINS * VEC_N <= end) {
        const int vectors = (int)min((end - e) / (CHAINS * VEC_N), (ulong)STEPS) * CHAINS;
        a_vector a[CHAINS];
        b_vector b[CHAINS];
        #pragma unroll
        for (int k = 0; k < CHAINS; k++)
            START(VEC_N, a[k], b[k], load(p + e + k * VEC_N), POSITIONS + (INDEX)(k * VEC_N));
        for (int s = 0; s < vectors; s += CHAINS) {
            #pragma unroll
            for (int k = 0; k < CHAINS; k++) {
                const x_vector v = load(p + e + (s + k) * VEC_N);
                if (k * VEC_N * BYTES % CACHE_LINE == 0)
                    prefetch_ahead(p + e + (s + k) * VEC_N);
                STEP(a[k], b[k], v, POSITIONS + (INDEX)((s + k) * VEC_N));
            }
        }
        #pragma unroll
        for (int half_way = CHAINS / 2; half_way > 0; half_way /= 2)
            #pragma unroll
            for (int k = 0; k < half_way; k++)
                MEET(VEC_N, a[k], b[k], a[k + half_way], b[k + half_way]);
        JOIN_NAMES(take, VEC_N)(&r, a[0], b[0], g.index + e);
        e += (ulong)vectors * VEC_N;
    }
    // The rest: single vectors, then single elements.
    if (e + VEC_N <= end) {
        a_vector a;
        b_vector b;
        const ulong base = e;
        START(VEC_N, a, b, load(p + e), POSITIONS);
        for (int s = 0; e + VEC_N <= end; s++, e += VEC_N) {
            const x_vector v = load(p + e);
            STEP(a, b, v, POSITIONS + (INDEX)(s * VEC_N));
        }
        JOIN_NAMES(take, VEC_N)(&r, a, b, g.index + base);
    }
    if (e < end) {
        CHAIN_A a;
        CHAIN_B b;
        const ulong base = e;
        START(, a, b, (OPERAND)LOAD(p, e), 0);
        for (; e < end; e++) {
            const OPERAND v = (OPERAND)LOAD(p, e);
            STEP(a, b, v, (INDEX)(e - base));
        }
        take(&r, a, b, g.index + base);
    }
    emit(part, out, &g, row, slot + 1, &r);
}
