// SPDX-License-Identifier: Apache-2.0
//
// lab, row W4: a private array of P words per item, read and written at 256 indices that are
// known at run time only. What registers do not hold is in memory.
//
// Macros: WG; P, a power of two.

#if !defined(WG) || !defined(P)
#error "WG and P must be defined"
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void W4(global const uint *restrict x, global uint *restrict y)
{
    uint own[P], v = x[get_global_id(0)];
    for (uint k = 0; k < P; k++)
        own[k] = v + k;
    for (uint k = 0; k < 256; k++) {
        const uint at = (v >> 8) % P;
        own[at] = own[at] * 5 + k;
        v = v * 1664525u + own[(at + 1) % P];
    }
    y[get_global_id(0)] = v;
}
