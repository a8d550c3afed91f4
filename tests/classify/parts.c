/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: calls on GPUs that are made in two parts, one that gives the labels and one
 * that counts (src/classify/parts.c): which ones, what they give, and when they are done. suite.c
 * runs this file. */
#include "corners.h"

#include "src/classify/classify.h"
#include "tests/harness/shim.h"
#include "tests/harness/threads.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { LOCAL = 49152 }; // bytes of local memory, as NVIDIA's GPUs have

// A model of a GPU that chooses for itself, and takes small calls as large ones.
static gpuprim *make_gpu(struct check *check)
{
    gpuprim *gp = classify_small_gpu(check, LOCAL, 0, "gpu_tiles");
    if (gp) {
        classify_force(gp, "");
        gp->as_if_large = true;
    }
    return gp;
}

// ---------------------------------------------------------------------------------------
// What parts give

static bool case_has_parts(struct check *check, gpuprim *gp, const struct classify_case *test)
{
    struct classify_choice choice;
    gpuprim_classifier *f = classify_unbuilt(check, gp, &test->params);
    if (!f)
        return false;
    struct classification c = gp_classify_packed_call(f, test->count, true, true, &choice);
    c.in.rows = c.labels.rows = test->rows;
    c.in.stride = test->in.stride;
    c.in.row_stride = test->in.row_stride;
    c.labels.stride = test->out.stride;
    c.labels.row_stride = test->out.row_stride;
    if (test->counts_per_row)
        classify_count_each(&c);
    const bool has_parts = gp_classify_has_parts(gp, &c);
    gpuprim_classifier_destroy(&f);
    return has_parts;
}

// Columns with many counts of each, and columns that become rows, or rows that become columns, with
// many counts of all.
static void results(struct check *check, gpuprim *gp)
{
    static const struct {
        enum gpuprim_type type;
        uint32_t bins;
        bool is_each;
    } calls[] = { { GPUPRIM_F32, 100, true },    { GPUPRIM_I32, 700, true },
                  { GPUPRIM_F16, 64, true },     { GPUPRIM_I16, 300, true },
                  { GPUPRIM_I16, 31000, false }, { GPUPRIM_F32, 60000, false } };
    for (unsigned i = 0; i < 2 * COUNT(calls); i++) {
        const bool is_each = calls[i / 2].is_each, to_rows = is_each || i % 2;
        struct classify_case test = { .type = calls[i / 2].type,
                                      .rows = is_each ? 65 + check_below(check, 100)
                                                      : 2 + check_below(check, 100),
                                      .count = 2 + check_below(check, 300) };
        classify_uniform(check, test.type, calls[i / 2].bins, &test.params);
        classify_nan(check, &test.params);
        classify_shuffle(check, gp, &test);
        test.data = FILL_RANDOM;
        test.labels = check_once_in(check, 2) ? GPUPRIM_U16 : GPUPRIM_U32;
        test.counts = check_once_in(check, 2) ? GPUPRIM_U32 : GPUPRIM_U64;
        test.counts_per_row = is_each;
        struct check_layout *const layouts[] = { &test.in, &test.out, &test.counted };
        for (unsigned k = 0; k < COUNT(layouts); k++)
            if (layouts[k]->memory == GPUPRIM_HOST)
                layouts[k]->memory = GPUPRIM_BUFFER;
        const int64_t rows = (int64_t)test.rows, gap = (int64_t)check_below(check, 3);
        test.in.stride = to_rows ? rows + gap : 1;
        test.in.row_stride = to_rows ? 1 : (int64_t)test.count + gap;
        test.out.stride = is_each || !to_rows ? rows : 1;
        test.out.row_stride = is_each || !to_rows ? 1 : (int64_t)test.count;
        CHECK(check, case_has_parts(check, gp, &test), "call %u has no parts", i);
        classify_run(check, gp, &test);
        classify_free(&test.params);
    }
}

// A call whose arrays lie in buffers and in SVM builds nothing after it was prepared, and makes no
// kernel object.
static void prepare_once(struct check *check, gpuprim *gp, const bool is_svm[3])
{
    enum { COLUMNS = 128, EACH_COLUMN = 40, LABELS = 128, BYTES = 1 << 16 };
    const struct gpuprim_uniform rule = { .low = 0, .high = 1, .bins = LABELS };
    const struct gpuprim_classifier_params params = { .in = GPUPRIM_F32, .uniform = &rule };
    const struct gpuprim_sync sync = { .queue = gp->queue };
    struct gpuprim_array arrays[3]; // the input, labels, counts
    gpuprim_classifier *classifier = NULL;
    for (unsigned k = 0; k < 3; k++)
        arrays[k] = (struct gpuprim_array){ .type = k == 0   ? GPUPRIM_F32
                                                    : k == 1 ? GPUPRIM_U8
                                                             : GPUPRIM_U32,
                                            .memory = is_svm[k] ? GPUPRIM_SVM : GPUPRIM_BUFFER,
                                            .rows = COLUMNS,
                                            .count = k == 2 ? LABELS : EACH_COLUMN,
                                            .stride = k == 2 ? 1 : COLUMNS,
                                            .row_stride = k == 2 ? LABELS : 1 };
    int status = gpuprim_classifier_create(gp, &params, &classifier);
    if (!status)
        status = gpuprim_classify_prepare(gp, classifier, &arrays[0], &arrays[1], &arrays[2]);
    for (unsigned k = 0; k < 3; k++) {
        cl_int error;
        arrays[k].base = is_svm[k] ? clSVMAlloc(gp->context, CL_MEM_READ_WRITE, BYTES, 0)
                                   : (void *)clCreateBuffer(gp->context, CL_MEM_READ_WRITE,
                                                            BYTES, NULL, &error);
    }
    shim_fail(-1, 0);
    if (!status)
        status = gpuprim_classify(gp, classifier, &arrays[0], &arrays[1], &arrays[2], &sync);
    const unsigned made = shim_calls_of("clBuild") + shim_calls_of("clCreateKernel");
    clFinish(gp->queue);
    for (unsigned k = 0; k < 3; k++)
        if (is_svm[k])
            clSVMFree(gp->context, arrays[k].base);
        else
            clReleaseMemObject((cl_mem)arrays[k].base);
    gpuprim_classifier_destroy(&classifier);
    check->cases++;
    CHECK(check, !status && made == 0, "SVM %d %d %d: %u objects, %s", is_svm[0], is_svm[1],
          is_svm[2], made, status ? gpuprim_last_error() : "no error");
}

static void prepared(struct check *check, gpuprim *unused)
{
    (void)unused;
    // Each in a context without kernels of earlier calls.
    for (unsigned mix = 0; mix < 8; mix++) {
        const bool is_svm[3] = { mix & 1, mix & 2, mix & 4 };
        gpuprim *gp = make_gpu(check);
        if (gp && (mix == 0 || gp->caps.has_svm))
            prepare_once(check, gp, is_svm);
        gpuprim_destroy(&gp);
    }
}

// ---------------------------------------------------------------------------------------
// Which calls have parts

struct call {
    enum gpuprim_type type;
    unsigned labels;
    uint64_t rows, count;
    bool by_columns, turned, is_each, has_parts;
};

// Whether a call of a table has parts. The device gets the limits of a large GPU.
static bool has_parts(gpuprim *gp, const gpuprim_classifier *classifier,
                      const struct call *call)
{
    struct classify_choice choice;
    struct classification c =
        gp_classify_packed_call(classifier, call->count, true, true, &choice);
    c.in.rows = c.labels.rows = call->rows;
    c.in.row_stride = c.labels.row_stride = (int64_t)call->count;
    if (call->by_columns)
        classify_turn_columns(&c, call->rows, call->count);
    if (call->by_columns && !call->turned) {
        c.labels.stride = (int64_t)call->rows;
        c.labels.row_stride = 1;
    }
    if (call->is_each)
        classify_count_each(&c);
    return gp_classify_has_parts(gp, &c);
}

static gpuprim_classifier *make_bins(struct check *check, gpuprim *gp, enum gpuprim_type type,
                                     unsigned labels)
{
    const struct gpuprim_uniform rule = { .low = 0, .high = 60000, .bins = labels };
    const struct gpuprim_classifier_params params = { .in = type, .uniform = &rule };
    return classify_unbuilt(check, gp, &params);
}

static void choices(struct check *check, gpuprim *gp)
{
    enum { LONG = 1 << 20, FEW = (1 << 22) / 65 };
    static const struct call calls[] = {
        // Columns with counts of each: how many labels, columns and elements.
        { GPUPRIM_F32, 100, 65, LONG, true, false, true, true },
        { GPUPRIM_F32, 99, 65, LONG, true, false, true, false },
        { GPUPRIM_U16, 64, 65, LONG, true, false, true, true },
        { GPUPRIM_U16, 63, 65, LONG, true, false, true, false },
        { GPUPRIM_F64, 1000, 65, LONG, true, false, true, false },
        { GPUPRIM_F32, 100, 64, LONG, true, false, true, false },
        { GPUPRIM_F32, 100, 65, FEW + 1, true, false, true, true },
        { GPUPRIM_F32, 100, 65, FEW, true, false, true, false },
        { GPUPRIM_F32, 100, 65, LONG, true, true, true, false },
        { GPUPRIM_F32, 100, 65, LONG, false, false, true, false },
        { GPUPRIM_F32, 100, 65, LONG, true, false, false, false },
        // Columns that become rows, with counts of all.
        { GPUPRIM_F32, 60000, 65, LONG, true, true, false, true },
        { GPUPRIM_F32, 20000, 65, LONG, true, true, false, false },
        { GPUPRIM_F64, 60000, 65, LONG, true, true, false, false },
        { GPUPRIM_F32, 60000, 65, LONG, false, false, false, false },
        // Columns that lie near, by gpu_words.
        { GPUPRIM_F32, 50000, 4, LONG * 16, true, true, false, false },
    };
    for (unsigned i = 0; i < COUNT(calls); i++) {
        gpuprim_classifier *f = make_bins(check, gp, calls[i].type, calls[i].labels);
        if (!f)
            return;
        check->cases++;
        CHECK(check, has_parts(gp, f, &calls[i]) == calls[i].has_parts, "call %u %s", i,
              calls[i].has_parts ? "has no parts" : "has parts");
        gpuprim_classifier_destroy(&f);
    }
    // Cases of a value are compared or looked up as often as there are parts.
    gpuprim_classifier *table = classify_table_in_turn(check, gp, GPUPRIM_U16, 1 << 16, 200);
    if (!table)
        return;
    const struct call call = { GPUPRIM_U16, 200, 65, LONG, true, false, true, false };
    check->cases++;
    CHECK(check, !has_parts(gp, table, &call), "a table has parts");
    gpuprim_classifier_destroy(&table);
}

// ---------------------------------------------------------------------------------------
// When a call is done

enum { ROWS = 128, EACH = 4000, BINS = 128, ALL = ROWS * EACH };

struct waiting {
    cl_mem from, to, counted;
    float x[ALL];
    uint32_t labels[ALL], counts[ROWS][BINS];
};

// Two calls behind a gate, which are alike. What the first one counts is overwritten between them.
static int call_twice(gpuprim *gp, const struct waiting *w, struct chain *chain)
{
    static const cl_uint poison = 0xa5a5a5a5;
    const struct gpuprim_uniform rule = { .low = 0, .high = BINS, .bins = BINS };
    const struct gpuprim_classifier_params params = { .in = GPUPRIM_F32, .uniform = &rule };
    struct gpuprim_array in = gpuprim_as_rows(gpuprim_buffer(GPUPRIM_F32, w->from, 0, EACH),
                                              ROWS, EACH),
                         labels = gpuprim_as_rows(gpuprim_buffer(GPUPRIM_U32, w->to, 0, EACH),
                                                  ROWS, EACH),
                         counts = gpuprim_as_rows(
                             gpuprim_buffer(GPUPRIM_U32, w->counted, 0, BINS), ROWS, BINS);
    in.stride = labels.stride = ROWS;
    in.row_stride = labels.row_stride = 1;
    gpuprim_classifier *classifier = NULL;
    cl_event poisoned;
    struct gpuprim_sync sync = chain_sync(chain, 0);
    int status = gpuprim_classifier_create(gp, &params, &classifier);
    if (!status)
        status = gpuprim_classify(gp, classifier, &in, &labels, &counts, &sync);
    if (!status && clEnqueueFillBuffer(chain->queue, w->counted, &poison, sizeof poison, 0,
                                       sizeof w->counts, 1, sync.done, &poisoned))
        status = GPUPRIM_E_MEMORY;
    if (!status) {
        sync = chain_sync(chain, 1);
        sync.wait = &poisoned;
        status = gpuprim_classify(gp, classifier, &in, &labels, &counts, &sync);
        clReleaseEvent(poisoned);
    }
    gpuprim_classifier_destroy(&classifier);
    return status;
}

// The first call would be kept after its labels, and the second one would not count, if the launch
// of the labels passed for the whole call.
static void wait_once(struct check *check, gpuprim *gp, bool out_of_order)
{
    static struct waiting w;
    struct chain chain;
    cl_int error[3];
    if (!chain_begin(check, gp, &chain, out_of_order))
        return;
    for (unsigned i = 0; i < ALL; i++)
        w.x[i] = (float)check_below(check, BINS);
    const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    w.from = clCreateBuffer(gp->context, flags, sizeof w.x, w.x, &error[0]);
    w.to = clCreateBuffer(gp->context, flags, sizeof w.labels, w.labels, &error[1]);
    w.counted = clCreateBuffer(gp->context, flags, sizeof w.counts, w.counts, &error[2]);
    CHECK(check, !error[0] && !error[1] && !error[2], "no device memory");
    const int status = call_twice(gp, &w, &chain);
    gate_open(check, &chain.gate);
    check->cases++;
    if (CHECK(check, !status, "%s", gpuprim_last_error())) {
        clWaitForEvents(1, &chain.events[1]);
        clEnqueueReadBuffer(gp->queue, w.counted, CL_TRUE, 0, sizeof w.counts, w.counts, 0,
                            NULL, NULL);
        clEnqueueReadBuffer(gp->queue, w.to, CL_TRUE, 0, sizeof w.labels, w.labels, 0, NULL,
                            NULL);
        clReleaseEvent(chain.events[0]), clReleaseEvent(chain.events[1]);
        unsigned wrong = 0, others = 0;
        for (unsigned i = 0; i < ALL; i++) {
            wrong += w.labels[i] != (unsigned)w.x[i];
            w.counts[i % ROWS][(unsigned)w.x[i]]--;
        }
        for (unsigned i = 0; i < ROWS * BINS; i++)
            others += w.counts[i / BINS][i % BINS] != 0;
        CHECK(check, !wrong && !others, "%s order: %u labels and %u counts are wrong",
              out_of_order ? "out of" : "in", wrong, others);
    }
    clFinish(chain.queue);
    clReleaseCommandQueue(chain.queue);
    clReleaseMemObject(w.from), clReleaseMemObject(w.to), clReleaseMemObject(w.counted);
}

static void events(struct check *check, gpuprim *gp)
{
    wait_once(check, gp, false);
    wait_once(check, gp, true);
}

void classify_parts_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check, gpuprim *gp);
        bool is_built;
    } kinds[] = { { "results", results, true },
                  { "prepared", prepared, true },
                  { "events", events, true },
                  { "choices", choices, false } };
    for (unsigned k = 0; k < COUNT(kinds); k++) {
        if (!check_begin(check, "classify/parts/%s", kinds[k].name))
            continue;
        gpuprim *gp = kinds[k].is_built ? make_gpu(check) : classify_large_gpu(check, 132);
        if (gp && !kinds[k].is_built)
            gp->as_if_large = false;
        if (gp)
            kinds[k].run(check, gp);
        gpuprim_destroy(&gp);
        check_end(check);
    }
}
