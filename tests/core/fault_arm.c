/* SPDX-License-Identifier: Apache-2.0
 *
 * What fails in a run of faults.c, and what is alive before and after it. The shim does both
 * (harness/shim.h). */
#include "faults.h"

#include <stdio.h>
#include <string.h>

#include "tests/harness/shim.h"

const cl_int fault_codes[FAULT_CODES] = { CL_OUT_OF_HOST_MEMORY,
                                          CL_OUT_OF_RESOURCES,
                                          CL_MEM_OBJECT_ALLOCATION_FAILURE,
                                          CL_INVALID_VALUE,
                                          CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                                          -9999 };

static char old_message[128];

void fault_arm(enum failing failing, int nth, cl_int code)
{
    gpuprim_create(NULL, NULL); // sets a message, which that of the failure must replace
    snprintf(old_message, sizeof old_message, "%s", gpuprim_last_error());
    shim_fail_run(failing == ALLOCATION ? -1 : nth, failing == TWO_CALLS ? 2 : 1, code);
    shim_fail_allocation(failing == ALLOCATION ? nth : -1);
}

void fault_disarm(void)
{
    shim_fail(-1, 0);
}

bool fault_has_message(void)
{
    return gpuprim_last_error()[0] && strcmp(gpuprim_last_error(), old_message) != 0;
}

struct fault_alive fault_alive_now(void)
{
    return (struct fault_alive){ shim_live(), shim_allocated() };
}
