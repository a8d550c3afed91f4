/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host code and the kernels of convolve1d both know: the argument struct of the
 * kernels, and numbers that both calculate with. launch.c and the variants include this text as
 * C; for OpenCL C it is embedded as "convolve1d/arguments.h" (kernels/embed.py says how). */
#ifndef GP_CONVOLVE1D_ARGUMENTS_H
#define GP_CONVOLVE1D_ARGUMENTS_H

#ifndef __OPENCL_C_VERSION__
#include "src/core/core.h"
#endif

// A span has SPAN_ORDERS * ORDER taps (kernels/convolve1d/convolve1d.cl: order of summation).
#define SPAN_ORDERS 16

// cpu_matrix: room for the inputs of a tile and for its sums, in vectors of ORDER elements.
#define MATRIX_INPUT_VECS 1536
#define MATRIX_SUM_VECS   512
// Places of its table of the lines that short rows are read from.
#define MATRIX_PLACES 65536

// gpu_tile: elements beyond the ends of a group's rows that an item takes one by one, at most.
#define TILE_ITEM_ENDS 2

// Who updates the history in the launch of the convolution (kernels/convolve1d/update.cl).
#define UPDATES_BY_LAST 1 // the group that comes last, of all rows
#define UPDATES_BY_ROWS 2 // each group, of its own rows

// Elements that an item of the history's kernel has under way.
#define HISTORY_AT_ONCE 8
// Items of a team that moves a row of the history by words, at least: each end has up to 7 bytes.
#define HISTORY_TEAM 8
// Rows side by side that a group of it has: those of a warp.
#define HISTORY_SIDE(items) ((items) < 32 ? (items) : 32)

// Positions and steps are in elements.
struct arguments {
    cl_long first, stride, row_stride;                      // of x
    cl_long before_first, before_stride, before_row_stride; // read where left is HISTORY
    cl_long out_first, out_stride, out_row_stride;
    cl_ulong n;         // inputs of a row
    cl_ulong outputs;   // of a row, in this launch
    cl_ulong rows;      // at least 1, as are outputs
    cl_long origin;     // the input that g[0] meets for output 0
    cl_ulong halo;      // (taps - 1) * dilation
    cl_ulong tap_first; // where the taps of the first row begin
    cl_ulong tap_row;   // from the taps of a row to those of the next; 0: one row for all
    cl_ulong constant_left, constant_right; // the bits of an element; integers: as a long
    cl_ulong share;                         // outputs of an item (baseline) or a group (CPUs)
    cl_uint taps, step, dilation;           // step: the filter's stride
    cl_uint left, right;                    // BOUNDARY_...
    cl_uint shift;
    cl_uint row_groups; // groups of a row; baseline does not divide rows
    cl_uint team;       // of the history: items that move a row by words, or 0
};

// Where the kernel of a variant finds `after`, if it updates the history, too. Behind the variant's
// own arguments it then has `after`, of UPDATES_BY_LAST a counter, and this.
struct update_arguments {
    cl_long first, stride, row_stride;
};

// gpu_walk and gpu_roll: the matrix that is convolved down its columns, as kernels/convolve1d/
// gpu_lanes.cl describes it. X_by is 2^64 / X, rounded down, by which kernels divide.
struct lane_arguments {
    cl_ulong width_by, near_by, strips_by, blocks_by, channels_by;
    cl_long line, out_line; // elements between neighbouring lines, of x and of out
    cl_long out_lane;       // elements between neighbouring lanes of out
    cl_long advance;        // inputs of a row between neighbouring outputs of a lane
    cl_ulong lanes;         // of a line
    cl_ulong outputs;       // of a lane; of phases below `longer` one more
    cl_ulong bands;
    cl_uint width, blocks; // words of a block, blocks of a line
    cl_uint strips, strip; // of a band; outputs of a strip
    cl_uint channels, longer;
    cl_uint spread;      // how many phases the lanes of a word are apart, at most
    cl_uint line_inputs; // inputs of a row between neighbouring lines
    cl_uint is_aligned;  // 1: words begin at aligned outputs
    cl_uint near;        // bands that lie between each other and are taken at the same time
};

// How many of a group of `items` work side by side: `wanted`, if it has so many. Groups of
// simulators are smaller.
#define SIDE_BY_SIDE(items, wanted)                                                            \
    ((items) % (wanted) == 0                  ? (wanted)                                       \
     : (items) < (wanted) && (items) % 2 == 0 ? (items) / 2                                    \
                                              : 1)

// gpu_turn: rows of a tile in a group of so many items. It has no more rows than items.
#define ROWS_AT_ONCE(items, wanted) ((items) < (wanted) ? (items) : (wanted))

// gpu_turn.
struct turn_arguments {
    cl_uint near, parts; // blocks of rows that are taken in turn; groups of a row
    cl_uint outputs;     // of a row in a group
    cl_uint pitch;       // of the rows of the tile
};

// gpu_stretches: bytes behind the results of a row that would meet others in a bank.
#define STRETCH_PAD 16

// gpu_stretches. Units are vectors of a row's results or, of rows that lie apart, words.
struct stretch_arguments {
    cl_uint stretches;       // of a row
    cl_uint pitch;           // of the rows of the tile, in elements
    cl_uint out_pitch;       // of their results in local memory, in bytes
    cl_uint results_at;      // in local memory, in vectors of 16 bytes
    cl_uint units, by_units; // 2^32 / units, rounded up
};

// gpu_narrow.
#define NARROW_DOT_TAPS 128
struct narrow_arguments {
    cl_uint taps[NARROW_DOT_TAPS / 4]; // as bytes, four in a word, the first in its lowest bits
    cl_uint channels;                  // rows that are interleaved, or 1
    cl_uint unused;                    // 0
};

// gpu_tile: a value of OWN_TAPS.
#define OWN_IN_MEMORY 2

// gpu_tile: a group's tile (kernels/convolve1d/gpu_tile_fill.cl). Reciprocals are those of
// divide() there.
struct tile_share {
    cl_uint team, by_team; // items that take a line together
};
#define TILE_LINE_AHEAD 8 // loads of an item under way, of lines that lie apart
struct tile_arguments {
    cl_ulong part_inputs;             // positions of inputs from a group to the next of a row
    cl_ulong part_positions;          // of outputs
    cl_long left_shift, right_shift;  // X(p) beyond an end is X(factor * p + shift), if that is
    cl_int left_factor, right_factor; // inside
    cl_uint has_sets, parts;          // rows are several; groups of a row
    cl_uint rows;                     // of a group
    cl_uint out_is_flat;              // its outputs are contiguous
    cl_uint elements, last_elements;  // of a row of the tile, also in the last group of a row
    cl_uint outputs, last_outputs;    // of a row in a group
    cl_uint channels;
    cl_uint lanes, out_lanes;      // widths of a line of the tile, and of its outputs
    cl_uint pitch;                 // of the rows of a tile
    cl_uint line_inputs, inputs;   // gpu_tile_fill.cl
    cl_uint items;                 // of a row
    cl_uint segment_pitch, spread; // from one item of a column to the next; of phases
    // WG vectors as rows and inputs; of rows that lie apart, WG loads as rows and loads.
    cl_uint turn_rows, turn_rest;
    cl_uint by_items, by_out_lanes, by_line, by_channels;
    cl_uint row_loads; // of a row, or a line, that lies apart
    cl_uint by_row;    // from a row to the next, in inputs or loads
    // How a group goes through rows or channels, and through positions of a row: the near ones
    // lie closer together in memory.
    cl_uint in_rows_near, in_near, in_far, by_in_near;
    cl_uint out_rows_near, out_near;
    struct tile_share in, out, ends; // by elements, along the near ones; and beyond the ends
    cl_uint team, teams, by_team;    // items that take a row together; how many rows at once
    cl_uint out_by_elements; // narrow outputs of rows that lie apart are written one by one
    cl_uint out_units, by_out_units; // vectors or outputs of a row that items take
    cl_uint by_history;              // elements of a history in front of a row
    cl_uint by_ends;                 // elements beyond the ends of a row
    cl_uint unused;                  // 0
};

// gpu_folds: rows of a group of `items`, and from a place in local memory to the next: odd, so
// that neighbouring places of a row lie in different banks, too, or where items take rows in
// pairs even.
#define FOLD_ROWS(items, teams, item_rows) ((items) / (teams) * (item_rows))
#define FOLD_PITCH(items, teams, each)     ((FOLD_ROWS(items, teams, each) | 1) + ((each) > 1))

// gpu_folds, whose kernel file says what a lane and a task are.
struct fold_arguments {
    cl_uint phases, step;  // lanes of a row; inputs of a lane between its neighbouring outputs
    cl_uint tasks, blocks; // of a row; of a lane
    cl_uint length;        // places of a task: a multiple of 4
    // Entries of a phase's table, and from a block to the next. Where that is no multiple of 4,
    // and taps are not folded, there are 2 or 4 copies: others begin 4 / copies entries later
    // than those before.
    cl_uint entries, spacing, copies;
    cl_uint places; // that rows have, and those of ends that are one place, if they are
    cl_uint left_place, right_place;
    cl_uint results_at, taps_at, table_at, folded_at; // in local memory, in units of 16 bytes
    // Whether an end is one value: 0, 1, or FLAT_ZEROS, where its taps are skipped. The last
    // tap whose sign is plus is number plus_taps - 1.
    cl_uint flat_left, flat_right, plus_taps;
};
#define FLAT_ZEROS 2

// gpu_byte_matrices, whose kernel files say what lanes, octets and planes are. In words: zeros in
// front of the taps, and a copy of them, for outputs `step` apart of octets whose taps span 32
// `ksteps` inputs.
#define BYTE_TAP_LEAD(step)          ((7 * (step) + 15) / 16 * 4)
#define BYTE_TAP_COPY(step, ksteps)  ((BYTE_TAP_LEAD(step) + 8 * (ksteps) + 31) / 32 * 32 + 8)
#define BYTE_OWN_PLANE(step, ksteps) (BYTE_TAP_LEAD(step) + 8 * (ksteps) + 1)
// Elements that are left free behind the results of a lane, so that lanes begin in different
// banks. So do rows of an even number of lanes by as many, and by a word of their inputs.
#define BYTE_OUT_PAD(size)   ((size) < 4 ? 4 / (size) : 1)
#define BYTE_ROW_PAD(phases) (1 - (phases) % 2)
#define BYTE_TABLE_WORDS     9 // of what stands for four positions
// Units that an item loads at once. Sums of chunks take registers, too.
#define BYTE_BATCH(chunks) ((chunks) == 1 ? 8 : 4)
// The planes of a filter have, in words: so many zeros in front of the taps, and as many behind
// them.
#define BYTE_MOST_LEAD 112
struct byte_arguments {
    cl_uint rows, row_blocks, segments; // rows of a group; groups along rows and along outputs
    cl_uint phases, phase_blocks;       // of a row; groups that share them
    // Of a lane's inputs: used, those of the last group along outputs, and to the next lane.
    cl_uint words, last_words, pitch;
    cl_uint out_pitch;                       // results from lane to lane
    cl_uint inputs_at, results_at, table_at; // in local memory, in words
    // How many rows, and of each phase units of inputs or outputs, a group loads and writes at
    // once.
    cl_uint load_rows, load_units, out_rows, out_at_once;
    cl_uint tap_words; // of a copy of the filter's planes
    cl_uint rows_near; // neighbouring groups have neighbouring rows, else outputs
    // Outputs of a lane of the last group along outputs, and phases that have so many there:
    // the others have one less.
    cl_uint last_outputs, last_phases;
};

// gpu_fft and gpu_fft_columns, whose kernel files say what a line and a block are.
struct fft_arguments {
    cl_uint lines, phases; // of the launch; of a row
    cl_uint blocks;        // of a line
    cl_uint lines_near;    // neighbouring groups have neighbouring lines
    cl_uint valid;         // outputs of a segment
    cl_uint lead;          // points of a segment in front of the first input that is needed
    cl_uint parts, part_taps;
    cl_uint zero;  // 0
    cl_uint first; // gpu_fft_columns: block of the piece
    cl_uint step;  // what the launch does: FFT_COLUMNS, ...
};

// gpu_fft_columns: the launches of a piece, in their order.
#define FFT_COLUMNS 0
#define FFT_ROWS    1
#define FFT_RESULTS 2

// gpu_tap_chunks, whose kernel file says what a lane is. How lanes are divided among groups,
// and how they lie in local memory.
struct chunk_arguments {
    cl_ulong lanes, outputs; // all lanes; outputs of a lane
    // Beyond an end that reflects or wraps: inputs repeat after a period. Of positions j and
    // last - j the lower one has the input.
    cl_long left_period, left_last, right_period, right_last;
    cl_uint phases;         // lanes of a row
    cl_uint is_interleaved; // number of a lane: phase * rows + row, else row * phases + phase
    cl_uint blocks, slots;  // groups side by side, and along the lanes
    cl_uint along_lanes;    // groups are numbered slot * blocks + block, else the other way
    cl_uint is_contiguous;  // a group has one lane, whose outputs are contiguous,
    cl_uint is_dense;       // and whose inputs are
    cl_uint together;       // lanes of a group
    cl_uint segments;       // items of a lane
    cl_uint step;           // inputs between neighbouring outputs of a lane
    cl_uint apart;          // positions of a row between neighbouring inputs of a lane
    cl_uint chunk;          // taps at a time
    // Items that load neighbouring lanes, and how many of them the neighbouring inputs of
    // these. lane_step: lanes that all items of a group load at once. The same of those that
    // write.
    cl_uint across, along, lane_step;
    cl_uint out_across, out_along, out_lane_step;
    // In local memory, in vectors: from lane to lane; from phase to phase of a step; outputs
    // from lane to lane; where the taps are.
    cl_uint lane_pitch, pitch, out_pitch, taps_at;
    cl_uint tap_pitch; // from the taps of a lane to the next one's; 0: all have the same
    // STEP 0: pitch counts operands, from the rows of an item to those of the next. Inputs of a
    // row; 2^32 / columns, rounded up, 0 for 1.
    cl_uint columns, reciprocal;
    // 65536 / x + 1, by which items are divided: x = segments, across * along, across, and the
    // same of those that write.
    cl_uint by_segments, by_team, by_across, by_out_team, by_out_across;
    // From an item's input beyond an end to its next one, in the period, if that is below 2^31;
    // repeats_far: one of them is not.
    cl_uint left_by, right_by, repeats_far;
    // Taps that meet 0 beyond an end are skipped. The last tap whose sign is plus is number
    // plus_taps - 1.
    cl_uint skips_left, skips_right, plus_taps;
};

// How cpu_matrix divides a launch into tiles (kernels/convolve1d/cpu_matrix.cl).
struct matrix_arguments {
    cl_ulong tiles;      // of the launch
    cl_ulong line_tiles; // from a row's first line of outputs to its last
    cl_ulong channel_blocks, z_blocks;
    cl_uint channels; // of a tile: neighbouring rows as lanes
    cl_uint zs;       // outputs of a line, each with its channels
    cl_uint fold;     // outputs from a line to the next
    cl_uint lines;    // of outputs in a tile
    cl_uint pitch;    // elements from a line to the next: at least zs * channels
    cl_uint length;   // lines of inputs of a phase
    cl_uint step;     // lines of inputs from a line of outputs to the next
    cl_uint spread;   // lines of inputs of a phase from a tap to that `step` taps on
    // Inputs from the first output's first to the last one's last, at most MATRIX_PLACES + 1.
    // One table has them all. Where they are more than MATRIX_PLACES, each span of taps has
    // one. 0: no table.
    cl_uint places;
    // Elements from a row to the next in a tile of `channels` rows one behind the other, each with
    // the inputs beyond its ends. 0: no such tiles.
    cl_uint padded;
};

#ifndef __OPENCL_C_VERSION__
_Static_assert(sizeof(struct lane_arguments) == 12 * 8 + 10 * 4, "no padding");
_Static_assert(sizeof(struct turn_arguments) == 4 * 4, "no padding");
_Static_assert(sizeof(struct stretch_arguments) == 6 * 4, "no padding");
_Static_assert(sizeof(struct tile_arguments) == 4 * 8 + 48 * 4, "no padding");
_Static_assert(sizeof(struct fold_arguments) == 18 * 4, "no padding");
_Static_assert(sizeof(struct byte_arguments) == 20 * 4, "no padding");
_Static_assert(sizeof(struct fft_arguments) == 11 * 4, "no padding");
_Static_assert(sizeof(struct chunk_arguments) == 6 * 8 + 36 * 4, "no padding");
_Static_assert(sizeof(struct matrix_arguments) == 4 * 8 + 10 * 4, "as the device's");
_Static_assert(sizeof(struct narrow_arguments) == NARROW_DOT_TAPS + 2 * 4, "no padding");
_Static_assert(sizeof(struct arguments) == 19 * 8 + 8 * 4, "no padding: host and device agree");
#endif

#endif
