// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_places: how an item finds the inputs of its row in global memory, by the
// number of a place (gpu_positions.cl).
//
// Macros   those of gpu_positions.cl
//          BEYOND   1: some places are none of the row's inputs: a constant, or the history

#ifndef BEYOND
#error "BEYOND must be defined"
#endif

#define FOLDED      0
#define ITEM_ROWS   1
#define PLACE_BYTES 1 // what a place is counted in
#define INPUTS      const struct row_inputs *

struct row_inputs {
    size_t x; // the address of the first input,
    int by;   // and bytes to the next
#if BEYOND
    size_t before;
    long before_by;
    uint n;
    OPERAND left, right; // constants
#endif
};

static global const ELEM *element_at(size_t base, uint place, int by)
{
#if PTX
    size_t at; // compilers multiply 64-bit numbers
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(at) : "r"(place), "r"(by), "l"(base));
    return (global const ELEM *)at;
#else
    return (global const ELEM *)(base + (size_t)((long)place * by));
#endif
}

// Asks for no branch: several loads are under way at once.
static __attribute__((always_inline)) void load_place(OPERAND *v, INPUTS in, uint place)
{
#if BEYOND
    const bool is_constant = place - in->n < 2, is_old = place >= in->n + 2;
    global const ELEM *own = element_at(in->x, is_constant || is_old ? 0 : place, in->by);
    global const ELEM *old =
        (global const ELEM *)(in->before + (size_t)((place - in->n - 2) * in->before_by));
    const OPERAND input = (OPERAND)LOAD(is_old ? old : own, 0);
    v[0] = !is_constant ? input : place == in->n ? in->left : in->right;
#else
    v[0] = (OPERAND)LOAD(element_at(in->x, place, in->by), 0);
#endif
}

// The inputs of a row.
static struct row_inputs find_row(global const ELEM *x, global const ELEM *before, long row,
                                  const struct arguments *g)
{
    struct row_inputs r = { .x = (size_t)(x + (g->first + row * g->row_stride)),
                            .by = (int)g->stride * (int)sizeof(ELEM) };
#if BEYOND
    r.before = (size_t)(before + (g->before_first + row * g->before_row_stride));
    r.before_by = g->before_stride * (long)sizeof(ELEM);
    r.n = (uint)g->n;
    r.left = constant_of(g->constant_left);
    r.right = constant_of(g->constant_right);
#endif
    return r;
}
