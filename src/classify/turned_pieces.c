/* SPDX-License-Identifier: Apache-2.0
 *
 * The variant gpu_turned of classify: how large calls go piece by piece through scratch memory, and
 * the launches of a piece. run.c calls them. gpu_turned.c has which calls it takes. */
#include "turned.h"

enum {
    // Bytes of each line of columns that pieces have. By 56 of 97 columns of u16, 117 MB of labels
    // took 179 us to columns; by all of them, with the same tiles, 101 MB took 90 us.
    LEAST_OF_LINE = 256,
    MEMORY_LINE = 128, // bytes
};

static size_t label_size(const gpuprim *gp, const struct classification *c)
{
    return gp_type_size(gp_turned_label_type(gp, c));
}

// Bytes of scratch memory for an element, and for its label.
static uint64_t input_bytes(const struct classification *c)
{
    return gp_turned_has_input(c) ? c->in.size : 0;
}
static uint64_t label_bytes(const gpuprim *gp, const struct classification *c)
{
    return gp_turned_has_labels(gp, c) ? label_size(gp, c) : 0;
}

// Elements, or labels, of a line of memory: the more of both.
static uint64_t line_of(const gpuprim *gp, const struct classification *c)
{
    const uint64_t in = input_bytes(c), labels = label_bytes(gp, c);
    return MEMORY_LINE / (in && labels ? gp_min(in, labels) : in + labels);
}

// Rows of the scratch memory, of elements and of labels, begin where lines of memory do.
static uint64_t pitch_of(const gpuprim *gp, const struct classification *c, uint64_t count)
{
    const uint64_t line = line_of(gp, c);
    return gp_ceil_div(count, line) * line;
}

// Elements for which a call has scratch memory.
static uint64_t room_of(const gpuprim *gp, const struct classification *c)
{
    const bool has_host =
        c->in.memory == GPUPRIM_HOST || (c->has_labels && c->labels.memory == GPUPRIM_HOST);
    return gp_transpose_room(gp, has_host) / (input_bytes(c) + label_bytes(gp, c));
}

void gp_turned_limit(const gpuprim *gp, const struct classification *c, struct gp_piece *piece)
{
    const uint64_t room = room_of(gp, c), rows = piece->rows, line = line_of(gp, c),
                   parts = rows * gp_turned_apart(c) / LEAST_OF_LINE,
                   least = gp_ceil_div(rows, parts ? parts : 1),
                   whole = room / pitch_of(gp, c, piece->count),
                   even = whole ? gp_even_part(rows, whole) : 0;
    // Whole columns, although somewhat fewer than are wanted: pieces of half columns would be twice
    // as many.
    if (4 * even >= 3 * least) {
        piece->rows = even;
        return;
    }
    const uint64_t lines = room / least / line;
    const uint64_t count = gp_even_part(piece->count, lines ? lines * line : line);
    piece->rows = least;
    piece->count = gp_min(piece->count, pitch_of(gp, c, count));
}

// What turns the elements of the largest piece, or its labels.
static struct transpose turn_of(const gpuprim *gp, const struct classification *c,
                                bool of_labels)
{
    struct gp_piece piece = { .rows = c->in.rows, .count = c->in.count };
    gp_turned_limit(gp, c, &piece);
    struct transpose t =
        gp_transpose_of(piece.rows, of_labels ? label_size(gp, c) : c->in.size);
    if (of_labels) {
        t.to_columns = true;
        t.column_size = (unsigned)c->labels.size;
        t.rejects = c->classifier->may_reject;
    }
    return t;
}

// ---------------------------------------------------------------------------------------
// Launches

// Columns that are rows of scratch memory from the element `rows_first` on.
static struct transpose_arguments arguments_of(const struct gp_piece *piece,
                                               const struct gp_bound *columns,
                                               uint64_t rows_first, uint64_t pitch)
{
    return (struct transpose_arguments){ .first = columns->first,
                                         .stride = columns->stride,
                                         .row_stride = columns->row_stride,
                                         .rows_first = (int64_t)rows_first,
                                         .rows_stride = 1,
                                         .pitch = (int64_t)pitch,
                                         .rows = piece->rows,
                                         .count = piece->count };
}

// The same rows, in *memory.
static struct gp_bound bind_rows(cl_mem *memory, const struct transpose_arguments *a)
{
    return (struct gp_bound){ .argument = { memory, sizeof *memory, false },
                              .first = (int64_t)a->rows_first,
                              .stride = 1,
                              .row_stride = (int64_t)a->pitch };
}

// The piece's rows by gpu_words. Their labels go to *memory from the element `first` on, and from
// there to columns.
static int launch_labels(struct classify_run *run, const struct gp_piece *piece,
                         const struct gp_bound *rows, const struct gp_bound *labels,
                         cl_mem *memory, uint64_t first, bool last)
{
    const struct transpose to_columns = turn_of(run->call.gp, run->c, true);
    const struct transpose_arguments arguments =
        arguments_of(piece, labels, first, pitch_of(run->call.gp, run->c, piece->count));
    const struct gp_bound row_labels = bind_rows(memory, &arguments);
    const int status = gp_classify_launch(run, piece, rows, &row_labels, false);
    return status ? status
                  : gp_transpose_launch(&run->call, &to_columns, &row_labels.argument,
                                        &labels->argument, &arguments, last);
}

int gp_turned_launch(struct classify_run *run, const struct gp_piece *piece,
                     const struct gp_bound *in, const struct gp_bound *labels, bool last)
{
    const struct classification *c = run->c;
    gpuprim *gp = run->call.gp;
    const uint64_t pitch = pitch_of(gp, c, piece->count), elements = piece->rows * pitch,
                   of_input = elements * input_bytes(c),
                   of_labels = elements * label_bytes(gp, c);
    struct gp_bound rows = *in;
    cl_mem memory;
    int status = gp_call_memory(&run->call, GP_TRANSPOSED, of_input + of_labels, &memory);
    if (!status && of_input) {
        const struct transpose to_rows = turn_of(gp, c, false);
        const struct transpose_arguments arguments = arguments_of(piece, in, 0, pitch);
        rows = bind_rows(&memory, &arguments);
        status = gp_transpose_launch(&run->call, &to_rows, &in->argument, &rows.argument,
                                     &arguments, false);
    }
    if (status)
        return status;
    return of_labels ? launch_labels(run, piece, &rows, labels, &memory,
                                     of_input / label_size(gp, c), last)
                     : gp_classify_launch(run, piece, &rows, labels, last);
}

int gp_turned_build(gpuprim *gp, const struct classification *c, unsigned kinds)
{
    int status = GPUPRIM_OK;
    if (gp_turned_has_input(c)) {
        const struct transpose to_rows = turn_of(gp, c, false);
        status = gp_transpose_build(gp, &to_rows, kinds & GP_SVM_IN);
    }
    if (!status && gp_turned_has_labels(gp, c)) {
        const struct transpose to_columns = turn_of(gp, c, true);
        status = gp_transpose_build(gp, &to_columns, kinds & GP_SVM_OUT);
    }
    return status;
}

unsigned gp_turned_kinds(const gpuprim *gp, const struct classification *c, unsigned kinds)
{
    return kinds & ~((gp_turned_has_input(c) ? GP_SVM_IN : 0u) |
                     (gp_turned_has_labels(gp, c) ? GP_SVM_OUT : 0u));
}
