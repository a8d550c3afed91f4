// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_byte_matrices: integers, on GPUs that multiply matrices of bytes.
//
// Inputs and taps are divided into bytes. An output is a sum of products of bytes, each in one of
// several sums by its weight:
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
// In local memory each byte of inputs has a plane, in which lanes lie one behind the other, and
// each byte of taps has one, four times over: moved by 0 to 3 bytes, so that all are read as
// words. gpu_byte_fill.cl brings both.
//
// Macros   those of gpu_byte_fill.cl
//          OCTETS       octets of a lane in a group
//          OUT_ACROSS   1: neighbouring items write neighbouring rows; 0: neighbouring outputs
//          TILES        products that share taps
//          ROOM         local memory, in units of 8 bytes
// Barriers two, reached by all items: inputs and taps are there; results are there.
// Per output: 32 KSTEPS inputs, as many as the taps of an octet span, in PLANES * TAP_PLANES
// products each. An item reads from local memory, for 8 outputs and 32 inputs, 8 words of each
// plane of inputs and 2 of each one of taps. Elements are read once, but for those that two
// groups need, and written once.
// Local memory: taps, inputs, results.

#if !defined(OCTETS) || !defined(OUT_ACROSS) || !defined(TILES) || !defined(ROOM)
#error "OCTETS, OUT_ACROSS, TILES and ROOM must be defined"
#endif

#define WEIGHTS     (PLANES + TAP_PLANES - 1) // sums of an output
#define WARP_OCTETS (16 * TILES)              // that a warp takes at once

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
static void multiply(int *s, uint4 a, uint2 b, bool signed_x, bool signed_g)
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

// All products of an item, which has columns 2t and 2t + 1 of the rows g and g + 8 of each. `x`: the
// inputs of these rows, t words in.
static void add_products(struct sums *s, local const uint *const x[TILES][2],
                         local const uint *taps, uint g, uint t)
{
    local const uint *h = taps_of(taps, g, t);
    #pragma unroll 1
    for (uint k = 0; k < KSTEPS * 8; k += 8) {
        uint2 matrix[TAP_PLANES];
        #pragma unroll
        for (int q = 0; q < TAP_PLANES; q++)
            matrix[q] = (uint2)(h[k + q * TAP_PLANE], h[k + 4 + q * TAP_PLANE]);
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
}
#else
static int byte_at(local const uint *words, int i, bool is_signed)
{
    const int byte = ((local const uchar *)words)[i];
    return is_signed ? (char)byte : byte;
}

static void add_products(struct sums *s, local const uint *const x[TILES][2],
                         local const uint *taps, uint g, uint t)
{
    (void)g;
    for (int u = 0; u < TILES; u++)
        for (int p = 0; p < PLANES; p++)
            for (int q = 0; q < TAP_PLANES; q++)
                for (int i = 0; i < 4; i++) {
                    local const uint *inputs = x[u][i / 2] + p * PLANE - t;
                    const uint o = 2 * t + i % 2;
                    local const uint *h = taps_of(taps, o, 0) + q * TAP_PLANE;
                    int sum = 0;
                    for (int k = 0; k < KSTEPS * 32; k++)
                        sum += byte_at(inputs, k, IS_SIGNED && p == PLANES - 1) *
                               byte_at(h, k, q == TAP_PLANES - 1);
                    s->of[u][p + q][i] += sum;
                }
}
#endif

// The sum of one output.
static SUM_T joined(const struct sums *s, int u, int i)
{
#if SUM32
    uint sum = 0;
    #pragma unroll
    for (int w = 0; w < WEIGHTS && w < 4; w++)
        sum += (uint)s->of[u][w][i] << 8 * w;
    return (int)sum;
#else
    ulong sum = (ulong)(long)s->of[u][0][i]; // sums of some weights may exceed 63 bits
    #pragma unroll
    for (int w = 1; w < WEIGHTS; w++)
        sum += w < 4 ? (ulong)((long)s->of[u][w][i] * (1 << 8 * w))
                     : (ulong)((uint)s->of[u][w][i] << (8 * w - 32) % 32) << 32;
    return (long)sum;
#endif
}

// Where one of an item's octets lies: the octet `more` behind the first of the warp's, in which
// the item has the number g. Octets that a group lacks are the first one.
struct place {
    uint lane, octet;
};

static struct place place_of(uint first, uint more, uint g, uint octets)
{
#if OCTETS % WARP_OCTETS == 0 // which all lie in one lane
    return (struct place){ first / OCTETS, first % OCTETS + g + more };
#else
    uint octet = first + g + more;
    octet = octet < octets ? octet : 0; // a min() here stops PoCL 3.1
    return (struct place){ octet / OCTETS, octet % OCTETS };
#endif
}

// The results of octets, WARP_OCTETS of a warp at a time.
static void sum_octets(local OUT_T *results, local const uint *inputs, local const uint *taps,
                       const struct byte_arguments *b, uint shift, uint item)
{
    const uint octets = b->rows * PHASES * OCTETS;
    #pragma unroll 1
    for (uint v = item; v / 32 * WARP_OCTETS < octets; v += WG) {
        const uint g = v % 32 / 4, t = v % 4;
        local const uint *x[TILES][2];
        local OUT_T *to[TILES][2];
        struct sums sums;
        #pragma unroll
        for (int u = 0; u < TILES; u++) {
            #pragma unroll
            for (int i = 0; i < 2; i++) {
                const struct place p = place_of(v / 32 * WARP_OCTETS, u * 16 + i * 8, g, octets);
                x[u][i] = inputs + (p.lane * b->pitch + p.octet * (2 * STEP) + t);
                to[u][i] = results + (p.lane * b->out_pitch + p.octet * 8 + 2 * t);
            }
            #pragma unroll
            for (int w = 0; w < WEIGHTS; w++)
                sums.of[u][w][0] = sums.of[u][w][1] = sums.of[u][w][2] = sums.of[u][w][3] = 0;
        }
        add_products(&sums, x, taps, g, t);
        #pragma unroll
        for (int u = 0; u < TILES; u++) {
            #pragma unroll
            for (int i = 0; i < 4; i++)
                to[u][i / 2][i % 2] = RESULT(joined(&sums, u, i), shift);
        }
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1)))
void convolve1d(global const ELEM *restrict x, global const ELEM *restrict before,
                global const RAW_TAP *restrict taps, global OUT_T *restrict out,
                const struct arguments g, const struct byte_arguments b)
{
    local ulong all[ROOM]; // as aligned as results
    local uint *room = (local uint *)all, *inputs = room + TAP_PLANES * TAP_PLANE;
    local OUT_T *results = (local OUT_T *)(room + b.results_at);
    const uint item = get_local_id(0), group = get_group_id(0);
    const uint segment = ACROSS ? group / b.row_blocks : group % b.segments;
    const ulong row = (ulong)(ACROSS ? group % b.row_blocks : group / b.segments) * b.rows;
    const uint rows = (uint)min((ulong)b.rows, g.rows - row);
    const ulong first = (ulong)segment * (8 * OCTETS); // output of each lane

    make_taps(room, taps + (g.tap_first + row * g.tap_row), &g, item);
    load_lanes(inputs, x + (g.first + (long)row * g.row_stride), before,
               g.before_first + (long)row * g.before_row_stride, first, rows, &g, &b, item);
    barrier(CLK_LOCAL_MEM_FENCE);

    sum_octets(results, inputs, room, &b, g.shift, item);
    barrier(CLK_LOCAL_MEM_FENCE);

    const struct path p = path_of(item, OUT_ACROSS, b.out_rows, b.out_at_once);
    const uint outputs = (uint)min(8ul * OCTETS,
                                   (g.outputs - p.phase + PHASES - 1) / PHASES - first);
    const long by = (long)(p.by * PHASES) * g.out_stride;
    #pragma unroll 1
    for (uint r = p.row; r < rows; r += p.rows_by) {
        global OUT_T *to = out + (g.out_first + (long)(row + r) * g.out_row_stride +
                                  (long)((first + p.at) * PHASES + p.phase) * g.out_stride);
        local const OUT_T *from = results + (r * PHASES + p.phase) * b.out_pitch;
        #pragma unroll 4
        for (uint o = p.at; o < outputs; o += p.by, to += by)
            *to = from[o];
    }
}
