// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, baseline: any device, any work-group size, any strides; the formula as it stands.
//
// The outputs of all rows are numbered one behind the other, row 0 first. Item t computes
// outputs t * share ... (t + 1) * share - 1, each alone. It resolves each input where it reads
// it.
//
//     share 1 (GPUs)  output  0 1 2 3 4 5 ...    share 3 (CPUs)  output  0 1 2 | 3 4 5 | ...
//                     item    0 1 2 3 4 5                        item      0       1
//
// Macros   those of convolve1d.cl; ORDER
// Barriers none
// Per output and tap: loads of an input (BYTES) and a tap, which neighbouring items share by
// way of the cache; a check whether the input is inside; one ADD. Per output: a division by the
// number of outputs, a store. No local memory.

#ifndef ORDER
#error "ORDER must be defined"
#endif
#define SPAN (SPAN_ORDERS * ORDER)

static SUM_T sum_of(global const ELEM *x, global const ELEM *before, global const TAP_T *taps,
                    const struct arguments *g, long at, long before_at, long j)
{
    SUM_T s = 0;
    for (uint b = 0; b < g->taps; b += SPAN)
        for (uint r = b; r < b + ORDER; r++)
            for (uint k = r; k < min(b + SPAN, g->taps); k += ORDER)
                s = ADD(s, taps[k],
                        fetch(x, before, g, at, before_at, j + (long)k * g->dilation));
    return s;
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const TAP_T *restrict taps, global OUT_T *restrict out,
                const struct arguments g)
{
    const ulong item = (ulong)get_group_id(0) * WG + get_local_id(0);
    const ulong all = g.rows * g.outputs;
    const ulong end = min(all, (item + 1) * g.share);
    for (ulong e = item * g.share; e < end; e++) {
        const ulong row = e / g.outputs;
        const long i = (long)(e - row * g.outputs);
        const SUM_T s = sum_of(x, before, taps + g.tap_first + row * g.tap_row, &g,
                               g.first + (long)row * g.row_stride,
                               g.before_first + (long)row * g.before_row_stride,
                               i * (long)g.step + g.origin);
        STORE(out, g.out_first + (long)row * g.out_row_stride + i * g.out_stride, s, g.shift);
    }
}
