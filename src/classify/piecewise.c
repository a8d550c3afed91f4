/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: the search method PIECEWISE (kernels/classify/piecewise.cl), which computes places
 * by a piecewise linear function. search_index.c asks here on GPUs.
 *
 * Elements have coordinates of 32 bits. They are cut into ranges of 2^shift, and each range into
 * cells of equal size. Each cell has a line. All that the device computes is in integers, but
 * for the nearest f32 of an integer. So it is repeated here exactly, and the slack of a range is
 * measured: how far, at most, a line leads outside the place of an element. A line grows with
 * the coordinate, so it is enough to look at both ends of a cell, at each key, and at the value
 * before it. */
#include "classifier.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACE = 65536,          // of a place
    MOST_RANGES = 2304,     // all powers of two of f64 of one sign, and some of the other
    MOST_KEYS_OF_CELL = 64, // where the division of a range begins
    TRIED = 3,              // divisions in halves that are tried until one halves the slack
    ENOUGH = PLACE / 4096,  // slack: one element of 2048 is in doubt
    MOST_SLACK = PLACE / 8, // else lines do not fit
    STEPS = 34,             // of the search for a slope: to less than a unit
};
#define PLUS_ZERO UINT32_C(0x80000000) // the coordinate of +0; that of -0 is one less
#define SEARCHED  UINT32_C(0xffff0000) // the slack of a range that lines do not fit

struct range {
    uint32_t first_key, keys;
    unsigned shift; // cells have 2^shift coordinates
    uint32_t slack;
    bool is_done;
};

struct pieces {
    const struct gpuprim_classifier *c;
    const int64_t *keys;
    uint32_t n;
    uint64_t low;             // of integers: what the device subtracts
    unsigned shift;           // of ranges
    uint32_t lowest, highest; // coordinates: the first of the first range, the last of the last
    uint32_t *at, *before;    // of each key and of the value before it, from the lowest on
    struct range *ranges;
    uint32_t n_ranges, n_cells;
};

struct line {
    uint32_t base, slope;
};

// ---------------------------------------------------------------------------------------
// Coordinates

static uint32_t coordinate_of(const struct pieces *p, int64_t ordinal)
{
    const enum gpuprim_type type = p->c->in;
    const uint64_t half = (uint64_t)1 << 63;
    if (gp_type_is_float(type)) {
        // The key 0 stands at -0, which is one less than 0.
        const unsigned unused = 64 - gp_value_bits(type);
        const uint64_t magnitude = gp_abs(ordinal) << unused;
        const uint64_t order = ordinal > 0 ? half | magnitude : ~(half | magnitude);
        return (uint32_t)(order >> 32);
    }
    uint64_t beyond = (uint64_t)ordinal - p->low;
    if (ordinal < (int64_t)p->low)
        beyond = 0;
    // Of more than 53 bits, those that are too many become one that says whether any is set. So
    // the number is rounded once.
    const bool is_long = beyond >> 53;
    const double number =
        is_long ? (double)(beyond >> 11 | ((beyond & 2047) != 0)) * 2048 : (double)beyond;
    return gp_f32_bits(number);
}

// False where there are too many ranges.
static bool set_coordinates(struct pieces *p)
{
    const int64_t lowest = gp_ordinal_lowest(p->c->in);
    const bool is_float = gp_type_is_float(p->c->in);
    // Elements below the first key have coordinates of their own, where there are such.
    p->low = (uint64_t)(p->keys[0] > lowest ? p->keys[0] - 1 : p->keys[0]);
    p->shift = is_float && gp_key_size(p->c->in) == 8 ? 20 : 23;
    const uint32_t first = coordinate_of(p, p->keys[0]) >> p->shift,
                   last = coordinate_of(p, p->keys[p->n - 1]) >> p->shift,
                   most = UINT32_MAX >> p->shift;
    const uint32_t begin = first ? first - 1 : 0, end = last < most ? last + 1 : most;
    p->n_ranges = end - begin + 1;
    if (p->n_ranges > MOST_RANGES)
        return false;
    p->lowest = begin << p->shift;
    p->highest = (end << p->shift) + (((uint32_t)1 << p->shift) - 1);
    for (uint32_t k = 0; k < p->n; k++) {
        const int64_t key = p->keys[k], before = key > lowest ? key - 1 : key;
        // Before the least number above 0 there is +0, which has another coordinate than -0.
        const uint32_t u = is_float && before == 0 ? PLUS_ZERO : coordinate_of(p, before);
        p->at[k] = coordinate_of(p, key) - p->lowest;
        p->before[k] = u > p->lowest ? u - p->lowest : 0;
        struct range *range = &p->ranges[p->at[k] >> p->shift];
        range->first_key = range->keys++ ? range->first_key : k;
    }
    return true;
}

// ---------------------------------------------------------------------------------------
// Lines

// A cell: its coordinates, from the lowest on, and its keys.
struct cell {
    uint32_t first;
    unsigned shift;
    uint32_t first_key, end_key;
};

static double part_of(const struct cell *cell, uint32_t u)
{
    return (double)(u - cell->first) / (double)((uint64_t)1 << cell->shift);
}

// How far a line of this slope must lead outside some place, if its height is best; that goes
// to *base.
static double excess(const struct pieces *p, const struct cell *cell, double slope,
                     double *base)
{
    double least = PLACE * (double)cell->first_key,
           most = PLACE * (cell->end_key + 1.0) - slope;
    for (uint32_t k = cell->first_key; k < cell->end_key; k++) {
        const double whole = PLACE * (k + 1.0);
        const double at = whole - slope * part_of(cell, p->at[k]);
        least = at > least ? at : least;
        if (p->before[k] >= cell->first) {
            const double before = whole - slope * part_of(cell, p->before[k]);
            most = before < most ? before : most;
        }
    }
    *base = (least + most) / 2;
    return (least - most) / 2;
}

// Of slopes whose excess is the same the greater one leaves fewer elements in doubt.
static double cost(const struct pieces *p, const struct cell *cell, double slope)
{
    double base;
    return excess(p, cell, slope, &base) - slope / PLACE;
}

// The best line, by golden-section search: the excess is convex in the slope.
static struct line fit(const struct pieces *p, const struct cell *cell)
{
    const double keys = cell->end_key - cell->first_key, golden = 0.6180339887498949;
    double low = 0, high = keys > 0 ? 2 * PLACE * (keys + 1) : 0, base = 0;
    high = high < UINT32_MAX ? high : UINT32_MAX; // a slope has 32 bits
    double a = high - golden * high, b = golden * high, cost_a = cost(p, cell, a),
           cost_b = cost(p, cell, b);
    for (int i = 0; i < STEPS && keys > 0; i++)
        if (cost_a < cost_b) {
            high = b, b = a, cost_b = cost_a;
            a = high - golden * (high - low);
            cost_a = cost(p, cell, a);
        } else {
            low = a, a = b, cost_a = cost_b;
            b = low + golden * (high - low);
            cost_b = cost(p, cell, b);
        }
    const double slope = (uint32_t)((low + high) / 2);
    excess(p, cell, slope, &base);
    const double most = UINT32_MAX - slope; // q has 32 bits
    base = base < most ? base : most;
    return (struct line){ .base = base > 0 ? (uint32_t)(base + 0.5) : 0,
                          .slope = (uint32_t)slope };
}

// As the device computes it.
static int64_t height(const struct cell *cell, const struct line *line, uint32_t u)
{
    const uint32_t part = u << ((32 - cell->shift) & 31);
    return (int64_t)line->base + (int64_t)((uint64_t)part * line->slope >> 32);
}

// How far the line leads outside the places of its elements, exactly.
static int64_t slack_of(const struct pieces *p, const struct cell *cell,
                        const struct line *line)
{
    const uint32_t last = cell->first + (((uint32_t)1 << cell->shift) - 1);
    const int64_t begin = (int64_t)PLACE * cell->first_key - height(cell, line, cell->first),
                  end = height(cell, line, last) - (int64_t)PLACE * (cell->end_key + 1);
    int64_t slack = begin > end ? begin : end;
    for (uint32_t k = cell->first_key; k < cell->end_key; k++) {
        const int64_t whole = (int64_t)PLACE * (k + 1);
        const int64_t at = whole - height(cell, line, p->at[k]);
        slack = at > slack ? at : slack;
        if (p->before[k] >= cell->first) {
            const int64_t before = height(cell, line, p->before[k]) - whole;
            slack = before > slack ? before : slack;
        }
    }
    return slack > 0 ? slack : 0;
}

// The slack of a range with such cells; writes their lines to `lines`, if not NULL.
static uint32_t fit_range(const struct pieces *p, uint32_t r, unsigned shift,
                          struct line *lines)
{
    const struct range *range = &p->ranges[r];
    const uint32_t end = range->first_key + range->keys,
                   cells = (uint32_t)1 << (p->shift - shift);
    struct cell cell = { .shift = shift, .end_key = range->first_key };
    int64_t slack = 0;
    for (uint32_t i = 0; i < cells; i++) {
        cell.first = (r << p->shift) + (i << shift);
        cell.first_key = cell.end_key;
        while (cell.end_key < end && (p->at[cell.end_key] - cell.first) >> shift == 0)
            cell.end_key++;
        const struct line line = fit(p, &cell);
        const int64_t of_cell = slack_of(p, &cell, &line);
        slack = of_cell > slack ? of_cell : slack;
        if (lines)
            lines[i] = line;
    }
    return slack < INT32_MAX ? (uint32_t)slack : INT32_MAX;
}

// ---------------------------------------------------------------------------------------
// Cells

// What twice as many cells are worth: keys in doubt for each cell. By slack alone u32 keys at distances that
// grow, of which the lowest are equal, left no cells for the others.
static double gain_of(const struct pieces *p, const struct range *range)
{
    const bool is_open = !range->is_done && range->slack > ENOUGH;
    return is_open ? (double)range->slack * range->keys / (1u << (p->shift - range->shift)) : 0;
}

// The range where most is to be gained; of those that are alike the last, which is the widest where values are
// above 0. NULL: there is none.
static struct range *worst(const struct pieces *p)
{
    struct range *worst = NULL;
    double most = 0;
    for (uint32_t r = 0; r < p->n_ranges; r++) {
        const double gain = gain_of(p, &p->ranges[r]);
        if (gain > 0 && gain >= most) {
            worst = &p->ranges[r];
            most = gain;
        }
    }
    return worst;
}

// Divides the cells of a range until its slack is halved; if that takes more room, or more
// than some divisions, not at all.
static void divide(struct pieces *p, struct range *range, uint32_t most_cells)
{
    const uint32_t cells = (uint32_t)1 << (p->shift - range->shift);
    range->is_done = true;
    for (unsigned times = 1; times <= TRIED && range->shift > times; times++) {
        const uint32_t more = (cells << times) - cells;
        if (more > most_cells - p->n_cells)
            return;
        const uint32_t slack =
            fit_range(p, (uint32_t)(range - p->ranges), range->shift - times, NULL);
        if (slack > range->slack / 2)
            continue;
        range->slack = slack;
        range->shift -= times;
        range->is_done = false;
        p->n_cells += more;
        return;
    }
}

// Cells for all ranges, `most_cells` at most. False where there is no room even for the first.
static bool make_cells(struct pieces *p, uint32_t most_cells)
{
    uint32_t keys = 0; // before the range
    p->n_cells = 0;
    for (uint32_t r = 0; r < p->n_ranges; r++) {
        struct range *range = &p->ranges[r];
        range->first_key = keys;
        keys += range->keys;
        range->shift = p->shift;
        while (range->keys >> (p->shift - range->shift) > MOST_KEYS_OF_CELL)
            range->shift--;
        range->slack = fit_range(p, r, range->shift, NULL);
        p->n_cells += (uint32_t)1 << (p->shift - range->shift);
    }
    if (p->n_cells > most_cells)
        return false;
    for (struct range *range = worst(p); range; range = worst(p))
        divide(p, range, most_cells);
    return true;
}

// Ranges that lines do not fit get one cell, in which a search halves. Returns how many keys
// are there.
static uint32_t give_up_ranges(struct pieces *p, unsigned *levels)
{
    uint32_t keys = 0;
    for (uint32_t r = 0; r < p->n_ranges; r++) {
        struct range *range = &p->ranges[r];
        if (range->slack <= MOST_SLACK)
            continue;
        p->n_cells -= ((uint32_t)1 << (p->shift - range->shift)) - 1;
        range->shift = p->shift;
        range->slack = PLACE;
        keys += range->keys;
        while (range->keys >> *levels)
            ++*levels;
    }
    return keys;
}

static void write(const struct pieces *p, uint32_t *words)
{
    uint32_t *lines = words + 2 * (size_t)p->n_ranges, cell = 0;
    for (uint32_t r = 0; r < p->n_ranges; r++, words += 2) {
        const struct range *range = &p->ranges[r];
        const uint32_t cells = (uint32_t)1 << (p->shift - range->shift);
        const bool is_searched = range->slack == PLACE;
        // The first cell's number, less what the coordinate adds to it.
        words[0] = cell - ((r << p->shift) >> range->shift);
        words[1] = (is_searched ? SEARCHED : range->slack << 16) | range->shift;
        if (is_searched) {
            lines[2 * cell] = range->first_key;
            lines[2 * cell + 1] = range->first_key + range->keys;
        } else {
            fit_range(p, r, range->shift, (struct line *)(void *)(lines + 2 * cell));
        }
        cell += cells;
    }
}

static bool make(struct pieces *p, uint64_t room, struct search_index *index, uint32_t **words)
{
    const uint64_t most = room / 2;
    if (!set_coordinates(p) || most <= p->n_ranges)
        return false;
    const uint64_t cells = most - p->n_ranges;
    if (!make_cells(p, cells < UINT16_MAX ? (uint32_t)cells : UINT16_MAX))
        return false;
    unsigned levels = 0;
    if (give_up_ranges(p, &levels) > p->n / 4)
        return false;
    const uint64_t n_words = 2 * ((uint64_t)p->n_ranges + p->n_cells);
    *words = malloc(n_words * sizeof **words);
    if (!*words)
        return false;
    write(p, *words);
    const uint64_t low = p->c->in == GPUPRIM_U64 ? p->low ^ (uint64_t)1 << 63 : p->low;
    *index = (struct search_index){
        .method = SEARCH_PIECEWISE,
        .levels = levels,
        .cells = p->n_ranges,
        .shift = p->shift,
        .low = gp_key_size(p->c->in) == 8 ? low : (uint32_t)low,
        .scale = p->lowest | (uint64_t)p->highest << 32,
        .words = n_words,
    };
    return true;
}

bool gp_search_pieces(const struct gpuprim_classifier *c, const int64_t *keys, uint32_t n,
                      uint64_t room, struct search_index *index, uint32_t **words)
{
    struct pieces p = { .c = c, .keys = keys, .n = n };
    if (n < 2 || n > UINT16_MAX || gp_type_size(c->in) < 4)
        return false;
    p.at = malloc(2 * (size_t)n * sizeof *p.at);
    p.ranges = calloc(MOST_RANGES, sizeof *p.ranges);
    p.before = p.at ? p.at + n : NULL;
    const bool is_made = p.at && p.ranges && make(&p, room, index, words);
    free(p.at);
    free(p.ranges);
    return is_made;
}
