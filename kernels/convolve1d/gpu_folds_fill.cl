// SPDX-License-Identifier: Apache-2.0
//
// convolve1d, gpu_folds: how inputs and the table of their places get into local memory.
// gpu_folds.cl says what places and teams are.
//
// Macros   those of gpu_positions.cl
//          TEAMS, ITEM_OUTPUTS, ITEM_ROWS, FOLDED, TEAM_TABLES   gpu_folds.cl

#if !defined(TEAMS) || !defined(ITEM_OUTPUTS) || !defined(ITEM_ROWS) || !defined(FOLDED) || \
    !defined(TEAM_TABLES)
#error "TEAMS, ITEM_OUTPUTS, ITEM_ROWS, FOLDED and TEAM_TABLES must be defined"
#endif

#define LANES (WG / TEAMS)
#define ROWS  FOLD_ROWS(WG, TEAMS, ITEM_ROWS)
// Sums and inputs from one place to the next.
#define PITCH FOLD_PITCH(WG, TEAMS, ITEM_ROWS)
// What a place is the distance of: of inputs, or of a task's folded taps.
#define PLACE_BYTES (FOLDED ? ITEM_OUTPUTS * sizeof(int) : PITCH * sizeof(NEAR_T))

// What local memory keeps of an input. It makes 32 bits of narrow integers when it is read.
#define NARROW ((WHOLE_SUMS || WIDE_SUMS) && BYTES < 4)
#if NARROW
#define NEAR_T ELEM
#else
#define NEAR_T OPERAND
#endif

#define INPUTS local const char *
#define AHEAD  4

// Rows of a group: those of an item are neighbours in pairs, which it reads at once unless they
// are narrow, and pairs lie 2 LANES apart.
#if ITEM_ROWS == 1
#define ROW_OF(lane, r) (lane)
#else
#define ROW_OF(lane, r) (2 * (lane) + (r) / 2 * 2 * LANES + (r) % 2)
#endif
#if TYPE == C32
#define PAIR              float4
#define SPLIT(pair, a, b) ((a) = (pair).lo, (b) = (pair).hi)
#else
#if TYPE == F64
#define PAIR double2
#elif WHOLE_SUMS || WIDE_SUMS
#define PAIR int2
#else
#define PAIR float2
#endif
#define SPLIT(pair, a, b) ((a) = (pair).x, (b) = (pair).y)
#endif

// The inputs of an item's rows at a place.
static __attribute__((always_inline))
void load_place(OPERAND *v, INPUTS inputs, uint place)
{
    local const NEAR_T *from = (local const NEAR_T *)(inputs + place);
#if ITEM_ROWS == 1 || NARROW
    #pragma unroll
    for (uint r = 0; r < ITEM_ROWS; r++)
        v[r] = from[ROW_OF(0, r)];
#else
    #pragma unroll
    for (uint r = 0; r < ITEM_ROWS; r += 2) {
        const PAIR pair = *(local const PAIR *)(from + r * LANES);
        SPLIT(pair, v[r], v[r + 1]);
    }
#endif
}
#define load_inside(v, inputs, place) load_place(v, inputs, place)
#define end_of_inputs(inputs, m)      UINT_MAX

// A run through `rows` rows of `count` elements, WG at a time, in the order in which they lie
// in memory: along the rows, or across them. An element has a place in local memory, too, where
// rows lie side by side. Elements lie `size` bytes apart at least.
struct run {
    uint inner, inners, inner_by; // this item's element in the inner loop, of how many
    size_t at;                    // its address
    long by, turn_by;             // to the next one's: within an inner loop; behind its end
    uint place, place_by, place_turn_by;
};

static struct run run_of(const global void *from, uint rows, uint count, long stride,
                         long row_stride, uint size, uint item)
{
    const bool across = abs(row_stride) < abs(stride);
    const long inner_stride = (across ? row_stride : stride) * (long)size;
    const long outer_stride = (across ? stride : row_stride) * (long)size;
    const uint inner_pitch = across ? 1 : PITCH, outer_pitch = across ? PITCH : 1;
    struct run r = { .inners = max(across ? rows : count, 1u) };
    const uint outer = item / r.inners, outer_by = WG / r.inners;
    r.inner = item - outer * r.inners;
    r.inner_by = WG - outer_by * r.inners;
    r.at = (size_t)from + (size_t)(r.inner * inner_stride + outer * outer_stride);
    r.by = r.inner_by * inner_stride + outer_by * outer_stride;
    r.turn_by = r.by + outer_stride - r.inners * inner_stride;
    r.place = r.inner * inner_pitch + outer * outer_pitch;
    r.place_by = r.inner_by * inner_pitch + outer_by * outer_pitch;
    r.place_turn_by = r.place_by + outer_pitch - r.inners * inner_pitch;
    return r;
}

static void run_on(struct run *r)
{
    r->inner += r->inner_by;
    const bool turns = r->inner >= r->inners;
    r->inner -= turns ? r->inners : 0;
    r->at += (size_t)(turns ? r->turn_by : r->by);
    r->place += turns ? r->place_turn_by : r->place_by;
}

// Puts up to `count` elements of a run into local memory: the first is number e. All loads are
// under way before the first of them is stored. `all`: there are as many.
#define LOADS 8 // of a batch,
#define REST  4 // and where elements may be missing
static void load_batch(local NEAR_T *to, struct run *r, uint e, uint elements, uint count,
                       bool all)
{
    NEAR_T v[LOADS];
    uint places[LOADS];
    #pragma unroll
    for (uint u = 0; u < LOADS; u++) {
        if (u >= count)
            continue;
        places[u] = r->place;
        if (all || e + u * WG < elements)
            v[u] = (NEAR_T)LOAD((global const ELEM *)r->at, 0);
        run_on(r);
    }
    #pragma unroll
    for (uint u = 0; u < LOADS; u++)
        if (u < count && (all || e + u * WG < elements))
            to[places[u]] = v[u];
}

// Loads `count` elements of each row: first the one at `from`. Batches of which no item lacks
// an element ask for none.
static void load_rows(local NEAR_T *to, global const ELEM *from, long stride, long row_stride,
                      uint rows, uint count, uint item)
{
    const uint elements = rows * count;
    struct run r = run_of(from, rows, count, stride, row_stride, sizeof(ELEM), item);
    uint e = 0;
    #pragma unroll 1
    for (; e + WG * LOADS <= elements; e += WG * LOADS)
        load_batch(to, &r, 0, 0, LOADS, true);
    #pragma unroll 1
    for (e += item; e < elements; e += WG * REST)
        load_batch(to, &r, e, elements, REST, false);
    // The last group lacks rows. Its items compute them all the same.
    const uint missing = ROWS - rows;
    for (e = item; e < missing * count; e += WG)
        to[e / missing * PITCH + rows + e % missing] = 0;
}

// The entry of the table for input m of a phase: its place, as a distance in local memory.
static ushort entry_of(uint phase, uint m, const struct arguments *g)
{
    return (ushort)(place_of(position_of(phase, m, g), g) * PLACE_BYTES);
}

#if TEAM_TABLES
// The entries of a task.
static void make_table(local ushort *table, const struct arguments *g,
                       const struct fold_arguments *f, uint task, uint lane)
{
    const uint phase = task / f->blocks;
    const uint first = (task - phase * f->blocks) * ITEM_OUTPUTS * f->step;
    #pragma unroll 2
    for (uint m = lane; m < f->length; m += LANES)
        table[m] = entry_of(phase, first + m, g);
}
#else
// The entries of all tasks, phase by phase. The blocks of a phase begin `spacing` entries
// apart. Copies begin later, so that each block begins at a multiple of four in one of them.
static void make_table(local ushort *table, const struct arguments *g,
                       const struct fold_arguments *f, uint item)
{
    const uint later = 4 / f->copies;
    #pragma unroll 2
    for (uint e = item; e < f->phases * f->entries; e += WG) {
        const uint phase = e / f->entries, at = e - phase * f->entries;
        const uint block = min(at / f->spacing, f->blocks - 1);
        const uint m = at - block * f->spacing + block * ITEM_OUTPUTS * f->step;
        const ushort entry = entry_of(phase, m, g);
        local ushort *to = table + (e + phase * (f->copies - 1) * f->entries);
        for (uint c = 0; c < f->copies; c++)
            if (at >= c * later)
                to[c * (f->entries - later)] = entry;
    }
}

// Where the entries of a task begin.
static local const ushort *entries_of(local const ushort *table, const struct fold_arguments *f,
                                      uint task)
{
    const uint phase = task / f->blocks, first = (task - phase * f->blocks) * f->spacing;
    const uint late = f->copies > 1 ? first % 4 : 0, copy = late * f->copies / 4;
    return table + ((phase * f->copies + copy) * f->entries + first - late);
}
#endif
