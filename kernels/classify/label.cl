// SPDX-License-Identifier: Apache-2.0
//
// classify: how an element becomes a label. The forms and their tables stand in classify.cl; what
// comes before this, classify/halves.cl or classify/place.cl, says
//
//     NEARBY         the address space of `near`, the part of the tables that each element
//                    needs: g.labels_at and g.aid_at are words of it
//     HAS_MAP        SEARCH: whether a class is not its own label
//     REJECTS        whether there are elements without a label
//     struct opened  what is the same for all elements of a row; open_row() fills it
//     place_of()     SEARCH: how many keys are not greater than x; of a NaN any number
//     index_of()     TABLE: where bits lead to
//
// Defines label_of(): an element's label. REJECT says that there is none; where labels are only
// counted, so does any number from g.labels on. Nothing in it but values depends on x.

#if FORM == SEARCH
// Of place p.
static uint label_at(C x, uint p, NEARBY const uint *near, const struct arguments *g)
{
    uint class = p - g->first_class; // below it: beyond all classes
#if IS_FLOAT
    class = x != x ? g->nan_class : class;
#endif
    const bool is_class = !REJECTS || class < g->classes;
    if (!HAS_MAP)
        return is_class || !LABEL_TYPE ? class : REJECT;
    const uint label = near[g->labels_at + (is_class ? class : 0)];
    return is_class ? label : REJECT;
}
#endif

static uint label_of(C x, const struct opened *o, NEARBY const uint *near,
                     const struct arguments *g)
{
#if FORM == SEARCH
    return label_at(x, place_of(x, o, near, g), near, g);

#elif FORM == TABLE
    return near[g->labels_at + index_of(BITS(x), o, g)];

#elif FORM == CHAIN
    // From the last case to the first, each overruling those behind it.
    const U bits = BITS(x);
    NEARBY const U *masks = (NEARBY const U *)near, *values = masks + g->n;
    NEARBY const uint *labels = near + g->labels_at;
    uint label = labels[g->n];
    for (uint k = g->n; k-- > 0;)
        label = (bits & masks[k]) == values[k] ? labels[k] : label;
    return label;

#else
#error "FORM is none"
#endif
}
