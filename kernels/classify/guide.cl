// SPDX-License-Identifier: Apache-2.0
//
// classify: places by a guide, the ways LINEAR and ORDERED of kernels/classify/place.cl. The cell
// of x grows with x, whatever rounding does to it, and host and device compute it alike: keys of
// lower cells are less than x, those of higher cells greater.

#if FORM == SEARCH && (WAY == LINEAR || WAY == ORDERED)
#if WAY == LINEAR
static uint cell_of(C x, const struct arguments *g)
{
    const C most = (C)(g->cells - 1), c = (x - FROM_BITS(g->low)) * FROM_BITS(g->scale);
    const C within = c < most ? c : most; // a NaN, too
    return (uint)(within > 0 ? within : 0);
}
#else
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
#endif

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
