/* SPDX-License-Identifier: Apache-2.0
 *
 * The shim between gpuprim and OpenCL (shim.h): which call fails, and the counts of calls,
 * objects, events and bytes. shim_calls.c has the functions that stand in for OpenCL's. */
#define CL_TARGET_OPENCL_VERSION 300
#include "shim_private.h"

#include <stdatomic.h>
#include <string.h>

enum { FUNCTIONS = 64 };

static atomic_int first_failing = -1; // by its number among the calls
static atomic_uint run_failing;
static atomic_int code, release_code;
static atomic_uint calls;
static atomic_long live;
static atomic_ullong written;
static atomic_uint events;
static atomic_long held, held_most;
static _Atomic(const char *) failed;
static struct {
    const char *spelling;
    void *real; // where it is kept which function is called
    atomic_uint calls, failed;
} functions[FUNCTIONS];
static unsigned n_functions;

void shim_fail(int nth, cl_int error)
{
    shim_fail_run(nth, 1, error);
}

void shim_fail_run(int nth, unsigned run, cl_int error)
{
    atomic_store(&first_failing, -1);
    atomic_store(&code, error);
    atomic_store(&failed, NULL);
    atomic_store(&calls, 0);
    atomic_store(&written, 0);
    atomic_store(&events, 0);
    shim_fail_allocation(-1);
    atomic_store(&held_most, atomic_load(&held));
    for (unsigned i = 0; i < n_functions; i++) {
        atomic_store(&functions[i].calls, 0);
        atomic_store(&functions[i].failed, 0);
    }
    atomic_store(&run_failing, run);
    atomic_store(&first_failing, nth);
}

void shim_fail_releases(cl_int error)
{
    atomic_store(&release_code, error);
}

unsigned shim_calls(void)
{
    return atomic_load(&calls);
}

unsigned shim_calls_of(const char *beginning)
{
    unsigned n = 0;
    for (unsigned i = 0; i < n_functions; i++)
        if (strncmp(functions[i].spelling, beginning, strlen(beginning)) == 0)
            n += atomic_load(&functions[i].calls);
    return n;
}

unsigned shim_made(const char *beginning)
{
    unsigned n = 0;
    for (unsigned i = 0; i < n_functions; i++)
        if (strncmp(functions[i].spelling, beginning, strlen(beginning)) == 0)
            n += atomic_load(&functions[i].calls) - atomic_load(&functions[i].failed);
    return n;
}

uint64_t shim_written(void)
{
    return atomic_load(&written);
}

const char *shim_failed(void)
{
    return atomic_load(&failed);
}

long shim_live(void)
{
    return atomic_load(&live);
}

unsigned shim_events(void)
{
    return atomic_load(&events);
}

long shim_held(void)
{
    return atomic_load(&held);
}

long shim_held_most(void)
{
    return atomic_load(&held_most);
}

void shim_count_bytes(long bytes)
{
    const long now = atomic_fetch_add(&held, bytes) + bytes;
    long most = atomic_load(&held_most);
    while (now > most && !atomic_compare_exchange_weak(&held_most, &most, now))
        continue;
}

// ---------------------------------------------------------------------------------------

bool shim_count_call(unsigned function)
{
    const unsigned number = atomic_fetch_add(&calls, 1);
    atomic_fetch_add(&functions[function].calls, 1);
    const int first = atomic_load(&first_failing);
    if (first < 0 || number < (unsigned)first ||
        number - (unsigned)first >= atomic_load(&run_failing))
        return false;
    const char *none = NULL;
    atomic_compare_exchange_strong(&failed, &none, functions[function].spelling);
    atomic_fetch_add(&functions[function].failed, 1);
    return true;
}

shim_function shim_replace(const char *name, shim_function ours)
{
    shim_function before = NULL;
    for (unsigned i = 0; i < n_functions; i++)
        if (strcmp(functions[i].spelling, name) == 0) {
            memcpy(&before, functions[i].real, sizeof before);
            memcpy(functions[i].real, ours ? &ours : &before, sizeof before);
        }
    return before;
}

unsigned shim_add(const char *name, void *real)
{
    functions[n_functions].spelling = name;
    functions[n_functions].real = real;
    return n_functions++;
}

cl_int shim_code(void)
{
    return atomic_load(&code);
}

bool shim_fails_several(void)
{
    return atomic_load(&run_failing) > 1;
}

void shim_count_objects(long n)
{
    atomic_fetch_add(&live, n);
}

void shim_count_event(void)
{
    atomic_fetch_add(&live, 1);
    atomic_fetch_add(&events, 1);
}

void shim_count_written(uint64_t bytes)
{
    atomic_fetch_add(&written, bytes);
}

cl_int shim_release_status(cl_int status)
{
    return status ? status : atomic_load(&release_code);
}
