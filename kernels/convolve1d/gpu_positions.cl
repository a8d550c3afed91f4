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

// The place of X(j). Rows are short, and j rarely is far away. No branches: several places are
// found at once.
static uint place_of(POSITION j, const struct arguments *g)
{
    const bool is_left = j < 0;
    const uint n = (uint)g->n, mode = is_left ? g->left : g->right;
    const uint period = max(1u, mode == BOUNDARY_REFLECT_HALF    ? 2 * n
                                : mode == BOUNDARY_REFLECT_WHOLE ? 2 * n - 2
                                                                 : n);
#if NEAR_POSITIONS
    uint rest = (uint)(is_left ? ~j : j) % period;
#else
    const ulong far = is_left ? ~j : j;
    uint rest = far >> 32 ? (uint)(far % period) : (uint)far % period;
#endif
    rest = is_left ? period - 1 - rest : rest;
    // Positions j and last - j have the same input.
    const uint last = mode == BOUNDARY_REFLECT_HALF ? period - 1 : 2 * n - 2;
    const uint old = n + 2 + (uint)max((is_left ? j : 0) + (POSITION)g->halo, (POSITION)0);
    uint place = mode == BOUNDARY_WRAP ? rest : min(rest, last - rest);
    place = mode == BOUNDARY_EDGE ? is_left ? 0 : n - 1 : place;
    place = mode == BOUNDARY_HISTORY ? old : place;
    place = mode == BOUNDARY_CONSTANT ? is_left ? n : n + 1 : place;
    return j >= 0 && j < (POSITION)n ? (uint)j : place;
}

// The position of input m of a phase.
static POSITION position_of(uint phase, uint m, const struct arguments *g)
{
    return (POSITION)g->origin + (POSITION)phase * (POSITION)g->step +
           (POSITION)m * (POSITION)g->dilation;
}
