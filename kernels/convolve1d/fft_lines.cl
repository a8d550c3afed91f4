// SPDX-License-Identifier: Apache-2.0
//
// convolve1d: the lines that the method FFT takes. A line is a row, or a phase of a dilated row;
// its inputs X(u) lie a dilation apart.
//
// Macros   those of convolve1d.cl and fft.cl
//
// Defines  struct line, line_of()
//          needed()   an input of a segment, boundaries resolved
//          SEGMENTS   of a block: 2, the real and the imaginary part; of complex data, and where
//                     PACKED is 1, one

#if TYPE == C32 || (defined(PACKED) && PACKED)
#define SEGMENTS 1
#else
#define SEGMENTS 2
#endif

struct line {
    long at, before_at, out_at; // element 0 of the row, also of out at the line's first output
    long origin;                // the input that is X(0) of the line
    long step, out_step;        // of the line's inputs and outputs, in elements
    long outputs;
};

INLINE void line_of(const struct arguments *g, uint phases, uint number, struct line *line)
{
    const uint row = phases > 1 ? number / phases : number;
    const uint phase = phases > 1 ? number % phases : 0;
    *line = (struct line){
        .at = g->first + row * g->row_stride,
        .before_at = g->before_first + row * g->before_row_stride,
        .out_at = g->out_first + row * g->out_row_stride + phase * g->out_stride,
        .origin = g->origin + (long)phase * g->step,
        .step = g->dilation * g->stride,
        .out_step = phases * g->out_stride,
        .outputs = (long)(phases > 1 ? (g->outputs - phase + phases - 1) / phases : g->outputs),
    };
}

// X(u), where an output of the segment that begins with output m needs it; else 0: nothing is
// read in front of a history.
INLINE OPERAND needed(global const ELEM *x, global const ELEM *before,
                      const struct arguments *g, const struct line *line, long m, uint valid,
                      long u)
{
    const long end = min(m + (long)valid, line->outputs);
    if (u < m || u >= end + (long)g->taps - 1 || m >= end)
        return 0;
    return fetch(x, before, g, line->at, line->before_at, line->origin + u * g->dilation);
}
