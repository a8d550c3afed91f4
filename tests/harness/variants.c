/* SPDX-License-Identifier: Apache-2.0
 *
 * The variants of a primitive (variants.h). */
#include "variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct gp_primitive *check_primitive(const char *name)
{
    for (unsigned i = 0; i < gp_n_primitives; i++)
        if (strcmp(gp_primitives[i]->name, name) == 0)
            return gp_primitives[i];
    printf("Bail out! no primitive is named %s\n", name);
    exit(1);
}

static bool begins(const char *variant, const char *beginning)
{
    const char *colon = strchr(variant, ':');
    return strncmp(colon ? colon + 1 : variant, beginning, strlen(beginning)) == 0;
}

bool check_is_for_cpus(const char *variant)
{
    return begins(variant, "cpu_");
}

bool check_is_for_gpus(const char *variant)
{
    return begins(variant, "gpu_");
}

gpuprim *check_variant(struct check *check, const char *primitive, const char *variant,
                       unsigned work_group)
{
    char forced[64];
    snprintf(forced, sizeof forced, "%s:%s", primitive, variant);
    return check_context(check, forced, work_group);
}

bool check_may_refuse(const gpuprim *gp)
{
    return gp->force_variant[0] && !strstr(gp->force_variant, ":baseline");
}

uint32_t check_macro(struct check *check, const struct gp_key *key, const char *name)
{
    for (unsigned i = 0; i < key->n; i++)
        if (strcmp(key->macros[i].name, name) == 0)
            return key->macros[i].value;
    check_fail(check, "the key lacks %s", name);
    return 0;
}
