// SPDX-License-Identifier: Apache-2.0
//
// lab, row A5: the sum by the built-in reduction of OpenCL C, one value per item, one atomic
// per group or sub-group; res[0] = x[0] + x[1] + ... modulo 2^32. Item i reads x[i]: 4 bytes
// per value. The built-in contains the barriers. It is newer than OpenCL C 1.2, so that this
// file is compiled only where the device has it.
//
// Macros: WG, items per group; SUB_GROUPS: 1 = reduce a sub-group, 0 = the whole group.

#if !defined(WG) || !defined(SUB_GROUPS)
#error "WG and SUB_GROUPS must be defined"
#endif
#if SUB_GROUPS
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void sum_A5(global const uint *x, uint n, global uint *res)
{
#if SUB_GROUPS
    const uint sum = sub_group_reduce_add(x[get_global_id(0)]);
    const bool first = get_sub_group_local_id() == 0;
#else
    const uint sum = work_group_reduce_add(x[get_global_id(0)]);
    const bool first = get_local_id(0) == 0;
#endif
    if (first)
        atomic_add(res, sum);
}
