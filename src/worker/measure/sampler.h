// SPDX-License-Identifier: Apache-2.0
//
// Samples of one case: two sides (or one, or more) in turn, ABBA ABBA, so that whatever drifts meets both
// alike. The first pair is dropped, samples that others disturbed are kept with the reason, and one sample a
// side that nobody can tell from the rest runs on other data and is checked. Nothing is written while it
// runs.
#ifndef WORKER_MEASURE_SAMPLER_H
#define WORKER_MEASURE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/samples.h"
#include "record/work_order.h"
#include "worker/backend/backend.h"

#define SAMPLER_CV_NOISY_PCT   3.0 // statistics: more samples above these
#define SAMPLER_CV_NOISIER_PCT 5.0
#define SAMPLER_MESSAGE_BYTES  512

struct sampler_side {
    struct batch batch; // kernel, state, workspace, sets; launches is calibrated by sampler_prepare
    uint32_t next_set;  // the first one is the caller's to choose; where rotations are whole it stays
    size_t count, capacity;
    struct sample *items; // sampler_fini frees
    double *tails_ns;     // [count], of each sample: batch_time.tail_ns
    size_t tail_capacity;
    uint64_t sample_ns;  // that a sample of so many launches took when it was calibrated
    uint32_t late_count; // samples in a row that work on another stream outlasted
    double call_wall_ns; // sampler_time_calls; 0: not taken
    uint32_t call_count; // launches that it took, on the sets from next_set on
};

struct sampler {
    struct device *device;
    const struct sampling *sampling;
    uint64_t seed;              // draws the place of the audit
    uint64_t origin_ns;         // samples' start_ns counts from here
    uint64_t cooldown_until_ns; // clock_ns: the device rests until then
    bool is_flipped;            // the order begins with the last side
    size_t side_count;
    struct sampler_side sides[WORK_SIDES_MAX];

    // The caller's part, all with `arg`. Before anything of a side is launched:
    void (*on_side)(void *arg, size_t side);
    // Around every sample, untimed and before the clock is read (NULL: nothing): leaves traces in the outputs
    // of the sets that the batch will use; afterwards 1 when it has not written over them. Negative: an error
    // of ours.
    int (*sample_begin)(void *arg, size_t side, const struct batch *batch, struct err *err);
    int (*sample_end)(void *arg, size_t side, const struct batch *batch, bool is_audit, struct err *err);
    // Around the audit sample: puts other data in place; afterwards 1 when the results were wrong.
    int (*audit_begin)(void *arg, size_t side, const struct batch *batch, struct err *err);
    int (*audit_end)(void *arg, size_t side, const struct batch *batch, struct err *err);
    void *arg;

    // When a side went wrong while it was timed: which, and its sentence. SIZE_MAX: none.
    size_t wrong_side;
    bool is_caught;    // by sample_end or audit_end; else: a launch failed
    bool is_disturbed; // the last batch: as a sample it would not have counted
    bool is_late;      // its work went on after its stream was done
    char message[SAMPLER_MESSAGE_BYTES];
    // The first error of a flush before a cold batch; "": none.
    char flush_error[192];
};

// Calibrates every side: launches a sample, at least sampling->warmup_count launches. 0, or negative for an
// error of ours; wrong_side is set when a launch fails.
int sampler_prepare(struct sampler *sampler, struct err *err);

// Takes the samples. Stops at the count (raised when they are noisy), at until_pct, or at the case's budget.
int sampler_run(struct sampler *sampler, struct err *err);
void sampler_fini(struct sampler *sampler); // accepts a zeroed one

// Times single launches of every side, each from call to completion by the host's clock, as a program that
// needs the result at once would see them: sides[].call_wall_ns, the median. Over the sets in turn. Not on a
// virtual device.
void sampler_time_calls(struct sampler *sampler);

// In the cool power mode: waits until the device has rested from the last batch. Samples do so by themselves.
void sampler_cool_down(const struct sampler *sampler);

// One batch of a side outside the record: warming up, closing checks. False: a launch failed, wrong_side is
// set.
bool sampler_launch(struct sampler *sampler, size_t side, uint32_t first_set, uint32_t launches);
// The same, with its duration; 0: a launch failed.
uint64_t sampler_time(struct sampler *sampler, size_t side, uint32_t first_set, uint32_t launches);

// Median of the clock probe over the samples of a side that count; NAN when there is none.
double sampler_clock_hz(const struct sampler_side *side);

#endif
