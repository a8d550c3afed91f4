/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts for the caller. Calls no other file. See text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>

void gp_text_add(struct gp_text *text, const char *format, ...)
{
    const size_t used = text->length < text->size ? text->length : text->size;
    va_list arguments;
    va_start(arguments, format);
    const int n =
        vsnprintf(text->size ? text->at + used : NULL, text->size - used, format, arguments);
    va_end(arguments);
    text->length += n > 0 ? (size_t)n : 0;
}
