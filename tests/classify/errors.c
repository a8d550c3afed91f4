/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: every documented error, provoked once. Each must return its code and a
 * message that names the function and what is wrong, and must not change outputs and pointers.
 * Errors of creation are in refusals.c. suite.c runs this file. */
#include "errors.h"

#include <string.h>

// A variant that does not exist: classifiers are made without their programs. Refusals come
// before programs are built; only right calls need one.
static const char build_nothing[] = "classify:none";

static void paint(struct fixture *f)
{
    memset(f->labels, CANARY, sizeof f->labels);
    for (int i = 0; i < 2 * N; i++)
        f->counts[i] = CANARY;
}

static void fixture_make(struct fixture *f)
{
    for (int i = 0; i < N; i++) {
        f->x[i] = (float)i;
        f->u[i] = (uint16_t)i;
    }
    for (int k = 0; k < T; k++)
        f->t[k] = (float)(2 * k);
    for (int i = 0; i < ENTRIES; i++)
        f->table[i] = (uint8_t)(i % 3);
    for (uint32_t i = 0; i <= T; i++)
        f->map[i] = T - i;
    for (uint32_t i = 0; i < 4; i++)
        f->cases[i] = (struct gpuprim_case){ .mask = 3, .value = i, .label = i };
    paint(f);
}

void right(struct fixture *f, enum rule rule, struct wrong *w)
{
    *w = (struct wrong){ .what = "nothing", .named = "", .params.in = GPUPRIM_F32 };
    w->in = gpuprim_host(GPUPRIM_F32, f->x, N);
    w->labels = gpuprim_host(GPUPRIM_U8, f->labels, N);
    w->counts = gpuprim_host(GPUPRIM_U64, f->counts, T + 1);
    w->thresholds.values = gpuprim_host(GPUPRIM_F32, f->t, T);
    w->uniform = (struct gpuprim_uniform){ .high = 8, .bins = T + 1 };
    w->table.labels = gpuprim_host(GPUPRIM_U8, f->table, ENTRIES);
    w->cases = (struct gpuprim_cases){ .list = f->cases, .count = 4 };
    w->rules = (struct gpuprim_rules){ .values = gpuprim_host(GPUPRIM_F32, f->t, 3),
                                       .comparisons = f->comparisons,
                                       .labels = w->table.labels };
    w->params.thresholds = rule == THRESHOLDS ? &w->thresholds : NULL;
    w->params.uniform = rule == UNIFORM ? &w->uniform : NULL;
    w->params.table = rule == TABLE ? &w->table : NULL;
    w->params.cases = rule == CASES ? &w->cases : NULL;
    w->params.rules = rule == RULES ? &w->rules : NULL;
    if (rule == TABLE || rule == CASES) {
        w->params.in = GPUPRIM_U16;
        w->in = gpuprim_host(GPUPRIM_U16, f->u, N);
    }
}

// Whether `call` is the name of a function, with which the message must begin.
static bool is_function(const char *call)
{
    return strncmp(call, "gpuprim_", 8) == 0;
}

static void judge(struct fixture *f, const struct wrong *w, int status, const char *call)
{
    const char *message = gpuprim_last_error();
    f->check->cases++;
    CHECK(f->check, status == w->expected, "%s: %s gives %d instead of %d (%s)", w->what, call,
          status, w->expected, message);
    if (status)
        CHECK(f->check,
              strstr(message, w->named) &&
                  (!is_function(call) || strstr(message, call) == message),
              "%s: the message of %s does not begin with that or does not name '%s': %s",
              w->what, call, w->named, message);
    for (int i = 0; status && i < 2 * N; i++)
        if (!CHECK(f->check, f->labels[i] == CANARY && f->counts[i] == CANARY,
                   "%s: labels or counts were written", w->what))
            break;
}

void bad_classifier(struct fixture *f, const struct wrong *w)
{
    gpuprim_classifier *const untouched = (gpuprim_classifier *)(void *)f;
    gpuprim_classifier *made = untouched;
    const int status =
        gpuprim_classifier_create(f->gp, w->no_params ? NULL : &w->params, &made);
    judge(f, w, status, "gpuprim_classifier_create");
    CHECK(f->check, (made == untouched) == (status != GPUPRIM_OK),
          "%s: the pointer to the classifier", w->what);
    if (made != untouched)
        gpuprim_classifier_destroy(&made);
}

// gpuprim_classify_prepare does not look at pointers, so that it does not refuse what is wrong
// with them alone.
static bool is_wrong_for_prepare(const struct wrong *w)
{
    return w->expected && w->in.base && !strstr(w->named, "overlap") &&
           !((uintptr_t)w->in.base & 1);
}

void bad_call(struct fixture *f, const struct wrong *w)
{
    gpuprim_classifier *made = NULL;
    paint(f);
    if (!CHECK(f->check, !gpuprim_classifier_create(f->gp, &w->params, &made), "%s: %s",
               w->what, gpuprim_last_error()))
        return;
    const gpuprim_classifier *classifier = w->no_classifier ? NULL : made;
    const struct gpuprim_array *in = w->no_in ? NULL : &w->in,
                               *labels = w->no_labels ? NULL : &w->labels,
                               *counts = w->no_counts ? NULL : &w->counts;
    if (is_wrong_for_prepare(w))
        judge(f, w, gpuprim_classify_prepare(f->gp, classifier, in, labels, counts),
              "gpuprim_classify_prepare");
    if (w->expected == GPUPRIM_OK)
        f->gp->force_variant[0] = '\0';
    judge(f, w, gpuprim_classify(f->gp, classifier, in, labels, counts, NULL),
          "gpuprim_classify");
    strcpy(f->gp->force_variant, build_nothing);
    gpuprim_classifier_destroy(&made);
    CHECK(f->check, made == NULL, "destroy leaves the pointer");
}

// ---------------------------------------------------------------------------------------

static void calls(struct fixture *f)
{
    CALL(THRESHOLDS, (void)0, OK, "");
    CALL(THRESHOLDS, w.no_classifier = true, E_ARG, "classifier");
    CALL(THRESHOLDS, w.no_in = true, E_ARG, "in");
    CALL(THRESHOLDS, (w.no_labels = true, w.no_counts = true), E_ARG, "labels");
    CALL(THRESHOLDS, w.no_counts = true, OK, "");
    CALL(THRESHOLDS, w.no_labels = true, OK, "");
    CALL(THRESHOLDS, w.in.type = GPUPRIM_I32, E_TYPE, "i32");
    CALL(THRESHOLDS, w.labels.type = GPUPRIM_I8, E_TYPE, "labels");
    CALL(THRESHOLDS, (w.labels = gpuprim_host(GPUPRIM_U64, f->counts, N), w.no_counts = true),
         E_TYPE, "labels");
    CALL(THRESHOLDS, w.counts.type = GPUPRIM_U16, E_TYPE, "counts");
    CALL(THRESHOLDS, w.counts.type = GPUPRIM_I64, E_TYPE, "counts");
    CALL(THRESHOLDS, w.labels.count = N - 1, E_ARG, "labels");
    CALL(THRESHOLDS, w.in.rows = 2, E_ARG, "rows");
    CALL(THRESHOLDS, w.counts.count = T, E_ARG, "counts");
    CALL(THRESHOLDS, w.counts.count = T + 2, E_ARG, "counts");
    CALL(THRESHOLDS, w.counts.rows = 2, E_ARG, "counts");
    CALL(THRESHOLDS, w.in.reserved[0] = 1, E_ARG, "reserved");
    CALL(THRESHOLDS, w.in.base = NULL, E_ARG, "in");
    CALL(THRESHOLDS, w.in.base = (char *)f->x + 1, E_ARG, "in");
    CALL(THRESHOLDS, w.labels.base = f->x, E_ARG, "overlap");
    CALL(THRESHOLDS, w.counts.base = f->x, E_ARG, "overlap");
    CALL(THRESHOLDS, w.labels.base = f->counts + T, E_ARG, "overlap");
    // Three rows of thresholds for one row of data.
    CALL(THRESHOLDS,
         (w.thresholds.values.count = 1, w.thresholds.values.rows = 3, w.counts.count = 2),
         E_ARG, "rows");
}

// All ones mean rejected, so that they must not be a label where an element may be rejected.
static void narrow(struct fixture *f)
{
    static float many[256];
    static uint8_t labels[2 * N]; // not looked at
    for (int k = 0; k < 256; k++)
        many[k] = (float)k;
#define MANY(n)                                                                                \
    w.thresholds.values = gpuprim_host(GPUPRIM_F32, many, n), w.labels.base = labels,          \
    w.no_counts = true
    CALL(THRESHOLDS, (MANY(255)), OK, "");
    CALL(THRESHOLDS, (MANY(256)), E_ARG, "labels");
    CALL(THRESHOLDS, (MANY(255), w.params.nan = GPUPRIM_NAN_REJECTED), E_ARG, "labels");
    CALL(THRESHOLDS, (MANY(254), w.params.nan = GPUPRIM_NAN_REJECTED), OK, "");
    f->cases[1].label = 255;
    CALL(CASES, (w.no_counts = true, w.labels.base = labels), OK, "");
    CALL(CASES, (w.no_counts = true, w.cases.otherwise = GPUPRIM_REJECT, w.cases.count = 3),
         E_ARG, "labels");
    f->cases[1].label = 1;
}

static void edges(struct fixture *f)
{
    struct wrong w;
    right(f, UNIFORM, &w);
    float e[T + 3];
    struct gpuprim_array out = gpuprim_host(GPUPRIM_F32, e, T + 2);
    gpuprim_classifier *uniform = NULL, *other = NULL;
    gpuprim_classifier_create(f->gp, &w.params, &uniform);
    right(f, THRESHOLDS, &w);
    gpuprim_classifier_create(f->gp, &w.params, &other);
#define EDGES(classifier, status, message)                                                     \
    do {                                                                                       \
        w.what = "edges, line " #status " " message;                                           \
        w.named = message;                                                                     \
        w.expected = GPUPRIM_##status;                                                         \
        e[0] = CANARY;                                                                         \
        judge(f, &w, gpuprim_classifier_edges(classifier, &out), "gpuprim_classifier_edges");  \
        CHECK(f->check, (e[0] == (float)CANARY) == (w.expected != 0),                          \
              "edges: written or not");                                                        \
    } while (0)
    EDGES(uniform, OK, "");
    EDGES(NULL, E_ARG, "classifier");
    EDGES(other, E_ARG, "uniform");
    out.count = T + 1;
    EDGES(uniform, E_ARG, "edges");
    out.count = T + 3;
    EDGES(uniform, E_ARG, "edges");
    out.count = T + 2;
    out.type = GPUPRIM_I32;
    EDGES(uniform, E_TYPE, "edges");
    cl_int error;
    cl_mem memory = clCreateBuffer(f->gp->context, CL_MEM_READ_WRITE, sizeof e, NULL, &error);
    out = gpuprim_buffer(GPUPRIM_F32, memory, 0, T + 2);
    EDGES(uniform, E_ARG, "edges");
    clReleaseMemObject(memory);
    w.expected = GPUPRIM_E_ARG;
    judge(f, &w, gpuprim_classifier_edges(uniform, NULL), "edges");
    gpuprim_classifier_destroy(&uniform);
    gpuprim_classifier_destroy(&other);
}

// Errors of contexts, queues and memory.
static void others(struct fixture *f)
{
    struct wrong w;
    right(f, THRESHOLDS, &w);
    gpuprim_classifier *made = NULL;
    const struct gpuprim_sync sync = { .queue = f->gp->queue };
    cl_int error;
    cl_mem memory =
        clCreateBuffer(f->gp->context, CL_MEM_READ_WRITE, sizeof f->x, NULL, &error);
    const struct gpuprim_array out_of_it = gpuprim_buffer(GPUPRIM_F32, memory, 1, N);
    paint(f);
    gpuprim_classifier_create(f->gp, &w.params, &made);
#define TRY(call, status, message)                                                             \
    do {                                                                                       \
        w.what = #call;                                                                        \
        w.named = message;                                                                     \
        w.expected = GPUPRIM_##status;                                                         \
        judge(f, &w, call, "this");                                                            \
    } while (0)
    TRY(gpuprim_classify(f->other, made, &w.in, &w.labels, NULL, NULL), E_ARG, "context");
    TRY(gpuprim_classify(NULL, made, &w.in, &w.labels, NULL, NULL), E_ARG, "");
    TRY(gpuprim_classify(f->gp, made, &w.in, &w.labels, NULL, &sync), E_ARG, "host");
    TRY(gpuprim_classify(f->gp, made, &out_of_it, &w.labels, NULL, NULL), E_RANGE, "in");
    const struct gpuprim_array rows_of_none = {
        .type = GPUPRIM_F32, .base = f->x, .rows = UINT64_MAX, .row_stride = 1
    };
    f->gp->force_variant[0] = '\0';
    TRY(gpuprim_classify(f->gp, made, &rows_of_none, NULL, &w.counts, NULL), OK, "");
    paint(f);
    TRY(gpuprim_classifier_create(NULL, &w.params, &made), E_ARG, "");
    TRY(gpuprim_classifier_create(f->gp, &w.params, NULL), E_ARG, "");
    w.thresholds.values = out_of_it;
    w.thresholds.values.count = N;
    TRY(gpuprim_classifier_create(f->gp, &w.params, &made), E_RANGE, "values");
    gpuprim_classifier_destroy(&made);
    gpuprim_classifier_destroy(&made);
    gpuprim_classifier_destroy(NULL);
    clReleaseMemObject(memory);
}

void classify_errors_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct fixture *f);
    } tests[] = { { "thresholds", classify_bad_thresholds },
                  { "order", classify_bad_order },
                  { "uniform", classify_bad_uniform },
                  { "tables", classify_bad_tables },
                  { "cases", classify_bad_cases },
                  { "calls", calls },
                  { "narrow", narrow },
                  { "edges", edges },
                  { "others", others } };
    static struct fixture f;
    for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++)
        if (check_begin(check, "classify/errors/%s", tests[i].name)) {
            f = (struct fixture){ .check = check };
            fixture_make(&f);
            f.gp = check_context(check, NULL, 0);
            f.other = check_context(check, NULL, 0);
            if (f.gp)
                strcpy(f.gp->force_variant, build_nothing);
            if (f.gp && f.other)
                tests[i].run(&f);
            gpuprim_destroy(&f.gp);
            gpuprim_destroy(&f.other);
            check_end(check);
        }
}
