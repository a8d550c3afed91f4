// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_tap_chunks: how inputs and taps get into local memory. gpu_tap_chunks.cl says
// what lanes are.
//
// Neighbouring items load neighbouring lanes, `across` of them, where lanes lie side by side in
// memory; else neighbouring inputs of a lane. An item loads inputs e, e + along, ... of lanes
// lane, lane + lane_step, ..., or as many steps of STEP inputs:
//
//     across 2, along 3     lane 0   item 0 2 4 0 2 4 ...
//                           lane 1        1 3 5 1 3 5
//
// Macros   those of gpu_ring.cl
//          STEP   inputs between neighbouring outputs of a lane; 0: any number

#ifndef STEP
#error "STEP must be defined"
#endif

// ---------------------------------------------------------------- inputs
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

// The inputs of a lane but `known` ones from `low` on, wherever they are, in batches. Input 0 is
// X(j). No output needs the inputs in front of output 0's, `origin`, and a history need not have
// them.
#define LOADS (STEP ? 4 : 8)
static void load_any(local OPERAND *to, global const ELEM *row, global const ELEM *before,
                     long j, long origin, uint item, uint elements, uint low, uint known,
                     const struct form f, const struct task *t)
{
    const uint along = t->c.along;
    const ulong n = t->g.n;
    const long apart = t->c.apart;
    elements -= known;
    #pragma unroll 1
    for (; item < elements; item += along * LOADS) {
        OPERAND v[LOADS];
        #pragma unroll
        for (uint u = 0; u < LOADS; u++) {
            const uint i = item + u * along, e = i + (i < low ? 0 : known);
            const long at = max(j + LANE_INPUT(e, f) * apart, origin);
            const long found = i < elements ? find_input(at, t) : -1;
            v[u] = constant_of(at < 0 ? t->g.constant_left : t->g.constant_right);
            if ((ulong)found < n)
                v[u] = (OPERAND)LOAD(row, found * t->g.stride);
            else if (at < 0 && t->g.left == BOUNDARY_HISTORY && i < elements)
                v[u] = (OPERAND)LOAD(before, (at + (long)t->g.halo) * t->g.before_stride);
        }
        #pragma unroll
        for (uint u = 0; u < LOADS; u++) {
            const uint i = item + u * along, e = i + (i < low ? 0 : known);
            if (i < elements)
                to[PLACE(e, f)] = v[u];
        }
    }
}

#if STEP == 1
// Whether all inputs beyond an end are one value.
static bool is_flat(uint side)
{
    return side == BOUNDARY_CONSTANT || side == BOUNDARY_EDGE;
}

// Puts it where inputs e, e + along, ... are, up to `end`. `edge`: the input at the end.
static void fill_flat(local OPERAND *to, uint e, uint end, uint along, uint side, ulong bits,
                      global const ELEM *edge)
{
    const OPERAND v = side == BOUNDARY_EDGE ? (OPERAND)LOAD(edge, 0) : constant_of(bits);
    #pragma unroll 4
    for (; e < end; e += along)
        to[e] = v;
}
#endif

// Loads the inputs for taps k ... k + n - 1. The item's are those of lane, lane + lane_step,
// ...
static void load_inputs(local vec16 *room, global const ELEM *x, global const ELEM *before,
                        uint k, uint n, uint lane, uint element, const struct task *t)
{
    const struct form f = { t->c.step, t->c.pitch, t->c.columns, t->c.reciprocal };
    const uint tile = t->c.segments * ITEM_OUTPUTS, along = t->c.along;
#if STEP == 0
    const uint unit = f.columns, more = row_of(n + f.columns - 1, &f) * f.columns;
#else
    const uint unit = STEP, more = (n + STEP - 1) / STEP * STEP; // whole steps
#endif
    const uint elements = (t->p.outputs - 1) * unit + more, all = (tile - 1) * unit + more;
    #pragma unroll 1
    for (; lane < t->p.lanes; lane += t->c.lane_step) {
        const struct lane s = find_lane(t->p.lane + lane, t);
        const long origin = t->g.origin + s.phase * t->g.step;
        const long j = origin + (t->p.first * f.step + k) * t->c.apart;
        const long last = j + LANE_INPUT(elements - 1, f) * t->c.apart;
        const bool is_inside = j >= 0 && last < (long)t->g.n;
        global const ELEM *row = x + (t->g.first + (long)s.row * t->g.row_stride);
        local OPERAND *to = (local OPERAND *)(room + lane * t->c.lane_pitch);
        if (STEP == 1 && t->p.by_vectors && is_inside && t->c.is_dense && elements == all) {
            global const ELEM *from = row + j;
            if (((uint)(size_t)from & (sizeof(in_vec) - 1)) == 0) {
                load_vectors(room, from, elements);
                return;
            }
        }
        uint low = 0, known = 0;
#if STEP
        // Steps that are inside.
        low = is_inside ? 0 : (inputs_before(0, j, elements, t) + STEP - 1) / STEP;
        const uint end = (is_inside ? elements : inputs_before(t->g.n, j, elements, t)) / STEP;
        load_steps(to, row + j * t->g.stride, low, element, end, along, f.pitch * VEC_N,
                   t->c.apart * t->g.stride);
        known = end > low ? (end - low) * STEP : 0;
        low *= STEP;
#endif
        uint unknown = elements;
#if STEP == 1
        if (low > 0 && is_flat(t->g.left)) {
            fill_flat(to, element, low, along, t->g.left, t->g.constant_left, row);
            known += low;
            low = 0;
        }
        if (end < elements && is_flat(t->g.right)) {
            fill_flat(to, end + element, elements, along, t->g.right, t->g.constant_right,
                      row + ((long)t->g.n - 1) * t->g.stride);
            unknown = end;
        }
#endif
        if (known < unknown)
            load_any(to, row,
                     before + (t->g.before_first + (long)s.row * t->g.before_row_stride), j,
                     origin, element, unknown, low, known, f, t);
        // Sums that are not written have inputs, too.
        #pragma unroll 1
        for (uint e = elements + element; e < all; e += along)
            to[PLACE(e, f)] = 0;
    }
}

// Loads taps k ... k + n - 1, of each lane where rows have taps of their own.
static void load_taps(local vec16 *room, global const TAP_T *taps, uint k, uint n, uint lane,
                      uint element, const struct task *t)
{
    local TAP_T *to = (local TAP_T *)(room + t->c.taps_at);
    const uint pitch = t->c.tap_pitch;
    taps += t->g.tap_first + k;
    if (pitch == 0) {
        load_row_of_taps(to, taps, get_local_id(0), n, WG);
        return;
    }
    #pragma unroll 1
    for (; lane < t->p.lanes; lane += t->c.lane_step) {
        const ulong row = find_lane(t->p.lane + lane, t).row;
        load_row_of_taps(to + lane * pitch, taps + row * t->g.tap_row, element, n, t->c.along);
    }
}
