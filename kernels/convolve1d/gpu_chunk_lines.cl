// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_tap_chunks: lanes that reach beyond an end, in parts. gpu_tap_chunks.cl says
// what lanes are.
//
// The inputs of a lane in a chunk are cut into parts, each of which comes in one way:
//
//     no output needs them | left | inside | right | behind the last output
//     zeros                | ...  | a line | ...   | zeros
//
// Beyond an end there is one value (CONSTANT, EDGE), a line of the history, or the row again,
// as often as it takes: REFLECT and WRAP repeat after a period. An item finds where its first
// input lies in the period by a remainder. From one input to its next it adds the same number,
// and takes the period away where it leaves it.
//
// Macros   those of gpu_chunk_ends.cl

#if IN_PARTS
// Inputs e, e + along, ... up to `end`, of which `next` says where each lies: it is evaluated
// once for each, in their order. Whole batches of which no item lacks an input ask for none.
#if IS_COPIED
#define TAKE_INPUTS(next)                                                              \
    {                                                                                  \
        _Pragma("unroll 1") for (; e + (LOADS - 1) * along < end; e += LOADS * along)  \
        {                                                                              \
            _Pragma("unroll") for (uint u = 0; u < LOADS; u++)                         \
                copy_element(to + PLACE(e + u * along, f), next);                      \
        }                                                                              \
        _Pragma("unroll 1") for (; e < end; e += along)                                \
            copy_element(to + PLACE(e, f), next);                                      \
    }
#else
#define TAKE_INPUTS(next)                                                              \
    {                                                                                  \
        _Pragma("unroll 1") for (; e + (LOADS - 1) * along < end; e += LOADS * along)  \
        {                                                                              \
            OPERAND v[LOADS];                                                          \
            _Pragma("unroll") for (uint u = 0; u < LOADS; u++)                         \
                v[u] = (OPERAND)LOAD(next, 0);                                         \
            _Pragma("unroll") for (uint u = 0; u < LOADS; u++)                         \
                to[PLACE(e + u * along, f)] = v[u];                                    \
        }                                                                              \
        OPERAND v[LOADS];                                                              \
        _Pragma("unroll") for (uint u = 0; u + 1 < LOADS; u++)                         \
            if (e + u * along < end)                                                   \
                v[u] = (OPERAND)LOAD(next, 0);                                         \
        _Pragma("unroll") for (uint u = 0; u + 1 < LOADS; u++)                         \
            if (e + u * along < end)                                                   \
                to[PLACE(e + u * along, f)] = v[u];                                    \
    }
#endif

// Input e lies at `from`, and an item's next one `by` elements behind it.
static global const ELEM *take_line(global const ELEM **from, long by)
{
    global const ELEM *p = *from;
    *from = beyond(p, by);
    return p;
}

static void load_line(local OPERAND *to, global const ELEM *from, long by, uint e, uint end,
                      uint along, const struct form f)
{
    TAKE_INPUTS(take_line(&from, by))
}

// The inputs of a side that repeat after a period: below 2^31.
struct repeat {
    uint period, last, by; // of positions `at` and last - at the lower one has the input
};

static global const ELEM *take_repeated(uint *rest, const struct repeat *r,
                                        global const ELEM *row, long stride)
{
    const uint at = min(*rest, r->last - *rest), next = *rest + r->by;
    *rest = min(next, next - r->period); // which wraps around, where it is not taken away
    return row + (long)at * stride;
}

// Input e lies at `rest` of the period.
static void load_repeated(local OPERAND *to, global const ELEM *row, long stride,
                          const struct repeat r, uint rest, uint e, uint end, uint along,
                          const struct form f)
{
    TAKE_INPUTS(take_repeated(&rest, &r, row, stride))
}

// How the inputs of a lane are cut into parts: the first that an output needs, the first that
// is not beyond the left end, and the first beyond the right end. Where the item's first inputs
// of the left and of the right part lie in their periods.
struct cut {
    uint needed, low, high, left_rest, right_rest;
};

static bool repeats(uint side)
{
    return !is_flat(side) && side != BOUNDARY_HISTORY;
}

// Input 0 is X(j). `element`: the item's first one of each part.
static struct cut find_cut(long j, long origin, uint element, uint elements,
                           const struct task *t)
{
    struct cut c = { 0, inputs_before(0, j, elements, t),
                     inputs_before(t->g.n, j, elements, t), 0, 0 };
    // No output needs what lies in front of `origin`, and a history need not have it.
    if (t->g.left == BOUNDARY_HISTORY)
        c.needed = inputs_before(min(origin, 0L), j, elements, t);
    if (c.low && repeats(t->g.left))
        c.left_rest = (uint)rest_of(j + (long)element * t->c.apart, t->c.left_period);
    if (c.high < elements && repeats(t->g.right))
        c.right_rest =
            (uint)rest_of(j + (long)(c.high + element) * t->c.apart, t->c.right_period);
    return c;
}

// The inputs of a lane that reaches beyond an end.
static void load_parts(local OPERAND *to, global const ELEM *row, global const ELEM *before,
                       long j, long origin, uint element, uint elements,
                       const struct cut c, const struct form f, const struct task *t)
{
    const uint along = t->c.along;
    const long by = (long)along * t->c.apart;
    fill_flat(to, 0, element, c.needed, along, f);
    #pragma unroll 1
    for (uint right = 0; right < 2; right++) {
        const uint side = right ? t->g.right : t->g.left, end = right ? elements : c.low;
        const uint e = (right ? c.high : c.needed) + element;
        if (e >= end)
            continue;
        const long at = j + (long)e * t->c.apart;
        if (is_flat(side))
            fill_flat(to, flat_input(!right, row, t), e, end, along, f);
        else if (side == BOUNDARY_HISTORY)
            load_line(to, before + (at + (long)t->g.halo) * t->g.before_stride,
                      by * t->g.before_stride, e, end, along, f);
        else if (t->c.repeats_far)
            load_any(to, row, before, j, origin, e, end, 0, 0, f, t);
        else {
            const struct repeat r = {
                (uint)(right ? t->c.right_period : t->c.left_period),
                (uint)(right ? t->c.right_last : t->c.left_last),
                right ? t->c.right_by : t->c.left_by,
            };
            load_repeated(to, row, t->g.stride, r, right ? c.right_rest : c.left_rest, e, end,
                          along, f);
        }
    }
    load_line(to, row + (j + (long)(c.low + element) * t->c.apart) * t->g.stride,
              by * t->g.stride, c.low + element, c.high, along, f);
}
#endif
