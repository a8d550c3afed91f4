/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of other devices share: contexts on a model (harness/model.h) and the
 * library's warnings. driver.c lists the devices. driver_variants.c tests which variant takes a
 * call where another one does not build.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include "tests/harness/model.h"

// The warnings that the library logged: how many, and the message of the last one.
struct driver_log {
    unsigned warnings;
    char message[512];
};

// A context on the model, which stays in use until model_end(). Warnings go to `log`, which may
// be NULL. NULL, with the model ended and a failure counted, if there is no context.
gpuprim *driver_context(struct check *check, const struct device_model *model,
                        const char *variant, struct driver_log *log);

void driver_variants_run(struct check *check); // driver_variants.c

#endif
