/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on GPUs. */
#include "convolve1d.h"
