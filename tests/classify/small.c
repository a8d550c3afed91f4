/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: how gpu_words shares out calls of few elements, on both sides of the
 * limits. Nothing is built: the context is one of the device at hand, with the limits of a
 * large GPU. corners.c runs this file. */
#include "corners.h"

#include "src/classify/words.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { UNITS = 132 };

// A call of u8 or f32 to u8 labels or counts by three keys: rows with a gap of `gap` elements,
// and what an item and a group take of it.
static const struct {
    enum gpuprim_type type;
    uint64_t rows, count, gap;
    bool counts;
    unsigned items, work_group; // 0: not asked; items 2: more than one
} calls[] = {
    // Two words of 16 elements in flight by groups of 256.
    { GPUPRIM_U8, 1, UNITS * 256 * 16 - 1, 0, false, 1, 256 },
    { GPUPRIM_U8, 1, UNITS * 256 * 16, 0, false, 2, 256 },
    // Rows of so few words that an item takes words of several rows, and rows of more.
    { GPUPRIM_U8, 4000, 72, 5, false, 1, 0 },
    { GPUPRIM_F32, 163, 776, 3, false, 2, 256 },
    // Counts alone by groups of 1024, which become smaller.
    { GPUPRIM_F32, 1, UNITS * 1024 * 4 - 1, 0, true, 1, 256 },
    { GPUPRIM_F32, 1, UNITS * 1024 * 4, 0, true, 2, 1024 },
};

static void share_out(struct check *check, gpuprim *gp, unsigned i)
{
    static const uint8_t bytes[] = { 50, 100, 200 };
    static const float floats[] = { 1, 2, 4 };
    const bool are_bytes = calls[i].type == GPUPRIM_U8;
    const struct gpuprim_thresholds rule = {
        .values = gpuprim_host(calls[i].type, are_bytes ? (void *)bytes : (void *)floats, 3)
    };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    gpuprim_classifier *classifier = NULL;
    if (!CHECK(check, classify_make_unbuilt(gp, &params, &classifier) == GPUPRIM_OK, "%s",
               gpuprim_last_error()))
        return;
    struct classify_choice choice = { .items = 0 };
    struct classification c = gp_classify_packed_call(
        classifier, calls[i].count, !calls[i].counts, calls[i].counts, &choice);
    c.in.rows = c.labels.rows = calls[i].rows;
    c.in.row_stride = c.labels.row_stride = (int64_t)(calls[i].count + calls[i].gap);
    const struct classify_ops *ops = gp_classify_gpu_words.ops;
    struct gp_key key = { .n = 0 };
    ops->specialise(gp, &c, &gp_classify_gpu_words, &key);
    check->cases++;
    CHECK(check, (choice.items > 1) == (calls[i].items > 1), "call %u: %u words of an item", i,
          choice.items);
    CHECK(check, choice.row_items <= choice.items, "call %u: %u words of a row", i,
          choice.row_items);
    CHECK(check, !calls[i].work_group || key.work_group == calls[i].work_group,
          "call %u: groups of %u", i, key.work_group);
    gpuprim_classifier_destroy(&classifier);
}

void classify_small_run(struct check *check)
{
    if (!check_begin(check, "classify/corners/small"))
        return;
    gpuprim *gp = NULL;
    if (CHECK(check, gpuprim_create(NULL, &gp) == GPUPRIM_OK, "%s", gpuprim_last_error())) {
        gp->caps.is_cpu = false;
        gp->caps.compute_units = UNITS;
        gp->caps.local_bytes = 48 << 10;
        classify_force(gp, "");
        for (unsigned i = 0; i < COUNT(calls); i++)
            share_out(check, gp, i);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}
