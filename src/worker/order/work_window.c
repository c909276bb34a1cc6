// SPDX-License-Identifier: Apache-2.0
//
// Windows of device state. The kernel counts processor time in ticks: over 100 ms two processors have
// twenty of them, and one tick of rounding would be 5 %. So the load is never computed over a window
// shorter than the device's resolution, but over a longer one that began before an earlier case (our own
// work in it is subtracted as always).
#include "worker/order/work_window.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void work_windows_init(struct work_windows *windows, struct device *device, double busy_pct) {
    memset(windows, 0, sizeof *windows);
    windows->device = device;
    windows->busy_pct = busy_pct > 0 ? busy_pct : device->sees_waits ? 100 : WINDOW_LOAD_MAX_PCT;
    device->backend->window_begin(device, &windows->whole);
}

void work_windows_begin(struct work_windows *windows) {
    windows->begin = device_state_unknown();
    windows->device->backend->window_begin(windows->device,
                                           &windows->open[windows->case_count % WINDOWS_OPEN_MAX]);
}

void work_windows_look(struct work_windows *windows) {
    windows->device->backend->read_state(windows->device, &windows->begin);
}

// The shortest window that ends now, contains this case and is long enough; without one, the window since
// the worker began.
static struct state_window shortest_window(const struct work_windows *windows) {
    const uint64_t now_ns = device_now_ns(windows->device);
    for (size_t back = 0; back <= windows->case_count && back < WINDOWS_OPEN_MAX; ++back) {
        const struct state_window *window = &windows->open[(windows->case_count - back) % WINDOWS_OPEN_MAX];
        if ((double)(now_ns - window->begin_ns) >= windows->device->state_resolution_ns) return *window;
    }
    return windows->whole;
}

static double share_pct(uint64_t part_ns, const struct state_window *window) {
    return window->capacity_ns ? 100.0 * (double)part_ns / (double)window->capacity_ns : NAN;
}

// Records the reason; an earlier one stands.
__attribute__((format(printf, 3, 4))) static void
invalidate(struct invalidity *invalidity, enum invalid_cause cause, const char *format, ...) {
    if (invalidity->cause != INVALID_CAUSE_NONE) return;
    va_list args;
    va_start(args, format);
    vsnprintf(invalidity->text, sizeof invalidity->text, format, args);
    va_end(args);
    invalidity->cause = cause;
}

static void judge_load(const struct state_window *window, double most_pct, const char *over,
                       struct invalidity *ret) {
    if ((double)window->capacity_ns <= 0) return;
    if (!(state_window_load_pct(window) > most_pct)) return;
    invalidate(
        ret, INVALID_CAUSE_BUSY,
        "the machine was busy: other programs had %.1f %% and the hypervisor %.1f %% of our processors "
        "over %s (%.1f s); at most %.0f %% is allowed",
        share_pct(window->others_ns, window), share_pct(window->steal_ns, window), over,
        (double)window->duration_ns / 1e9, most_pct);
}

static double mean_clock_hz(const struct sampler *sampler) {
    double sum_hz = 0;
    size_t count = 0;
    for (size_t i = 0; i < sampler->side_count; ++i) {
        const double hz = sampler_clock_hz(&sampler->sides[i]);
        if (!isfinite(hz)) continue;
        sum_hz += hz;
        ++count;
    }
    return count ? sum_hz / (double)count : NAN;
}

static void judge_clocks(const struct sampler *sampler, struct invalidity *ret) {
    if (!sampler_has_clocks_apart(sampler)) return;
    invalidate(ret, INVALID_CAUSE_CLOCKS_APART,
               "the clock probes of the sides were %.1f %% apart; at most %.0f %% is allowed",
               sampler_clocks_apart_pct(sampler), CLOCKS_APART_MAX_PCT);
}

// Only where one launch is a sample (--cache cold): other samples are made long enough.
static void judge_timer(const struct device *device, const struct sampler *sampler, struct invalidity *ret) {
    const double least_ns = sampler_timer_least_ns(device);
    for (size_t i = 0; i < sampler->side_count; ++i) {
        const double sample_ns = sampler_launch_ns(&sampler->sides[i]) * sampler->sides[i].batch.launches;
        if (!(sample_ns < least_ns)) continue;
        invalidate(
            ret, INVALID_CAUSE_COARSE_TIMER,
            "a sample lasts %.3g us, which is %.0f steps of the device's timer; %.0f are needed, so the "
            "shortest kernel that can be timed so takes %.3g us",
            sample_ns / 1e3, sample_ns / device->timer_step_ns, SAMPLER_TIMER_STEPS, least_ns / 1e3);
        return;
    }
}

// ---- what the device says of itself at both ends ----

static void judge_state(const struct device_state *state, struct invalidity *ret) {
    uint32_t bits;
    throttle_parse(state->throttle, &bits);
    if (bits & THROTTLE_SLOWDOWNS) {
        char words[THROTTLE_TEXT_BYTES], temperature[32] = "";
        throttle_format(bits & THROTTLE_SLOWDOWNS, words);
        if (isfinite(state->temperature_c))
            snprintf(temperature, sizeof temperature, ", %.0f C", state->temperature_c);
        invalidate(
            ret, INVALID_CAUSE_THROTTLED,
            "the device was slowed down (%s%s) when the window of this case began or ended; no hardware or "
            "thermal slowdown is allowed",
            words, temperature);
    }
    if (state->other_process_count > 0)
        invalidate(ret, INVALID_CAUSE_OTHER_PROCESS,
                   "%d other process%s used the device when the window of this case began or ended; none is "
                   "allowed",
                   state->other_process_count, state->other_process_count == 1 ? "" : "es");
}

void work_windows_end(struct work_windows *windows, const struct sampler *sampler, struct device_state *state,
                      struct invalidity *ret) {
    const struct backend *backend = windows->device->backend;
    const struct device_state *begin = &windows->begin;
    const uint64_t own_begin_ns = windows->open[windows->case_count % WINDOWS_OPEN_MAX].begin_ns;
    struct state_window window = shortest_window(windows), whole = windows->whole;
    backend->window_end(windows->device, &window);
    ++windows->case_count;
    backend->read_state(windows->device, state);
    // "" is unknown: the result is unknown only if both ends are. Unknown words are left out.
    uint32_t begin_bits, end_bits;
    throttle_parse(begin->throttle, &begin_bits);
    throttle_parse(state->throttle, &end_bits);
    if (begin->throttle[0] || state->throttle[0]) throttle_format(begin_bits | end_bits, state->throttle);
    state->temperature_c = fmax(begin->temperature_c, state->temperature_c);
    if (begin->other_process_count > state->other_process_count)
        state->other_process_count = begin->other_process_count;
    state->others_pct = share_pct(window.others_ns, &window);
    state->steal_pct = share_pct(window.steal_ns, &window);
    state->window_ns = (double)window.duration_ns;
    // A window longer than the case's own includes the energy of other cases.
    if (window.begin_ns == own_begin_ns && window.energy_mj) state->energy_j = (double)window.energy_mj / 1e3;
    *ret = (struct invalidity){0};
    if (*sampler->flush_error)
        invalidate(ret, INVALID_CAUSE_NOT_COLD, "the cache could not be emptied before a cold sample: %s",
                   sampler->flush_error);
    judge_timer(windows->device, sampler, ret);
    judge_state(state, ret);
    if ((double)window.duration_ns >= windows->device->state_resolution_ns)
        judge_load(&window, windows->busy_pct, "the window of this case", ret);
    backend->window_end(windows->device, &whole);
    // On an accelerator the load of the host's processors does not matter.
    windows->is_load_unknown = whole.capacity_ns == 0 && !backend->is_accelerator;
    if ((double)whole.duration_ns >= windows->device->state_resolution_ns)
        judge_load(&whole, windows->busy_pct, "this worker's time so far", ret);
    // A disturbance of this case must not count against the next one, so the whole window restarts.
    if (ret->cause != INVALID_CAUSE_NONE) backend->window_begin(windows->device, &windows->whole);
    state->clock_probe_hz = mean_clock_hz(sampler);
    judge_clocks(sampler, ret);
}
