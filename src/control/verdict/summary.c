// SPDX-License-Identifier: Apache-2.0
//
// Figures of one problem and side: times from the samples that count, rates from the operator's work model,
// the device's state over the rounds. Whether a figure is worth a warning is decided in warnings.c.
#include "control/verdict/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "control/verdict/rounds/round_medians.h"
#include "stats/bootstrap.h"
#include "stats/float_order.h"

// Tensors as they lie in memory, and what the kernel asked for beside them.
static double peak_memory_bytes(const struct result_case *item, uint32_t side) {
    struct problem_abi abi;
    if (!item->problem.op) return NAN; // another tool's benchmark: its tensors are not known
    double bytes = (double)item->checks[side].workspace_bytes;
    problem_describe(&item->problem, item->memory_layout ? item->memory_layout : MEMORY_LAYOUT_DENSE, &abi);
    for (uint32_t i = 0; i < abi.tensor_count; ++i) bytes += (double)tensor_span_bytes(&abi.tensors[i]);
    return bytes;
}

bool summary_has_byte_ceiling(const struct environment *environment) {
    if (str_equal(environment->cache_mode, "cold")) return true;
    return str_equal(environment->cache_mode, "rotate") && environment->is_accelerator;
}

bool summary_has_call(const struct result *result, const struct summary *summary) {
    return summary->figures.call_wall_ns > 0 && result->environment.is_accelerator;
}

// Share of the ceiling that limits this problem: compute or bytes, whichever is nearer to its own.
static void fill_ceiling(const struct result *result, struct summary *ret) {
    const struct environment *environment = &result->environment;
    double compute = ret->figures.gflop_per_s / environment->ceiling_gflop_per_s;
    double bytes =
        summary_has_byte_ceiling(environment) ? ret->figures.gb_per_s / environment->ceiling_gb_per_s : NAN;
    double share = fmax(compute, bytes); // NAN loses against a number
    ret->figures.ceiling_pct = 100 * share;
    ret->is_over_ceiling = share > SUMMARY_CEILING_RATIO;
}

static void fill_times(const struct result_case *item, const double *sorted, struct summary *ret) {
    const struct describe *describe = &ret->describe;
    struct interval at = {NAN, NAN};
    struct case_summary *figures = &ret->figures;
    if (bootstrap_median_interval(sorted, describe->n, &at) < 0) at = (struct interval){NAN, NAN};
    figures->is_set = true;
    figures->sample_count = describe->n;
    figures->median_ns = figures->p50_ns = describe->median;
    figures->median_low_ns = at.lo;
    figures->median_high_ns = at.hi;
    figures->mean_ns = describe->mean;
    figures->sd_ns = describe->sd;
    figures->p95_ns = describe->p95;
    figures->p99_ns = describe->p99;
    figures->cv_pct = describe->cv_pct;
    double flops = problem_flops(&item->problem), bytes = problem_bytes(&item->problem);
    figures->gflop_per_s = flops / describe->median; // work per ns is giga-work per second
    figures->gb_per_s = bytes / describe->median;
    figures->flop_per_byte = flops / bytes;
}

// The smaller of two that may be absent, and the larger.
static double low_of(double a, double b) {
    return isnan(a) ? b : isnan(b) ? a : fmin(a, b);
}
static double high_of(double a, double b) {
    return isnan(a) ? b : isnan(b) ? a : fmax(a, b);
}

static void count_samples(const struct result_round *round, uint32_t side, struct summary *ret) {
    const struct samples *samples = &round->samples[side];
    ret->round_count += round->is_valid && samples->count > 0;
    for (size_t i = 0; i < samples->count; ++i) {
        enum discard discard = samples->items[i].discard;
        if (discard == DISCARD_FIRST_PAIR || discard == DISCARD_AUDIT) continue;
        ++ret->considered_count;
        ret->figures.discarded_count += discard != DISCARD_NONE;
    }
}

// The clock under the samples belongs to the result: what draws more power runs slower. What a call takes by
// itself is a figure of a round.
static int fill_kernel_figures(const struct result_case *item, uint32_t side, struct summary *ret) {
    size_t capacity = 1, clock_count = 0, call_count = 0;
    for (size_t r = 0; r < item->round_count; ++r) capacity += 1 + item->rounds[r].samples[side].count;
    double *clocks = mem_try_array(capacity, sizeof *clocks), *calls = mem_try_array(capacity, sizeof *calls);
    for (size_t r = 0; r < item->round_count && clocks && calls; ++r) {
        const struct samples *samples = &item->rounds[r].samples[side];
        if (!item->rounds[r].is_valid) continue;
        if (samples->count && samples->call_wall_ns > 0) calls[call_count++] = samples->call_wall_ns;
        for (size_t i = 0; i < samples->count; ++i) {
            const struct sample *sample = &samples->items[i];
            if (sample->discard == DISCARD_NONE && sample->kernel_clock_hz > 0)
                clocks[clock_count++] = sample->kernel_clock_hz;
        }
    }
    const bool has_memory = clocks && calls;
    if (has_memory) {
        ret->figures.kernel_clock_hz = describe_unsorted_median(clocks, clock_count);
        ret->figures.call_wall_ns = describe_unsorted_median(calls, call_count);
    }
    free(clocks);
    free(calls);
    return has_memory ? 0 : -1;
}

// Medians of the first and of the second half of the clock probe's readings: single readings are noise,
// halves that differ are a clock that drifts.
static int fill_clock_probe(const struct result_case *item, uint32_t side, struct summary *ret) {
    size_t capacity = 1, count = 0;
    for (size_t r = 0; r < item->round_count; ++r) capacity += item->rounds[r].samples[side].count;
    double *clocks = mem_try_array(capacity, sizeof *clocks);
    if (!clocks) return -1;
    for (size_t r = 0; r < item->round_count; ++r) {
        const struct samples *samples = &item->rounds[r].samples[side];
        for (size_t i = 0; i < samples->count && item->rounds[r].is_valid; ++i) {
            const struct sample *sample = &samples->items[i];
            if (sample->discard == DISCARD_NONE && sample->clock_hz > 0) clocks[count++] = sample->clock_hz;
        }
    }
    double first = describe_unsorted_median(clocks, count / 2),
           second = describe_unsorted_median(clocks + count / 2, count - count / 2);
    ret->clock_probe_low_hz = low_of(first, second);
    ret->clock_probe_high_hz = high_of(first, second);
    free(clocks);
    return 0;
}

struct mean {
    double sum;
    size_t count;
};

static void mean_add(struct mean *mean, double value) {
    if (isnan(value)) return;
    mean->sum += value;
    ++mean->count;
}

static double mean_get(const struct mean *mean) {
    return mean->count ? mean->sum / (double)mean->count : NAN;
}

// Joins throttle reasons, each once; what does not fit is left out.
static void add_reasons(char *reasons, size_t capacity, const char *more) {
    size_t length = strlen(reasons), more_length = strlen(more);
    if (more_length == 0 || strstr(reasons, more)) return;
    if (str_equal(more, "none") && length > 0) return;
    if (str_equal(reasons, "none")) length = 0;
    if (length + more_length + 2 > capacity) return;
    if (length > 0) reasons[length++] = ',';
    memcpy(reasons + length, more, more_length + 1);
}

// Over the valid rounds: the hottest temperature, mean clocks, power and load, every throttle reason seen.
static void fill_state(const struct result_case *item, uint32_t side, struct summary *ret) {
    struct mean clock = {0}, memory_clock = {0}, power = {0}, external = {0}, steal = {0}, spin = {0};
    ret->state = device_state_unknown();
    for (size_t r = 0; r < item->round_count; ++r) {
        const struct result_round *round = &item->rounds[r];
        const struct device_state *state = &round->state;
        if (!round->is_valid || !round->has_state || round->samples[side].count == 0) continue;
        ret->state.temperature_c = high_of(ret->state.temperature_c, state->temperature_c);
        mean_add(&clock, state->clock_hz);
        mean_add(&memory_clock, state->memory_clock_hz);
        mean_add(&power, state->power_w);
        mean_add(&external, state->others_pct);
        mean_add(&steal, state->steal_pct);
        mean_add(&spin, state->clock_probe_hz);
        add_reasons(ret->state.throttle, sizeof ret->state.throttle, state->throttle);
        if (*state->governor) memcpy(ret->state.governor, state->governor, sizeof ret->state.governor);
        if (state->turbo >= 0) ret->state.turbo = state->turbo;
    }
    ret->state.clock_hz = mean_get(&clock);
    ret->state.memory_clock_hz = mean_get(&memory_clock);
    ret->state.power_w = mean_get(&power);
    ret->state.others_pct = mean_get(&external);
    ret->state.steal_pct = mean_get(&steal);
    ret->state.clock_probe_hz = mean_get(&spin);
}

static struct summary summary_empty(void) {
    struct summary ret = {
        .state = device_state_unknown(), .clock_probe_low_hz = NAN, .clock_probe_high_hz = NAN};
    ret.figures = (struct case_summary){.median_ns = NAN,
                                        .median_low_ns = NAN,
                                        .median_high_ns = NAN,
                                        .mean_ns = NAN,
                                        .sd_ns = NAN,
                                        .p50_ns = NAN,
                                        .p95_ns = NAN,
                                        .p99_ns = NAN,
                                        .cv_pct = NAN,
                                        .gflop_per_s = NAN,
                                        .gb_per_s = NAN,
                                        .peak_memory_bytes = NAN,
                                        .flop_per_byte = NAN,
                                        .ceiling_pct = NAN,
                                        .call_wall_ns = NAN,
                                        .kernel_clock_hz = NAN};
    return ret;
}

// What fails its check has no time in any report.
static bool has_times(const struct result_case *item, uint32_t side) {
    enum outcome outcome = result_case_outcome(item, side);
    return outcome == OUTCOME_OK || outcome == OUTCOME_NONE;
}

int summary_get(const struct result *result, const struct result_case *item, uint32_t side,
                struct summary *ret) {
    int status = 0;
    double *times = NULL, *sorted = NULL;
    *ret = summary_empty();
    if (!has_times(item, side)) return 0;
    size_t count = result_case_times(item, side, &times);
    if (count == 0) goto out;
    sorted = mem_try_array(count, sizeof *sorted);
    status = sorted ? describe_samples(times, count, sorted, &ret->describe) : -1;
    if (status < 0) goto out;
    for (size_t r = 0; r < item->round_count; ++r) count_samples(&item->rounds[r], side, ret);
    fill_times(item, sorted, ret);
    fill_ceiling(result, ret);
    ret->figures.peak_memory_bytes = peak_memory_bytes(item, side);
    fill_state(item, side, ret);
    status = fill_kernel_figures(item, side, ret);
    if (status == 0) status = fill_clock_probe(item, side, ret);
out:
    free(times);
    free(sorted);
    return status < 0 ? -1 : 0;
}

int summary_set_all(struct result *result) {
    for (size_t i = 0; i < result->case_count; ++i) {
        for (uint32_t side = 0; side < result->side_count; ++side) {
            struct summary summary;
            if (summary_get(result, &result->cases[i], side, &summary) < 0) return -1;
            result->cases[i].summaries[side] = summary.figures;
        }
    }
    return 0;
}

// ---- all samples of one problem and side ----

static void count_discards(const struct result_round *round, uint32_t side, struct sample_set *ret) {
    const struct samples *samples = &round->samples[side];
    ret->taken_count += samples->count;
    for (size_t i = 0; i < samples->count; ++i) {
        if (round->is_valid)
            ++ret->discarded_counts[samples->items[i].discard];
        else
            ++ret->invalid_count;
    }
    ret->discarded_counts[DISCARD_NONE] = 0;
}

static void fill_bounds(struct sample_set *ret) {
    ret->has_order = describe_order_interval(ret->sorted_ns, ret->n, SAMPLE_SET_LEVEL, &ret->order);
    describe_percentile_bound(ret->sorted_ns, ret->n, 0.95, SAMPLE_SET_LEVEL, &ret->p95_bound_ns);
    describe_percentile_bound(ret->sorted_ns, ret->n, 0.99, SAMPLE_SET_LEVEL, &ret->p99_bound_ns);
}

int sample_set_get(const struct result *result, const struct result_case *item, uint32_t side,
                   struct sample_set *ret) {
    struct sample_set set = {.item = item,
                             .side = side,
                             .outcome = result_case_outcome(item, side),
                             .p95_bound_ns = NAN,
                             .p99_bound_ns = NAN};
    int status = summary_get(result, item, side, &set.summary);
    set.round_median_ns = mem_try_array(item->round_count + 1, sizeof *set.round_median_ns);
    if (!set.round_median_ns) status = -1;
    for (size_t r = 0; r < item->round_count && status == 0; ++r) {
        count_discards(&item->rounds[r], side, &set);
        set.round_median_ns[r] = NAN; // and stays so where what was measured is wrong
        if (!set.summary.figures.is_set || !item->rounds[r].is_valid) continue;
        struct round_side at;
        status = round_side_get(&item->rounds[r].samples[side], &at);
        if (status == 0) set.round_median_ns[r] = at.median_ns;
    }
    if (status == 0 && set.summary.figures.is_set) {
        set.n = result_case_times(item, side, &set.sorted_ns);
        float_order_sort(set.sorted_ns, set.n);
        fill_bounds(&set);
    }
    if (status < 0)
        sample_set_fini(&set);
    else
        *ret = set;
    return status;
}

void sample_set_fini(struct sample_set *set) {
    free(set->sorted_ns);
    free(set->round_median_ns);
    *set = (struct sample_set){0};
}
