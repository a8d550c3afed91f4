/* SPDX-License-Identifier: Apache-2.0
 *
 * The mode of each block of a BC6H texture. A block has 16 bytes. The low bits of its first
 * word give its mode, one of 14: modes 0 and 1 are the values 0 and 1 of the lowest two bits;
 * the other modes are twelve values of the lowest five bits. A decoder compares these values
 * one after the other. Here the comparisons are data; gpuprim makes a table of them, and counts
 * the blocks of each mode in the same pass. */
#include <gpuprim/gpuprim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 1 << 20, WORDS = 4 /* of a block: 16 bytes */, MODES = 14, RESERVED = MODES };

static const struct gpuprim_case cases[MODES] = {
    { .mask = 0x03, .value = 0x00, .label = 0 },  { .mask = 0x03, .value = 0x01, .label = 1 },
    { .mask = 0x1f, .value = 0x02, .label = 2 },  { .mask = 0x1f, .value = 0x06, .label = 3 },
    { .mask = 0x1f, .value = 0x0a, .label = 4 },  { .mask = 0x1f, .value = 0x0e, .label = 5 },
    { .mask = 0x1f, .value = 0x12, .label = 6 },  { .mask = 0x1f, .value = 0x16, .label = 7 },
    { .mask = 0x1f, .value = 0x1a, .label = 8 },  { .mask = 0x1f, .value = 0x1e, .label = 9 },
    { .mask = 0x1f, .value = 0x03, .label = 10 }, { .mask = 0x1f, .value = 0x07, .label = 11 },
    { .mask = 0x1f, .value = 0x0b, .label = 12 }, { .mask = 0x1f, .value = 0x0f, .label = 13 },
};

// The same as a chain of comparisons, as a decoder has it.
static uint8_t mode_by_chain(uint32_t word)
{
    const uint32_t code = word & 0x1f;
    if ((word & 3) == 0)
        return 0;
    else if ((word & 3) == 1)
        return 1;
    else if (code == 0x02)
        return 2;
    else if (code == 0x06)
        return 3;
    else if (code == 0x0a)
        return 4;
    else if (code == 0x0e)
        return 5;
    else if (code == 0x12)
        return 6;
    else if (code == 0x16)
        return 7;
    else if (code == 0x1a)
        return 8;
    else if (code == 0x1e)
        return 9;
    else if (code == 0x03)
        return 10;
    else if (code == 0x07)
        return 11;
    else if (code == 0x0b)
        return 12;
    else if (code == 0x0f)
        return 13;
    else
        return RESERVED;
}

static int classify(gpuprim *gp, const uint32_t *blocks, uint8_t *modes, uint64_t *counts)
{
    const struct gpuprim_cases rule = { .list = cases, .count = MODES, .otherwise = RESERVED };
    const struct gpuprim_classifier_params params = { .cases = &rule, .in = GPUPRIM_U32 };
    // The first word of each block: every fourth word.
    const struct gpuprim_array in = {
        .type = GPUPRIM_U32, .base = (void *)blocks, .count = BLOCKS, .stride = WORDS
    };
    const struct gpuprim_array labels = gpuprim_host(GPUPRIM_U8, modes, BLOCKS);
    const struct gpuprim_array histogram = gpuprim_host(GPUPRIM_U64, counts, MODES + 1);

    gpuprim_classifier *classifier = NULL;
    int status = gpuprim_classifier_create(gp, &params, &classifier);
    if (!status)
        status = gpuprim_classify(gp, classifier, &in, &labels, &histogram, NULL);
    gpuprim_classifier_destroy(&classifier);
    return status;
}

// Returns 1 if the chain gives the same modes and counts.
static int agrees(const uint32_t *blocks, const uint8_t *modes, const uint64_t *counts)
{
    uint64_t right[MODES + 1] = { 0 };
    int same = 1;
    for (size_t i = 0; i < BLOCKS; i++) {
        const uint8_t mode = mode_by_chain(blocks[i * WORDS]);
        right[mode]++;
        same &= modes[i] == mode;
    }
    return same && memcmp(counts, right, sizeof right) == 0;
}

int main(void)
{
    uint32_t *blocks = malloc(BLOCKS * WORDS * sizeof *blocks), random = 1;
    uint8_t *modes = malloc(BLOCKS);
    uint64_t counts[MODES + 1];
    for (size_t i = 0; blocks && i < BLOCKS * WORDS; i++)
        blocks[i] = random = (random ^ random >> 15) * 2246822519u + 2654435761u;

    gpuprim *gp = NULL;
    int status = blocks && modes ? gpuprim_create(NULL, &gp) : GPUPRIM_E_MEMORY, good = 0;
    if (!status)
        status = classify(gp, blocks, modes, counts);
    if (status) {
        fprintf(stderr, "modes: %s\n", gp ? gpuprim_last_error() : gpuprim_strerror(status));
    } else {
        for (int mode = 0; mode < MODES; mode++)
            printf("mode %2d: %7llu\n", mode, (unsigned long long)counts[mode]);
        printf("reserved:%7llu\n", (unsigned long long)counts[RESERVED]);
        good = agrees(blocks, modes, counts);
        printf("%d blocks: %s\n", BLOCKS,
               good ? "the chain gives the same modes" : "the chain gives OTHER modes");
    }
    gpuprim_destroy(&gp);
    free(modes);
    free(blocks);
    return good ? 0 : status == GPUPRIM_E_NO_DEVICE ? 77 : 1;
}
