// SPDX-License-Identifier: Apache-2.0
//
// classify on CPU devices: rows of any place and stride. One item per group owns a core's
// vector unit and takes a share of the blocks, one by one. The elements of a block are
// converted to the type of the keys and lie side by side in private memory. Loops over them
// become vectors. Their labels are narrowed into another private array.
//
// A block has g.block_rows rows and g.block_count elements of each. The rows of neighbouring
// blocks are a band:
//
//     long rows    1 x 128           | block | block | block |      one row is a band
//     short rows   42 x 3, whole     block | x x x |                no row is cut
//                                          | x x x |
//     by columns   16 x 8            | block | block |   the elements of a column lie side by
//                  (8 bytes: 8 x 16) |   ||  |  ||   |   side, those of a row apart
//
// The elements of a block are numbered in lines: row by row, or column by column
// (g.by_columns). Long lines that lie side by side in memory are read as vectors. Others are
// gathered into private memory and become vectors there. Labels are written line by line in the
// same way; long rows of them by whole cache lines, which need not be read before. cpu_lines.cl
// does that.
//
//     row      | block | block | block |   ...   | block |
//     labels   ^ any address  ^ a cache line begins  ^ the last one ends with the row
//
// So blocks overlap: elements in two of them are labelled twice and counted once.
//
// Counts: each label has COPIES counters side by side, which neighbouring elements use in turn,
// so that data of one class do not wait for each other's additions. One more label stands for
// none. Where each row has its own counts, each row of a band has counters. Local memory holds
// them, where g.privatised says so. There are no barriers. With COUNT_VALUES elements have 8
// bits, and each value has counters instead: the labels of the 256 values are looked up at the
// end, and those of the elements only if they are written.
//
// An element takes BYTES of reading and LABEL_TYPE of writing (past the caches where g.streamed
// says so), the gathers of cpu_search.cl and cpu_label.cl, one addition in local memory if it
// is counted, and about two operations to convert and to narrow; two more, and as many stores,
// for each of input and labels that does not lie side by side.
//
// Macros  those of cpu_search.cl and cpu_label.cl; WG must be 1
//         COPIES        counters of a label, at most 8
//         COUNT_VALUES  1: counters are those of values

#if WG != 1
#error "cpu_blocks runs with one item per group"
#endif
#if !defined(COPIES) || !defined(COUNT_VALUES)
#error "COPIES and COUNT_VALUES must be defined"
#endif

// The labels of a block.
struct labels {
    LABEL_T label[BLOCK];
    uint counter[BLOCK]; // the position of the first counter of the label, or of the value
};

// ---------------------------------------------------------------- a block
static void label_block(struct labels *restrict to, const KEY_T *restrict v, uint n,
                        const struct held *restrict held, global const uint *restrict tables,
                        const struct arguments *restrict g)
{
    for (uint s = 0; s < n; s += STEP) {
        uint16 label[STEP / LABEL_VEC];
#if LABEL_TYPE || !COUNT_VALUES
        label_step((uint *)label, v + s, held, tables, g);
#endif
        #pragma unroll
        for (int i = 0; i < STEP / LABEL_VEC; i++) {
#if LABEL_TYPE
            *(label_vec *)(to->label + s + i * LABEL_VEC) = NARROW(label[i]);
#endif
#if COUNT_VALUES
            *(uint16 *)(to->counter + s + i * LABEL_VEC) =
                (((const uint16 *)(v + s))[i] & 255) * COPIES;
#elif COUNTS
            *(uint16 *)(to->counter + s + i * LABEL_VEC) =
                min(label[i], (uint16)(uint)g->labels) * COPIES;
#endif
        }
    }
}

// ---------------------------------------------------------------- counts
#if COUNTS
// One by one in the result.
static void count_at_once(global uint *counts, long counts_at, const uint *counter,
                          const struct lines *b, const struct arguments *g)
{
    for (uint l = b->counted_lines; l < b->n; l++)
        for (uint i = b->counted; i < b->length; i++) {
            const uint label = counter[l * b->pitch + i] / COPIES;
            const long row = g->by_columns ? i : l;
            if (label < g->labels)
                count_add(counts,
                          counts_at + row * g->count_row_stride + (long)label * g->count_stride,
                          1, g->wide);
        }
}

// In counters, of which each row has `row_counters`; 0: one set for all.
static void count_block(local uint *local_counts, uint row_counters, const uint *counter,
                        const struct lines *b, const struct arguments *g)
{
    for (uint l = b->counted_lines; l < b->n; l++) {
        const uint *its = counter + l * b->pitch;
        local uint *to = local_counts + (g->by_columns ? 0 : l * row_counters);
        uint i = b->counted;
        if (g->by_columns && row_counters) {
            for (; i < b->length; i++)
                to[i * row_counters + its[i]]++;
            continue;
        }
        for (; i + 8 <= b->length; i += 8) {
            #pragma unroll
            for (uint k = 0; k < 8; k++)
                to[its[i + k] + k % COPIES]++;
        }
        for (; i < b->length; i++)
            to[its[i]]++;
    }
}

static void clear_counters(local uint *local_counts, uint n)
{
    for (uint i = 0; i < n; i++)
        local_counts[i] = 0;
}

// is_alone: no other group adds to these counts.
static void add_count(global uint *counts, long counts_at, local const uint *counters,
                      uint label, bool is_alone, const struct arguments *g)
{
    uint sum = 0;
    for (uint k = 0; k < COPIES; k++)
        sum += counters[k];
    if (!sum || label >= g->labels)
        return;
    const long at = counts_at + (long)label * g->count_stride;
    if (!is_alone) {
        count_add(counts, at, sum, g->wide);
        return;
    }
    global uint *count = counts + (at << g->wide);
    *count += sum;
    if (g->wide)
        count[1] += *count < sum;
}

static void add_counts(global uint *counts, long counts_at, local const uint *local_counts,
                       const struct held *held, global const uint *tables, bool is_alone,
                       const struct arguments *g)
{
#if COUNT_VALUES
    for (uint value = 0; value < 256; value += STEP) {
        key_vec v[STEP / VEC_N];
        uint16 label[STEP / LABEL_VEC];
        for (uint i = 0; i < STEP; i++)
            ((KEY_T *)v)[i] = (KEY_T)(ELEM)(value + i);
        label_step((uint *)label, (const KEY_T *)v, held, tables, g);
        for (uint i = 0; i < STEP; i++)
            add_count(counts, counts_at, local_counts + (value + i) * COPIES,
                      ((const uint *)label)[i], is_alone, g);
    }
#else
    for (uint l = 0; l < (uint)g->labels; l++)
        add_count(counts, counts_at, local_counts + l * COPIES, l, is_alone, g);
#endif
}
#endif

// ---------------------------------------------------------------- a share
// What the blocks of a group share.
struct memory {
    key_vec v[BLOCK / VEC_N];
    raw_vec raw[BLOCK / VEC_N];
    struct labels labels __attribute__((aligned(CACHE_LINE)));
    struct held held;
};

// Elements from `first` on, n of each of some rows of a band.
static void take_band(struct memory *m, global const RAW *restrict p, global LABEL_T *out,
                      uint rows, ulong n, global const uint *restrict tables,
                      global uint *counts, long counts_at, local uint *local_counts,
                      uint row_counters, const struct arguments *g)
{
    const bool columns = g->by_columns;
    const long along = columns ? g->row_stride : g->stride;
    const long across = columns ? g->stride : g->row_stride;
    const long label_along = columns ? g->label_row_stride : g->label_stride;
    const long label_across = columns ? g->label_stride : g->label_row_stride;
    const bool is_line = g->block_rows == 1; // blocks may begin anywhere
    const uint size = (uint)min(n, (ulong)g->block_count);
    for (ulong done = 0; done < n;) {
        ulong at = done;
#if LABEL_TYPE
        if (is_line && label_along == 1)
            at -= min(done, (ulong)(((size_t)(out + done) & (CACHE_LINE - 1)) /
                                    sizeof(LABEL_T)));
#endif
        at = min(at, n - size);
        const uint counted = (uint)(done - at);
        const struct lines b = { .length = columns ? rows : size,
                                 .n = columns ? size : rows,
                                 .pitch = columns ? g->block_rows : size,
                                 .counted = columns ? 0 : counted,
                                 .counted_lines = columns ? counted : 0 };
        const bool is_whole = is_line && size == BLOCK;
        const bool is_square = columns && g->block_rows == VEC_N && rows == VEC_N &&
                               size == SQUARE_LINES;
        // Lines of few rows that lie one behind the other are one line: interleaved channels.
        const bool is_run = columns && rows == g->block_rows;
        const struct lines run = { .length = b.n * rows, .n = 1, .pitch = BLOCK };
        if (along == 1 && (is_whole || (is_run && across == rows && run.length == BLOCK)))
            read_line(m->v, p + (long)at * g->stride);
        else if (along == -1 && is_whole)
            read_line_back(m->v, p - (long)at);
        else if (is_run && along == 1 && across == rows)
            read_lines(m->v, (RAW *)m->raw, p + (long)at * across, 1, 0, &run);
        else if (is_square && along == 1)
            read_square(m->v, p + (long)at * across, across);
        else
            read_lines(m->v, (RAW *)m->raw, p + (long)at * g->stride, along, across, &b);
        label_block(&m->labels, (const KEY_T *)m->v, b.n * b.pitch, &m->held, tables, g);
#if LABEL_TYPE
        global LABEL_T *to = out + (long)at * g->label_stride;
        if (is_whole && label_along == 1)
            write_line(to, m->labels.label,
                       g->streamed && ((size_t)to & (CACHE_LINE - 1)) == 0);
        else if (is_run && label_along == 1 && label_across == rows)
            write_lines(to, m->labels.label, 1, 0, &run);
        else if (is_square && (label_along == 1 || label_across == 1))
            write_square(to, m->labels.label, label_along, label_across);
        else
            write_lines(to, m->labels.label, label_along, label_across, &b);
#endif
#if COUNTS
        if (g->privatised)
            count_block(local_counts, row_counters, m->labels.counter, &b, g);
        else
            count_at_once(counts, counts_at, m->labels.counter, &b, g);
#endif
        done = at + size;
    }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void classify(global const ELEM *restrict x, global const uint *restrict tables,
              global LABEL_T *restrict labels, global uint *counts, local uint *local_counts,
              const struct arguments g)
{
    const ulong bands = (g.rows + g.block_rows - 1) / g.block_rows;
    const ulong end = min((get_group_id(0) + 1) * g.share, bands * g.segment);
    // Of a row, or of all.
    const uint counters = (COUNT_VALUES ? 256 : (uint)g.labels + 1) * COPIES;
    struct memory m;
    for (uint i = 0; i < BLOCK / VEC_N; i++)
        m.raw[i] = 0;
#if METHOD != METHOD_SEARCH || SEARCH_METHOD != SEARCH_BINARY
    hold(&m.held, tables, 0, &g);
#endif
#if COUNTS
    if (g.privatised && !g.own_counts)
        clear_counters(local_counts, counters);
#endif

    for (ulong block = get_group_id(0) * g.share; block < end;) {
        const ulong band = block / g.segment, first = block - band * g.segment;
        const ulong blocks = min(end - block, g.segment - first);
        const ulong row = band * g.block_rows, element = first * g.block_count;
        const uint rows = (uint)min((ulong)g.block_rows, g.rows - row);
        const ulong n = min(g.count - element, blocks * g.block_count);
        block += blocks;
        const long counts_at = g.count_first + (long)row * g.count_row_stride;
#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_BINARY
        hold(&m.held, tables, row, &g);
#endif
#if COUNTS
        if (g.privatised && g.own_counts)
            clear_counters(local_counts, rows * counters);
#endif
        take_band(&m,
                  (global const RAW *)x +
                      (g.first + (long)row * g.row_stride + (long)element * g.stride),
                  labels + (g.label_first + (long)row * g.label_row_stride +
                            (long)element * g.label_stride),
                  rows, n, tables, counts, counts_at, local_counts,
                  g.own_counts ? counters : 0, &g);
#if COUNTS
        for (uint r = 0; g.privatised && g.own_counts && r < rows; r++)
            add_counts(counts, counts_at + (long)r * g.count_row_stride,
                       local_counts + r * counters, &m.held, tables, n == g.count, &g);
#endif
    }
#if COUNTS
    if (g.privatised && !g.own_counts)
        add_counts(counts, g.count_first, local_counts, &m.held, tables, false, &g);
#endif
}
