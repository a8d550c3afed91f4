// SPDX-License-Identifier: Apache-2.0
//
// reduce, gpu_rows and gpu_long_rows: the aligned vectors of 16 bytes that a row consists of, but
// for its ends.
//
// Places: what lies in a row is numbered from its first element on, which has place 0, with what
// lies between the elements. BACKWARDS the places of higher numbers lie lower in memory; vectors
// are turned when they are loaded, so that nothing else knows of it.
//
//     x          | . . a . | . b . . | c . . d | . . e . |       stride 3, vectors of 4
//     APART      |   head  | 0 1 0 0 | 1 0 0 1 |   tail          places that are elements
//     taken in   |     a   | f b f f | c f f d |     e   |
//
// Elements that lie APART are read with what lies between them. In its place a vector gets f, which
// leaves the result as it is (neutral_word() in reduce/words.cl).
//
// Defines WAY(), struct vectors, vectors_of(), load_tile(); length_of(), is_element()
//
// Macros: APART: 0, or IN_STEP where all vectors of a row have their elements at the same places,
// or OUT_OF_STEP; BACKWARDS, of arg operations alone; ITEMS, LANES_WANTED: see gpu_rows.cl.
// Operations per vector where elements lie apart: 4 IN_STEP, else 4 and 3 to 5 for each word.

#if !defined(ITEMS) || !defined(LANES_WANTED) || !defined(APART) || !defined(BACKWARDS)
#error "ITEMS, LANES_WANTED, APART and BACKWARDS must be defined"
#endif
#define LANES LANES_OF_GROUP(WG, LANES_WANTED)
#define TILE (LANES * ITEMS) // vectors

// Tiles begin at whole lines of memory where the lanes have one element each of the head, which is
// longer then. H200, driver 580.159.04, 2026-11-23, us by 16 bytes and by lines: sum_abs of a row of
// 347841883 f32 329 and 310, any of 8 rows of 28875939 f64 435 and 413, max of a row of 546324764
// f16 258 and 249.
#define GRID (LANES * BYTES >= LINE_BYTES + 2 * VEC16_BYTES ? LINE_BYTES : VEC16_BYTES)

// The way from the first element to a place.
#define WAY(place) (BACKWARDS ? -(long)(place) : (long)(place))

// The vectors of a row, as one lane sees them.
struct vectors {
    global const uint4 *first; // this lane's first one of tile 0
    uint tiles; // whole ones; 32 bits hold 2^39 bytes even where a lane has a row for itself
    uint rest;  // vectors of the last tile from this lane's first on
    ulong at;   // position of this lane's first element; APART: its place
    uint head, tail; // elements before the vectors and behind them, or places
#if APART
    uint stride;
    uint stencil; // bits 0, stride, 2 stride ...
    uint phase;   // of this lane's first vector: the places before its first element
    uint fill;    // a word of f
#if APART == IN_STEP
    uint4 mask, filled; // the elements of each vector, and what the others become
#else
    uint of_vector, of_tile; // places from vector to vector and from tile to tile, modulo stride
#endif
#endif
};

// Places of a row.
static ulong length_of(const struct arguments *g)
{
    return APART && g->count ? (g->count - 1) * abs(g->stride) + 1 : g->count;
}

// Whether place i of the head and the tail is one of an element. The last place is one.
static bool is_element(const struct vectors *x, uint i)
{
#if APART
    return (i < x->head ? i : x->head + x->tail - 1 - i) % x->stride == 0;
#else
    return true;
#endif
}

#if APART
#if BYTES == 1
typedef uchar element_bits;
#elif BYTES == 2
typedef ushort element_bits;
#else
typedef uint element_bits;
#endif

// The elements of a vector's word k as a mask. Bit i of `elements`: place i of the vector is one. A
// multiplication moves the bits of bytes and of pairs to the tops of their fields, and others to
// other places.
static uint mask_of(uint elements, uint k)
{
    const uint bits = elements >> (k * (4 / BYTES));
    uint mask;
#if BYTES == 4
    mask = -(bits & 1);
#elif PTX && BYTES == 1 // PRMT: the tops of bytes fill them
    asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(mask) : "r"((bits & 15) * 0x10204080));
#elif PTX
    asm("prmt.b32 %0, %1, 0, 0xbb99;" : "=r"(mask) : "r"(bits * 0x40008000));
#elif BYTES == 1
    mask = ((bits & 15) * 0x00204081 & 0x01010101) * 0xff;
#else
    mask = ((bits & 1) | (bits & 2) << 15) * 0xffff;
#endif
    return mask;
}

static uint4 masks_of(uint elements)
{
    return (uint4)(mask_of(elements, 0), mask_of(elements, 1), mask_of(elements, 2),
                   mask_of(elements, 3));
}

static void prepare_sifting(struct vectors *x, global const ELEM *p, uint lane, ulong length,
                            const struct arguments *g)
{
    const uint stride = (uint)abs(g->stride);
    x->stride = stride;
    x->stencil = 0;
    for (uint i = 0; i < VEC_N; i += stride)
        x->stencil |= 1u << i;
    x->phase = (stride - (x->head + lane * VEC_N) % stride) % stride;
    x->fill = length ? neutral_word((uint)*(global const element_bits *)p) : 0;
#if APART == IN_STEP
    x->mask = masks_of(x->stencil << x->phase);
    x->filled = x->fill & ~x->mask;
#else
    x->of_vector = LANES * VEC_N % stride;
    x->of_tile = TILE * VEC_N % stride;
#endif
}
#endif

// The vectors of the row that begins at p.
static void vectors_of(struct vectors *x, global const ELEM *p, uint lane,
                       const struct arguments *g)
{
    const ulong length = length_of(g);
    const uint past = (uint)((size_t)p + (BACKWARDS ? BYTES : 0)) & (GRID - 1);
    const uint to = BACKWARDS ? past : (GRID - past) & (GRID - 1);
    x->head = min(length, (ulong)(to / BYTES));
    const ulong n = (length - x->head) / VEC_N;
    const uint left = n % TILE;
    x->tail = (length - x->head) % VEC_N;
    x->first = BACKWARDS ? (global const uint4 *)(p + 1 - x->head) - 1 - lane
                         : (global const uint4 *)(p + x->head) + lane;
    x->tiles = n / TILE;
    x->rest = left > lane ? left - lane : 0;
    x->at = (APART ? 0 : g->index) + x->head + lane * VEC_N;
#if APART
    prepare_sifting(x, p, lane, length, g);
#endif
}

// Reads this lane's vectors of one tile. `part`: it is the last tile, which may have fewer.
static void load_tile(uint4 *v, const struct vectors *x, uint tile, bool part)
{
    global const uint4 *q = x->first + WAY((ulong)tile * TILE);
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (!part || i * LANES < x->rest)
            v[i] = q[WAY(i * LANES)];
#if APART || BACKWARDS
#if APART == OUT_OF_STEP
    const uint stride = x->stride;
    uint phase = (x->phase + tile % stride * (stride - x->of_tile)) % stride;
#endif
    #pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (!part || i * LANES < x->rest) {
            v[i] = BACKWARDS ? turned(v[i]) : v[i];
#if APART == IN_STEP
            v[i] = (v[i] & x->mask) | x->filled;
#elif APART
            const uint4 mask = masks_of(x->stencil << phase);
            v[i] = (v[i] & mask) | (x->fill & ~mask);
            phase += phase < x->of_vector ? stride - x->of_vector : -x->of_vector;
#endif
        }
#endif
}
