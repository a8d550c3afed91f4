// SPDX-License-Identifier: Apache-2.0
//
// lab, rows B2 and B3: a class for each value by a chain of conditions, and without one.
//
//     B2  the mode of a BC6H block, from the low bits of its first word. There are 14 modes: two
//         have codes of 2 bits, whatever the next three bits are; twelve have codes of 5 bits; the
//         last four codes of 5 bits are unused and get class 14, "reserved".
//         before  a chain of comparisons
//         after   one table of 32 entries
//         text    the text's table. It holds codes where indices are needed, and has 14 entries for
//                 32 codes. Here it is padded with 255, so that reading beyond its end is visible.
//                 The tables are not in constant memory, because items need different entries
//                 (G10).
//     B3  the slot of a cosine among five bounds: 0 for the largest cosines, 5 for the smallest and
//         for NaN.
//         before   a chain of comparisons
//         after    the sum of five comparisons
//         text     the text's sum, whose last three comparisons exclude each other
//         cosines  replaces random words by floats from 0 to 1, in place
//         domain   counts the floats for which after, or the text's version, differs from before
//
// One item per value: item i reads x[i] and writes y[i]; an item of domain takes the `each`
// values whose bit patterns are i * step. Per value: 5 bytes; before up to 14 (B2) or 5 (B3)
// comparisons, after one look-up or five comparisons. No barriers.
//
// Macros: WG, items per group.

#ifndef WG
#error "WG must be defined"
#endif
#define GROUP kernel __attribute__((reqd_work_group_size(WG, 1, 1)))

static uint mode_by_chain(uint word)
{
    const uint two = word & 3, five = word & 31;
    if (two == 0)
        return 0;
    else if (two == 1)
        return 1;
    else if (five == 0x02)
        return 2;
    else if (five == 0x06)
        return 3;
    else if (five == 0x0a)
        return 4;
    else if (five == 0x0e)
        return 5;
    else if (five == 0x12)
        return 6;
    else if (five == 0x16)
        return 7;
    else if (five == 0x1a)
        return 8;
    else if (five == 0x1e)
        return 9;
    else if (five == 0x03)
        return 10;
    else if (five == 0x07)
        return 11;
    else if (five == 0x0b)
        return 12;
    else if (five == 0x0f)
        return 13;
    return 14;
}

GROUP void B2_before(global const uint *restrict words, global uchar *restrict y)
{
    y[get_global_id(0)] = mode_by_chain(words[get_global_id(0)]);
}

GROUP void B2_after(global const uint *restrict words, global uchar *restrict y,
                    global const uchar *restrict modes)
{
    y[get_global_id(0)] = modes[words[get_global_id(0)] & 31];
}

GROUP void B2_text(global const uint *restrict words, global uchar *restrict y,
                   global const uchar *restrict modes)
{
    const uint word = words[get_global_id(0)], two = word & 3;
    y[get_global_id(0)] = modes[two < 2 ? two : word & 31];
}

// ---------------------------------------------------------------------------------------

static uint slot_by_chain(float v)
{
    if (v >= .965926f)
        return 0;
    else if (v >= .866025f)
        return 1;
    else if (v >= .707107f)
        return 2;
    else if (v >= .5f)
        return 3;
    else if (v >= .258819f)
        return 4;
    return 5;
}

static uint slot_by_count(float v)
{
    return !(v >= .965926f) + !(v >= .866025f) + !(v >= .707107f) + !(v >= .5f) +
           !(v >= .258819f);
}

static uint slot_by_text(float v)
{
    uint slot = 0;
    if (!(v >= .965926f))
        slot++;
    if (!(v >= .866025f))
        slot++;
    if (!(v >= .707107f))
        slot++;
    else if (!(v >= .5f))
        slot++;
    else if (!(v >= .258819f))
        slot++;
    return slot;
}

GROUP void B3_cosines(global uint *x)
{
    const uint i = get_global_id(0);
    x[i] = as_uint((float)(x[i] >> 8) * 0x1p-24f);
}

GROUP void B3_before(global const float *restrict v, global uchar *restrict y)
{
    y[get_global_id(0)] = slot_by_chain(v[get_global_id(0)]);
}

GROUP void B3_after(global const float *restrict v, global uchar *restrict y)
{
    y[get_global_id(0)] = slot_by_count(v[get_global_id(0)]);
}

GROUP void B3_domain(uint each, uint step, global uint *restrict wrong)
{
    const uint first = get_global_id(0) * each;
    uint after = 0, text = 0;
    for (uint k = 0; k < each; k++) {
        const float v = as_float((first + k) * step);
        const uint slot = slot_by_chain(v);
        after += slot != slot_by_count(v);
        text += slot != slot_by_text(v);
    }
    wrong[2 * get_global_id(0)] = after;
    wrong[2 * get_global_id(0) + 1] = text;
}
