/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_counted_rows of classify: rows of some hundred or thousand neighbouring elements,
 * with counts of their own, on GPUs. The kernel is kernels/classify/gpu_counted_rows.cl. */
#include "classify.h"

enum {
    WORK_GROUP = 256,
    LEAST_ROW = 64, // elements
    MOST_ROW = 4096,
    // The same where groups of gpu_words, one for each row, would fill in tables of half the row's
    // bytes or more: here a group fills them in once for REUSED rows or more. H100, driver
    // 580.159.04, 2026-11-27, us by gpu_words and so: u16, 193 counts of each of 11585 rows of 14592
    // 591, 234; i16, 300 of 11997 rows of 6223 100, 87; u32, 256 of 15048 rows of 4781 142, 134.
    // Fewer rows and smaller tables were not measured.
    MOST_TABLED_ROW = 16384,
    REUSED = 2,
    // Bytes of an item's words, and its elements.
    ITEM_BYTES = 64,
    ITEM_ELEMENTS = 16,
    MOST_WORDS = 4,
    LEAST_LANES = 4,
    // Local memory that counters are worth, and that copies of them are.
    COUNTERS_BYTES = 24576,
    COPIES_BYTES = 4096,
    MOST_COPIES = 8,
    PER_UNIT = 8192, // work-items of the launch for each compute unit
};

static unsigned word_of(const struct classification *c)
{
    return WORD_ELEMENTS(c->in.size);
}

// Words of a row at most: its first and its last elements are taken one by one.
static uint64_t words_of(const struct classification *c)
{
    const uint64_t words = c->in.count / word_of(c);
    return words ? words : 1;
}

// Words that an item has in flight, and the items of a row: so many that a row is one pass of
// them, or as few passes as there can be.
static unsigned items_of(const struct classification *c)
{
    const unsigned word = word_of(c);
    const uint64_t most = gp_min(gp_min(ITEM_BYTES / (word * c->in.size), ITEM_ELEMENTS / word),
                                 words_of(c) / LEAST_LANES);
    return most ? (unsigned)gp_min(most, MOST_WORDS) : 1;
}

static uint64_t lanes_of(const struct classification *c)
{
    const uint64_t words = words_of(c), items = items_of(c),
                   passes = gp_ceil_div(words, WORK_GROUP * items);
    return gp_ceil_div(words, items * passes);
}

static uint64_t slots_of(const struct classification *c)
{
    return WORK_GROUP / lanes_of(c) * (c->classifier->labels + c->classifier->may_reject);
}

static bool fits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    return c->in.rows > 1 && c->in.rows <= UINT32_MAX / 2 && c->in.count > 1 &&
           c->in.count <= INT32_MAX / 2 && gp_classify_has_row_counts(c) &&
           c->classifier->labels && !gp_classify_has_row_keys(c) && gp_abs(c->in.stride) == 1 &&
           (!c->has_labels || c->labels.stride == 1) &&
           slots_of(c) * sizeof(cl_uint) <= gp_classify_local_room(gp);
}

// Whether tables are so large beside a row that they should stay in local memory for several.
// Without labels gpu_words may count intervals, which need no table.
static bool has_large_tables(const gpuprim *gp, const struct classification *c)
{
    const uint64_t room = gp_classify_local_room(gp) - slots_of(c) * sizeof(cl_uint),
                   bytes = gp_classify_local_tables(c->classifier, COUNTED_NOT, room),
                   groups = (uint64_t)gp->caps.compute_units * PER_UNIT / WORK_GROUP;
    return c->in.count < MOST_TABLED_ROW && 2 * bytes >= c->in.count * c->in.size &&
           c->in.rows >= REUSED * groups && !gp_classify_counts_intervals(c);
}

// H200, driver 580.159.04, 2026-11-23, us by gpu_tiles and by this: f16 to u8, 3 counts of each of
// 125 562 rows of 1258 554, 200; f32, 16 counts of each of 158 966 rows of 485 150, 100.
static bool suits(const gpuprim *gp, const void *call)
{
    const struct classification *c = call;
    return !gp->caps.is_cpu && c->in.count >= LEAST_ROW &&
           slots_of(c) * sizeof(cl_uint) <= COUNTERS_BYTES &&
           (c->in.count < MOST_ROW || has_large_tables(gp, c));
}

static void specialise(const gpuprim *gp, const struct classification *c,
                       const struct gp_variant *variant, struct gp_key *key)
{
    (void)variant;
    const struct gpuprim_classifier *f = c->classifier;
    struct classify_choice *t = c->choice;
    const uint64_t bytes = slots_of(c) * sizeof(cl_uint),
                   room = gp_classify_local_room(gp) - bytes,
                   table_bytes = gp_classify_local_tables(f, COUNTED_NOT, room);
    t->counters = (struct classify_counters){
        .form = COUNTERS_WORDS, .copies = 1, .label_shift = 32, .bytes = bytes
    };
    while (c->in.size <= 2 && t->counters.copies < MOST_COPIES &&
           2 * t->counters.bytes <= COPIES_BYTES &&
           2 * t->counters.bytes <= gp_classify_local_room(gp) - table_bytes) {
        t->counters.copies *= 2;
        t->counters.bytes *= 2;
    }
    t->local_first = gp_classify_first_local(f, table_bytes);
    t->local_words = table_bytes / sizeof(cl_uint);
    t->local_bytes = table_bytes + t->counters.bytes;
    t->items = items_of(c);
    // Several classes may have one label.
    t->counts_in_rows = !gp_classify_has_counted_classes(c->classifier);
    t->zeroes = !t->counts_in_rows && gp_classify_zeroes(gp, c);
    key->work_group = WORK_GROUP;
    gp_classify_define_local(key, c, t);
    gp_define(key, "ITEMS", t->items);
    gp_define(key, "WORDS", WORDS_OF_ROW);
    gp_define(key, "ROW_ITEMS", t->items);
    gp_define(key, "SPREAD", 0);
    gp_define(key, "PACKED", 1);
    gp_define(key, "REVERSED", c->in.stride < 0);
}

static void lay_out(const gpuprim *gp, const struct classification *c,
                    const struct gp_variant *variant, const struct gp_program *program,
                    uint64_t rows, uint64_t count, struct classify_layout *l)
{
    (void)variant;
    (void)count;
    const struct classify_choice *t = c->choice;
    // Counters are of the rows that WORK_GROUP items take.
    const uint64_t work_group = gp_min(program->work_group, WORK_GROUP),
                   lanes = gp_min(lanes_of(c), work_group);
    const uint64_t wanted = (uint64_t)gp->caps.compute_units * PER_UNIT / work_group;
    l->row_words = (uint32_t)lanes;
    l->block_rows = (uint32_t)(work_group / lanes);
    l->groups = gp_min(gp_ceil_div(rows, l->block_rows), wanted);
    l->segment = l->segment_groups = l->groups;
    l->stores = t->counts_in_rows;
    l->local_first = t->local_first;
    l->local_words = t->local_words;
    l->local_bytes = t->local_bytes;
}

static int describe(const struct gpuprim_classifier *f, char *text, size_t size)
{
    return gp_classify_describe_method(f, f->index.method, text, size);
}

static const struct classify_ops ops = { specialise, lay_out, describe };

const struct gp_variant gp_classify_gpu_counted_rows = {
    .name = "gpu_counted_rows",
    .fits = fits,
    .suits = suits,
    .sources = CLASSIFY_GPU_SOURCES("classify/label.cl", "classify/word.cl",
                                    "classify/word_loads.cl", "classify/store.cl",
                                    CLASSIFY_COUNTER_SOURCES, "classify/gpu_counted_rows.cl"),
    .ops = &ops
};
