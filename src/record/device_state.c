// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads the state of a device. Values not known are absent, never zero. worker/backend/ reads
// the sensors.
#include "record/device_state.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

#include "record/field.h"

struct state_figure {
    const char *key;
    size_t offset;
    double low; // the smallest valid value
};

#define FIGURE_AS(key, member, low)                                                                          \
    { (key), offsetof(struct device_state, member), (low) }
#define FIGURE(member, low) FIGURE_AS(#member, member, low)
static const struct state_figure state_figures[] = {
    FIGURE(temperature_c, -273.15),
    FIGURE(clock_hz, 0),
    FIGURE(memory_clock_hz, 0),
    FIGURE(power_w, 0),
    FIGURE(energy_j, 0),
    FIGURE_AS("foreign_pct", others_pct, 0),
    FIGURE(steal_pct, 0),
    FIGURE_AS("spin_clock_hz", clock_probe_hz, 0),
    FIGURE(window_ns, 0),
};
enum { STATE_FIGURE_COUNT = sizeof state_figures / sizeof state_figures[0] };

static double *figure_at(struct device_state *state, size_t index) {
    return (double *)(void *)((char *)state + state_figures[index].offset);
}

struct device_state device_state_unknown(void) {
    struct device_state state = {.turbo = -1, .other_process_count = -1};
    for (size_t i = 0; i < STATE_FIGURE_COUNT; ++i) *figure_at(&state, i) = NAN;
    return state;
}

void device_state_write(struct json_writer *w, const char *key, const struct device_state *state) {
    struct device_state copy = *state;
    json_object_begin(w, key);
    for (size_t i = 0; i < STATE_FIGURE_COUNT; ++i)
        json_maybe_double(w, state_figures[i].key, *figure_at(&copy, i));
    if (state->throttle[0]) json_write_string(w, "throttle", state->throttle);
    if (state->governor[0]) json_write_string(w, "governor", state->governor);
    if (state->turbo >= 0) json_write_bool(w, "turbo", state->turbo != 0);
    if (state->other_process_count >= 0)
        json_write_u64(w, "foreign_process_count", (uint64_t)state->other_process_count);
    json_object_end(w);
}

static int find_process_count(const struct json_at *at, int *ret, struct err *err) {
    int64_t count;
    const int found = field_find_i64(at, "foreign_process_count", 0, &count, err);
    if (found <= 0) return found;
    if (count > INT_MAX) {
        return err_set(err, ERR_DATA, "%s: key 'foreign_process_count' is %lld; at most %d is possible",
                       at->where, (long long)count, INT_MAX);
    }
    *ret = (int)count;
    return 0;
}

int device_state_parse(const struct json_at *at, struct device_state *ret, struct err *err) {
    struct device_state state = device_state_unknown();
    for (size_t i = 0; i < STATE_FIGURE_COUNT; ++i) {
        TRY(field_find_double(at, state_figures[i].key, state_figures[i].low, figure_at(&state, i), err));
    }
    TRY(field_find_chars(at, "throttle", state.throttle, sizeof state.throttle, err));
    TRY(field_find_chars(at, "governor", state.governor, sizeof state.governor, err));
    bool has_turbo = false;
    int found = json_find_bool(at, "turbo", &has_turbo, err);
    if (found < 0) return found;
    if (found) state.turbo = has_turbo;
    TRY(find_process_count(at, &state.other_process_count, err));
    *ret = state;
    return 0;
}
