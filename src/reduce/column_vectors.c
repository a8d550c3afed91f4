/* SPDX-License-Identifier: Apache-2.0
 *
 * The vectors by which gpu_columns reads the lines of a matrix: how many columns one has, and how
 * lines are read that do not consist of aligned ones. */
#include "column_vectors.h"

#include "arguments.h"

// Where the first element probably lies, in bytes from an aligned address, if `base` is one.
// base itself is not looked at, so that gpuprim_reduce_prepare guesses the same. The kernel
// looks for itself; a wrong guess costs time only.
static uint64_t guess_offset(const gpuprim *gp, const struct gp_array *in)
{
    if (in->memory == GPUPRIM_HOST && !gp->caps.is_cpu)
        return 0; // staged from its first element on
    return (uint64_t)in->first * in->size;
}

// Whether lines consist of aligned vectors of so many columns.
static bool are_vectors(const struct gp_array *in, unsigned columns, uint64_t offset)
{
    return in->rows % columns == 0 && (uint64_t)in->stride % columns == 0 &&
           offset % (columns * in->size) == 0;
}

// Whether such lines are read as they are. Those without gaps are fused where they begin within a
// line of memory, so that loads do not.
static bool lies_well(const gpuprim *gp, const struct gp_array *in, unsigned columns)
{
    const uint64_t offset = guess_offset(gp, in);
    const bool can_begin_later = (uint64_t)in->stride == in->rows &&
                                 in->rows * in->size <= LINE_BYTES && in->count >= LINE_BYTES &&
                                 !gp_reduce_is_small(gp, in);
    return are_vectors(in, columns, offset) && !(can_begin_later && offset % LINE_BYTES);
}

// Whether kernels can leave out gaps. Elements of 8 bytes are read as fast by columns. MINMAX of
// narrow elements has more chains than registers: H200, driver 580.159.04, 2026-11-23, i8, 7146
// columns 8764 apart, us by columns 247, without the gaps 361. Gaps of host arrays are not copied.
// 2026-12-01, statistics, us by columns and without the gaps: u8, 162 of 304 372, 277; f32, 36449 of
// 67329 232, 203; u32, 8566 of 17059 263, 227.
static bool leaves_gaps(const struct reduction *r)
{
    return r->in.size < 8 && !(r->op == GPUPRIM_MINMAX && r->in.size < 4) &&
           r->in.memory != GPUPRIM_HOST;
}

// Whether lines can be read as one with the gaps between them: there are none, or they skip no
// line of memory, or little of it: a 64th of the elements or, where gaps cannot be left out, an
// eighth. Gaps of host arrays are not copied, and statistics that read gaps were not measured. Lines
// from the last to the first are not fused. H100, driver 580.159.04, 2026-11-27, us with the gaps and
// without: all f16, 5495 of 6087 columns 341, 311; max_abs i32, 501 of 550 265, 248; max_abs u8, 10551
// of 10889 265, 257; or u8, 4275 of 4416 264, 258.
bool gp_reduce_is_dense(const struct reduction *r)
{
    enum { LINE = 64, LEFT_OUT = 64, READ_ALONG = 8 };
    const struct gp_array *in = &r->in;
    const uint64_t gap = (uint64_t)in->stride - in->rows;
    const uint64_t small = in->rows / (leaves_gaps(r) ? LEFT_OUT : READ_ALONG);
    if (in->stride < 0)
        return false;
    return (uint64_t)in->stride == in->rows ||
           ((uint64_t)in->stride > in->rows && in->memory != GPUPRIM_HOST &&
            r->op != GPUPRIM_STATISTICS && (gap * in->size < LINE || gap <= small));
}

// Whether lines can be read as one without the gaps between them: vectors of so many columns
// reach into no other line.
static bool can_skip(const struct reduction *r, unsigned columns)
{
    return r->in.stride > 0 && (uint64_t)r->in.stride >= r->in.rows + columns && leaves_gaps(r);
}

// log2 of the lines that have a whole number of vectors together.
unsigned gp_reduce_fuse_of(const struct gp_array *in, unsigned columns)
{
    unsigned fuse = 0;
    while (((uint64_t)in->stride << fuse) % columns)
        fuse++;
    return fuse;
}

// Whether the chains of 16 bytes of columns leave room for loads in flight: elements of 1 or 2
// bytes, and one word at most for each (kernels/reduce/column_chains.cl).
static bool is_narrow(const gpuprim *gp, const struct reduction *r)
{
    if (r->op == GPUPRIM_STATISTICS) // of bytes by dot products
        return r->in.size == 1 && gp->caps.ptx;
    if (r->in.size > 2 || r->sum == GPUPRIM_F64)
        return false;
    switch (r->op) {
    case GPUPRIM_PRODUCT:
        return false;
    case GPUPRIM_MINMAX: // by pairs
        return gp->caps.ptx >= 90;
    case GPUPRIM_SUM_SQUARES:
        return r->in.type != GPUPRIM_I16 && r->in.type != GPUPRIM_U16;
    case GPUPRIM_MEAN:
        return !r->skip_nan;
    default:
        return true;
    }
}

// Columns of a vector of narrow elements: half of 16 bytes where what is kept of each column
// takes the registers of loads in flight. H200, driver 580.159.04, 2026-11-23, us by 16 bytes
// and by 8: sum u8, 14 wide, 308 and 282; sum_abs i8, 899 wide, 315 and 273; any u8, 27 wide,
// 281 and 274; argmin i16, 33 wide, 274 and 256; but argmin u8, 135 wide, 523 and 544, min u8,
// 100 wide, 237 and 240, mean i16, 251 wide, 309 and 319.
static unsigned narrow_columns(const struct reduction *r)
{
    const unsigned whole = VEC16_BYTES / (unsigned)r->in.size;
    switch (r->op) {
    case GPUPRIM_ARGMIN:
    case GPUPRIM_ARGMAX:
        return r->in.size == 2 ? whole / 2 : whole;
    case GPUPRIM_MIN:
    case GPUPRIM_MAX:
    case GPUPRIM_MINMAX:
    case GPUPRIM_MAX_ABS:
        return whole;
    default:
        return r->in.size == 1 ? whole / 2 : whole;
    }
}

// Columns of a vector: as many as 16 bytes have, but of elements of 1 or 2 bytes with larger
// chains four, and of 4 bytes two for statistics, whose four take more registers. H200, driver
// 580.159.04, 2026-12-01, us by two and by four: i32, 4355 wide 317, 330; 7 wide 294, 296; u32, 8566
// of 17059 228, 222; f16, by four and by two: 554 wide 401, 492; 4 wide 300, 332. i16 and
// u16 were measured by four alone. Fewer where lines do not consist of such vectors and cannot be fused.
unsigned gp_reduce_columns_of(const gpuprim *gp, const struct reduction *r)
{
    // With fewer lines the remainder is a large part of the matrix. Small matrices are done
    // sooner without the code that fused lines take. H200, driver 580.159.04, 2026-11-23, fused
    // and not: 3 x 10574 u32 12.3 and 8.5 us, 6 x 182102 f16 20.2 and 9.5, 74 x 5809 f16 14.5
    // and 7.8.
    enum { FUSED_LINES = 16, WORD_BYTES = 4, MOST_PLACES = 1 << 30 };
    const struct gp_array *in = &r->in;
    const uint64_t offset = guess_offset(gp, in);
    const uint64_t partials = REDUCE_SCRATCH_BYTES / gp_reduce_partial_bytes(r);
    const bool is_wide = in->size > 4 || (r->op == GPUPRIM_STATISTICS && in->size == 4);
    const unsigned most = is_wide ? 2 : is_narrow(gp, r) ? narrow_columns(r) : 4;
    unsigned columns = most;
    for (; columns > 1; columns /= 2) {
        const uint64_t fused = UINT64_C(1) << gp_reduce_fuse_of(in, columns);
        // Vectors of 8 bytes that are aligned are read as fast as very wide lines are fused. H200,
        // driver 580.159.04, 2026-11-23: and i32, 40564 wide, 41582 apart, 120 us and 129.
        const bool has_others =
            columns / 2 * in->size >= VEC16_BYTES / 2 && are_vectors(in, columns / 2, offset);
        const uint64_t room = partials / (has_others ? 8 : 1);
        const bool can_fuse = (gp_reduce_is_dense(r) || can_skip(r, columns)) &&
                              !gp_reduce_is_small(gp, in) &&
                              (uint64_t)in->stride <= MOST_PLACES / fused &&
                              (columns == most || columns * in->size >= WORD_BYTES) &&
                              room / in->rows > fused + 1 && in->count >= FUSED_LINES * fused;
        if (can_fuse || are_vectors(in, columns, offset))
            break;
    }
    return columns;
}

// Whether groups have half as many items, which have twice the vectors in flight and, on NVIDIA's
// GPUs, ask for all of them before they use one (HOLD). Their registers hold the chains and accs
// beside these. H200, driver 580.159.04, 2026-11-23, us by 1024 items and by 512: sum_squares u8, 299
// wide, 550 and 412; argmax i8, 6 wide, 381 and 308; mean f32 in f64, 695 wide, 799 apart, 201 and 174.
// H100, 2026-11-27: sum u8, 3 wide, 86 and 78, 16 wide 373 and 354, 100 wide 400 and 376, 1000 wide
// 397 and 376; max u8, 15025 wide, 505 and 494; count u8, 285 wide, 364 and 354. H200, 2026-11-29, 28
// matrices of 0.5 to 1.8 GB of 2 bytes and more: 1.7 % less in the geometric mean, from 8.2 % less to
// 0.3 % more. But argmax i16, 7 wide, 508 and 598, u32, 337 wide, 351 and 359, and statistics of 2 bytes
// and more, which have such groups already, 0 to 1 % longer with twice the vectors. Other GPUs were not
// measured.
bool gp_reduce_has_half_groups(const struct reduction *r, unsigned columns)
{
    enum { LEAST = 8 };
    if (columns * r->in.size < LEAST)
        return false;
    return gp_reduce_is_arg(r) || r->op == GPUPRIM_STATISTICS ? r->in.size == 1 : true;
}

bool gp_reduce_is_fused(const gpuprim *gp, const struct reduction *r, unsigned columns)
{
    return (gp_reduce_is_dense(r) || can_skip(r, columns)) && !lies_well(gp, &r->in, columns);
}
