/* SPDX-License-Identifier: Apache-2.0
 *
 * A correct call of gpuprim_reduce, and what must hold after a call that fails: its code, a
 * message that begins with the function's name, untouched outputs, and a context that still
 * works. api_reduce.c makes one thing of the call wrong at a time.
 */
#ifndef API_REDUCE_CALL_H
#define API_REDUCE_CALL_H

#include "api.h"

enum { CALL_N = 64 }; // elements of the input

// Four rows of 16 floats, four sums. A test changes some members.
struct call {
    gpuprim *gp;
    struct gpuprim_array in, out;
    struct gpuprim_reduce_params params;
    struct gpuprim_sync sync;
    const struct gpuprim_sync *sync_pointer; // NULL: blocking
    bool no_in, no_out, no_params;           // pass NULL
    bool prepare;                            // gpuprim_reduce_prepare must fail in the same way
};

// The context and the arrays of the calls of one group.
struct fixture {
    struct check *check;
    gpuprim *gp;
    _Alignas(16) float x[CALL_N + 1];
    _Alignas(16) float results[CALL_N]; // `out` is in the middle; the rest must not change
    cl_mem in, out;                     // the same in buffers of CALL_N and 4 elements
    cl_event done;
};

// False, with a failure counted, where there is no context. fixture_free may follow either way.
bool fixture_make(struct check *check, struct fixture *f);
void fixture_free(struct fixture *f);
// The contents of all arrays as before the first call.
void fixture_reset(struct fixture *f);

// The correct call: on host arrays, on buffers, and on buffers with an event.
struct call call_on_host(struct fixture *f);
struct call call_on_buffers(struct fixture *f);
struct call call_with_sync(struct fixture *f);

// Makes the call and compares its status. Then a correct call must work. `name` says in
// messages what the test changed.
void call_expect(struct fixture *f, const struct call *c, int expected, const char *name);

#endif
