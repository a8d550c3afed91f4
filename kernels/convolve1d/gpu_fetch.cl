// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: asks for the memory at the ends of lines of outputs before they are
// written. src/convolve1d/gpu_fetch.c says where: lines with gaps between them fill a part of
// the sector of memory in which they begin, and of the one in which they end. A store to such a
// sector takes long unless the sector is in the L2 cache or on its way there (prefetch_line()
// of common.cl). The cache does not keep it for long, so a group asks right before it writes.
//
//     sectors   |. . x x x x x x|x x x x x x x x|x x . . . . . .|     asks for the first and the last
//
// Macros   those of gpu_vectors.cl
//          FETCH  1: lines of outputs have gaps between them, and are short
//
// Defines fetch_outputs()

#ifndef FETCH
#error "FETCH must be defined"
#endif

// `rows` rows of `positions` outputs, whose first one is *first.
static void fetch_outputs(global const OUT_T *first, uint rows, uint positions,
                          const struct arguments *g)
{
#if FETCH
    const bool across = rows > 1 && abs(g->out_row_stride) < abs(g->out_stride);
    const long near = across ? g->out_row_stride : g->out_stride,
               far = across ? g->out_stride : g->out_row_stride;
    const uint count = across ? rows : positions, lines = across ? positions : rows;
    first += near < 0 ? 1 - (int)count : 0; // the lowest in memory
    for (uint u = get_local_id(0); u < 2 * lines; u += WG)
        prefetch_end(first + ((long)(u / 2) * far + u % 2 * count));
#endif
}
