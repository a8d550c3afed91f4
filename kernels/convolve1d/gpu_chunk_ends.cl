// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_tap_chunks: the inputs of lanes that reach beyond an end. gpu_tap_chunks.cl
// says what lanes are.
//
// Steps that are inside come as in other lanes. Where the step is 1, an end that is one value is
// put there. What is left is found input by input. The other way is gpu_chunk_lines.cl: it finds
// inputs faster, but takes so many registers that fewer groups run at once.
//
// Macros   those of gpu_chunk_loads.cl
//          IN_PARTS   1: the other way

#ifndef IN_PARTS
#error "IN_PARTS must be defined"
#endif
#if IN_PARTS && !STEP
#error "a step is not known"
#endif

// Where input e of a part lies: in the lane, and in local memory, in operands.
struct form {
    uint step, pitch, columns, reciprocal; // as in struct chunk_arguments
};
#if STEP == 0
static uint row_of(uint e, const struct form *f)
{
    return f->reciprocal ? mul_hi(e, f->reciprocal) : e;
}
#define LANE_INPUT(e, f) \
    ((long)row_of(e, &(f)) * (f).step + ((e) - row_of(e, &(f)) * (f).columns))
#define PLACE(e, f)                               \
    (row_of(e, &(f)) / ITEM_OUTPUTS * (f).pitch + \
     row_of(e, &(f)) % ITEM_OUTPUTS * (f).columns + (e) - row_of(e, &(f)) * (f).columns)
#else
#define LANE_INPUT(e, f) ((long)(e))
#define PLACE(e, f)      ((e) % STEP * ((f).pitch * VEC_N) + (e) / STEP)
#endif

// Whether all inputs beyond an end are one value, and which it is.
static bool is_flat(uint side)
{
    return side == BOUNDARY_CONSTANT || side == BOUNDARY_EDGE;
}
static OPERAND flat_input(bool left, global const ELEM *row, const struct task *t)
{
    const uint side = left ? t->g.left : t->g.right;
    if (side == BOUNDARY_EDGE)
        return (OPERAND)LOAD(row, left ? 0 : ((long)t->g.n - 1) * t->g.stride);
    return constant_of(left ? t->g.constant_left : t->g.constant_right);
}

// ---------------------------------------------------------------- positions
// The remainder of j by a period, of negative ones, too. Most numbers have 32 bits; a division
// takes registers. In binary: period << s is more than j.
static ulong rest_of(long j, ulong period)
{
    const bool left = j < 0;
    ulong far = left ? ~j : j;
    if (IN_PARTS && (far | period) >> 32 == 0)
        far = (uint)far % (uint)period;
    else {
        #pragma unroll 1
        for (int s = max((int)(clz(period) - clz(far)), 0); s >= 0; s--)
            far -= far >= period << s ? period << s : 0;
    }
    return left ? period - 1 - far : far;
}

// Does what resolve() does, without a call, whose registers would be those of the whole kernel.
static long find_input(long j, const struct task *t)
{
    const bool left = j < 0;
    const uint mode = left ? t->g.left : t->g.right;
    const long n = (long)t->g.n;
    if ((ulong)j < (ulong)n || mode == BOUNDARY_CONSTANT || mode == BOUNDARY_HISTORY)
        return j;
    if (mode == BOUNDARY_EDGE)
        return left ? 0 : n - 1;
    j = (long)rest_of(j, left ? t->c.left_period : t->c.right_period);
    return min(j, (left ? t->c.left_last : t->c.right_last) - j);
}

// Of a lane's inputs up to `end`, but `known` ones from `low` on, those that are this item's,
// wherever they are, in batches. Input 0 is X(j). No output needs the inputs in front of output
// 0's, `origin`, and a history need not have them. With parts only rows of 2^30 inputs and more
// come so: not worth registers.
#define LOADS     (STEP ? 4 : 8)
#define ANY_LOADS (IN_PARTS ? 1 : LOADS)
static void load_any(local OPERAND *to, global const ELEM *row, global const ELEM *before,
                     long j, long origin, uint item, uint end, uint low, uint known,
                     const struct form f, const struct task *t)
{
    const uint along = t->c.along;
    const long apart = t->c.apart;
    end -= known;
    #pragma unroll 1
    for (; item < end; item += along * ANY_LOADS) {
        OPERAND v[ANY_LOADS];
        #pragma unroll
        for (uint u = 0; u < ANY_LOADS; u++) {
            const uint i = item + u * along, e = i + (i < low ? 0 : known);
            const long at = max(j + LANE_INPUT(e, f) * apart, origin);
            const long found = i < end ? find_input(at, t) : -1;
            v[u] = constant_of(at < 0 ? t->g.constant_left : t->g.constant_right);
            if ((ulong)found < t->g.n)
                v[u] = (OPERAND)LOAD(row, found * t->g.stride);
            else if (at < 0 && t->g.left == BOUNDARY_HISTORY && i < end)
                v[u] = (OPERAND)LOAD(before, (at + (long)t->g.halo) * t->g.before_stride);
        }
        #pragma unroll
        for (uint u = 0; u < ANY_LOADS; u++) {
            const uint i = item + u * along, e = i + (i < low ? 0 : known);
            if (i < end)
                to[PLACE(e, f)] = v[u];
        }
    }
}

static void fill_flat(local OPERAND *to, OPERAND v, uint e, uint end, uint along,
                      const struct form f)
{
    #pragma unroll 4
    for (; e < end; e += along)
        to[PLACE(e, f)] = v;
}

#if !IN_PARTS
// All inputs of a lane.
static void load_lane(local OPERAND *to, global const ELEM *row, global const ELEM *before,
                      long j, long origin, bool is_inside, uint element, uint elements,
                      const struct form f, const struct task *t)
{
    uint low = 0, known = 0, unknown = elements;
#if STEP
    const uint along = t->c.along;
    low = is_inside ? 0 : (inputs_before(0, j, elements, t) + STEP - 1) / STEP;
    const uint end = (is_inside ? elements : inputs_before(t->g.n, j, elements, t)) / STEP;
    const uint steps = end > low ? end - low : 0;
    load_steps(to + low, row + (j + (long)low * STEP * t->c.apart) * t->g.stride, element,
               steps, along, f.pitch * VEC_N, t->c.apart * t->g.stride);
    known = steps * STEP;
    low *= STEP;
#endif
#if STEP == 1
    if (low > 0 && is_flat(t->g.left)) {
        fill_flat(to, flat_input(true, row, t), element, low, along, f);
        known += low;
        low = 0;
    }
    if (end < elements && is_flat(t->g.right)) {
        fill_flat(to, flat_input(false, row, t), end + element, elements, along, f);
        unknown = end;
    }
#endif
    if (known < unknown)
        load_any(to, row, before, j, origin, element, unknown, low, known, f, t);
}
#endif
