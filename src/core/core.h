/* SPDX-License-Identifier: Apache-2.0
 *
 * The context, and all of the core in one include: what the primitives build on, and what the
 * tests and the gpuprim program look into. Not installed. The core names no primitive.
 *
 * The path of a call:
 *     gpuprim_PRIMITIVE   checks the arguments                        src/PRIMITIVE/call.c
 *     gp_repeat           makes a call that repeats an earlier one    repeat.c
 *     gp_call_begin       takes the lock                              launch.c
 *     gp_plan             finds the variant and its program           plan.c, program.c
 *     gp_piece_bind       makes the arrays reachable                  stage_in.c
 *     gp_launch           sets arguments, enqueues                    launch.c
 *     gp_results_read     reads results into a host array             stage_out.c
 *     gp_call_end         hands out the event, frees lock and scratch launch.c
 */
#ifndef GP_CORE_H
#define GP_CORE_H

#include <pthread.h>

#include "array.h"
#include "call.h"
#include "caps.h"
#include "error.h"
#include "plan.h"
#include "program.h"
#include "repeat.h"
#include "round.h"
#include "stage.h"
#include "text.h"
#include "types.h"

// Collects an event of each launch, for measurements. Whoever sets gpuprim.trace releases them.
struct gp_trace {
    cl_event events[256];
    unsigned n;
};

enum { GP_BUCKETS = 256 };

// What a primitive keeps of its newest calls.
struct gp_newest {
    const struct gp_primitive *primitive;
    void *memory;
};
enum { GP_MAX_PRIMITIVES = 8 };

struct gpuprim {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue; // for blocking calls
    struct gp_caps caps;

    // Guards what follows, and the arguments of kernels until they are enqueued.
    pthread_mutex_t lock;
    struct gp_program *programs[GP_BUCKETS];
    struct gp_scratch scratch[GP_SCRATCH_SLOTS];
    struct gp_newest newest[GP_MAX_PRIMITIVES];
    struct gp_repeats repeats; // calls of primitives that have no objects
    // The repeated call whose arguments its kernel has now; NULL: not known.
    const struct gp_repeat *set_by;
    // The queue of the newest call with sync, and whether it may change the order. A reference
    // is held, so that no other queue can get its address.
    cl_command_queue known_queue;
    bool known_out_of_order;
    // Copies host arrays to the device beside the launches; NULL = no need yet.
    cl_command_queue copies;

    void (*log)(void *user, enum gpuprim_log_level level, const char *text);
    void *log_user;
    enum gpuprim_log_level log_level;
    uint64_t staging_bytes;

    // Set from the environment, or by the tests before any call.
    char force_variant[64];    // "primitive:variant" or ""
    unsigned force_work_group; // 0 = choose
    // Set by the tests. build_late saves time: objects leave their programs to the first call
    // that needs them. as_if_large: small calls are taken as large ones are.
    bool build_late, as_if_large;
    const char *build_options; // more of the compiler's, each after a blank, or NULL
    struct gp_trace *trace;    // NULL = off
};

// fork.c: E_FORKED in the child of a process that used gpuprim. From the first check on this
// process is watched for forks; gp_is_forked only asks.
int gp_fork_check(void);
bool gp_is_forked(void);

// E_ARG for NULL, E_FORKED in the child of a fork.
int gp_context_check(const gpuprim *gp);

#endif
