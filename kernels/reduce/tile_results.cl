// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_tiles: the results of statistics on their way from the items that have them, one row
// each, to where they lie in memory.
//
//     sets      0           1           2 ...                 each five results of its row
//     local     c l h m v   c l h m v   c l h m v ...
//     out       item 0, 1, 2 ... WG - 1, 0 ...                neighbours write neighbours
//
// The results of 32 packed rows, 8 bytes each, are ten lines of memory.
//
// Defines write_results(), where operations have RESULTS
//
// Macros: see gpu_tiles.cl. Barriers: two.

#ifdef RESULTS
// Writes the results of `rows` neighbouring rows, in the order in which they lie if rows are
// packed. Each set has one row in r, known to one item. share: 1 / count.
static void write_results(global OUT_T *out, local OUT_T *results, const acc *r, REAL share,
                          uint set, bool knows, ulong row0, uint rows, const struct arguments *g)
{
    const uint item = get_local_id(0), n = rows * RESULTS;
    out += g->out_first + (long)row0 * g->out_row;
    if (knows) {
        OUT_T of_row[RESULTS];
#if SKIP_NAN
        results_of(of_row, r, 1 / (REAL)r->n, true);
#else
        // All rows have this count. The compiler calculates what depends on it alone before the
        // loop over rows.
        acc own = *r;
        own.n = g->count;
        results_of(of_row, &own, share, true);
#endif
        #pragma unroll
        for (uint i = 0; i < RESULTS; i++)
            results[set * RESULTS + i] = of_row[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g->out_row == RESULTS && g->out_step == 1) {
        local const OUT_T *from = results + item;
        out += item;
        #pragma unroll
        for (int i = 0; i < RESULTS; i++)
            if ((int)item < (int)n - i * WG)
                out[i * WG] = from[i * WG];
    } else
        for (uint i = item; i < n; i += WG)
            out[(long)(i / RESULTS) * g->out_row + (long)(i % RESULTS) * g->out_step] = results[i];
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif
