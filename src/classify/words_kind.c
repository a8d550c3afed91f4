/* SPDX-License-Identifier: Apache-2.0
 *
 * classify, gpu_words: which words a call has (kernels/classify/gpu_words.cl, spread.cl): those of a
 * long row, of short rows, or elements one by one. */
#include "words.h"

enum {
    LONG_ROW = 8192, // from so many elements on, a row is work for a group
    // The same where rows are so few that groups of whole rows would leave units idle: each is cut
    // into parts. H100, driver 580.159.04, 2026-11-27, 9 rows of 5714 f32, every tenth element: 13.5
    // us by groups of whole rows, 7.3 so. Shorter rows were not measured.
    LONG_FEW_ROW = 2048,
    // The same where a row needs a group of its own, because it has keys or counts.
    LONG_OWN_ROW = 4096,
    // Bytes of a row's elements and labels from which on it is long without counts, which each
    // group would have to empty: a unit runs eight groups of 256 items at once, and has them in
    // flight. Not measured but for one call: H100, driver 580.159.04, 2026-11-27, u64 to u8, 6
    // keys of each of 16 204 rows of 1771, us by gpu_tiles and gpu_words: 220 92.5.
    LONG_OWN_BYTES = 8192,
    KEY_ELEMENTS = 8, // elements of such a row for each of its keys, at least
    // Shorter rows without gaps between their labels are numbered through (prototype, one H200,
    // 2026-11-22, shares of the bound: rows of 5 1.03, of 20 0.89, of 100 0.83; rows of 1000,
    // which have gaps, word by word 0.93). By the library, us by elements and so: H200, 2026-11-27,
    // f32 to u8, rows of 5 of 8 327, 296; H100 461, 420, to u16, rows of 4 backwards 331, 246.
    DENSE_ROW = 512,
    // Shorter ones of 2 bytes are taken element by element. H200, driver 580.159.04, 2026-11-27, us
    // by words, of a form that took up to 9 % longer than they do, and by elements: f16 to u8, rows
    // of 5 238 194, of 23 287 240, of 3 with counts 317 217; but on an H100, by words as they are, of
    // 8 248 280. By the same form elements of 4 bytes took longer, too: i32 to u16, rows of 2 286 240;
    // to u8, of 18 115 84. Words as they are were not measured there.
    DENSE_SPREAD = 32,
    // Rows with gaps below SPREAD_ROW elements are taken element by element. Elements of 1 or 2
    // bytes have NARROW_LABELS, NARROW_COUNTS or, with labels and counts, NARROW_BOTH. H200,
    // driver 580.159.04, 2026-11-23, us by words and by elements: rows of 4 f16 262, 206; of 10 f32 205, 153; of 16 f16 444, 270; of
    // 38 f32 183, 188; of 100 i16 168, 209; of 711 u8 101, 179; counts of rows of 19 i8 137,
    // 60, of 340 68, 176. 2026-11-29: labels of rows of 41 i32 159, 119, of 47 f32 101, 92, of
    // 51 f32 98, 67, of 74 u32 126, 121, of 85 f64 89, 83; but of 142 f64 113, 268, of 170 u32
    // 92, 201, of 200 u32 90, 122. Of narrow ones rows of 22 u16 293, 119, of 96 i16 129, 112;
    // but of 53 f16 160, 164, of 72 u16 140, 166, of 189 u8 145, 161. Counts alone: of 16 f32
    // 101, 55, of 36 f64 86, 64, of 49 i32 86, 69, of 71 i16 99, 57, of 95 u32 86, 69; but of
    // 185 i32 47, 83, of 246 f32 55, 92. 2026-11-30, shares of the bound by words and by elements,
    // labels of bytes: rows of 43 .37 .45, 46 .33 .45, 58 .54 .62, 60 .50 .64, 73 .55 .45, 82 .52
    // .62 and .57 .54, 84 .48 .58, 120 .57 .56; of 16 bits: 32 .57 .60, 34 .39 .51, 40 .51 .64, 43
    // .52 .53, 48 .50 .63, 50 .58 .65, 52 .39 .50, 53 .42 .51, 65 .49 .52, 67 .68 .43. Labels and
    // counts: 39 .40 .63, 42 .18 .49, 48 .42 .52, 72 .26 .55, 85 .31 .55, 116 .52 .47. Counts alone:
    // 95 .67 .67, 98 .37 .57, 107 .75 .64, 135 .66 .65, 145 .47 .65, 157 .54 .59, 159 .39 .53, 169
    // .42 .50. Lost, us by words as they are and so: words that begin before a row and end behind
    // it, rows of 43 711 728, of 46 858 1113. Their stores write each sector several times.
    SPREAD_ROW = 96,
    NARROW_LABELS = 64, // at least DENSE_SPREAD
    NARROW_BOTH = 96,
    NARROW_COUNTS = 176,
    // Bytes and labels from label to label, at most, where they are fetched first. us without and
    // with it: H200, driver 580.159.04, 2026-11-27, u32 labels of stride 4 207 173, u8 of stride 2
    // 187 145; H100, u16 labels of stride 5 381 357, u8 of stride 5 248 223, of stride 10 268 288.
    FETCHED_BYTES = 16,
    FETCHED_STEP = 8,
};

// Whether groups must not mix rows.
bool gp_words_are_row_by_row(const struct classification *c)
{
    return c->in.rows == 1 || c->counts_rows || c->classifier->rows > 1;
}

// Whether groups take parts of many rows, which are counted together.
bool gp_words_are_together(const struct classification *c)
{
    return c->has_counts && !c->counts_rows && c->in.rows > 1 && c->classifier->rows == 1;
}

bool gp_words_are_long(const struct classification *c)
{
    const bool are_neighbours =
        gp_abs(c->in.stride) == 1 && c->has_labels && gp_abs(c->labels.stride) == 1;
    return c->in.count >= LONG_OWN_ROW ||
           (are_neighbours && !c->has_counts &&
            c->in.count * (c->in.size + c->labels.size) >= LONG_OWN_BYTES &&
            c->in.count >= c->classifier->n * KEY_ELEMENTS);
}

// Whether each row is cut into parts.
static bool are_cut(const struct classification *c)
{
    const bool are_few = 2 * c->in.rows <= c->classifier->gp->caps.compute_units;
    return c->in.count >= (are_few ? LONG_FEW_ROW : LONG_ROW);
}

unsigned gp_words_kind(const struct classification *c)
{
    const struct gp_array *labels = &c->labels;
    if (gp_words_are_row_by_row(c) || are_cut(c))
        return WORDS_OF_ROW;
    // Pieces of host arrays may be a part of each row.
    const bool is_whole =
        c->in.memory != GPUPRIM_HOST && (!c->has_labels || labels->memory != GPUPRIM_HOST);
    const bool is_dense =
        c->has_labels && labels->stride == 1 && labels->row_stride == (int64_t)labels->count;
    const bool is_short = c->in.count < DENSE_SPREAD && c->in.size == 2;
    return is_whole && is_dense && !is_short && c->in.count < DENSE_ROW ? WORDS_OF_ALL
                                                                        : WORDS_OF_ROWS;
}

// Elements of a row with gaps from which on it is taken by words.
static uint64_t least_row_of_words(const struct classification *c)
{
    if (c->in.size >= 4)
        return SPREAD_ROW;
    return !c->has_labels ? NARROW_COUNTS : c->has_counts ? NARROW_BOTH : NARROW_LABELS;
}

// Whether words have one element, so that neighbouring items take neighbouring elements: where
// elements or rows have gaps, and labels leave one by one or not at all, and where each element
// lies in a unit of 32 bytes of its own. H200, driver 580.159, 2026-11-22, us by words and by
// elements (docs/measurements/classify.md names the calls): i16 and u8 labels, both of stride
// 3, 424 and 225; f32 of stride 16 with dense labels 105 and 69; rows of 2 f32 with gaps 215
// and 100; counts of u8 of stride 8 128 and 92; counts of rows of 5 to 7 that lie in one
// another the same.
bool gp_words_are_spread(const struct classification *c, unsigned words)
{
    const bool one_by_one = !c->has_labels || c->labels.stride != 1;
    const bool is_far = gp_abs(c->in.stride) * c->in.size >= 32;
    return (one_by_one && c->in.stride != 1) || (words != WORDS_OF_ALL && is_far) ||
           (words == WORDS_OF_ROWS && c->in.count < least_row_of_words(c));
}

// Labels that lie side by side in long rows fill sectors. Those of short rows, and labels with gaps
// between them, are written in parts of sectors that nobody completes soon.
bool gp_words_fetch_labels(const struct classification *c, unsigned words, bool is_spread)
{
    const struct gp_array *labels = &c->labels;
    const uint64_t step = gp_abs(labels->count > 1 ? labels->stride : labels->row_stride);
    const bool is_dense = labels->stride == 1 && (words == WORDS_OF_ROW ||
                                                  gp_abs(labels->row_stride) == labels->count);
    if (!c->has_labels || is_dense)
        return false;
    return is_spread ? step <= FETCHED_STEP && step * labels->size <= FETCHED_BYTES
                     : words == WORDS_OF_ROWS && labels->stride == 1;
}
