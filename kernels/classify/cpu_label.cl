// SPDX-License-Identifier: Apache-2.0
//
// classify on CPU devices: labels of STEP elements side by side, as classify/cpu_place.cl does it.
//
// Defines label_step()

#if FORM == SEARCH

static void label_step(uint *restrict label, const C *restrict v,
                       const struct held *restrict held,
                       global const uint *restrict tables,
                       const struct arguments *restrict g)
{
    place_step(label, v, held, tables, g);
#if !PLAIN
    global const uint *map = tables + g->labels_at;
    #pragma clang loop vectorize_width(N) interleave_count(4)
    for (int i = 0; i < STEP; i++) {
        uint class = label[i] - g->first_class;
#if IS_FLOAT
        class = v[i] != v[i] ? g->nan_class : class;
#endif
        const bool is_class = class < g->classes;
#if MAPPED
        class = map[is_class ? (int)class : 0];
#endif
        label[i] = is_class ? class : REJECT;
    }
#endif
}

#elif FORM == TABLE

static void label_step(uint *restrict label, const C *restrict v,
                       const struct held *restrict held,
                       global const uint *restrict tables,
                       const struct arguments *restrict g)
{
    global const uint *table = tables + g->labels_at;
    #pragma clang loop vectorize_width(N) interleave_count(4)
    for (int i = 0; i < STEP; i++) {
        const U bits = BITS(v[i]);
        uint index = 0;
        #pragma unroll
        for (int r = 0; r < LEVELS; r++)
            index |= (uint)(bits >> tables[2 * r]) & tables[2 * r + 1];
        label[i] = table[(int)index];
    }
}

#elif FORM == CHAIN

// From the last case to the first, each overruling those behind it, for a vector of elements
// at a time: the cases are read, not the elements.
static void label_step(uint *restrict label, const C *restrict v,
                       const struct held *restrict held,
                       global const uint *restrict tables,
                       const struct arguments *restrict g)
{
    typedef JOIN_NAMES(U, N) bits_vector;
    global const U *masks = (global const U *)tables, *values = masks + g->n;
    global const uint *labels = tables + g->labels_at;
    bits_vector bits[STEP / N], to[STEP / N];
    #pragma unroll
    for (int i = 0; i < STEP / N; i++) {
        bits[i] = ((const bits_vector *)v)[i];
        to[i] = labels[g->n];
    }
    for (uint k = g->n; k-- > 0;) {
        const bits_vector mask = masks[k], value = values[k], its = labels[k];
        #pragma unroll
        for (int i = 0; i < STEP / N; i++)
            to[i] = (bits[i] & mask) == value ? its : to[i];
    }
    #pragma unroll
    for (int i = 0; i < STEP / N; i++)
        ((u_vector *)label)[i] = JOIN_NAMES(convert_uint, N)(to[i]);
}

#else
#error "FORM is none"
#endif
