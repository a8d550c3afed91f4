/* SPDX-License-Identifier: Apache-2.0
 *
 * Failing OpenCL calls and allocations (faults.h lists the other files). A scenario is a call
 * on a new context. It is run many times. In run n its n-th OpenCL call fails, its n-th and the
 * next one, or its n-th allocation. The runs end when one meets no failure. Each run must end
 * with an error and a message, or with right results. Outputs are untouched if no kernel was
 * launched, no object stays alive, and the same context works afterwards.
 *
 * Building takes nearly all of the time, so programs are built once and lent to the contexts.
 * Failures during a build have scenarios of their own, whose names begin with `cold`.
 */
#include "faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness/model.h"
#include "tests/harness/shim.h"

enum { MOST = 2000 }; // calls of a scenario

// ---------------------------------------------------------------------------------------
// Contexts with lent programs

struct trial {
    struct fault_fixture fixture;
    gpuprim *keepers[2]; // keep the programs; [1]: those for host arrays in pieces
    gpuprim *keeper;     // the one of the scenario, or NULL
    char what[160];      // what is failing, for messages
};

static gpuprim *open_context(struct trial *trial)
{
    const struct fault_fixture *fixture = &trial->fixture;
    gpuprim *gp = NULL;
    const bool streamed = fixture->scenario->streamed;
    if (streamed)
        model_begin(&model_gpu);
    const int status = gpuprim_create_cl(fixture->context, fixture->device, NULL, &gp);
    if (streamed)
        model_end();
    if (!CHECK(fixture->check, !status, "%s", gpuprim_last_error()))
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

// Makes all scratch memory look as if calls in flight used it.
static void crowd(const struct fault_fixture *fixture, gpuprim *gp)
{
    for (int i = 0; i < GP_SCRATCH_SLOTS; i++)
        gp_scratch_use(&gp->scratch[i], NULL, fixture->gate);
}

// Makes the call without a failure: the results must be right.
static void call_well(struct trial *trial, gpuprim *gp, const char *when)
{
    struct fault_fixture *fixture = &trial->fixture;
    fault_paint(fixture);
    const int status = fault_call(fixture, gp);
    fault_look(fixture);
    CHECK(fixture->check, status == GPUPRIM_OK && fault_is_right(fixture), "%s%s gives %d (%s)",
          trial->what, when, status, status ? gpuprim_last_error() : "wrong results");
}

static void nothing_is_left(const struct trial *trial, const struct fault_alive *before)
{
    const struct fault_alive now = fault_alive_now();
    CHECK(trial->fixture.check, now.objects == before->objects && now.blocks == before->blocks,
          "%s: %ld objects and %ld blocks of memory are left", trial->what,
          now.objects - before->objects, now.blocks - before->blocks);
}

// ---------------------------------------------------------------------------------------
// One run

static void judge(struct trial *trial, int status, bool launched, bool had_no_memory)
{
    const struct fault_fixture *fixture = &trial->fixture;
    struct check *check = fixture->check;
    CHECK(check, status == GPUPRIM_OK ? fault_is_right(fixture) : fault_has_message(),
          "%s: status %d, %s", trial->what, status,
          status ? "no message" : "but the results are wrong");
    CHECK(check, status == GPUPRIM_OK || launched || fault_is_untouched(fixture),
          "%s: outputs were touched", trial->what);
    CHECK(check, !had_no_memory || status == GPUPRIM_E_MEMORY, "%s: status %d (%s)",
          trial->what, status, gpuprim_last_error());
}

// After a blocking call has failed the device works on nothing of it any more. No call keeps
// scratch memory.
static void nothing_is_used(const struct trial *trial, const gpuprim *gp, int status)
{
    struct check *check = trial->fixture.check;
    if (trial->fixture.scenario->how == BLOCKING && status)
        CHECK(check, shim_pending(gp->queue) == 0, "%s: %u commands were not waited for",
              trial->what, shim_pending(gp->queue));
    CHECK(check, shim_freed_too_early() == 0, "%s: freed while the device may still use it",
          trial->what);
    for (int i = 0; i < GP_SCRATCH_SLOTS; i++)
        CHECK(check, !gp->scratch[i].busy, "%s: scratch memory is not free again", trial->what);
}

// Runs the scenario once. Returns what failed; NULL if there was no such call.
static const char *attempt(struct trial *trial, enum failing failing, int nth, cl_int code)
{
    struct fault_fixture *fixture = &trial->fixture;
    const struct fault_scenario *s = fixture->scenario;
    const struct fault_alive before = fault_alive_now();
    fixture->check->cases++;
    gpuprim *gp = open_context(trial);
    if (!gp)
        return NULL;
    move_programs(trial->keeper, gp);
    if (s->how != BLOCKING && fault_gate_make(fixture) && s->crowded)
        crowd(fixture, gp);

    if (s->repeated)
        call_well(trial, gp, "the first call");
    fault_paint(fixture);
    shim_watch(true);
    fault_arm(failing, nth, code);
    const int status = fault_call(fixture, gp);
    const bool had_no_memory = shim_allocation_failed();
    const char *failed = had_no_memory ? "malloc" : shim_failed();
    const bool launched = shim_made("clEnqueueNDRangeKernel") > 0;
    snprintf(trial->what, sizeof trial->what, "%s %d (%s) failed with %d",
             failing == ALLOCATION  ? "allocation"
             : failing == TWO_CALLS ? "two calls from"
                                    : "call",
             nth, failed ? failed : "none", failing == ALLOCATION ? 0 : code);
    fault_disarm();
    nothing_is_used(trial, gp, status);
    fault_gate_open(fixture, CL_COMPLETE);
    shim_watch(false);
    clFinish(gp->queue);
    fault_look(fixture);
    judge(trial, status, launched, had_no_memory);
    call_well(trial, gp, ": the next call");
    move_programs(gp, trial->keeper);
    gpuprim_destroy(&gp);
    nothing_is_left(trial, &before);
    return failed;
}

// All places at which something can fail.
static void attempts(struct trial *trial, enum failing failing)
{
    for (int nth = 0; nth < MOST; nth++) {
        const char *failed = attempt(trial, failing, nth, fault_codes[nth % FAULT_CODES]);
        if (!failed)
            return;
        // With this code a variant counts as one that does not build, and another is taken.
        if (strcmp(failed, "clBuildProgram") == 0)
            attempt(trial, failing, nth, CL_BUILD_PROGRAM_FAILURE);
    }
    check_fail(trial->fixture.check, "no end of calls");
}

// Releases are made but return an error. Nobody can do anything about that.
static void with_failing_releases(struct trial *trial)
{
    const struct fault_alive before = fault_alive_now();
    snprintf(trial->what, sizeof trial->what, "failing releases");
    trial->fixture.check->cases++;
    gpuprim *gp = open_context(trial);
    move_programs(trial->keeper, gp);
    shim_fail_releases(CL_OUT_OF_RESOURCES);
    if (gp)
        call_well(trial, gp, ": the call");
    move_programs(gp, trial->keeper);
    gpuprim_destroy(&gp);
    shim_fail_releases(CL_SUCCESS);
    nothing_is_left(trial, &before);
}

// Events of launches end with an error, as after a fault of the device. What they held is free
// again, so that later calls do not take more and more memory. (The shim says this of events
// that are complete, because PoCL 3.1 aborts if a launch fails before another one.)
static void with_failing_events(struct trial *trial)
{
    struct fault_fixture *fixture = &trial->fixture;
    const struct fault_alive before = fault_alive_now();
    long held[3] = { 0, 0, 0 };
    snprintf(trial->what, sizeof trial->what, "events that end with an error");
    fixture->check->cases++;
    gpuprim *gp = open_context(trial);
    move_programs(trial->keeper, gp);
    if (gp && fault_gate_make(fixture)) {
        if (fixture->scenario->crowded)
            crowd(fixture, gp);
        fault_call(fixture, gp);
        fault_gate_open(fixture, CL_COMPLETE);
        fault_look(fixture);
        shim_fail_events(CL_OUT_OF_RESOURCES);
        for (int i = 0; i < 3; i++) {
            call_well(trial, gp, ": a later call");
            held[i] = shim_held();
        }
        shim_fail_events(CL_SUCCESS);
        CHECK(fixture->check, held[2] == held[0], "%s: %ld bytes are held, then %ld",
              trial->what, held[0], held[2]);
    }
    move_programs(gp, trial->keeper);
    gpuprim_destroy(&gp);
    nothing_is_left(trial, &before);
}

// ---------------------------------------------------------------------------------------

static void run_scenario(struct trial *trial, const struct fault_scenario *s, bool is_cold)
{
    struct fault_fixture *fixture = &trial->fixture;
    if (!fault_set_up(fixture, s)) {
        fault_tear_down(fixture);
        return;
    }
    gpuprim **keeper = &trial->keepers[s->streamed];
    if (!is_cold && !*keeper)
        *keeper = open_context(trial);
    trial->keeper = is_cold ? NULL : *keeper;
    snprintf(trial->what, sizeof trial->what, "nothing has failed");
    if (trial->keeper)
        call_well(trial, trial->keeper, ": the call");
    attempts(trial, CALL);
    attempts(trial, ALLOCATION);
    if (!is_cold) {
        attempts(trial, TWO_CALLS);
        with_failing_releases(trial);
        if (s->how != BLOCKING)
            with_failing_events(trial);
    }
    fault_tear_down(fixture);
}

// gpuprim_create, from its first OpenCL call on. It passes over a platform or device that
// fails, so that GPUPRIM_E_NO_DEVICE is a right answer too.
static void creation(struct check *check, enum failing failing, unsigned turn)
{
    for (int nth = 0; nth < MOST; nth++) {
        const cl_int code = fault_codes[((unsigned)nth + turn) % FAULT_CODES];
        const struct fault_alive before = fault_alive_now();
        gpuprim *gp = NULL;
        fault_arm(failing, nth, code);
        const int status = gpuprim_create(NULL, &gp);
        const char *failed = shim_failed();
        const bool has_failed = failed || shim_allocation_failed();
        const bool has_message = !status || fault_has_message();
        fault_disarm();
        check->cases++;
        CHECK(check, (status == GPUPRIM_OK) == (gp != NULL) && has_message,
              "call %d (%s): status %d, context %p, message '%s'", nth, failed, status,
              (void *)gp, gpuprim_last_error());
        gpuprim_destroy(&gp);
        const struct fault_alive after = fault_alive_now();
        CHECK(check, after.objects == before.objects && after.blocks == before.blocks,
              "call %d (%s) failed with %d: %ld objects and %ld blocks of memory are left", nth,
              failed, code, after.objects - before.objects, after.blocks - before.blocks);
        if (!has_failed)
            return;
    }
}

static void run_all(struct trial *trial, const struct fault_scenario *scenarios, unsigned n,
                    bool is_cold)
{
    struct check *check = trial->fixture.check;
    for (unsigned i = 0; i < n; i++) {
        if (!check_begin(check, "faults/%s", scenarios[i].name))
            continue;
        if (!trial->fixture.context && !fault_fixture_make(check, &trial->fixture)) {
            check_end(check);
            continue;
        }
        const char *why = fault_lacks(&trial->fixture, &scenarios[i]);
        if (why) {
            check_skip(check, "%s", why);
            continue;
        }
        run_scenario(trial, &scenarios[i], is_cold);
        check_end(check);
    }
}

static void run(struct check *check)
{
    if (check_begin(check, "faults/create")) {
        for (unsigned turn = 0; turn < (check->quick ? 1 : FAULT_CODES); turn++)
            creation(check, CALL, turn);
        creation(check, TWO_CALLS, 0);
        creation(check, ALLOCATION, 0);
        check_end(check);
    }
    struct trial trial = { .fixture = { .check = check } };
    run_all(&trial, fault_warm, fault_n_warm, false);
    run_all(&trial, fault_cold, fault_n_cold, true);
    gpuprim_destroy(&trial.keepers[0]);
    gpuprim_destroy(&trial.keepers[1]);
    fault_fixture_free(&trial.fixture);
}

const struct check_suite check_faults = { .name = "faults", .run = run };
