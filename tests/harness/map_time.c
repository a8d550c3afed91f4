/* SPDX-License-Identifier: Apache-2.0
 *
 * The time of a call among many, for the map (map.h). */
#include "map.h"

#include <math.h>

enum { MOST_CALLS = 1000 };
static const double BATCH_S = 0.004;  // a batch takes about as long
static const double WARM_UP_S = 0.02; // of calls, because clocks fall while a compiler runs
static const double PATIENCE_S = 0.5; // after that no further batch begins

static size_t next_place(size_t at, size_t step, size_t bytes)
{
    return at + 2 * step <= bytes ? at + step : 0;
}

// Moves arrays to `bytes` bytes from where the memory begins. `origin` lies there.
static void move(struct gpuprim_array *arrays, const struct gpuprim_array *origin, size_t bytes)
{
    for (int i = 0; i < 2; i++)
        if (arrays[i].count)
            arrays[i].first = origin[i].first + bytes / gp_type_size(arrays[i].type);
}

// Seconds of `calls` calls, one behind the other. Between them little is done, because the time
// of small calls is the host's.
static int make_batch(struct map_memory *m, struct map_series *s, unsigned calls,
                      double *seconds)
{
    const struct gpuprim_sync sync = { .queue = m->queue };
    const struct map_call origin = map_placed(m, s->call, 0, &m->out, 0);
    const size_t in_step = map_in_step(s->call), out_step = map_out_step(s->call);
    struct map_call placed = origin;
    const double start = bench_now();
    int status = GPUPRIM_OK;
    for (unsigned i = 0; i < calls && !status; i++) {
        move(placed.in, origin.in, s->in);
        move(placed.out, origin.out, s->out);
        status = s->primitive->enqueue(m->bench->gp, s->object, &placed, &sync);
        s->in = next_place(s->in, in_step, m->in.bytes);
        s->out = next_place(s->out, out_step, m->out.bytes);
    }
    if (clFinish(m->queue) && !status)
        status = CL_OUT_OF_RESOURCES;
    *seconds = bench_now() - start;
    return status;
}

// Compiles, warms up, and chooses how many calls a batch has.
static int prepare(struct map_memory *m, struct map_series *s)
{
    const bool quick = m->bench->options.quick;
    const double start = bench_now();
    double seconds = 0;
    int status = make_batch(m, s, 1, &seconds);
    for (unsigned i = 0;
         !status && (i == 0 || (!quick && i < MOST_CALLS && bench_now() - start < WARM_UP_S));
         i++)
        status = make_batch(m, s, 1, &seconds);
    s->calls = quick || seconds >= BATCH_S ? 1 : (unsigned)fmin(BATCH_S / seconds, MOST_CALLS);
    return status;
}

int map_time(struct map_memory *m, struct map_series *series, unsigned n)
{
    int status = GPUPRIM_OK;
    for (unsigned k = 0; k < n && !status; k++)
        status = prepare(m, &series[k]);
    const unsigned most = m->bench->options.quick ? 1 : MAP_BATCHES;
    const double start = bench_now();
    for (unsigned i = 0; !status && i < most && (!i || bench_now() - start < PATIENCE_S); i++)
        for (unsigned k = 0; k < n && !status; k++) {
            double seconds;
            status = make_batch(m, &series[k], series[k].calls, &seconds);
            series[k].times[series[k].n++] = seconds / series[k].calls;
        }
    return status;
}
