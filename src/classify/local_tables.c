/* SPDX-License-Identifier: Apache-2.0
 *
 * Which tables of a classifier groups of gpu_words and gpu_tiles copy to local memory. */
#include "classify.h"

uint64_t gp_classify_first_local(const struct gpuprim_classifier *f)
{
    const uint64_t first = f->method == METHOD_CHAIN                   ? 1
                           : f->method == METHOD_TABLE || f->labels_at ? f->labels_at
                                                                       : f->index_at;
    // Even, because keys of 64 bits are aligned, and before the labels, which are never at word
    // 0.
    return (first - 1) & ~(uint64_t)1;
}

uint64_t gp_classify_table_bytes(const struct gpuprim_classifier *f)
{
    return (f->words - gp_classify_first_local(f)) * sizeof(cl_uint);
}

// The keys of INTERPOLATE are read so seldom that filling local memory would take longer. From
// some ten thousand on they do not fit.
static bool is_seldom_read(const struct gpuprim_classifier *f)
{
    return f->method == METHOD_SEARCH && f->index.method == SEARCH_INTERPOLATE && !f->labels_at;
}

// As much of a table as fits beside counters. Less than a quarter would save little.
static uint64_t part_of_table(const struct gpuprim_classifier *f, uint64_t room,
                              bool has_counts)
{
    const uint64_t counters = has_counts ? gp_classify_counters(f, room, UINT64_MAX).bytes : 0,
                   left = (room - counters) & ~(uint64_t)7;
    return f->method == METHOD_TABLE && left >= gp_classify_table_bytes(f) / 4 ? left : 0;
}

uint64_t gp_classify_local_tables(const struct gpuprim_classifier *f, bool has_counts,
                                  uint64_t room)
{
    const uint64_t bytes = gp_classify_table_bytes(f);
    if (f->rows > 1 || is_seldom_read(f))
        return 0;
    if (bytes > room)
        return part_of_table(f, room, has_counts);
    const bool push_out =
        gp_classify_counters(f, room - bytes, UINT64_MAX).form == COUNTERS_DIRECT &&
        gp_classify_counters(f, room, UINT64_MAX).form != COUNTERS_DIRECT;
    return has_counts && push_out ? 0 : bytes;
}

void gp_classify_define_local(struct gp_key *key, const struct gpuprim_classifier *f,
                              const struct classify_choice *t)
{
    gp_classify_define_method(key, f);
    gp_classify_define_counters(key, &t->counters);
    gp_define(key, "REJECTS", f->may_reject);
    gp_define(key, "TABLES_LOCAL", t->local_words > 0);
    if (f->method == METHOD_TABLE)
        gp_define(key, "PART_LOCAL",
                  t->local_words > 0 &&
                      t->local_words * sizeof(cl_uint) < gp_classify_table_bytes(f));
}
