// SPDX-License-Identifier: Apache-2.0
//
// lab, row W4: a private array of P words per item, read and written at 256 indices that are
// known only at run time. Registers cannot be indexed at run time, so that large arrays lie in
// memory. Item i reads x[i] and writes y[i]. Per value: 8 bytes of global memory, and 256 steps
// of 3 private accesses. No barriers.
//
// Macros: WG, items per group; P, a power of two.

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
