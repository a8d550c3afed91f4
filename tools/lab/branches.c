/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows B1-B4 of the lab: conditions, and what can replace them. B2 and B3 also show that the
 * replacements in the texts are not equivalent.
 */
#include <stdlib.h>
#include <string.h>

#include "branches.h"

struct lab_pair lab_branches_pair(struct lab *lab, cl_program program, const char *before,
                                  const char *after, cl_mem x, uint64_t n, size_t size)
{
    struct lab_pair pair = lab_pair_of(lab, lab_kernel(lab, program, before),
                                       lab_kernel(lab, program, after), x, n, n * size);
    pair.work.copied = (double)n * 2 * (double)size;
    pair.work.read = (double)n * (4 - (double)size); // in addition to the bytes of a copy
    return pair;
}

cl_program lab_branches_program(struct lab *lab, const char *file)
{
    return lab_program(lab, file, NULL, "#define WG %u\n", lab->group);
}

// Sets the third argument to a copy of the table.
static void set_table(struct lab *lab, cl_kernel kernel, const cl_uchar *table, size_t n)
{
    cl_mem buffer = lab_buffer(lab, n);
    lab_write(lab, buffer, table, n);
    LAB_SET(lab, kernel, 2, LAB_ARG(buffer));
}

static void run_b1(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 16, 23, 4);
    struct lab_pair pair =
        lab_branches_pair(lab, lab_branches_program(lab, "branches_calls.cl"), "B1_before",
                          "B1_after", lab_hashed(lab, n), n, 4);
    pair.work.flops = 160 * 11.0 * (double)n;
    pair.reasons = (struct lab_reasons){
        .gain = "neighbouring items take different branches, and now one call serves both",
        .cpu = "each item runs alone, through one branch only",
        .gpu = "the compiler merged the two calls by itself",
        .cpu_gain = "a jump that cannot be predicted is gone"
    };
    lab_pair(lab, &pair, result);
}

#define CORNER(which)   (0 << 4 | (which))
#define INTERIOR(which) (1 << 4 | (which))
#define EDGE(which)     (2 << 4 | (which))

static const cl_uchar calls[16] = {
    CORNER(0),   EDGE(0), EDGE(1), CORNER(1),   EDGE(4),     INTERIOR(0),
    INTERIOR(1), EDGE(6), EDGE(5), INTERIOR(3), INTERIOR(2), EDGE(7),
    CORNER(3),   EDGE(2), EDGE(3), CORNER(2),
};

static void run_b4(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 20, 26, 4);
    struct lab_pair pair =
        lab_branches_pair(lab, lab_branches_program(lab, "branches_calls.cl"), "B4_before",
                          "B4_after", lab_hashed(lab, n), n, 4);
    set_table(lab, pair.after.kernel, calls, sizeof calls);
    pair.reasons = (struct lab_reasons){
        .gain = "three calls replace sixteen",
        .cpu = "a switch already is one jump through a table, and the three calls are branches "
               "again",
        .gpu = "the functions are short, and each warp still runs all three"
    };
    lab_pair(lab, &pair, result);
}

// ---------------------------------------------------------------------------------------
// B2: the mode of a BC6H block

enum { CODES = 32, LAST_CODE = 0x0f };

static const cl_uchar modes[CODES] = {
    0, 1, 2, 10, 0, 1, 3, 11, 0, 1, 4, 12, 0, 1, 5, 13,
    0, 1, 6, 14, 0, 1, 7, 14, 0, 1, 8, 14, 0, 1, 9, 14,
};

static const cl_uchar text_modes[CODES] = {
    0x00, 0x01, 0x02, 0x06, 0x0a, 0x0e, 0x12, 0x16, 0x1a, 0x1e, 0x03,
    0x07, 0x0b, 0x0f, 255,  255,  255,  255,  255,  255,  255,  255,
    255,  255,  255,  255,  255,  255,  255,  255,  255,  255,
};

void lab_branches_set_modes(struct lab *lab, cl_kernel kernel)
{
    set_table(lab, kernel, modes, sizeof modes);
}

cl_mem lab_blocks(struct lab *lab, uint64_t n)
{
    cl_uint codes[CODES];
    cl_mem words = lab_hashed(lab, n);
    for (cl_uint i = 0; i < CODES; i++)
        codes[i] = i;
    lab_write(lab, words, codes, sizeof codes);
    return words;
}

// Counts the codes, of 32, for which the text's table is wrong; *first is the first of them.
static unsigned count_wrong(struct lab *lab, cl_program program, cl_mem words, cl_mem right,
                            unsigned *first)
{
    unsigned char y[2][CODES] = { { 0 } };
    const uint64_t items = lab->group < CODES ? CODES : lab->group;
    cl_mem out = lab_buffer(lab, items);
    const struct lab_launch text = { .kernel = lab_kernel(lab, program, "B2_text"),
                                     .items = items,
                                     .group = lab->group };
    LAB_SET(lab, text.kernel, 0, LAB_ARG(words), LAB_ARG(out));
    set_table(lab, text.kernel, text_modes, sizeof text_modes);
    unsigned n = 0;
    lab_once(lab, &text);
    lab_read(lab, right, y[0], CODES);
    lab_read(lab, out, y[1], CODES);
    for (unsigned i = CODES; i-- > 0;)
        if (y[0][i] != y[1][i]) {
            n++;
            *first = i;
        }
    return n;
}

// Measures the chain and the table where every word holds the last code of the chain.
static void say_worst(struct lab *lab, struct lab_pair *pair, cl_mem words,
                      struct lab_result *result)
{
    struct lab_launch launches[] = { pair->before, pair->after };
    lab_fill(lab, words, pair->bytes * sizeof(cl_uint), LAST_CODE);
    lab_measure(lab, launches, 2);
    const double scale = 1e-6 * (double)pair->bytes;
    if (!lab->failed && !lab->quick)
        lab_say(
            result,
            ". Millions of words per second for random codes and for the last code only: chain "
            "%.0f and %.0f, table %.0f and %.0f",
            scale / result->before, scale / launches[0].time.median, scale / result->after,
            scale / launches[1].time.median);
}

static void run_b2(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 23, 28, 4);
    cl_mem words = lab_blocks(lab, n);
    cl_program program = lab_branches_program(lab, "branches_tables.cl");
    struct lab_pair pair =
        lab_branches_pair(lab, program, "B2_before", "B2_after", words, n, 1);
    lab_branches_set_modes(lab, pair.after.kernel);
    pair.reasons = (struct lab_reasons){
        .gain = "one look-up replaces up to 14 comparisons and jumps",
        .cpu = "the compiler turned the chain into a table, or memory hides the difference",
        .gpu = "the compiler turned the chain into selects, and memory hides them"
    };
    unsigned first = 0;
    lab_pair(lab, &pair, result);
    const unsigned wrong = count_wrong(lab, program, words, pair.out_before, &first);
    say_worst(lab, &pair, words, result);
    if (wrong == 0)
        lab_fail(lab, "the text's table is right, although it must be wrong");
    lab_say(
        result,
        ". Equal for all 32 codes; the text's table is wrong for %u of them, from 0x%02x on",
        wrong, first);
}

// ---------------------------------------------------------------------------------------
// B3: the slot of a cosine

const float lab_bounds[LAB_BOUNDS] = { .258819f, .5f, .707107f, .866025f, .965926f };

cl_mem lab_cosines(struct lab *lab, cl_program program, uint64_t n)
{
    enum { KINDS = 1024 }; // every sign and exponent with two mantissas: also 0, infinity, NaN
    cl_uint bits[KINDS + 3 * LAB_BOUNDS];
    cl_mem x = lab_hashed(lab, n);
    const struct lab_launch make = { .kernel = lab_kernel(lab, program, "B3_cosines"),
                                     .items = n,
                                     .group = lab->group };
    LAB_SET(lab, make.kernel, 0, LAB_ARG(x));
    lab_once(lab, &make);
    for (cl_uint i = 0; i < KINDS; i++)
        bits[i] = i << 22;
    for (int i = 0; i < LAB_BOUNDS; i++) {
        cl_uint *near = bits + KINDS + 3 * i;
        memcpy(near, &lab_bounds[i], sizeof *near);
        near[1] = near[0] - 1;
        near[2] = near[0] + 1;
    }
    lab_write(lab, x, bits, sizeof bits);
    return x;
}

// Over all 2^32 floats, or every 65537th bit pattern with --quick: counts those whose slot
// differs from that of the chain, for the sum (wrong[0]) and for the text's version (wrong[1]).
static void count_domain(struct lab *lab, cl_program program, uint64_t wrong[2])
{
    const cl_uint each = lab->quick ? 64 : 4096, step = lab->quick ? 65537 : 1;
    const uint64_t items = lab->quick ? 1024 : UINT64_C(1) << 20;
    const size_t bytes = (size_t)items * 2 * sizeof(cl_uint);
    cl_mem out = lab_buffer(lab, bytes);
    const struct lab_launch domain = { .kernel = lab_kernel(lab, program, "B3_domain"),
                                       .items = items,
                                       .group = lab->group };
    LAB_SET(lab, domain.kernel, 0, LAB_ARG(each), LAB_ARG(step), LAB_ARG(out));
    cl_uint *counts = malloc(bytes);
    if (!counts)
        lab_fail(lab, "not enough memory");
    lab_once(lab, &domain);
    lab_read(lab, out, counts, bytes);
    wrong[0] = wrong[1] = 0;
    for (uint64_t i = 0; i < 2 * items && !lab->failed; i++)
        wrong[i % 2] += counts[i];
    free(counts);
}

static void run_b3(struct lab *lab, const char *id, struct lab_result *result)
{
    (void)id;
    const uint64_t n = lab_items(lab, 23, 28, 4);
    cl_program program = lab_branches_program(lab, "branches_tables.cl");
    struct lab_pair pair = lab_branches_pair(lab, program, "B3_before", "B3_after",
                                             lab_cosines(lab, program, n), n, 1);
    pair.reasons = (struct lab_reasons){
        .gain = "five independent comparisons replace branches that depend on the value",
        .cpu = "the compiler turned the chain into selects, or memory hides the difference",
        .gpu = "the compiler turned the chain into selects, and memory hides them"
    };
    uint64_t wrong[2];
    lab_pair(lab, &pair, result);
    count_domain(lab, program, wrong);
    if (wrong[0])
        lab_fail(lab, "%llu floats get a wrong slot", (unsigned long long)wrong[0]);
    if (!wrong[1])
        lab_fail(lab, "the text's version is right, although it must be wrong");
    lab_say(result, ". Equal for %s; the text's version is wrong for %llu of them",
            lab->quick ? "65536 floats of all kinds" : "all 2^32 floats",
            (unsigned long long)wrong[1]);
}

// classify.c has B2 and B3 by the library.
// clang-format off
const struct lab_row lab_branches[] = {
    { "B1", "One call with swapped arguments replaces a call in each branch",
      "an expensive call in both branches; after: one call, arguments swapped", run_b1 },
    { "B2", "A table replaces a chain of comparisons",
      "a chain of 14 comparisons; after: one table of 32 entries", run_b2 },
    { "B3", "A sum of comparisons replaces a chain of bounds",
      "a chain of 5 bounds; after: the sum of 5 comparisons", run_b3 },
    { "B4", "A table of functions and arguments gains nothing over a switch",
      "a switch of 16 cases; after: function and argument from a table", run_b4 },
    { NULL, NULL, NULL, NULL },
};
// clang-format on
