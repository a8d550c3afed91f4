// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs: how an item sums ITEM_OUTPUTS neighbouring outputs from a tile of
// operands in local memory. gpu_register_window.cl and gpu_tap_chunks.cl stand on this file.
//
// The window of an item is a ring of RING operands in registers: the inputs that its outputs
// need for VEC_N taps. Each vector of the tile is read once, and goes into all sums that need
// it.
//
// Macros   those of gpu_vectors.cl
//          ITEM_VECS   vectors of outputs that an item computes

#ifndef ITEM_VECS
#error "ITEM_VECS must be defined"
#endif
#if ITEM_VECS < 1
#error "ITEM_VECS must be at least 1"
#endif

#define ITEM_OUTPUTS (ITEM_VECS * VEC_N)
#define RING         (ITEM_OUTPUTS + VEC_N)

// Vector b of `from` becomes vector b of the ring.
#define TAKE(ring, from, b)                                   \
    {                                                         \
        const vec16 taken = (from)[b];                        \
        _Pragma("unroll") for (int u = 0; u < VEC_N; u++)     \
            (ring)[((b) * VEC_N + u) % RING] = ELEMENT(taken, u); \
    }
// Adds to each of the item's sums its product with a tap, whose input for output 0 is number
// `place`.
#define ADD_ALL(sums, ring, tap, place)                      \
    _Pragma("unroll") for (int o = 0; o < ITEM_OUTPUTS; o++) \
        (sums)[o] = ADD((sums)[o], tap, (ring)[((place) + o) % RING]);
