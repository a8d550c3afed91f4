// SPDX-License-Identifier: Apache-2.0
//
// classify: the search method RANK (search.cl), for elements of 16 bits. A bit for each value
// says whether it is a key. 16 neighbouring values make a word: the bits, and above them how
// many keys there are before.
//
//     values    | 16 of them      | 16 of them      | ...          65536 values
//     words     | bits | keys     | bits | keys     | ...          4096 words
//                        before            before
//
// So a place is one read and the number of bits up to that of x, whatever the keys are. A key that
// the caller wrote twice is there once, and a map gives the labels.
//
// Values are counted in their order. Floats of 16 bits are compared as f32: multiplied by
// 2^-112, such a number has its own 16 bits in the place of the upper 19 bits of f32, denormals
// as well. Negative numbers are counted back from 0, and -0 is one less than 0, so that the key
// 0 stands at -0.

#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_RANK
struct row_constants {
    uint none;
};

static void load_row(struct row_constants *k, ulong row, global const uint *all_tables,
                     TABLE_SPACE const uint *tables, const struct arguments *g)
{
}

static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
#if IS_FLOAT
    const int bits = as_int(x * 0x1p-112f);
    const int order = (bits ^ ((bits >> 31) & INT_MAX)) >> 13;
    const int value = clamp(order, -32768, 32767); // infinities and NaNs
#else
    const int value = (int)x;
#endif
#if IS_FLOAT || IS_SIGNED
    const int first = 2048; // the word of 0
#else
    const int first = 0;
#endif
    const uint word = tables[(int)g->index_at + first + (value >> 4)];
    return (word >> 16) + popcount(word << (31 - (value & 15)));
}
#endif
