/* SPDX-License-Identifier: Apache-2.0
 *
 * convolve1d on CPU devices. */
#include "convolve1d.h"
