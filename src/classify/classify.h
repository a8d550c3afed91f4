/* SPDX-License-Identifier: Apache-2.0
 *
 * classify: calls with a classifier (classifier.h), and the variants that run them. A call goes
 * this way:
 *     call.c         checks it; view.c: brings rows and elements to a normal form
 *     plan.c         the table of variants; builds what calls need
 *     parts.c        which calls are made in two parts
 *     planned.c      the plans of calls, kept for the next ones
 *     run.c          cuts it into pieces; counts.c: counts; launch.c: the launches
 *     baseline.c, cpu_blocks.c, gpu_words.c, gpu_tiles.c, gpu_channels.c,
 *     gpu_counted_rows.c, gpu_turned.c: the variants; tile_cut.c, tile_items.c,
 *     tile_keys.c, tile_rows.c: tiles; turned_pieces.c: columns that go by way of rows
 *     method.c, local_tables.c: what they share
 *     counters.c     how groups count on GPUs */
#ifndef GP_CLASSIFY_H
#define GP_CLASSIFY_H

#include "classifier.h"

enum { CLASSIFY_MAX_ROWS = 1 << 30 }; // of a launch

// Whether and how a call counts.
enum counted {
    COUNTED_NOT,
    COUNTED_BESIDE, // labels are written, too
    COUNTED_ALONE,  // counters may be of classes
    COUNTED_BY_RANK // alone, and counters are of the ranks of a row's own keys
};

// The counters that a group of gpu_words has in local memory.
struct classify_counters {
    unsigned form;                     // COUNTERS_WORDS ...
    unsigned copies;                   // WORDS: of each
    unsigned fields;                   // FIELDS: of a word
    unsigned intervals, low_intervals; // INTERVALS
    unsigned label_shift; // WORDS, of values: where labels begin in counters; 32: nowhere
    bool of_values;       // of elements of 8 bits, not of labels
    bool of_classes;      // of those of a map, not of labels
    bool of_ranks;        // of the ranks of a row's own keys, not of labels
    bool map_is_far;      // elements get a class, and its label from global memory
    uint64_t bytes;
};

// What a group of gpu_words has in local memory of its row's own keys (words_keys.c).
struct words_keys {
    unsigned form; // OWN_KEYS
    uint64_t bytes;
    unsigned places;       // OWN_RANKS: RANK_PLACES
    unsigned merge, apart; // OWN_CELLS: CELL_MERGE, KEYS_APART
};

// What gpu_words and gpu_tiles decide for a call.
struct classify_choice {
    unsigned items, items_per_unit;
    unsigned words;         // gpu_words: WORDS_OF_ROW ...
    unsigned word;          // gpu_words: elements of one
    unsigned row_items;     // gpu_words: ROW_ITEMS
    uint64_t tile_rows;     // gpu_tiles: rows of a tile, at most
    uint64_t row_bytes;     // gpu_tiles: of each of them in local memory
    unsigned line_rows;     // gpu_tiles: LINE_ROWS
    bool short_counters;    // gpu_tiles: a row's counters in local memory have 16 bits
    bool tiles_along;       // gpu_tiles: TILES_ALONG
    struct words_keys keys; // gpu_words: what a group has of its row's own keys
    bool is_multiples;      // gpu_words: places by MULTIPLES
    // gpu_tiles, gpu_counted_rows: a row's counters are in local memory, one for each count
    bool counts_in_rows;
    struct classify_counters counters;
    uint64_t local_first, local_words; // of the tables in local memory
    bool by_value;                     // gpu_words: the tables are an argument
    uint64_t local_bytes;              // of tables and counters
    bool zeroes;                       // the launch sets the counts to zero itself
};

// A checked call.
struct classification {
    const struct gpuprim_classifier *classifier;
    bool has_labels, has_counts;
    bool counts_rows; // a row of counts for each row
    struct gp_array in, labels, counts;
    // A variant's `specialise` stores here what its `lay_out` needs. Not NULL.
    struct classify_choice *choice;
};

// Whether rows have keys of their own, and counts, also where a row has 0 of them.
static inline bool gp_classify_has_row_keys(const struct classification *c)
{
    return c->classifier->rows > 1;
}

static inline bool gp_classify_has_row_counts(const struct classification *c)
{
    return c->has_counts && c->counts_rows;
}

// How elements are shared out on the device: as in struct arguments.
struct classify_layout {
    uint64_t groups, segment, share, segment_groups;
    uint32_t block_rows, block_count, row_words, row_factor;
    bool by_columns;
    size_t local_bytes; // of the kernel's argument in local memory
    bool privatised, streamed;
    bool stores; // each row is counted by one group, which can store its counts
    uint64_t local_first, local_words;
};

// What a variant knows of itself; gp_variant's `ops`.
struct classify_ops {
    // Defines the macros of the kernels, beside those of every variant, and the items per
    // group. They depend on classifier, types, strides, rows and their length, and whether
    // arrays are on the host, but not on base or offset: the programs of packed calls of any
    // size are built when a classifier is made (gp_classify_sizes()).
    void (*specialise)(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key);
    // Lays out a piece of rows x count elements, both at least 1. *out is zero before.
    void (*lay_out)(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *out);
    // Says how it computes the classifier's method and why, for gpuprim_classifier_describe.
    int (*describe)(const struct gpuprim_classifier *c, char *text, size_t size);
};

// The variants, each in a file of its name.
extern const struct gp_variant gp_classify_cpu_blocks, gp_classify_gpu_words,
    gp_classify_gpu_channels, gp_classify_gpu_counted_rows, gp_classify_gpu_tiles,
    gp_classify_gpu_turned, gp_classify_baseline;

// The texts of a program of a variant for GPUs after common.cl: what all of them begin with, all
// methods, then the variant's own. Counters of all forms belong together.
#define CLASSIFY_GPU_SOURCES(...)                                                              \
    (const char *const[])                                                                      \
    {                                                                                          \
        "classify/arguments.h", "classify/classify.cl", "classify/search.cl",                  \
            "classify/compare_all.cl", "classify/tree.cl", "classify/interpolate.cl",          \
            "classify/cells.cl", "classify/cell_keys.cl", "classify/steps.cl",                 \
            "classify/rank.cl", "classify/linear.cl", "classify/multiples.cl",                 \
            "classify/piecewise.cl", "classify/bits.cl", "classify/hash.cl",                   \
            "classify/case_bits.cl", "classify/case_lists.cl", __VA_ARGS__, NULL               \
    }
#define CLASSIFY_COUNTER_SOURCES                                                               \
    "classify/counter_forms.cl", "classify/hot_slots.cl", "classify/fields.cl",                \
        "classify/intervals.cl", "tickets.cl", "classify/counters.cl"

enum { CLASSIFY_ROOM = 1 << 18 }; // bytes of counters per group at most, as the header promises

// What a driver leaves of local memory to a kernel: NVIDIA's takes 16 bytes of what it reports.
static inline uint64_t gp_classify_local_room(const gpuprim *gp)
{
    return gp->caps.local_bytes > 16 ? gp->caps.local_bytes - 16 : 0;
}

// method.c: levels of a tree that holds n keys.
unsigned gp_classify_levels(uint32_t n);

// method.c: the macros that say how kernels with a search index compute the method, by which
// search method, and the same in words.
void gp_classify_define_method(struct gp_key *key, const struct gpuprim_classifier *c,
                               unsigned search_method);
int gp_classify_describe_method(const struct gpuprim_classifier *c, unsigned search_method,
                                char *text, size_t size);

// counters.c: whether elements of a rule that are only counted are counted by class.
bool gp_classify_has_counted_classes(const struct gpuprim_classifier *f);

// counters.c: the best form that fits `room` bytes for so many elements that are counted
// together; the same where counters may be of classes; its macros, and the same in words.
struct classify_counters gp_classify_counters(const struct gpuprim_classifier *f, uint64_t room,
                                              uint64_t elements);
struct classify_counters gp_classify_counters_of(const struct gpuprim_classifier *f,
                                                 enum counted counted, uint64_t room,
                                                 uint64_t elements);
// counters.c: halves the number of copies until counters of values have at most `most`, and
// counters of labels have fewer than `bytes` bytes or one copy.
void gp_classify_limit_copies(struct classify_counters *c, unsigned most, uint64_t bytes);
// counters.c: gives counters of labels as many copies as there are banks, if these have room
// and are small.
void gp_classify_copy_counters(const struct gpuprim_classifier *f, uint64_t room,
                               struct classify_counters *c);

// counters.c: whether a call by gpu_words counts by intervals, and counters for that.
bool gp_classify_counts_intervals(const struct classification *c);
struct classify_counters gp_classify_interval_counters(const struct gpuprim_classifier *f);

void gp_classify_define_counters(struct gp_key *key, const struct classify_counters *c);
int gp_classify_describe_counters(const struct classify_counters *c, char *text, size_t size);

// counters.c: of how many elements a call by gpu_words counts together; of those of all rows it
// matters only whether they are many, so that classifiers have few programs.
uint64_t gp_classify_counted(const struct classification *c);

// counters.c: where labels begin in the counters of values of a call by gpu_words. 32: nowhere.
unsigned gp_classify_label_shift(const struct classification *c);

// counters.c: how many of the groups that are wanted for so many elements are worth emptying
// their counters, but at least `least`.
uint64_t gp_classify_groups(const struct classification *c, uint64_t elements, uint64_t wanted,
                            uint64_t least);

// counters.c: how many elements packed calls have on both sides of each limit that changes
// their programs, 1 to CLASSIFY_LONG, where rows have the same keys. Rows with keys of their
// own have more limits, by their length, which are not listed.
enum { CLASSIFY_SIZES = 6 };
void gp_classify_sizes(const struct gpuprim_classifier *f, uint64_t sizes[CLASSIFY_SIZES]);

// counters.c: whether elements are so few, and labels so many, that each element is counted at
// once. Counters would take a group longer to empty.
bool gp_classify_are_few(const struct classification *c);

// counters.c: whether the launch itself sets the counts to zero, by
// kernels/classify/counters.cl.
bool gp_classify_zeroes(const gpuprim *gp, const struct classification *c);

// local_tables.c: the first word of those tables that every element needs, search index and
// labels, and their bytes.
uint64_t gp_classify_table_bytes(const struct gpuprim_classifier *f);

// local_tables.c: bytes of the search index without labels.
uint64_t gp_classify_index_bytes(const struct gpuprim_classifier *f);

// local_tables.c: bytes of them in `room` bytes of local memory: all, the search index, a part of
// a table, the sieve of a table or of hash tables, or none. Counters that would not fit beside
// them go first.
uint64_t gp_classify_local_tables(const struct gpuprim_classifier *f, enum counted counted,
                                  uint64_t room);

// local_tables.c: whether so many bytes of them are the sieve.
bool gp_classify_is_sieve(const struct gpuprim_classifier *f, uint64_t bytes);

// local_tables.c: the first word of so many bytes of them.
uint64_t gp_classify_first_local(const struct gpuprim_classifier *f, uint64_t bytes);

// rule_arrays.c: the narrowest type of labels that a call may have.
enum gpuprim_type gp_classify_narrowest(const struct gpuprim_classifier *classifier);

// ---------------------------------------------------------------------------------------
// plan.c

extern const struct gp_primitive gp_primitive_classify;

// A call on contiguous arrays in device memory. With CLASSIFY_LONG elements they are long.
enum { CLASSIFY_LONG = 1 << 26 };
struct classification gp_classify_packed_call(const struct gpuprim_classifier *classifier,
                                              uint64_t count, bool has_labels, bool has_counts,
                                              struct classify_choice *choice);

// The variant that runs a packed call that gives labels. NULL where a forced variant does not
// take that call, where none builds, and in the child of a fork. May build a program.
const struct gp_variant *gp_classify_packed_variant(const struct gpuprim_classifier *c);

// Builds all that the call needs, and enqueues nothing.
int gp_classify_build(gpuprim *gp, const struct classification *c);

// Builds what packed calls need that give labels, counts or both.
int gp_classify_build_packed(const struct gpuprim_classifier *classifier);

// call.c: gp_primitive's `describe`.
int gp_classify_describe(gpuprim *gp, char *text, size_t size);

// view.c: turns the arrays of a checked call round, swaps their axes and joins their rows where
// the labels and counts stay the same.
void gp_classify_normalise(struct classification *c);

// local_tables.c: bytes of the starts of cells that a group has room for beside the keys of a
// row that has its own; 0: they would not be worth it. The same beside every 2^apart-th key; 0:
// there is no room. Then all keys may be in one cell. And the macros of such cells
// (kernels/classify/row_keys.cl).
uint64_t gp_classify_choose_starts(const struct classification *c, uint64_t room,
                                   unsigned *merge);
uint64_t gp_classify_fit_starts(const struct gpuprim_classifier *f, uint64_t room,
                                unsigned apart, unsigned *merge);
void gp_classify_define_cells(struct gp_key *key, const struct gpuprim_classifier *f,
                              unsigned cells, unsigned merge, unsigned apart);

// local_tables.c: the macros of gpu_words and gpu_tiles that say how labels are computed and
// counted, and which tables are in local memory.
void gp_classify_define_local(struct gp_key *key, const struct classification *c,
                              const struct classify_choice *t);

// view.c: whether neighbours in memory are neighbours of a column, not of a row.
bool gp_classify_is_by_columns(const struct gp_array *array);

// ---------------------------------------------------------------------------------------
// planned.c

// Makes room for the newest plans and calls of a classifier.
int gp_classify_make_newest(struct gpuprim_classifier *c);

// Whether some array of a call is on the host.
bool gp_classify_is_on_host(const struct classification *c);

// Plans a call, and lays it out as one piece. The lock is held.
int gp_classify_plan(gpuprim *gp, const struct classification *c, struct gp_plan *plan,
                     struct classify_layout *layout);

// Lays out a piece; one without rows or elements has no groups.
void gp_classify_lay_out(gpuprim *gp, const struct classification *c,
                         const struct gp_plan *plan, uint64_t rows, uint64_t count,
                         struct classify_layout *out);

// ---------------------------------------------------------------------------------------
// parts.c

// Whether a call is made in two parts: first the labels, then the counts.
bool gp_classify_has_parts(const gpuprim *gp, const struct classification *c);

// So many counts of each column of 4-byte elements are many. gpu_channels takes calls of fewer.
enum { CLASSIFY_MANY = 100 };

// A part of the call, as a call of its own.
enum classify_part { PART_LABELS, PART_COUNTS, CLASSIFY_PARTS };
struct classification gp_classify_part(const struct classification *c, enum classify_part part,
                                       struct classify_choice *choice);

// ---------------------------------------------------------------------------------------
// run.c, counts.c, launch.c

// What stays the same from launch to launch of a call.
struct classify_run {
    struct gp_call call;
    const struct classification *c;
    struct gp_plan plan;
    struct classify_layout layout; // of all rows and elements at once
    struct gp_piece largest;       // what the device takes at once
    bool more; // another part of the call follows; a launch of this one is not the call's last
    bool stores;                 // launches store counts, which are not set to zero before
    struct gp_bound counts;      // of the rows that are being counted
    struct gp_ticket ticket;     // where the launch sets them to zero itself
    struct gp_readback readback; // of the labels
};

// run.c: runs a checked call from beginning to end.
int gp_classify_run(gpuprim *gp, const struct classification *c,
                    const struct gpuprim_sync *sync, const struct gp_again *again);

// counts.c: binds the counts of `rows` rows from `row` on, and sets them to zero where the call
// does not add to them.
int gp_classify_open_counts(struct classify_run *run, uint64_t row, uint64_t rows);

// counts.c: reads or adds them to a host array, and waits for that.
int gp_classify_close_counts(struct classify_run *run, uint64_t row, uint64_t rows);

// How a call is made again at other places of its arrays.
extern const struct gp_repeat_form gp_classify_form;

// launch.c: classifies a piece whose arrays are bound.
int gp_classify_launch(struct classify_run *run, const struct gp_piece *piece,
                       const struct gp_bound *in, const struct gp_bound *labels, bool last);

// launch.c: sets the bound counts of `rows` rows to zero. With 0 rows the launch touches
// nothing.
int gp_classify_zero(struct classify_run *run, uint64_t rows, bool last);

#endif
