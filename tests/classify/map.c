/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of classify in the map (harness/map.h): every rule, labels, counts or both. Data of
 * floats are even between 0 and 1 and those of integers over the whole type, and thresholds
 * lie there. */
#include "rank.h"
#include "tests/harness/map.h"

#include <math.h>
#include <stdlib.h>

#include "reference/classify/classify.h"

enum { MOST_CASES = 20000 };

static struct gpuprim_classifier_params params; // of the call that was drawn last
static bool more_rows;                          // thresholds of each row's own

// The range of the data.
static double low_of(enum gpuprim_type type)
{
    return rank_is_signed(type) && !rank_is_float(type) ? -ldexp(1, (int)rank_bits(type) - 1)
                                                        : 0;
}

static double width_of(enum gpuprim_type type)
{
    return rank_is_float(type) ? 1 : ldexp(1, (int)rank_bits(type));
}

// ---------------------------------------------------------------------------------------
// Rules

enum spread { EVEN, LOG, CLUSTERED, SPREADS_HERE };
static const char *const spread_names[] = { "even thresholds", "log-spaced thresholds",
                                            "clustered thresholds" };

static double place(enum spread spread, double part)
{
    return spread == EVEN ? part : spread == LOG ? exp2(-24 * (1 - part)) : part / 1000;
}

static uint64_t most_thresholds(enum gpuprim_type type)
{
    return rank_bits(type) == 8 ? 255 : 65534; // labels fit u16, also with the reject value
}

static void draw_thresholds(struct map_draw *draw, enum gpuprim_type type, uint64_t rows,
                            struct map_call *call)
{
    struct check *check = &draw->check;
    const uint64_t n = map_between(draw, 1, most_thresholds(type));
    const enum spread spread = (enum spread)check_below(check, SPREADS_HERE);
    more_rows = rows > 1 && check_once_in(check, 8) && rows * n <= draw->bytes / 64;
    struct gpuprim_thresholds *rule = check_allocate(sizeof *rule);
    *rule = (struct gpuprim_thresholds){
        .values = classify_packed(type, n, more_rows ? rows : 1),
        .closed = (enum gpuprim_closed)check_below(check, 2),
    };
    for (uint64_t row = 0; row < rule->values.rows; row++)
        for (uint64_t k = 0; k < n; k++) {
            const double part = (double)(k + 1) / (double)(n + 1);
            const double value = low_of(type) + width_of(type) * place(spread, part);
            rank_write(&rule->values, row, k, rank_to_bits(type, rank_of_double(type, value)));
        }
    params = (struct gpuprim_classifier_params){ .thresholds = rule, .in = type };
    call->kind = spread_names[spread];
    call->scale = "thresholds";
    call->at = n;
    if (more_rows)
        call->more_read = (double)(rows * n * gp_type_size(type));
}

static void draw_uniform(struct map_draw *draw, enum gpuprim_type type, struct map_call *call)
{
    struct check *check = &draw->check;
    const uint64_t most = rank_bits(type) == 8 ? 255 : type == GPUPRIM_F16 ? 1024 : 65533;
    struct gpuprim_uniform *rule = check_allocate(sizeof *rule);
    *rule = (struct gpuprim_uniform){
        .low = low_of(type),
        .high = low_of(type) + width_of(type),
        .bins = (uint32_t)map_between(draw, 1, most),
        .outside = (enum gpuprim_outside)check_below(check, 3),
        .top_inclusive = (unsigned)check_below(check, 2),
    };
    params = (struct gpuprim_classifier_params){ .uniform = rule, .in = type };
    call->kind = "uniform";
    call->scale = "bins";
    call->at = rule->bins;
}

// Some masks, each of many cases.
static void draw_cases(struct map_draw *draw, enum gpuprim_type type, struct map_call *call)
{
    static const unsigned masks[] = { 1, 1, 1, 3, 32 };
    struct check *check = &draw->check;
    const unsigned n_masks = masks[check_below(check, 5)];
    const uint32_t n = (uint32_t)map_between(draw, 1, n_masks == 32 ? 256 : MOST_CASES);
    uint64_t of[32];
    for (unsigned i = 0; i < n_masks; i++)
        of[i] = (check_random(check) | check_random(check)) & rank_all_bits(type);
    struct gpuprim_case *list = check_allocate(n * sizeof *list);
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t mask = of[check_below(check, n_masks)];
        list[i] = (struct gpuprim_case){ .mask = mask,
                                         .value = check_random(check) & mask,
                                         .label = (uint32_t)check_below(check, 200) };
    }
    struct gpuprim_cases *rule = check_allocate(sizeof *rule);
    *rule = (struct gpuprim_cases){ .list = list, .count = n };
    params = (struct gpuprim_classifier_params){ .cases = rule, .in = type };
    call->kind = n_masks == 1   ? "cases, 1 mask"
                 : n_masks == 3 ? "cases, 3 masks"
                                : "cases, 32 masks";
    call->scale = "cases";
    call->at = n;
}

static void draw_rule(struct map_draw *draw, enum gpuprim_type type, uint64_t rows,
                      struct map_call *call)
{
    static const unsigned weights[] = { 5, 3, 1, 2, 2 }; // the last two of integers
    more_rows = false;
    switch (map_one_of(draw, weights, rank_is_float(type) ? 3 : 5)) {
    case 0:
        draw_thresholds(draw, type, rows, call);
        break;
    case 1:
        draw_uniform(draw, type, call);
        break;
    case 2:
        call->at = 1 + check_below(&draw->check, 16);
        classify_rules(&draw->check, type, (unsigned)call->at, &params);
        call->kind = "rules";
        call->scale = "comparisons";
        break;
    case 3:
        classify_table(&draw->check, type, &params);
        call->kind = "table";
        call->scale = "entries";
        call->at = params.table->labels.count;
        break;
    default:
        draw_cases(draw, type, call);
    }
    if ((params.thresholds || params.uniform) && check_once_in(&draw->check, 8))
        classify_map(&draw->check, &params);
}

// ---------------------------------------------------------------------------------------
// Outputs

static void draw_outputs(struct map_draw *draw, const struct map_shape *in,
                         struct map_call *call)
{
    static const enum gpuprim_type types[] = { GPUPRIM_U8, GPUPRIM_U16, GPUPRIM_U32 };
    struct check *check = &draw->check;
    const uint64_t labels = classify_reference_labels(&params);
    const uint64_t all = labels + classify_reference_rejects(&params, call->in[0].type);
    const unsigned narrowest = all <= 256 ? 0 : 1;
    const unsigned wanted = (unsigned)check_below(check, 4); // 2 counts, 3 both, else labels
    const bool wider = gp_type_size(call->in[0].type) >= 4 && check_once_in(check, 4);
    const struct map_shape out = map_beside(draw, in);
    call->out[0] = map_array(draw, types[wider ? 2 : narrowest], &out);
    call->out[1] = map_packed(check_once_in(check, 2) ? GPUPRIM_U32 : GPUPRIM_U64, labels);
    if (in->rows > 1 && check_once_in(check, 4) && in->rows * labels * 8 <= draw->bytes / 2) {
        call->out[1].rows = in->rows;
        call->out[1].row_stride = (int64_t)labels;
    }
    if (wanted == 2 && labels)
        call->out[0].count = 0;
    if (wanted < 2)
        call->out[1].count = 0;
}

static void draw_call(struct map_draw *draw, struct map_call *call)
{
    const enum gpuprim_type type = map_type(draw, false);
    const size_t size = gp_type_size(type);
    const struct map_shape shape = map_shape(draw, size < 2 ? 2 : size); // labels: u8 or u16
    call->in[0] = map_array(draw, type, &shape);
    draw_rule(draw, type, shape.rows, call);
    draw_outputs(draw, &shape, call);
    call->layout = shape.layout;
    const struct gpuprim_array *labels = &call->out[0], *counts = &call->out[1];
    map_say(call, "%s, %s, %llu %s%s%s", gp_type_name(type), call->kind,
            (unsigned long long)call->at, call->scale, more_rows ? " of each row" : "",
            params.map.count ? ", mapped" : "");
    map_say(call, ", %s%s%s", labels->count ? gp_type_name(labels->type) : "",
            labels->count ? " labels" : "", labels->count && counts->count ? " and " : "");
    if (counts->count)
        map_say(call, "%llu %s counts%s", (unsigned long long)counts->count,
                gp_type_name(counts->type), counts->rows > 1 ? " of each row" : "");
    map_say(call, ", %s", map_layout_names[shape.layout]);
    map_say_array(call, "in", &call->in[0]);
    if (labels->count)
        map_say_array(call, "labels", labels);
}

static void release(struct map_call *call)
{
    (void)call;
    classify_free(&params);
}

// With thresholds of each row's own: those of the first row.
static void flatten(struct map_call *call)
{
    const struct gpuprim_array in = call->in[0], labels = call->out[0], counts = call->out[1];
    call->in[0] = map_packed(in.type, in.rows * in.count);
    if (labels.count)
        call->out[0] = map_packed(labels.type, in.rows * in.count);
    if (counts.count)
        call->out[1] = map_packed(counts.type, counts.count);
    if (more_rows)
        ((struct gpuprim_thresholds *)params.thresholds)->values.rows = 1; // it was allocated
    call->more_read = 0;
}

// ---------------------------------------------------------------------------------------

static int make(gpuprim *gp, const struct map_call *call, void **object)
{
    gpuprim_classifier *classifier = NULL;
    (void)call;
    const int status = gpuprim_classifier_create(gp, &params, &classifier);
    *object = classifier;
    return status;
}

static void destroy(void **object)
{
    gpuprim_classifier *classifier = *object;
    gpuprim_classifier_destroy(&classifier);
    *object = NULL;
}

static int enqueue(gpuprim *gp, void *object, const struct map_call *call,
                   const struct gpuprim_sync *sync)
{
    return gpuprim_classify(gp, object, &call->in[0], call->out[0].count ? &call->out[0] : NULL,
                            call->out[1].count ? &call->out[1] : NULL, sync);
}

static int prepare(gpuprim *gp, void *object, const struct map_call *call)
{
    return gpuprim_classify_prepare(gp, object, &call->in[0],
                                    call->out[0].count ? &call->out[0] : NULL,
                                    call->out[1].count ? &call->out[1] : NULL);
}

const struct map_primitive map_classify = { .draw = draw_call,
                                            .flatten = flatten,
                                            .release = release,
                                            .make = make,
                                            .destroy = destroy,
                                            .enqueue = enqueue,
                                            .prepare = prepare };
