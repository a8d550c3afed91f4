// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_folds and gpu_places: a task. gpu_folds.cl has the drawing, gpu_folds_flat.cl
// the inputs of which many are one place.
//
// Most inputs are needed by all outputs, and come in passes (gpu_folds_passes.cl) or four by
// four. The lead and the tail of a task (gpu_folds_sums.cl) need no conditions either.
//
// Macros   those of gpu_folds_flat.cl

#if !FOLDED

// Adds the inputs from m on of those that all outputs need, up to `end` at most. Returns what
// comes next.
INLINE uint add_middle(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], INPUTS inputs,
                       local const ushort *places, TAP_T *window, TAP_SPACE const TAP_T *taps,
                       uint m, uint end, uint length, uint step)
{
    #pragma unroll 1
    while (m + 4 <= end) {
#if STEP
        const uint inside = min(length, end_of_inputs(inputs, m));
        if (m + RING <= end && m + PASS_TABLE <= inside) {
            m = add_passes(sums, inputs, places, window, taps, m, end, inside, 0, false);
            continue;
        }
#endif
        add_inputs(sums, inputs, places, window, taps, m, step);
        m += 4;
    }
    return m;
}

// One task for the rows of an item.
INLINE void add_task(SUM_T sums[ITEM_OUTPUTS][ITEM_ROWS], INPUTS inputs,
                     local const ushort *places, TAP_SPACE const TAP_T *taps,
                     const struct flat_inputs *flat, const struct fold_arguments *f,
                     uint n_taps)
{
    const uint step = STEP ? STEP : f->step, older = (ITEM_OUTPUTS - 1) * step;
    const uint end = min(n_taps, flat->right), right = f->right_place * PLACE_BYTES;
    const bool skips = FLAT_ENDS && f->flat_right == FLAT_ZEROS && flat->right < f->length;
    const uint stop = skips ? flat->right : f->length;
    TAP_T window[OLDER + 4]; // the taps that inputs m - 4 ... m - 1 met
    uint m = flat->left;
#if FLAT_ENDS
    add_left(sums, inputs, taps, flat, f, n_taps, step);
#endif
#if STEP
    if (m == 0 && LEAD <= end) {
        add_lead(sums, inputs, places, window, taps, f->length);
        m = LEAD;
    } else
#endif
    {
        const uint to = max(m, min((older + 3) / 4 * 4, stop));
        add_slowly(sums, inputs, places, taps, m, to, n_taps, step, flat->right, right);
        m = to;
        #pragma unroll
        for (uint i = 0; i < OLDER; i++)
            window[i + 4] = m >= OLDER && m <= n_taps ? taps[m - OLDER + i] : 0;
    }
    // All outputs need what comes next, if there still are taps.
    if (m >= older)
        m = add_middle(sums, inputs, places, window, taps, m, end, flat->right, step);
#if FLAT_ENDS
    if (!skips && m >= older && m >= flat->right) {
        OPERAND v[ITEM_ROWS];
        load_place(v, inputs, right);
        m = add_right(sums, v, window, taps, m, n_taps, f->length, step);
    }
#endif
#if STEP
    const bool has_tail = !skips && m >= older && m <= n_taps;
#else
    const bool has_tail = false;
#endif
    add_slowly(sums, inputs, places, taps, m, has_tail ? n_taps : stop, n_taps, step,
               flat->right, right);
#if STEP
    if (has_tail)
        add_tail(sums, inputs, places, taps, n_taps, flat->right, right, f->length);
#endif
#if FLAT_ENDS
    if (skips)
        skip_right(sums, flat, f, step);
#endif
}
#endif
