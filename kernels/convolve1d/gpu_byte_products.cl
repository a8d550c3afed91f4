// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_byte_matrices: products of matrices of bytes, and the sums that they make.
// gpu_byte_matrices.cl says what octets and planes are.
//
// Macros   those of gpu_byte_taps.cl
//          TILES   products that share taps
//          OCTETS  of a lane
//          PAIRS   1: 32 bits hold a sum and 256 times the next one

#if !defined(TILES) || !defined(PAIRS) || !defined(OCTETS)
#error "TILES, PAIRS and OCTETS must be defined"
#endif

#define WEIGHTS     (PLANES + TAP_PLANES - 1) // sums of an output
#define WARP_OCTETS (16 * TILES)              // that a warp takes at once
#define ITEM_OCTETS (2 * TILES)               // of an item
// Whether an octet's inputs of a step are those of the step before of the octet APART octets
// behind it, which the item has, too: then it reads only its last octet's. Of few steps that
// takes as many instructions.
#define SLIDES                                                                                 \
    (OCTETS % WARP_OCTETS == 0 && (STEP == 1 || STEP == 2 || STEP == 4) && KSTEPS >= 4)
#define APART  (SLIDES ? 4 / STEP : 8)

// The four outputs of an item: of octet g the outputs 2t and 2t + 1, of octet g + 8 the same.
struct sums {
    int of[TILES][WEIGHTS][4];
};

#if PTX >= 80
#define MULTIPLY(types)                                                                        \
    asm("mma.sync.aligned.m16n8k32.row.col.s32." types ".s32 {%0, %1, %2, %3}, "               \
        "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"                                    \
        : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)                                           \
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(s[0]), "r"(s[1]),    \
          "r"(s[2]), "r"(s[3]))

// Adds the products of 32 inputs of 16 octets and the taps.
INLINE void multiply(int *s, uint4 a, uint2 b, bool signed_x, bool signed_g)
{
    int4 r;
    if (signed_x && signed_g)
        MULTIPLY("s8.s8");
    else if (signed_x)
        MULTIPLY("s8.u8");
    else if (signed_g)
        MULTIPLY("u8.s8");
    else
        MULTIPLY("u8.u8");
    s[0] = r.x, s[1] = r.y, s[2] = r.z, s[3] = r.w;
}

// The taps of output g that meet the inputs 4 t of a product, and those 16 behind them. `h` has
// them from word 0 on; they begin `byte` bytes behind that.
static uint2 tap_words(local const uint *h, uint byte)
{
#if OWN_TAPS
    const uint four = 0x3210 + 0x1111 * byte;
    return (uint2)(joined_bytes(h[0], h[1], four), joined_bytes(h[4], h[5], four));
#else
    (void)byte;
    return (uint2)(h[0], h[4]);
#endif
}

#if SLIDES
// Adds the products of a step. Inputs of octet i are in window (first + i) % ITEM_OCTETS, but
// those of the last octet still at `last`.
INLINE void add_step(struct sums *s, uint2 window[ITEM_OCTETS][PLANES], uint first,
                     local const uint *last, local const uint *h, uint byte)
{
    uint2 matrix[TAP_PLANES];
    #pragma unroll
    for (int q = 0; q < TAP_PLANES; q++)
        matrix[q] = tap_words(h + q * TAP_PLANE, byte);
    #pragma unroll
    for (int p = 0; p < PLANES; p++)
        window[(first + ITEM_OCTETS - 1) % ITEM_OCTETS][p] =
            (uint2)(last[p * PLANE], last[p * PLANE + 4]);
    #pragma unroll
    for (int u = 0; u < TILES; u++) {
        #pragma unroll
        for (int p = 0; p < PLANES; p++) {
            const uint2 a = window[(first + 2 * u) % ITEM_OCTETS][p];
            const uint2 b = window[(first + 2 * u + 1) % ITEM_OCTETS][p];
            #pragma unroll
            for (int q = 0; q < TAP_PLANES; q++)
                multiply(s->of[u][p + q], (uint4)(a.x, b.x, a.y, b.y), matrix[q],
                         IS_SIGNED && p == PLANES - 1, q == TAP_PLANES - 1);
        }
    }
}
#endif

// All products of an item, which has columns 2t and 2t + 1 of the rows g and g + 8 of each.
// `x`: the inputs of these rows, t words in.
INLINE void add_products(struct sums *s, local const uint *const x[TILES][2],
                         local const uint *taps, uint g, uint t)
{
    const uint byte = TAP_BYTE(g, t) % 4;
#if OWN_TAPS
    local const uint *h = taps + TAP_BYTE(g, t) / 4;
#else // copy c begins c bytes later
    local const uint *h = taps + ((4 - byte) % 4 * TAP_COPY + (TAP_BYTE(g, t) + 3) / 4);
#endif
#if SLIDES
    uint2 window[ITEM_OCTETS][PLANES];
    local const uint *from = x[0][0];
    #pragma unroll
    for (uint i = 0; i < ITEM_OCTETS - 1; i++, from += 8) {
        #pragma unroll
        for (int p = 0; p < PLANES; p++)
            window[i][p] = (uint2)(from[p * PLANE], from[p * PLANE + 4]);
    }
    #pragma unroll 2
    for (uint k = 0; k < KSTEPS / ITEM_OCTETS; k++) {
        #pragma unroll
        for (uint i = 0; i < ITEM_OCTETS; i++, from += 8, h += 8)
            add_step(s, window, i, from, h, byte);
    }
    #pragma unroll
    for (uint i = 0; i < KSTEPS % ITEM_OCTETS; i++, from += 8, h += 8)
        add_step(s, window, i, from, h, byte);
#else
    #pragma unroll 4
    for (uint k = 0; k < KSTEPS * 8; k += 8) {
        uint2 matrix[TAP_PLANES];
        #pragma unroll
        for (int q = 0; q < TAP_PLANES; q++)
            matrix[q] = tap_words(h + (k + q * TAP_PLANE), byte);
        #pragma unroll
        for (int u = 0; u < TILES; u++) {
            #pragma unroll
            for (int p = 0; p < PLANES; p++) {
                local const uint *a = x[u][0] + (k + p * PLANE), *b = x[u][1] + (k + p * PLANE);
                const uint4 inputs = (uint4)(a[0], b[0], a[4], b[4]);
                #pragma unroll
                for (int q = 0; q < TAP_PLANES; q++)
                    multiply(s->of[u][p + q], inputs, matrix[q], IS_SIGNED && p == PLANES - 1,
                             q == TAP_PLANES - 1);
            }
        }
    }
#endif
}
#else
static int byte_at(local const uint *words, int i, bool is_signed)
{
    const int byte = ((local const uchar *)words)[i];
    return is_signed ? (char)byte : byte;
}

INLINE void add_products(struct sums *s, local const uint *const x[TILES][2],
                         local const uint *taps, uint g, uint t)
{
    (void)g;
    for (int u = 0; u < TILES; u++)
        for (int p = 0; p < PLANES; p++)
            for (int q = 0; q < TAP_PLANES; q++)
                for (int i = 0; i < 4; i++) {
                    local const uint *inputs = x[u][i / 2] + p * PLANE - t;
                    const uint o = 2 * t + i % 2;
                    local const uint *h = taps + q * TAP_PLANE;
                    int sum = 0;
                    for (int k = 0; k < KSTEPS * 32; k++)
                        sum += byte_at(inputs, k, IS_SIGNED && p == PLANES - 1) *
                               byte_at(h, TAP_BYTE(o, 0) + k, q == TAP_PLANES - 1);
                    s->of[u][p + q][i] += sum;
                }
}
#endif

// The sum of one output.
INLINE SUM_T joined(const struct sums *s, int u, int i)
{
#if SUM32
    uint sum = 0;
    #pragma unroll
    for (int w = 0; w < WEIGHTS && w < 4; w++)
        sum += (uint)s->of[u][w][i] << 8 * w;
    return (int)sum;
#elif PAIRS
    int pairs[(WEIGHTS + 1) / 2];
    #pragma unroll
    for (int w = 0; w < WEIGHTS; w += 2)
        pairs[w / 2] = s->of[u][w][i] + (w + 1 < WEIGHTS ? s->of[u][w + 1][i] * 256 : 0);
    ulong sum = (ulong)(long)pairs[0];
    #pragma unroll
    for (int w = 1; w < (WEIGHTS + 1) / 2; w++)
        sum += w == 1 ? (ulong)((long)pairs[w] * 65536) : (ulong)(uint)pairs[w] << 16 * w;
    return (long)sum;
#else
    ulong sum = (ulong)(long)s->of[u][0][i]; // sums of some weights may exceed 63 bits
    #pragma unroll
    for (int w = 1; w < WEIGHTS; w++)
        sum += w < 4 ? (ulong)((long)s->of[u][w][i] * (1 << 8 * w))
                     : (ulong)((uint)s->of[u][w][i] << (8 * w - 32) % 32) << 32;
    return (long)sum;
#endif
}
