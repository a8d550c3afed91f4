// SPDX-License-Identifier: Apache-2.0
//
// classify: where an element stands among the keys, by what was prepared for it when the
// classifier was made (src/classify/aid.c). p = how many of the n keys are not greater than x is
// what each way comes to, of a NaN some number up to n, which nobody looks at (label_of); all take
// the same steps for every x, but that kernels/classify/gpu_words.cl asks EVEN's keys only where in
// doubt.
//
//     COUNTED   compares with each of LEVELS keys
//     TREE      the keys as a tree of LEVELS levels: node 1 is the middle one, the children of
//               node i are 2i and 2i + 1, so that what is read first lies together
//     EVEN      keys at about the same distance: the place itself is computed, in whole numbers
//               and 2^shift parts of them. It grows with x, and that of key k is k + 1 but for
//               `slack` parts, a quarter of a whole number at most: farther than that from a
//               whole number there is no doubt, nearer there is one key to compare with. Beyond
//               the keys it ends half way: at 1/2 and n + 1/2
//     LINEAR    the range of the keys cut into cells of one width: start[cell] keys lie in
//               the cells before, and LEVELS halvings find the place among those within, less
//               than 2^LEVELS
//     ORDERED   the same with cells of equally many values: floats by the order of their bits,
//               which suits keys that are spread as powers are. Both in kernels/classify/guide.cl
//
// Keys that are missing, at the end of a tree or behind the last cell, are the type's largest
// value; where x reaches them, it reaches all.
//
// Macro   SHAPE  WAY + 8 * LEVELS + 256 * IS_NEAR + 512 * TALLIES + 1024 * MAP + 2048 * ITEMS +
//                16384 * REJECTS
//                LEVELS of TABLE: its runs; IS_NEAR: tables are in local memory; TALLIES: counts
//                are gathered there; MAP: classes have labels of their own; ITEMS: of 16 bytes
//                that an item takes at once; REJECTS: there are elements without a label
//
// Memory  TREE              | keys of the nodes 0 (not used), 1, 2 ... 2^LEVELS - 1 |
//         COUNTED, EVEN     | keys |
//         LINEAR, ORDERED   | n + 2^LEVELS - 1 keys | starts, two to a word |
//                           and what CPUs read instead: kernels/classify/cpu_place.cl

#define COUNTED 1
#define TREE    2
#define LINEAR  3
#define ORDERED 4
#define EVEN    5

#define WAY     (SHAPE & 7)
#define LEVELS  (SHAPE >> 3 & 31)
#define IS_NEAR (SHAPE >> 8 & 1)
#define TALLIES (SHAPE >> 9 & 1)
#define HAS_MAP (SHAPE >> 10 & 1)
#define ITEMS   (SHAPE >> 11 & 7)
#define REJECTS (SHAPE >> 14 & 1)

#if IS_NEAR
#define NEARBY local
#else
#define NEARBY global
#endif

#if BYTES == 8
#define E               double // what places are computed in
#define FROM_BITS(b)    as_double(b)
#define PARTS(n, shift) ((double)(n) * as_double((ulong)(1023 - (shift)) << 52))
#define MANTISSA        52
#else
#define E               float
#define FROM_BITS(b)    as_float((uint)(b))
#define PARTS(n, shift) ((float)(n) * as_float((uint)(127 - (shift)) << 23))
#define MANTISSA        23
#endif

#if FORM == TABLE
struct opened {
    uint shift[LEVELS + 1], mask[LEVELS + 1]; // there may be no runs
};
#elif WAY == COUNTED
struct opened {
    C key[LEVELS + 1]; // there may be no keys
};
#elif WAY == TREE
struct opened {
    C top[4]; // nodes 1, 2 and 3
};
#elif WAY == EVEN
struct opened {
    E low, scale, factor, offset;
    uint base, mask; // of whole numbers; of parts
};
#else
struct opened {
    uint none;
};
#endif

static void open_row(struct opened *o, ulong row, global const uint *tables,
                     NEARBY const uint *near, const struct arguments *g)
{
#if FORM == TABLE
    #pragma unroll
    for (uint r = 0; r < LEVELS; r++) {
        o->shift[r] = tables[2 * r];
        o->mask[r] = tables[2 * r + 1];
    }
#elif WAY == COUNTED
    #pragma unroll
    for (uint k = 0; k < LEVELS; k++)
        o->key[k] = ((NEARBY const C *)(near + g->aid_at))[k];
#elif WAY == EVEN
    const E one = PARTS((ulong)1 << MANTISSA, g->shift);
    o->low = FROM_BITS(g->low);
    o->scale = FROM_BITS(g->scale);
    o->factor = (E)g->n;
    o->offset = one + (E)0.5 + PARTS(g->slack, g->shift);
#if BYTES == 8
    o->base = 0;
#else
    o->base = as_uint(one) >> g->shift;
#endif
    o->mask = (1u << g->shift) - 1;
#elif WAY == TREE
    #pragma unroll
    for (uint k = 1; k < 4; k++)
        o->top[k] = ((NEARBY const C *)(near + g->aid_at))[k];
#endif
}

#if FORM == TABLE
static uint index_of(U bits, const struct opened *o, const struct arguments *g)
{
    uint index = 0;
    #pragma unroll
    for (uint r = 0; r < LEVELS; r++)
        index |= (uint)(bits >> o->shift[r]) & o->mask[r];
    return index;
}

#elif FORM == SEARCH && WAY == COUNTED
static uint place_of(C x, const struct opened *o, NEARBY const uint *near,
                     const struct arguments *g)
{
    uint p = 0;
    #pragma unroll
    for (uint k = 0; k < LEVELS; k++)
        p += !(x < o->key[k]);
    return p;
}

#elif FORM == SEARCH && WAY == TREE
static uint place_of(C x, const struct opened *o, NEARBY const uint *near,
                     const struct arguments *g)
{
    NEARBY const C *nodes = (NEARBY const C *)(near + g->aid_at);
    const bool above = !(x < o->top[1]);
    const C second = above ? o->top[3] : o->top[2];
    uint node = (above ? 6 : 4) + !(x < second);
    #pragma unroll
    for (uint level = 2; level < LEVELS; level++)
        node = 2 * node + !(x < nodes[node]);
    return min(node - (1u << LEVELS), g->n);
}

#elif FORM == SEARCH && WAY == EVEN
// The place in parts, `slack` more: added to a power of two whose ulp is one part, so that the low
// bits of the sum count parts. Of a NaN: some place; on CPUs, which want it behind all keys, the
// last.
static uint parts_of(C x, const struct opened *o)
{
    const E moved = (E)x - o->low;
#if PTX && BYTES < 8
    float within;
    asm("mul.rn.sat.f32 %0, %1, %2;" : "=f"(within) : "f"(moved), "f"(o->scale));
    return as_uint(fma(within, o->factor, o->offset));
#else
    E within = moved * o->scale;
    within = within < 1 ? within : 1;
    within = within > 0 ? within : 0;
    const E sum = within * o->factor + o->offset;
#if BYTES == 8
    return (uint)as_ulong(sum);
#else
    return as_uint(sum);
#endif
#endif
}

// At most 2 * slack: in doubt.
static uint doubt_of(uint parts, const struct opened *o)
{
    return parts & o->mask;
}

static uint place_without_doubt(uint parts, const struct opened *o, const struct arguments *g)
{
    return (parts >> g->shift) - o->base;
}

// The key that x may be near, from 0 on.
static uint nearest_key(uint parts, const struct opened *o, const struct arguments *g)
{
    const uint half_way = (o->mask + 1) / 2 - (uint)g->slack;
    return clamp(((parts + half_way) >> g->shift) - o->base, 1u, g->n) - 1;
}

static uint place_of(C x, const struct opened *o, NEARBY const uint *near,
                     const struct arguments *g)
{
    const uint k = nearest_key(parts_of(x, o), o, g);
    return k + !(x < ((NEARBY const C *)(near + g->aid_at))[k]);
}
#endif
