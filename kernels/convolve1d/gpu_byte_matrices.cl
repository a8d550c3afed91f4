// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_byte_matrices: integers, on GPUs that multiply matrices of bytes.
//
// Inputs and taps are divided into bytes. An output is a sum of products of bytes, each in one
// of several sums by its weight:
//
//     x = x0 + 2^8 x1 + ...    g = g0 + 2^8 g1 + ...    all unsigned but the last of each
//     x * g = x0 g0 + 2^8 (x0 g1 + x1 g0) + ...         sums of 32 bits, one for each power
//
// Of the outputs of a lane 8 neighbours are an octet. The inputs of an octet are a row of one
// matrix; the other one has the taps of its outputs, and is the same for all octets:
//
//     octet 0  | x0 x1 x2 x3 ... |         | g0          |     column o: the taps of output o,
//     octet 1  | x8 x9 ...       |    *    | g1 g0       |     o * STEP further down
//     ...      |                 |         | g2 g1 g0    |
//
// An instruction of a warp multiplies 32 inputs of 16 octets. Each item gets two outputs of two
// octets of it. Two such products share the taps.
//
// In local memory each byte of inputs has a plane, in which lanes lie one behind the other.
// Each byte of taps has a plane, four times over: moved by 0 to 3 bytes, so that all are read
// as words. Taps of a row's own are there once, and are moved when they are read.
// gpu_byte_fill.cl brings both.
//
// Macros   those of gpu_byte_products.cl
//          OCTETS       octets of a lane in a group
//          OUT_ACROSS   1: neighbouring items write neighbouring rows; 0: neighbouring outputs
//          ROOM         local memory, in units of 16 bytes
// Barriers two, reached by all items: inputs and taps are there; results are there. Where taps
//          come in chunks, two for each chunk: its inputs and taps are there, and have been
//          read. And those of load_resolved().
// Per output: 32 KSTEPS inputs, as many as the taps of an octet span, in PLANES * TAP_PLANES
// products each. An item reads from local memory, for 8 outputs and 32 inputs, 8 words of each
// plane of inputs and 2 of each one of taps. Elements are read once, but for those that two
// groups need, and written once.
// Local memory: taps, inputs, results; the table of load_resolved(), in place of results where
// all inputs are loaded before there are any. Lanes begin in different banks.

#if !defined(OCTETS) || !defined(OUT_ACROSS) || !defined(ROOM)
#error "OCTETS, OUT_ACROSS and ROOM must be defined"
#endif

// Where octet i of an item lies, which has the number g in each product: they are APART octets
// from each other. `first` is the warp's. Octets that a group lacks are the first one.
struct place {
    uint lane, octet;
};

static struct place place_of(uint first, uint i, uint g, uint octets)
{
    const uint more = i * APART + g % APART + g / APART * (ITEM_OCTETS * APART);
#if OCTETS % WARP_OCTETS == 0 // which all lie in one lane
    return (struct place){ first / OCTETS, first % OCTETS + more };
#else
    uint octet = first + more;
    octet = octet < octets ? octet : 0; // a min() here stops PoCL 3.1
    return (struct place){ octet / OCTETS, octet % OCTETS };
#endif
}

#define OUT_PAD BYTE_OUT_PAD((uint)sizeof(OUT_T))

// What an item takes at once: two octets of each product, where their inputs and results are,
// and their sums.
struct tiles {
    local const uint *x[TILES][2];
    local OUT_T *to[TILES][2];
    uint row; // that the octets lie in, where rows have taps of their own
    struct sums sums;
};

// Those of item v of all that there are.
INLINE void begin_tiles(struct tiles *q, local const uint *inputs, local OUT_T *results,
                        uint octets, const struct byte_arguments *b, uint v)
{
    const uint g = v % 32 / 4, t = v % 4;
    #pragma unroll
    for (int u = 0; u < TILES; u++) {
        #pragma unroll
        for (int i = 0; i < 2; i++) {
            const struct place p = place_of(v / 32 * WARP_OCTETS, 2 * u + i, g, octets);
            const uint row = p.lane / PHASES, phase = p.lane % PHASES;
            q->row = row;
            q->x[u][i] = inputs + (lane_at(row, phase, b->pitch, 1) + p.octet * (2 * STEP) + t);
            q->to[u][i] =
                results + (lane_at(row, phase, b->out_pitch, OUT_PAD) + p.octet * 8 + 2 * t);
        }
        #pragma unroll
        for (int w = 0; w < WEIGHTS; w++)
            q->sums.of[u][w][0] = q->sums.of[u][w][1] = q->sums.of[u][w][2] =
                q->sums.of[u][w][3] = 0;
    }
}

static local const uint *taps_of(local const uint *room, const struct tiles *q)
{
    return OWN_TAPS ? room + q->row * (TAP_PLANES * TAP_PLANE) : room;
}

INLINE void end_tiles(const struct tiles *q, uint shift)
{
    #pragma unroll
    for (int u = 0; u < TILES; u++) {
        #pragma unroll
        for (int i = 0; i < 4; i++)
            q->to[u][i / 2][i % 2] = RESULT(joined(&q->sums, u, i), shift);
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *UNSHARED before,
                global const RAW_TAP *restrict taps, global OUT_T *restrict out,
                const struct arguments g, const struct byte_arguments b UPDATE_PARAMETERS)
{
    local uint4 all[ROOM];
    local uint *room = (local uint *)all, *inputs = room + b.inputs_at;
    local OUT_T *results = (local OUT_T *)(room + b.results_at);
    const uint item = get_local_id(0), group = get_group_id(0);
    local uint4 *table = all + b.table_at / 4;
    // Neighbouring groups have neighbouring phases, and then neighbouring rows where these lie
    // side by side, else outputs: what several groups have of 32 bytes of memory, they read and
    // write at about the same time.
    const uint place = group / b.phase_blocks, inner = b.rows_near ? b.row_blocks : b.segments;
    const uint near = place % inner, far = place / inner;
    const uint row_block = b.rows_near ? near : far, segment = b.rows_near ? far : near;
    const uint phase = group % b.phase_blocks * PHASES; // the first one
    const ulong row = (ulong)row_block * b.rows;
    const uint rows = (uint)min((ulong)b.rows, g.rows - row);
    const ulong first = (ulong)segment * (8 * OCTETS); // output of each lane

    global const ELEM *first_row = x + (g.first + (long)row * g.row_stride);
    global const ELEM *first_before =
        before + (g.before_first + (long)row * g.before_row_stride);
    taps += OWN_TAPS ? g.tap_first + row * g.tap_row : 0;
    const uint words = segment < b.segments - 1 ? b.words : b.last_words;
    const uint octets = b.rows * PHASES * OCTETS;
    struct tiles q;
#if CHUNKS == 1
    load_taps(room, taps, 0, rows, &g, &b, item);
    load_lanes(inputs, table, first_row, first_before, first, 0, phase, rows, words, &g, &b,
               item);
    wait_for_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 1
    for (uint v = item; v / 32 * WARP_OCTETS < octets; v += WG) {
        begin_tiles(&q, inputs, results, octets, &b, v);
        add_products(&q.sums, q.x, taps_of(room, &q), v % 32 / 4, v % 4);
        end_tiles(&q, g.shift);
    }
#else
    #pragma unroll 1
    for (uint v = item; (v - item) / 32 * WARP_OCTETS < octets; v += WG) {
        const bool works = v / 32 * WARP_OCTETS < octets;
        begin_tiles(&q, inputs, results, octets, &b, v);
        #pragma unroll 1
        for (uint k = 0; k < CHUNKS * KSTEPS * 32; k += KSTEPS * 32) {
            load_taps(room, taps, k, rows, &g, &b, item);
            load_lanes(inputs, table, first_row, first_before, first, k, phase, rows, words,
                       &g, &b, item);
            wait_for_copies();
            barrier(CLK_LOCAL_MEM_FENCE);
            if (works)
                add_products(&q.sums, q.x, taps_of(room, &q), v % 32 / 4, v % 4);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (works)
            end_tiles(&q, g.shift);
    }
#endif
    barrier(CLK_LOCAL_MEM_FENCE);

    const struct path p = path_of(item, OUT_ACROSS, b.out_rows, b.out_at_once);
    const uint own = phase + p.phase; // the last groups may have more phases than there are
    const uint most = segment < b.segments - 1 ? 8 * OCTETS
                      : own < b.last_phases    ? b.last_outputs
                                               : b.last_outputs - 1;
    const uint outputs = own < b.phases ? most : 0;
    const long by = (long)(p.by * (ulong)b.phases) * g.out_stride;
    #pragma unroll 1
    for (uint r = p.row; r < rows; r += p.rows_by) {
        global OUT_T *to = out + (g.out_first + (long)(row + r) * g.out_row_stride +
                                  (long)((first + p.at) * b.phases + own) * g.out_stride);
        local const OUT_T *from = results + lane_at(r, p.phase, b.out_pitch, OUT_PAD);
        #pragma unroll 4
        for (uint o = p.at; o < outputs; o += p.by, to += by)
            *to = from[o];
    }
    UPDATE_HISTORY(x, before, &g);
}
