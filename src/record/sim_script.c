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

// After the sentence: what holds without the figure, where that is not 0.
#define FIGURE(T, k, m, lowest, highest, f, value, ...)                                                      \
    {                                                                                                        \
        .key = (k), .type = MEMBER_TYPE(struct T, m), MEMBER_PLACE(struct T, m), .flags = (f),               \
        MEMBER_FROM_TO(lowest, highest), .example = (value), .sentence = __VA_ARGS__                         \
    }
#define ALWAYS (MEMBER_WRITTEN | MEMBER_ABSENT_0)

#define NOISE(m, low, high, value, ...) FIGURE(sim_noise, #m, m, low, high, ALWAYS, value, __VA_ARGS__)
static const struct member noise_list[] = {
    NOISE(cv_pct, 0, 100, "1", "Spread of the samples: lognormal, sigma of the logarithm is `cv_pct` / 100."),
    NOISE(ar1, -AR1_MAX, AR1_MAX, "0.5", "Correlation between consecutive samples of a side."),
    NOISE(tail_pct, 0, 10000, "20", "Samples of the tail are slower by this x Exp(1)."),
    NOISE(tail_share_pct, 0, 100, "5", "Share of the samples in the tail."),
    NOISE(mode_slower_pct, 0, 10000, "8", "Second mode: slower by this."),
    NOISE(mode_share_pct, 0, 100, "50", "Share of the time in the second mode."),
    NOISE(mode_dwell_ms, 0, 1e6, "50", "Mean time in a mode, at least 0.01; 0: drawn anew for every sample."),
    NOISE(process_pct, 0, 100, "2",
          "Spread between processes: standard deviation of ln(candidate / baseline)."),
    NOISE(process_ar1, -AR1_MAX, AR1_MAX, "0.8",
          "Correlation of these offsets from round to round: a state that outlives processes."),
    NOISE(either_slower_pct, 0, 10000, "4",
          "In every process one of two sides, at random, is slower by this."),
    NOISE(round_pct, 0, 100, "1", "Standard deviation of an offset that all sides of a worker share."),
    NOISE(drift_pct_per_s, 0, 1000, "0.5", "Slowdown within a worker per virtual second."),
    NOISE(others_share_pct, 0, 100, "50", "Share of the time in which other programs run.",
          .former = "foreign_share_pct"),
    NOISE(others_dwell_ms, 0, 1e6, "20",
          "For how long at a time on average, at least 0.01; 0: drawn anew for every sample.",
          .former = "foreign_dwell_ms"),
    NOISE(others_slower_pct, 0, 10000, "2",
          "Every sample is slower by this while they run: caches and memory.",
          .former = "foreign_slower_pct"),
    NOISE(others_wait_share_pct, 0, 100, "30",
          "Share of the samples that wait for a processor while they run.",
          .former = "foreign_wait_share_pct"),
    NOISE(others_wait_us, 0, 1e6, "3000", "For how long on average.", .former = "foreign_wait_us"),
    NOISE(steal_share_pct, 0, 100, "2", "Share of the samples from which the hypervisor takes time."),
    NOISE(steal_us, 0, 1e6, "500", "How much on average."),
    MEMBER(struct sim_noise, "is_mode_a_clock", is_mode_a_clock,
           "The modes are two clocks, which the clock probe reads.", MEMBER_WRITTEN),
};
const struct member_table sim_noise_members = MEMBER_TABLE(struct sim_noise, "sim_noise", noise_list, );

static const struct member episode_list[] = {
    MEMBER(struct sim_episode, "from_round", from_round, "First round, counted from 0.",
           MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER(struct sim_episode, "to_round", to_round, "Last round, included.",
           MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER(struct sim_episode, "attempt_count", attempt_count,
           "Only so many attempts of each of these rounds; 0: all.", MEMBER_WRITTEN),
    MEMBER(struct sim_episode, "throttle", throttle,
           "Reasons that the device states for a slowdown, with commas."),
    FIGURE(sim_episode, "slower_pct", slower_pct, 0, 10000, ALWAYS, "30",
           "All samples of both sides are slower by this."),
    FIGURE(sim_episode, "temperature_c", temperature_c, -273.15, 1000, 0, "92", "Of the device.",
           .fallback = "the device's"),
    FIGURE(sim_episode, "others_pct", others_pct, 0, 100, ALWAYS, "12",
           "Load of other programs on our processors.", .former = "foreign_pct"),
    MEMBER(struct sim_episode, "other_process_count", other_process_count, "Other processes on the device.",
           MEMBER_WRITTEN, MEMBER_FROM_TO(0, INT32_MAX), .former = "foreign_process_count"),
};
const struct member_table sim_episode_members =
    MEMBER_TABLE(struct sim_episode, "sim_episode", episode_list, );

static int device_check_read(const struct json_at *at, const void *object, struct err *err) {
    return sim_device_check(object, at->where, err);
}

static const struct member device_list[] = {
    MEMBER(struct sim_device, "name", name, "`sim:steady`.", MEMBER_REQUIRED),
    MEMBER(struct sim_device, "summary", summary, "One line for `assay devices` and reports."),
    MEMBER(struct sim_device, "seed", seed, "Combined with the run's seed.", MEMBER_WRITTEN),
    FIGURE(sim_device, "clock_mhz", clock_mhz, 1, 100000, 0, "1980", "Reading of its clock.",
           .fallback = "1500"),
    FIGURE(sim_device, "temperature_c", temperature_c, -273.15, 1000, 0, "60", "Reading of its temperature.",
           .fallback = "50"),
    FIGURE(sim_device, "power_w", power_w, 0, 1e6, 0, "300", "Reading of its power.", .fallback = "300"),
    FIGURE(sim_device, "timer_step_ns", timer_step_ns, 0, 1e9, ALWAYS, "32",
           "Every duration is a multiple of it.", .fallback = "none"),
    MEMBER_STRUCT(struct sim_device, "noise", noise, &sim_noise_members, "Noise.", MEMBER_WRITTEN),
    MEMBER_LIST(struct sim_device, "episodes", episodes, episode_count, &sim_episode_members,
                SIM_EPISODES_MAX, "Disturbances.", MEMBER_WRITTEN),
};
const struct member_table sim_device_members =
    MEMBER_TABLE(struct sim_device, "sim_device", device_list, .check = device_check_read);

static int kernel_check_read(const struct json_at *at, const void *object, struct err *err) {
    return sim_kernel_check(object, at->where, err);
}

#define KERNEL(m, low, high, f, value, ...) FIGURE(sim_kernel, #m, m, low, high, f, value, __VA_ARGS__)
#define LAUNCH(m, f, sentence)              MEMBER(struct sim_kernel, #m, m, sentence, f)
static const struct member kernel_list[] = {
    MEMBER(struct sim_kernel, "name", name, "Name.", MEMBER_REQUIRED),
    KERNEL(base_us, 0.001, 1e8, ALWAYS, "100", "Time of one launch of any problem.", .fallback = "100"),
    KERNEL(slower_pct, -99, 10000, ALWAYS, "5", "Slower by this; negative: faster."),
    KERNEL(call_overhead_us, 0, 1e8, 0, "5", "Overhead of a single call; `gate.metric: call_time` shows it.",
           .fallback = "0"),
    KERNEL(cv_pct, 0, 100, 0, "1", "Spread of the samples; absent: the device's.",
           .fallback = "the device's"),
    KERNEL(slow_process_pct, 0, 10000, ALWAYS, "30", "Slower by this in some of its processes."),
    KERNEL(slow_process_share_pct, 0, 100, ALWAYS, "20", "Share of those processes."),
    KERNEL(stamps_pct, 0, 1000, 0, "50", "Per cent of the real time that its process reports.",
           .fallback = "100"),
    MEMBER(struct sim_kernel, "slower_on", slower_on, "The problem that is slower; absent: all."),
    MEMBER(struct sim_kernel, "unsupported_on", unsupported_on,
           "The problem that it does not take; absent: none."),
    LAUNCH(crash_at_launch, MEMBER_WRITTEN,
           "Launch in a worker, counted from 1, that ends the process with a crash; 0: none."),
    LAUNCH(hang_at_launch, MEMBER_WRITTEN, "Launch that never returns; 0: none."),
    LAUNCH(skips_work_at_launch, 0, "From this launch on it does not write its outputs."),
    LAUNCH(writes_inputs_at_launch, 0, "From this launch on it writes an input."),
    LAUNCH(ends_at_launch, 0, "This launch ends the process with exit code 0."),
    LAUNCH(answers_nonsense_at_launch, 0,
           "From this launch on its process sends messages that are not valid."),
};
const struct member_table sim_kernel_members =
    MEMBER_TABLE(struct sim_kernel, "sim_kernel", kernel_list, .check = kernel_check_read,
                 .sentence = "The script of a simulated kernel, in place of a build.");

// An absent figure may be NAN, where it need not be there.
static int figures_check(const void *base, const char *where, const struct member_table *table,
                         struct err *err) {
    for (size_t i = 0; i < table->count; ++i) {
        const struct member *figure = &table->members[i];
        double value;
        if (figure->type != MEMBER_DOUBLE) continue;
        memcpy(&value, (const char *)base + figure->offset, sizeof value);
        if (isnan(value) && !(figure->flags & MEMBER_ABSENT_0)) continue;
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
    return noise->others_share_pct > 0 || noise->steal_share_pct > 0;
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
    members_own(&sim_device_members, arena, copy);
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
        return err_set(err, ERR_DATA, "%s: key 'other_process_count' is %lu; at most %ld is possible", where,
                       (unsigned long)episode->other_process_count, (long)INT32_MAX);
    }
    return figures_check(episode, where, &sim_episode_members, err);
}

int sim_device_check(const struct sim_device *device, const char *where, struct err *err) {
    struct field_place place;
    const struct json_at at = {.where = where};
    TRY(check_name(device->name, SIM_DEVICE_PREFIX, where, err));
    TRY(figures_check(device, where, &sim_device_members, err));
    field_enter(&place, &at, "noise", NULL);
    TRY(figures_check(&device->noise, place.where, &sim_noise_members, err));
    TRY(dwell_check("mode_dwell_ms", device->noise.mode_dwell_ms, place.where, err));
    TRY(dwell_check("others_dwell_ms", device->noise.others_dwell_ms, place.where, err));
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

static int problem_check(const char *key, const char *name, const char *where, struct err *err) {
    struct problem problem;
    struct err why = {0};
    if (!name) return 0;
    if (problem_name_check(name, &why) < 0)
        return err_set(err, ERR_DATA, "%s: key '%s': %s", where, key, why.text);
    if (!operator_of_problem(&operators_compiled, name)) return 0; // one that this program does not have
    if (problem_parse(&operators_compiled, name, &problem, &why) < 0)
        return err_set(err, ERR_DATA, "%s: key '%s': %s", where, key, why.text);
    if (strcmp(problem.name, name) == 0) return 0;
    return err_set(err, ERR_DATA, "%s: key '%s' is '%s'; the full name of that problem is '%s'", where, key,
                   name, problem.name);
}

int sim_kernel_check(const struct sim_kernel *kernel, const char *where, struct err *err) {
    if (!kernel->name || !*kernel->name) return err_set(err, ERR_DATA, "%s: key 'name' is missing", where);
    TRY(figures_check(kernel, where, &sim_kernel_members, err));
    TRY(problem_check("slower_on", kernel->slower_on, where, err));
    return problem_check("unsupported_on", kernel->unsupported_on, where, err);
}

// ---- hashes: of the document that says what is done, without names ----

static void hash_members(const struct member_table *table, const void *object, char *ret_hex) {
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    members_write_object(&w, NULL, table, object, NULL);
    hash_bytes_hex(text.text, text.length, ret_hex);
    strbuf_fini(&text);
}

void sim_device_uuid(const struct sim_device *device, char ret_uuid[64]) {
    struct sim_device unnamed = *device;
    char hex[HASH_HEX_BYTES];
    unnamed.name = unnamed.summary = NULL;
    hash_members(&sim_device_members, &unnamed, hex);
    snprintf(ret_uuid, 64, "sim-%s", hex);
}

void sim_kernel_hash(const struct sim_kernel *kernel, char *ret_hex) {
    struct sim_kernel unnamed = *kernel;
    unnamed.name = NULL;
    hash_members(&sim_kernel_members, &unnamed, ret_hex);
}
