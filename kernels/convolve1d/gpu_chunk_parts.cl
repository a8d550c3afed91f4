// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_tap_chunks: what a group computes, which lanes these are, and
// which input stands beyond an end. gpu_tap_chunks.cl says what lanes are.
//
// Macros   those of gpu_vectors.cl
//          ITEM_OUTPUTS   outputs of a segment of a lane

#ifndef ITEM_OUTPUTS
#error "ITEM_OUTPUTS must be defined"
#endif

// What a group computes.
struct part {
    ulong lane;      // its first lane
    long first;      // output of each lane
    uint lanes;      // how many
    uint outputs;    // of each, at most; those that lie behind the row are not written
    uint by_vectors; // a single lane, whose outputs are written as vectors
};

// All that loading and writing need to know.
struct task {
    struct arguments g;
    struct chunk_arguments c;
    struct part p;
};

static struct part find_part(global OUT_T *out, const struct arguments *g,
                             const struct chunk_arguments *c)
{
    struct part p;
    const uint group = get_group_id(0), inner = c->along_lanes ? c->blocks : c->slots;
    const uint outer_at = group / inner, inner_at = group - outer_at * inner;
    const uint block = c->along_lanes ? inner_at : outer_at;
    uint slot = c->along_lanes ? outer_at : inner_at;
    // The last part of a lane goes first: it resolves inputs beyond the end one by one, which
    // the work of the other groups hides.
    slot = (slot ? slot : c->slots) - 1;
    p.lane = (ulong)block * c->together;
    p.lanes = (uint)min((ulong)c->together, c->lanes - p.lane);
    // Of a single lane, the outputs are cut so that vectors of them are aligned.
    const uint low = (uint)(size_t)(out + (g->out_first + (long)p.lane * g->out_row_stride));
    p.by_vectors = c->is_contiguous && low % OUT_BYTES == 0;
    const uint tile = c->segments * ITEM_OUTPUTS;
    p.first = (long)slot * tile - (p.by_vectors ? low / OUT_BYTES % VEC_N : 0);
    // The last part of a cut lane may have none.
    p.outputs = (uint)max(min((long)tile, (long)c->outputs - p.first), 1L);
    return p;
}

// a / b for a below the size of a group, and by = 65536 / b + 1.
static uint quotient(uint a, uint by)
{
    return a * by >> 16;
}

// Of the lanes and elements that a group's items take in turn: an item's first lane, and its
// first element of each.
struct turn {
    uint lane, element;
};

static struct turn find_turn(uint item, uint across, uint along, uint lane_step, uint by_team,
                             uint by_across, const struct chunk_arguments *c)
{
    const uint team = quotient(item, by_team), in_team = item - team * across * along;
    const uint element = quotient(in_team, by_across);
    const bool is_one = team * across < lane_step;
    const struct turn t = {
        is_one ? team * across + in_team - element * across : c->together, element
    };
    return t;
}

static struct turn find_in_turn(uint item, const struct chunk_arguments *c)
{
    return find_turn(item, c->across, c->along, c->lane_step, c->by_team, c->by_across, c);
}

static struct turn find_out_turn(uint item, const struct chunk_arguments *c)
{
    return find_turn(item, c->out_across, c->out_along, c->out_lane_step, c->by_out_team,
                     c->by_out_across, c);
}

// A lane is a phase of a row.
struct lane {
    ulong row;
    long phase; // its output 0 is this output of the row
};

static struct lane find_lane(ulong number, const struct task *t)
{
    struct lane s = { number, 0 };
    if (t->c.phases > 1) {
        const bool is_interleaved = t->c.is_interleaved;
        const ulong inner = is_interleaved ? t->g.rows : t->c.phases;
        const ulong quotient = number / inner, rest = number - quotient * inner;
        s.row = is_interleaved ? rest : quotient;
        s.phase = (long)(is_interleaved ? quotient : rest);
    }
    return s;
}

// a / b, rounded up. Most distances have 32 bits.
static ulong quotient_up(ulong a, uint b)
{
    if (b == 1)
        return a;
    const ulong more = a + b - 1;
    return more >> 32 ? more / b : (uint)more / b;
}

// How many inputs of a lane lie in front of position `end`, which a number below 2^32 says.
static uint inputs_before(long end, long j, uint elements, const struct task *t)
{
    const uint apart = t->c.apart;
    if (end <= j)
        return 0;
    const ulong distance = end - j;
    if (distance > (ulong)(elements - 1) * apart)
        return elements;
    return (uint)quotient_up(distance, apart);
}
