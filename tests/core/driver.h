/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of the tests of what drivers differ in.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include "tests/harness/model.h"

// What the library logged as odd: how often, and the words of the last time.
struct driver_log {
    unsigned warnings;
    char words[512];
};

// A context on the device under test while it tells that model; its warnings go to `log`, which
// may be NULL. NULL, with the model ended and a failure counted, where there is none.
gpuprim *driver_context(struct check *check, const struct device_model *model,
                        const char *variant, struct driver_log *log);

void driver_variants_run(struct check *check); // driver_variants.c

#endif
