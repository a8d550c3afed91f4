// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on GPUs, gpu_tile: which inputs stand beyond the ends of several short rows, where
// the end is not CONSTANT or HISTORY. gpu_tile_ends.cl puts them there.
//
// Macros   those of gpu_tile.cl

#if ROWS
// The input that stands for X(p), p beyond an end that is not CONSTANT or HISTORY: rows shorter
// than the filter fold more than once. A function of its own as resolve() is.
#if PTX
__attribute__((noinline))
#endif
static int folded(int p, int n, uint mode)
{
    if (mode == BOUNDARY_EDGE)
        return p < 0 ? 0 : n - 1;
    const int last = mode == BOUNDARY_REFLECT_WHOLE ? 2 * n - 2 : 2 * n - 1;
    const int period = mode == BOUNDARY_WRAP           ? n
                       : mode == BOUNDARY_REFLECT_HALF ? 2 * n
                                                       : max(last, 1);
    int q = p % period;
    q += q < 0 ? period : 0;
    return mode == BOUNDARY_WRAP ? q : min(q, last - q);
}

// a modulo m. A tile has less than 2^16 elements, so that the quotient is off by one at most.
static int modulo(int a, int m)
{
    const int r = a - (int)floor((float)a * (1.0f / (float)m)) * m;
    return r + (r < 0 ? m : r >= m ? -m : 0);
}

// Where the inputs stand that an item puts beyond an end that is not CONSTANT or HISTORY: a
// place of the period of the row and its mirror image, `by` places apart. So only the first place
// and the distance may take a division. Places are counted as elements of the tile's row, whose first one is
// X(origin).
struct repeats {
    int place, by;
    int period, end; // places are less than `end`
    int last;        // place q is that of element min(q, last - q)
};

static struct repeats repeats_of(int p, int by, int n, uint mode, int origin)
{
    struct repeats r = { p, by, n, n - origin, INT_MAX / 2 };
    if (mode == BOUNDARY_EDGE) {
        r.place = (p < 0 ? 0 : n - 1) - origin;
        r.by = 0;
        return r;
    }
    if (mode != BOUNDARY_WRAP) {
        const int whole = mode == BOUNDARY_REFLECT_WHOLE;
        r.last = 2 * (n - origin) - 1 - whole;
        r.period = max(2 * (n - whole), 1);
        r.end = r.period - origin;
    }
    r.place += p < 0 ? r.period : p >= r.period ? -r.period : 0;
    if ((uint)r.place >= (uint)r.period)
        r.place = modulo(r.place, r.period);
    r.place -= origin;
    if (by >= r.period)
        r.by = modulo(by, r.period);
    return r;
}

// The element that is the next of them.
static int repeated(struct repeats *r)
{
    const int e = min(r->place, r->last - r->place);
    r->place += r->by;
    r->place -= r->place >= r->end ? r->period : 0;
    return e;
}
#endif
