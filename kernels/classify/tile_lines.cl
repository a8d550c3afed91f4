// SPDX-License-Identifier: Apache-2.0
//
// classify, gpu_tiles: where tiles lie. Rows and elements are taken as lines of the input and
// what lies across them, so that the kernel need not know which is which.
//
// Macros  ROWS_ALONG, ROW_COUNTS, ROW_KEYS: gpu_tiles.cl has them
//         TILES_ALONG  1: lines of tiles lie along the input, where groups do not keep to rows.
//                      An argument would take registers from the elements
//
// Defines OF_ROWS         1: a group's tiles have the same rows
//         struct lines    the input by directions; load_lines()
//         struct tile     a tile's place; first_tile(), next_place(), size_tile()
//         first_along(), first_across()  of its first element

#if !defined(ITEMS) || !defined(ROWS_ALONG) || !defined(TURNED) ||                             \
    !defined(TILES_ALONG) || !defined(ROW_COUNTS) || !defined(ROW_KEYS)
#error "ITEMS, ROWS_ALONG, TURNED, TILES_ALONG, ROW_COUNTS and ROW_KEYS must be defined"
#endif

// Whether a group's tiles must have the same rows.
#define OF_ROWS (ROW_COUNTS || ROW_KEYS)

// A tile is the i-th of the j-th line of tiles. Where groups keep to rows, lines lie across rows.
// Else they are the shorter ones, along the input or across: tiles that share bytes of memory at
// their edges come soon after one another, while those are in the caches.
#define IS_ALONG (OF_ROWS ? (ROWS_ALONG) : (TILES_ALONG))

// How many elements a tile has along and across, and where the first one and its label lie.
struct tile {
    uint i, j, width, depth;
    long x, labels;
};

// What the arguments say, by directions instead of rows and elements.
struct lines {
    ulong width, depth;            // of the piece
    uint tile_width, tile_depth;   // of a whole tile
    long along, across;            // strides of the input
    long label_along, label_across;
    uint tiles_i, tiles_j;         // of a line of tiles, and lines
    uint more_i, more_j;           // how far a group's next tile is
    uint last_width, last_depth;   // of the last tiles
    long more_x, more_labels;      // the same of its places in memory
    long wrap_x, wrap_labels;      // and if it is in the line behind
};

static ulong first_along(const struct tile *tile, const struct lines *l)
{
    return (ulong)(IS_ALONG ? tile->i : tile->j) * l->tile_width;
}

static ulong first_across(const struct tile *tile, const struct lines *l)
{
    return (ulong)(IS_ALONG ? tile->j : tile->i) * l->tile_depth;
}

static void load_lines(struct lines *l, const struct arguments *g)
{
#if ROWS_ALONG
    l->width = g->rows, l->depth = g->count;
    l->tile_width = g->block_rows, l->tile_depth = g->block_count;
    l->along = g->row_stride, l->across = g->stride;
    l->label_along = g->label_row_stride, l->label_across = g->label_stride;
#else
    l->width = g->count, l->depth = g->rows;
    l->tile_width = g->block_count, l->tile_depth = g->block_rows;
    l->along = g->stride, l->across = g->row_stride;
    l->label_along = g->label_stride, l->label_across = g->label_row_stride;
#endif
    l->tiles_i = (uint)g->segment_groups;
    l->tiles_j = (uint)g->segment / l->tiles_i;
    l->last_width = (uint)(l->width - (ulong)((IS_ALONG ? l->tiles_i : l->tiles_j) - 1) * l->tile_width);
    l->last_depth = (uint)(l->depth - (ulong)((IS_ALONG ? l->tiles_j : l->tiles_i) - 1) * l->tile_depth);
}

// The first tile of a group.
static void first_tile(struct tile *tile, struct lines *l)
{
    const long x_along = l->tile_width * l->along, x_across = l->tile_depth * l->across;
    const long labels_along = l->tile_width * l->label_along,
               labels_across = l->tile_depth * l->label_across;
    const long x_i = IS_ALONG ? x_along : x_across, x_j = IS_ALONG ? x_across : x_along;
    const long labels_i = IS_ALONG ? labels_along : labels_across;
    const long labels_j = IS_ALONG ? labels_across : labels_along;
    const uint group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    tile->i = group % l->tiles_i;
    tile->j = group / l->tiles_i;
    tile->x = tile->i * x_i + tile->j * x_j;
    tile->labels = tile->i * labels_i + tile->j * labels_j;
    l->more_i = groups % l->tiles_i;
    l->more_j = groups / l->tiles_i;
    l->more_x = l->more_i * x_i + l->more_j * x_j;
    l->more_labels = l->more_i * labels_i + l->more_j * labels_j;
    l->wrap_x = x_j - l->tiles_i * x_i;
    l->wrap_labels = labels_j - l->tiles_i * labels_i;
}

static void next_place(struct tile *tile, const struct lines *l)
{
    const bool wraps = tile->i + l->more_i >= l->tiles_i;
    tile->i += l->more_i - (wraps ? l->tiles_i : 0);
    tile->j += l->more_j + wraps;
    tile->x += l->more_x + (wraps ? l->wrap_x : 0);
    tile->labels += l->more_labels + (wraps ? l->wrap_labels : 0);
}

static void size_tile(struct tile *tile, const struct lines *l)
{
    const bool last_i = tile->i + 1 == l->tiles_i, last_j = tile->j + 1 == l->tiles_j;
    tile->width = (IS_ALONG ? last_i : last_j) ? l->last_width : l->tile_width;
    tile->depth = (IS_ALONG ? last_j : last_i) ? l->last_depth : l->tile_depth;
}
