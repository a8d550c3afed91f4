/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d: how the groups of the kernel that updates the history share its rows, as
 * kernels/convolve1d/history.cl describes it. launch.c calls it. */
#include "arguments.h"
#include "convolve1d.h"

// How many items move a row of the history by words (kernels/convolve1d/history_words.cl): as many
// as do so in one turn, or a whole group. 0: the history moves by elements, where rows are short,
// or their inputs take the place of more than a quarter. H200, driver 580.159.04, 2026-11-30,
// 5 349 634 rows of two u8, a history of 240: by elements the call took 3701 us, 2700 of them for
// the history, and 2242 by words. The limits were not measured.
static uint32_t team_of(const struct convolve_launch *launch,
                        const struct convolve_view *before, size_t size, unsigned items)
{
    enum { LEAST = 64, MOST = 1 << 30 }; // MOST: the kernel counts in 32 bits
    const uint64_t length = launch->outputs;
    if (size > 2 || items < HISTORY_TEAM || length < LEAST || length > MOST ||
        launch->n > length / 4 || before->stride != 1 || launch->out->stride != 1)
        return 0;
    uint32_t team = HISTORY_TEAM;
    while (team * 2 <= items && team * HISTORY_AT_ONCE * 4 < length * size)
        team *= 2;
    return team;
}

// Elements of a row that a group of so many items moves in a turn where it has rows side by side.
static uint64_t side_turn(unsigned items)
{
    return HISTORY_AT_ONCE * (items / HISTORY_SIDE(items));
}

// How groups of `items` share the rows of the history: `share` of kernels/convolve1d/history.cl.
// `divides`: more than one group may take a row.
static uint64_t share_of_rows(const struct convolve_launch *launch, uint64_t rows_each,
                              uint64_t resident, unsigned items, bool divides)
{
    // A read of elements apart takes so many times as long. Of few rows the latency of memory
    // counts more than its rate. FEW_APART was not measured.
    enum { APART = 8, FEW_APART = 2 };
    const bool is_interleaved =
        gp_abs(launch->x->row_stride) < gp_abs(launch->x->stride) && launch->rows > 1;
    if (!is_interleaved) {
        const uint64_t at_once = launch->outputs > items
                                     ? HISTORY_AT_ONCE * items / launch->outputs
                                     : HISTORY_AT_ONCE * (items / launch->outputs);
        const uint64_t share = gp_min(rows_each, at_once);
        return share > 1 ? share : 0;
    }
    if (divides)
        return 1;
    // Rows are taken side by side where items wait for memory less often: by counting.
    const uint64_t strips = gp_ceil_div(launch->rows, HISTORY_SIDE(items)),
                   by_groups = gp_ceil_div(launch->outputs, items) * rows_each *
                               (rows_each > 1 ? APART : FEW_APART);
    return gp_ceil_div(launch->outputs, side_turn(items)) * gp_ceil_div(strips, resident) <=
           by_groups;
}

// Groups of a row, or of rows side by side, of which there are `groups`: as many as the device
// runs at once, and have a turn each. H200, driver 580.159.04, 2026-12-01, a call of one sample of
// 140 rows of i32 side by side, 5736 elements of the history each: 240 us by one, 28 so.
static uint32_t parts_of(const struct convolve_launch *launch, uint64_t groups,
                         uint64_t resident, uint64_t turn)
{
    const uint64_t parts = gp_min(resident / groups, gp_ceil_div(launch->outputs, turn));
    return parts ? (uint32_t)parts : 1;
}

// Whether groups that share rows, element by element, take fewer turns each than a team that moves a
// row by words. Not measured.
static bool has_fewer_turns(const struct convolve_launch *launch,
                            const struct convolve_run *run, uint32_t team, uint64_t resident,
                            unsigned items)
{
    const uint64_t size = gp_type_size(run->c->filter->in),
                   by_words = gp_ceil_div(launch->outputs * size,
                                          (uint64_t)4 * HISTORY_AT_ONCE * team),
                   parts = parts_of(launch, launch->rows, resident, items);
    return gp_ceil_div(gp_ceil_div(launch->outputs, items), parts) < by_words;
}

uint64_t gp_convolve_share_history(const struct convolve_launch *launch,
                                   const struct convolve_view *before,
                                   const struct convolve_run *run, unsigned items,
                                   struct arguments *arguments)
{
    enum { UNIT_GROUPS = 8 }; // groups that a compute unit runs at once
    const uint64_t resident = (uint64_t)run->call.gp->caps.compute_units * UNIT_GROUPS,
                   rows_each = gp_ceil_div(launch->rows, resident);
    const bool divides =
        before->memory != launch->out->memory || before->first != launch->out->first;
    arguments->row_groups = 1;
    if (items == 1) {
        arguments->share = launch->rows / resident + 1;
        return gp_ceil_div(launch->rows, arguments->share);
    }
    if (launch->outputs == 0)
        return launch->rows;
    arguments->team = team_of(launch, before, gp_type_size(run->c->filter->in), items);
    if (arguments->team && divides &&
        has_fewer_turns(launch, run, arguments->team, resident, items))
        arguments->team = 0;
    if (arguments->team) {
        arguments->share = gp_min(items / arguments->team, rows_each);
        return gp_ceil_div(launch->rows, arguments->share);
    }
    arguments->share = share_of_rows(launch, rows_each, resident, items, divides);
    if (arguments->share > 1)
        return gp_ceil_div(launch->rows, arguments->share);
    const uint64_t groups =
        arguments->share ? gp_ceil_div(launch->rows, HISTORY_SIDE(items)) : launch->rows;
    if (divides)
        arguments->row_groups =
            parts_of(launch, groups, resident, arguments->share ? side_turn(items) : items);
    return groups * arguments->row_groups;
}
