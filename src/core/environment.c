/* SPDX-License-Identifier: Apache-2.0
 *
 * The environment variables of docs/environment.md. They are read here and nowhere else. */
#include "core.h"

#include <stdlib.h>

void gp_environment_read(struct gp_environment *environment)
{
    environment->device = secure_getenv("GPUPRIM_DEVICE");
    environment->variant = secure_getenv("GPUPRIM_VARIANT");
    const char *work_group = secure_getenv("GPUPRIM_WORK_GROUP");
    environment->work_group = work_group ? strtoull(work_group, NULL, 10) : 0;
}
