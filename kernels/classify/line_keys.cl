// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_tiles: the search among the keys of rows that lie side by side in local memory,
// where neighbouring items have neighbouring rows. Items of 32 neighbouring rows meet in no bank,
// whichever keys they read. src/classify/tile_cut.c has figures.
//
//     keys    | k k k k k k k k | k k k k k k k k | ...     LINE_ROWS 8: key 0 of each, key 1
//
// Per element: for each of LEVELS a read, a comparison and an addition.
//
// Macros  those of classify.cl; KEYS_HELD, LINE_ROWS, LEVELS: row_keys.cl
//
// Defines place_of(), where LINE_ROWS is not 0 and keys are not held

#if LINE_ROWS && ROW_KEYS && !KEYS_HELD
// Where local memory has a row's keys: with PTX an address, else the bytes from k->keys.
#if PTX
#define FIRST_KEY(k)   ((uint)(size_t)(k)->keys) // addresses of local memory have 32 bits
#define KEY_AT(k, at)  (*(local const KEY_T *)(size_t)(at))
#else
#define FIRST_KEY(k)   0u
#define KEY_AT(k, at)  (*(local const KEY_T *)((local const uchar *)(k)->keys + (at)))
#endif

#if TYPE == F64
#define PTX_KEY             "f64"
#define PTX_KEY_REGISTER(x) "d"(x)
#elif IS_FLOAT
#define PTX_KEY             "f32"
#define PTX_KEY_REGISTER(x) "f"(x)
#elif BYTES == 8 && IS_SIGNED
#define PTX_KEY             "s64"
#define PTX_KEY_REGISTER(x) "l"(x)
#elif BYTES == 8
#define PTX_KEY             "u64"
#define PTX_KEY_REGISTER(x) "l"(x)
#elif IS_SIGNED
#define PTX_KEY             "s32"
#define PTX_KEY_REGISTER(x) "r"(x)
#else
#define PTX_KEY             "u32"
#define PTX_KEY_REGISTER(x) "r"(x)
#endif

// Moves up by so many bytes, unless x < key.
static uint moved_up(uint at, uint bytes, KEY_T x, KEY_T key)
{
    // Compilers make an addition and a move of it. volatile: f16, 5 keys of each of 161 columns took
    // 2261 us without and 1124 with it (H200, driver 580.159.04, 2026-12-01).
#if PTX
    asm volatile("{ .reg .pred p; setp.lt." PTX_KEY " p, %1, %2; @!p add.u32 %0, %0, %3; }"
                 : "+r"(at)
                 : PTX_KEY_REGISTER(x), PTX_KEY_REGISTER(key), "r"(bytes));
    return at;
#else
    return at + (x < key ? 0 : bytes);
#endif
}

// The first step leaves 2^(LEVELS - 1) - 1 keys, the first or the last ones. So all others have
// a length that is known here.
static uint place_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
    const uint step = LINE_ROWS * (uint)sizeof(KEY_T), upper = LEVELS ? 1u << (LEVELS - 1) : 0;
    uint at = FIRST_KEY(k);
    if (LEVELS)
        at = moved_up(at, (g->n - upper + 1) * step, x, k->keys[(g->n - upper) * LINE_ROWS]);
    #pragma unroll
    for (uint left = upper / 2; left > 0; left /= 2)
        at = moved_up(at, left * step, x, KEY_AT(k, at + (left - 1) * step));
    return min((at - FIRST_KEY(k)) / step, k->n);
}
#endif
