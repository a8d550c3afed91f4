/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host code and the kernels of classify both know: the numbers of methods and search
 * methods, the sizes that both sides cut data by, and the argument struct of the kernels. This
 * text is valid in C, where the files of this folder include it, and in OpenCL C, where it is
 * embedded as "classify/arguments.h" (kernels/embed.py). */
#ifndef GP_CLASSIFY_ARGUMENTS_H
#define GP_CLASSIFY_ARGUMENTS_H

#ifndef __OPENCL_C_VERSION__
#include "src/core/core.h"
#endif

// Methods: how the kernels compute a rule. kernels/classify/classify.cl describes them.
#define METHOD_SEARCH 0
#define METHOD_TABLE  1
#define METHOD_CHAIN  2
#define METHOD_HASH   3
#define METHOD_BITS   4
#define METHOD_LISTS  5

// Search methods: how METHOD_SEARCH finds a place among the keys. kernels/classify/search.cl
// describes them. Only baseline has no search index, and searches by halving.
#define SEARCH_BINARY      0
#define SEARCH_COMPARE_ALL 1
#define SEARCH_TREE        2
#define SEARCH_GRID        3
#define SEARCH_RADIX       4
#define SEARCH_INTERPOLATE 5
#define SEARCH_RANK        6
#define SEARCH_PIECEWISE   7
#define SEARCH_STEPS       8
#define SEARCH_CELL_KEYS   9
#define SEARCH_LINEAR      10
#define SEARCH_MULTIPLES   11

// STEPS: a bit of the sum of a value and the word of its cell, which has more than one change.
#define ODD_CELL 0x8000u

// gpu_words holds the numbers of so many masks of METHOD_HASH in registers.
#define MOST_HELD_MASKS 4

// METHOD_CHAIN: so many cases are held in registers, and are asked rather than looked up in a
// table of 12 bits or more (src/classify/case_chain.c).
#define MOST_HELD_CASES 4

// METHOD_BITS: looks that 64 bits of an element take at most, 8 bits or more to each.
#define MOST_BITS_LOOKS 8
// The loop over so many words is unrolled.
#define MOST_HELD_WORDS 4

// METHOD_LISTS: bits of an element that choose a list, and those that its sieve has; the start of a
// list that has no cases; and the bit of a list's last entry.
#define LIST_BITS       12
#define LIST_SIEVE_BITS 16
#define NO_LIST         0xffffu
#define LAST_OF_LIST    0x8000u

// Forms of the counters of a group of gpu_words. kernels/classify/counter_forms.cl describes
// them. DIRECT: there are none.
#define COUNTERS_DIRECT    0
#define COUNTERS_WORDS     1
#define COUNTERS_FIELDS    2
#define COUNTERS_INTERVALS 3

// COUNTERS_INTERVALS: how many behind the first, at most; of bytes. Prototype, H200, 2026-11-23, 2^30
// bytes, us: u8 by 1, 3, 6, 9 intervals 238 249 274 350, by 32 counters of each value 246; u16 by 2,
// 4, 7, 10 intervals 244 260 286 404, by a look into a table and 16 counters of 200 classes 415.
#define MOST_INTERVALS      8
#define MOST_BYTE_INTERVALS 3

// COUNTERS_INTERVALS: sums of a group, which items use in turn.
#define INTERVAL_COPIES 16

// COUNTERS_FIELDS: how many items of a group put slots forward that may come up often; how many
// slots whose fields became full may wait to be settled; and the words of local memory for all
// that: slots, votes, tags, counters, the hottest one's counter, how many wait, and those that
// do.
#define HOT_SLOTS     32
#define WAITING_SLOTS 512
#define HOT_WORDS     (4 * HOT_SLOTS + 1 + 3 + 2 * WAITING_SLOTS)

// COUNT_VALUES: the values of label L are added up in word L % SUM_WORDS of local memory. Where labels
// are more than that, SUM_WORDS words more say which label owns each.
#define SUM_WORDS 256

// RANK: words of all values of 16 bits.
#define RANK_WORDS 4096

// Groups that set counts to zero, at most. Each has a word of kernels/tickets.cl to say so.
#define MOST_ZEROERS 32
#define SLOT_WORDS   MOST_ZEROERS
#define TICKET_WORDS 1024

// BY_VALUE: words of all tables, at most, that gpu_words takes as an argument of its kernel. So a
// launch has a memory argument less. H100, driver 580.159.04, 2026-11-27, us of a launch among
// many: two memory arguments 4.46, and 0.5, 1 or 2 KiB by value 4.45, 4.47, 4.50; three memory
// arguments 4.94. All arguments together fit the 1024 bytes that every device takes.
#define MOST_BY_VALUE 160

// Elements of a word of gpu_words, by the bytes of one.
#define WORD_ELEMENTS(bytes) ((bytes) < 4 ? 16 / (bytes) : 4)

// What a group of gpu_words takes: tiles of one row's words, the words of several rows, or
// words that pass from row to row. kernels/classify/gpu_words.cl describes them.
#define WORDS_OF_ROW  0
#define WORDS_OF_ROWS 1
#define WORDS_OF_ALL  2

// ROW_CELLS: the kind of cells of rows that have keys of their own
// (kernels/classify/row_keys.cl); 0: none.
#define CELLS_GLOBAL    1
#define CELLS_LOCAL     2
#define CELLS_OF_VALUES 3

// OWN_KEYS: what a group of gpu_words has of the keys of its row, if rows have keys of their own: a
// tree, and the places of values of 8 bits (kernels/classify/own_keys.cl); the words of RANK
// (own_ranks.cl); cells, and every 2^KEYS_APART-th key (row_keys.cl).
#define OWN_TREE  1
#define OWN_RANKS 2
#define OWN_CELLS 3

// RANK_PLACES: where gpu_words has the places of a row's keys of which some are equal
// (kernels/classify/own_ranks.cl); 0: no keys are. u32 of the places of a row of up to n keys.
#define PLACES_GLOBAL   1
#define PLACES_LOCAL    2
#define PLACES_WORDS(n) ((n) / 2 + 1)

// Words from a row's counters to the next row's, of so many counts: an odd number, so that items
// which count one label of neighbouring rows meet in no bank.
#define ROW_COUNTERS(labels) ((labels) | 1)

// The same of counters of 16 bits, two to a word; and the most that they count to.
#define SHORT_ROW_COUNTERS(labels) ((((labels) + 1) / 2) | 1)
#define MOST_SHORT_COUNT           65535

// Words of the starts of so many cells, of some bytes each; and words of local memory of a row
// with so many words of keys and such starts. The number is odd, so that rows begin in
// different banks. Keys of 8 bytes must be aligned: there it is twice an odd number.
#define START_WORDS(cells, bytes) (((bytes) * ((cells) + 1) + 3) / 4)
#define ROW_WORDS(key_words, cells, bytes, key_bytes)                                          \
    ((key_bytes) == 8 ? ((((key_words) + START_WORDS(cells, bytes) + 1) / 2) | 1) * 2          \
                      : ((key_words) + START_WORDS(cells, bytes)) | 1)

// Local memory may have every 2^apart-th of a row's own keys (kernels/classify/row_places.cl).
// KEY_VECTOR: the others come by vectors of so many keys. MOST_COPIED: local memory has so many of n
// keys at most. The first vector of a row may begin with keys of the row before.
#define KEY_VECTOR(apart, key_bytes)     ((apart) >= 2 && (key_bytes) == 4 ? 4 : 1)
#define MOST_COPIED(n, apart, key_bytes) (((n) + KEY_VECTOR(apart, key_bytes) - 1) >> (apart))

// gpu_tiles: how turned labels go to local memory (kernels/classify/turned.cl), beside 1; words
// before their lines and behind them that are read with them.
#define TURNED_BY_WORDS     2
#define TURNED_SIDE_BY_SIDE 4
#define TURNED_PASSES       8
#define TURNED_PADDED       16
#define TURNED_BESIDE       5

// Elements of a block of cpu_blocks. PoCL 3.1, two cores with AVX-512 that others used too,
// 2026-11-21, 2^25 of f32 to labels, a memcpy's processor time over that of the kernel, two
// runs of each, medians of 7:
//     BLOCK           128        256        512        1024
//     15 keys         0.99 0.89  0.83 0.93  0.71 0.80  0.60 0.60
//     255 evenly      0.53 0.53  0.52 0.52  0.46 0.45  0.40 0.39
//     4095 evenly     0.48 0.47  0.48 0.41  0.37 0.39  0.36 0.35
#define BLOCK 128

// Elements that are counted together, one row or all of them, are a segment. Positions and
// sizes in the tables are in u32 words; "at 0" means that the part does not exist.
struct arguments {
    cl_long first, stride, row_stride; // where x lies, elements
    cl_long label_first, label_stride, label_row_stride;
    cl_long count_first, count_stride, count_row_stride; // row_stride 0: one row for all
    cl_ulong rows, count;                                // elements are numbered row by row
    cl_ulong segment, share;      // elements of a segment, and of a group; cpu_blocks: blocks
    cl_ulong segment_groups;      // groups of a segment
    cl_ulong step_rows, step;     // baseline: WG elements are so many rows and so many elements
    cl_ulong row;                 // SEARCH: the keys' row of the first row
    cl_ulong rows_at, labels_at;  // where the lengths of key rows and the labels begin
    cl_ulong labels;              // how many counts there are
    cl_uint n;                    // SEARCH: keys of a row, at most; TABLE: runs; CHAIN: cases;
                                  // HASH: masks; BITS: words of 32 cases; LISTS: cases
    cl_uint code_bits, otherwise; // HASH: bits of a code; the label without a case
    cl_uint first_class, classes, nan_class; // classes: of HASH codes, with COUNT_RANKS ranks
    cl_uint wide;                            // 1: counts have 64 bits
    cl_uint privatised;  // CPUs, baseline: 1: a group counts in local memory first
    cl_uint streamed;    // cpu_blocks: 1: labels are written past the caches
    cl_uint block_rows;  // cpu_blocks: the rows of a block; gpu_words: of a group at once
    cl_uint block_count; // cpu_blocks: the elements of each
    cl_uint by_columns;  // cpu_blocks: 1: the elements of a block are numbered column by column
    cl_uint own_counts;  // 1: each row has counts of its own
    cl_uint row_words;   // gpu_words: WORDS_OF_ROWS: items of a row side by side
    cl_uint row_factor;  // gpu_words: WORDS_OF_ALL: 2^32 / count; gpu_tiles: items along a tile
    cl_uint ticket;      // ZEROES: whose words of tickets.cl are this launch's
    cl_uint zeroers;     // ZEROES: the most groups that set counts to zero; 0: they are zero
    cl_uint stores;      // 1: a group that counts a row counts all of it, and stores its counts
    // Search index: of all methods that have cells. BITS: looks; bits of a look. HASH: words of the
    // sieve.
    cl_uint cells, shift;
    cl_ulong low, scale; // bits: of keys, as the methods say
    cl_ulong slack; // bits: INTERPOLATE: of a distance between keys; MULTIPLES: of the last key
    cl_ulong index_at;                 // where the search index begins
    cl_ulong places_at;                // RANK_PLACES: where the places of rows begin
    cl_ulong local_first, local_words; // gpu_words: the part of the tables in local memory
    cl_ulong intervals_at;             // COUNTERS_INTERVALS: where starts and labels begin
    cl_ulong launch;                   // ZEROES: its number, which none of these words has yet
};

#ifndef __OPENCL_C_VERSION__
_Static_assert(TICKET_WORDS == SLOT_WORDS * GP_SCRATCH_SLOTS, "some for each slot");
_Static_assert(sizeof(struct arguments) == 39 * 8, "no padding: host and device agree");
#endif

#endif
