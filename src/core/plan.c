/* SPDX-License-Identifier: Apache-2.0
 *
 * How a call becomes a plan: the first or the cheapest variant of its primitive that takes
 * the call, and the program of that variant (program.c). A variant is compiled for a list
 * of macros. Both the program's key and its preamble are made of that list. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gp_define(struct gp_key *key, const char *name, uint32_t value)
{
    // Beyond the list only the number grows, and gp_program_build refuses the key.
    if (key->n < GP_MAX_MACROS)
        key->macros[key->n] = (struct gp_macro){ name, value };
    key->n++;
}

bool gp_variant_is_forced(const gpuprim *gp, const char *primitive)
{
    if (!gp->force_variant[0]) // each call asks, for several variants
        return false;
    const size_t n = strlen(primitive);
    return strncmp(gp->force_variant, primitive, n) == 0 && gp->force_variant[n] == ':';
}

static bool is_forced(const gpuprim *gp, const struct gp_primitive *primitive)
{
    return !primitive->is_part && gp_variant_is_forced(gp, primitive->name);
}

// Whether the variant takes the call: by force where it is asked for by name, else where it is
// worth it.
static bool takes(const gpuprim *gp, const struct gp_primitive *primitive,
                  const struct gp_variant *variant, const void *call)
{
    if (!is_forced(gp, primitive))
        return variant->fits(gp, call) && (!variant->suits || variant->suits(gp, call));
    const char *forced = gp->force_variant + strlen(primitive->name) + 1;
    return strcmp(forced, variant->name) == 0 && variant->fits(gp, call);
}

// The place of the variant that runs the call, of those that are not in the bits of `passed`:
// the first one that takes it or, if that one has a cost, the cheapest of those that have.
// n_variants: there is none.
static unsigned best_of(const gpuprim *gp, const struct gp_primitive *primitive,
                        uint32_t passed, const void *call)
{
    unsigned best = primitive->n_variants;
    double least = 0;
    for (unsigned i = 0; i < primitive->n_variants; i++) {
        const struct gp_variant *v = primitive->variants[i];
        if (passed >> i & 1 || !takes(gp, primitive, v, call))
            continue;
        if (!v->cost)
            return best < i ? best : i;
        const double cost = v->cost(gp, v, call);
        if (best == primitive->n_variants || cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

static int none_takes(const gpuprim *gp, const struct gp_primitive *primitive)
{
    const char *forced = gp->force_variant + strlen(primitive->name) + 1;
    char names[512] = "";
    size_t n = 0;
    for (unsigned i = 0; i < primitive->n_variants; i++) {
        const char *name = primitive->variants[i]->name;
        if (strcmp(name, forced) == 0)
            return gp_fail(GPUPRIM_E_UNSUPPORTED,
                           "the variant %s, which GPUPRIM_VARIANT asks for, does not take this "
                           "call on this device",
                           forced);
        if (n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", name);
    }
    return gp_fail(
        GPUPRIM_E_UNSUPPORTED,
        "GPUPRIM_VARIANT asks for \"%s\", which is no variant of %s; its variants are %s",
        forced, primitive->name, names);
}

const struct gp_variant *gp_variant_pick(const gpuprim *gp,
                                         const struct gp_primitive *primitive, const void *call)
{
    const unsigned i = best_of(gp, primitive, 0, call);
    if (i < primitive->n_variants)
        return primitive->variants[i];
    none_takes(gp, primitive);
    return NULL;
}

// The program of a variant for a call, found or built.
static int program_for(gpuprim *gp, const struct gp_primitive *primitive,
                       const struct gp_variant *variant, const void *call,
                       struct gp_program **out)
{
    struct gp_key key;
    key.variant = variant;
    key.n = 0;
    key.work_group = variant->work_group;
    primitive->specialise(gp, call, variant, &key);
    key.exact = gp->force_work_group != 0;
    if (key.exact)
        key.work_group = gp->force_work_group;
    *out = gp_program_find(gp, &key);
    return *out ? GPUPRIM_OK : gp_program_build(gp, primitive, &key, out);
}

int gp_plan(gpuprim *gp, const struct gp_primitive *primitive, const void *call,
            struct gp_plan *out)
{
    uint32_t passed = 0;
    for (unsigned i = best_of(gp, primitive, passed, call); i < primitive->n_variants;
         i = best_of(gp, primitive, passed |= (uint32_t)1 << i, call)) {
        const struct gp_variant *v = primitive->variants[i];
        struct gp_program *program;
        if (!v->sources) {
            *out = (struct gp_plan){ primitive, v, NULL };
            return GPUPRIM_OK;
        }
        const int status = program_for(gp, primitive, v, call, &program);
        if (status)
            return status;
        *out = (struct gp_plan){ primitive, v, program };
        if (!program->refusal && (!v->holds || v->holds(v, call, program)))
            return GPUPRIM_OK;
        // No variant replaces the last one, or one that is asked for by name.
        if (is_forced(gp, primitive) || i == primitive->n_variants - 1)
            return program->refusal
                       ? gp_fail(program->refusal, "%s", program->message)
                       : gp_fail(GPUPRIM_E_UNSUPPORTED,
                                 "groups of %u items are too small for the variant %s to take "
                                 "this call",
                                 program->work_group, v->name);
        gp_log(gp, GPUPRIM_LOG_TRACE, "%s: %s is passed over for this call", primitive->name,
               v->name);
    }
    return none_takes(gp, primitive);
}

int gp_plan_alone(gpuprim *gp, const struct gp_primitive *primitive, const void *call,
                  struct gp_plan *out)
{
    pthread_mutex_lock(&gp->lock);
    const int status = gp_plan(gp, primitive, call, out);
    pthread_mutex_unlock(&gp->lock);
    return status;
}

int gp_plan_prepare(gpuprim *gp, const struct gp_primitive *primitive, const void *call,
                    const unsigned kinds[GP_MAX_KERNELS])
{
    struct gp_plan plan;
    cl_kernel kernel;
    pthread_mutex_lock(&gp->lock);
    int status = gp_plan(gp, primitive, call, &plan);
    for (unsigned i = 0; !status && i < GP_MAX_KERNELS && primitive->kernels[i]; i++)
        status = gp_plan_kernel(&plan, i, kinds[i], &kernel);
    pthread_mutex_unlock(&gp->lock);
    return status;
}

int gp_newest(gpuprim *gp, const struct gp_primitive *primitive, size_t bytes, void **out)
{
    struct gp_newest *n = gp->newest;
    while (n->primitive && n->primitive != primitive)
        n++;
    if (!n->memory)
        n->memory = calloc(1, bytes);
    if (!n->memory)
        return gp_fail(GPUPRIM_E_MEMORY, "out of memory");
    n->primitive = primitive;
    *out = n->memory;
    return GPUPRIM_OK;
}

void gp_newest_release(gpuprim *gp)
{
    for (unsigned i = 0; i < GP_MAX_PRIMITIVES; i++)
        free(gp->newest[i].memory);
}

void *gp_newest_find(const struct gp_newest_plans *plans, void *entries, size_t bytes,
                     const void *shape, size_t shape_bytes)
{
    for (unsigned i = 0; i < plans->n; i++) {
        void *entry = (char *)entries + i * bytes;
        if (memcmp(entry, shape, shape_bytes) == 0)
            return entry;
    }
    return NULL;
}

void *gp_newest_replace(struct gp_newest_plans *plans, void *entries, size_t bytes)
{
    void *entry = (char *)entries + plans->next * bytes;
    plans->next = (plans->next + 1) % GP_NEWEST;
    if (plans->n < GP_NEWEST)
        plans->n++;
    return entry;
}

int gp_plan_kernel(const struct gp_plan *plan, unsigned index, unsigned kinds, cl_kernel *out)
{
    return gp_program_kernel(plan->program, index, kinds, plan->primitive->kernels[index], out);
}

// How much of a compute unit's items a program keeps resident, in percent: the least of
// registers, local memory and the limit of groups. `limit` receives which one it is.
static unsigned occupancy_of(const gpuprim *gp, const struct gp_program *program,
                             const char **limit)
{
    // OpenCL does not say how many items or groups a compute unit holds; these are what most
    // GPUs of today have.
    enum { UNIT_ITEMS = 2048, UNIT_GROUPS = 32 };
    const unsigned items = program->work_group;
    uint64_t groups = UNIT_ITEMS / items;
    *limit = "items per compute unit";
    if (groups > UNIT_GROUPS) {
        groups = UNIT_GROUPS;
        *limit = "groups per compute unit";
    }
    if (program->registers && gp->caps.registers) {
        const uint64_t fit = gp->caps.registers / ((uint64_t)program->registers * items);
        if (fit < groups) {
            groups = fit;
            *limit = "registers";
        }
    }
    if (program->local_bytes && gp->caps.local_bytes / program->local_bytes < groups) {
        groups = gp->caps.local_bytes / program->local_bytes;
        *limit = "local memory";
    }
    const uint64_t percent = groups * items * 100 / UNIT_ITEMS;
    return percent > 100 ? 100 : (unsigned)percent;
}

void gp_plan_describe(const gpuprim *gp, const struct gp_plan *plan, const char *call,
                      uint64_t groups, char *text, size_t size)
{
    const int n = snprintf(text, size, "%s: %s, %llu groups of %u", call, plan->variant->name,
                           (unsigned long long)groups, plan->program->work_group);
    if (n < 0 || (size_t)n >= size)
        return;
    text += n;
    size -= (size_t)n;
    const char *limit;
    const unsigned percent = occupancy_of(gp, plan->program, &limit);
    if (gp->caps.is_cpu)
        snprintf(text, size, "; one item per group owns a core's vector unit");
    else if (plan->program->registers)
        snprintf(text, size, "; occupancy about %u %% by %s, %u registers", percent, limit,
                 plan->program->registers);
    else
        snprintf(text, size, "; occupancy about %u %% by %s", percent, limit);
}
