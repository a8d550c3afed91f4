/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on GPUs: gpu_short_taps, gpu_register_window and gpu_tap_chunks. What they have
 * in common is in kernels/convolve1d/words.cl and convolve1d/tile.cl. */
#include "convolve1d.h"

// Kinds of data. An operand word is 16 bytes: four operands, or two of f64 or c32 inputs.
enum data {
    QUADS = 1,     // four operands of 32 bits
    NARROW = 2,    // four, each from an input of 8 or 16 bits
    LONG_SUMS = 4, // four, whose sums take 64 bits each
    PAIRS = 8,     // two operands
    FOURS = QUADS | NARROW | LONG_SUMS
};

// What one of these kernels is made for, and for which filters: the first row of the kernel and
// the kind of data that has as many taps.
struct form {
    const struct convolve_shape *shape;
    unsigned data;
    unsigned most_taps;
    unsigned work_group;
    unsigned words; // of outputs that an item computes; odd where they are read from a tile
    unsigned tiles; // that a group takes one after the other; gpu_register_window alone does
    unsigned
        turns; // of the ring of inputs in a trip (gpu_tap_chunks); turns * (words + 1) <= 24
    unsigned trips; // in a chunk of taps, below 32 (gpu_tap_chunks)
};

// All that is tuned, for each kernel by numbers of taps. H200, driver 580.159, 2026-11-21, Gout/s
// of 2^28 f32 (a copy: 528) by group / words / tiles of gpu_register_window; gpu_short_taps is
// the one of a single word:
//      3 taps  128/1 525, 256/1 519, 64/3/1 520           44 taps  64/3/4 491, 64/3/3 487
//      9       128/1 520, 256/1 511, 64/3/1 522           57       64/5/1 407, 128/5/1 404
//     12       64/3/1 518, 128/1 516, 128/3/1 514         65       64/7/1 385, 64/5/1 374
//     17       64/3/1 522, 128/1 504, 64/3/2 518          72       64/5/1 358, 64/7/1 354
//     28       64/3/2 520, 64/3/1 511                     88       64/5/1 308, 128/5/1 303
//     40       64/3/3 508, 64/3/2 506, 64/3/1 474        129       64/3/1 214, 256/3/1 210
// 257 taps: 256/3/1 106, 128/3/1 103; 1025 by chunks, group / words / turns / trips: 128/5/3/14
// 27.2, 128/5/2/21 26.8, 128/3/4/16 25.7. 9 taps and narrow data want more outputs to an item: f16
// 64/5/1 953, 128/1 680; i16 601, 420. c32, 9 taps: 64/3/1 249, 128/1 244, 128/2 227; 65: 64/3/1
// 103, 128/3/1 101. LONG_SUMS and f64 were not measured, nor narrow data of 8 bits or with other
// numbers of taps than 9 and 65.
// clang-format off
#define SHORT  &gp_convolve_short
#define WINDOW &gp_convolve_window
#define CHUNKS &gp_convolve_chunks
static const struct form forms[] = {
    // kernel  data                     taps up to  group  words  tiles  turns  trips
    { SHORT,  QUADS | LONG_SUMS,                  9,    128,      1,      1,      0,      0 },
    { SHORT,  PAIRS,                              5,    128,      1,      1,      0,      0 },
    { WINDOW, NARROW,                            64,     64,      5,      1,      0,      0 },
    { WINDOW, QUADS | LONG_SUMS,                 24,     64,      3,      1,      0,      0 },
    { WINDOW, QUADS | LONG_SUMS,                 40,     64,      3,      2,      0,      0 },
    { WINDOW, QUADS | LONG_SUMS,                 56,     64,      3,      4,      0,      0 },
    { WINDOW, QUADS | LONG_SUMS,                 64,     64,      5,      1,      0,      0 },
    { WINDOW, QUADS | NARROW,                    68,     64,      7,      1,      0,      0 },
    { WINDOW, FOURS,                             96,     64,      5,      1,      0,      0 },
    { WINDOW, FOURS,                            192,     64,      3,      1,      0,      0 },
    { WINDOW, FOURS,                            260,    256,      3,      1,      0,      0 },
    { WINDOW, PAIRS,                            260,     64,      3,      1,      0,      0 },
    { CHUNKS, QUADS | NARROW,     CONVOLVE_MAX_TAPS,    128,      5,      1,      3,     14 },
    { CHUNKS, LONG_SUMS,          CONVOLVE_MAX_TAPS,    128,      3,      1,      3,     21 },
    { CHUNKS, PAIRS,              CONVOLVE_MAX_TAPS,    128,      3,      1,      4,     31 },
};
// clang-format on

// Below this a filter with steps between its taps or outputs, or with rows of taps, is left to
// baseline.
enum { LEAST_TAPS = 18 };

static unsigned operands(const struct gpuprim_filter *f)
{
    return gp_type_size(f->in) == 8 ? 2 : 4;
}

static enum data data_of(const struct gpuprim_filter *f)
{
    if (operands(f) == 2)
        return PAIRS;
    if (f->taps_type == GPUPRIM_I32 && f->sum_bits > 31)
        return LONG_SUMS;
    return gp_type_size(f->in) < 4 ? NARROW : QUADS;
}

// NULL where there is none.
static const struct form *form_of(const struct convolve_shape *shape,
                                  const struct gpuprim_filter *f)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].shape == shape && (forms[i].data & data_of(f)) &&
            f->taps <= forms[i].most_taps)
            return &forms[i];
    return NULL;
}

// ---------------------------------------------------------------------------------------
// Which one

// Taps by value: one row of them, within the room that the device has for arguments. There are
// three pointers besides, and what alignment may take.
static bool by_value(const gpuprim *gp, const struct gpuprim_filter *f)
{
    enum { OTHERS = sizeof(struct convolve_arguments) + 64 };
    return f->rows == 1 && f->taps * f->size <= CONVOLVE_TAPS_PADDING &&
           f->taps * f->size + OTHERS <= gp->caps.max_parameter_bytes;
}

static bool is_dense(const struct gpuprim_filter *f)
{
    return f->stride == 1 && f->dilation == 1;
}

// Whether the kernel can take the filter at all.
static bool can_take(const gpuprim *gp, const struct convolve_shape *shape,
                     const struct gpuprim_filter *f)
{
    const bool plain = f->stride == 1 || f->stride == f->dilation;
    if (shape == CHUNKS)
        return plain;
    return form_of(shape, f) && by_value(gp, f) && (shape == SHORT ? is_dense(f) : plain);
}

// The kernel for the filter's long calls. NULL: baseline.
static const struct convolve_shape *shape_for(const gpuprim *gp, const struct gpuprim_filter *f)
{
    if (can_take(gp, SHORT, f))
        return SHORT;
    const bool is_worth_it = f->taps >= LEAST_TAPS;
    if (can_take(gp, WINDOW, f) && (is_worth_it || is_dense(f)))
        return WINDOW;
    return can_take(gp, CHUNKS, f) && is_worth_it ? CHUNKS : NULL;
}

// Rows without dilation that a row falls into (kernels/convolve1d/words.cl).
static uint64_t strands(const struct gpuprim_filter *f)
{
    return f->dilation > f->stride ? f->dilation : 1;
}

static uint64_t tile_of(const struct gpuprim_filter *f, const struct form *form,
                        unsigned work_group)
{
    return (uint64_t)work_group * form->words * operands(f) * form->tiles;
}

// Whether a row has work for a group; a tile that is mostly empty takes as long as a full one.
static bool is_long(const struct convolution *c, const struct form *form)
{
    return c->out.count / strands(c->filter) >= tile_of(c->filter, form, form->work_group) / 4;
}

static bool fits(const gpuprim *gp, const struct convolve_shape *shape, const void *call)
{
    const struct convolution *c = call;
    const struct gpuprim_filter *f = c->filter;
    // On a CPU baseline sums in another order, and all variants must sum in the same.
    if (gp->caps.is_cpu || !can_take(gp, shape, f) ||
        (shape == SHORT && (c->in.stride != 1 || c->out.stride != 1)))
        return false;
    return gp_convolve_is_forced(gp) ||
           (shape == shape_for(gp, f) && is_long(c, form_of(shape, f)));
}

bool gp_convolve_fits_short(const gpuprim *gp, const void *call)
{
    return fits(gp, SHORT, call);
}

bool gp_convolve_fits_window(const gpuprim *gp, const void *call)
{
    return fits(gp, WINDOW, call);
}

bool gp_convolve_fits_chunks(const gpuprim *gp, const void *call)
{
    return fits(gp, CHUNKS, call);
}

// ---------------------------------------------------------------------------------------
// How

static void specialise(const gpuprim *gp, const struct convolution *c,
                       const struct gp_variant *variant, struct convolve_special *out)
{
    (void)gp;
    const struct gpuprim_filter *f = c->filter;
    const struct form *form = form_of(variant->ops, f);
    const unsigned taps = (unsigned)f->taps;
    const bool in_chunks = variant->ops == CHUNKS;
    out->work_group = form->work_group;
    // SHAPE, see kernels/convolve1d/tile.cl
    out->number = 512 * form->words +
                  (in_chunks ? form->turns + 8192 * form->trips : taps + 8192 * form->tiles);
    out->value_bytes = in_chunks ? 0 : taps * (unsigned)f->size;
}

static void lay_out(const gpuprim *gp, const struct convolution *c,
                    const struct gp_variant *variant, unsigned work_group, uint64_t rows,
                    uint64_t outputs, struct convolve_layout *l)
{
    const struct gpuprim_filter *f = c->filter;
    const uint64_t tile = tile_of(f, form_of(variant->ops, f), work_group);
    // The first word of outputs may lack all but one.
    const uint64_t each = gp_ceil_div(outputs, strands(f)) + operands(f) - 1;
    const uint64_t groups = gp_ceil_div(each, tile) * strands(f);
    (void)gp;
    l->row_groups = (uint32_t)groups;
    l->groups = groups * rows;
}

const struct convolve_shape gp_convolve_short = { specialise, lay_out };
const struct convolve_shape gp_convolve_window = { specialise, lay_out };
const struct convolve_shape gp_convolve_chunks = { specialise, lay_out };
