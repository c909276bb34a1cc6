// SPDX-License-Identifier: Apache-2.0
//
// Figures of one problem and side: times from the samples that count, rates from the operator's work model,
// the device's state over the rounds. Whether a figure is worth a warning is decided in warnings.c.
#include "verdict/summary.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "stats/bootstrap.h"
#include "stats/float_order.h"
#include "verdict/problem_ceilings.h"
#include "verdict/round_medians.h"

// Memory of the tensors with their padding, and of the workspace that the kernel asked for.
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

static void fill_figures(const struct result *result, const struct result_case *item, const double *sorted,
                         struct summary *ret) {
    const struct environment *environment = &result->environment;
    const struct describe *describe = &ret->describe;
    struct case_summary *figures = &ret->figures;
    figures->is_set = true;
    figures->sample_count = describe->n;
    figures->median_ns = figures->p50_ns = describe->median;
    figures->mean_ns = describe->mean;
    figures->sd_ns = describe->sd;
    figures->iqr_ns =
        describe_percentile(sorted, describe->n, 0.75) - describe_percentile(sorted, describe->n, 0.25);
    figures->p95_ns = describe->p95;
    figures->p99_ns = describe->p99;
    figures->cv_pct = describe->cv_pct;
    double flops = item->work.flop_count, bytes = item->work.compulsory_bytes;
    figures->gflop_per_s = flops / describe->median; // work per ns is giga-work per second
    figures->gb_per_s = bytes / describe->median;
    if (metric_is_counted(metric_parse(environment->metric))) // a count is no time
        figures->gflop_per_s = figures->gb_per_s = NAN;
    figures->flop_per_byte = flops / bytes;
    // Share of the ceiling that limits this problem: compute or bytes, whichever is nearer to its own.
    const struct problem_ceilings ceilings =
        problem_ceilings_get(environment, item->work.dtype, figures->kernel_clock_hz);
    double compute_ratio = figures->gflop_per_s / ceilings.gflop_per_s;
    double byte_ratio = summary_has_byte_ceiling(environment) ? figures->gb_per_s / ceilings.gb_per_s : NAN;
    double ratio = fmax(compute_ratio, byte_ratio); // NAN loses against a number
    figures->ceiling_pct = 100 * ratio;
    ret->is_over_ceiling = ratio > SUMMARY_CEILING_RATIO;
    ret->is_memory_over = byte_ratio > SUMMARY_CEILING_RATIO;
}

// Medians over the valid rounds: the clock under the kernel (a kernel that draws more power runs at a lower
// clock), the time of a single call, the energy of a launch with its power, and the clock probe in the first
// and in the second half of the samples. A single reading of the probe is noise; halves that differ show that
// the clock drifts.
static int fill_clocks(const struct result_case *item, uint32_t side, struct summary *ret) {
    size_t capacity = 1, kernel_count = 0, call_count = 0, energy_count = 0, probe_count = 0;
    for (size_t r = 0; r < item->round_count; ++r) capacity += 1 + item->rounds[r].samples[side].count;
    double *kernel_hz = mem_try_array(5 * capacity, sizeof *kernel_hz);
    if (!kernel_hz) return -1;
    double *call_ns = kernel_hz + capacity, *probe_hz = call_ns + capacity;
    double *energy_j = probe_hz + capacity, *power_w = energy_j + capacity;
    for (size_t r = 0; r < item->round_count; ++r) {
        const struct samples *samples = &item->rounds[r].samples[side];
        if (!item->rounds[r].is_valid) continue;
        if (samples->count && samples->call_wall_ns > 0) call_ns[call_count++] = samples->call_wall_ns;
        if (samples->count && samples->launch_energy_j > 0 && samples->power_w > 0) {
            energy_j[energy_count] = samples->launch_energy_j;
            power_w[energy_count++] = samples->power_w;
        }
        for (size_t i = 0; i < samples->count; ++i) {
            const struct sample *sample = &samples->items[i];
            if (sample->discard != DISCARD_NONE) continue;
            if (sample->kernel_clock_hz > 0) kernel_hz[kernel_count++] = sample->kernel_clock_hz;
            if (sample->clock_hz > 0) probe_hz[probe_count++] = sample->clock_hz;
        }
    }
    ret->figures.kernel_clock_hz = describe_unsorted_median(kernel_hz, kernel_count);
    ret->figures.call_wall_ns = describe_unsorted_median(call_ns, call_count);
    ret->figures.launch_energy_j = describe_unsorted_median(energy_j, energy_count);
    ret->figures.power_w = describe_unsorted_median(power_w, energy_count);
    const size_t half = probe_count / 2;
    double first = describe_unsorted_median(probe_hz, half),
           second = describe_unsorted_median(probe_hz + half, probe_count - half);
    ret->clock_probe_low_hz = fmin(first, second); // both leave a NAN out
    ret->clock_probe_high_hz = fmax(first, second);
    free(kernel_hz);
    return 0;
}

// Joins throttle reasons, each once; a reason that does not fit is left out.
static void add_reasons(char *reasons, size_t capacity, const char *more) {
    size_t length = strlen(reasons), more_length = strlen(more);
    if (more_length == 0 || strstr(reasons, more)) return;
    if (str_equal(more, "none") && length > 0) return;
    if (str_equal(reasons, "none")) length = 0;
    if (length + more_length + 2 > capacity) return;
    if (length > 0) reasons[length++] = ',';
    memcpy(reasons + length, more, more_length + 1);
}

// Over the valid rounds: the hottest temperature, means of clocks, power and load, every throttle reason
// seen.
static void fill_state(const struct result_case *item, uint32_t side, struct summary *ret) {
    static const size_t averaged[] = {
        offsetof(struct device_state, clock_hz),  offsetof(struct device_state, memory_clock_hz),
        offsetof(struct device_state, power_w),   offsetof(struct device_state, others_pct),
        offsetof(struct device_state, steal_pct), offsetof(struct device_state, clock_probe_hz),
    };
    enum { AVERAGED_COUNT = sizeof averaged / sizeof *averaged };
    double sums[AVERAGED_COUNT] = {0}, counts[AVERAGED_COUNT] = {0}, value;
    ret->state = device_state_unknown();
    for (size_t r = 0; r < item->round_count; ++r) {
        const struct result_round *round = &item->rounds[r];
        const struct device_state *state = &round->state;
        if (!round->is_valid || !round->has_state || round->samples[side].count == 0) continue;
        ret->state.temperature_c = fmax(ret->state.temperature_c, state->temperature_c);
        for (size_t k = 0; k < AVERAGED_COUNT; ++k) {
            memcpy(&value, (const char *)state + averaged[k], sizeof value);
            if (isnan(value)) continue;
            sums[k] += value;
            ++counts[k];
        }
        add_reasons(ret->state.throttle, sizeof ret->state.throttle, state->throttle);
        if (*state->governor) memcpy(ret->state.governor, state->governor, sizeof ret->state.governor);
        if (state->turbo >= 0) ret->state.turbo = state->turbo;
    }
    for (size_t k = 0; k < AVERAGED_COUNT; ++k) {
        value = counts[k] > 0 ? sums[k] / counts[k] : NAN;
        memcpy((char *)&ret->state + averaged[k], &value, sizeof value);
    }
}

// Without the interval of the median. *ret_sorted: the times that count; the caller frees them.
static int describe(const struct result *result, const struct result_case *item, uint32_t side,
                    struct summary *ret, double **ret_sorted) {
    int status = 0;
    double *times = NULL, *sorted = NULL;
    *ret = (struct summary){
        .state = device_state_unknown(), .clock_probe_low_hz = NAN, .clock_probe_high_hz = NAN};
    members_forget(&case_summary_members, &ret->figures);
    const enum outcome outcome = result_case_outcome(item, side);
    if (outcome != OUTCOME_OK && outcome != OUTCOME_NONE) return 0; // a failed check: no time
    size_t count = result_case_times(item, side, &times);
    if (count == 0) goto out;
    *ret_sorted = sorted = mem_try_array(count, sizeof *sorted);
    status = sorted ? describe_samples(times, count, sorted, &ret->describe) : -1;
    if (status < 0) goto out;
    for (size_t r = 0; r < item->round_count; ++r) {
        const struct samples *samples = &item->rounds[r].samples[side];
        ret->round_count += item->rounds[r].is_valid && samples->count > 0;
        for (size_t i = 0; i < samples->count; ++i) {
            enum discard discard = samples->items[i].discard;
            if (discard == DISCARD_FIRST_PAIR || discard == DISCARD_AUDIT) continue;
            ++ret->considered_count;
            ret->figures.discarded_count += discard != DISCARD_NONE;
        }
    }
    status = fill_clocks(item, side, ret);
    fill_figures(result, item, sorted, ret);
    ret->figures.peak_memory_bytes = peak_memory_bytes(item, side);
    fill_state(item, side, ret);
out:
    free(times);
    return status < 0 ? -1 : 0;
}

int summary_describe(const struct result *result, const struct result_case *item, uint32_t side,
                     struct summary *ret) {
    double *sorted = NULL;
    const int status = describe(result, item, side, ret, &sorted);
    free(sorted);
    return status;
}

// memory: of the bootstrap, between calls; NULL: nothing is kept.
static int get(const struct result *result, const struct result_case *item, uint32_t side,
               struct bootstrap_median_memory *memory, struct summary *ret) {
    double *sorted = NULL;
    struct interval at;
    const int status = describe(result, item, side, ret, &sorted);
    if (status == 0 && ret->figures.is_set &&
        bootstrap_median_interval(sorted, ret->describe.n, memory, &at) == 0) {
        ret->figures.median_low_ns = at.lo;
        ret->figures.median_high_ns = at.hi;
    }
    free(sorted);
    return status;
}

int summary_get(const struct result *result, const struct result_case *item, uint32_t side,
                struct summary *ret) {
    return get(result, item, side, NULL, ret);
}

// NAN: no sample, or no memory.
static double median_of_any(const struct samples *samples) {
    double *times_ns = mem_try_array(samples->count + 1, sizeof *times_ns);
    size_t count = times_ns ? samples_times_ns(samples, times_ns) : 0;
    for (size_t i = 0; times_ns && !count && i < samples->count; ++i) // none: all of them
        times_ns[i] = sample_time_ns(&samples->items[i]);
    const double ret = times_ns ? describe_unsorted_median(times_ns, count ? count : samples->count) : NAN;
    free(times_ns);
    return ret;
}

int invalid_times_get(const struct result_case *item, uint32_t side, struct invalid_times *ret) {
    *ret = (struct invalid_times){.median_ns = NAN, .low_ns = NAN, .high_ns = NAN};
    double *medians_ns = mem_try_array(item->round_count + 1, sizeof *medians_ns);
    if (!medians_ns) return -1;
    for (size_t r = 0; r < item->round_count; ++r) {
        const struct samples *samples = &item->rounds[r].samples[side];
        if (item->rounds[r].is_valid || !samples->count) continue;
        const double median_ns = median_of_any(samples);
        medians_ns[ret->count++] = median_ns;
        ret->low_ns = fmin(ret->low_ns, median_ns); // both leave a NAN out
        ret->high_ns = fmax(ret->high_ns, median_ns);
    }
    ret->median_ns = describe_unsorted_median(medians_ns, ret->count);
    free(medians_ns);
    return 0;
}

int summary_set_all(struct result *result) {
    struct bootstrap_median_memory *memory = mem_alloc(sizeof *memory);
    int code = 0;
    for (size_t i = 0; i < result->case_count; ++i) {
        for (uint32_t side = 0; code == 0 && side < result->side_count; ++side) {
            struct summary summary;
            code = get(result, &result->cases[i], side, memory, &summary);
            if (code == 0) result->cases[i].summaries[side] = summary.figures;
        }
    }
    free(memory);
    return code;
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
        set.round_median_ns[r] = NAN; // remains so if the kernel's result is wrong
        if (!set.summary.figures.is_set || !item->rounds[r].is_valid) continue;
        struct round_side at;
        status = round_side_get(&item->rounds[r].samples[side], &at);
        if (status == 0) set.round_median_ns[r] = at.median_ns;
    }
    if (status == 0 && set.summary.figures.is_set) {
        set.n = result_case_times(item, side, &set.sorted_ns);
        float_order_sort(set.sorted_ns, set.n);
        set.has_order = describe_order_interval(set.sorted_ns, set.n, SAMPLE_SET_LEVEL, &set.order);
        describe_percentile_bound(set.sorted_ns, set.n, 0.95, SAMPLE_SET_LEVEL, &set.p95_bound_ns);
        describe_percentile_bound(set.sorted_ns, set.n, 0.99, SAMPLE_SET_LEVEL, &set.p99_bound_ns);
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
