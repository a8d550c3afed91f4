/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scenarios of faults.c work on: OpenCL objects of the caller, inputs and outputs in
 * memory of each kind.
 */
#include "faults.h"

#include <stdlib.h>
#include <string.h>

enum { CANARY = 0xc5 };

// ---------------------------------------------------------------------------------------
// Stores

static cl_int store_write(const struct fault_scene *scene, const struct fault_store *store,
                          const void *from)
{
    if (store->host)
        memcpy(store->host, from, store->bytes);
    else if (store->buffer)
        return clEnqueueWriteBuffer(scene->queue, store->buffer, CL_TRUE, 0, store->bytes, from,
                                    0, NULL, NULL);
    else if (store->svm)
        return clEnqueueSVMMemcpy(scene->queue, CL_TRUE, store->svm, from, store->bytes, 0,
                                  NULL, NULL);
    return CL_SUCCESS;
}

static cl_int store_read(const struct fault_scene *scene, const struct fault_store *store,
                         void *to)
{
    if (store->host)
        memcpy(to, store->host, store->bytes);
    else if (store->buffer)
        return clEnqueueReadBuffer(scene->queue, store->buffer, CL_TRUE, 0, store->bytes, to, 0,
                                   NULL, NULL);
    else if (store->svm)
        return clEnqueueSVMMemcpy(scene->queue, CL_TRUE, to, store->svm, store->bytes, 0, NULL,
                                  NULL);
    return CL_SUCCESS;
}

static bool store_make(const struct fault_scene *scene, struct fault_store *store,
                       enum gpuprim_memory memory, size_t bytes, const void *from)
{
    cl_int error = CL_SUCCESS;
    *store = (struct fault_store){ .memory = memory, .bytes = bytes };
    if (!bytes)
        return true;
    if (memory == GPUPRIM_HOST)
        store->host = check_allocate(bytes);
    else if (memory == GPUPRIM_BUFFER)
        store->buffer = clCreateBuffer(scene->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    else if (!(store->svm = clSVMAlloc(scene->context, CL_MEM_READ_WRITE, bytes, 0)))
        error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (!error && from)
        error = store_write(scene, store, from);
    return CHECK(scene->check, !error, "no memory for a test: %d", error);
}

static void store_free(const struct fault_scene *scene, struct fault_store *store)
{
    free(store->host);
    if (store->buffer)
        clReleaseMemObject(store->buffer);
    if (store->svm)
        clSVMFree(scene->context, store->svm);
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
// The scene

bool fault_scene_make(struct check *check, struct fault_scene *scene)
{
    cl_int error[2] = { 0 }, ignored;
    struct gp_caps caps;
    *scene = (struct fault_scene){ .check = check };
    if (!CHECK(check,
               !gp_device_find(getenv("GPUPRIM_DEVICE"), &scene->device) &&
                   !gp_caps_query(scene->device, &caps),
               "%s", gpuprim_last_error()))
        return false;
    scene->has_svm = caps.has_svm;
    scene->x = check_allocate(sizeof(int32_t) * FAULT_N * FAULT_ROWS);
    for (int i = 0; i < FAULT_N * FAULT_ROWS; i++)
        scene->x[i] = i % FAULT_N;
    scene->context = clCreateContext(NULL, 1, &scene->device, NULL, NULL, &error[0]);
    scene->queue = clCreateCommandQueue(scene->context, scene->device, 0, &error[1]);
    scene->out_of_order = clCreateCommandQueue(
        scene->context, scene->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &ignored);
    return CHECK(check, !(error[0] | error[1]), "no scene: %d %d", error[0], error[1]);
}

void fault_scene_free(struct fault_scene *scene)
{
    if (scene->out_of_order)
        clReleaseCommandQueue(scene->out_of_order);
    if (scene->queue)
        clReleaseCommandQueue(scene->queue);
    if (scene->context)
        clReleaseContext(scene->context);
    free(scene->x);
}

const char *fault_lacks(const struct fault_scene *scene, const struct fault_scenario *s)
{
    const bool has_svm = s->in == GPUPRIM_SVM || s->out == GPUPRIM_SVM ||
                         s->second == GPUPRIM_SVM || s->rule == GPUPRIM_SVM;
    if (has_svm && !scene->has_svm)
        return "the device has no shared virtual memory";
    if (s->how == OUT_OF_ORDER && !scene->out_of_order)
        return "the device has no out-of-order queues";
    return NULL;
}

bool fault_stage(struct fault_scene *scene, const struct fault_scenario *scenario)
{
    static const int32_t before[FAULT_ROWS][FAULT_TAPS - 1] = { { 7, 7, 7, 7 },
                                                                { 7, 7, 7, 7 },
                                                                { 7, 7, 7, 7 } };
    int32_t rule[FAULT_ROWS * FAULT_TAPS];
    scene->scenario = scenario;
    const size_t rule_bytes = fault_rule(scenario, rule);
    bool good = store_make(scene, &scene->in, scenario->in,
                           sizeof(int32_t) * FAULT_N * FAULT_ROWS, scene->x);
    good &= store_make(scene, &scene->before, scenario->rule,
                       scenario->history ? sizeof before : 0, before);
    good &= store_make(scene, &scene->rule, scenario->rule, rule_bytes, rule);
    for (int i = 0; i < FAULT_OUTPUTS; i++) {
        struct fault_output *output = &scene->outputs[i];
        const size_t bytes = fault_bytes(scenario, i);
        good &= store_make(scene, &output->store, i ? scenario->second : scenario->out, bytes,
                           NULL);
        output->painted = check_allocate(bytes);
        output->wanted = check_allocate(bytes);
        output->seen = check_allocate(bytes);
        memset(output->painted, CANARY, bytes);
        memset(output->wanted, CANARY, bytes);
    }
    fault_expect(scene);
    return good;
}

void fault_strike(struct fault_scene *scene)
{
    store_free(scene, &scene->in);
    store_free(scene, &scene->before);
    store_free(scene, &scene->rule);
    for (int i = 0; i < FAULT_OUTPUTS; i++) {
        store_free(scene, &scene->outputs[i].store);
        free(scene->outputs[i].painted);
        free(scene->outputs[i].wanted);
        free(scene->outputs[i].seen);
        scene->outputs[i] = (struct fault_output){ .seen = NULL };
    }
}

// ---------------------------------------------------------------------------------------

void fault_paint(struct fault_scene *scene)
{
    for (int i = 0; i < FAULT_OUTPUTS; i++)
        store_write(scene, &scene->outputs[i].store, scene->outputs[i].painted);
}

void fault_look(struct fault_scene *scene)
{
    clFinish(scene->queue);
    if (scene->out_of_order)
        clFinish(scene->out_of_order);
    for (int i = 0; i < FAULT_OUTPUTS; i++)
        store_read(scene, &scene->outputs[i].store, scene->outputs[i].seen);
}

bool fault_is_untouched(const struct fault_scene *scene)
{
    for (int i = 0; i < FAULT_OUTPUTS; i++)
        if (memcmp(scene->outputs[i].seen, scene->outputs[i].painted,
                   scene->outputs[i].store.bytes) != 0)
            return false;
    return true;
}

bool fault_is_right(const struct fault_scene *scene)
{
    for (int i = 0; i < FAULT_OUTPUTS; i++)
        if (memcmp(scene->outputs[i].seen, scene->outputs[i].wanted,
                   scene->outputs[i].store.bytes) != 0)
            return false;
    return true;
}

bool fault_gate_make(struct fault_scene *scene)
{
    cl_int error;
    scene->gate = clCreateUserEvent(scene->context, &error);
    return CHECK(scene->check, scene->gate, "no user event: %d", error);
}

void fault_gate_open(struct fault_scene *scene, cl_int status)
{
    if (!scene->gate)
        return;
    clSetUserEventStatus(scene->gate, status);
    clReleaseEvent(scene->gate);
    scene->gate = NULL;
}
