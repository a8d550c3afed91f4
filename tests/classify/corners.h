/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the groups classify/corners share: classifiers without programs, and a check
 * of the text of gpuprim_classifier_describe.
 */
#ifndef CLASSIFY_CORNERS_H
#define CLASSIFY_CORNERS_H

#include "case.h"

struct classification; // src/classify/classify.h

// Forces a variant, such as "classify:gpu_words", or none: "".
void classify_force(gpuprim *gp, const char *variant);

// The device at hand, with the limits of a GPU of so many compute units. Nothing must be built
// on it. NULL: a failure was counted.
gpuprim *classify_large_gpu(struct check *check, unsigned units);

// Makes a classifier without building its programs.
int classify_make_unbuilt(gpuprim *gp, const struct gpuprim_classifier_params *params,
                          gpuprim_classifier **out);
// The same; NULL: a failure was counted.
gpuprim_classifier *classify_unbuilt(struct check *check, gpuprim *gp,
                                     const struct gpuprim_classifier_params *params);
// One of a table whose entries are the labels below `labels`, again and again, so that no
// intervals are counted.
gpuprim_classifier *classify_table_in_turn(struct check *check, gpuprim *gp,
                                           enum gpuprim_type type, uint64_t entries,
                                           unsigned labels);

// Makes a packed call one of `rows` columns of `count` elements whose labels are rows.
void classify_turn_columns(struct classification *c, uint64_t rows, uint64_t count);
// Gives each row of a call counts of its own.
void classify_count_each(struct classification *c);

// group_choices.c: how packed rows are divided by gpu_words.
struct classify_division {
    uint64_t groups, tiles; // tiles: of a group
    uint64_t rows;          // that a group has at once; 0 where rows are cut
    unsigned words;         // WORDS_...
    unsigned counters;      // COUNTERS_...
};
enum { WITH_LABELS = 1, WITH_COUNTS = 2 }; // outputs
struct classify_division classify_divide(const gpuprim *gp,
                                         const gpuprim_classifier *classifier, uint64_t rows,
                                         uint64_t count, unsigned outputs);

// Checks that the text of gpuprim_classifier_describe contains these phrases, and not those
// that begin with an exclamation mark. NULL ends the list.
void classify_tells(struct check *check, gpuprim *gp,
                    const struct gpuprim_classifier_params *params, const char *const *words);
#define CLASSIFY_TELLS(params, ...)                                                            \
    classify_tells(check, gp, params, (const char *const[]){ __VA_ARGS__, NULL })

// Runs the groups classify/corners/`name`.
struct corner {
    const char *name;
    void (*run)(struct check *check, gpuprim *gp);
};
void classify_corners_each(struct check *check, const struct corner *groups, unsigned n);

void classify_describe_run(struct check *check);
void classify_choices_run(struct check *check);
void classify_column_choices_run(struct check *check);
void classify_tile_choices_run(struct check *check);
void classify_tile_room_run(struct check *check);
void classify_group_choices_run(struct check *check);
void classify_turned_choices_run(struct check *check); // turned.c runs it
void classify_small_run(struct check *check);

#endif
