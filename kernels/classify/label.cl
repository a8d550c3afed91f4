// SPDX-License-Identifier: Apache-2.0
//
// classify: the label of one element, for baseline, gpu_words and gpu_tiles. classify.cl describes
// the methods and their tables. The files before this one (binary.cl, or search.cl and those it
// names) define
//
//     TABLE_SPACE           the address space of `tables`, the part of the tables that every
//                           element needs: g.labels_at and g.index_at are positions in it
//     struct row_constants  what is the same for all elements of a row; load_row() fills it
//     place_of()            SEARCH: how many keys are <= x; of a NaN any number
//     index_of()            TABLE: the index that the bits of x make
//     entry_of()            TABLE: the entry there
//     label_of_case()       HASH, BITS: the label
//     labels_of_lists()     LISTS: those of a few elements
//
// Macros  HAS_MAP  SEARCH: 1: the label of a class is in a map
//         COUNT_CLASSES, FAR_MAP  HAS_MAP: 1: elements get the class instead (counters.cl)
//         NAN_IS_LAST  SEARCH: 1: NaNs have the place behind all keys and the last class
//         ALL_CLASSES  SEARCH: 1: every place is that of a class
//         REJECTS  1: some element may have no label
//
// Defines label_of(): an element's label, or REJECT. label_few(): those of a few. Where labels
// are only counted, any number from g.labels on means the same as REJECT. Branches that
// depend on x are those of elements in doubt (search.cl), and the tries of LISTS.
//
// Beside place or index, an element takes one read of a map or a table, and about
// five operations. CHAIN takes two operations for each case, and two reads where there are more
// than are held in registers.

#ifndef REJECTS
#error "REJECTS must be defined"
#endif

#if METHOD == METHOD_SEARCH
#if !defined(HAS_MAP) || !defined(NAN_IS_LAST) || !defined(ALL_CLASSES)
#error "HAS_MAP, NAN_IS_LAST and ALL_CLASSES must be defined"
#endif

// The label of an element with place p.
static uint label_at(KEY_T x, uint p, TABLE_SPACE const uint *tables, const struct arguments *g)
{
    // Below the first class this wraps beyond all classes. ALL_CLASSES: the first one is 0.
    uint class = ALL_CLASSES ? p : p - g->first_class;
#if IS_FLOAT && !NAN_IS_LAST
    const uint nan_class = g->nan_class; // a load in the choice would become a branch
    class = IS_NAN(x) ? nan_class : class;
#endif
    const bool is_class = !REJECTS || ALL_CLASSES || class < g->classes;
    if (!HAS_MAP || COUNT_CLASSES || FAR_MAP)
        return is_class || !LABEL_TYPE ? class : REJECT;
    TABLE_SPACE const ENTRY_T *map = (TABLE_SPACE const ENTRY_T *)(tables + g->labels_at);
    const uint label = label_of_entry(map[is_class ? class : 0]);
    return is_class ? label : REJECT;
}
#endif

#if METHOD == METHOD_TABLE
static uint label_of_index(uint index, const struct row_constants *k,
                           TABLE_SPACE const uint *tables, const struct arguments *g)
{
    return label_of_entry(entry_of(index, k, tables, g));
}
#endif

static uint label_of(KEY_T x, const struct row_constants *k, TABLE_SPACE const uint *tables,
                     const struct arguments *g)
{
#if METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_STEPS
    uint step;
    steps_of(&step, &x, 1, k, g);
    return label_in_step(step);

#elif METHOD == METHOD_SEARCH
    return label_at(x, place_of(x, k, tables, g), tables, g);

#elif METHOD == METHOD_TABLE
    return label_of_index(index_of(BITS(x), k, g), k, tables, g);

#elif METHOD == METHOD_CHAIN && defined HELD_CASES && HELD_CASES // bits.cl; baseline holds none
    uint label = k->label[HELD_CASES];
    #pragma unroll
    for (uint i = HELD_CASES; i-- > 0;)
        label = (BITS(x) & k->mask[i]) == k->value[i] ? k->label[i] : label;
    return label;

#elif METHOD == METHOD_CHAIN
    // From the last case to the first: each that matches replaces the label so far.
    const BITS_T bits = BITS(x);
    TABLE_SPACE const BITS_T *masks = (TABLE_SPACE const BITS_T *)tables;
    TABLE_SPACE const BITS_T *values = masks + g->n;
    TABLE_SPACE const uint *labels = tables + g->labels_at;
    uint label = labels[g->n];
    for (uint i = g->n; i-- > 0;)
        label = (bits & masks[i]) == values[i] ? labels[i] : label;
    return label;

#elif METHOD == METHOD_HASH || METHOD == METHOD_BITS
    return label_of_case(BITS(x), k, tables, g);

#elif METHOD == METHOD_LISTS
    uint label;
    labels_of_lists(&label, &x, 1, k, tables, g);
    return label;

#else
#error "METHOD is no method"
#endif
}

// `few` is known when the kernel is compiled. Methods with doubt, and cells of a row's keys, load
// the keys that all of them need together.
static __attribute__((always_inline)) void label_few(uint *label, const KEY_T *x, uint few,
                                                     const struct row_constants *k,
                                                     TABLE_SPACE const uint *tables,
                                                     const struct arguments *g)
{
#if HAS_DOUBT || (defined HALVES_CELLS && HALVES_CELLS)
    places_of(label, x, few, k, tables, g);
    #pragma unroll
    for (uint e = 0; e < few; e++)
        label[e] = label_at(x[e], label[e], tables, g);
#elif HAS_SIEVE
    labels_of_cases(label, x, few, k, tables, g);
#elif METHOD == METHOD_LISTS
    labels_of_lists(label, x, few, k, tables, g);
#elif METHOD == METHOD_SEARCH && SEARCH_METHOD == SEARCH_STEPS
    steps_of(label, x, few, k, g);
    #pragma unroll
    for (uint e = 0; e < few; e++)
        label[e] = label_in_step(label[e]);
#else
    #pragma unroll
    for (uint e = 0; e < few; e++)
        label[e] = label_of(x[e], k, tables, g);
#endif
}
