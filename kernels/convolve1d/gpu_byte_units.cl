// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_byte_matrices: how inputs that are inside get into local memory as bytes.
// gpu_byte_matrices.cl says what lanes, octets and planes are.
//
// A unit of inputs is what an item loads at once: four of them, which it divides into bytes on
// the way, and stores as a word of each plane.
//
// Macros   those of gpu_byte_taps.cl

#define UNIT 4

// What an item goes through: rows row, row + rows_by ... of one phase, and of each the units or
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

// Where a lane's inputs or results are, of which `pad` keep rows in other banks.
static uint lane_at(uint row, uint phase, uint pitch, uint pad)
{
    return (row * PHASES + phase) * pitch + row * (pad * BYTE_ROW_PAD(PHASES));
}

// Stores a unit: bytes of pairs first, which two planes share.
INLINE void put_unit(local uint *to, const int *v)
{
#if PLANES == 1
    to[0] = byte_plane(v, 0);
#elif PLANES == 2
    const uint a = joined_bytes((uint)v[0], (uint)v[1], 0x5410);
    const uint b = joined_bytes((uint)v[2], (uint)v[3], 0x5410);
    to[0] = joined_bytes(a, b, 0x6420);
    to[PLANE] = joined_bytes(a, b, 0x7531);
#else
    #pragma unroll
    for (uint p = 0; p < 4; p += 2) {
        const uint two = p ? 0x7362 : 0x5140;
        const uint a = joined_bytes((uint)v[0], (uint)v[1], two);
        const uint b = joined_bytes((uint)v[2], (uint)v[3], two);
        to[p * PLANE] = joined_bytes(a, b, 0x5410);
        to[(p + 1) * PLANE] = joined_bytes(a, b, 0x7632);
    }
#endif
}

// BATCH units, `by` apart, from unit i on, whose first input lies at `from`. All loads are
// under way before the first unit is stored. `all`: none of them is missing, which those from
// `end` on are.
#define BATCH BYTE_BATCH(CHUNKS)
#define LOAD_UNITS(count, all)                                                         \
    {                                                                                  \
        int v[count][UNIT];                                                            \
        local uint *to_unit = lane + i;                                                \
        _Pragma("unroll") for (uint n = 0; n < (count); n++, from = beyond(from, turn)) \
            if ((all) || i + n * by < end) {                                           \
                _Pragma("unroll") for (int u = 0; u < UNIT; u++)                       \
                    v[n][u] = (int)LOAD(from, u * (DENSE ? 1 : hop));                  \
            }                                                                          \
        _Pragma("unroll") for (uint n = 0; n < (count); n++, to_unit += by)            \
            if ((all) || i + n * by < end)                                             \
                put_unit(to_unit, v[n]);                                               \
    }

// Units first ... end - 1 of each lane, of which none is beyond an end. `x`: the input of phase
// 0 of row 0 with which unit 0 would begin.
static void load_inside(local uint *to, global const ELEM *x, uint first, uint end, uint rows,
                        const struct path *p, const struct arguments *g,
                        const struct byte_arguments *b)
{
    const long hop = (long)g->dilation * g->stride, turn = (long)p->by * UNIT * hop;
    const uint by = p->by;
    #pragma unroll 1
    for (uint r = p->row; r < rows; r += p->rows_by) {
        global const ELEM *from = x + ((long)r * g->row_stride +
                                       (long)p->phase * g->step * g->stride +
                                       (first + p->at) * UNIT * hop);
        local uint *lane = to + lane_at(r, p->phase, b->pitch, 1);
        uint i = first + p->at;
        #pragma unroll 1
        for (; i + (BATCH - 1) * by < end; i += BATCH * by)
            LOAD_UNITS(BATCH, true)
        #pragma unroll 1
        for (; i < end; i += 4 * by)
            LOAD_UNITS(4, false)
    }
}
