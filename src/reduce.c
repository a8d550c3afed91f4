/* SPDX-License-Identifier: Apache-2.0
 *
 * gpuprim_reduce: what a call means, which variant takes it, and how its launches are laid out.
 * The kernels and the drawing of who reads what stand in kernels/reduce*.cl. */
#include "internal.h"

#include <stdio.h>

// A checked call.
struct reduction {
    enum gpuprim_op op;
    struct gp_array in, out;
    enum gpuprim_type sum; // SUM_TYPE of the kernels; 0 = 128 bits
    bool skip_nan;
    unsigned pairs;            // results per row
    int64_t out_row, out_pair; // elements between rows' results, between a row's two
};

// How a piece of `rows` x `count` is laid out on the device.
struct layout {
    uint32_t sets, lanes; // rows that a group takes at once, items on each
    bool across;
    uint64_t slots, share;
};

// Member for member the kernels' struct arguments.
struct reduce_arguments {
    cl_long first, stride, row_stride;
    cl_ulong count, rows, index, total, slots, share, pitch, begin;
    cl_long out_first, out_row, out_pair;
    cl_uint lanes, flags;
};
_Static_assert(sizeof(struct reduce_arguments) == 15 * 8, "no padding, as in the kernels");
enum { DIRECT = 1, ACROSS_ROWS = 2 };

enum {
    ACC_BYTES = 24,          // the kernels' acc, at most
    SCRATCH_BYTES = 1 << 20, // partials of a launch, about
    MAX_GROUPS = 1 << 24,    // of a launch
    CPU_BLOCK = 4096,        // elements; shares of the CPU variant are multiples
    CPU_SHARE = 1 << 16,     // a core's wake-up costs more than this many elements
    LANE_SHARE = 64,         // elements that are worth an item
};

// ---------------------------------------------------------------------------------------
// Variants

// Asked for by name (GPUPRIM_VARIANT, or the tests), a variant takes whatever it can do, worth it
// or not.
static bool is_forced(const gpuprim *gp)
{
    return gp->force_variant[0] != '\0';
}

static bool fits_cpu(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return gp->caps.is_cpu && gp->force_work_group <= 1 && r->in.stride == 1 &&
           (r->in.count >= 16 || is_forced(gp));
}

static bool fits_gpu(const gpuprim *gp, const void *call)
{
    const struct reduction *r = call;
    return r->in.stride == 1 && ((!gp->caps.is_cpu && r->in.count >= 8192) || is_forced(gp));
}

static bool fits_all(const gpuprim *gp, const void *call)
{
    (void)gp, (void)call;
    return true;
}

static const char *const cpu_sources[] = { "reduce_lane.cl", "reduce.cl", "reduce_cpu.cl",
                                           NULL };
static const char *const gpu_sources[] = { "reduce_lane.cl", "reduce.cl", "reduce_gpu.cl",
                                           NULL };
static const char *const baseline_sources[] = { "reduce_lane.cl", "reduce.cl",
                                                "reduce_baseline.cl", NULL };

// First row that fits wins.
static const struct gp_variant variants[] = {
    { "blocks", fits_cpu, cpu_sources, .work_group = 1, .groups_per_unit = 4 },
    { "wide_loads", fits_gpu, gpu_sources, .work_group = 512, .items = 4,
      .groups_per_unit = 16 },
    { "baseline", fits_all, baseline_sources, .work_group = 256, .groups_per_unit = 16 },
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static const struct gp_variant *pick(const gpuprim *gp, const struct reduction *r)
{
    for (unsigned i = 0; i < N_VARIANTS; i++)
        if (gp_variant_allowed(gp, "reduce", variants[i].name) && variants[i].fits(gp, r))
            return &variants[i];
    return NULL;
}

// ---------------------------------------------------------------------------------------
// Checks

static bool is_float(enum gpuprim_type type)
{
    return type == GPUPRIM_F16 || type == GPUPRIM_F32 || type == GPUPRIM_F64;
}

static bool is_signed(enum gpuprim_type type)
{
    return type == GPUPRIM_I8 || type == GPUPRIM_I16 || type == GPUPRIM_I32 ||
           type == GPUPRIM_I64;
}

static enum gpuprim_type accumulator_of(enum gpuprim_type type)
{
    if (type == GPUPRIM_F64)
        return GPUPRIM_F64;
    if (is_float(type))
        return GPUPRIM_F32;
    return is_signed(type) ? GPUPRIM_I64 : GPUPRIM_U64;
}

static enum gpuprim_type result_of(const struct reduction *r)
{
    switch (r->op) {
    case GPUPRIM_SUM:
    case GPUPRIM_PRODUCT:
    case GPUPRIM_SUM_ABS:
    case GPUPRIM_SUM_SQUARES:
        return r->sum;
    case GPUPRIM_ARGMIN:
    case GPUPRIM_ARGMAX:
    case GPUPRIM_COUNT:
        return GPUPRIM_U64;
    case GPUPRIM_ANY:
    case GPUPRIM_ALL:
        return GPUPRIM_U8;
    case GPUPRIM_MEAN:
        return r->in.type == GPUPRIM_F32 && r->sum == GPUPRIM_F32 ? GPUPRIM_F32 : GPUPRIM_F64;
    default:
        return r->in.type;
    }
}

static bool carries_sum(enum gpuprim_op op)
{
    return op == GPUPRIM_SUM || op == GPUPRIM_PRODUCT || op == GPUPRIM_SUM_ABS ||
           op == GPUPRIM_SUM_SQUARES || op == GPUPRIM_MEAN;
}

static int check_params(const struct gpuprim_reduce_params *params, struct reduction *r)
{
    const enum gpuprim_type type = r->in.type;
    if (type == GPUPRIM_C32)
        return gp_fail(GPUPRIM_E_TYPE, "reduce: c32 is not offered");
    if ((r->op == GPUPRIM_AND || r->op == GPUPRIM_OR || r->op == GPUPRIM_XOR) && is_float(type))
        return gp_fail(GPUPRIM_E_TYPE, "reduce: and, or and xor take integers, not %s",
                       gp_type_name(type));
    r->sum = accumulator_of(type);
    if (params->accumulator == GPUPRIM_F64 && is_float(type))
        r->sum = GPUPRIM_F64;
    else if (params->accumulator && params->accumulator != r->sum)
        return gp_fail(GPUPRIM_E_TYPE, "reduce: no %s accumulator for %s",
                       gp_type_name(params->accumulator), gp_type_name(type));
    if (!carries_sum(r->op))
        r->sum = accumulator_of(type);
    r->skip_nan = is_float(type) && params->nan == GPUPRIM_NAN_IGNORE;
    r->pairs = r->op == GPUPRIM_MINMAX ? 2 : 1;
    return GPUPRIM_OK;
}

// The output may stand flat or as one row per row; both come down to two steps.
static int check_out(struct reduction *r, bool described_only)
{
    const struct gp_array *out = &r->out;
    const enum gpuprim_type type = result_of(r);
    if (out->type != type)
        return gp_fail(GPUPRIM_E_TYPE, "reduce: the result of this operation is %s, out is %s",
                       gp_type_name(type), gp_type_name(out->type));
    r->out_pair = out->stride;
    if (out->rows == r->in.rows && out->count == r->pairs)
        r->out_row = out->row_stride;
    else if (out->rows == 1 && out->count / r->pairs == r->in.rows &&
             out->count % r->pairs == 0)
        r->out_row = out->stride * (int64_t)r->pairs;
    else
        return gp_fail(GPUPRIM_E_ARG,
                       "reduce: out has %llu rows of %llu, needed are %llu results for each of "
                       "%llu rows",
                       (unsigned long long)out->rows, (unsigned long long)out->count,
                       (unsigned long long)r->pairs, (unsigned long long)r->in.rows);
    if (!described_only && gp_arrays_overlap(&r->in, out))
        return gp_fail(GPUPRIM_E_ARG, "reduce: in and out overlap");
    return GPUPRIM_OK;
}

static int check(gpuprim *gp, const struct gpuprim_array *in, const struct gpuprim_array *out,
                 const struct gpuprim_reduce_params *params, bool described_only,
                 struct reduction *r)
{
    int status = gp_context_check(gp);
    if (status)
        return status;
    if (!params)
        return gp_fail(GPUPRIM_E_ARG, "reduce: params is NULL");
    if (params->reserved[0] | params->reserved[1] | params->reserved[2] | params->reserved[3])
        return gp_fail(GPUPRIM_E_ARG, "reduce: reserved members of params must be zero");
    if ((unsigned)params->op > GPUPRIM_MEAN)
        return gp_fail(GPUPRIM_E_ARG, "reduce: %d is no operation", (int)params->op);
    if ((unsigned)params->nan > GPUPRIM_NAN_IGNORE)
        return gp_fail(GPUPRIM_E_ARG, "reduce: %d is no NaN policy", (int)params->nan);
    r->op = params->op;
    status = gp_array_resolve(gp, in, "reduce: in", described_only, &r->in);
    if (!status)
        status = gp_array_resolve(gp, out, "reduce: out", described_only, &r->out);
    if (!status)
        status = check_params(params, r);
    if (!status)
        status = check_out(r, described_only);
    if (status)
        return status;
    if (!gp->caps.has_fp64 &&
        (r->in.type == GPUPRIM_F64 || r->sum == GPUPRIM_F64 || r->out.type == GPUPRIM_F64))
        return gp_fail(GPUPRIM_E_UNSUPPORTED, "reduce: %s has no double precision",
                       gp->caps.device);
    // Sums of 2^31 values of 32 bits fill 64; means of more, and of 64-bit values, take 128.
    if (r->op == GPUPRIM_MEAN && !is_float(r->in.type) &&
        (r->in.size == 8 || (r->in.size == 4 && r->in.count > INT32_MAX)))
        r->sum = GPUPRIM_TYPE_INVALID;
    return GPUPRIM_OK;
}

// ---------------------------------------------------------------------------------------
// Programs and layouts

static int program_for(gpuprim *gp, const struct reduction *r, const struct gp_variant *variant,
                       struct gp_program **out)
{
    const uint64_t key = (uint64_t)'r' << 56 | (uint64_t)(variant - variants) << 48 |
                         (uint64_t)r->in.type << 40 | (uint64_t)r->op << 32 |
                         (uint64_t)r->sum << 24 | (uint64_t)r->skip_nan << 20 |
                         gp->force_work_group;
    *out = gp_program_find(gp, key);
    if (*out)
        return GPUPRIM_OK;

    unsigned work_group = variant->work_group;
    if (gp->caps.is_cpu)
        work_group = variant->fits == fits_gpu ? 64 : 1;
    if (gp->force_work_group)
        work_group = gp->force_work_group;
    char preamble[256], name[64];
    snprintf(name, sizeof name, "reduce (%s)", variant->name);
    snprintf(preamble, sizeof preamble,
             "#define TYPE %d\n#define OP %d\n#define SUM_TYPE %d\n#define SKIP_NAN %d\n"
             "#define ITEMS %u\n",
             (int)r->in.type, (int)r->op, (int)r->sum, (int)r->skip_nan, variant->items);
    const struct gp_program_request request = {
        .key = key,
        .name = name,
        .sources = variant->sources,
        .preamble = preamble,
        .kernels = { "reduce_partial", "reduce_fold" },
        .work_group = work_group,
        .exact = gp->force_work_group != 0,
    };
    return gp_program_build(gp, &request, out);
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

// The largest divisor of n that is at most `most`.
static uint32_t divisor_within(uint32_t n, uint64_t most)
{
    uint32_t d = most < n ? (uint32_t)most : n;
    while (n % d)
        d--;
    return d;
}

static uint64_t magnitude(int64_t step)
{
    return step < 0 ? -(uint64_t)step : (uint64_t)step;
}

// How the items of a baseline group are spread over rows and elements (the drawing is in
// kernels/reduce_baseline.cl).
static void spread_items(const struct gp_array *in, uint32_t work_group, struct layout *l)
{
    enum { NEIGHBOURS = 64, ELEMENTS_PER_ITEM = 4 };
    l->across = in->rows > 1 && magnitude(in->row_stride) < magnitude(in->stride);
    if (l->across) {
        l->sets = divisor_within(work_group, in->rows < NEIGHBOURS ? in->rows : NEIGHBOURS);
        l->lanes = work_group / l->sets;
    } else {
        const uint64_t wanted =
            in->rows == 1 ? work_group : divide_up(in->count, ELEMENTS_PER_ITEM);
        l->lanes = divisor_within(work_group, wanted ? wanted : 1);
        l->sets = work_group / l->lanes;
    }
}

// Cuts rows into as many slots as fill the device, none too small to be worth a group.
static struct layout lay_out(const gpuprim *gp, const struct reduction *r,
                             const struct gp_variant *variant, const struct gp_program *program,
                             const struct gp_piece *piece)
{
    struct layout l = { .sets = 1, .lanes = program->work_group };
    if (variant->fits == fits_all)
        spread_items(&r->in, program->work_group, &l);
    const bool blocks = variant->fits == fits_cpu;
    const uint64_t unit = gp->caps.is_cpu ? CPU_SHARE : (uint64_t)l.lanes * LANE_SHARE;
    const uint64_t filling = (uint64_t)gp->caps.compute_units * variant->groups_per_unit;
    const uint64_t row_groups = divide_up(piece->rows, l.sets);
    uint64_t slots = filling / row_groups, most = divide_up(piece->count, unit);
    if (slots > most)
        slots = most;
    if (slots < 1)
        slots = 1;
    l.share = divide_up(piece->count, slots);
    if (slots > 1)
        l.share =
            divide_up(l.share, blocks ? CPU_BLOCK : l.lanes) * (blocks ? CPU_BLOCK : l.lanes);
    l.slots = l.share ? divide_up(piece->count, l.share) : 1;
    return l;
}

// ---------------------------------------------------------------------------------------
// Running

// Everything that stays the same from launch to launch of a call.
struct run {
    struct gp_call call;
    const struct reduction *r;
    const struct gp_variant *variant;
    struct gp_program *program;
    cl_mem partials;
    cl_mem results; // where out is a host array
    struct gp_argument out;
    int64_t out_first, out_row, out_pair; // as the kernels see them
};

static unsigned form_of(const struct gp_argument *in, const struct gp_argument *out)
{
    return (in->is_svm ? GP_SVM_IN : 0u) | (out->is_svm ? GP_SVM_OUT : 0u);
}

// Launches one piece: its partial results, and the fold where there is one to do. `pitch`
// partials are kept per row.
static int run_piece(struct run *run, const struct gp_piece *piece, uint64_t pitch,
                     bool last_of_call)
{
    const struct reduction *r = run->r;
    const struct gp_array *in = &r->in;
    const struct layout l = lay_out(run->call.gp, r, run->variant, run->program, piece);
    const bool whole = piece->count == in->count, direct = whole && l.slots == 1;
    const bool ends_row = piece->element + piece->count == in->count;
    const int64_t row0 = run->results ? 0 : (int64_t)piece->row * run->out_row;
    struct reduce_arguments arguments = {
        .stride = in->stride,
        .row_stride = in->row_stride,
        .count = piece->count,
        .rows = piece->rows,
        .index = piece->element,
        .total = in->count,
        .slots = l.slots,
        .share = l.share,
        .pitch = pitch,
        .begin = piece->element == 0,
        .out_first = run->out_first + row0,
        .out_row = run->out_row,
        .out_pair = run->out_pair,
        .lanes = l.lanes,
        .flags = (direct ? DIRECT : 0u) | (l.across ? ACROSS_ROWS : 0u),
    };
    struct gp_bound x;
    int status = gp_piece_bind(&run->call, in, piece, run->partials, &x);
    if (status)
        return status;
    arguments.first = x.first;

    const unsigned form = form_of(&x.argument, &run->out);
    const unsigned items = run->program->work_group;
    const struct gp_argument partials = { &run->partials, sizeof run->partials, false };
    const struct gp_argument scalars = { &arguments, sizeof arguments, false };
    const struct gp_argument partial[] = { x.argument, partials, run->out, scalars };
    cl_kernel kernel;
    status = gp_program_kernel(run->program, 0, form, "reduce_partial", &kernel);
    if (!status)
        status = gp_launch(&run->call, kernel, divide_up(piece->rows, l.sets) * l.slots, items,
                           partial, 4, direct && last_of_call);
    if (!status && !direct) {
        const struct gp_argument fold[] = { partials, run->out, scalars };
        arguments.flags = ends_row ? DIRECT : 0;
        status = gp_program_kernel(run->program, 1, form & GP_SVM_OUT, "reduce_fold", &kernel);
        if (!status)
            status = gp_launch(&run->call, kernel, piece->rows, items, fold, 3, last_of_call);
    }
    gp_piece_release(&x);
    return status;
}

// Where results go: to the caller's array, or packed to scratch if that is on the host.
static int place_results(struct run *run, uint64_t rows)
{
    const struct reduction *r = run->r;
    if (r->out.memory == GPUPRIM_HOST) {
        run->out = (struct gp_argument){ &run->results, sizeof run->results, false };
        run->out_row = r->pairs;
        run->out_pair = 1;
        return gp_call_memory(&run->call, GP_RESULTS, (size_t)rows * r->pairs * r->out.size,
                              &run->results);
    }
    run->out = r->out.memory == GPUPRIM_SVM
                   ? (struct gp_argument){ r->out.base, 0, true }
                   : (struct gp_argument){ &r->out.base, sizeof r->out.base, false };
    run->out_first = r->out.first;
    run->out_row = r->out_row;
    run->out_pair = r->out_pair;
    return GPUPRIM_OK;
}

// All pieces: rows from the top down, and within the same rows elements from first to last.
static int run_pieces(struct run *run)
{
    const struct reduction *r = run->r;
    const struct gp_array *in = &r->in;
    struct gp_piece largest = gp_piece_largest(run->call.gp, in, MAX_GROUPS);
    const struct layout l = lay_out(run->call.gp, r, run->variant, run->program, &largest);
    const uint64_t pitch = l.slots + 1;
    const bool keeps_partials = l.slots > 1 || largest.count < in->count;
    uint64_t most = keeps_partials ? SCRATCH_BYTES / (pitch * ACC_BYTES) : MAX_GROUPS;
    if (r->out.memory == GPUPRIM_HOST && most > SCRATCH_BYTES)
        most = SCRATCH_BYTES;
    if (largest.rows > most)
        largest.rows = most ? most : 1;
    int status =
        gp_call_memory(&run->call, GP_PARTIALS,
                       keeps_partials ? largest.rows * pitch * ACC_BYTES : 1, &run->partials);
    if (!status)
        status = place_results(run, largest.rows);

    struct gp_piece piece = largest;
    for (piece.row = 0; !status && piece.row < in->rows; piece.row += largest.rows) {
        if (piece.rows > in->rows - piece.row)
            piece.rows = in->rows - piece.row;
        piece.element = 0;
        do {
            const uint64_t left = in->count - piece.element;
            piece.count = largest.count < left ? largest.count : left;
            const bool last = piece.row + piece.rows == in->rows && piece.count == left;
            status = run_piece(run, &piece, pitch, last);
            piece.element += piece.count;
        } while (!status && piece.element < in->count);
        if (!status && !run->call.sync) {
            gp_call_unlock(&run->call);
            if (run->results)
                status = gp_results_read(&run->call, run->results, &r->out, piece.row,
                                         piece.rows, r->pairs, r->out_row, r->out_pair);
            else if (piece.row + piece.rows == in->rows && clFinish(run->call.queue))
                status = gp_fail_cl(CL_OUT_OF_RESOURCES, "clFinish");
            gp_call_lock(&run->call);
        }
    }
    return status;
}

int gpuprim_reduce(gpuprim *gp, const struct gpuprim_array *in, const struct gpuprim_array *out,
                   const struct gpuprim_reduce_params *params, const struct gpuprim_sync *sync)
{
    struct reduction r;
    int status = check(gp, in, out, params, false, &r);
    if (status)
        return status;
    if (sync && (r.in.memory == GPUPRIM_HOST || r.out.memory == GPUPRIM_HOST))
        return gp_fail(GPUPRIM_E_ARG, "reduce: host arrays need a blocking call, without sync");
    struct run run = { .r = &r, .variant = pick(gp, &r) };
    if (!run.variant)
        return gp_fail(GPUPRIM_E_UNSUPPORTED, "reduce: variant %s does not take this call",
                       gp->force_variant);
    status = gp_call_begin(gp, sync, &run.call);
    if (status)
        return status;
    status = program_for(gp, &r, run.variant, &run.program);
    if (!status)
        status = run_pieces(&run);
    return gp_call_end(&run.call, status);
}

int gpuprim_reduce_prepare(gpuprim *gp, const struct gpuprim_array *in,
                           const struct gpuprim_array *out,
                           const struct gpuprim_reduce_params *params)
{
    struct reduction r;
    int status = check(gp, in, out, params, true, &r);
    if (status)
        return status;
    const struct gp_variant *variant = pick(gp, &r);
    if (!variant)
        return gp_fail(GPUPRIM_E_UNSUPPORTED, "reduce: variant %s does not take this call",
                       gp->force_variant);
    struct gp_program *program;
    cl_kernel kernel;
    const unsigned form = (r.in.memory == GPUPRIM_SVM ? GP_SVM_IN : 0u) |
                          (r.out.memory == GPUPRIM_SVM ? GP_SVM_OUT : 0u);
    pthread_mutex_lock(&gp->lock);
    status = program_for(gp, &r, variant, &program);
    if (!status)
        status = gp_program_kernel(program, 0, form, "reduce_partial", &kernel);
    if (!status)
        status = gp_program_kernel(program, 1, form & GP_SVM_OUT, "reduce_fold", &kernel);
    pthread_mutex_unlock(&gp->lock);
    return status;
}

static int describe(gpuprim *gp, char *text, size_t size)
{
    struct reduction r = {
        .op = GPUPRIM_SUM,
        .in = { .type = GPUPRIM_F32, .size = 4, .count = 1 << 26, .rows = 1, .stride = 1 },
        .sum = GPUPRIM_F32,
        .pairs = 1
    };
    const struct gp_variant *variant = pick(gp, &r);
    if (!variant)
        return gp_fail(GPUPRIM_E_UNSUPPORTED, "reduce: no variant takes a plain sum");
    struct gp_program *program;
    pthread_mutex_lock(&gp->lock);
    const int status = program_for(gp, &r, variant, &program);
    pthread_mutex_unlock(&gp->lock);
    if (status)
        return status;
    const struct gp_piece all = { .rows = 1, .count = r.in.count };
    const struct layout l = lay_out(gp, &r, variant, program, &all);
    int n = snprintf(text, size, "sum of 2^26 f32: %s, %llu groups of %u", variant->name,
                     (unsigned long long)l.slots, program->work_group);
    if (n < 0 || (size_t)n >= size)
        return GPUPRIM_OK;
    text += n;
    size -= (size_t)n;
    const char *limit;
    const unsigned percent = gp_occupancy(gp, program, &limit);
    if (gp->caps.is_cpu)
        snprintf(text, size, "; one item per group owns a core's vector unit");
    else if (program->registers)
        snprintf(text, size, "; occupancy about %u %% by %s, %u registers", percent, limit,
                 program->registers);
    else
        snprintf(text, size, "; occupancy about %u %% by %s", percent, limit);
    return GPUPRIM_OK;
}

const struct gp_primitive gp_primitive_reduce = { "reduce", variants, N_VARIANTS, describe };
