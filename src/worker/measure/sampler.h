// SPDX-License-Identifier: Apache-2.0
//
// Samples of one case: two sides (or one, or more) alternate, ABBA or BAAB (pair_order.h), so that drift
// affects both alike.
// The first pair is dropped, samples that other programs disturbed are kept with the reason, and one sample
// of each side, which a kernel cannot tell from the others, runs on other data and is checked. Nothing is
// written while it runs.
#ifndef WORKER_MEASURE_SAMPLER_H
#define WORKER_MEASURE_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dice.h"
#include "base/err.h"
#include "record/invalid_cause.h"
#include "record/samples.h"
#include "record/work_order.h"
#include "worker/backend/backend.h"
#include "worker/measure/energy_meter.h"
#include "worker/measure/judge_clock.h"
#include "worker/measure/overlap.h"

#define SAMPLER_CV_NOISY_PCT   3.0 // statistics: more samples above these
#define SAMPLER_CV_NOISIER_PCT 5.0
#define SAMPLER_MESSAGE_BYTES  512
// Pairs with a disturbed sample are made up for, until a side has so many times the samples that were wanted.
#define SAMPLER_MADE_UP_MOST 6u
// While the clock probes of the sides disagree, a side gets up to so many times the samples that were wanted.
#define SAMPLER_CLOCKS_MOST 3u
// Steps of the device's timer in a sample: reading it off by one step is 1 % then.
#define SAMPLER_TIMER_STEPS 100.0

struct sampler_side {
    struct batch batch; // kernel, state, workspace, sets; sampler_prepare finds the launches
    uint32_t next_set;  // the caller chooses the first one; with whole rotations it never changes
    size_t count, capacity;
    struct sample *items; // sampler_fini frees
    double *tails_ns;     // [count], of each sample: batch_time.tail_ns
    size_t tail_capacity;
    uint64_t sample_ns;  // duration of a sample with that many launches, as sampler_prepare saw it
    uint32_t late_count; // samples in a row that ended with work still running on another stream
    struct judged_samples judged;
    double wall_ns;       // of all samples by this process's clock, from when the launches were asked for
    double call_wall_ns;  // sampler_time_calls; 0: not measured
    double call_least_ns; // the shortest of these calls
    uint32_t call_count;  // launches timed for call_wall_ns, on the sets from next_set on
    struct overlap_watch watch;     // sampler_overlap.c
    struct energy_span energy_span; // of the block that is being taken
    struct energy_meter energy;     // sustained power mode, caches not emptied before each launch
};

// Why sampling stopped before its end.
enum sampler_failure_kind {
    SAMPLER_FAILURE_NONE = 0,
    SAMPLER_FAILURE_LAUNCH,    // a launch returned an error
    SAMPLER_FAILURE_LATE_WORK, // work went on after a launch had returned, or its stream was done
    SAMPLER_FAILURE_RESULT,    // sample_end or audit_end found wrong results; there is no message
    SAMPLER_FAILURE_CLOCK,     // the side's process timed it otherwise than the judge
    SAMPLER_FAILURE_KIND_COUNT
};

struct sampler_failure {
    enum sampler_failure_kind kind;
    size_t side; // of the sampler
    char message[SAMPLER_MESSAGE_BYTES];
};

// Results of a check of outputs; an error of ours is negative.
enum { SAMPLE_RIGHT = 0, SAMPLE_WRONG = 1 };

// The caller's look at what a batch has left; SAMPLE_RIGHT, SAMPLE_WRONG or negative.
typedef int sampler_end_fn(void *arg, size_t side, const struct batch *batch, struct err *err);

struct sampler {
    struct device *device;
    const struct sampling *sampling;
    struct dice dice;           // draw the order, and the places of audits
    uint64_t origin_ns;         // samples' start_ns counts from here
    uint64_t cooldown_until_ns; // clock_ns: the device cools down until then
    size_t side_count;
    struct sampler_side sides[WORK_SIDES_MAX];

    // The caller's part, all with `arg`. Before anything of a side is launched:
    void (*on_side)(void *arg, size_t side);
    // Between two batches, before the next one of that side is made ready: for what must not disturb a sample
    // (NULL: nothing).
    void (*on_pause)(void *arg, size_t side);
    // Around every sample, untimed and before the clock is read (NULL: nothing): leaves canaries in the
    // outputs of the sets that the batch will use; afterwards SAMPLE_WRONG when the batch has not overwritten
    // them.
    int (*sample_begin)(void *arg, size_t side, const struct batch *batch, struct err *err);
    sampler_end_fn *sample_end;
    // As batch.on_answer, for samples (NULL: nothing).
    void (*on_answer)(void *arg);
    // Around the audit sample (NULL: none): puts other data in place; afterwards SAMPLE_WRONG when the
    // results are wrong.
    int (*audit_begin)(void *arg, size_t side, const struct batch *batch, struct err *err);
    sampler_end_fn *audit_end;
    // Between two samples at a drawn place, once for every side (NULL: nothing): batches as the samples', by
    // sampler_time; SAMPLE_WRONG when they show what the side does in samples.
    int (*compare)(void *arg, size_t side, struct err *err);
    // Around every batch that looks for the launches of a sample (NULL: nothing): may give it other sets, and
    // fewer launches; afterwards SAMPLE_WRONG when the results are wrong.
    int (*range_begin)(void *arg, size_t side, struct batch *batch, struct err *err);
    sampler_end_fn *range_end;
    void *arg;

    struct sampler_failure failure;
    // Why nobody can be blamed for what was found, though the samples do not count; "": nothing.
    char doubt[192];
    enum invalid_cause doubt_cause;
    size_t doubted_side; // of the sampler: whose batches it was found in
    // The first error of a flush before a cold batch; "": none.
    char flush_error[192];
};

// Finds the launches that fill a sample of every side, with at least sampling->warmup_count launches. Sets
// failure when a launch fails. 0, or negative for an error of ours.
int sampler_prepare(struct sampler *sampler, struct err *err);

// Takes the samples. Stops at the count (raised when they are noisy), at until_pct, at the case's budget, or
// when a side fails. 0, or negative for an error of ours.
int sampler_run(struct sampler *sampler, struct err *err);
void sampler_fini(struct sampler *sampler); // accepts a zeroed one

// Before and after a batch that tests a side for late work: waits until nothing is left on the device,
// where all processes of kernels are stopped, and whether the batch found it so. False: sampler->doubt says
// so, since the lateness may be another's.
bool sampler_drain(struct sampler *sampler, size_t index);
bool sampler_was_alone(struct sampler *sampler, size_t index, const struct batch_time *time);

// Times single launches of every side, each from call to completion by the host's clock, as a program that
// needs the result at once would see them: sides[].call_wall_ns, the median, and
// call_least_ns. Walks through the sets. Nothing on a virtual device.
void sampler_time_calls(struct sampler *sampler);

// Places of the order at which the sample of every side counts: pairs, where there are two sides.
size_t sampler_clean_count(const struct sampler *sampler);

// In the cool power mode: waits until the device has cooled down from the last batch. Samples do so
// themselves.
void sampler_cool_down(const struct sampler *sampler);

// How long a batch took that is no sample.
struct sampler_duration {
    uint64_t ns;
    // By the slower of the two clocks. What disturbs a batch makes it longer, so this holds of any batch.
    uint64_t at_most_ns;
    bool is_disturbed; // as a sample it would have been discarded
};

// Runs one batch of a side that is not recorded as a sample, for warming up and closing checks. False: a
// launch failed, and failure is set.
bool sampler_launch(struct sampler *sampler, size_t side, uint32_t first_set, uint32_t launches);
// The same, timed. late: as batch.late.
bool sampler_time(struct sampler *sampler, size_t side, uint32_t first_set, uint32_t launches,
                  const struct late_inputs *late, struct sampler_duration *ret);

// A shorter sample is too coarse for the device's timer, ns.
double sampler_timer_least_ns(const struct device *device);

// Samples of a side that the settings ask for, by how noisy they are so far.
uint32_t sampler_count_wanted(const struct sampler *sampler);
// Whether the median's interval is as narrow as --until asks.
bool sampler_is_narrow(const struct sampler_side *side, double until_pct);

// Per-launch times of the samples that count; the caller frees.
double *sampler_times_ns(const struct sampler_side *side, size_t *ret_count);
// Medians over the samples of a side that count, NAN when there is none: of the time per launch, and of the
// clock probe.
double sampler_launch_ns(const struct sampler_side *side);
// The mean by the clock of call_wall_ns over all samples, cache flushes and exchanges included; NAN: none.
double sampler_wall_launch_ns(const struct sampler_side *side);
double sampler_clock_hz(const struct sampler_side *side);
// How far the clocks of the sides are apart, %: the highest over the lowest. 0: fewer than two have one.
double sampler_clocks_apart_pct(const struct sampler *sampler);
// Whether they are further apart than a measurement may have them. In the sustained power mode they may: a
// side's clock follows from its power, and is part of what is compared.
bool sampler_has_clocks_apart(const struct sampler *sampler);

#endif
