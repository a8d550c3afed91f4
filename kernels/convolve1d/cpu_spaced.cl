// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: elements of a row that lie apart. Up to eight apart, upwards or downwards, they
// are taken a vector at a time. All others are copied one by one, a CHUNK of them, and converted in
// vectors: to convert one f16 takes PoCL as long as a vector.
//
// Macros  those of cpu_vector.cl
//
// Defines take_apart(), IS_SPACED(), reversed()

// The first of each pair of elements of two vectors.
static calc_vec evens(calc_vec v, calc_vec w)
{
#if COMPONENTS == 2
    return (calc_vec)(v.s014589cd, w.s014589cd);
#else
    return (calc_vec)(v.even, w.even);
#endif
}

static calc_vec reversed(calc_vec v)
{
#if COMPONENTS == 2
    return v.sefcdab8967452301;
#elif VEC_N == 16
    return v.sfedcba9876543210;
#else
    return v.s76543210;
#endif
}

// Every third, fifth or seventh element of as many vectors, from the first on.
#if ORDER == 16
#define THIRDS(a, b, c)                                                                       \
    (unit_vec)(a.s0, a.s3, a.s6, a.s9, a.sc, a.sf, b.s2, b.s5, b.s8, b.sb, b.se, c.s1, c.s4, \
               c.s7, c.sa, c.sd)
#define FIFTHS(a, b, c, d, e)                                                                 \
    (unit_vec)(a.s0, a.s5, a.sa, a.sf, b.s4, b.s9, b.se, c.s3, c.s8, c.sd, d.s2, d.s7, d.sc, \
               e.s1, e.s6, e.sb)
#define SEVENTHS(a, b, c, d, e, f, g)                                                         \
    (unit_vec)(a.s0, a.s7, a.se, b.s5, b.sc, c.s3, c.sa, d.s1, d.s8, d.sf, e.s6, e.sd, f.s4, \
               f.sb, g.s2, g.s9)
#else
#define THIRDS(a, b, c)       (unit_vec)(a.s0, a.s3, a.s6, b.s1, b.s4, b.s7, c.s2, c.s5)
#define FIFTHS(a, b, c, d, e) (unit_vec)(a.s0, a.s5, b.s2, b.s7, c.s4, d.s1, d.s6, e.s3)
#define SEVENTHS(a, b, c, d, e, f, g) \
    (unit_vec)(a.s0, a.s7, b.s6, c.s5, d.s4, e.s3, f.s2, g.s1)
#endif

#define NEXT(i) UNITS(side_by_side(p + (i) * ORDER))

static calc_vec every_third(global const elem *p)
{
    const unit_vec a = NEXT(0), b = NEXT(1), c = NEXT(2);
    return CALCS((THIRDS(a, b, c)));
}

static calc_vec every_fourth(global const elem *p)
{
    return evens(evens(side_by_side(p), side_by_side(p + ORDER)),
                 evens(side_by_side(p + 2 * ORDER), side_by_side(p + 3 * ORDER)));
}

static calc_vec every_fifth(global const elem *p)
{
    const unit_vec a = NEXT(0), b = NEXT(1), c = NEXT(2), d = NEXT(3), e = NEXT(4);
    return CALCS((FIFTHS(a, b, c, d, e)));
}

static calc_vec every_seventh(global const elem *p)
{
    const unit_vec a = NEXT(0), b = NEXT(1), c = NEXT(2), d = NEXT(3), e = NEXT(4), f = NEXT(5),
                   g = NEXT(6);
    return CALCS((SEVENTHS(a, b, c, d, e, f, g)));
}

// Distances of elements that take_run() and take_apart() take by vectors. PoCL 3.1, both cores
// with AVX-512, 2026-11-28, us before and after, one row of 2^21 or 2^22 inputs, f32: step 5,
// dilation 3 600 480; u8: step 6, dilation 5 822 505; f16: step 7 460 371. 2026-12-01, downwards, f32,
// 9 taps: one row of 2 million, step 2 874 495; 500 rows, step 3 852 353, each 2nd 1332 908.
#define IS_SPACED(apart) ((apart) != 0 && (apart) >= -8 && (apart) <= 8)

// Elements `distance` apart. Upwards a vector reaches beyond its last element, and ends in front of an
// element that is there: one of `count`, or one more if these go on.
#define TAKE_SPACED(distance, vector)                                 \
    case distance:                                                    \
        for (; i + ORDER < most; i += ORDER, p += (distance) * ORDER) \
            TAKE(to, i, vector);                                      \
        break;
// Downwards a vector reaches beyond its first element. The one before is there.
#define TAKE_BACK(distance, vector)                                \
    case -(distance):                                              \
        for (; i + ORDER <= count; i += ORDER) {                   \
            p -= (distance) * (ORDER - 1);                         \
            TAKE(to, i, reversed(vector));                         \
            p -= (distance);                                       \
        }                                                          \
        break;
#define TAKE_ALL(TAKE_VECTORS)                                               \
    TAKE_VECTORS(2, evens(side_by_side(p), side_by_side(p + ORDER)))         \
    TAKE_VECTORS(3, every_third(p))                                          \
    TAKE_VECTORS(4, every_fourth(p))                                         \
    TAKE_VECTORS(5, every_fifth(p))                                          \
    TAKE_VECTORS(6, evens(every_third(p), every_third(p + 3 * ORDER)))       \
    TAKE_VECTORS(7, every_seventh(p))                                        \
    TAKE_VECTORS(8, evens(every_fourth(p), every_fourth(p + 4 * ORDER)))
static void take_apart(CALC_T *to, global const elem *p, uint count, long apart, bool go_on)
{
    const uint most = count + (go_on ? 1 : 0);
    uint i = 0;
    if (apart < -1 && count >= ORDER) { // the first one, by itself
        elem first[ORDER];
        for (uint k = 0; k < ORDER; k++)
            first[k] = k == 0 ? *p : (elem)(0);
        TAKE(to, 0, calc_of(*(const unaligned_part_vec *)first));
        i = 1;
        p += apart;
    }
    switch (apart) {
        TAKE_BACK(1, side_by_side(p))
        TAKE_ALL(TAKE_SPACED)
        TAKE_ALL(TAKE_BACK)
    }
    if (apart == -1 && count >= ORDER && i < count) { // the last vector overlaps others
        TAKE(to, count - ORDER, reversed(side_by_side(p + i - (count - 1))));
        return;
    }
    elem chunk[CHUNK];
    while (i < count) {
        const uint n = min((uint)CHUNK, count - i);
        NOT_VECTORS
        for (uint k = 0; k < n; k++)
            chunk[k] = p[k * apart];
        for (uint k = n; k % ORDER; k++)
            chunk[k] = (elem)(0);
        for (uint k = 0; k < n; k += ORDER)
            TAKE(to, i + k, calc_of(*(const unaligned_part_vec *)(chunk + k)));
        i += n;
        p += n * apart;
    }
}
