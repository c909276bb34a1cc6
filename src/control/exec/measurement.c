// SPDX-License-Identifier: Apache-2.0
//
// Collecting, judging and joining measurements: see measurement.h.
#include "control/exec/measurement.h"

#include <math.h>
#include <string.h>

#include "record/throttle.h"

void measurement_clear(struct measurement *measurement) {
    arena_fini(&measurement->arena);
    *measurement = (struct measurement){0};
}

// Appends the record's samples to those of the side.
static void add_samples(struct measurement *measurement, uint32_t side, const struct record *record,
                        uint64_t shift_ns) {
    struct record *kept = &measurement->samples[side];
    if (kept->kind == RECORD_INVALID) {
        *kept = *record;
        kept->text = NULL;
        kept->samples = (struct samples){0};
    }
    struct samples *samples = &kept->samples;
    const struct samples *later = &record->samples;
    struct sample *items = arena_array(&measurement->arena, samples->count + later->count, sizeof *items);
    if (samples->count) memcpy(items, samples->items, samples->count * sizeof *items);
    for (size_t i = 0; i < later->count; ++i) {
        items[samples->count + i] = later->items[i];
        items[samples->count + i].start_ns += shift_ns;
    }
    samples->items = items;
    samples->count += later->count;
    if (!(samples->call_wall_ns > 0)) samples->call_wall_ns = later->call_wall_ns; // the first value stays
    if (!(samples->launch_energy_j > 0)) {
        samples->launch_energy_j = later->launch_energy_j;
        samples->power_w = later->power_w;
    }
}

void measurement_add(struct measurement *measurement, const struct record *record) {
    if (record->kind == RECORD_CASE_STATE) {
        measurement->state = *record;
        measurement->state.text = arena_strdup(&measurement->arena, record->text);
        return;
    }
    measurement->samples[record->side].kind = RECORD_INVALID; // samples that come twice replace the first
    add_samples(measurement, record->side, record, 0);
}

bool measurement_is_complete(const struct measurement *measurement, uint32_t side_mask) {
    if (measurement->state.kind == RECORD_INVALID) return false;
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) {
        if ((side_mask >> side & 1) && measurement->samples[side].kind == RECORD_INVALID) return false;
    }
    return true;
}

struct sample_counts {
    uint32_t timed, counting;
};

static struct sample_counts count_samples(const struct samples *samples) {
    struct sample_counts ret = {0};
    for (size_t i = 0; i < samples->count; ++i) {
        const enum discard discard = samples->items[i].discard;
        ret.timed += discard != DISCARD_FIRST_PAIR && discard != DISCARD_AUDIT;
        ret.counting += discard == DISCARD_NONE;
    }
    return ret;
}

size_t measurement_clean_count(const struct measurement *measurement) {
    size_t least = SIZE_MAX;
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) {
        if (measurement->samples[side].kind == RECORD_INVALID) continue;
        const size_t counting = count_samples(&measurement->samples[side].samples).counting;
        if (counting < least) least = counting;
    }
    return least == SIZE_MAX ? 0 : least;
}

void measurement_judge(struct measurement *measurement, uint32_t sample_count) {
    struct record *state = &measurement->state;
    for (uint32_t side = 0; side < WORK_SIDES_MAX && state->is_valid; ++side) {
        if (measurement->samples[side].kind == RECORD_INVALID) continue;
        const struct sample_counts counts = count_samples(&measurement->samples[side].samples);
        const uint32_t expected = counts.timed < sample_count ? counts.timed : sample_count;
        if (counts.counting > 0 && 2 * (uint64_t)counts.counting >= expected) continue;
        state->is_valid = false;
        state->invalid_cause = INVALID_CAUSE_TOO_FEW_SAMPLES;
        state->text = arena_format(&measurement->arena, "only %u of %u samples of a side count",
                                   (unsigned)counts.counting, (unsigned)counts.timed);
    }
}

// The mean weighted by the lengths of the windows; a value that is not finite is replaced by the other one.
static double mean_over(double a, double a_weight, double b, double b_weight) {
    if (!isfinite(a)) return b;
    if (!isfinite(b)) return a;
    const double weight = a_weight + b_weight;
    return weight > 0 ? (a * a_weight + b * b_weight) / weight : (a + b) / 2;
}

static double sum_of(double a, double b) {
    if (!isfinite(a)) return b;
    return isfinite(b) ? a + b : a;
}

// Joins the throttle reasons of both. If either text is not a list of known reasons, the first text that
// names a reason stays as it is.
static void throttle_append(char throttle[THROTTLE_TEXT_BYTES], const char *later) {
    uint32_t bits = 0, later_bits = 0;
    const bool is_known = throttle_parse(throttle, &bits) == 0 && throttle_parse(later, &later_bits) == 0;
    const bool is_quiet = throttle[0] == 0 || strcmp(throttle, "none") == 0;
    if (is_known && (throttle[0] || later[0]))
        throttle_format(bits | later_bits, throttle);
    else if (is_quiet && later[0])
        memcpy(throttle, later, THROTTLE_TEXT_BYTES);
}

static void state_append(struct device_state *state, const struct device_state *later) {
    const double a = isfinite(state->window_ns) ? state->window_ns : 0;
    const double b = isfinite(later->window_ns) ? later->window_ns : 0;
    state->temperature_c = fmax(state->temperature_c, later->temperature_c); // fmax leaves a NaN out
    state->clock_hz = mean_over(state->clock_hz, a, later->clock_hz, b);
    state->memory_clock_hz = mean_over(state->memory_clock_hz, a, later->memory_clock_hz, b);
    state->power_w = mean_over(state->power_w, a, later->power_w, b);
    state->energy_j = sum_of(state->energy_j, later->energy_j);
    state->others_pct = mean_over(state->others_pct, a, later->others_pct, b);
    state->steal_pct = mean_over(state->steal_pct, a, later->steal_pct, b);
    state->clock_probe_hz = mean_over(state->clock_probe_hz, a, later->clock_probe_hz, b);
    state->window_ns = sum_of(state->window_ns, later->window_ns);
    throttle_append(state->throttle, later->throttle);
    if (later->other_process_count > state->other_process_count)
        state->other_process_count = later->other_process_count;
}

void measurement_append(struct measurement *measurement, const struct measurement *later, uint64_t shift_ns) {
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) {
        const struct record *more = &later->samples[side];
        if (more->kind != RECORD_INVALID) add_samples(measurement, side, more, shift_ns);
    }
    if (later->state.kind == RECORD_INVALID) return;
    if (measurement->state.kind == RECORD_INVALID) {
        measurement_add(measurement, &later->state);
        return;
    }
    state_append(&measurement->state.state, &later->state.state);
    measurement->state.time_ns = later->state.time_ns;
    if (!measurement->state.is_valid || later->state.is_valid) return;
    measurement->state.is_valid = false; // the first reason stands
    measurement->state.invalid_cause = later->state.invalid_cause;
    measurement->state.text = arena_strdup(&measurement->arena, later->state.text);
}
