/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the arrays of the map's calls lie (map.h), and how many bytes their layouts move. */
#include "map.h"

#include <math.h>

#include "memory.h"

enum { PAGE = 4096, GUARD = 256 };

size_t map_room(const struct gpuprim_array *array)
{
    int64_t low, high;
    check_span(array, &low, &high);
    const size_t end = (size_t)((int64_t)array->first + high) * gp_type_size(array->type);
    return array->count ? (end + GUARD + PAGE - 1) / PAGE * PAGE : 0;
}

size_t map_in_step(const struct map_call *call)
{
    return map_room(&call->in[0]) + map_room(&call->in[1]);
}

size_t map_out_step(const struct map_call *call)
{
    return map_room(&call->out[0]) + map_room(&call->out[1]);
}

static void place(struct gpuprim_array *arrays, cl_mem memory, size_t at)
{
    for (int i = 0; i < 2; i++)
        if (arrays[i].count) {
            const size_t before = map_room(&arrays[i]);
            arrays[i].base = (void *)memory;
            arrays[i].first += at / gp_type_size(arrays[i].type);
            at += before;
        }
}

struct map_call map_placed(const struct map_memory *m, const struct map_call *call, size_t in,
                           const struct map_region *region, size_t out)
{
    struct map_call placed = *call;
    place(placed.in, m->in.memory, in);
    place(placed.out, region->memory, out);
    return placed;
}

// ---------------------------------------------------------------------------------------
// Bytes

// The neighbours of a view, and how far apart such runs of neighbours lie, in bytes.
struct runs {
    double n, step, others, apart;
};

static struct runs runs_of(const struct gpuprim_array *view)
{
    const double size = (double)gp_type_size(view->type);
    const struct runs r = { (double)view->count, size * (double)gp_abs(view->stride),
                            (double)view->rows, size * (double)gp_abs(view->row_stride) };
    if (r.others > 1 && (r.apart < r.step || r.n == 1))
        return (struct runs){ r.others, r.apart, r.n, r.step };
    return r;
}

double map_bytes(const struct gpuprim_array *view, double line)
{
    const double size = (double)gp_type_size(view->type);
    const struct runs r = runs_of(view);
    if (r.n == 0 || r.others == 0)
        return 0;
    const double span = (r.n - 1) * r.step + size;
    if (r.step > line)
        return r.n * r.others * line;
    if (r.others == 1)
        return span;
    // A run that begins anywhere touches span - size + line bytes on average. Where runs lie
    // closer they touch everything between the first and the last.
    return fmin(r.others * (span - size + line), (r.others - 1) * r.apart + span);
}

double map_fetched(const struct gpuprim_array *view, double part)
{
    const double size = (double)gp_type_size(view->type);
    const struct runs r = runs_of(view);
    const double span = (r.n - 1) * r.step + size, gap = r.apart - span;
    if (part == 0 || r.n == 0 || r.others == 0)
        return 0;
    if (r.step > size)
        return map_bytes(view, part); // each part that an element lies in has a gap
    if (r.others == 1 || gap <= 0)
        return 0;
    // Parts that a gap touches, less those that lie in it. Each holds an end of a run.
    const double ends = fmin(gap + part - size, 2 * (part - size));
    return fmin(r.others * fmin(ends, span - size + part), map_bytes(view, part));
}

double map_read(const struct map_call *call, double line)
{
    double bytes = map_bytes(&call->in[0], line);
    if (call->used < call->every) { // as `used` views of which each takes one of `every`
        struct gpuprim_array one = call->in[0];
        one.count = gp_ceil_div(one.count, call->every);
        one.stride *= (int64_t)call->every;
        bytes = fmin(bytes, (double)call->used * map_bytes(&one, line));
    }
    return bytes + map_bytes(&call->in[1], line) + call->more_read;
}
