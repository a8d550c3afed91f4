/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of reduce in flight (flight.h). */
#include "flight.h"

#include <stdlib.h>

#include "reference/reduce/reduce.h"

void flight_make(struct check *check, const gpuprim *gp, struct flight *flight,
                 const struct reduce_case *test)
{
    *flight = (struct flight){ .params = test->params };
    struct gpuprim_array shape = gpuprim_host(test->type, NULL, test->count);
    shape.rows = test->rows;
    check_block_make(&flight->in, shape, test->lead, 0);
    reduce_fill(check, test, &flight->in.view);
    shape = gpuprim_host(reduce_reference_result(test->type, &test->params), NULL, test->rows);
    check_block_make(&flight->out, shape, 5, 5);
    check_block_canaries(&flight->out);
    check_place_make(check, gp, &flight->in_place, &flight->in, test->in_memory);
    check_place_make(check, gp, &flight->out_place, &flight->out, test->out_memory);
}

int flight_start(gpuprim *gp, struct flight *flight, cl_command_queue queue,
                 const cl_event *wait)
{
    const struct gpuprim_sync sync = {
        .queue = queue, .n_wait = wait ? 1 : 0, .wait = wait, .done = &flight->done
    };
    return gpuprim_reduce(gp, &flight->in_place.view, &flight->out_place.view, &flight->params,
                          &sync);
}

void flight_check(struct check *check, const gpuprim *gp, struct flight *flight)
{
    char why[256];
    check->cases++;
    check_place_read(check, gp, &flight->out_place, &flight->out);
    CHECK(check,
          reduce_reference_agrees(&flight->in.view, &flight->out.view, &flight->params, why,
                                  sizeof why),
          "%s: %s", reduce_op_name(flight->params.op), why);
    CHECK(check, check_block_intact(&flight->out), "something beside the results was written");
}

void flight_free(const gpuprim *gp, struct flight *flight)
{
    if (flight->done)
        clReleaseEvent(flight->done);
    check_place_free(gp, &flight->in_place);
    check_place_free(gp, &flight->out_place);
    free(flight->in.bytes);
    free(flight->out.bytes);
}
