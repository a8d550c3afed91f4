// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: lines of a tile of cpu_matrix, inside a row and beyond its ends. A line
// is one position, with the elements of `few` rows; resolve() is asked once for many of them:
//
//     X(j) ...     -3 -2 -1 | 0 1 2 ... n-1 | n ...
//     REFLECT       2  1  0   lines inside are copied from memory; then lines beyond the ends
//     CONSTANT      c  c  c   from these, where they are in the tile, else from memory
//
// Macros  those of cpu_vector.cl
//
// Defines struct source, struct stretch, stretch_of(), take(), take_constant(), lines_inside(),
//         take_phases() and take_row_phases()

// Rows of an input: of the first of them, x and before are element 0. Nothing may be read from
// end on.
struct source {
    global const elem *x, *before, *end;
};

// A tile's inputs of a phase: X(j + i * apart) of `few` rows stand in line i. The lines in
// front of `from`, and those from `past` on, are beyond the ends of the row.
struct stretch {
    CALC_T *to;
    uint line, few; // elements
    long j, apart;
    uint from, past;
};

// Whether lines are whole vectors, so that one is filled without harm to the next.
static bool has_lanes(const struct stretch *t)
{
    return t->few >= ORDER && t->line % ORDER == 0;
}

static void take_constant(const struct stretch *t, uint i, uint many, ulong bits)
{
    const OPERAND w = constant_of(bits);
#if COMPONENTS == 2
    const calc_vec v = (calc_vec)(w, w, w, w, w, w, w, w);
#else
    const calc_vec v = (calc_vec)((CALC_T)w);
#endif
    const bool is_run = t->line == t->few;
    const uint lines = is_run ? 1 : many, count = is_run ? many * t->few : t->few;
    CALC_T *to = t->to + i * t->line * COMPONENTS;
    for (uint k = 0; k < lines; k++)
        for (uint c = 0; c < count; c += ORDER)
            TAKE(to + k * t->line * COMPONENTS, c, v);
}

// Fills line i and following ones, `many` at most, from input `at`, `further` behind it, and so
// on. Copies lines that are there already. Returns how many it took.
static uint take_lines(const struct stretch *t, const struct source *s,
                       const struct arguments *g, uint i, uint many, long at, long further)
{
    const long from = (at - t->j) / t->apart, turn = further / t->apart;
    if (!has_lanes(t) || from * t->apart != at - t->j || from < t->from || from >= t->past) {
        take_even(t->to + i * t->line * COMPONENTS, t->line, s->x + at * g->stride, s->end,
                  many, further * g->stride, t->few, g->row_stride);
        return many;
    }
    if (turn)
        many = (uint)min((long)many, turn > 0 ? t->past - from : from - t->from + 1);
    for (uint k = 0; k < many; k++) {
        const CALC_T *line = t->to + (from + k * turn) * t->line * COMPONENTS;
        for (uint c = 0; c < t->few; c += ORDER)
            TAKE(t->to + (i + k) * t->line * COMPONENTS, c, LOAD_CALC(line + c * COMPONENTS));
    }
    return many;
}

// Fills lines i ... past - 1, which are beyond one end of the row: as many at a time as have
// one constant, or lie evenly in memory.
static void take_beyond(const struct stretch *t, const struct source *s,
                        const struct arguments *g, uint i, uint past)
{
    const long n = (long)g->n;
    while (i < past) {
        const long j = t->j + i * t->apart;
        const uint mode = j < 0 ? g->left : g->right;
        uint many = past - i;
        if (mode == BOUNDARY_CONSTANT)
            take_constant(t, i, many, j < 0 ? g->constant_left : g->constant_right);
        else if (mode == BOUNDARY_HISTORY)
            take_even(t->to + i * t->line * COMPONENTS, t->line,
                      s->before + (j + (long)g->halo) * g->before_stride, 0, many,
                      t->apart * g->before_stride, t->few, g->before_row_stride);
        else {
            const long at = resolve(j, n, g->left, g->right);
            const long further =
                many > 1 ? resolve(j + t->apart, n, g->left, g->right) - at : 0;
            if (mode != BOUNDARY_EDGE)
                many = (uint)min((long)many, further == t->apart    ? (n - 1 - at) / t->apart + 1
                                             : further == -t->apart ? at / t->apart + 1
                                                                    : 1);
            many = take_lines(t, s, g, i, many, at, many > 1 ? further : 0);
        }
        i += many;
    }
}

// The stretch of `many` lines from X(j) on.
static struct stretch stretch_of(CALC_T *to, uint line, const struct arguments *g, long j,
                                 long apart, uint many, uint few)
{
    const long n = (long)g->n;
    struct stretch t = { to, line, few, j, apart, 0, many };
    if (j < 0)
        t.from = (uint)min((long)many, (apart - 1 - j) / apart);
    if (j + ((long)many - 1) * apart >= n)
        t.past = j < n ? (uint)((n - 1 - j) / apart + 1) : 0;
    t.past = max(t.past, t.from);
    return t;
}

// to = X(j), X(j + apart) ... of `few` rows, a line each.
static void take(CALC_T *to, uint line, const struct source *s, const struct arguments *g,
                 long j, long apart, uint many, uint few)
{
    const struct stretch t = stretch_of(to, line, g, j, apart, many, few);
    // Vectors reach beyond lines that are no whole vectors, so these are filled in order.
    if (!has_lanes(&t))
        take_beyond(&t, s, g, 0, t.from);
    if (t.from < t.past)
        take_even(to + t.from * line * COMPONENTS, line,
                  s->x + (j + t.from * apart) * g->stride, s->end, t.past - t.from,
                  apart * g->stride, few, g->row_stride);
    if (has_lanes(&t))
        take_beyond(&t, s, g, 0, t.from);
    take_beyond(&t, s, g, t.past, many);
}

// With a step, of neighbouring inputs each belongs to another phase. The lines of phases, of
// least ... most - 1, whose inputs from X(j) on are inside, with what blocks read beyond them.
struct lines {
    uint first, past; // past 0: none
};

static struct lines lines_inside(const struct arguments *g, long j, uint step, uint least,
                                 uint most)
{
    const long first = max((long)least, j < 0 ? (step - 1 - j) / step : 0);
    const long past = min((long)most, ((long)g->n - ORDER - j) / step);
    const struct lines r = { (uint)first, past - first >= ORDER ? (uint)past : 0 };
    return r;
}

// The phase of the input behind that of phase 0. Step and dilation have no common factor.
static uint next_phase(uint step, uint dilation)
{
    uint phase = 1;
    while (phase * dilation % step != 1)
        phase++;
    return phase;
}

// Takes these lines of all phases, which lie `length` elements apart.
static void take_phases(CALC_T *to, uint length, const struct source *s, long j, uint step,
                        struct lines lines)
{
    const uint most = min(step, (uint)ORDER);
    for (uint q = 0; q < step; q += ORDER) {
        const uint phase = min(q, step - most);
        for (uint i = lines.first; i < lines.past; i += ORDER) {
            const uint line = min(i, lines.past - ORDER);
            take_block(to + (phase * length + line) * COMPONENTS, length,
                       s->x + (j + (long)line * step + phase), most, step);
        }
    }
}

// The same where lanes are `few` rows, of which blocks of neighbouring inputs are transposed. Phase
// p begins p * dilation inputs behind phase 0, and its lines are numbered from there.
//
//     step 2, dilation 3    inputs   0 1 2 3 4 5 6 7     phase 0   0 2 4 6
//                                                        phase 1   3 5 7
static void take_row_phases(CALC_T *to, uint length, uint line, const struct source *s,
                            const struct arguments *g, long j, uint step, uint next,
                            struct lines lines, uint few)
{
    CALC_T block[ORDER * ORDER * COMPONENTS];
    const uint first = lines.first * step, past = lines.past * step, dilation = (uint)g->dilation;
    const uint back = (dilation * next - 1) / step; // lines, from an input to the next one
    for (uint c = 0; c < few; c += ORDER) {
        const uint row = min(c, few - ORDER);
        for (uint i = first; i < past; i += ORDER) {
            const uint at = min(i, past - ORDER);
            uint phase = at % step * next % step, k = (at - dilation * phase) / step;
            take_block(block, ORDER, s->x + (j + at + row * g->row_stride), ORDER,
                       g->row_stride);
            for (uint q = 0; q < ORDER; q++) {
                TAKE(to + (phase * length + k * line) * COMPONENTS, row,
                     LOAD_CALC(block + q * ORDER * COMPONENTS));
                phase += next;
                k -= back;
                if (phase >= step) {
                    phase -= step;
                    k += dilation;
                }
            }
        }
    }
}
