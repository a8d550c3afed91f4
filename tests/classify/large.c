/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of classify that --large runs: arrays of more than 2^31 bytes, and elements that lie
 * more than 2^32 bytes apart. Pages that are never written take no memory.
 * suite.c runs this file. */
#include "case.h"

#include <sys/mman.h>

enum { ENTRIES = 256 };

static unsigned char *reserve(uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static int make(gpuprim *gp, gpuprim_classifier **out)
{
    uint16_t table[ENTRIES];
    for (int i = 0; i < ENTRIES; i++)
        table[i] = (uint16_t)(300 - i);
    const struct gpuprim_table rule = { .labels = gpuprim_host(GPUPRIM_U16, table, ENTRIES) };
    const struct gpuprim_classifier_params params = { .table = &rule, .in = GPUPRIM_U8 };
    return gpuprim_classifier_create(gp, &params, out);
}

// Counts 2^31 + 12345 elements, of which few are not zero.
static void counts(struct check *check, gpuprim *gp, const gpuprim_classifier *c)
{
    const uint64_t n = (UINT64_C(1) << 31) + 12345,
                   marks[] = { 0, 1 << 20, n / 2, n - 2, n - 1 };
    static uint64_t got[301];
    unsigned char *x = reserve(n);
    if (!CHECK(check, x, "no address space"))
        return;
    for (int i = 0; i < 5; i++)
        x[marks[i]] = (unsigned char)(i + 1);
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_U8, x, n);
    const struct gpuprim_array out = gpuprim_host(GPUPRIM_U64, got, 301);
    check->cases++;
    const int status = gpuprim_classify(gp, c, &in, NULL, &out, NULL);
    CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
    for (unsigned l = 0; l <= 300; l++) {
        const uint64_t right = l == 300 ? n - 5 : l >= 295 ? 1 : 0;
        CHECK(check, got[l] == right, "label %u is counted %llu times, not %llu", l,
              (unsigned long long)got[l], (unsigned long long)right);
    }
    munmap(x, n);
}

// Four rows of 3 elements that lie 2^30 + 7 elements apart. The rows of labels are in reverse
// order.
static void far_apart(struct check *check, gpuprim *gp, const gpuprim_classifier *c)
{
    enum { ROWS = 4, COUNT = 3 };
    const int64_t stride = (INT64_C(1) << 30) + 7, row = 4099;
    const uint64_t n = (uint64_t)(COUNT * stride + ROWS * row);
    unsigned char *x = reserve(n);
    uint16_t *y = (uint16_t *)(void *)reserve(2 * n);
    if (!CHECK(check, x && y, "no address space"))
        return;
    struct gpuprim_array in = gpuprim_host(GPUPRIM_U8, x, COUNT);
    in.rows = ROWS;
    in.stride = stride;
    in.row_stride = row;
    struct gpuprim_array out = in;
    out.type = GPUPRIM_U16;
    out.base = y;
    out.first = (ROWS - 1) * (uint64_t)row;
    out.row_stride = -row;
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < COUNT; i++)
            *check_element(&in, (uint64_t)r, (uint64_t)i) = (unsigned char)(10 * r + i);
    check->cases++;
    const int status = gpuprim_classify(gp, c, &in, &out, NULL, NULL);
    CHECK(check, status == GPUPRIM_OK, "%s", gpuprim_last_error());
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < COUNT; i++) {
            const uint16_t got =
                *(uint16_t *)(void *)check_element(&out, (uint64_t)r, (uint64_t)i);
            CHECK(check, got == 300 - (10 * r + i), "row %d, element %d: label %u", r, i, got);
        }
    munmap(x, n);
    munmap(y, 2 * n);
}

void classify_large_run(struct check *check)
{
    static const struct {
        const char *name;
        void (*run)(struct check *check, gpuprim *gp, const gpuprim_classifier *c);
    } tests[] = { { "counts", counts }, { "far_apart", far_apart } };
    for (int i = 0; i < 2 && check->large; i++)
        if (check_begin(check, "classify/large/%s", tests[i].name)) {
            gpuprim *gp = check_context(check, NULL, 0);
            gpuprim_classifier *c = NULL;
            if (gp && CHECK(check, !make(gp, &c), "%s", gpuprim_last_error()))
                tests[i].run(check, gp, c);
            gpuprim_classifier_destroy(&c);
            gpuprim_destroy(&gp);
            check_end(check);
        }
}
