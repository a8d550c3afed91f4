/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scenarios work on (faults.h): OpenCL objects of the caller, and inputs and outputs
 * in memory of each kind.
 */
#include "faults.h"

#include <stdlib.h>
#include <string.h>

enum { CANARY = 0xc5 };

// ---------------------------------------------------------------------------------------
// Stores

static cl_int store_write(const struct fault_fixture *fixture, const struct fault_store *store,
                          const void *from)
{
    if (store->host)
        memcpy(store->host, from, store->bytes);
    else if (store->buffer)
        return clEnqueueWriteBuffer(fixture->queue, store->buffer, CL_TRUE, 0, store->bytes,
                                    from, 0, NULL, NULL);
    else if (store->svm)
        return clEnqueueSVMMemcpy(fixture->queue, CL_TRUE, store->svm, from, store->bytes, 0,
                                  NULL, NULL);
    return CL_SUCCESS;
}

static cl_int store_read(const struct fault_fixture *fixture, const struct fault_store *store,
                         void *to)
{
    if (store->host)
        memcpy(to, store->host, store->bytes);
    else if (store->buffer)
        return clEnqueueReadBuffer(fixture->queue, store->buffer, CL_TRUE, 0, store->bytes, to,
                                   0, NULL, NULL);
    else if (store->svm)
        return clEnqueueSVMMemcpy(fixture->queue, CL_TRUE, to, store->svm, store->bytes, 0,
                                  NULL, NULL);
    return CL_SUCCESS;
}

static bool store_make(const struct fault_fixture *fixture, struct fault_store *store,
                       enum gpuprim_memory memory, size_t bytes, const void *from)
{
    cl_int error = CL_SUCCESS;
    *store = (struct fault_store){ .memory = memory, .bytes = bytes };
    if (!bytes)
        return true;
    if (memory == GPUPRIM_HOST)
        store->host = check_allocate(bytes);
    else if (memory == GPUPRIM_BUFFER)
        store->buffer =
            clCreateBuffer(fixture->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    else if (!(store->svm = clSVMAlloc(fixture->context, CL_MEM_READ_WRITE, bytes, 0)))
        error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (!error && from)
        error = store_write(fixture, store, from);
    return CHECK(fixture->check, !error, "no memory for a test: %d", error);
}

static void store_free(const struct fault_fixture *fixture, struct fault_store *store)
{
    free(store->host);
    if (store->buffer)
        clReleaseMemObject(store->buffer);
    if (store->svm)
        clSVMFree(fixture->context, store->svm);
    *store = (struct fault_store){ .host = NULL };
}

struct gpuprim_array fault_view(const struct fault_store *store, enum gpuprim_type type,
                                uint64_t count, uint64_t rows)
{
    return (struct gpuprim_array){ .type = type,
                                   .memory = store->memory,
                                   .base = store->host     ? store->host
                                           : store->buffer ? (void *)store->buffer
                                                           : store->svm,
                                   .count = count,
                                   .rows = rows };
}

// ---------------------------------------------------------------------------------------
// The fixture

bool fault_fixture_make(struct check *check, struct fault_fixture *fixture)
{
    cl_int error[2] = { 0 }, ignored;
    struct gp_caps caps;
    *fixture = (struct fault_fixture){ .check = check };
    if (!CHECK(check,
               !gp_device_find(getenv("GPUPRIM_DEVICE"), &fixture->device) &&
                   !gp_caps_query(fixture->device, &caps),
               "%s", gpuprim_last_error()))
        return false;
    fixture->has_svm = caps.has_svm;
    fixture->x = check_allocate(sizeof(int32_t) * FAULT_N * FAULT_ROWS);
    for (int i = 0; i < FAULT_N * FAULT_ROWS; i++)
        fixture->x[i] = i % FAULT_N;
    fixture->context = clCreateContext(NULL, 1, &fixture->device, NULL, NULL, &error[0]);
    fixture->queue = clCreateCommandQueue(fixture->context, fixture->device, 0, &error[1]);
    fixture->out_of_order = clCreateCommandQueue(
        fixture->context, fixture->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &ignored);
    return CHECK(check, !(error[0] | error[1]), "no fixture: %d %d", error[0], error[1]);
}

void fault_fixture_free(struct fault_fixture *fixture)
{
    if (fixture->out_of_order)
        clReleaseCommandQueue(fixture->out_of_order);
    if (fixture->queue)
        clReleaseCommandQueue(fixture->queue);
    if (fixture->context)
        clReleaseContext(fixture->context);
    free(fixture->x);
}

const char *fault_lacks(const struct fault_fixture *fixture, const struct fault_scenario *s)
{
    const bool has_svm = s->in == GPUPRIM_SVM || s->out == GPUPRIM_SVM ||
                         s->second == GPUPRIM_SVM || s->rule == GPUPRIM_SVM;
    if (has_svm && !fixture->has_svm)
        return "the device has no shared virtual memory";
    if (s->how == OUT_OF_ORDER && !fixture->out_of_order)
        return "the device has no out-of-order queues";
    return NULL;
}

bool fault_set_up(struct fault_fixture *fixture, const struct fault_scenario *scenario)
{
    static const int32_t before[FAULT_ROWS][FAULT_TAPS - 1] = { { 7, 7, 7, 7 },
                                                                { 7, 7, 7, 7 },
                                                                { 7, 7, 7, 7 } };
    int32_t rule[FAULT_ROWS * FAULT_TAPS];
    fixture->scenario = scenario;
    const size_t rule_bytes = fault_rule(scenario, rule);
    bool good = store_make(fixture, &fixture->in, scenario->in,
                           sizeof(int32_t) * FAULT_N * FAULT_ROWS, fixture->x);
    good &= store_make(fixture, &fixture->before, scenario->rule,
                       scenario->history ? sizeof before : 0, before);
    good &= store_make(fixture, &fixture->rule, scenario->rule, rule_bytes, rule);
    for (int i = 0; i < FAULT_OUTPUTS; i++) {
        struct fault_output *output = &fixture->outputs[i];
        const size_t bytes = fault_bytes(scenario, i);
        good &= store_make(fixture, &output->store, i ? scenario->second : scenario->out, bytes,
                           NULL);
        output->painted = check_allocate(bytes);
        output->wanted = check_allocate(bytes);
        output->seen = check_allocate(bytes);
        memset(output->painted, CANARY, bytes);
        memset(output->wanted, CANARY, bytes);
    }
    fault_expect(fixture);
    return good;
}

void fault_tear_down(struct fault_fixture *fixture)
{
    store_free(fixture, &fixture->in);
    store_free(fixture, &fixture->before);
    store_free(fixture, &fixture->rule);
    for (int i = 0; i < FAULT_OUTPUTS; i++) {
        store_free(fixture, &fixture->outputs[i].store);
        free(fixture->outputs[i].painted);
        free(fixture->outputs[i].wanted);
        free(fixture->outputs[i].seen);
        fixture->outputs[i] = (struct fault_output){ .seen = NULL };
    }
}

// ---------------------------------------------------------------------------------------

void fault_paint(struct fault_fixture *fixture)
{
    for (int i = 0; i < FAULT_OUTPUTS; i++)
        store_write(fixture, &fixture->outputs[i].store, fixture->outputs[i].painted);
}

void fault_look(struct fault_fixture *fixture)
{
    clFinish(fixture->queue);
    if (fixture->out_of_order)
        clFinish(fixture->out_of_order);
    for (int i = 0; i < FAULT_OUTPUTS; i++)
        store_read(fixture, &fixture->outputs[i].store, fixture->outputs[i].seen);
}

bool fault_is_untouched(const struct fault_fixture *fixture)
{
    for (int i = 0; i < FAULT_OUTPUTS; i++)
        if (memcmp(fixture->outputs[i].seen, fixture->outputs[i].painted,
                   fixture->outputs[i].store.bytes) != 0)
            return false;
    return true;
}

bool fault_is_right(const struct fault_fixture *fixture)
{
    for (int i = 0; i < FAULT_OUTPUTS; i++)
        if (memcmp(fixture->outputs[i].seen, fixture->outputs[i].wanted,
                   fixture->outputs[i].store.bytes) != 0)
            return false;
    return true;
}

bool fault_gate_make(struct fault_fixture *fixture)
{
    cl_int error;
    fixture->gate = clCreateUserEvent(fixture->context, &error);
    return CHECK(fixture->check, fixture->gate, "no user event: %d", error);
}

void fault_gate_open(struct fault_fixture *fixture, cl_int status)
{
    if (!fixture->gate)
        return;
    clSetUserEventStatus(fixture->gate, status);
    clReleaseEvent(fixture->gate);
    fixture->gate = NULL;
}
