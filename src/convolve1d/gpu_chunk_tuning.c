/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_tap_chunks: what an item and a group take. gpu_tap_chunks.c is the
 * variant. */
#include "gpu_chunks.h"

// H200, driver 580.159, 2026-11-22, 2^26 f32, share of the FMA rate by vectors that an item
// computes (WORK_GROUP 128, 18 vectors in a trip):
//                               5 vectors  3      1
//     a row, 257 taps           0.710      0.703
//     columns of 4096, 257      0.548      0.534
//     rows of 1000, 257         0.359      0.396
// 1025 taps on a row 0.83. More room without steps, or sectors of 64 bytes, change nothing or
// are slower. Trips of 6 vectors: 0.80 of the FMA rate with 1025 taps. Calls of the maps with
// seeds 9101 and 9102, 2026-11-23, us by vectors (f32 and f16 with 1, and with step 2 and 5, had
// their taps by value, which takes up to 7 % longer with 3):
//     f16, 246 taps, step 2, rows            1199       1151   1517
//     f32, 299 taps, step 3, 84 columns      2665       435    521
//     f32, 595 taps, step 5, one row                    577    714
//     f32, 282 taps, step 6, 32555 columns              695    607
//     u16, 3584 taps, step 6, 780 columns               14316  11494
//     f64, 1672 taps, step 7, 6 channels                1477   1654
//     c32, 437 real taps, 6 channels         1176       1296
// Since inputs are copied (kernels/convolve1d/gpu_chunk_loads.cl), seeds 9301 and 9303, us:
//     f32, 190 taps, 1964 columns, 5 and 7 vectors     766 before    691
//     f32, 316 taps, long rows, 5 and 7                454           483
//     f64, 190 taps, 7 channels, 3 and 5               864           690
//     f16 (not copied), 621 taps, 57 columns, 5 and 7  6838          6941
//     i32, 265 taps, 64-bit sums, dilation 6, 3 and 5  3687          3445
//     c32, 20 own taps, 45113 columns, 3               260           242
// H200, driver 580.159.04, 2026-11-28, us by 1, 3 and 5 vectors:
//     f64, 4254 taps, step 2, 4 channels       18538  8181  7903
//     f64, 578 taps, step 2, 11926 columns      3085  1505  1506
//     f64, 2537 taps, step 3, 3407 columns     11094  5345  17718
// c32 with a step was not timed, and has one.
// Rows in a small launch of which a group took 42, now few: 17.5, 9.7. Not measured: 5 vectors
// since inputs are copied, or come in whole batches.
enum {
    WORK_GROUP = 128,
    LARGE_GROUP = 160,
    ROOM_VECS = 15,  // of local memory for an item: 30.25 KiB for a group;
    LARGE_VECS = 23, // or 46.25 KiB
    MOST_STEPS = 8,  // more are an argument of the kernel (STEP 0)
    TRIP_VECS = 18,  // most vectors of a trip
};

static unsigned operands_of(const struct gpuprim_filter *f)
{
    return 16 / gp_convolve_operand_bytes(f);
}

static unsigned turns_of(unsigned vectors, unsigned step)
{
    const unsigned turns = TRIP_VECS / ((vectors + 1) * (step ? step : 1));
    return turns ? turns : 1;
}

static const struct {
    unsigned vectors, percent;
} choices[] = { { 7, 97 }, { 5, 100 }, { 3, 104 }, { 1, 180 } };
enum { CHOICES = sizeof choices / sizeof *choices };

double gp_chunk_percent(unsigned vectors)
{
    unsigned i = 0;
    while (i < CHOICES - 1 && choices[i].vectors != vectors)
        i++;
    return choices[i].percent;
}

// Outputs of an item, in vectors. Many: each input that is read goes into many sums. Few: fewer
// slots of a short lane are empty, and a small launch has groups for all compute units. A group
// that is alone on its unit takes ALONE longer than its outputs. `most`: as many as there are
// registers for.
static unsigned vectors_of(const gpuprim *gp, const struct convolve_shape *s,
                           struct chunk_plan p, unsigned most)
{
    enum { ALONE = 8 };
    unsigned best = 1;
    uint64_t lowest = UINT64_MAX;
    for (unsigned i = 0; i < CHOICES; i++) {
        const unsigned outputs = choices[i].vectors * p.vec;
        struct chunk_arguments c;
        p.item_outputs = outputs;
        gp_chunk_share_lanes(gp, s, &p, WORK_GROUP, WORK_GROUP, &c);
        const uint64_t slots = gp_ceil_div(p.outputs, (uint64_t)c.segments * outputs);
        const uint64_t groups = slots * gp_ceil_div(p.lanes, c.together);
        const uint64_t shared =
            gp_ceil_div(groups, gp->caps.compute_units) * outputs * choices[i].percent;
        const uint64_t alone = 100 * (outputs + ALONE);
        const uint64_t cost = shared > alone ? shared : alone;
        if (choices[i].vectors <= most && cost < lowest) {
            lowest = cost;
            best = choices[i].vectors;
        }
    }
    return best;
}

// Items of a group. The outputs of a lane that are a few more than those of 128 items would go to
// two groups, both with half-empty warps; and where many lanes lie side by side, 128 items may be
// few for whole numbers of segments. Where groups are few, smaller ones share the compute units
// more evenly. u16, 1010 taps, stride 2, dilation 11, rows of 27240, whose lanes have 146
// segments, takes six warps for a lane by groups of 128, and five by groups of 160: 7117 us, by
// gpu_tile 19665 (H100, driver 580.159.04, 2026-11-27).
static unsigned group_of(const gpuprim *gp, const struct convolve_shape *s,
                         const struct chunk_plan *p)
{
    enum { MANY_GROUPS = 16 }; // of a compute unit
    static const unsigned sizes[] = { WORK_GROUP, LARGE_GROUP };
    const uint64_t width = gp->caps.width;
    uint64_t groups[2], warps[2];
    for (unsigned i = 0; i < 2; i++) {
        struct chunk_arguments c;
        gp_chunk_share_lanes(gp, s, p, sizes[i], sizes[i], &c);
        groups[i] = gp_ceil_div(p->outputs, (uint64_t)c.segments * p->item_outputs) *
                    gp_ceil_div(p->lanes, c.together);
        warps[i] = groups[i] * gp_ceil_div((uint64_t)c.segments * c.together, width);
    }
    const uint64_t room = gp_min(gp->caps.local_bytes, CONVOLVE_LOCAL_BYTES);
    const bool has_room = (LARGE_GROUP * p->room_vecs + CHUNK_ROOM_REST) * 16 <= room;
    return has_room && LARGE_GROUP % width == 0 && 11 * warps[1] < 10 * warps[0] &&
                   groups[1] >= (uint64_t)MANY_GROUPS * gp->caps.compute_units
               ? LARGE_GROUP
               : WORK_GROUP;
}

// Of local memory for an item. Where windows take most registers, groups are few: they have more
// room each.
static unsigned room_of(const gpuprim *gp, const struct convolve_shape *s)
{
    const bool has_room =
        gp->caps.local_bytes >= (WORK_GROUP * LARGE_VECS + CHUNK_ROOM_REST) * 16;
    const bool is_large = s->step >= 4 && s->step <= MOST_STEPS && s->filter->taps > 1;
    return is_large && has_room ? LARGE_VECS : ROOM_VECS;
}

// A window takes registers for each residue of a step. So many vectors of each, and one of those
// that follow, must have room. Lanes side by side have more loads to share.
static unsigned most_vectors(const struct chunk_plan *p, const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    const bool is_beside = s->channels > 1 || p->phases > 1;
    if (p->step == 0)
        return 1;
    const bool has_room = p->step < 6 && 3 * p->step < p->room_vecs;
    if (p->step > 1)
        return has_room && (p->vec == 4 || f->in == GPUPRIM_F64) ? 3 : 1;
    return is_beside && gp_type_size(f->in) == 4 && !gp_convolve_has_long_sums(f) ? 7 : 5;
}

struct chunk_plan gp_chunk_plan(const gpuprim *gp, const struct convolve_shape *s)
{
    const struct gpuprim_filter *f = s->filter;
    struct chunk_plan p = { .vec = operands_of(f), .apart = f->dilation };
    p.phases = gp_min(s->phases, s->outputs);
    p.step = s->step <= MOST_STEPS ? (unsigned)s->step : 0;
    if (f->taps == 1) { // outputs need no inputs between theirs
        p.phases = p.step = 1;
        p.apart = f->stride;
    }
    p.outputs = gp_ceil_div(s->outputs, p.phases);
    p.lanes = s->rows * p.phases;
    p.room_vecs = room_of(gp, s);
    p.vectors = vectors_of(gp, s, p, most_vectors(&p, s));
    p.turns = turns_of(p.vectors, p.step);
    p.item_outputs = p.vectors * p.vec;
    p.group = group_of(gp, s, &p);
    return p;
}
