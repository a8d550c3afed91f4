// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_places: how an item finds the inputs of its row in global memory, by the
// number of a place (gpu_positions.cl).
//
// Macros   those of gpu_positions.cl
//          CONSTANTS   1: some places are constants, and none of the row's inputs

#ifndef CONSTANTS
#error "CONSTANTS must be defined"
#endif

#define FOLDED      0
#define ITEM_ROWS   1
#define PLACE_BYTES 1 // what a place is counted in
#define AHEAD       8 // inputs that are under way: few warps share a compute unit
#define INPUTS      const struct row_inputs *

struct row_inputs {
    size_t x; // the address of the first input,
    int by;   // and bytes to the next
#if CONSTANTS
    uint n;
    OPERAND left, right; // constants
    uint first, last;    // inputs first ... last - 1 of the task are the row's
#endif
};

// Compilers would multiply 64-bit numbers, and make three instructions of mad.wide.
static global const ELEM *element_at(size_t base, uint place, int by)
{
#if PTX
    long distance;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(distance) : "r"(place), "r"(by));
#else
    const long distance = (long)place * by;
#endif
    return (global const ELEM *)(base + (size_t)distance);
}

// Up to which input of a task all are the row's, from input m on.
static uint end_of_inputs(INPUTS in, uint m)
{
#if CONSTANTS
    return m < in->first ? 0 : in->last;
#else
    return UINT_MAX;
#endif
}

static __attribute__((always_inline)) void load_inside(OPERAND *v, INPUTS in, uint place)
{
    v[0] = (OPERAND)LOAD(element_at(in->x, place, in->by), 0);
}

// Asks for no branch: several loads are under way at once.
static __attribute__((always_inline)) void load_place(OPERAND *v, INPUTS in, uint place)
{
#if CONSTANTS
    const bool is_constant = place >= in->n;
    const OPERAND input = (OPERAND)LOAD(element_at(in->x, is_constant ? 0 : place, in->by), 0);
    v[0] = !is_constant ? input : place == in->n ? in->left : in->right;
#else
    load_inside(v, in, place);
#endif
}

#if CONSTANTS
// Inputs of a task, the first of which stands at j, in front of position `at`.
static uint inputs_before(int at, int j, const struct arguments *g)
{
    return at <= j ? 0 : ((uint)(at - j) + g->dilation - 1) / g->dilation;
}
#endif

// The inputs of a row, for a task whose first one stands at j.
static void find_row(struct row_inputs *r, global const ELEM *x, long row, int j,
                     const struct arguments *g)
{
    r->x = (size_t)(x + (g->first + row * g->row_stride));
    r->by = (int)g->stride * (int)sizeof(ELEM);
#if CONSTANTS
    r->n = (uint)g->n;
    r->left = constant_of(g->constant_left);
    r->right = constant_of(g->constant_right);
    r->first = g->left == BOUNDARY_CONSTANT ? inputs_before(0, j, g) : 0;
    r->last = g->right == BOUNDARY_CONSTANT ? inputs_before((int)g->n, j, g) : UINT_MAX;
#endif
}
