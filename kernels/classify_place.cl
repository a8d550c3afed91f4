// SPDX-License-Identifier: Apache-2.0
//
// classify: where an element stands among the keys, by what was prepared for it when the
// classifier was made (src/classify_aid.c). p = how many of the n keys are not greater than x is
// what each way comes to, of a NaN some number up to n, which nobody looks at (label_of); all but
// EVEN take the same steps for every x.
//
//     COUNTED   compares with each of LEVELS keys
//     TREE      the keys as a tree of LEVELS levels: node 1 is the middle one, the children of
//               node i are 2i and 2i + 1, so that what is read first lies together
//     EVEN      keys at about the same distance: e = (x - low) * scale, rounded to a whole number r,
//               names the only key whose side of x is in doubt: as e grows with x, and every
//               key's own e is within `slack` <= 1/4 of its number. Beyond it there is no doubt
//     LINEAR    the range of the keys cut into cells of one width: start[cell] keys lie in
//               the cells before, and LEVELS halvings find the place among those within, less
//               than 2^LEVELS
//     ORDERED   the same with cells of equally many values: floats by the order of their bits,
//               which suits keys that are spread as powers are
//
// The cell of x grows with x, whatever rounding does to it, and host and device compute it alike:
// keys of lower cells are less than x, those of higher cells greater. Keys that are missing, at
// the end of a tree or behind the last cell, are the type's largest value; where x reaches them,
// it reaches all.
//
// Macro   SHAPE  WAY + 8 * LEVELS + 256 * IS_NEAR + 512 * TALLIES + 1024 * MAP + 2048 * ITEMS
//                LEVELS of TABLE: its runs; IS_NEAR: tables are in local memory; TALLIES: counts
//                are gathered there; MAP: classes have labels of their own; ITEMS: of 16 bytes
//                that an item takes at once
//
// Memory  TREE              | keys of the nodes 0 (not used), 1, 2 ... 2^LEVELS - 1 |
//         COUNTED, EVEN     | keys |
//         LINEAR, ORDERED   | n + 2^LEVELS - 1 keys | starts, two to a word |
//                           and what CPUs read instead: kernels/classify_cpu_place.cl

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
#define ITEMS   (SHAPE >> 11)

#if IS_NEAR
#define NEARBY local
#else
#define NEARBY global
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

#elif FORM == SEARCH
#if BYTES == 8
#define FROM_BITS(b) as_double(b)
#else
#define FROM_BITS(b) as_float((uint)(b))
#endif
#if WAY == EVEN
#if BYTES == 8
#define E       double
#define ROUNDER 0x1.8p52
#define LOW_BITS(sum) ((uint)as_ulong(sum))
#else
#define E       float
#define ROUNDER 0x1.8p23f
#define LOW_BITS(sum) (as_uint(sum) & 0x3fffff)
#endif

// r, and in *apart how far e is above it. A sum with 1.5 * 2^23, or 2^52, has no room for
// fractions: its low bits are r. g.cells is n.
static uint nearest_key(C x, E *apart, const struct arguments *g)
{
    const E e = ((E)x - FROM_BITS(g->low)) * FROM_BITS(g->scale);
    const E most = (E)g->cells - (E)0.75, below = e < most ? e : most; // a NaN, too
    const E within = below > (E)-0.5 ? below : (E)-0.5, sum = within + ROUNDER;
    *apart = within - (sum - ROUNDER);
    return LOW_BITS(sum);
}
#elif WAY == LINEAR
static uint cell_of(C x, const struct arguments *g)
{
    const C most = (C)(g->cells - 1), c = (x - FROM_BITS(g->low)) * FROM_BITS(g->scale);
    const C within = c < most ? c : most; // a NaN, too
    return (uint)(within > 0 ? within : 0);
}
#elif WAY == ORDERED
// x - low as it lies among the values of its type, 0 below low.
static uint cell_of(C x, const struct arguments *g)
{
#if TYPE == F64
    const long bits = as_long(x + 0); // one zero
    const long order = bits ^ ((bits >> 63) & LONG_MAX), low = (long)g->low;
#elif IS_FLOAT
    const int bits = as_int(x + 0);
    const int order = bits ^ ((bits >> 31) & INT_MAX), low = (int)g->low;
#else
    const C order = x, low = (C)g->low;
#endif
    const U beyond = order > low ? (U)order - (U)low : 0;
    return (uint)min(beyond >> g->shift, (U)(g->cells - 1));
}
#else
#error "WAY is none"
#endif

#if WAY == EVEN
static uint place_of(C x, const struct opened *o, NEARBY const uint *near,
                     const struct arguments *g)
{
    E apart;
    const uint r = nearest_key(x, &apart, g);
    bool above = apart > 0;
    if (fabs(apart) <= FROM_BITS(g->slack)) // seldom: then one key is read, else none
        above = !(x < ((NEARBY const C *)(near + g->aid_at))[r]);
    return r + above;
}
#else
static uint place_of(C x, const struct opened *o, NEARBY const uint *near,
                     const struct arguments *g)
{
    NEARBY const C *keys = (NEARBY const C *)(near + g->aid_at);
    NEARBY const ushort *starts =
        (NEARBY const ushort *)(keys + g->n + (1u << LEVELS) - 1);
    uint p = starts[cell_of(x, g)];
    #pragma unroll
    for (int level = LEVELS - 1; level >= 0; level--)
        p += x < keys[p + (1u << level) - 1] ? 0 : 1u << level;
    return min(p, g->n);
}
#endif
#endif
