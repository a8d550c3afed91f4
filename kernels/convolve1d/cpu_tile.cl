// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: the tiles of cpu_matrix, whose file draws them: which outputs a tile has,
// how its inputs come into the buffer, and how its results come out.
//
// Macros  those of cpu_vector.cl
//
// Defines struct tile, find_tile(), source_of(), fill(), line_of(), fill_places(), fill_whole(),
//         write()

struct tile {
    ulong row;    // the first, or the first channel
    ulong line;   // the first line of outputs
    ulong z;      // the first output of a line
    uint lines;   // of outputs
    uint zs;      // outputs of a line; each has
    uint channels;
};

static struct tile find_tile(ulong i, const struct arguments *g,
                             const struct matrix_arguments *m)
{
    struct tile t;
    if (m->places) { // a row's tiles one behind the other
        t.line = i % m->line_tiles * m->lines;
        t.row = i / m->line_tiles * m->channels;
        t.z = 0;
    } else if (m->padded) { // as one line behind the other, up to the last row's last output
        t.row = i * m->channels;
        t.line = t.z = 0;
        t.channels = (uint)min((ulong)m->channels, g->rows - t.row);
        t.zs = 1;
        t.lines = (t.channels - 1) * m->padded + (uint)g->outputs;
        return t;
    } else {
        const ulong c = i % m->channel_blocks * m->channels;
        i /= m->channel_blocks;
        t.z = i % m->z_blocks * m->zs;
        i /= m->z_blocks;
        t.line = i % m->line_tiles * m->lines;
        t.row = i / m->line_tiles + c;
    }
    t.channels = (uint)min((ulong)m->channels, g->rows - t.row);
    t.zs = (uint)min((ulong)m->zs, m->fold - t.z);
    t.lines = (uint)min((ulong)m->lines, (g->outputs - 1 - t.z) / m->fold + 1 - t.line);
    return t;
}

static struct source source_of(global const elem *x, global const elem *before,
                               const struct arguments *g, ulong row)
{
    const long last_row = max(0L, (long)(g->rows - 1) * g->row_stride);
    const long last = max(0L, (long)(g->n - 1) * g->stride);
    struct source s;
    s.x = x + (g->first + (long)row * g->row_stride);
    s.before = before + (g->before_first + (long)row * g->before_row_stride);
    s.end = x + (g->first + last_row + last + 1);
    return s;
}

// Whether positions that are `apart` in memory, with `few` channels each, lie side by side.
static bool is_run(long apart, uint few, long few_apart)
{
    return few == 1 ? apart == 1 : few_apart == 1 && apart == few;
}

// How many lines behind those of phase 0 a phase begins.
static uint lines_later(uint phase, const struct arguments *g, const struct matrix_arguments *m)
{
    return (uint)(phase * (ulong)g->dilation / m->step);
}

// The lines of phases that are taken together, from X(j) on. Lanes are rows, and *next is the phase
// of the next input; or one row with a step for which blocks take less time than take_apart(), phase
// by phase, and *next is 0: f32, step 5, 9 taps, 319 us and 456; step 8 255 and 485; step 3 406 and
// 405. Phases have all inputs between them where step and dilation have no common factor: m->step is
// without it.
#define MOST_STEP 64 // and dilation
static struct lines lines_together(const struct arguments *g, const struct matrix_arguments *m,
                                   const struct tile *t, long j, uint count, uint *next)
{
    const bool are_rows = t->channels >= ORDER && t->zs == 1 && m->pitch % ORDER == 0;
    const bool is_row = m->pitch == 1 && m->step > 2 && m->step != 4;
    const bool is_near = g->dilation <= MOST_STEP && m->step <= MOST_STEP;
    const struct lines none = { 0, 0 };
    *next = 0;
    if (g->stride != 1 || count < m->step || m->step != g->step || m->step == 1 || m->fold != 1)
        return none;
    if (are_rows && g->dilation == 1)
        *next = 1;
    else if (are_rows && is_near)
        *next = next_phase(m->step, (uint)g->dilation);
    else if (!is_row || g->dilation != 1)
        return none;
    return lines_inside(g, j, m->step, lines_later(m->step - 1, g, m),
                        t->lines + (count - 1) / m->step * m->spread);
}

// Puts the inputs for taps first ... first + count - 1 into the buffer.
static void fill(CALC_T *buffer, const struct source *s, const struct arguments *g,
                 const struct matrix_arguments *m, const struct tile *t, uint first, uint count)
{
    const long line_step = (long)m->fold * g->step, skipped = (long)first * g->dilation;
    const long j = g->origin + (long)t->line * line_step + (long)t->z * g->step;
    uint next;
    const struct lines inside = lines_together(g, m, t, j + skipped, count, &next);
    for (uint phase = 0; phase < min(count, m->step); phase++) {
        const uint lines = t->lines + (count - 1 - phase) / m->step * m->spread;
        const long at = j + (long)(first + phase) * g->dilation;
        CALC_T *to = buffer + phase * m->length * m->pitch * COMPONENTS;
        const long last = at + (lines - 1) * line_step + (t->zs - 1) * (long)g->step;
        if (inside.past) { // vectors reach beyond these lines, into those that are filled next
            const uint later = lines_later(phase, g, m), past = min(inside.past - later, lines);
            take(to + past * m->pitch * COMPONENTS, m->pitch, s, g, at + past * line_step,
                 line_step, lines - past, t->channels);
            take(to, m->pitch, s, g, at, line_step, min(inside.first - later, lines),
                 t->channels);
        } else if (t->zs == 1)
            take(to, m->pitch, s, g, at, line_step, lines, t->channels);
        else if (is_run(g->step * g->stride, t->channels, g->row_stride) && at >= 0 &&
                 last < (long)g->n)
            take_even(to, m->pitch, s->x + at * g->stride, s->end, lines, line_step * g->stride,
                      t->zs * t->channels, 1);
        else
            for (uint i = 0; i < lines; i++, to += m->pitch * COMPONENTS)
                take(to, t->channels, s, g, at + i * line_step, g->step, t->zs, t->channels);
    }
    if (inside.past && next)
        take_row_phases(buffer, m->length * m->pitch, m->pitch, s, g, j + skipped, m->step, next,
                        inside, t->channels);
    else if (inside.past)
        take_phases(buffer, m->length, s, j + skipped, m->step, inside);
}

// The line of the table's buffer that stands for X(j): inputs, two constants, the history.
static uint line_of(const struct arguments *g, long j)
{
    const long n = (long)g->n, at = resolve(j, n, g->left, g->right);
    return (uint)(at >= 0 && at < n                          ? at
                  : at < 0 && g->left == BOUNDARY_HISTORY ? n + 2 + at + (long)g->halo
                  : at < 0                                ? n
                                                          : n + 1);
}

// places = the lines that stand for the inputs of taps first ... first + count - 1, for each line
// of outputs.
static void fill_places(ushort *places, const struct arguments *g,
                        const struct matrix_arguments *m, const struct tile *t, uint first,
                        uint count)
{
    for (uint i = 0; i < t->lines; i++)
        for (uint k = 0; k < count; k++)
            places[i * count + k] =
                (ushort)(line_of(g, g->origin + (long)(t->line + i) * g->step +
                                        (long)(first + k) * g->dilation) *
                         m->pitch * COMPONENTS);
}

// Puts all inputs of rows into the buffer, and what line_of names beside them.
static void fill_whole(CALC_T *buffer, const struct source *s, const struct arguments *g,
                       const struct matrix_arguments *m, const struct tile *t)
{
    const uint n = (uint)g->n;
    const struct stretch all = { buffer, m->pitch, t->channels, 0, 1, 0, n };
    take(buffer, m->pitch, s, g, 0, 1, n, t->channels);
    take_constant(&all, n, 1, g->constant_left);
    take_constant(&all, n + 1, 1, g->constant_right);
    if (g->left == BOUNDARY_HISTORY)
        take(buffer + (n + 2) * m->pitch * COMPONENTS, m->pitch, s, g, -(long)g->halo, 1,
             (uint)g->halo, t->channels);
}

static void write(const CALC_T *sums, global out_elem *out, const struct arguments *g,
                  const struct matrix_arguments *m, const struct tile *t)
{
    const ulong i = t->line * m->fold + t->z;
    global out_elem *p = out + (g->out_first + (long)t->row * g->out_row_stride +
                                (long)i * g->out_stride);
    if (m->padded)
        give(sums, m->padded, p, t->channels, g->out_row_stride, (uint)g->outputs, g->out_stride,
             g->shift);
    else if (t->zs == 1)
        give(sums, m->pitch, p, t->lines, (long)m->fold * g->out_stride, t->channels,
             g->out_row_stride, g->shift);
    else if (is_run(g->out_stride, t->channels, g->out_row_stride) &&
             i + (t->lines - 1) * (ulong)m->fold + t->zs <= g->outputs)
        give(sums, m->pitch, p, t->lines, m->fold * g->out_stride, t->zs * t->channels, 1,
             g->shift);
    else
        for (uint k = 0; k < t->lines; k++, p += (long)m->fold * g->out_stride)
            give(sums + k * m->pitch * COMPONENTS, t->channels, p,
                 (uint)min((ulong)t->zs, g->outputs - i - k * (ulong)m->fold), g->out_stride,
                 t->channels, g->out_row_stride, g->shift);
}
