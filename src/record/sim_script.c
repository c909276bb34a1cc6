// SPDX-License-Identifier: Apache-2.0
//
// Writes, reads and bounds scripts of simulated devices and kernels. One table per struct names its
// figures and their bounds; worker/backend/sim/ turns them into times.
#include "record/sim_script.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "record/field.h"
#include "record/throttle.h"

#define NAME_BYTES_MAX 31    // device_info.device has room for that
#define AR1_MAX        0.999 // of AR(1): above it the noise hardly returns to its mean within a run

#define DWELL_LEAST_MS 0.01 // a shorter stay would end within one launch

#define FIGURE_AS(key, type, member, low, high, has_none, example)                                           \
    { (key), offsetof(struct type, member), (low), (high), (has_none), (example) }
#define FIGURE(type, member, low, high, has_none, example)                                                   \
    FIGURE_AS(#member, type, member, low, high, has_none, example)
#define FIGURES(list)                                                                                        \
    { (list), sizeof(list) / sizeof(list)[0] }

static const struct sim_figure noise_list[] = {
    FIGURE(sim_noise, cv_pct, 0, 100, false, "1"),
    FIGURE(sim_noise, ar1, -AR1_MAX, AR1_MAX, false, "0.5"),
    FIGURE(sim_noise, tail_pct, 0, 10000, false, "20"),
    FIGURE(sim_noise, tail_share_pct, 0, 100, false, "5"),
    FIGURE(sim_noise, mode_slower_pct, 0, 10000, false, "8"),
    FIGURE(sim_noise, mode_share_pct, 0, 100, false, "50"),
    FIGURE(sim_noise, mode_dwell_ms, 0, 1e6, false, "50"),
    FIGURE(sim_noise, process_pct, 0, 100, false, "2"),
    FIGURE(sim_noise, process_ar1, -AR1_MAX, AR1_MAX, false, "0.8"),
    FIGURE(sim_noise, either_slower_pct, 0, 10000, false, "4"),
    FIGURE(sim_noise, round_pct, 0, 100, false, "1"),
    FIGURE(sim_noise, drift_pct_per_s, 0, 1000, false, "0.5"),
    FIGURE(sim_noise, foreign_share_pct, 0, 100, false, "50"),
    FIGURE(sim_noise, foreign_dwell_ms, 0, 1e6, false, "20"),
    FIGURE(sim_noise, foreign_slower_pct, 0, 10000, false, "2"),
    FIGURE(sim_noise, foreign_wait_share_pct, 0, 100, false, "30"),
    FIGURE(sim_noise, foreign_wait_us, 0, 1e6, false, "3000"),
    FIGURE(sim_noise, steal_share_pct, 0, 100, false, "2"),
    FIGURE(sim_noise, steal_us, 0, 1e6, false, "500"),
};
static const struct sim_figure device_list[] = {
    FIGURE(sim_device, clock_mhz, 1, 100000, true, "1980"),
    FIGURE(sim_device, temperature_c, -273.15, 1000, true, "60"),
    FIGURE(sim_device, power_w, 0, 1e6, true, "300"),
    FIGURE(sim_device, timer_step_ns, 0, 1e9, false, "32"),
};
static const struct sim_figure episode_list[] = {
    FIGURE(sim_episode, slower_pct, 0, 10000, false, "30"),
    FIGURE(sim_episode, temperature_c, -273.15, 1000, true, "92"),
    FIGURE_AS("foreign_pct", sim_episode, others_pct, 0, 100, false, "12"),
};
static const struct sim_figure kernel_list[] = {
    FIGURE(sim_kernel, base_us, 0.001, 1e8, false, "100"),
    FIGURE(sim_kernel, slower_pct, -99, 10000, false, "5"),
    FIGURE(sim_kernel, call_overhead_us, 0, 1e8, true, "5"),
    FIGURE(sim_kernel, cv_pct, 0, 100, true, "1"),
    FIGURE(sim_kernel, slow_process_pct, 0, 10000, false, "30"),
    FIGURE(sim_kernel, slow_process_share_pct, 0, 100, false, "20"),
    FIGURE(sim_kernel, stamps_pct, 0, 1000, true, "50"),
};
const struct sim_figures sim_noise_figures = FIGURES(noise_list);
const struct sim_figures sim_device_figures = FIGURES(device_list);
const struct sim_figures sim_episode_figures = FIGURES(episode_list);
const struct sim_figures sim_kernel_figures = FIGURES(kernel_list);

// Launches from which a kernel lies; documents leave out those that are 0.
static const struct lie {
    const char *key;
    size_t offset;
} lies[] = {
    {"skips_work_at_launch", offsetof(struct sim_kernel, skips_work_at_launch)},
    {"writes_inputs_at_launch", offsetof(struct sim_kernel, writes_inputs_at_launch)},
    {"ends_at_launch", offsetof(struct sim_kernel, ends_at_launch)},
    {"answers_nonsense_at_launch", offsetof(struct sim_kernel, answers_nonsense_at_launch)},
};
enum { LIE_COUNT = sizeof lies / sizeof *lies };

static double figure_get(const void *base, const struct sim_figure *figure) {
    double value;
    memcpy(&value, (const char *)base + figure->offset, sizeof value);
    return value;
}

static void figures_write(struct json_writer *w, const void *base, const struct sim_figures *figures) {
    for (size_t i = 0; i < figures->count; ++i)
        json_maybe_double(w, figures->items[i].key, figure_get(base, &figures->items[i]));
}

static int figures_parse(const struct json_at *at, void *base, const struct sim_figures *figures,
                         struct err *err) {
    for (size_t i = 0; i < figures->count; ++i) {
        double value;
        const int found = json_find_double(at, figures->items[i].key, &value, err);
        if (found < 0) return found;
        if (found) memcpy((char *)base + figures->items[i].offset, &value, sizeof value);
    }
    return 0;
}

static int figures_check(const void *base, const char *where, const struct sim_figures *figures,
                         struct err *err) {
    for (size_t i = 0; i < figures->count; ++i) {
        const struct sim_figure *figure = &figures->items[i];
        const double value = figure_get(base, figure);
        if (figure->has_none && isnan(value)) continue;
        if (!(value >= figure->low && value <= figure->high)) {
            return err_set(err, ERR_DATA, "%s: key '%s' is %g; it must be from %g to %g", where, figure->key,
                           value, figure->low, figure->high);
        }
    }
    return 0;
}

static int dwell_check(const char *key, double dwell_ms, const char *where, struct err *err) {
    if (!(dwell_ms > 0) || dwell_ms >= DWELL_LEAST_MS) return 0;
    return err_set(err, ERR_DATA, "%s: key '%s' is %g; it must be 0 or at least %g", where, key, dwell_ms,
                   DWELL_LEAST_MS);
}

bool sim_noise_is_disturbed(const struct sim_noise *noise) {
    return noise->foreign_share_pct > 0 || noise->steal_share_pct > 0;
}

// ---- plain ones ----

struct sim_device sim_device_quiet(const char *name) {
    return (struct sim_device){.name = name, .clock_mhz = 1500, .temperature_c = 50, .power_w = 300};
}

struct sim_kernel sim_kernel_plain(const char *name) {
    return (struct sim_kernel){
        .name = name, .base_us = 100, .call_overhead_us = NAN, .cv_pct = NAN, .stamps_pct = NAN};
}

// ---- copies ----

const struct sim_device *sim_device_copy(struct arena *arena, const struct sim_device *device) {
    if (!device) return NULL;
    struct sim_device *copy = arena_alloc(arena, sizeof *copy);
    *copy = *device;
    copy->name = arena_strdup(arena, device->name);
    copy->summary = arena_strdup(arena, device->summary);
    copy->episodes = arena_array(arena, device->episode_count, sizeof *copy->episodes);
    for (size_t i = 0; i < device->episode_count; ++i) {
        copy->episodes[i] = device->episodes[i];
        copy->episodes[i].throttle = arena_strdup(arena, device->episodes[i].throttle);
    }
    return copy;
}

const struct sim_kernel *sim_kernel_copy(struct arena *arena, const struct sim_kernel *kernel) {
    if (!kernel) return NULL;
    struct sim_kernel *copy = arena_alloc(arena, sizeof *copy);
    *copy = *kernel;
    copy->name = arena_strdup(arena, kernel->name);
    copy->slower_on = arena_strdup(arena, kernel->slower_on);
    return copy;
}

// ---- bounds ----

static const char name_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";

// prefix: every name must begin with it.
static int check_name(const char *name, const char *prefix, const char *where, struct err *err) {
    const size_t prefix_length = strlen(prefix);
    if (name && str_starts(name, prefix) && name[prefix_length] && strlen(name) <= NAME_BYTES_MAX &&
        !name[prefix_length + strspn(name + prefix_length, name_letters)])
        return 0;
    return err_set(
        err, ERR_DATA,
        "%s: key 'name' is '%.64s'; it must be '%sWORD', letters, digits, '_', '.' and '-', at most "
        "%d bytes",
        where, name ? name : "", prefix, NAME_BYTES_MAX);
}

static int episode_check(const struct sim_episode *episode, const char *where, struct err *err) {
    uint32_t bits;
    if (episode->to_round < episode->from_round) {
        return err_set(err, ERR_DATA, "%s: key 'to_round' is %lu; it must be at least from_round, %lu", where,
                       (unsigned long)episode->to_round, (unsigned long)episode->from_round);
    }
    if (episode->throttle && throttle_parse(episode->throttle, &bits) < 0) {
        char known[THROTTLE_TEXT_BYTES];
        throttle_format(THROTTLE_ALL, known);
        return err_set(err, ERR_DATA, "%s: key 'throttle' is '%.128s'; it must be 'none' or some of %s",
                       where, episode->throttle, known);
    }
    if (episode->other_process_count > INT32_MAX) {
        return err_set(err, ERR_DATA, "%s: key 'foreign_process_count' is %lu; at most %ld is possible",
                       where, (unsigned long)episode->other_process_count, (long)INT32_MAX);
    }
    return figures_check(episode, where, &sim_episode_figures, err);
}

int sim_device_check(const struct sim_device *device, const char *where, struct err *err) {
    struct field_place place;
    const struct json_at at = {.where = where};
    TRY(check_name(device->name, SIM_DEVICE_PREFIX, where, err));
    TRY(figures_check(device, where, &sim_device_figures, err));
    field_enter(&place, &at, "noise", NULL);
    TRY(figures_check(&device->noise, place.where, &sim_noise_figures, err));
    TRY(dwell_check("mode_dwell_ms", device->noise.mode_dwell_ms, place.where, err));
    TRY(dwell_check("foreign_dwell_ms", device->noise.foreign_dwell_ms, place.where, err));
    if (device->episode_count > SIM_EPISODES_MAX) {
        return err_set(err, ERR_DATA, "%s: key 'episodes' has %zu items; the limit is %d", where,
                       device->episode_count, SIM_EPISODES_MAX);
    }
    for (size_t i = 0; i < device->episode_count; ++i) {
        field_enter_item(&place, &at, "episodes", i, NULL);
        TRY(episode_check(&device->episodes[i], place.where, err));
    }
    return 0;
}

int sim_kernel_check(const struct sim_kernel *kernel, const char *where, struct err *err) {
    if (!kernel->name || !*kernel->name) return err_set(err, ERR_DATA, "%s: key 'name' is missing", where);
    TRY(figures_check(kernel, where, &sim_kernel_figures, err));
    if (!kernel->slower_on) return 0;
    struct problem problem;
    struct err why = {0};
    if (problem_parse(kernel->slower_on, &problem, &why) < 0)
        return err_set(err, ERR_DATA, "%s: key 'slower_on': %s", where, why.text);
    if (strcmp(problem.name, kernel->slower_on) != 0) {
        return err_set(err, ERR_DATA, "%s: key 'slower_on' is '%s'; the full name of that problem is '%s'",
                       where, kernel->slower_on, problem.name);
    }
    return 0;
}

// ---- writing ----

static void noise_write(struct json_writer *w, const struct sim_noise *noise) {
    json_object_begin(w, "noise");
    figures_write(w, noise, &sim_noise_figures);
    json_write_bool(w, "is_mode_a_clock", noise->is_mode_a_clock);
    json_object_end(w);
}

static void episode_write(struct json_writer *w, const struct sim_episode *episode) {
    json_object_begin(w, NULL);
    json_write_u64(w, "from_round", episode->from_round);
    json_write_u64(w, "to_round", episode->to_round);
    json_write_u64(w, "attempt_count", episode->attempt_count);
    json_maybe_string(w, "throttle", episode->throttle);
    figures_write(w, episode, &sim_episode_figures);
    json_write_u64(w, "foreign_process_count", episode->other_process_count);
    json_object_end(w);
}

// All members that affect times; not the device's name and summary.
static void device_write_members(struct json_writer *w, const struct sim_device *device) {
    json_write_u64(w, "seed", device->seed);
    figures_write(w, device, &sim_device_figures);
    noise_write(w, &device->noise);
    json_array_begin(w, "episodes");
    for (size_t i = 0; i < device->episode_count; ++i) episode_write(w, &device->episodes[i]);
    json_array_end(w);
}

void sim_device_write(struct json_writer *w, const char *key, const struct sim_device *device) {
    if (!device) return;
    json_object_begin(w, key);
    json_write_string(w, "name", device->name);
    json_maybe_string(w, "summary", device->summary);
    device_write_members(w, device);
    json_object_end(w);
}

static void kernel_write_members(struct json_writer *w, const struct sim_kernel *kernel) {
    figures_write(w, kernel, &sim_kernel_figures);
    json_maybe_string(w, "slower_on", kernel->slower_on);
    json_write_u64(w, "crash_at_launch", kernel->crash_at_launch);
    json_write_u64(w, "hang_at_launch", kernel->hang_at_launch);
    for (size_t i = 0; i < LIE_COUNT; ++i) {
        const uint64_t launch = *(const uint64_t *)((const char *)kernel + lies[i].offset);
        if (launch) json_write_u64(w, lies[i].key, launch);
    }
}

void sim_kernel_write(struct json_writer *w, const char *key, const struct sim_kernel *kernel) {
    if (!kernel) return;
    json_object_begin(w, key);
    json_write_string(w, "name", kernel->name);
    kernel_write_members(w, kernel);
    json_object_end(w);
}

// ---- hashes: of the document that says what is done ----

void sim_device_uuid(const struct sim_device *device, char ret_uuid[64]) {
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    json_object_begin(&w, NULL);
    device_write_members(&w, device);
    json_object_end(&w);
    char hex[HASH_HEX_BYTES];
    hash_bytes_hex(text.text, text.length, hex);
    strbuf_fini(&text);
    snprintf(ret_uuid, 64, "sim-%s", hex);
}

void sim_kernel_hash(const struct sim_kernel *kernel, char *ret_hex) {
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    json_object_begin(&w, NULL);
    kernel_write_members(&w, kernel);
    json_object_end(&w);
    hash_bytes_hex(text.text, text.length, ret_hex);
    strbuf_fini(&text);
}

// ---- reading ----

static int noise_parse(const struct json_at *at, struct sim_noise *ret, struct err *err) {
    TRY(figures_parse(at, ret, &sim_noise_figures, err));
    TRY(json_find_bool(at, "is_mode_a_clock", &ret->is_mode_a_clock, err));
    return 0;
}

static int episode_parse(const struct json_at *at, struct arena *arena, struct sim_episode *ret,
                         struct err *err) {
    ret->temperature_c = NAN;
    TRY(field_get_u32(at, "from_round", &ret->from_round, err));
    TRY(field_get_u32(at, "to_round", &ret->to_round, err));
    TRY(field_find_u32(at, "attempt_count", &ret->attempt_count, err));
    TRY(field_find_text(at, "throttle", arena, &ret->throttle, err));
    TRY(figures_parse(at, ret, &sim_episode_figures, err));
    TRY(field_find_u32(at, "foreign_process_count", &ret->other_process_count, err));
    return 0;
}

static int device_parse(const struct json_at *at, struct arena *arena, struct sim_device *ret,
                        struct err *err) {
    const json_t *noise = NULL, *episodes = NULL;
    struct field_place place;
    *ret = (struct sim_device){.clock_mhz = NAN, .temperature_c = NAN, .power_w = NAN};
    TRY(field_get_text(at, "name", arena, &ret->name, err));
    TRY(field_find_text(at, "summary", arena, &ret->summary, err));
    TRY(json_find_u64(at, "seed", &ret->seed, err));
    TRY(figures_parse(at, ret, &sim_device_figures, err));
    TRY(json_find_object(at, "noise", &noise, err));
    if (noise) {
        field_enter(&place, at, "noise", noise);
        TRY(noise_parse(&place.at, &ret->noise, err));
    }
    TRY(field_find_items(at, "episodes", SIM_EPISODES_MAX, &episodes, &ret->episode_count, err));
    ret->episodes = arena_array(arena, ret->episode_count, sizeof *ret->episodes);
    for (size_t i = 0; i < ret->episode_count; ++i) {
        field_enter_item(&place, at, "episodes", i, json_array_get(episodes, i));
        TRY(episode_parse(&place.at, arena, &ret->episodes[i], err));
    }
    return sim_device_check(ret, at->where, err);
}

int sim_device_find(const struct json_at *at, const char *key, struct arena *arena,
                    const struct sim_device **ret, struct err *err) {
    const json_t *value = NULL;
    *ret = NULL;
    TRY(json_find_object(at, key, &value, err));
    if (!value) return 0;
    struct field_place place;
    field_enter(&place, at, key, value);
    struct sim_device *device = arena_alloc(arena, sizeof *device);
    TRY(device_parse(&place.at, arena, device, err));
    *ret = device;
    return 1;
}

int sim_kernel_find(const struct json_at *at, const char *key, struct arena *arena,
                    const struct sim_kernel **ret, struct err *err) {
    const json_t *value = NULL;
    *ret = NULL;
    TRY(json_find_object(at, key, &value, err));
    if (!value) return 0;
    struct field_place place;
    field_enter(&place, at, key, value);
    struct sim_kernel *kernel = arena_alloc(arena, sizeof *kernel);
    kernel->call_overhead_us = kernel->cv_pct = kernel->stamps_pct = NAN;
    TRY(field_get_text(&place.at, "name", arena, &kernel->name, err));
    TRY(figures_parse(&place.at, kernel, &sim_kernel_figures, err));
    TRY(field_find_text(&place.at, "slower_on", arena, &kernel->slower_on, err));
    TRY(json_find_u64(&place.at, "crash_at_launch", &kernel->crash_at_launch, err));
    TRY(json_find_u64(&place.at, "hang_at_launch", &kernel->hang_at_launch, err));
    for (size_t i = 0; i < LIE_COUNT; ++i)
        TRY(json_find_u64(&place.at, lies[i].key, (uint64_t *)((char *)kernel + lies[i].offset), err));
    TRY(sim_kernel_check(kernel, place.where, err));
    *ret = kernel;
    return 1;
}
