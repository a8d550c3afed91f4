/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers of data for the rows of the lab, filled by tools/lab/kernels/device.cl.
 */
#include "measure.h"

#define LINEAR_A 2654435761u
#define LINEAR_B 12345u

cl_program lab_device_program(struct lab *lab)
{
    const bool cpu = lab->gp->caps.is_cpu;
    return lab_program(lab, "device.cl", NULL,
                       "#define CPU %d\n#define V %s\n#define W %s\n#define A %uu\n"
                       "#define B %uu\n",
                       cpu, cpu ? "float16" : "float", cpu ? "uint16" : "uint4", LINEAR_A,
                       LINEAR_B);
}

static cl_mem filled(struct lab *lab, const char *kernel, uint64_t n)
{
    cl_mem x = lab_buffer(lab, n * sizeof(cl_uint));
    cl_kernel fill = lab_kernel(lab, lab_device_program(lab), kernel);
    LAB_SET(lab, fill, 0, LAB_ARG(x));
    lab_once(lab, &(struct lab_launch){ .kernel = fill, .items = n, .group = lab->group });
    return x;
}

cl_mem lab_linear(struct lab *lab)
{
    return filled(lab, "fill_linear", lab->n);
}

cl_uint lab_linear_sum(uint64_t n)
{
    const uint64_t indices = n % 2 ? (n - 1) / 2 * n : n / 2 * (n - 1);
    return (cl_uint)(LINEAR_A * indices + LINEAR_B * n);
}

cl_mem lab_hashed(struct lab *lab, uint64_t n)
{
    return filled(lab, "fill_hashed", n);
}

cl_mem lab_small(struct lab *lab, uint64_t n)
{
    return filled(lab, "fill_small", n);
}
