/* SPDX-License-Identifier: Apache-2.0
 *
 * Failing OpenCL calls and allocations. A scenario (a call on a new context) is run over and
 * over; in run n its n-th OpenCL call fails, its n-th and the next one, or its n-th allocation,
 * until a run meets no failure. Each run must end with an error and words, or with right
 * results; outputs are untouched where no kernel was launched; no object is left alive; and the
 * same context must then work.
 *
 * Building takes nearly all of the time. So programs are built once, and contexts borrow them;
 * what fails while programs are built is in scenarios of its own, whose names begin with
 * `cold`.
 */
#include "faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/model.h"
#include "tests/harness/shim.h"

static const cl_int codes[] = { CL_OUT_OF_HOST_MEMORY,
                                CL_OUT_OF_RESOURCES,
                                CL_MEM_OBJECT_ALLOCATION_FAILURE,
                                CL_INVALID_VALUE,
                                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                                -9999 };
enum { CODES = sizeof codes / sizeof *codes, MOST = 2000 };

// What fails.
enum failing { CALL, TWO_CALLS, ALLOCATION };

static void arm(enum failing failing, int nth, cl_int code)
{
    // Afterwards it must say something else.
    gpuprim_create(NULL, NULL);
    shim_fail_run(failing == ALLOCATION ? -1 : nth, failing == TWO_CALLS ? 2 : 1, code);
    shim_fail_allocation(failing == ALLOCATION ? nth : -1);
}

static void disarm(void)
{
    shim_fail(-1, 0);
}

static bool has_words(void)
{
    return gpuprim_last_error()[0] && !strstr(gpuprim_last_error(), "out is NULL");
}

// ---------------------------------------------------------------------------------------
// Contexts with borrowed programs

struct stage {
    struct fault_scene scene;
    gpuprim *keepers[2]; // of the programs; [1]: of those for streaming
    gpuprim *keeper;     // of the scenario, or NULL
    char what[160];      // is failing, for words
};

static gpuprim *open_context(struct stage *stage)
{
    const struct fault_scene *scene = &stage->scene;
    gpuprim *gp = NULL;
    const bool streamed = scene->scenario->streamed;
    if (streamed)
        model_begin(&model_gpu);
    const int status = gpuprim_create_cl(scene->context, scene->device, NULL, &gp);
    if (streamed)
        model_end();
    if (!CHECK(scene->check, !status, "%s", gpuprim_last_error()))
        return NULL;
    if (streamed)
        gp->staging_bytes = FAULT_STAGING;
    return gp;
}

static void move_programs(gpuprim *from, gpuprim *to)
{
    if (!from || !to)
        return;
    memcpy(to->programs, from->programs, sizeof to->programs);
    memset(from->programs, 0, sizeof from->programs);
}

// All scratch memory is that of calls in flight, as far as the context can see.
static void crowd(const struct fault_scene *scene, gpuprim *gp)
{
    for (int i = 0; i < GP_SCRATCH_SLOTS; i++)
        if (!clRetainEvent(scene->gate))
            gp->scratch[i].done = scene->gate;
}

// Calls without a failure: the results must be right.
static void call_well(struct stage *stage, gpuprim *gp, const char *when)
{
    struct fault_scene *scene = &stage->scene;
    fault_paint(scene);
    const int status = fault_call(scene, gp);
    fault_look(scene);
    CHECK(scene->check, status == GPUPRIM_OK && fault_is_right(scene), "%s%s gives %d (%s)",
          stage->what, when, status, status ? gpuprim_last_error() : "wrong results");
}

// OpenCL objects, and memory from malloc.
struct alive {
    long objects, blocks;
};

static struct alive alive_now(void)
{
    return (struct alive){ shim_live(), shim_allocated() };
}

static void nothing_is_left(const struct stage *stage, const struct alive *before)
{
    const struct alive now = alive_now();
    CHECK(stage->scene.check, now.objects == before->objects && now.blocks == before->blocks,
          "%s: %ld objects and %ld blocks of memory are left", stage->what,
          now.objects - before->objects, now.blocks - before->blocks);
}

// ---------------------------------------------------------------------------------------
// One run

static void judge(struct stage *stage, int status, bool launched, bool had_no_memory)
{
    const struct fault_scene *scene = &stage->scene;
    struct check *check = scene->check;
    CHECK(check, status == GPUPRIM_OK ? fault_is_right(scene) : has_words(),
          "%s: status %d, %s", stage->what, status,
          status ? "no words" : "but the results are wrong");
    CHECK(check, status == GPUPRIM_OK || launched || fault_is_untouched(scene),
          "%s: outputs were touched", stage->what);
    CHECK(check, !had_no_memory || status == GPUPRIM_E_MEMORY, "%s: status %d (%s)",
          stage->what, status, gpuprim_last_error());
}

// When a blocking call has failed nothing of it is still with the device, and neither call
// keeps scratch memory for itself.
static void nothing_is_used(const struct stage *stage, const gpuprim *gp, int status)
{
    struct check *check = stage->scene.check;
    if (stage->scene.scenario->how == BLOCKING && status)
        CHECK(check, shim_pending(gp->queue) == 0, "%s: %u commands were not waited for",
              stage->what, shim_pending(gp->queue));
    CHECK(check, shim_freed_too_early() == 0, "%s: freed while the device may still use it",
          stage->what);
    for (int i = 0; i < GP_SCRATCH_SLOTS; i++)
        CHECK(check, !gp->scratch[i].busy, "%s: scratch memory is not free again", stage->what);
}

// Runs the scenario once. NULL when nothing failed, because there was no such call; else what
// did.
static const char *attempt(struct stage *stage, enum failing failing, int nth, cl_int code)
{
    struct fault_scene *scene = &stage->scene;
    const struct fault_scenario *s = scene->scenario;
    const struct alive before = alive_now();
    scene->check->cases++;
    fault_paint(scene);
    gpuprim *gp = open_context(stage);
    if (!gp)
        return NULL;
    move_programs(stage->keeper, gp);
    if (s->how != BLOCKING && fault_gate_make(scene) && s->crowded)
        crowd(scene, gp);

    shim_watch(true);
    arm(failing, nth, code);
    const int status = fault_call(scene, gp);
    const bool had_no_memory = shim_allocation_failed();
    const char *failed = had_no_memory ? "malloc" : shim_failed();
    const bool launched = shim_made("clEnqueueNDRangeKernel") > 0;
    snprintf(stage->what, sizeof stage->what, "%s %d (%s) failed with %d",
             failing == ALLOCATION  ? "allocation"
             : failing == TWO_CALLS ? "two calls from"
                                    : "call",
             nth, failed ? failed : "none", failing == ALLOCATION ? 0 : code);
    disarm();
    nothing_is_used(stage, gp, status);
    fault_gate_open(scene, CL_COMPLETE);
    shim_watch(false);
    clFinish(gp->queue);
    fault_look(scene);
    judge(stage, status, launched, had_no_memory);
    call_well(stage, gp, ": the next call");
    move_programs(gp, stage->keeper);
    gpuprim_destroy(&gp);
    nothing_is_left(stage, &before);
    return failed;
}

// All places at which something can fail.
static void attempts(struct stage *stage, enum failing failing)
{
    for (int nth = 0; nth < MOST; nth++) {
        const char *failed = attempt(stage, failing, nth, codes[nth % CODES]);
        if (!failed)
            return;
        // By this code a variant is found not to build, and another one is taken.
        if (strcmp(failed, "clBuildProgram") == 0)
            attempt(stage, failing, nth, CL_BUILD_PROGRAM_FAILURE);
    }
    check_fail(stage->scene.check, "no end of calls");
}

// Releases that return an error, though they are made: nobody can do anything about that.
static void with_failing_releases(struct stage *stage)
{
    const struct alive before = alive_now();
    snprintf(stage->what, sizeof stage->what, "failing releases");
    stage->scene.check->cases++;
    gpuprim *gp = open_context(stage);
    move_programs(stage->keeper, gp);
    shim_fail_releases(CL_OUT_OF_RESOURCES);
    if (gp)
        call_well(stage, gp, ": the call");
    move_programs(gp, stage->keeper);
    gpuprim_destroy(&gp);
    shim_fail_releases(CL_SUCCESS);
    nothing_is_left(stage, &before);
}

// Events of launches that end with an error, as after a fault of the device: what they held is
// free again, so that calls go on without more and more memory. (The shim says so of events
// that are complete: PoCL 3.1 aborts where a launch fails before another one.)
static void with_failing_events(struct stage *stage)
{
    struct fault_scene *scene = &stage->scene;
    const struct alive before = alive_now();
    long held[3] = { 0, 0, 0 };
    snprintf(stage->what, sizeof stage->what, "events that end with an error");
    scene->check->cases++;
    gpuprim *gp = open_context(stage);
    move_programs(stage->keeper, gp);
    if (gp && fault_gate_make(scene)) {
        if (scene->scenario->crowded)
            crowd(scene, gp);
        fault_call(scene, gp);
        fault_gate_open(scene, CL_COMPLETE);
        fault_look(scene);
        shim_fail_events(CL_OUT_OF_RESOURCES);
        for (int i = 0; i < 3; i++) {
            call_well(stage, gp, ": a later call");
            held[i] = shim_held();
        }
        shim_fail_events(CL_SUCCESS);
        CHECK(scene->check, held[2] == held[0], "%s: %ld bytes are held, then %ld", stage->what,
              held[0], held[2]);
    }
    move_programs(gp, stage->keeper);
    gpuprim_destroy(&gp);
    nothing_is_left(stage, &before);
}

// ---------------------------------------------------------------------------------------

static void run_scenario(struct stage *stage, const struct fault_scenario *s, bool is_cold)
{
    struct fault_scene *scene = &stage->scene;
    if (!fault_stage(scene, s)) {
        fault_strike(scene);
        return;
    }
    gpuprim **keeper = &stage->keepers[s->streamed];
    if (!is_cold && !*keeper)
        *keeper = open_context(stage);
    stage->keeper = is_cold ? NULL : *keeper;
    snprintf(stage->what, sizeof stage->what, "nothing has failed");
    if (stage->keeper)
        call_well(stage, stage->keeper, ": the call");
    attempts(stage, CALL);
    attempts(stage, ALLOCATION);
    if (!is_cold) {
        attempts(stage, TWO_CALLS);
        with_failing_releases(stage);
        if (s->how != BLOCKING)
            with_failing_events(stage);
    }
    fault_strike(scene);
}

// gpuprim_create from the first call on, platforms and all. A platform or device that fails is
// passed over, so that NO_DEVICE is an answer, too.
static void creation(struct check *check, enum failing failing, unsigned turn)
{
    for (int nth = 0; nth < MOST; nth++) {
        const cl_int code = codes[((unsigned)nth + turn) % CODES];
        const struct alive before = alive_now();
        gpuprim *gp = NULL;
        arm(failing, nth, code);
        const int status = gpuprim_create(NULL, &gp);
        const char *failed = shim_failed();
        const bool has_failed = failed || shim_allocation_failed();
        const bool words = !status || has_words();
        disarm();
        check->cases++;
        CHECK(check, (status == GPUPRIM_OK) == (gp != NULL) && words,
              "call %d (%s): status %d, context %p, words '%s'", nth, failed, status,
              (void *)gp, gpuprim_last_error());
        gpuprim_destroy(&gp);
        const struct alive after = alive_now();
        CHECK(check, after.objects == before.objects && after.blocks == before.blocks,
              "call %d (%s) failed with %d: %ld objects and %ld blocks of memory are left", nth,
              failed, code, after.objects - before.objects, after.blocks - before.blocks);
        if (!has_failed)
            return;
    }
}

static void run_all(struct stage *stage, const struct fault_scenario *scenarios, unsigned n,
                    bool is_cold)
{
    struct check *check = stage->scene.check;
    for (unsigned i = 0; i < n; i++) {
        if (!check_begin(check, "faults/%s", scenarios[i].name))
            continue;
        if (!stage->scene.context && !fault_scene_make(check, &stage->scene)) {
            check_end(check);
            continue;
        }
        const char *why = fault_lacks(&stage->scene, &scenarios[i]);
        if (why) {
            check_skip(check, "%s", why);
            continue;
        }
        run_scenario(stage, &scenarios[i], is_cold);
        check_end(check);
    }
}

static void run(struct check *check)
{
    if (check_begin(check, "faults/create")) {
        for (unsigned turn = 0; turn < (check->quick ? 1 : CODES); turn++)
            creation(check, CALL, turn);
        creation(check, TWO_CALLS, 0);
        creation(check, ALLOCATION, 0);
        check_end(check);
    }
    struct stage stage = { .scene = { .check = check } };
    run_all(&stage, fault_warm, fault_n_warm, false);
    run_all(&stage, fault_cold, fault_n_cold, true);
    gpuprim_destroy(&stage.keepers[0]);
    gpuprim_destroy(&stage.keepers[1]);
    fault_scene_free(&stage.scene);
}

const struct check_suite check_faults = { .name = "faults", .run = run };
