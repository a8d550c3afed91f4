// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_folds and gpu_places: which input stands at a position, as the number of a
// place:
//
//     places   0 ... n - 1 | n                  | n + 1              | n + 2 ...
//              the inputs  | the constant left  | the constant right | the history
//
// Macros   those of convolve1d.cl
//          NEAR_POSITIONS   1: 32 bits hold all positions

#ifndef NEAR_POSITIONS
#error "NEAR_POSITIONS must be defined"
#endif

#if NEAR_POSITIONS
#define POSITION int
#else
#define POSITION long
#endif

// The place of X(j). Rows are short, and j rarely is far away.
static uint place_of(POSITION j, const struct arguments *g)
{
    const uint n = (uint)g->n, mode = j < 0 ? g->left : g->right;
    if (j >= 0 && j < (POSITION)n)
        return (uint)j;
    if (mode == BOUNDARY_CONSTANT)
        return j < 0 ? n : n + 1;
    if (mode == BOUNDARY_HISTORY)
        return n + 2 + (uint)max(j + (POSITION)g->halo, (POSITION)0);
    if (mode == BOUNDARY_EDGE)
        return j < 0 ? 0 : n - 1;
    const uint period = mode == BOUNDARY_WRAP           ? n
                        : mode == BOUNDARY_REFLECT_HALF ? 2 * n
                                                        : max(2 * n - 2, 1u);
#if NEAR_POSITIONS
    uint rest = (uint)(j < 0 ? ~j : j) % period;
#else
    const ulong far = j < 0 ? ~j : j;
    uint rest = far >> 32 ? (uint)(far % period) : (uint)far % period;
#endif
    rest = j < 0 ? period - 1 - rest : rest;
    // Positions j and last - j have the same input.
    const uint last = mode == BOUNDARY_REFLECT_HALF ? period - 1 : 2 * n - 2;
    return mode == BOUNDARY_WRAP ? rest : min(rest, last - rest);
}

// The position of input m of a phase.
static POSITION position_of(uint phase, uint m, const struct arguments *g)
{
    return (POSITION)g->origin + (POSITION)phase * (POSITION)g->step +
           (POSITION)m * (POSITION)g->dilation;
}
