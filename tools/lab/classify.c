/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows B2-classify and B3-classify of the lab: gpuprim_classify against the improved kernels of
 * B2 and B3 (branches.c).
 */
#include "branches.h"

// The chain of B2.
static int make_cases(gpuprim *gp, gpuprim_classifier **classifier)
{
    // clang-format off
    static const struct gpuprim_case cases[] = {
        { 0x03, 0x00,  0 }, { 0x03, 0x01,  1 }, { 0x1f, 0x02,  2 },
        { 0x1f, 0x06,  3 }, { 0x1f, 0x0a,  4 }, { 0x1f, 0x0e,  5 },
        { 0x1f, 0x12,  6 }, { 0x1f, 0x16,  7 }, { 0x1f, 0x1a,  8 },
        { 0x1f, 0x1e,  9 }, { 0x1f, 0x03, 10 }, { 0x1f, 0x07, 11 },
        { 0x1f, 0x0b, 12 }, { 0x1f, 0x0f, 13 },
    };
    // clang-format on
    const struct gpuprim_cases rule = { .list = cases,
                                        .count = sizeof cases / sizeof cases[0],
                                        .otherwise = 14 };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = GPUPRIM_U32 };
    return gpuprim_classifier_create(gp, &params, classifier);
}

// The slots of B3 descend where classes ascend; the map reverses the order.
static int make_thresholds(gpuprim *gp, gpuprim_classifier **classifier)
{
    static const uint8_t slots[LAB_BOUNDS + 1] = { 5, 4, 3, 2, 1, 0 };
    const struct gpuprim_thresholds rule = {
        .values = gpuprim_host(GPUPRIM_F32, lab_bounds, LAB_BOUNDS),
        .closed = GPUPRIM_CLOSED_LEFT,
    };
    const struct gpuprim_classifier_params params = {
        .thresholds = &rule,
        .nan = GPUPRIM_NAN_CLASS,
        .nan_class = 0, // this class, before the map, lies below every bound
        .map = gpuprim_host(GPUPRIM_U8, slots, LAB_BOUNDS + 1),
    };
    return gpuprim_classifier_create(gp, &params, classifier);
}

struct library {
    gpuprim_classifier *classifier;
    struct gpuprim_array in, labels;
};

static int call_library(struct lab *lab, const void *context, const struct gpuprim_sync *sync)
{
    const struct library *l = context;
    return gpuprim_classify(lab->gp, l->classifier, &l->in, &l->labels, NULL, sync);
}

static void run(struct lab *lab, const char *id, struct lab_result *result)
{
    const bool is_b2 = id[1] == '2';
    const char *kernel = is_b2 ? "B2_after" : "B3_after";
    const uint64_t n = lab_items(lab, 23, 28, 4);
    cl_program program = lab_branches_program(lab, "branches_tables.cl");
    cl_mem x = is_b2 ? lab_blocks(lab, n) : lab_cosines(lab, program, n);

    // The library replaces the second kernel.
    struct lab_pair pair = lab_branches_pair(lab, program, kernel, kernel, x, n, 1);
    if (is_b2)
        lab_branches_set_modes(lab, pair.before.kernel);
    struct library library = { .in = gpuprim_buffer(is_b2 ? GPUPRIM_U32 : GPUPRIM_F32, x, 0, n),
                               .labels = gpuprim_buffer(GPUPRIM_U8, pair.out_after, 0, n) };
    pair.after = (struct lab_launch){ .call = call_library, .context = &library };
    pair.reasons = (struct lab_reasons){
        .gain = "an item labels many elements, and reads and writes several at once",
        .cpu = "both make the same decision; the library does it for every type, stride and "
               "length",
        .gpu =
            "both make the same decision; the library does it for every type, stride and length"
    };
    int (*make)(gpuprim *, gpuprim_classifier **) = is_b2 ? make_cases : make_thresholds;
    if (!lab->failed && make(lab->gp, &library.classifier))
        lab_fail(lab, "%s", gpuprim_last_error());
    lab_say(result, is_b2 ? "against the table of B2: " : "against the sum of B3: ");
    if (!lab->failed)
        lab_pair(lab, &pair, result);
    // How the library computes the rule depends on the device, and it explains the time.
    char description[512] = "";
    gpuprim_classifier_describe(library.classifier, description, sizeof description);
    lab_say(result, ". The library describes its method: %s", description);
    gpuprim_classifier_destroy(&library.classifier);
}

// clang-format off
const struct lab_row lab_classifications[] = {
    { "B2-classify", "The library is at least as fast as the table of B2",
      "B2 by gpuprim_classify, CASES; before: the table of B2", run },
    { "B3-classify", "The library is at least as fast as the sum of B3",
      "B3 by gpuprim_classify, THRESHOLDS; before: the sum of B3", run },
    { NULL, NULL, NULL, NULL },
};
// clang-format on
