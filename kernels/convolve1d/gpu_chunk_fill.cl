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
#if IN_PARTS
    struct cut cut; // of lanes that have this phase
    long cut_phase = -1;
#endif
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
        global const ELEM *past =
            before + (t->g.before_first + (long)s.row * t->g.before_row_stride);
#if IN_PARTS
        if (is_inside) {
            load_steps(to, row + j * t->g.stride, element, elements / STEP, along,
                       f.pitch * VEC_N, t->c.apart * t->g.stride);
        } else {
            if (cut_phase != s.phase)
                cut = find_cut(j, origin, element, elements, t);
            cut_phase = s.phase;
            load_parts(to, row, past, j, origin, element, elements, cut, f, t);
        }
#else
        load_lane(to, row, past, j, origin, is_inside, element, elements, f, t);
#endif
        fill_flat(to, 0, elements + element, all, along, f); // of sums that are not written
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

// Vectors of taps, which are aligned to 16 bytes in local memory.
#if TAP_TYPE == C32
typedef float4 tap_vec;
#define TAP(v, u) ((u) == 0 ? (v).lo : (v).hi)
#elif WIDE_SUMS
typedef struct {
    double2 low, high;
} tap_vec;
#define TAP(v, u) \
    ((u) == 0 ? (v).low.x : (u) == 1 ? (v).low.y : (u) == 2 ? (v).high.x : (v).high.y)
#elif VEC_N == 2
typedef JOIN_NAMES(TAP_T, 2) tap_vec;
#define TAP(v, u) ((u) == 0 ? (v).x : (v).y)
#else
typedef JOIN_NAMES(TAP_T, 4) tap_vec;
#define TAP(v, u) ((u) == 0 ? (v).x : (u) == 1 ? (v).y : (u) == 2 ? (v).z : (v).w)
#endif
