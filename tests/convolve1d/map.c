/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of convolve1d in the map (harness/map.h): types, modes, boundaries, strides,
 * dilations, 1 to 300 taps (a few calls have up to 5000), rows of one's own taps, layouts. */
#include "case.h"
#include "tests/harness/map.h"

#include <stdlib.h>

static struct convolve_case drawn; // the call that was drawn last
static struct gpuprim_array taps;

static const char *const mode_names[] = { "same",  "same upper", "full",
                                          "valid", "causal",     "explicit" };
static const char *const boundary_names[] = { "zero",         "constant",      "edge",
                                              "reflect half", "reflect whole", "wrap",
                                              "history" };

// ---------------------------------------------------------------------------------------
// The filter

// A row of the table of types in gpuprim.h. One half of the calls gives the type of its input.
static void draw_types(struct map_draw *draw)
{
    enum { OUTS = 7 }; // of f32 taps; I64 is the last of i32 taps only
    static const enum gpuprim_type outs[2][OUTS] = {
        { GPUPRIM_I8, GPUPRIM_U8, GPUPRIM_I16, GPUPRIM_U16, GPUPRIM_I32, GPUPRIM_F16,
          GPUPRIM_F32 },
        { GPUPRIM_I8, GPUPRIM_U8, GPUPRIM_I16, GPUPRIM_U16, GPUPRIM_I32, GPUPRIM_I64 }
    };
    struct check *check = &draw->check;
    struct convolve_kind *kind = &drawn.kind;
    do
        kind->in = map_type(draw, true);
    while (kind->in == GPUPRIM_U32 || kind->in == GPUPRIM_I64 || kind->in == GPUPRIM_U64);
    kind->out = kind->in;
    kind->taps = kind->in == GPUPRIM_C32 && check_once_in(check, 2) ? GPUPRIM_F32 : kind->in;
    if (kind->in == GPUPRIM_F64 || kind->in == GPUPRIM_C32)
        return;
    const bool whole =
        kind->in == GPUPRIM_I32 || (kind->in < GPUPRIM_I32 && check_once_in(check, 2));
    kind->taps = whole ? GPUPRIM_I32 : GPUPRIM_F32;
    if (check_once_in(check, 2))
        kind->out = outs[whole][check_below(check, whole ? OUTS - 1 : OUTS)];
}

static void draw_filter(struct map_draw *draw)
{
    struct check *check = &draw->check;
    drawn = (struct convolve_case){ .rows = 1 };
    draw_types(draw);
    struct gpuprim_filter_params *p = &drawn.params;
    const bool whole = drawn.kind.taps == GPUPRIM_I32;
    drawn.small_taps = drawn.kind.in != GPUPRIM_I32 && !check_once_in(check, 4);
    if (whole && check_once_in(check, 2)) // as of images
        drawn.tap_bits = 1 + (unsigned)check_below(check, 12);
    drawn.taps =
        check_once_in(check, 16) ? map_between(draw, 300, 5000) : map_between(draw, 1, 300);
    p->in = drawn.kind.in;
    p->out = drawn.kind.out;
    p->stride = check_once_in(check, 4) ? map_between(draw, 2, 8) : 1;
    p->dilation = check_once_in(check, 4) ? map_between(draw, 2, 32) : 1;
    p->mode = (enum gpuprim_mode)check_below(check, check_once_in(check, 2) ? 1 : 6);
    p->left = (enum gpuprim_boundary)check_below(check, 7);
    p->right = (enum gpuprim_boundary)check_below(check, 6);
    p->correlate = check_once_in(check, 2);
    if (whole) // outputs of all sizes
        p->shift = (unsigned)check_below(check, drawn.tap_bits     ? drawn.tap_bits + 8
                                                : drawn.small_taps ? 24
                                                                   : 48);
    // Calls stay small enough for the memory: no filter is longer than a quarter of it.
    while ((drawn.taps - 1) * p->dilation > draw->bytes / 32)
        if (p->dilation > 1)
            p->dilation /= 2;
        else
            drawn.taps /= 2;
    if (p->left == GPUPRIM_HISTORY && drawn.taps == 1) // which has none
        p->left = GPUPRIM_ZERO;
    if (p->mode == GPUPRIM_EXPLICIT)
        p->offset = (int64_t)check_below(check, (drawn.taps - 1) * p->dilation + 1);
    convolve_constant(&drawn);
}

static uint64_t halo(void)
{
    return (drawn.taps - 1) * drawn.params.dilation;
}

static uint64_t outputs_of(uint64_t n)
{
    uint64_t outputs = n;
    if (drawn.params.mode == GPUPRIM_FULL)
        outputs += halo();
    if (drawn.params.mode == GPUPRIM_VALID)
        outputs -= halo();
    return gp_ceil_div(outputs, drawn.params.stride);
}

// Multiply-adds of real numbers for one output.
static uint64_t work(void)
{
    const unsigned parts = drawn.kind.in != GPUPRIM_C32     ? 1
                           : drawn.kind.taps == GPUPRIM_C32 ? 4
                                                            : 2;
    return drawn.taps * parts;
}

// ---------------------------------------------------------------------------------------
// The arrays

// Takes rows away, or elements of columns, until outputs, histories and multiply-adds are few
// enough.
static void fit(struct map_draw *draw, struct map_shape *in, struct map_shape *out)
{
    const bool keeps_rows = in->layout == MAP_COLUMNS || in->layout == MAP_PITCHED_COLUMNS ||
                            in->layout == MAP_CHANNELS;
    const bool history = drawn.params.left == GPUPRIM_HISTORY;
    const uint64_t size = gp_type_size(drawn.kind.in);
    if (drawn.params.mode == GPUPRIM_VALID && in->count <= halo())
        drawn.params.mode = GPUPRIM_SAME;
    for (;;) {
        out->count = outputs_of(in->count);
        out->rows = in->rows;
        if (in->rows * out->count <= in->most && in->rows * in->count <= in->most &&
            (!history || in->rows * halo() * size <= draw->bytes) &&
            in->rows * out->count * work() <= draw->multiply_adds)
            return;
        if (in->rows == 1 || (keeps_rows && in->count > 1))
            in->count /= 2;
        else
            in->rows /= 2;
        if (drawn.params.mode == GPUPRIM_VALID && in->count <= halo())
            drawn.params.mode = GPUPRIM_SAME;
    }
}

static void draw_taps(struct map_draw *draw)
{
    drawn.taps_per_row =
        check_once_in(&draw->check, 16) && drawn.rows * drawn.taps <= draw->bytes / 64;
    free(taps.base);
    taps = gpuprim_host(drawn.kind.taps, NULL, drawn.taps);
    taps.rows = drawn.taps_per_row ? drawn.rows : 1;
    taps.stride = 1;
    taps.row_stride = drawn.taps_per_row ? (int64_t)drawn.taps : 0;
    taps.base = check_allocate(taps.rows * taps.count * gp_type_size(taps.type));
    convolve_fill_taps(&draw->check, &drawn, &taps);
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
    return b ? divisor(b, a % b) : a;
}

// Whether some inputs may have a sum beyond 32 bits.
static bool has_long_sums(void)
{
    const unsigned bits = 8 * (unsigned)gp_type_size(drawn.kind.in);
    const uint64_t magnitude = gp_type_is_signed(drawn.kind.in) ? (uint64_t)1 << (bits - 1)
                                                                : ((uint64_t)1 << bits) - 1;
    for (uint64_t row = 0; drawn.kind.taps == GPUPRIM_I32 && row < taps.rows; row++) {
        uint64_t sum = 0;
        for (uint64_t k = 0; k < taps.count; k++)
            sum += (uint64_t)llabs(((const int32_t *)taps.base)[row * taps.count + k]);
        if (sum * magnitude > INT32_MAX)
            return true;
    }
    return false;
}

static void set_work(struct map_call *call)
{
    // Outputs meet the positions i * stride - k * dilation: so many residues modulo the stride.
    call->every = drawn.params.stride ? drawn.params.stride : 1;
    call->used = gp_min(drawn.taps, call->every / divisor(call->every, drawn.params.dilation));
    call->multiply_adds =
        (double)call->out[0].rows * (double)call->out[0].count * (double)work();
    call->is_f64 = drawn.kind.in == GPUPRIM_F64;
    call->has_long_sums = has_long_sums();
    call->more_read = (double)(taps.rows * taps.count * gp_type_size(taps.type));
}

static void describe(struct map_call *call)
{
    const struct gpuprim_filter_params *p = &drawn.params;
    call->kind = p->stride > 1 && p->dilation > 1 ? "stride and dilation"
                 : p->stride > 1                  ? "stride"
                 : p->dilation > 1                ? "dilation"
                                                  : map_layout_names[call->layout];
    call->scale = "taps";
    call->at = drawn.taps;
    map_say(call, "%s to %s, %llu %s taps", gp_type_name(p->in), gp_type_name(p->out),
            (unsigned long long)drawn.taps, gp_type_name(drawn.kind.taps));
    if (drawn.tap_bits)
        map_say(call, " of %u bits", drawn.tap_bits);
    else if (drawn.kind.taps == GPUPRIM_I32)
        map_say(call, " with %s sums", drawn.small_taps ? "32-bit" : "64-bit");
    map_say(call, "%s, %s, %s | %s", drawn.taps_per_row ? " for each row" : "",
            mode_names[p->mode], boundary_names[p->left], boundary_names[p->right]);
    if (p->shift)
        map_say(call, ", shift %u", p->shift);
    if (p->stride > 1)
        map_say(call, ", stride %llu", (unsigned long long)p->stride);
    if (p->dilation > 1)
        map_say(call, ", dilation %llu", (unsigned long long)p->dilation);
    map_say(call, "%s, %s", call->out[1].count ? ", history updated" : "",
            map_layout_names[call->layout]);
    map_say_array(call, "in", &call->in[0]);
    map_say_array(call, "out", &call->out[0]);
}

static void draw_call(struct map_draw *draw, struct map_call *call)
{
    draw_filter(draw);
    const size_t from = gp_type_size(drawn.kind.in), to = gp_type_size(drawn.kind.out);
    struct map_shape in = map_shape(draw, from > to ? from : to);
    struct map_shape out = map_beside(draw, &in);
    fit(draw, &in, &out);
    drawn.rows = in.rows;
    draw_taps(draw);
    call->layout = in.layout;
    call->in[0] = map_array(draw, drawn.kind.in, &in);
    call->out[0] = map_array(draw, drawn.kind.out, &out);
    if (drawn.params.left == GPUPRIM_HISTORY) {
        const struct map_shape history = { MAP_ROWS, 1, 0, halo(), in.rows };
        call->in[1] = map_array(draw, drawn.kind.in, &history);
        if (check_once_in(&draw->check, 2)) // what the next block needs
            call->out[1] = map_array(draw, drawn.kind.in, &history);
    }
    set_work(call);
    describe(call);
}

// The same types and number of taps, in one packed row.
static void flatten(struct map_call *call)
{
    const uint64_t n = call->in[0].rows * call->in[0].count;
    const enum gpuprim_type types[] = { call->in[0].type, call->out[0].type };
    drawn.params = (struct gpuprim_filter_params){ .in = types[0],
                                                   .out = types[1],
                                                   .shift = drawn.params.shift };
    drawn.taps_per_row = false;
    taps.rows = 1;
    call->in[0] = map_packed(types[0], n);
    call->out[0] = map_packed(types[1], n);
    call->in[1].count = call->out[1].count = 0;
    set_work(call);
}

// ---------------------------------------------------------------------------------------

static int make(gpuprim *gp, const struct map_call *call, void **object)
{
    gpuprim_filter *filter = NULL;
    (void)call;
    const int status = gpuprim_filter_create(gp, &taps, &drawn.params, &filter);
    *object = filter;
    return status;
}

static void destroy(void **object)
{
    gpuprim_filter *filter = *object;
    gpuprim_filter_destroy(&filter);
    *object = NULL;
}

static int enqueue(gpuprim *gp, void *object, const struct map_call *call,
                   const struct gpuprim_sync *sync)
{
    const struct gpuprim_history history = { .before = call->in[1], .after = call->out[1] };
    return gpuprim_convolve1d(gp, object, &call->in[0], &call->out[0],
                              call->in[1].count ? &history : NULL, sync);
}

static int prepare(gpuprim *gp, void *object, const struct map_call *call)
{
    const struct gpuprim_history history = { .before = call->in[1], .after = call->out[1] };
    return gpuprim_convolve1d_prepare(gp, object, &call->in[0], &call->out[0],
                                      call->in[1].count ? &history : NULL);
}

const struct map_primitive map_convolve1d = { .draw = draw_call,
                                              .flatten = flatten,
                                              .make = make,
                                              .destroy = destroy,
                                              .enqueue = enqueue,
                                              .prepare = prepare };
