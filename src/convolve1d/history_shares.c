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

// How groups of `items` share the rows of the history: `share` of kernels/convolve1d/history.cl.
static uint64_t share_of_rows(const struct convolve_launch *launch, uint64_t rows_each,
                              uint64_t resident, unsigned items)
{
    enum { APART = 8 }; // a read of elements apart takes so many times as long
    const bool is_interleaved =
        gp_abs(launch->x->row_stride) < gp_abs(launch->x->stride) && launch->rows > 1;
    if (!is_interleaved) {
        const uint64_t at_once = launch->outputs > items
                                     ? HISTORY_AT_ONCE * items / launch->outputs
                                     : HISTORY_AT_ONCE * (items / launch->outputs);
        const uint64_t share = gp_min(rows_each, at_once);
        return share > 1 ? share : 0;
    }
    // Rows are taken side by side where items wait for memory less often: by counting.
    const uint64_t turn = HISTORY_AT_ONCE * (items / HISTORY_SIDE(items)),
                   strips = gp_ceil_div(launch->rows, HISTORY_SIDE(items)),
                   by_groups = gp_ceil_div(launch->outputs, items) * rows_each * APART;
    return gp_ceil_div(launch->outputs, turn) * gp_ceil_div(strips, resident) <= by_groups;
}

uint64_t gp_convolve_share_history(const struct convolve_launch *launch,
                                   const struct convolve_view *before,
                                   const struct convolve_run *run, unsigned items,
                                   struct arguments *arguments)
{
    enum { UNIT_GROUPS = 8 }; // groups that a compute unit runs at once
    const uint64_t resident = (uint64_t)run->call.gp->caps.compute_units * UNIT_GROUPS,
                   rows_each = gp_ceil_div(launch->rows, resident);
    if (items == 1) {
        arguments->share = launch->rows / resident + 1;
        return gp_ceil_div(launch->rows, arguments->share);
    }
    arguments->team = team_of(launch, before, gp_type_size(run->c->filter->in), items);
    if (arguments->team) {
        arguments->share = gp_min(items / arguments->team, rows_each);
        return gp_ceil_div(launch->rows, arguments->share);
    }
    arguments->share =
        launch->outputs > 0 ? share_of_rows(launch, rows_each, resident, items) : 0;
    return arguments->share == 0   ? launch->rows
           : arguments->share == 1 ? gp_ceil_div(launch->rows, HISTORY_SIDE(items))
                                   : gp_ceil_div(launch->rows, arguments->share);
}
