/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether this process was forked from one that used gpuprim. context.c and devices.c ask this
 * before they use OpenCL. */
#include "core.h"

#include <stdatomic.h>

// True in the child if the process forks after the first gp_fork_check. OpenCL drivers do not
// survive a fork: in the child even a new context deadlocks. A handler sets this flag, because
// asking for the process id in every call would cost a system call. This flag and the lock
// around the compiler (compile.c) are the only state of the whole process.
static atomic_bool is_forked;

static void on_fork(void)
{
    atomic_store(&is_forked, true);
}

static int watch_result;

static void watch_forks(void)
{
    watch_result = pthread_atfork(NULL, NULL, on_fork);
}

int gp_fork_check(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (watch_result)
        return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
    if (atomic_load(&is_forked))
        return gp_fail(GPUPRIM_E_FORKED, "this process was forked from one that used gpuprim");
    return GPUPRIM_OK;
}

bool gp_is_forked(void)
{
    return atomic_load(&is_forked);
}
