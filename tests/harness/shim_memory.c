/* SPDX-License-Identifier: Apache-2.0
 *
 * The shim's part for malloc (shim.h): counts allocations and makes one fail. The linker's
 * --wrap (tests/meson.build) brings the calls in our own objects here, but not those in
 * drivers.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "shim.h"

static atomic_uint allocations;
static atomic_int failing = -1;
static atomic_bool has_failed;
static atomic_long allocated;

void shim_fail_allocation(int nth)
{
    atomic_store(&failing, -1);
    atomic_store(&allocations, 0);
    atomic_store(&has_failed, false);
    atomic_store(&failing, nth);
}

bool shim_allocation_failed(void)
{
    return atomic_load(&has_failed);
}

unsigned shim_allocations(void)
{
    return atomic_load(&allocations);
}

long shim_allocated(void)
{
    return atomic_load(&allocated);
}

// ---------------------------------------------------------------------------------------

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *p);

// True if this allocation is the one to fail.
static bool count_call(void)
{
    if ((int)atomic_fetch_add(&allocations, 1) != atomic_load(&failing))
        return false;
    atomic_store(&has_failed, true);
    return true;
}

static void *count_made(void *p)
{
    if (p)
        atomic_fetch_add(&allocated, 1);
    return p;
}

void *__wrap_malloc(size_t size)
{
    return count_call() ? NULL : count_made(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return count_call() ? NULL : count_made(__real_calloc(n, size));
}

void *__wrap_realloc(void *p, size_t size)
{
    if (count_call())
        return NULL;
    void *now = __real_realloc(p, size);
    return p ? now : count_made(now);
}

char *__wrap_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void __wrap_free(void *p)
{
    shim_note_free(p);
    if (p)
        atomic_fetch_sub(&allocated, 1);
    __real_free(p);
}
