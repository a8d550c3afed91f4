// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_byte_matrices: how taps and inputs get into local memory as bytes.
// gpu_byte_matrices.cl says what lanes, octets and planes are.
//
// Macros   those of convolve1d.cl; TAP_TYPE is I32
//          RAW_TYPE     type of the taps in memory: I32, or F32 or F64, divided by 2^shift
//          TAP_PLANES   bytes of a tap
//          STEP         inputs of a lane between neighbouring outputs
//          PHASES       lanes of a row
//          KSTEPS       32 inputs of a lane each that the taps of an octet span
//          DENSE        1: neighbouring inputs of a lane are neighbours in memory
//          PLANE        words of a plane of inputs
//          ACROSS       1: neighbouring items load neighbouring rows; 0: neighbouring inputs

#if !defined(RAW_TYPE) || !defined(TAP_PLANES) || !defined(STEP) || !defined(PHASES) || \
    !defined(KSTEPS) || !defined(DENSE) || !defined(PLANE) || !defined(ACROSS)
#error "RAW_TYPE, TAP_PLANES, STEP, PHASES, KSTEPS, DENSE, PLANE and ACROSS must be defined"
#endif

#if RAW_TYPE == F64
#define RAW_TAP double
#elif RAW_TYPE == F32
#define RAW_TAP float
#else
#define RAW_TAP int
#endif

#define PLANES BYTES

// ---------------------------------------------------------------- taps
// In words: zeros in front of the taps; a copy of them, which begins eight banks behind the one
// before; a plane.
#define TAP_LEAD  BYTE_TAP_LEAD(STEP)
#define TAP_COPY  BYTE_TAP_COPY(STEP, KSTEPS)
#define TAP_PLANE (4 * TAP_COPY)

// Where the taps of output o of an octet are that meet its input 4 t.
#define TAPS_AT(o, t) ((o) * STEP % 4 * TAP_COPY + TAP_LEAD - (o) * STEP / 4 + (t))
static local const uint *taps_of(local const uint *room, uint o, uint t)
{
    return room + TAPS_AT(o, t);
}

static int tap_of(global const RAW_TAP *taps, const struct arguments *g, int k)
{
    if ((uint)k >= g->taps)
        return 0;
#if RAW_TYPE == I32
    return taps[k];
#else
    return (int)(taps[k] * (RAW_TAP)((ulong)1 << g->shift));
#endif
}

// Byte p of each of four numbers.
static uint byte_plane(const int *v, uint p)
{
    return four_bytes((uint)v[0], (uint)v[1], (uint)v[2], (uint)v[3], p);
}

// The loads of TAP_BATCH words are under way before the first of them is stored.
#define TAP_BATCH 4
static void make_taps(local uint *room, global const RAW_TAP *taps, const struct arguments *g,
                      uint item)
{
    #pragma unroll 1
    for (uint i = item; i < TAP_PLANE; i += TAP_BATCH * WG) {
        int v[TAP_BATCH][4];
        #pragma unroll
        for (uint n = 0; n < TAP_BATCH; n++) {
            const uint at = i + n * WG, copy = at / TAP_COPY, word = at % TAP_COPY;
            #pragma unroll
            for (int u = 0; u < 4; u++)
                v[n][u] = tap_of(taps, g, (int)(word - TAP_LEAD) * 4 + u - (int)copy);
        }
        #pragma unroll
        for (uint n = 0; n < TAP_BATCH; n++) {
            #pragma unroll
            for (int p = 0; p < TAP_PLANES; p++)
                if (i + n * WG < TAP_PLANE)
                    room[p * TAP_PLANE + i + n * WG] = byte_plane(v[n], p);
        }
    }
}

// ---------------------------------------------------------------- inputs
// What an item goes through: rows row, row + rows_by ... of one phase, and of each the words or
// outputs at, at + by ...
struct path {
    uint row, phase, at, rows_by, by;
};

static struct path path_of(uint item, bool across, uint rows_by, uint by)
{
    struct path p = { .rows_by = rows_by, .by = by };
    const uint side = by * PHASES;
    const uint place = across ? item / rows_by : item % side;
    p.row = across ? item % rows_by : item / side;
    p.phase = place % PHASES;
    p.at = place / PHASES;
    // More items than places have nothing to do.
    if (p.row >= rows_by || p.at >= by)
        p.row = UINT_MAX;
    return p;
}

// Stores four inputs.
static void put_word(local uint *to, const int *v)
{
    #pragma unroll
    for (int p = 0; p < PLANES; p++)
        to[p * PLANE] = byte_plane(v, p);
}

// Loads four inputs, `hop` elements apart.
static void load_word(int *v, global const ELEM *from, long hop)
{
    #pragma unroll
    for (int u = 0; u < 4; u++)
        v[u] = (int)LOAD(from, u * (DENSE ? 1 : hop));
}

// BATCH words, `by` apart, from word w on. All loads are under way before the first word is stored.
// `all`: none of them is missing, which those from `end` on are.
#define BATCH 8
static void load_batch(local uint *lane, global const ELEM *from, uint w, uint end, uint by,
                       long hop, bool all)
{
    int v[BATCH][4];
    #pragma unroll
    for (uint i = 0; i < BATCH; i++)
        if (all || w + i * by < end)
            load_word(v[i], from + (long)(i * by * 4) * hop, hop);
    #pragma unroll
    for (uint i = 0; i < BATCH; i++)
        if (all || w + i * by < end)
            put_word(lane + w + i * by, v[i]);
}

// Words first ... end - 1 of each lane, of which none is beyond an end. `x`: the input of phase 0
// of row 0 with which word 0 would begin.
static void load_inside(local uint *to, global const ELEM *x, uint first, uint end, uint rows,
                        const struct path *p, const struct arguments *g,
                        const struct byte_arguments *b)
{
    const long hop = (long)g->dilation * g->stride;
    #pragma unroll 1
    for (uint r = p->row; r < rows; r += p->rows_by) {
        global const ELEM *from = x + ((long)r * g->row_stride +
                                       (long)p->phase * g->step * g->stride +
                                       (first + p->at) * 4 * hop);
        local uint *lane = to + (r * PHASES + p->phase) * b->pitch;
        uint w = first + p->at;
        #pragma unroll 1
        for (; w + (BATCH - 1) * p->by < end; w += BATCH * p->by, from += BATCH * p->by * 4 * hop)
            load_batch(lane, from, w, end, p->by, hop, true);
        if (w < end)
            load_batch(lane, from, w, end, p->by, hop, false);
    }
}

// The other words, in front of word `inside` and from `outside` on. `x` is input 0; word 0 would
// begin at position `begin`. An item resolves the positions of a word once, for all its rows.
static void load_resolved(local uint *to, global const ELEM *x, global const ELEM *before,
                          long before_at, long begin, uint inside, uint outside, uint rows,
                          const struct path *p, const struct arguments *g,
                          const struct byte_arguments *b)
{
    #pragma unroll 1
    for (uint i = p->at; i < inside + b->words - outside; i += p->by) {
        const uint w = i < inside ? i : i - inside + outside;
        size_t at[4], by[4]; // 0: a constant
        int beyond[4];
        #pragma unroll
        for (int u = 0; u < 4; u++) {
            const long at_u = begin + (long)p->phase * g->step + (w * 4L + u) * g->dilation;
            const long j = resolve(at_u, (long)g->n, g->left, g->right);
            const bool is_new = (ulong)j < g->n, is_old = j < 0 && g->left == BOUNDARY_HISTORY;
            const long row_stride = is_new ? g->row_stride : g->before_row_stride;
            global const ELEM *from =
                is_new ? x + j * g->stride
                       : before + (before_at + (j + (long)g->halo) * g->before_stride);
            const bool is_there = is_new || is_old;
            at[u] = is_there ? (size_t)(from + (long)p->row * row_stride) : 0;
            by[u] = is_there ? (size_t)((long)(p->rows_by * sizeof(ELEM)) * row_stride) : 0;
            beyond[u] = constant_of(j < 0 ? g->constant_left : g->constant_right);
        }
        local uint *word = to + p->phase * b->pitch + w;
        #pragma unroll 4
        for (uint r = p->row; r < rows; r += p->rows_by) {
            int v[4];
            #pragma unroll
            for (int u = 0; u < 4; u++) {
                v[u] = at[u] ? (int)LOAD((global const ELEM *)at[u], 0) : beyond[u];
                at[u] += by[u];
            }
            put_word(word + r * PHASES * b->pitch, v);
        }
    }
}

// Loads the words of all lanes: `rows` rows, from output `first` of each lane on. `x` is input 0
// of the first row, before_at where its history begins.
static void load_lanes(local uint *to, global const ELEM *x, global const ELEM *before,
                       long before_at, ulong first, uint rows, const struct arguments *g,
                       const struct byte_arguments *b, uint item)
{
    const struct path p = path_of(item, ACROSS, b->load_rows, b->load_words);
    const long begin = g->origin + (long)first * STEP * g->dilation;
    // The words that are inside in all phases: inside ... outside - 1. An item that has many rows
    // resolves all.
    const long most = (long)g->n - 1 - begin - (PHASES - 1) * (long)g->step;
    const ulong word = (ulong)g->dilation * 4, words = b->words;
    uint inside = 0, outside = b->words;
    if (begin < 0 || most < (b->words * 4 - 1) * (long)g->dilation) {
        inside = begin < 0 ? (uint)min(((ulong)-begin + word - 1) / word, words) : 0;
        outside = most < 0 ? 0 : (uint)min(((ulong)most + g->dilation) / word, words);
        if (outside < inside || rows >= 4 * b->load_rows)
            inside = outside = 0;
    }
    load_inside(to, x + begin * g->stride, inside, outside, rows, &p, g, b);
    load_resolved(to, x, before, before_at, begin, inside, outside, rows, &p, g, b);
}
