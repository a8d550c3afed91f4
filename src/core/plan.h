/* SPDX-License-Identifier: Apache-2.0
 *
 * The variants of a primitive, and the plan of a call (plan.c): which variant runs it, with
 * which program. A program's key is here because variants fill it. Programs are in program.h.
 */
#ifndef GP_PLAN_H
#define GP_PLAN_H

#include "error.h"

struct gp_program;
struct gp_variant;

// A number that kernels are compiled for: a #define of their preamble.
struct gp_macro {
    const char *name;
    uint32_t value;
};
enum { GP_MAX_MACROS = 40 };

// What a program is compiled for. Calls share a program where all of this is equal. The
// preamble is made of the same members, so that nothing in it can be missing here.
struct gp_key {
    const struct gp_variant *variant; // and with it the primitive and the sources
    unsigned work_group;              // items per group asked for
    bool exact;                       // the work-group size is forced
    unsigned n;
    struct gp_macro macros[GP_MAX_MACROS];
};

// Adds a macro to the key. `name` lives as long as the program does.
void gp_define(struct gp_key *key, const char *name, uint32_t value);

struct gp_variant {
    const char *name; // of its mechanism; also what GPUPRIM_VARIANT takes
    // Whether it can run this call on this device.
    bool (*fits)(const gpuprim *gp, const void *call);
    // Its .cl files after common.cl, ended by NULL. NULL: it has no program, and its launches are
    // those of other plans, which the primitive makes.
    const char *const *sources;
    unsigned work_group;      // items per group asked for; shrinks to what the device allows
    unsigned items;           // loads in flight per item
    unsigned groups_per_unit; // groups per compute unit that fill the device
    const void *ops;          // what else the primitive knows of it
    // Whether the call can be laid out on groups as large as the program's. NULL: always.
    bool (*holds)(const struct gp_variant *variant, const void *call,
                  const struct gp_program *program);
    // Whether it is worth it. Not asked of a variant that is forced. NULL: always.
    bool (*suits)(const gpuprim *gp, const void *call);
    // About how long it takes, in any unit that the primitive's variants share. NULL: the order
    // of the variants decides.
    double (*cost)(const gpuprim *gp, const struct gp_variant *variant, const void *call);
};

enum { GP_MAX_KERNELS = 2 };

struct gp_primitive {
    const char *name;
    // What it plans are parts of calls. The variant that is asked for by name is that of the call.
    bool is_part;
    // In the order in which they are asked. The first one that takes a call runs it or, if
    // that one has a cost, the cheapest of those that stand before the next one without a cost.
    // The last takes every call on every device.
    const struct gp_variant *const *variants;
    unsigned n_variants;
    // Macros of every program: the kernels' names for numbers, such as those of operations.
    const struct gp_macro *constants;
    unsigned n_constants;
    const char *kernels[GP_MAX_KERNELS]; // of every program; NULL = fewer
    uint64_t local_bytes; // of local memory that every launch takes beside what kernels declare
    // Defines the macros of the variant's kernels for this call, and the items per group.
    void (*specialise)(const gpuprim *gp, const void *call, const struct gp_variant *variant,
                       struct gp_key *key);
    // One line on what this primitive chooses for a common call, for `gpuprim info`.
    int (*describe)(gpuprim *gp, char *text, size_t size);
};

// The primitives of the list in meson.build, and how many.
extern const struct gp_primitive *const gp_primitives[];
extern const unsigned gp_n_primitives;

// Whether a variant of this primitive was asked for by name (GPUPRIM_VARIANT, or the tests).
bool gp_variant_is_forced(const gpuprim *gp, const char *primitive);

// The variant that would run the call, whether or not it can be built here. NULL, with a
// message, where a variant is forced that does not take the call.
const struct gp_variant *
gp_variant_pick(const gpuprim *gp, const struct gp_primitive *primitive, const void *call);

// What runs a call. program: NULL where the variant has none.
struct gp_plan {
    const struct gp_primitive *primitive;
    const struct gp_variant *variant;
    struct gp_program *program;
};

// Finds the variant that is to run the call among those that compile on this device and whose
// `holds` agrees to the size of groups that the device allows. Builds its program where there
// is none yet. Fails where the last variant or a forced one refuses; the others are passed
// over. The lock is held.
int gp_plan(gpuprim *gp, const struct gp_primitive *primitive, const void *call,
            struct gp_plan *out);

// The same without the lock, which it takes.
int gp_plan_alone(gpuprim *gp, const struct gp_primitive *primitive, const void *call,
                  struct gp_plan *out);

// Plans a call and makes the kernel objects that it needs, so that the call itself builds
// nothing. kinds[i]: the memory arguments of kernel i. The lock is not held.
int gp_plan_prepare(gpuprim *gp, const struct gp_primitive *primitive, const void *call,
                    const unsigned kinds[GP_MAX_KERNELS]);

// Gives the `bytes` bytes in which a primitive keeps what it found out for its newest calls; at
// first they are zero. The lock is held.
int gp_newest(gpuprim *gp, const struct gp_primitive *primitive, size_t bytes, void **out);

void gp_newest_release(gpuprim *gp);

// Which plans were made last. They stand in an array of GP_NEWEST entries, each of which begins
// with the shape that it was made for. Shapes are compared as bytes, and have no padding.
enum { GP_NEWEST = 4 };
struct gp_newest_plans {
    unsigned n;    // entries that are filled
    unsigned next; // is replaced next
};

// The entry of this shape, or NULL. `bytes`: of an entry.
void *gp_newest_find(const struct gp_newest_plans *plans, void *entries, size_t bytes,
                     const void *shape, size_t shape_bytes);

// The entry that is the newest from now on. The caller fills it.
void *gp_newest_replace(struct gp_newest_plans *plans, void *entries, size_t bytes);

// Kernel `index` of a plan that has a program, for these kinds of memory arguments. The lock is held.
int gp_plan_kernel(const struct gp_plan *plan, unsigned index, unsigned kinds, cl_kernel *out);

// Writes a line for `gpuprim info`: the plan of a call that runs in `groups` groups. The plan has a
// program. `call` describes the call.
void gp_plan_describe(const gpuprim *gp, const struct gp_plan *plan, const char *call,
                      uint64_t groups, char *text, size_t size);

#endif
