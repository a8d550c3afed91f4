// SPDX-License-Identifier: Apache-2.0
//
// convolve1d on CPUs: which of the copies of cpu_give.cl gives results, and copies of results with
// gaps between them. Neighbours are stored together, others one by one.
//
// Macros  those of cpu_vector.cl
//
// Defines give()

// Copies `many` groups of neighbouring elements, `bytes` each, by two stores that may overlap.
// Nothing between groups is written. PoCL 3.1, both cores with AVX-512, 2026-11-28, us before, one
// by one, and after: 2 u8 831 685, 3 f32 965 735, 4 u8 931 548, 7 f64 1020 880.
#define GIVE_GROUPS(type)                                                              \
    {                                                                                  \
        typedef type __attribute__((aligned(1))) any;                                  \
        const uint last = bytes - sizeof(type);                                        \
        NOT_VECTORS for (uint k = 0; k < many; k++)                                    \
        {                                                                              \
            const uchar *group = (const uchar *)(from + k * line);                     \
            global uchar *at = (global uchar *)(to + k * apart);                       \
            const type first = *(const any *)group, rest = *(const any *)(group + last); \
            *(global any *)at = first;                                                 \
            *(global any *)(at + last) = rest;                                         \
        }                                                                              \
    }
static void give_groups(global out_elem *to, long apart, const out_elem *from, uint line,
                        uint many, uint bytes)
{
    if (bytes < 4)
        GIVE_GROUPS(ushort)
    else if (bytes < 8)
        GIVE_GROUPS(uint)
    else if (bytes < 16)
        GIVE_GROUPS(ulong)
    else if (bytes < 32)
        GIVE_GROUPS(ulong2)
    else
        GIVE_GROUPS(ulong4)
}

// Positions of so many neighbouring elements at most are packed before they are stored. PoCL 3.1,
// both cores of an AMD EPYC with AVX2, 2026-11-30, 3 taps, 2^21 inputs, us by stores of each position
// and packed: u8, rows of 17 1847 868, of 24 755 705, of 50 615 677; f32, of 17 1197 1481, of 80 672 914.
#define PACKED (sizeof(out_elem) < 4 ? 2 * ORDER : ORDER)

// Any other positions, by chunks.
static __attribute__((noinline)) // as a part of give() its loops take longer
void give_narrow(const CALC_T *from, uint line, global out_elem *p, uint many, long apart,
                 uint few, long few_apart, uint shift)
{
    out_elem chunk[CHUNK];
    const uint most = line < 2 * ORDER ? CHUNK / line : 1;
    for (uint i = 0; i < many; i += most)
        for (uint first = 0; first < few; first += CHUNK) {
            const uint n = min(most, many - i), some = min((uint)CHUNK, few - first);
            global out_elem *to = p + i * apart + first * few_apart;
            for (uint k = 0; k < (n > 1 ? n * line : some); k += ORDER)
                *(unaligned_out_vec *)(chunk + k) = RESULTS(from, i * line + first + k);
            if (few > 1 && few_apart == 1)
                give_groups(to, apart, chunk, line, n, few * sizeof(out_elem));
            else
                for (uint c = 0; c < some; c++)
                    NOT_VECTORS
                    for (uint k = 0; k < n; k++)
                        to[k * apart + c * few_apart] = chunk[k * line + c];
        }
}

// The results of a part of a tile, to `many` positions in memory with `few` channels each. A
// position's stand `line` elements behind those of the one before.
static __attribute__((noinline)) // compiles sooner
void give(const CALC_T *from, uint line, global out_elem *p, uint many, long apart, uint few,
          long few_apart, uint shift)
{
    if (line == few && (few == 1 ? apart == 1 : few_apart == 1 && apart == few)) {
        give_run(from, p, many * few, shift);
        return;
    }
    if (line == 1 && apart == -1) {
        give_reversed(from, p, many, shift);
        return;
    }
    if (few > 1 && few <= PACKED && few_apart == 1 && (apart == few || apart == -(long)few)) {
        give_packed(from, line, p, many, apart > 0 ? 1 : -1, few, shift);
        return;
    }
    if (few > 2 && few <= ORDER && few_apart == -1 && (apart == few || apart == -(long)few)) {
        give_mirrored(from, line, p, many, apart > 0 ? 1 : -1, few, shift);
        return;
    }
    // Of fewer elements the parts of vectors take longer than chunks. PoCL 3.1, both cores with
    // AVX-512, 2026-11-27, us before and after for 2^22 u8 and f32 in channels with a gap: 8
    // 2410 2309, 3723 2843; 12 2456 2030, 3077 2448; but 2 2332 7330 (u8), 4 3958 5083 (u8).
    if (few >= 8 && few_apart == 1) {
        for (uint i = 0; i < many; i++)
            give_run(from + i * line * COMPONENTS, p + i * apart, few, shift);
        return;
    }
    if (few >= 8 && few_apart == -1) {
        for (uint i = 0; i < many; i++)
            give_reversed(from + i * line * COMPONENTS, p + i * apart, few, shift);
        return;
    }
    if (few >= ORDER && many >= FEWEST && (apart == 1 || apart == -1)) {
        give_rows(from, line, p, many, (int)apart, few, few_apart, shift);
        return;
    }
    if (FEW(few) && line <= TOGETHER(few) && (apart == 1 || apart == -1)) {
        give_few_rows(from, line, p, many, (int)apart, few, few_apart, shift);
        return;
    }
    give_narrow(from, line, p, many, apart, few, few_apart, shift);
}
