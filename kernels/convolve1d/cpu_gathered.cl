// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, cpu_gathered: CPU devices; elements apart in memory, outputs every `step` inputs,
// taps `dilation` apart. step and dilation are at most GATHERED_STEPS.
//
// An item is a group. It takes a contiguous share of a row in tiles of TILE_VECS vectors of
// VEC_N outputs. For each span of taps it gathers the inputs of the tile, boundaries resolved,
// so that inputs that are step apart become contiguous (drawn for step 3). A tap then meets
// whole vectors:
//
//     X from j on    0 1 2 3 4 5 6 7 8 ...
//     buffer       | 0 3 6 ... | 1 4 7 ... | 2 5 8 ... |       a phase has `length` elements
//     tap k        reads phase k * dilation % step from place k * dilation / step on
//
// PoCL 3.1, two cores with AVX-512, 2026-11-21, 65 taps of f32: dilation 2 87 M outputs/s,
// baseline 3.8; step 2 117.
//
// Macros  those of cpu_vector.cl
// Per vector of outputs: a load and an fma for each tap (cpu_residues shares the loads); for
// each span the inputs of the tile are read and stored to the buffer once. No local memory, no
// barrier.

// Fills the buffer with `inputs` inputs from X(j) on.
static void gather_phases(CALC_T *buffer, const struct share *r, const struct arguments *g,
                          long j, uint inputs, uint length)
{
    const long last = g->origin + (long)(g->outputs - 1) * g->step + (long)g->halo;
    const bool inside = j >= max(g->origin, 0L) && j + inputs - 1 <= min(last, (long)g->n - 1);
    for (uint phase = 0; phase < g->step; phase++) {
        CALC_T *to = buffer + phase * length * COMPONENTS;
        if (inside)
            for (uint t = phase; t < inputs; t += g->step, to += COMPONENTS)
                put(to, (OPERAND)LOAD(r->x, (j + t) * g->stride));
        else
            for (uint t = phase; t < inputs; t += g->step, to += COMPONENTS)
                put(to, j + t < g->origin || j + t > last ? (OPERAND)(0)
                                                      : fetch(r->x, r->before, g, 0, 0, j + t));
    }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const TAP_T *restrict taps, global OUT_T *restrict out,
                const struct arguments g)
{
    const struct share r = find_share(x, before, taps, out, &g);
    CALC_T buffer[((OUTPUTS + 2) + SPAN) * GATHERED_STEPS * COMPONENTS];

    for (long e = r.begin; e < r.end; e += OUTPUTS) {
        calc_vec a[TILE_VECS];
        #pragma unroll
        for (int i = 0; i < TILE_VECS; i++)
            a[i] = (calc_vec)(0);
        for (uint b = 0; b < g.taps; b += SPAN) {
            const uint count = min((uint)SPAN, g.taps - b);
            const uint inputs = (OUTPUTS - 1) * g.step + (count - 1) * g.dilation + 1;
            const uint length = (inputs + g.step - 1) / g.step;
            gather_phases(buffer, &r, &g, e * g.step + g.origin + (long)b * g.dilation, inputs,
                          length);
            for (uint residue = 0; residue < ORDER; residue++)
                for (uint k = residue; k < count; k += ORDER) {
                    const uint t = k * g.dilation;
                    const uint place = g.step == 1 ? t : t % g.step * length + t / g.step;
                    const CALC_T *v = buffer + place * COMPONENTS;
                    const tap w = tap_of(r.taps[b + k]);
                    #pragma unroll
                    for (int i = 0; i < TILE_VECS; i++)
                        a[i] = STEP_OF(w, LOAD_CALC(v + i * VEC_N), a[i]);
                }
        }
        store_tile(&r, a, e, &g);
    }
}
