// SPDX-License-Identifier: Apache-2.0
//
// classify on CPU devices: the labels of STEP elements side by side by the method HASH (hash.cl).
// Loops over single elements become vectors, as in cpu_search.cl. On CPU devices the places of
// a table are a power of two, so that a shift gives the place. Both tables of a mask are read.
// A gather takes as long as asking 16 cases (src/classify/cases.c).
//
// Macros  WAYS     tables of a mask, 1 or 2
//         HAS_MAP  1: codes are numbers of labels; 0: codes are labels
//
// Defines label_step(). For each element it takes a gather of 4 bytes for each table (8 where x
// has 64 bits) with about seven operations, and a gather of 4 bytes if HAS_MAP.

#if METHOD == METHOD_HASH
#if !defined(WAYS) || !defined(HAS_MAP)
#error "WAYS and HAS_MAP must be defined"
#endif

// What a table says of STEP values: codes, or larger numbers; the less of that and of `code`.
static void look_step(BITS_T *restrict code, const KEY_T *restrict v, BITS_T mask, BITS_T odd,
                      uint places, // a power of two
                      global const BITS_T *restrict entries, uint code_bits)
{
    const uint shift = clz(places) + 1 + sizeof(BITS_T) * 8 - 32;
    #pragma clang loop vectorize_width(VEC_N) interleave_count(4)
    for (int i = 0; i < STEP; i++) {
        const BITS_T h = (BITS(v[i]) & mask) * odd;
        const BITS_T d = entries[(int)(h >> shift)] ^ (h << code_bits);
        code[i] = d < code[i] ? d : code[i];
    }
}

static void label_step(uint *restrict label, const KEY_T *restrict v,
                       const struct held *restrict held,
                       global const uint *restrict tables,
                       const struct arguments *restrict g)
{
    const uint n = g->n;
    global const BITS_T *numbers = (global const BITS_T *)tables;
    global const uint *places = (global const uint *)(numbers + 3 * n);
    global const BITS_T *entries = (global const BITS_T *)(tables + g->index_at);
    global const uint *labels = tables + g->labels_at;
    BITS_T code[STEP];
    for (int i = 0; i < STEP; i++)
        code[i] = ~(BITS_T)0;
    for (uint m = 0; m < n; m++) {
        look_step(code, v, numbers[m], numbers[n + m], places[m], entries + places[n + m],
                  g->code_bits);
#if WAYS == 2
        look_step(code, v, numbers[m], numbers[2 * n + m], places[m],
                  entries + places[2 * n + m], g->code_bits);
#endif
    }
    #pragma clang loop vectorize_width(VEC_N) interleave_count(4)
    for (int i = 0; i < STEP; i++) {
        const bool is_case = code[i] < g->classes;
#if HAS_MAP
        label[i] = labels[(int)(is_case ? (uint)code[i] : g->classes)];
#else
        label[i] = is_case ? (uint)code[i] : g->otherwise;
#endif
    }
}
#endif
