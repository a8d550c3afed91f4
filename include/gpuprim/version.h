/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The version of gpuprim and the history of its API. meson.build reads the three numbers from
 * here.
 *
 * @defgroup version Version
 * **0.2.0** Changed: a classifier takes one struct for each rule: gpuprim_thresholds,
 * gpuprim_uniform, gpuprim_table, gpuprim_cases, gpuprim_rules. The enum of rules and the
 * reserved member of gpuprim_case are gone. An array with rows = 0 and a row_stride other than
 * 0 has no rows. gpuprim_history has reserved members. Every enum has 32 bits. A filter or
 * classifier must not be destroyed while another thread is inside a call with it. f32 taps take
 * integers of 8 and 16 bits, and sums in f32 give integers, too.
 *
 * New: GPUPRIM_MAX_ABS, GPUPRIM_STATISTICS, gpuprim_method and the method of a filter,
 * gpuprim_as_rows(), gpuprim_as_columns(), gpuprim_devices(), gpuprim_reduce_type(),
 * gpuprim_filter_outputs(), gpuprim_filter_describe(), gpuprim_convolve1d_prepare(),
 * gpuprim_classify_prepare(), gpuprim_cl_context(), gpuprim_cl_device(), gpuprim_cl_queue(),
 * GPUPRIM_VERSION_NUMBER.
 *
 * **0.1.0** The first version: reduce, convolve1d, classify.
 * @{
 */
#ifndef GPUPRIM_VERSION_H
#define GPUPRIM_VERSION_H

/// The first part of the version. It grows when programs must be changed.
#define GPUPRIM_VERSION_MAJOR 0
/// The second part. It grows when something new is offered. Before 1.0 programs may need
/// changes then.
#define GPUPRIM_VERSION_MINOR 2
/// The third part. It grows when faults are mended.
#define GPUPRIM_VERSION_PATCH 0

/// One number that grows with the version, for comparisons by the preprocessor: 0.2.0 is 200,
/// 1.2.3 is 10203.
#define GPUPRIM_VERSION_NUMBER                                                                 \
    (GPUPRIM_VERSION_MAJOR * 10000 + GPUPRIM_VERSION_MINOR * 100 + GPUPRIM_VERSION_PATCH)

/** @} */

#endif
