/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of gpuprim and the history of its API. meson.build reads the three numbers from
 * here.
 *
 * History of the API
 *   0.2.0  gpuprim_as_rows and gpuprim_as_columns view a packed array as a matrix.
 *          An array may have no rows: rows = 0 with a row_stride that is not 0.
 *          gpuprim_devices lists the devices; struct gpuprim_device.
 *          gpuprim_reduce_type and gpuprim_filter_outputs give types and counts of results.
 *          gpuprim_cl_context, gpuprim_cl_device and gpuprim_cl_queue give the OpenCL objects.
 *          struct gpuprim_history has reserved members.
 *          Every enum has a size of 32 bits: its last member is 0x7fffffff.
 *          A classifier is made from one of five structs, one for each rule: gpuprim_thresholds,
 *          gpuprim_uniform, gpuprim_table, gpuprim_cases, gpuprim_rules. enum gpuprim_rule and the
 *          reserved member of struct gpuprim_case are gone.
 *          gpuprim_classify_prepare builds what a call needs.
 *          GPUPRIM_VERSION_NUMBER.
 *   0.1.0  The first: reduce, convolve1d, classify.
 */
#ifndef GPUPRIM_VERSION_H
#define GPUPRIM_VERSION_H

#define GPUPRIM_VERSION_MAJOR 0
#define GPUPRIM_VERSION_MINOR 2
#define GPUPRIM_VERSION_PATCH 0

// One number that grows with the version, for comparisons in #if: 0.2.0 is 200, 1.2.3 is 10203.
#define GPUPRIM_VERSION_NUMBER                                                                 \
    (GPUPRIM_VERSION_MAJOR * 10000 + GPUPRIM_VERSION_MINOR * 100 + GPUPRIM_VERSION_PATCH)

#endif
