// SPDX-License-Identifier: Apache-2.0
//
// lab, rows C1-C3: y[i] = h[0] * X(i - M/2) + h[1] * X(i - M/2 + 1) + ... over M taps. X is x
// inside 0 ... n-1 and 0 outside.
//
// Item i computes y[i] and reads the M values around x[i]. The windows of neighbouring items
// overlap in all but one value:
//
//     item i      x[i-M/2] ........ x[i+M/2]
//     item i+1       x[i+1-M/2] ........ x[i+1+M/2]
//
//     C1  the groups at the ends test a condition for each tap; the windows of all other groups lie
//         inside, so that they need none
//     C2  C2_pad copies x between M/2 zeros on either side; then no item has a condition
//     C3  each item computes the first and the last tap that fall inside
//
// Per value: 8 bytes of global memory and M multiply-adds. No barriers.
//
// Macros: M, odd, the number of taps; WG, items per group. n is a multiple of WG.

#if !defined(M) || !defined(WG)
#error "M and WG must be defined"
#endif
#define GROUP kernel __attribute__((reqd_work_group_size(WG, 1, 1)))

GROUP void C1(global const int *restrict x, global const int *restrict h, global int *restrict y,
              int n)
{
    const int i = get_global_id(0), group = get_group_id(0), groups = get_num_groups(0);
    const int at_end = (M / 2 + WG - 1) / WG;
    int sum = 0;
    if (group < at_end || group >= groups - at_end) {
        for (int k = 0; k < M; k++) {
            const int j = i - M / 2 + k;
            if (j >= 0) {
                if (j < n)
                    sum += h[k] * x[j];
            }
        }
    } else {
        for (int k = 0; k < M; k++)
            sum += h[k] * x[i - M / 2 + k];
    }
    y[i] = sum;
}

kernel void C2_pad(global const int *restrict x, global int *restrict padded, int n)
{
    const int i = get_global_id(0), j = i - M / 2;
    padded[i] = j >= 0 && j < n ? x[j] : 0;
}

GROUP void C2(global const int *restrict padded, global const int *restrict h,
              global int *restrict y, int n)
{
    const int i = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < M; k++)
        sum += h[k] * padded[i + k];
    y[i] = sum;
}

GROUP void C3(global const int *restrict x, global const int *restrict h, global int *restrict y,
              int n)
{
    const int i = get_global_id(0), first = max(0, M / 2 - i), last = min(M, n + M / 2 - i);
    global const int *window = x + (i - M / 2);
    int sum = 0;
    for (int k = first; k < last; k++)
        sum += h[k] * window[k];
    y[i] = sum;
}
