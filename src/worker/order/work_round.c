// SPDX-License-Identifier: Apache-2.0
//
// One round: every case is checked on every side, the clock is stabilized, the sides are sampled alternately
// and checked again. A side that is wrong anywhere has no samples. How samples are taken is in
// worker/measure/sampler.c; whether they may be used is decided from the state of the device alone
// (work_window.c).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "worker/check/declared_process.h"
#include "worker/host/host_client.h"
#include "worker/measure/stabilize.h"
#include "worker/order/fault.h"
#include "worker/order/work_redraw.h"
#include "worker/order/work_timing_internal.h"

#define OVERHEAD_MAX_RATIO 0.003 // of a sample
#define SHIFT_STEP_BYTES   256   // alignment of dense tensors
#define SHIFT_STEPS        15
#define BUSY_BATCH_NS      1000000u // keeping a virtual device busy
#define BUSY_BATCH_MAX     (1u << 20)
#define SHARES_LEAST       20   // samples of a side without which its share of disturbed ones says nothing
#define SHARES_APART       0.25 // of the sides' shares

// ---- hooks of the sampler ----

static void select_side(void *arg, size_t side) {
    (void)arg;
    fault_select(side);
}

static int sample_begin(void *arg, size_t side, const struct batch *batch, struct err *err) {
    struct timing *timing = arg;
    timing->sampled_side = side;
    TRY(redraw_sample(timing, side, batch, err));
    return work_sets_set_canaries(&timing->sets, timing->sides[side], batch->first_set, batch->launches, err);
}

// Of samples the length is known; a record disturbs only short ones, and is rare among these.
static void say_progress(void *arg, size_t side) {
    const struct timing *timing = arg;
    work_say_progress_before(timing->work, timing->sampler.sides[side].sample_ns);
}

static void read_canaries(void *arg) {
    struct timing *timing = arg;
    canaries_read(&timing->sets.canaries[timing->sides[timing->sampled_side]]);
}

static int sample_end(void *arg, size_t side, const struct batch *batch, struct err *err) {
    struct timing *timing = arg;
    for (uint32_t i = 0; i < batch->launches && i < batch->set_count; ++i)
        timing_note_use(timing, side, (batch->first_set + i) % batch->set_count);
    const int code = work_sets_find_canary(&timing->sets, timing->sides[side], timing->wrong, err);
    return code == SAMPLE_RIGHT ? redraw_verify(timing, side, batch, err) : code;
}

static int range_begin(void *arg, size_t side, struct batch *batch, struct err *err) {
    return redraw_range(arg, side, batch, err);
}

static int range_end(void *arg, size_t side, const struct batch *batch, struct err *err) {
    return redraw_range_verify(arg, side, batch, err);
}

static int audit_begin(void *arg, size_t side, const struct batch *batch, struct err *err) {
    (void)side;
    return redraw_audit(arg, batch, err);
}

static int audit_end(void *arg, size_t side, const struct batch *batch, struct err *err) {
    return redraw_audit_verify(arg, side, batch, err);
}

static int compare(void *arg, size_t side, struct err *err) {
    return timing_compare(arg, side, err);
}

// Runs one launch, or one rotation if batches are replayed graphs; on a virtual device enough launches
// that time passes in few calls.
static bool keep_busy(void *arg) {
    struct timing *timing = arg;
    const size_t side = timing->turn++ % timing->sampler.side_count;
    const bool is_whole = timing->work->device->wants_whole_rotations;
    sampler_cool_down(&timing->sampler); // so that stabilizing heats the device no more than sampling does
    struct sampler_duration busy = {0};
    timing->has_failed = !sampler_time(
        &timing->sampler, side, is_whole ? timing->sampler.sides[side].next_set : (uint32_t)timing->turn,
        is_whole ? timing->sets.count : timing->busy_launches, NULL, &busy);
    if (timing->work->device->is_virtual && busy.ns < BUSY_BATCH_NS && timing->busy_launches < BUSY_BATCH_MAX)
        timing->busy_launches *= 2;
    return !timing->has_failed;
}

// ---- the steps of timing ----

// Whether the side is written in Python and runs on a GPU.
static bool has_bridge(const struct timing *timing, size_t i) {
    const struct work *work = timing->work;
    return work->device->backend->is_accelerator && work->order->sides[timing->sides[i]].python;
}

static void init_sampler(struct timing *timing) {
    struct work *work = timing->work;
    const struct work_order *order = work->order;
    struct sampler *sampler = &timing->sampler;
    sampler->device = work->device;
    sampler->sampling = &order->sampling;
    sampler->dice = dice_child(&timing->run->dice, "sampler", dice_u64(&timing->run->dice));
    sampler->origin_ns = work->start_ns;
    sampler->on_side = select_side;
    sampler->on_pause = say_progress;
    sampler->sample_begin = sample_begin;
    sampler->sample_end = sample_end;
    sampler->on_answer = timing->work->is_apart ? read_canaries : NULL;
    sampler->audit_begin = audit_begin;
    sampler->audit_end = audit_end;
    sampler->compare = work->device->is_virtual ? NULL : compare;
    sampler->range_begin = range_begin;
    sampler->range_end = range_end;
    sampler->arg = timing;
    sampler->failure.kind = SAMPLER_FAILURE_NONE;
    timing->busy_launches = 1;
    memset(timing->has_used, 0, sizeof timing->has_used);
    // Where a side's rotations begin in this round, the same in samples, checks and stabilization.
    struct dice first = dice_child(&timing->run->dice, "first set", 0);
    for (size_t i = 0; i < sampler->side_count; ++i) {
        sampler->sides[i].batch = kernel_instance_batch(&timing->run->instances[timing->sides[i]],
                                                        timing->sets.lists, timing->sets.count);
        sampler->sides[i].batch.is_by_call = order->sampling.metric == METRIC_CALL_TIME;
        // Around single calls the bridge moves what they return, which takes milliseconds.
        sampler->sides[i].judged.is_clock_coarse =
            has_bridge(timing, i) && sampler->sides[i].batch.is_by_call;
        sampler->sides[i].next_set = (uint32_t)dice_below(&first, timing->sets.count);
    }
}

static const char *case_name(const struct timing *timing) {
    const struct work_case *wanted = timing->run->wanted;
    return str_or(wanted->short_name, wanted->problem.name);
}

static int stabilize(struct timing *timing, bool is_first, struct err *err) {
    struct work *work = timing->work;
    const bool is_processor = !work->device->is_virtual && !work->device->backend->is_accelerator;
    const uint64_t least_ns = work->order->sampling.stabilize_ns;
    const struct stabilize_request request = {.device = work->device,
                                              .least_ns = is_first ? least_ns : 0,
                                              .limit_ns =
                                                  stabilize_limit_ns(least_ns, work->is_clock_restless),
                                              .earlier = is_processor ? &work->readings : NULL,
                                              .keep_busy = keep_busy,
                                              .arg = timing};
    timing->has_failed = false; // sides whose launch failed earlier are already excluded
    const struct stabilize_result result = stabilize_run(&request);
    if (result.is_stable || timing->has_failed) return 0;
    // With too few readings it is the launches that are slow.
    work->is_clock_restless |= isfinite(result.spread_pct) && !work->device->backend->is_accelerator;
    char text[512], spread[64] = "too few readings";
    if (isfinite(result.spread_pct))
        snprintf(spread, sizeof spread, "last readings %.2f %% apart", result.spread_pct);
    snprintf(text, sizeof text, "%s: the clock had not stabilized after %.1f s (%s); measured anyway",
             case_name(timing), (double)result.duration_ns / 1e9, spread);
    return work_warn(work, text, err);
}

// Warns of replay overhead that is a notable part of every sample, and of doubts about the device's
// readings.
static int warn_of_timing(struct timing *timing, struct err *err) {
    const struct device *device = timing->work->device;
    const struct sampling *sampling = timing->sampler.sampling;
    const bool is_cold = sampling->cache_mode == CACHE_COLD;
    const bool is_replayed = sampling->metric == METRIC_TIME;
    const double overhead_ns = is_replayed ? device->replay_overhead_ns : 0;
    const double sample_ns = (double)sampling->sample_time_ns;
    char text[256] = "";
    if (is_cold && overhead_ns > 0)
        snprintf(text, sizeof text,
                 "cold mode times one launch per sample; the %.2f us overhead of an empty graph replay is "
                 "included in every time",
                 overhead_ns / 1e3);
    else if (overhead_ns > 0 && overhead_ns > OVERHEAD_MAX_RATIO * sample_ns)
        snprintf(text, sizeof text,
                 "the %.2f us overhead of an empty graph replay is %.1f %% of a sample of %.0f us; a longer "
                 "--sample-time makes it less (each empty launch adds %.2f us)",
                 overhead_ns / 1e3, 100 * overhead_ns / sample_ns, sample_ns / 1e3, device->node_ns / 1e3);
    if (*text) TRY(work_warn(timing->work, text, err));
    if (*device->state_doubt) TRY(work_warn(timing->work, device->state_doubt, err));
    if (!is_cold || !device->flush_doubt[0]) return 0;
    snprintf(text, sizeof text, "cold times may not be cold: %s", device->flush_doubt);
    return work_warn(timing->work, text, err);
}

// Warns if a small problem would need more sets than the maximum: its inputs then stay in the cache.
static int warn_of_cover(struct timing *timing, struct err *err) {
    const struct device *device = timing->work->device;
    const double each = (double)case_buffers_bytes(&timing->run->buffers), mib = 1 << 20;
    const double covered = each * timing->sets.count, cache = (double)device->rotate_bytes;
    if (!device->wants_whole_rotations || timing->sampler.sampling->cache_mode != CACHE_ROTATE) return 0;
    if (covered >= WORK_SETS_COVER * cache) return 0;
    char text[320];
    snprintf(text, sizeof text,
             "%s: %u sets of buffers cover %.1f MiB, less than twice the cache of %.1f MiB: some launches "
             "find their inputs there",
             case_name(timing), timing->sets.count, covered / mib, cache / mib);
    return work_warn(timing->work, text, err);
}

// What it costs to ask each side's process for nothing: all are the same program, so the least is what is
// taken off all. A process that fails at it fails at the next launch too.
static void measure_exchanges(struct timing *timing) {
    const struct sampler *sampler = &timing->sampler;
    struct host_cost least = {.exchange_ns = INFINITY, .ahead_ns = INFINITY, .turn_ns = INFINITY};
    if (!timing->work->is_apart || timing->work->device->is_virtual) return;
    for (size_t i = 0; i < sampler->side_count; ++i) {
        const struct batch *batch = &sampler->sides[i].batch;
        if (!host_measure_exchange(batch->host, timing->work->device, batch)) continue;
        const struct host_cost cost = host_cost(batch->host);
        least.exchange_ns = fmin(least.exchange_ns, cost.exchange_ns);
        least.ahead_ns = fmin(least.ahead_ns, cost.ahead_ns);
        least.turn_ns = fmin(least.turn_ns, cost.turn_ns);
    }
    for (size_t i = 0; i < sampler->side_count; ++i) host_limit_cost(sampler->sides[i].batch.host, &least);
}

// What a kernel in Python returns is known once its launches have been captured: bringing it costs more than
// bringing nothing.
static bool has_returned(const struct timing *timing) {
    bool ret = false;
    for (size_t i = 0; i < timing->sampler.side_count; ++i) ret |= has_bridge(timing, i);
    return ret;
}

static int take_samples(struct timing *timing, struct err *err) {
    timing->work->progress.is_rare = true;
    const int code = sampler_run(&timing->sampler, err);
    timing->work->progress.is_rare = false;
    return code;
}

static int time_sides(struct timing *timing, bool is_first, struct err *err) {
    struct sampler *sampler = &timing->sampler;
    const struct sampler_failure *failure = &sampler->failure;
    TRY(work_sets_show(&timing->sets, err));
    TRY(work_sets_poison(&timing->sets, err));
    TRY(stabilize(timing, is_first, err));
    measure_exchanges(timing);
    if (!failure->kind) TRY(sampler_prepare(sampler, err));
    if (!failure->kind && has_returned(timing)) measure_exchanges(timing);
    size_t wrong_side = 0;
    declared_process_keep();
    int code = failure->kind ? SAMPLE_RIGHT : redraw_prepare(timing, &wrong_side, err);
    code = declared_process_end_all(code, err); // nothing of a reference lives while a kernel is timed
    TRY(code);
    if (code == SAMPLE_WRONG) {
        timing_reject(timing, wrong_side);
        return 0;
    }
    // A launch may have broken the device: then that is the finding.
    if (!failure->kind) TRY(work_sets_poison(&timing->sets, err));
    if (!failure->kind) work_windows_look(timing->windows);
    if (!failure->kind) TRY(take_samples(timing, err));
    if (!failure->kind) sampler_time_calls(sampler);
    if (failure->kind) return timing_reject_culprit(timing, failure->side, err);
    for (size_t i = 0; i < sampler->side_count; ++i) { // the sets hold what the last call on each left there
        const struct sampler_side *side = &sampler->sides[i];
        for (uint32_t k = 0; k < side->call_count; ++k)
            timing_note_use(timing, i, (side->next_set + k) % timing->sets.count);
    }
    // Warn once per run: every worker measures these figures anew, and they differ a little.
    const bool is_first_worker = timing->work->order->round == 0 && timing->work->order->attempt == 0;
    if (is_first_worker && is_first) TRY(warn_of_timing(timing, err));
    if (is_first_worker) TRY(warn_of_cover(timing, err));
    return timing_verify_after(timing, err);
}

// ---- one case ----

static size_t collect_sides(struct timing *timing) {
    size_t count = 0;
    for (uint32_t turn = 0; turn < timing->work->order->side_count; ++turn) {
        const uint32_t side = work_side_in_turn(timing->work, turn);
        if (timing->run->outcomes[side] == OUTCOME_OK) timing->sides[count++] = side;
    }
    timing->sampler.side_count = count;
    return count;
}

static int write_checks(struct timing *timing, struct err *err) {
    for (uint32_t side = 0; side < timing->work->order->side_count; ++side) {
        struct record *record = timing->run->checks[side];
        if (!record) continue;
        record->time_ns = device_now_ns(timing->work->device);
        TRY(work_write(timing->work, record, err));
    }
    return 0;
}

static int write_samples(struct timing *timing, struct err *err) {
    for (size_t i = 0; i < timing->sampler.side_count; ++i) {
        const struct sampler_side *side = &timing->sampler.sides[i];
        if (timing->run->outcomes[timing->sides[i]] != OUTCOME_OK || !side->count) continue;
        struct record record = work_record(timing->work, RECORD_SAMPLES);
        record.case_index = timing->run->wanted->index;
        record.side = timing->sides[i];
        record.samples = (struct samples){.count = side->count,
                                          .items = side->items,
                                          .call_wall_ns = side->call_wall_ns,
                                          .launch_energy_j = energy_meter_launch_j(&side->energy),
                                          .power_w = energy_meter_power_w(&side->energy)};
        TRY(work_write(timing->work, &record, err));
    }
    return 0;
}

// After a side is rejected the others have only part of their samples, so all samples are taken again
// without it.
static int time_until_all_right(struct timing *timing, bool is_first, struct err *err) {
    for (;;) {
        const size_t before = collect_sides(timing);
        if (!before) return 0;
        init_sampler(timing);
        timing->spoilt[0] = 0;
        for (size_t i = 0; i < before; ++i) work_arm_fault(timing->work, timing->run, timing->sides[i], i);
        const int code = time_sides(timing, is_first, err);
        fault_disarm();
        TRY(code);
        size_t after = 0;
        for (size_t i = 0; i < before; ++i) after += timing->run->outcomes[timing->sides[i]] == OUTCOME_OK;
        if (after == before) return 0;
        sampler_fini(&timing->sampler);
        redraw_fini(timing);
        TRY(work_sets_renew(&timing->sets, err));
    }
}

static int learn_sides(struct timing *timing, struct err *err) {
    for (uint32_t turn = 0; turn < timing->work->order->side_count; ++turn) {
        const uint32_t side = work_side_in_turn(timing->work, turn);
        if (timing->run->outcomes[side] != OUTCOME_OK) continue;
        work_arm_fault(timing->work, timing->run, side, 0);
        const int code = work_sets_learn(&timing->sets, side, 1, timing->wrong, err);
        fault_disarm();
        TRY(code);
        if (code == SAMPLE_RIGHT) continue;
        timing->sides[0] = side;
        timing_reject(timing, 0);
        TRY(work_sets_renew(&timing->sets, err));
    }
    return 0;
}

// What was checked and launched needs no program and no socket any more, but an interpreter compiles for
// every problem anew, and a process on a GPU lives through all problems.
static bool may_tighten(const struct timing *timing, uint32_t side) {
    const struct work *work = timing->work;
    const struct work_order *order = work->order;
    if (work->device->is_virtual || order->sides[side].python) return false;
    return !work->device->backend->is_accelerator ||
           timing->run->wanted == &order->cases[order->case_count - 1];
}

// A process that cannot be tightened has been told so by its kernel.
static void tighten_hosts(struct timing *timing) {
    for (uint32_t side = 0; side < timing->work->order->side_count; ++side) {
        struct host *host = timing->run->instances[side].home.host;
        struct err why = {0};
        if (timing->run->outcomes[side] != OUTCOME_OK || !host || !may_tighten(timing, side)) continue;
        if (host_tighten(host, &why) == 0) continue;
        timing->wrong->outcome = OUTCOME_FAIL;
        timing->wrong->finding = FINDING_LAUNCH_FAILED;
        snprintf(timing->wrong->message, sizeof timing->wrong->message, "%.400s", why.text);
        timing->sides[0] = side;
        timing_reject(timing, 0);
    }
}

struct side_counts {
    size_t counting, disturbed;
    double disturbed_share;
    enum discard most_often; // why samples were disturbed
};

static struct side_counts count_samples(const struct sampler_side *side) {
    const struct samples samples = {.count = side->count, .items = side->items};
    struct side_counts ret = {.disturbed = samples_discarded(&samples)};
    size_t whys[DISCARD_COUNT] = {0};
    for (size_t k = 0; k < samples.count; ++k) ++whys[samples.items[k].discard];
    ret.counting = whys[DISCARD_NONE];
    ret.most_often =
        whys[DISCARD_UNCONFIRMED] > whys[DISCARD_PREEMPTED] ? DISCARD_UNCONFIRMED : DISCARD_PREEMPTED;
    if (whys[DISCARD_STEAL] > whys[ret.most_often]) ret.most_often = DISCARD_STEAL;
    const size_t taken = ret.counting + ret.disturbed;
    ret.disturbed_share = taken ? (double)ret.disturbed / (double)taken : 0;
    return ret;
}

static const char *label_of(const struct timing *timing, size_t side) {
    return timing->work->order->sides[timing->sides[side]].label;
}

static const char *disturbance_text(enum discard why) {
    switch (why) {
    case DISCARD_STEAL: return "the hypervisor took the processor";
    case DISCARD_UNCONFIRMED: return "its process and the judge timed them differently";
    default: return "a thread waited for a processor";
    }
}

// Too few pairs count: the side that lost most of them is the one to look at.
static void judge_counts(const struct timing *timing, struct invalidity *ret) {
    const uint32_t wanted = timing->work->order->sampling.sample_count;
    const size_t clean = sampler_clean_count(&timing->sampler);
    struct side_counts most = {0};
    size_t side = 0;
    bool is_few = false;
    for (size_t i = 0; i < timing->sampler.side_count; ++i) {
        const struct side_counts counts = count_samples(&timing->sampler.sides[i]);
        const size_t taken = counts.counting + counts.disturbed;
        is_few |= 2 * clean < (taken < wanted ? taken : wanted);
        if (i && !(counts.disturbed_share > most.disturbed_share)) continue;
        most = counts;
        side = i;
    }
    if (!is_few) return;
    ret->cause = INVALID_CAUSE_TOO_FEW_SAMPLES;
    snprintf(ret->text, sizeof ret->text,
             "too many samples were disturbed: %zu of %zu of side '%s', mostly since %s; %zu %s are left, at "
             "least half of %u must count",
             most.disturbed, most.counting + most.disturbed, label_of(timing, side),
             disturbance_text(most.most_often), clean, timing->sampler.side_count > 1 ? "pairs" : "samples",
             wanted);
}

// What others take hits both sides alike, unless samples of one last longer. Where nobody else took anything,
// a side that loses many more samples has disturbed itself (on a processor), and those that it has left are
// chosen by that.
static void judge_shares(const struct timing *timing, const struct device_state *state,
                         struct invalidity *ret) {
    const double others_pct = fmax(state->others_pct, 0) + fmax(state->steal_pct, 0);
    size_t most = 0, least = 0;
    struct side_counts counts[WORK_SIDES_MAX];
    for (size_t i = 0; i < timing->sampler.side_count; ++i) {
        counts[i] = count_samples(&timing->sampler.sides[i]);
        if (counts[i].counting + counts[i].disturbed < SHARES_LEAST) return;
        if (counts[i].disturbed_share > counts[most].disturbed_share) most = i;
        if (counts[i].disturbed_share < counts[least].disturbed_share) least = i;
    }
    const double apart = counts[most].disturbed_share - counts[least].disturbed_share;
    if (!(apart > SHARES_APART) || !(others_pct < WINDOW_LOAD_MAX_PCT)) return;
    ret->cause = INVALID_CAUSE_TOO_FEW_SAMPLES;
    // On an accelerator it may be the other side that disturbed it, by what it left on the device.
    const bool is_own = !timing->work->device->backend->is_accelerator;
    snprintf(ret->text, sizeof ret->text,
             "%.0f %% of the samples of side '%s' were disturbed and %.0f %% of side '%s', while other "
             "programs took %.1f %% of the processors:%s what is left of it is no fair choice",
             100 * counts[most].disturbed_share, label_of(timing, most), 100 * counts[least].disturbed_share,
             label_of(timing, least), others_pct, is_own ? " it disturbs itself, and" : "");
}

// Decides from counts only, blind to the times: invalid if most samples of a side were disturbed, if one side
// disturbs itself, or if an unknown side damaged memory.
static void judge_samples(const struct timing *timing, const struct device_state *state,
                          struct invalidity *ret) {
    if (ret->cause != INVALID_CAUSE_NONE || !timing->sampler.side_count) return;
    if (timing->spoilt[0]) {
        ret->cause = INVALID_CAUSE_STRAY_WRITE;
        snprintf(ret->text, sizeof ret->text, "%s", timing->spoilt);
    }
    if (timing->sampler.doubt[0]) {
        ret->cause = timing->sampler.doubt_cause;
        snprintf(ret->text, sizeof ret->text, "side '%s': %s", label_of(timing, timing->sampler.doubted_side),
                 timing->sampler.doubt);
    }
    if (ret->cause == INVALID_CAUSE_NONE) judge_counts(timing, ret);
    if (ret->cause == INVALID_CAUSE_NONE) judge_shares(timing, state, ret);
}

static int open_sets(struct timing *timing, struct err *err) {
    work_own_begin(timing->work);
    const int code = work_sets_init(&timing->sets, timing->work, timing->run, err);
    work_own_end();
    return code;
}

static int time_case(struct timing *timing, struct err *err) {
    struct work *work = timing->work;
    struct work_windows *windows = timing->windows;
    TRY(work_write_case(work, timing->run->wanted->index, RECORD_SIDE_ALL, err));
    TRY(case_run_open(work, timing->run, err)); // reopens the buffers if the last side spoilt them
    TRY(open_sets(timing, err));
    TRY(learn_sides(timing, err));
    tighten_hosts(timing);
    work_windows_begin(windows);
    TRY(time_until_all_right(timing, windows->case_count == 0, err));
    struct record state = work_record(work, RECORD_CASE_STATE);
    state.case_index = timing->run->wanted->index;
    struct invalidity invalidity;
    work_windows_end(windows, &timing->sampler, &state.state, &invalidity);
    judge_samples(timing, &state.state, &invalidity);
    state.is_valid = invalidity.cause == INVALID_CAUSE_NONE;
    state.invalid_cause = invalidity.cause;
    state.text = state.is_valid ? NULL : invalidity.text;
    if (windows->is_load_unknown && windows->case_count == 1)
        TRY(work_warn(
            work,
            "the load of other programs is not known here (/proc/stat does not list our processors): "
            "a busy machine is not noticed",
            err));
    for (uint32_t side = 0; side < work->order->side_count; ++side)
        if (timing->run->instances[side].is_prepared)
            TRY(work_release_side(work, timing->run, side, &timing->run->checks[side]->check, err));
    TRY(write_checks(timing, err));
    if (!collect_sides(timing)) return 0;
    TRY(write_samples(timing, err));
    return work_write(work, &state, err);
}

// The first round leaves none: a kernel that reads a few bytes too far meets the guard there.
static size_t draw_shift(const struct work *work, const struct work_case *wanted) {
    struct dice shift = dice_child(&work->dice, "buffer shift", wanted->index);
    return work->order->round == 0 ? 0 : (size_t)dice_below(&shift, SHIFT_STEPS) * SHIFT_STEP_BYTES;
}

static int run_case(struct work *work, const struct work_case *wanted, struct work_windows *windows,
                    struct err *err) {
    struct timing *timing = mem_alloc(sizeof *timing);
    timing->work = work;
    timing->windows = windows;
    timing->wrong = mem_alloc(sizeof *timing->wrong);
    timing->run = case_run_new(work, wanted, draw_shift(work, wanted));
    int code = 0;
    declared_process_keep();
    for (uint32_t turn = 0; turn < work->order->side_count && code == 0; ++turn) {
        const uint32_t side = work_side_in_turn(work, turn);
        if (wanted->side_mask & (1u << side)) code = work_check_side(work, timing->run, side, err);
    }
    if (code == 0 && collect_sides(timing)) {
        struct err why = {0};
        code = time_case(timing, &why);
        if (code < 0 && code != -ERR_UNAVAILABLE) {
            if (err) *err = why;
        } else if (code == -ERR_UNAVAILABLE) {
            // An error such as no memory for the buffers must not end the worker, which has other cases to
            // run: only the sides of this case are not valid.
            for (uint32_t side = 0; side < work->order->side_count; ++side) {
                struct record *record = timing->run->checks[side];
                if (!record) continue;
                record->check.outcome = OUTCOME_NOT_VALID;
                snprintf(record->check.message, sizeof record->check.message, "%.700s", why.text);
            }
            code = write_checks(timing, err);
        }
    }
    sampler_fini(&timing->sampler);
    redraw_fini(timing);
    work_sets_fini(&timing->sets);
    case_run_free(timing->run, work);
    free(timing->wrong);
    free(timing);
    if (code == 0) work_end_if_lost(work, NULL);
    return code;
}

int work_round(struct work *work, struct err *err) {
    const bool is_counted = metric_is_counted(work->order->sampling.metric);
    struct work_windows windows;
    work_windows_init(&windows, work->device, work->order->sampling.limits.busy_pct);
    for (size_t c = 0; c < work->order->case_count; ++c)
        TRY(is_counted ? work_count_case(work, &work->order->cases[c], err)
                       : run_case(work, &work->order->cases[c], &windows, err));
    return 0;
}
