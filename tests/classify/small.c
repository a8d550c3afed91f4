/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify: how gpu_words shares out calls of few elements, on both sides of the
 * limits; and that packed calls of any size have one of the programs that are built with the
 * classifier. Nothing is built here: the context is one of the device at hand, with the limits
 * of a large GPU. corners.c runs this file. */
#include "corners.h"

#include "src/classify/words.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { UNITS = 132 };

// A call of u8 or f32 to u8 labels or counts by some even keys: rows with a gap of `gap`
// elements, and what an item and a group take of it.
static const struct {
    enum gpuprim_type type;
    uint64_t keys, rows, count, gap;
    int64_t stride;
    bool counts;
    unsigned items, work_group; // 0: not asked; items 2: more than one, 16 or 4: so many
} calls[] = {
    // Two words of 16 elements in flight by groups of 256.
    { GPUPRIM_U8, 3, 1, UNITS * 256 * 16 - 1, 0, 1, false, 1, 256 },
    { GPUPRIM_U8, 3, 1, UNITS * 256 * 16, 0, 1, false, 2, 256 },
    // Each second element: 8 elements one by one, of f32, by groups of 512.
    { GPUPRIM_F32, 3, 1, UNITS * 512 * 4 - 1, 0, 2, true, 1, 0 },
    { GPUPRIM_F32, 3, 1, UNITS * 1024 * 4, 0, 2, true, 2, 0 },
    // A group's counters of 256 values, however many there are.
    { GPUPRIM_U8, 200, 1, UNITS * 512 * 4, 0, 2, true, 1, 512 },
    { GPUPRIM_U8, 200, 1, UNITS * 512 * 4, 0, 1, true, 1, 512 },
    // Rows of 28 u8, one by one: less than half a tile for each unit, than two, and more.
    { GPUPRIM_U8, 3, UNITS * 256 * 8 / 28, 28, 5, 1, false, 1, 256 },
    { GPUPRIM_U8, 3, UNITS * 256 * 8 / 28 + 1, 28, 5, 1, false, 4, 256 },
    { GPUPRIM_U8, 3, UNITS * 256 * 32 / 28, 28, 5, 1, false, 4, 256 },
    { GPUPRIM_U8, 3, UNITS * 256 * 32 / 28 + 1, 28, 5, 1, false, 16, 256 },
    { GPUPRIM_U8, 3, UNITS * 512 * 8 / 28 + 1, 28, 5, 1, true, 16, 512 },
    // Counters of f32: two for each element of a group, at most, and more.
    { GPUPRIM_F32, 2000, 1, UNITS * 1024 * 4 - 1, 0, 2, true, 1, 1024 },
    { GPUPRIM_F32, 2100, 1, UNITS * 1024 * 4 - 1, 0, 2, true, 2, 1024 },
    // Rows of so few words that an item takes words of several rows, and rows of more.
    { GPUPRIM_U8, 3, 4000, 72, 5, 1, false, 1, 0 },
    { GPUPRIM_F32, 3, 163, 776, 3, 1, false, 2, 256 },
    // Counts alone by groups of 1024, which become smaller where counts are few.
    { GPUPRIM_F32, 3, 1, UNITS * 1024 * 4 - 1, 0, 1, true, 1, 256 },
    { GPUPRIM_F32, 3, 1, UNITS * 1024 * 4, 0, 1, true, 2, 1024 },
    { GPUPRIM_F32, 600, 1, UNITS * 1024 * 4 - 1, 0, 1, true, 1, 1024 },
};

// A classifier of even keys: bytes from 1 on, floats from 1 on.
static gpuprim_classifier *make(struct check *check, gpuprim *gp, enum gpuprim_type type,
                                uint64_t keys)
{
    enum { MOST_KEYS = 5000 };
    static uint8_t bytes[256];
    static float floats[MOST_KEYS];
    for (unsigned k = 0; k < MOST_KEYS; k++)
        floats[k] = (float)(k + 1);
    for (unsigned k = 0; k < 255; k++)
        bytes[k] = (uint8_t)(k + 1);
    const struct gpuprim_thresholds rule = {
        .values = gpuprim_host(type, type == GPUPRIM_U8 ? (void *)bytes : (void *)floats, keys)
    };
    const struct gpuprim_classifier_params params = { .thresholds = &rule };
    return classify_unbuilt(check, gp, &params);
}

static void share_out(struct check *check, gpuprim *gp, unsigned i)
{
    gpuprim_classifier *classifier = make(check, gp, calls[i].type, calls[i].keys);
    if (!classifier)
        return;
    struct classify_choice choice = { .items = 0 };
    struct classification c = gp_classify_packed_call(
        classifier, calls[i].count, !calls[i].counts, calls[i].counts, &choice);
    c.in.rows = c.labels.rows = calls[i].rows;
    c.in.stride = calls[i].stride;
    c.in.row_stride = c.labels.row_stride = (int64_t)(calls[i].count + calls[i].gap);
    if (calls[i].counts)
        c.labels = c.in;
    const struct classify_ops *ops = gp_classify_gpu_words.ops;
    struct gp_key key = { .n = 0 };
    ops->specialise(gp, &c, &gp_classify_gpu_words, &key);
    check->cases++;
    CHECK(check,
          calls[i].items > 2 ? choice.items == calls[i].items
                             : (choice.items > 1) == (calls[i].items > 1),
          "call %u: %u words of an item", i, choice.items);
    CHECK(check, choice.row_items <= choice.items, "call %u: %u words of a row", i,
          choice.row_items);
    CHECK(check, !calls[i].work_group || key.work_group == calls[i].work_group,
          "call %u: groups of %u", i, key.work_group);
    gpuprim_classifier_destroy(&classifier);
}

// ---------------------------------------------------------------------------------------
// Programs that are built with a classifier

static struct gp_key key_of(gpuprim *gp, const gpuprim_classifier *f, uint64_t size,
                            unsigned outputs)
{
    struct classify_choice choice = { .items = 0 };
    struct classification c =
        gp_classify_packed_call(f, size, outputs & 1, (outputs & 2) != 0, &choice);
    struct gp_key key = { .n = 0 };
    const struct gp_variant *v = gp_variant_pick(gp, &gp_primitive_classify, &c);
    key.variant = v;
    key.work_group = v->work_group;
    gp_primitive_classify.specialise(gp, &c, v, &key);
    return key;
}

// One row of any size up to 2^28 has one of these programs.
static void programs(struct check *check, gpuprim *gp)
{
    static const struct {
        enum gpuprim_type type;
        uint64_t keys;
    } rules[] = { { GPUPRIM_U8, 3 },    { GPUPRIM_U8, 255 },   { GPUPRIM_F32, 3 },
                  { GPUPRIM_F32, 600 }, { GPUPRIM_F32, 1500 }, { GPUPRIM_F32, 5000 } };
    for (unsigned r = 0; r < COUNT(rules); r++) {
        gpuprim_classifier *f = make(check, gp, rules[r].type, rules[r].keys);
        uint64_t sizes[CLASSIFY_SIZES];
        if (!f)
            return;
        gp_classify_sizes(f, sizes);
        for (unsigned outputs = 1; outputs < 4; outputs++)
            for (unsigned i = 0; i < 100; i++) {
                const uint64_t size =
                    ((uint64_t)1 << (i % 28)) + check_below(check, (uint64_t)1 << (i % 28));
                const struct gp_key key = key_of(gp, f, size, outputs);
                bool is_built = false;
                for (unsigned k = 0; k < CLASSIFY_SIZES; k++) {
                    const struct gp_key built = key_of(gp, f, sizes[k], outputs);
                    is_built |= gp_key_is_same(&key, &built);
                }
                check->cases++;
                CHECK(check, is_built, "%llu elements, %llu keys, outputs %u",
                      (unsigned long long)size, (unsigned long long)rules[r].keys, outputs);
            }
        gpuprim_classifier_destroy(&f);
    }
}

void classify_small_run(struct check *check)
{
    if (!check_begin(check, "classify/corners/small"))
        return;
    gpuprim *gp = classify_large_gpu(check, UNITS);
    if (gp) {
        for (unsigned i = 0; i < COUNT(calls); i++)
            share_out(check, gp, i);
        programs(check, gp);
    }
    gpuprim_destroy(&gp);
    check_end(check);
}
