/* SPDX-License-Identifier: Apache-2.0
 *
 * The slot of each direction: six slots of 15 degrees, found by the cosine of the angle. In C
 * this is a chain of comparisons with descending bounds. Thresholds must ascend; the class of
 * an element is the number of thresholds that it reaches. A map turns classes into slots. */
#include <gpuprim/gpuprim.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000003, BOUNDS = 5 };

static int slot_by_chain(float v)
{
    if (v >= .965926f) // cos 15
        return 0;
    else if (v >= .866025f) // cos 30
        return 1;
    else if (v >= .707107f)
        return 2;
    else if (v >= .5f)
        return 3;
    else if (v >= .258819f)
        return 4;
    else // also a NaN: all comparisons with it are false
        return 5;
}

static int classify(gpuprim *gp, const float *v, uint8_t *slots)
{
    static const float bounds[BOUNDS] = { .258819f, .5f, .707107f, .866025f, .965926f };
    static const uint8_t map[BOUNDS + 1] = { 5, 4, 3, 2, 1, 0 };
    const struct gpuprim_thresholds rule = {
        .values = gpuprim_host(GPUPRIM_F32, bounds, BOUNDS),
        .closed = GPUPRIM_CLOSED_LEFT, // a bound belongs to the class above it
    };
    const struct gpuprim_classifier_params params = {
        .thresholds = &rule,
        .nan = GPUPRIM_NAN_CLASS,
        .nan_class = 0, // the class below all bounds, which the map makes slot 5
        .map = gpuprim_host(GPUPRIM_U8, map, BOUNDS + 1),
    };
    const struct gpuprim_array in = gpuprim_host(GPUPRIM_F32, v, COUNT);
    const struct gpuprim_array labels = gpuprim_host(GPUPRIM_U8, slots, COUNT);

    gpuprim_classifier *classifier = NULL;
    int status = gpuprim_classifier_create(gp, &params, &classifier);
    if (!status)
        status = gpuprim_classify(gp, classifier, &in, &labels, NULL, NULL);
    gpuprim_classifier_destroy(&classifier);
    return status;
}

// Cosines of the whole quadrant, and values that a chain of comparisons easily gets wrong.
static void fill(float *v)
{
    static const float odd[] = { .965926f, .866025f, .707107f,   .5f,       .258819f, 0,
                                 -0.f,     -1,       (float)NAN, -INFINITY, INFINITY, 1 };
    enum { ODD = sizeof odd / sizeof odd[0] };
    for (int i = 0; i < COUNT; i++)
        v[i] = i < ODD ? odd[i] : (float)(i * 7919LL % COUNT) / COUNT;
}

int main(void)
{
    float *v = malloc(COUNT * sizeof *v);
    uint8_t *slots = malloc(COUNT);
    gpuprim *gp = NULL;
    int status = v && slots ? GPUPRIM_OK : GPUPRIM_E_MEMORY, wrong = 0;

    if (!status) {
        fill(v);
        status = gpuprim_create(NULL, &gp);
    }
    if (!status)
        status = classify(gp, v, slots);
    if (status)
        fprintf(stderr, "slots: %s\n", gp ? gpuprim_last_error() : gpuprim_strerror(status));
    for (int i = 0; !status && i < COUNT; i++) {
        if (slots[i] != slot_by_chain(v[i]) && wrong++ == 0)
            printf("%g: slot %d, but the chain gives %d\n", (double)v[i], slots[i],
                   slot_by_chain(v[i]));
    }
    if (!status)
        printf("%d directions, %d of them in other slots than the chain gives\n", COUNT, wrong);
    gpuprim_destroy(&gp);
    free(slots);
    free(v);
    return !status && !wrong ? 0 : status == GPUPRIM_E_NO_DEVICE ? 77 : 1;
}
