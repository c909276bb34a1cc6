// SPDX-License-Identifier: Apache-2.0
//
// The space that `assay tune` searches: knobs with the values that a kernel declares, as far as the manifest
// allows them, and rules between them. A point is a choice of one value a knob; its number counts the points
// in the order of their values. Pure: nothing is built or measured here.
#ifndef CONTROL_TUNE_TUNE_SPACE_H
#define CONTROL_TUNE_TUNE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "control/plan/manifest/manifest.h"
#include "record/record_query.h"
#include "record/result.h"

struct tune_knob {
    const char *name;
    size_t value_count;
    int64_t values[RECORD_PARAM_VALUES_MAX]; // ascending
    size_t start;                            // the value that the baseline has, or the nearest one
    uint32_t priority;                       // lower ones are tried first; 0 unless a profile says otherwise
};

struct tune_space {
    const struct manifest_tune *tune; // rules and limits; NULL: none
    size_t knob_count;                // with two values or more; sorted by name
    struct tune_knob knobs[RECORD_PARAMS_MAX];
    // Settings with one value, which rules may name.
    size_t fixed_count;
    struct manifest_setting fixed[2 * RECORD_PARAMS_MAX];
    uint64_t point_count; // rules left aside; UINT64_MAX: more than that
    bool is_start_exact;  // the baseline is a point
};

struct tune_point {
    uint8_t at[RECORD_PARAMS_MAX]; // places among the values; 0 beyond knob_count
    uint32_t source;               // the proposal whose source it is; 0: the manifest's
};

// From what the kernel declares (NULL: nothing, as of a script) and what the manifest says of it. ERR_CONFIG:
// an unknown knob, a value that the kernel does not have, a rule with an unknown name.
int tune_space_make(const struct kernel_description *declared, const struct manifest_kernel *kernel,
                    struct tune_space *ret, struct err *err);
// ERR_USAGE: no knob has two values, so there is nothing to search.
int tune_space_need_knobs(const struct tune_space *space, const char *kernel, struct err *err);

struct tune_point tune_space_start(const struct tune_space *space);
struct tune_point tune_space_point(const struct tune_space *space, uint64_t number);
uint64_t tune_space_number(const struct tune_space *space, const struct tune_point *point);
bool tune_point_is_equal(const struct tune_point *a, const struct tune_point *b);
// The first rule that does not hold; NULL: all do.
const char *tune_space_find_broken(const struct tune_space *space, const struct tune_point *point);
// The first limit that what the compiler reports is beyond, as a sentence; NULL: none. `arena` owns it.
const char *tune_space_find_exceeded(const struct tune_space *space, const struct build_report *build,
                                     struct arena *arena);

// "BLOCK_M=64,BLOCK_N=32", sorted by name. Read, what is left out is as in the baseline; false: a setting or
// a value that the space does not have.
const char *tune_point_config(const struct tune_space *space, const struct tune_point *point,
                              struct arena *arena);
// The name of a variant: its settings; of a proposed source "proposal=3", and its settings where they are not
// the baseline's.
const char *tune_point_text(const struct tune_space *space, const struct tune_point *point,
                            struct arena *arena);
bool tune_point_parse(const struct tune_space *space, const char *config, struct tune_point *ret);

// The script of a simulated kernel at that point, in the arena: effects whose `when` holds are applied in
// their order.
const struct sim_kernel *tune_space_script(const struct tune_space *space, const struct sim_kernel *script,
                                           const struct tune_point *point, struct arena *arena);

#endif
