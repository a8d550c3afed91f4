/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of element types that types.h lists. */
#include "types.h"

const struct gp_type gp_types[GP_TYPE_NUMBERS] = {
#define ROW(NAME, name, bytes, kind) [GPUPRIM_##NAME] = { #NAME, #name, bytes, kind },
    GP_TYPES(ROW)
#undef ROW
};

static const struct gp_type *find(enum gpuprim_type type)
{
    return &gp_types[(unsigned)type < GP_TYPE_NUMBERS ? (unsigned)type : 0];
}

size_t gp_type_size(enum gpuprim_type type)
{
    return find(type)->size;
}

const char *gp_type_name(enum gpuprim_type type)
{
    return find(type)->size ? find(type)->name : "invalid";
}

enum gp_kind gp_type_kind(enum gpuprim_type type)
{
    return find(type)->kind;
}
