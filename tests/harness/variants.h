/* SPDX-License-Identifier: Apache-2.0
 *
 * The variants of a primitive, as the library lists them: a new one is tested without a line
 * here. Contexts with a variant forced come from contexts.c. */
#ifndef CHECK_VARIANTS_H
#define CHECK_VARIANTS_H

#include "check.h"

// The primitive of that name, with its list of variants. Ends the program where there is none.
const struct gp_primitive *check_primitive(const char *name);

// By the name of a variant, such as "gpu_rows", or of a forced one, such as "reduce:gpu_rows".
bool check_is_for_cpus(const char *variant);
bool check_is_for_gpus(const char *variant);

// check_context with a variant of the primitive forced.
gpuprim *check_variant(struct check *check, const char *primitive, const char *variant,
                       unsigned work_group);

// The value of the macro of that name. A key without it fails the test, and gives 0.
uint32_t check_macro(struct check *check, const struct gp_key *key, const char *name);

// Whether a call may end with GPUPRIM_E_UNSUPPORTED here: a variant other than baseline is
// forced.
bool check_may_refuse(const gpuprim *gp);

#endif
