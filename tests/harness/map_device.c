/* SPDX-License-Identifier: Apache-2.0
 *
 * The device's part of the map (map.h): its memory and kernels, random inputs, and the
 * comparison with baseline's outputs. */
#include "map.h"

static const char kernels[] =
    "#ifdef F64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#endif\n"
    "uint hash(uint h) {\n"
    "    h *= 2654435761u;\n"
    "    h ^= h >> 15; h *= 2246822519u; h ^= h >> 13; h *= 3266489917u;\n"
    "    return h ^ h >> 16;\n"
    "}\n"
    "float value(uint h, uint signs) {\n"
    "    return signs ? (h & 1 ? -1.0f : 1.0f) : (float)(h >> 8) * 0x1p-24f;\n"
    "}\n"
    // 8 bytes an item, of integers, f16, f32, or f64.
    "kernel void fill(global uint2 *x, uint size, uint signs) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    const uint a = hash(2 * (uint)i), b = hash(2 * (uint)i + 1);\n"
    "    if (size == 0) x[i] = (uint2)(a, b);\n"
    "    if (size == 2) {\n"
    "        vstore_half_rtz(value(a, signs), 4 * i, (global half *)x);\n"
    "        vstore_half_rtz(value(b, signs), 4 * i + 1, (global half *)x);\n"
    "        vstore_half_rtz(value(hash(a), signs), 4 * i + 2, (global half *)x);\n"
    "        vstore_half_rtz(value(hash(b), signs), 4 * i + 3, (global half *)x);\n"
    "    }\n"
    "    if (size == 4) x[i] = as_uint2((float2)(value(a, signs), value(b, signs)));\n"
    "#ifdef F64\n"
    "    if (size == 8)\n"
    "        x[i] = as_uint2(signs ? (double)value(a, 1) : (double)a * 0x1p-32 +\n"
    "                                                      (double)b * 0x1p-64 * (1 - "
    "0x1p-20));\n"
    "#endif\n"
    "}\n"
    // Counts elements that differ. NAN(v): v is one. IS_NEAR: they differ by rounding only.
    "#define COMPARE(name, T, NAN, IS_NEAR) \\\n"
    "    kernel void name(global const T *x, global const T *y, float tolerance, \\\n"
    "                     global uint *found) { \\\n"
    "        const T a = x[get_global_id(0)], b = y[get_global_id(0)]; \\\n"
    "        if (a != b && !(NAN(a) && NAN(b)) && !IS_NEAR) atomic_inc(found); \\\n"
    "    }\n"
    "#define NEVER(v) 0\n"
    "#define NAN16(v) (((v) & 0x7fff) > 0x7c00)\n"
    "#define NAN32(v) (((v) & 0x7fffffff) > 0x7f800000)\n"
    "#define NAN64(v) (((v) & 0x7ffffffffffffffful) > 0x7ff0000000000000ul)\n"
    "#define NEAR(x, y) (isfinite(y) && fabs((x) - (y)) <= tolerance * fabs(y))\n"
    "#define NEAR32 NEAR(as_float(a), as_float(b))\n"
    "#define NEAR64 NEAR(as_double(a), as_double(b))\n"
    "COMPARE(same_1, uchar, NEVER, 0)\n"
    "COMPARE(same_2, ushort, NEVER, 0)\n"
    "COMPARE(same_4, uint, NEVER, 0)\n"
    "COMPARE(same_8, ulong, NEVER, 0)\n"
    "COMPARE(same_f16, ushort, NAN16, 0)\n"
    "COMPARE(same_f32, uint, NAN32, 0)\n"
    "COMPARE(near_f32, uint, NAN32, NEAR32)\n"
    "#ifdef F64\n"
    "COMPARE(same_f64, ulong, NAN64, 0)\n"
    "COMPARE(near_f64, ulong, NAN64, NEAR64)\n"
    "#endif\n"
    "kernel void every(global const uint *x, ulong step, global uint *y) {\n"
    "    if (x[get_global_id(0) * step] == 12345) y[0] = 1;\n"
    "}\n"
    "kernel void store(global uint4 *y, ulong run, ulong step) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    y[i / run * step + i % run] = (uint4)(1);\n"
    "}\n"
    "kernel void copy(global const uint *x, ulong first, global uint *y) {\n"
    "    y[get_global_id(0)] = x[first + get_global_id(0)];\n"
    "}\n"
    "kernel void empty(global uint *y) { if (get_global_id(0) == 1) y[0] = 0; }\n";

// ---------------------------------------------------------------------------------------

uint64_t map_largest(const struct map_memory *m)
{
    return m->expected.bytes / 16 * 7; // there may be two inputs, and two outputs
}

// ---------------------------------------------------------------------------------------
// Inputs, and the comparison of outputs

static bool run(struct map_memory *m, cl_kernel kernel, size_t items)
{
    return !clEnqueueNDRangeKernel(m->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL) &&
           !clFinish(m->queue);
}

bool map_fill(struct map_memory *m, const struct map_call *call)
{
    const enum gpuprim_type type = call->in[0].type;
    const bool integer = gp_type_is_integer(type);
    const enum gpuprim_type kind = integer               ? GPUPRIM_U32
                                   : type == GPUPRIM_C32 ? GPUPRIM_F32
                                                         : type;
    if (m->filled == kind && m->signs == call->signs)
        return true;
    cl_int error;
    cl_kernel fill = clCreateKernel(m->program, "fill", &error);
    if (error)
        return false;
    const cl_uint size = integer ? 0 : (cl_uint)gp_type_size(kind), signs = call->signs;
    clSetKernelArg(fill, 0, sizeof m->in.memory, &m->in.memory);
    clSetKernelArg(fill, 1, sizeof size, &size);
    clSetKernelArg(fill, 2, sizeof signs, &signs);
    const bool done = run(m, fill, m->in.bytes / 8);
    clReleaseKernel(fill);
    m->filled = done ? kind : GPUPRIM_TYPE_INVALID;
    m->signs = call->signs;
    return done;
}

bool map_poison(struct map_memory *m, const struct map_call *call)
{
    static const cl_uint poison = 0xa53c965a; // a number in every type
    const size_t bytes = map_out_step(call);
    return !clEnqueueFillBuffer(m->queue, m->out.memory, &poison, sizeof poison, 0, bytes, 0,
                                NULL, NULL) &&
           !clEnqueueFillBuffer(m->queue, m->expected.memory, &poison, sizeof poison, 0, bytes,
                                0, NULL, NULL) &&
           !clFinish(m->queue);
}

static const char *comparison(enum gpuprim_type type, bool tolerant)
{
    switch (type) {
    case GPUPRIM_F16:
        return "same_f16";
    case GPUPRIM_F32:
        return tolerant ? "near_f32" : "same_f32";
    case GPUPRIM_C32:
        return "same_f32";
    case GPUPRIM_F64:
        return tolerant ? "near_f64" : "same_f64";
    default:
        break;
    }
    const size_t size = gp_type_size(type);
    return size == 1 ? "same_1" : size == 2 ? "same_2" : size == 4 ? "same_4" : "same_8";
}

// Compares `items` elements from byte `at` of both outputs on.
static bool same_part(struct map_memory *m, const char *name, size_t at, size_t bytes,
                      size_t items, double tolerance)
{
    const cl_buffer_region part = { at, bytes };
    const cl_uint none = 0;
    const cl_float nearness = (cl_float)tolerance;
    cl_uint found = 1;
    cl_int errors[3];
    cl_mem parts[2] = { clCreateSubBuffer(m->out.memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &part,
                                          &errors[0]),
                        clCreateSubBuffer(m->expected.memory, 0, CL_BUFFER_CREATE_TYPE_REGION,
                                          &part, &errors[1]) };
    cl_kernel kernel = clCreateKernel(m->program, name, &errors[2]);
    bool done = !errors[0] && !errors[1] && !errors[2];
    if (done) {
        clSetKernelArg(kernel, 0, sizeof parts[0], &parts[0]);
        clSetKernelArg(kernel, 1, sizeof parts[1], &parts[1]);
        clSetKernelArg(kernel, 2, sizeof nearness, &nearness);
        clSetKernelArg(kernel, 3, sizeof m->found, &m->found);
        done = !clEnqueueWriteBuffer(m->queue, m->found, CL_TRUE, 0, sizeof none, &none, 0,
                                     NULL, NULL) &&
               run(m, kernel, items) &&
               !clEnqueueReadBuffer(m->queue, m->found, CL_TRUE, 0, sizeof found, &found, 0,
                                    NULL, NULL);
    }
    if (!errors[2])
        clReleaseKernel(kernel);
    for (int i = 0; i < 2; i++)
        if (!errors[i])
            clReleaseMemObject(parts[i]);
    return done && found == 0;
}

bool map_same(struct map_memory *m, const struct map_call *call)
{
    bool same = true;
    size_t at = 0;
    for (int i = 0; i < 2; i++) {
        const struct gpuprim_array *out = &call->out[i];
        if (!out->count)
            continue;
        const size_t bytes = map_room(out);
        const size_t size = out->type == GPUPRIM_C32 ? 4 : gp_type_size(out->type);
        same &= same_part(m, comparison(out->type, call->tolerance > 0), at, bytes,
                          bytes / size, call->tolerance);
        at += bytes;
    }
    return same;
}

// ---------------------------------------------------------------------------------------
// Memory

void map_memory_size(struct map_memory *m, struct bench *bench)
{
    const struct gp_caps *caps = &bench->gp->caps;
    // A GPU's arrays are so large that the time of a launch is small beside a large call. Small
    // devices have room for less: a quarter of the memory that the benchmark leaves stays free.
    const uint64_t used = bench->bytes + bench->bytes / 8, left = caps->global_bytes - used,
                   room = left / 8 * 3 / 4096 * 4096;
    const bool are_small = caps->is_cpu || bench->options.quick; // so that checks end soon
    const size_t bytes = are_small ? bench->bytes / 4 : (size_t)gp_min(bench->bytes, room);
    *m = (struct map_memory){ .bench = bench,
                              .in = { bench->memory, bench->bytes },
                              .out.bytes = bytes,
                              .expected.bytes = bytes };
}

static bool make_buffers(struct map_memory *m)
{
    cl_int errors[4];
    cl_context context = m->bench->gp->context;
    m->out.memory = clCreateBuffer(context, CL_MEM_READ_WRITE, m->out.bytes, NULL, &errors[0]);
    m->expected.memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE, m->expected.bytes, NULL, &errors[3]);
    m->found = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &errors[1]);
    m->queue = clCreateCommandQueue(context, m->bench->gp->device, 0, &errors[2]);
    return !errors[0] && !errors[1] && !errors[2] && !errors[3];
}

bool map_memory_make(struct map_memory *m, struct bench *bench)
{
    const char *text = kernels;
    const gpuprim *gp = bench->gp;
    const char *options = gp->caps.has_fp64 ? "-cl-std=CL1.2 -DF64" : "-cl-std=CL1.2";
    cl_int error;
    map_memory_size(m, bench);
    if (!make_buffers(m))
        return false;
    m->program = clCreateProgramWithSource(gp->context, 1, &text, NULL, &error);
    if (error || clBuildProgram(m->program, 1, &gp->device, options, NULL, NULL))
        return false;
    m->empty = clCreateKernel(m->program, "empty", &error);
    if (error)
        return false;
    m->copy = clCreateKernel(m->program, "copy", &error);
    if (error)
        return false;
    clSetKernelArg(m->empty, 0, sizeof m->found, &m->found);
    map_rates(m);
    return true;
}

void map_memory_free(struct map_memory *m)
{
    if (m->copy)
        clReleaseKernel(m->copy);
    if (m->empty)
        clReleaseKernel(m->empty);
    if (m->program)
        clReleaseProgram(m->program);
    if (m->queue)
        clReleaseCommandQueue(m->queue);
    if (m->found)
        clReleaseMemObject(m->found);
    if (m->out.memory)
        clReleaseMemObject(m->out.memory);
    if (m->expected.memory)
        clReleaseMemObject(m->expected.memory);
}
