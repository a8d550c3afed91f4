/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on GPUs: short_taps, register_window and tap_chunks. What they have in common is in
 * kernels/convolve1d_words.cl. */
#include "convolve1d.h"

// What one of these kernels is made for. An operand word is 16 bytes: four operands, or two of
// f64 or c32 inputs.
struct form {
    unsigned work_group;
    unsigned words; // of outputs that an item computes; odd where they are read from a tile
    unsigned tiles; // register_window: that a group takes one after the other
    unsigned turns; // tap_chunks: of the ring in a trip
    unsigned trips; // tap_chunks: in a chunk
};

static unsigned operands(const struct convolution *c)
{
    return gp_type_size(c->filter->in) == 8 ? 2 : 4;
}

// Rows without dilation that a row falls into (kernels/convolve1d_words.cl).
static uint64_t strands(const struct gpuprim_filter *f)
{
    return f->dilation > f->stride ? f->dilation : 1;
}

// On CPUs, where these are for the tests alone, large groups take long.
static unsigned group_of(const gpuprim *gp, unsigned work_group)
{
    return gp->caps.is_cpu && work_group > 32 ? 32 : work_group;
}

static uint64_t tile_of(const struct convolution *c, const struct form *form,
                        unsigned work_group)
{
    return (uint64_t)work_group * form->words * operands(c) * form->tiles;
}

// Whether a row has work for a group; a tile that is mostly empty takes as long as a full one.
static bool is_long(const struct convolution *c, const struct form *form)
{
    return c->out.count / strands(c->filter) >= tile_of(c, form, form->work_group) / 4;
}

// Whether these kernels can take it at all.
static bool is_plain(const struct gpuprim_filter *f)
{
    return f->stride == 1 || f->stride == f->dilation;
}

// Taps by value: one row of them, within the room that the device has for arguments. There are
// three pointers besides, and what alignment may take.
static bool by_value(const gpuprim *gp, const struct gpuprim_filter *f)
{
    enum { OTHERS = sizeof(struct convolve_arguments) + 64 };
    return f->rows == 1 && f->taps * f->size <= CONVOLVE_TAPS_PADDING &&
           f->taps * f->size + OTHERS <= gp->caps.max_parameter_bytes;
}

static bool is_worth(const gpuprim *gp, const struct convolution *c, const struct form *form,
                     unsigned least_taps)
{
    return gp_convolve_is_forced(gp) ||
           (!gp->caps.is_cpu && c->filter->taps >= least_taps && is_long(c, form));
}

static void lay_out(const struct convolution *c, const struct form *form, unsigned work_group,
                    uint64_t rows, uint64_t outputs, struct convolve_layout *l)
{
    const uint64_t n = strands(c->filter);
    // The first word of outputs may lack all but one.
    const uint64_t each = gp_divide_up(outputs, n) + operands(c) - 1;
    const uint64_t groups = gp_divide_up(each, tile_of(c, form, work_group)) * n;
    l->row_groups = (uint32_t)groups;
    l->groups = groups * rows;
}

// ---------------------------------------------------------------------------------------
// short_taps

enum { SHORT_TAPS = 17 };

static struct form short_form(const struct convolution *c)
{
    const unsigned most = operands(c) == 2 ? 5 : 9;
    return c->filter->taps <= most ? (struct form){ .work_group = 256, .words = 1, .tiles = 1 }
                                   : (struct form){ .work_group = 128, .words = 2, .tiles = 1 };
}

bool gp_convolve_fits_short(const gpuprim *gp, const void *call)
{
    const struct convolution *c = call;
    const struct gpuprim_filter *f = c->filter;
    const struct form form = short_form(c);
    return f->taps <= SHORT_TAPS && f->stride == 1 && f->dilation == 1 && by_value(gp, f) &&
           c->in.stride == 1 && c->out.stride == 1 && is_worth(gp, c, &form, 1);
}

static void specialise_short(const gpuprim *gp, const struct convolution *c,
                             const struct gp_variant *variant, struct convolve_special *out)
{
    const struct form form = short_form(c);
    (void)variant;
    out->work_group = group_of(gp, form.work_group);
    out->number = (unsigned)c->filter->taps + 512 * form.words;
    out->value_bytes = (unsigned)(c->filter->taps * c->filter->size);
}

static void lay_out_short(const gpuprim *gp, const struct convolution *c,
                          const struct gp_variant *variant, unsigned work_group, uint64_t rows,
                          uint64_t outputs, struct convolve_layout *l)
{
    const struct form form = short_form(c);
    (void)gp, (void)variant;
    lay_out(c, &form, work_group, rows, outputs, l);
}

const struct convolve_shape gp_convolve_short = { specialise_short, lay_out_short, true };

// ---------------------------------------------------------------------------------------
// register_window

enum { WINDOW_TAPS = 260 };

// From prototypes on an H200 (2026-11-20, f32): 33 taps want the next tile on its way, 49 more
// so; from 65 on that loses 5 %. From 129 on groups share long code best when they are large.
static struct form window_form(const struct convolution *c)
{
    const uint64_t taps = c->filter->taps;
    if (operands(c) == 2)
        return (struct form){ .work_group = 128, .words = 3, .tiles = 1 };
    if (taps <= 40)
        return (struct form){ .work_group = 64, .words = 3, .tiles = 2 };
    if (taps <= 56)
        return (struct form){ .work_group = 64, .words = 3, .tiles = 4 };
    if (taps <= 96)
        return (struct form){ .work_group = 128, .words = 5, .tiles = 1 };
    if (taps <= 192)
        return (struct form){ .work_group = 64, .words = 3, .tiles = 1 };
    return (struct form){ .work_group = 256, .words = 3, .tiles = 1 };
}

static bool is_for_window(const gpuprim *gp, const struct gpuprim_filter *f)
{
    return f->taps <= WINDOW_TAPS && is_plain(f) && by_value(gp, f);
}

bool gp_convolve_fits_window(const gpuprim *gp, const void *call)
{
    const struct convolution *c = call;
    const struct form form = window_form(c);
    return is_for_window(gp, c->filter) && is_worth(gp, c, &form, SHORT_TAPS + 1);
}

static void specialise_window(const gpuprim *gp, const struct convolution *c,
                              const struct gp_variant *variant, struct convolve_special *out)
{
    const struct form form = window_form(c);
    (void)variant;
    out->work_group = group_of(gp, form.work_group);
    out->number = (unsigned)c->filter->taps + 512 * form.words + 8192 * form.tiles;
    out->value_bytes = (unsigned)(c->filter->taps * c->filter->size);
}

static void lay_out_window(const gpuprim *gp, const struct convolution *c,
                           const struct gp_variant *variant, unsigned work_group, uint64_t rows,
                           uint64_t outputs, struct convolve_layout *l)
{
    const struct form form = window_form(c);
    (void)gp, (void)variant;
    lay_out(c, &form, work_group, rows, outputs, l);
}

const struct convolve_shape gp_convolve_window = { specialise_window, lay_out_window, true };

// ---------------------------------------------------------------------------------------
// tap_chunks

// About a thousand taps in a chunk: what reading a tile takes is lost among their sums.
static struct form chunks_form(const struct convolution *c)
{
    const bool is_wide_sum = c->filter->taps_type == GPUPRIM_I32 && c->filter->sum_bits > 31;
    if (operands(c) == 2)
        return (struct form){ 128, .words = 3, .tiles = 1, .turns = 4, .trips = 31 };
    if (is_wide_sum)
        return (struct form){ 128, .words = 3, .tiles = 1, .turns = 3, .trips = 21 };
    return (struct form){ 128, .words = 5, .tiles = 1, .turns = 3, .trips = 14 };
}

bool gp_convolve_fits_chunks(const gpuprim *gp, const void *call)
{
    const struct convolution *c = call;
    const struct form form = chunks_form(c);
    // Rows that are too short for a window are left to baseline, which is built already.
    return is_plain(c->filter) && (gp_convolve_is_forced(gp) || !is_for_window(gp, c->filter)) &&
           is_worth(gp, c, &form, SHORT_TAPS + 1);
}

static void specialise_chunks(const gpuprim *gp, const struct convolution *c,
                              const struct gp_variant *variant, struct convolve_special *out)
{
    const struct form form = chunks_form(c);
    (void)variant;
    out->work_group = group_of(gp, form.work_group);
    out->number = form.words + 16 * form.turns + 256 * form.trips;
}

static void lay_out_chunks(const gpuprim *gp, const struct convolution *c,
                           const struct gp_variant *variant, unsigned work_group, uint64_t rows,
                           uint64_t outputs, struct convolve_layout *l)
{
    const struct form form = chunks_form(c);
    (void)gp, (void)variant;
    lay_out(c, &form, work_group, rows, outputs, l);
}

const struct convolve_shape gp_convolve_chunks = { specialise_chunks, lay_out_chunks, true };
