/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts for the caller, written piece by piece into his memory (text.c). */
#ifndef GP_TEXT_H
#define GP_TEXT_H

#include "error.h"

// A text that may be longer than its room. `length` counts all of it, as snprintf does.
struct gp_text {
    char *at; // NULL where size is 0
    size_t size, length;
};

void gp_text_add(struct gp_text *text, const char *format, ...) GP_PRINTF(2, 3);

#endif
