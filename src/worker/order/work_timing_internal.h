// SPDX-License-Identifier: Apache-2.0
//
// One case while it is timed, and the steps after its samples: the closing check, and finding out which
// side is to blame.
#ifndef WORKER_ORDER_WORK_TIMING_INTERNAL_H
#define WORKER_ORDER_WORK_TIMING_INTERNAL_H

#include "worker/measure/sampler.h"
#include "worker/order/work_sets.h"
#include "worker/order/work_window.h"

#define KEPT_LAUNCHES 3 // of a side

// A launch of a sample, to be repeated untimed.
struct kept_launch {
    uint32_t set;
    uint64_t seed; // of its inputs
    struct kept_outputs outputs;
};

// The sides that are right, in the order's order.
struct timing {
    struct work *work;
    struct case_run *run;
    struct work_windows *windows;
    struct work_sets sets;
    struct sampler sampler;
    uint32_t sides[WORK_SIDES_MAX]; // the order's number of each sampler side
    size_t sampled_side;            // of the sample that runs
    size_t turn;                    // of keep_busy
    uint32_t busy_launches;         // of keep_busy
    bool has_failed;                // a launch of keep_busy
    uint32_t audited_set;           // whose inputs are fresh in the audit that runs
    // Whether the outputs of a set that a sampler side sees hold what its launches left there.
    bool has_used[WORK_SIDES_MAX][WORK_SETS_MAX];
    uint64_t fill_ns;    // what drawing the inputs of a set takes; 0: not known yet
    double redraw_share; // of the sets of a sample that get new inputs before it (work_redraw.h)
    uint64_t fresh_seeds[WORK_SETS_MAX];  // of sets whose inputs are fresh
    uint64_t fresh_count[WORK_SIDES_MAX]; // samples whose drawn launch had fresh inputs
    uint32_t kept_count[WORK_SIDES_MAX];
    struct kept_launch kept[WORK_SIDES_MAX][KEPT_LAUNCHES];
    struct check_result *wrong; // filled when a side turns out wrong
    // Why the samples cannot be used though no side is known to be wrong; "": they can.
    char spoilt[512];
};

// Notes that a batch of the side used set k: where sides share outputs, the others' results are gone.
void timing_note_use(struct timing *timing, size_t side, uint32_t k);

// Rejects a side that went wrong while it was timed: its CHECK record, kept back so far, becomes a FAIL
// with timing->wrong, or with the sampler's message.
void timing_reject(struct timing *timing, size_t side);

// Handles a finding that another side may have caused: shared memory is renewed and every side runs alone.
// If none goes wrong then, timing->spoilt says why the samples cannot be used, and no side is rejected.
int timing_reject_culprit(struct timing *timing, size_t side, struct err *err);

// Detects results kept by the content of the inputs: batches as the samples', on data launched before and on
// fresh data; and results computed ahead, by inputs that come late. Between two samples, so that no launch
// tells them from samples. SAMPLE_WRONG: timing->wrong says how.
int timing_compare(struct timing *timing, size_t side, struct err *err);

// Detects launches that are skipped when repeated: a sample uses every set many times, and only the first
// launch on a set finds canaries in its outputs; the later ones must not be faster. The compared launches
// have overwritten their canaries, and their outputs are verified. SAMPLE_WRONG as above.
int timing_compare_first(struct timing *timing, size_t side, struct err *err);

// A slowdown is no noise only if it exceeds both the ratio and the absolute limit in every repetition.
struct time_limit {
    double ratio, apart_ns;
};
bool timing_is_apart(const struct timing *timing, const struct time_limit *limit, double usual_ns, double ns);
// False on a simulated device: its times come from a script, so a slowdown proves no caching there.
bool timing_has_real_times(const struct timing *timing);
// Single calls are timed by the host's clock everywhere.
bool timing_is_by_events(const struct timing *timing);
// SAMPLE_WRONG, with FINDING_STALE and this sentence in timing->wrong.
int timing_stale(struct timing *timing, const char *text);

// After the last sample: checks the memory and outputs that the samples left, that launches on known and
// on fresh data take similar times, and every side once more on poisoned outputs, launched as in the
// samples. Wrong sides are rejected.
int timing_verify_after(struct timing *timing, struct err *err);

#endif
