// SPDX-License-Identifier: Apache-2.0
//
// Simulated devices (section `devices:`) and kernels (key `sim` of a kernel of backend sim) in a manifest:
// scripts that record/sim_script.h plays. Members left out get the values of a quiet device.
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/plan/manifest/manifest_internal.h"
#include "op/example.h"
#include "op/operator.h"
#include "record/throttle.h"

#define DEVICES_EXAMPLE  "devices: {\"sim:mine\": {noise: {cv_pct: 1}}}"
#define EPISODES_EXAMPLE "episodes: [{from_round: 2, to_round: 3, throttle: hw_slowdown}]"

// ---- devices ----

static const struct schema_field noise_list[] = {
    SCHEMA_FIELD(struct sim_noise, is_mode_a_clock, SCHEMA_BOOL, 0, 0, "true", .fallback = "`false`"),
};
static const struct schema_table noise_table =
    SCHEMA_TABLE(noise_list, "noise", .figures = &sim_noise_members);

static int bind_throttle(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         void *target) {
    struct sim_episode *episode = target;
    uint32_t bits;
    TRY(schema_text(reader, node, key, &episode->throttle));
    if (throttle_parse(episode->throttle, &bits) == 0) return 0;
    char known[THROTTLE_TEXT_BYTES];
    throttle_format(THROTTLE_ALL, known);
    return schema_fail(reader, node, key, "'%s' is no reason, or a list of them with commas; there are %s",
                       episode->throttle, known);
}

#define EPISODE(member_, ...)                                                                                \
    SCHEMA_FIELD(struct sim_episode, member_, SCHEMA_U32, 0, MANIFEST_COUNT_MAX, __VA_ARGS__)

static const struct schema_field episode_list[] = {
    EPISODE(from_round, "2", .fallback = "0"),
    EPISODE(to_round, "3", .fallback = "the last"),
    EPISODE(attempt_count, "1", .fallback = "0"),
    {.key = "throttle",
     .kind = SCHEMA_BOUND,
     .bind = bind_throttle,
     .example = "throttle: hw_slowdown",
     .fallback = "none",
     .meaning = "Reasons that the device states for a slowdown, with commas: `sw_power_cap hw_slowdown "
                "sw_thermal_slowdown hw_thermal_slowdown hw_power_brake_slowdown sync_boost "
                "application_clocks display_clocks`."},
    EPISODE(other_process_count, "1", .fallback = "0", .former = "foreign_process_count"),
};
static const struct schema_table episode_table =
    SCHEMA_TABLE(episode_list, "episode", .figures = &sim_episode_members);

static int bind_episodes(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         void *target) {
    struct sim_device *device = target;
    TRY(schema_expect_list(reader, node, key, EPISODES_EXAMPLE));
    const size_t count = schema_item_count(node);
    if (count > SIM_EPISODES_MAX)
        return schema_fail(reader, node, key, "has %zu items; at most %d are possible", count,
                           SIM_EPISODES_MAX);
    device->episodes = arena_array(reader->arena, count ? count : 1, sizeof *device->episodes);
    for (size_t i = 0; i < count; ++i) {
        struct sim_episode *episode = &device->episodes[i];
        yaml_node_t *item = schema_item(reader, node, i);
        const char *whole = arena_format(reader->arena, "%s[%zu]", key, i);
        *episode = (struct sim_episode){.to_round = UINT32_MAX, .temperature_c = NAN};
        TRY(schema_bind(reader, item, whole, &episode_table, episode));
        if (episode->to_round < episode->from_round)
            return schema_fail(reader, schema_find(reader, item, "to_round"),
                               schema_join(reader, whole, "to_round"), "is before from_round %u",
                               (unsigned)episode->from_round);
    }
    device->episode_count = count;
    return 0;
}

static const struct schema_field device_list[] = {
    SCHEMA_FIELD(struct sim_device, summary, SCHEMA_TEXT, 0, 0, "as noisy as our machine",
                 .fallback = "none"),
    SCHEMA_FIELD(struct sim_device, seed, SCHEMA_U64, 0, 0, "7", .fallback = "0"),
    {.key = "noise",
     .kind = SCHEMA_STRUCT,
     .offset = offsetof(struct sim_device, noise),
     .table = &noise_table,
     .example = "noise: {cv_pct: 1}",
     .fallback = "none",
     .meaning = "What makes its samples differ, below."},
    {.key = "episodes",
     .kind = SCHEMA_BOUND,
     .bind = bind_episodes,
     .table = &episode_table,
     .shape = SCHEMA_LISTED,
     .max = SIM_EPISODES_MAX,
     .example = EPISODES_EXAMPLE,
     .fallback = "none",
     .meaning = "Times when it is not fit, below; at most 64."},
};
const struct schema_table manifest_device_table =
    SCHEMA_TABLE(device_list, "device", .figures = &sim_device_members);

int manifest_bind_devices(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                          void *target) {
    struct manifest *manifest = target;
    TRY(schema_expect_mapping(reader, node, key, DEVICES_EXAMPLE));
    const size_t count = schema_pair_count(node);
    manifest->sim_devices = arena_array(reader->arena, count ? count : 1, sizeof *manifest->sim_devices);
    for (size_t i = 0; i < count; ++i) {
        struct sim_device *device = &manifest->sim_devices[i];
        const char *name;
        yaml_node_t *value, *key_node = schema_pair(reader, node, i, &name, &value);
        const char *whole = schema_join(reader, key, name);
        // The part behind "sim:" becomes part of commands and file names.
        if (!str_starts(name, SIM_DEVICE_PREFIX) || !schema_is_name(name + sizeof SIM_DEVICE_PREFIX - 1))
            return schema_fail(reader, key_node, whole,
                               "a device of a manifest is a simulated one: its name is '%s' and letters, "
                               "digits, '_', '.' or '-'; for example '%s'",
                               SIM_DEVICE_PREFIX, DEVICES_EXAMPLE);
        *device = sim_device_quiet(name);
        TRY(schema_bind(reader, value, whole, &manifest_device_table, device));
        struct err why = {0};
        if (sim_device_check(device, whole, &why) < 0)
            return schema_fail(reader, key_node, "", "%s", why.text);
    }
    manifest->sim_device_count = count;
    return 0;
}

// ---- kernels ----

static int bind_problem(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                        void *target) {
    struct problem problem;
    struct err why = {0};
    const char *text;
    TRY(schema_text(reader, node, key, &text));
    if (problem_parse(reader->operators, text, &problem, &why) < 0)
        return schema_fail(reader, node, key, "%s", why.text);
    *(const char **)target = arena_strdup(reader->arena, problem.name);
    return 0;
}

#define PROBLEM_FIELD(member_, fallback_)                                                                    \
    {                                                                                                        \
        .key = #member_, .kind = SCHEMA_BOUND, .offset = offsetof(struct sim_kernel, member_),               \
        .bind = bind_problem, .type = "problem", .fallback = (fallback_),                                    \
        .example = #member_ ": " OP_EXAMPLE_TINY                                                             \
    }
#define LAUNCH(member_) SCHEMA_FIELD(struct sim_kernel, member_, SCHEMA_U64, 0, 0, "3", .fallback = "0: none")

static const struct schema_field script_list[] = {
    PROBLEM_FIELD(slower_on, "all problems"),
    PROBLEM_FIELD(unsupported_on, "none"),
    LAUNCH(crash_at_launch),
    LAUNCH(hang_at_launch),
    LAUNCH(skips_work_at_launch),
    LAUNCH(writes_inputs_at_launch),
    LAUNCH(ends_at_launch),
    LAUNCH(answers_nonsense_at_launch),
};
const struct schema_table manifest_script_table =
    SCHEMA_TABLE(script_list, "script", .figures = &sim_kernel_members);

int manifest_bind_script(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         struct sim_kernel *kernel) {
    struct err why = {0};
    TRY(schema_bind(reader, node, key, &manifest_script_table, kernel));
    if (sim_kernel_check(kernel, key, &why) < 0) return schema_fail(reader, node, "", "%s", why.text);
    return 0;
}

int manifest_bind_sim_kernel(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                             void *target) {
    struct manifest_kernel *owner = target;
    struct sim_kernel *kernel = arena_alloc(reader->arena, sizeof *kernel);
    *kernel = sim_kernel_plain(owner->name);
    TRY(manifest_bind_script(reader, node, key, kernel));
    owner->sim = kernel;
    return 0;
}
