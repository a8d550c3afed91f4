// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_tap_chunks: how results get out of local memory, where a
// lane's lie one behind the other.
//
// Macros   those of gpu_chunk_parts.cl

// The outputs of a single lane, whose vectors lie aligned: whole ones, and what is left of the
// first and of the last one.
static void write_vectors(global OUT_T *out, local const out_vec *results, const struct task *t)
{
    const uint item = get_local_id(0);
    const long first = t->p.first;
    global OUT_T *to = out + (t->g.out_first + (long)t->p.lane * t->g.out_row_stride + first);
    const uint low = first < 0 ? (uint)-first : 0;
    const uint high = (uint)clamp((long)t->c.outputs - first, 0L, (long)t->p.outputs);
    const uint begin = (low + VEC_N - 1) / VEC_N, end = high / VEC_N;
    for (uint i = begin + item; i < end; i += WG)
        ((global out_vec *)to)[i] = results[i];
    // A group may have fewer items than there are elements in a part of a vector.
    #pragma unroll 1
    for (uint e = low + item; e < min(begin * VEC_N, high); e += WG)
        COPY(to + e, 0, results, e);
    #pragma unroll 1
    for (uint e = max(end, begin) * VEC_N + item; e < high; e += WG)
        COPY(to + e, 0, results, e);
}

static void write_part(global OUT_T *out, local const out_vec *results, const struct task *t)
{
    const struct turn turn = find_out_turn(get_local_id(0), &t->c);
    const uint element = turn.element;
    const long first = t->p.first;
    const uint outputs = t->p.outputs, along = t->c.out_along;
    if (t->p.by_vectors) {
        write_vectors(out, results, t);
        return;
    }
    const long phases = t->c.phases, by = along * phases * t->g.out_stride;
    #pragma unroll 1
    for (uint lane = turn.lane; lane < t->p.lanes; lane += t->c.out_lane_step) {
        const struct lane s = find_lane(t->p.lane + lane, t);
        const long i = s.phase + (first + element) * phases;
        global OUT_T *to = out + (t->g.out_first + (long)s.row * t->g.out_row_stride +
                                  i * t->g.out_stride);
        local const out_vec *from = results + lane * t->c.out_pitch;
        // The first of a cut lane lie in front of the row, the last behind it.
        const uint low = first < 0 ? (uint)-first : 0;
        const bool is_longer = s.phase + ((long)t->c.outputs - 1) * phases < (long)t->g.outputs;
        const uint high =
            (uint)clamp((long)t->c.outputs - !is_longer - first, 0L, (long)outputs);
        uint e = element;
        #pragma unroll 1
        for (; e < low; e += along)
            to += by;
        #pragma unroll 1
        for (; e + 3 * along < high; e += 4 * along) {
            #pragma unroll
            for (uint u = 0; u < 4; u++, to += by)
                COPY(to, 0, from, e + u * along);
        }
        #pragma unroll 1
        for (; e < high; e += along, to += by)
            COPY(to, 0, from, e);
    }
}
