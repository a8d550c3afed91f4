/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d, variant gpu_folds: how rows, outputs and local memory are divided among groups,
 * and which way to take taps is the fastest. */
#include "gpu_folds.h"

enum {
    MOST_SUMS = 32, // of an item, in words of 4 bytes
    MOST_ITEM_ROWS = 8,
    // Taps in registers, beside eight, in words of 4 bytes. Programs for sm_90 with 24 take 124
    // to 162 registers, and with 28 up to 199.
    MOST_OLDER = 24,
    SMALL_ROOM = 32 << 10, // bytes of local memory; more only where it pays,
    LARGE_ROOM = CONVOLVE_LOCAL_BYTES - 16,
    // Below these limits no number overflows 32 bits. Few shapes near them fit local memory.
    MOST_ELEMENTS = 4096, // outputs of a row; with its history also inputs
    MOST_TAPS = 8192,
    MOST_STRIDE = 1 << 16,
    UNIT_GROUPS = 3, // groups that keep a compute unit busy
};

// Places in local memory that rows have: inputs, two constants, the history.
static uint64_t places_of(const struct convolve_shape *s)
{
    return s->n + 2 + (s->filter->left == GPUPRIM_HISTORY ? s->filter->halo : 0);
}

// Whether sums are integers, and 32 bits hold those of any taps.
static bool can_fold(const struct gpuprim_filter *f)
{
    return f->taps_type == GPUPRIM_I32 && f->sum_bits < 31 + 8 * gp_type_size(f->in);
}

// Whether local memory keeps integers as they lie in memory.
static bool keeps_narrow(const struct gpuprim_filter *f)
{
    return gp_type_size(f->in) < 4 && (gp_filter_sums_whole(f) || f->sums_in_f64);
}

// Bytes of an input in local memory.
static unsigned input_bytes(const struct gpuprim_filter *f)
{
    return keeps_narrow(f) ? (unsigned)gp_type_size(f->in) : gp_convolve_operand_bytes(f);
}

// Bytes of what is kept of a sum in local memory.
static unsigned kept_bytes(const struct gpuprim_filter *f)
{
    return f->out <= GPUPRIM_I32 ? (unsigned)gp_type_size(f->out) : gp_convolve_sum_bytes(f);
}

unsigned gp_folds_step(const struct convolve_shape *s, unsigned item_outputs)
{
    const uint64_t older = (item_outputs - 1) * s->step;
    if (item_outputs == 1)
        return 1;
    return older * s->filter->size / 4 <= MOST_OLDER && older + 3 <= s->filter->taps
               ? (unsigned)s->step
               : 0;
}

bool gp_folds_is_near(const struct convolve_shape *s, unsigned item_outputs)
{
    const struct gpuprim_filter *f = s->filter;
    const double low = s->origin < 0 ? -(double)s->origin : (double)s->origin;
    const double outputs = (double)s->outputs + item_outputs * (double)s->phases;
    const double inputs = (double)f->taps + item_outputs * (double)s->step + 4;
    return low + outputs * (double)f->stride + inputs * (double)f->dilation + 2 * (double)s->n <
           0x1p31;
}

static cl_uint units(uint64_t bytes)
{
    return (cl_uint)gp_ceil_div(bytes, 16);
}

// Entries of the table, or of the tables of all teams.
static uint64_t entries_of(const struct fold *t)
{
    if (t->team_tables)
        return (uint64_t)t->teams * t->a.length;
    return (uint64_t)t->a.phases * t->a.copies * t->a.entries;
}

uint64_t gp_folds_lay_room(const struct convolve_shape *s, unsigned group, struct fold *t)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t pitch = FOLD_PITCH(group, t->teams, t->item_rows);
    struct fold_arguments *a = &t->a;
    a->results_at = units(a->places * pitch * input_bytes(f));
    a->table_at = a->results_at + units(s->outputs * pitch * kept_bytes(f));
    a->taps_at = a->folded_at = a->table_at + units(entries_of(t) * 2);
    const uint64_t folded = (uint64_t)t->teams * a->places * t->item_outputs * sizeof(cl_int);
    return ((uint64_t)a->taps_at + units(t->folded      ? folded
                                         : t->near_taps ? (uint64_t)a->length * f->size
                                                        : 0)) *
           16;
}

// Sets t->left and t->right: means of the first output, the last one and one between.
static void find_flat(const struct convolve_shape *s, struct fold *t)
{
    const struct gpuprim_filter *f = s->filter;
    const int64_t n = (int64_t)s->n, by = (int64_t)f->dilation, taps = (int64_t)f->taps;
    int64_t left = 0, right = 0;
    for (uint64_t i = 0; i < 3 && gp_convolve_has_flat_ends(s); i++) {
        const int64_t j = s->origin + (int64_t)((s->outputs - 1) * i / 2 * f->stride);
        const int64_t in = j < 0 ? -j / by : 0, out = j < n ? (n - j) / by : 0;
        const int64_t first = in < taps ? in : taps;
        left += t->a.flat_left ? first : 0;
        right += t->a.flat_right && out < taps ? taps - (out > first ? out : first) : 0;
    }
    t->left = (unsigned)(left / 3);
    t->right = (unsigned)(right / 3);
}

// Lays out the table, for tasks that begin `apart` inputs apart. Tasks that share few entries
// have some of their own: that takes less room than copies.
static void lay_table(uint64_t apart, bool folded, struct fold_arguments *a)
{
    const uint64_t spacing = gp_min(apart, a->length);
    const uint64_t shared = gp_ceil_div((a->blocks - 1) * spacing + a->length, 4) * 4;
    const uint64_t apiece = (uint64_t)a->blocks * a->length;
    const unsigned copies = folded || spacing % 4 == 0 ? 1 : spacing % 2 ? 4 : 2;
    const bool shares = copies * shared <= apiece;
    a->copies = shares ? copies : 1;
    a->spacing = shares ? (cl_uint)spacing : a->length;
    a->entries = (cl_uint)(shares ? shared : apiece);
}

void gp_folds_divide(const struct convolve_shape *s, unsigned item_outputs, struct fold *t)
{
    const struct gpuprim_filter *f = s->filter;
    const uint64_t phases = gp_min(s->phases, s->outputs);
    const uint64_t reach = f->taps + (item_outputs - 1) * s->step;
    const uint64_t apart = item_outputs * s->step;
    struct fold_arguments *a = &t->a;
    t->item_outputs = item_outputs;
    a->phases = (cl_uint)phases;
    a->step = (cl_uint)s->step;
    a->blocks = (cl_uint)gp_ceil_div(gp_ceil_div(s->outputs, phases), item_outputs);
    a->tasks = a->phases * a->blocks;
    a->length = (cl_uint)(gp_ceil_div(reach, 4) * 4);
    lay_table(apart, t->folded, a);
    a->places = (cl_uint)places_of(s);
    a->left_place = f->left == GPUPRIM_EDGE ? 0 : (cl_uint)s->n;
    a->right_place = (cl_uint)s->n + (f->right == GPUPRIM_EDGE ? -1 : 1);
    a->flat_left = gp_convolve_skips_left(f) ? FLAT_ZEROS : gp_convolve_is_flat(f->left);
    a->flat_right = gp_convolve_skips_right(f) ? FLAT_ZEROS : gp_convolve_is_flat(f->right);
    a->plus_taps = (cl_uint)f->plus_taps;
    if (!t->folded)
        find_flat(s, t);
}

// What a task takes, in cycles of a warp's scheduler, of which each issues one instruction. An
// item reads for each input a word of local memory for each row, two of these at once, and adds
// each to its sums. Multiplications of integers have half the rate, and four schedulers share
// the local memory. The slowest of the three counts.
//
// Counted in programs for sm_90: 4 instructions of an input beside its loads and ADDs, OWN of a
// task. Not measured.
enum { OWN = 100 };
static uint64_t task_cost(const struct convolve_shape *s, const struct fold *t)
{
    const struct gpuprim_filter *f = s->filter;
    const unsigned words = gp_convolve_operand_bytes(f) / 4, tap_words = (unsigned)f->size / 4;
    const unsigned sum_words = gp_convolve_sum_bytes(f) / 4;
    const bool whole = gp_filter_sums_whole(f) || (t->folded && f->sums_in_f64);
    const unsigned add = words * (whole ? 2 * sum_words : tap_words);
    const unsigned rows = t->item_rows, outputs = t->item_outputs;
    const unsigned step = gp_folds_step(s, outputs);
    const unsigned taps = t->folded ? outputs : step ? tap_words : 4 * outputs;
    const unsigned reads = 4 * rows * words + (t->near_taps || t->folded ? taps : 2 * taps) + 1;
    const unsigned busy = outputs * rows * add,
                   reading = keeps_narrow(f) ? rows : (rows + 1) / 2;
    const unsigned loads = reading + (step ? 0 : outputs);
    const unsigned issued = (whole ? busy / 2 : busy) + loads + 4;
    const unsigned adds = busy > issued ? busy : issued, input = reads > adds ? reads : adds;
    if (!t->folded) {
        const unsigned left = t->a.flat_left == FLAT_ZEROS ? 0 : t->left;
        const unsigned right = t->a.flat_right == FLAT_ZEROS ? 0 : t->right;
        const uint64_t inputs = t->a.length - t->left - t->right;
        // Of the lead and the tail half of the outputs need an input: where there is no STEP,
        // all outputs are asked.
        const uint64_t ends = gp_min(2 * (outputs - 1) * s->step, inputs);
        return inputs * input - (step ? ends * (busy / 2) : 0) +
               (step ? 0 : ends * outputs * 3) + (uint64_t)left * (rows * add + 2) +
               (uint64_t)right * (adds + taps / 4) + OWN;
    }
    const unsigned lanes = FOLDS_GROUP / t->teams;
    return (uint64_t)t->a.places * (input + 4 * outputs / lanes) +
           outputs * (14 * f->taps / lanes + 60) + OWN;
}

// What a launch takes, in some unit of time. Each entry of the table is calculated once. Where
// groups are many, other groups keep the unit busy where teams have no task in the last round. A
// small launch takes as long as one that gives each compute unit a few groups, and waits for
// taps in global memory.
static uint64_t cost_of(const gpuprim *gp, const struct convolve_shape *s, const struct fold *t)
{
    const uint64_t rounds = gp_ceil_div(t->a.tasks, t->teams) * t->teams;
    const uint64_t made = t->team_tables ? (uint64_t)t->a.tasks * t->a.length
                                         : (uint64_t)t->a.phases * t->a.entries;
    const uint64_t table = made * 100 * t->teams / FOLDS_GROUP;
    const unsigned few_groups = t->room > SMALL_ROOM ? 9 : 8;
    const uint64_t groups =
        gp_ceil_div(s->rows, FOLD_ROWS(FOLDS_GROUP, t->teams, t->item_rows));
    const uint64_t some = (uint64_t)UNIT_GROUPS * gp->caps.compute_units;
    const bool is_small = groups <= some, waits = is_small && !t->near_taps && !t->folded;
    const uint64_t count = is_small ? (rounds + t->a.tasks) / 2 : t->a.tasks;
    const uint64_t tasks = count * task_cost(s, t);
    return ((waits ? tasks * 3 / 2 : tasks) + table) * few_groups / t->teams *
           (is_small ? some : groups);
}

// Keeps the best number of rows to an item for which there is room, and the fewest teams.
static void take_rows(const gpuprim *gp, const struct convolve_shape *s, struct fold t,
                      struct fold *best, uint64_t *least)
{
    const unsigned words = gp_convolve_sum_bytes(s->filter) / 4;
    unsigned most = MOST_ITEM_ROWS;
    while (most > 1 && most * t.item_outputs * words > MOST_SUMS)
        most /= 2;
    bool fits = false;
    for (t.teams = t.a.tasks > 2 ? FOLDS_MOST_TEAMS : t.a.tasks;
         !fits && t.teams <= FOLDS_MOST_TEAMS; t.teams *= 2)
        for (t.item_rows = most; t.item_rows > 0; t.item_rows /= 2) {
            if (gp_folds_lay_room(s, FOLDS_GROUP, &t) > t.room)
                continue;
            fits = true;
            const uint64_t cost = cost_of(gp, s, &t);
            if (cost < *least) {
                *least = cost;
                *best = t;
            }
        }
}

// The ways to take taps: from local memory, from global memory, folded.
enum { NEAR, FAR, FOLDED, WAYS };

bool gp_folds_choose(const gpuprim *gp, const struct convolve_shape *s, struct fold *best)
{
    enum { MOST_OUTPUTS = 16 };
    const struct gpuprim_filter *f = s->filter;
    const unsigned rooms[] = { SMALL_ROOM, LARGE_ROOM };
    uint64_t least = UINT64_MAX;
    if (places_of(s) > MOST_ELEMENTS || s->outputs > MOST_ELEMENTS || f->taps > MOST_TAPS ||
        f->stride > MOST_STRIDE)
        return false;
    for (unsigned outputs = 1; outputs <= MOST_OUTPUTS; outputs++)
        for (unsigned i = 0; i < 4 * WAYS; i++) {
            struct fold t = { .room = rooms[i / 2 / WAYS], .team_tables = i % 2 };
            t.folded = i / 2 % WAYS == FOLDED;
            t.near_taps = i / 2 % WAYS == NEAR;
            const bool is_even = outputs == 2 || outputs == 4 || outputs == 8;
            if (t.room > gp->caps.local_bytes || (t.folded && !(is_even && can_fold(f))))
                continue;
            gp_folds_divide(s, outputs, &t);
            take_rows(gp, s, t, best, &least);
        }
    return least < UINT64_MAX;
}
