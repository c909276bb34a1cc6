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

#define FIELDS(list)                                                                                         \
    { (list), sizeof(list) / sizeof *(list) }

struct schema_fields {
    const struct schema_field *items;
    size_t count;
};

// Binds a mapping that is part of a script: its figures, and its other fields.
static int bind_part(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                     const struct member_table *figures, const struct schema_fields *others, void *target) {
    struct schema_field *fields = arena_array(reader->arena, figures->count + others->count, sizeof *fields);
    size_t count = 0;
    for (size_t i = 0; i < figures->count; ++i) {
        const struct member *figure = &figures->members[i];
        if (figure->type != MEMBER_DOUBLE) continue;
        fields[count++] = (struct schema_field){
            .key = figure->key,
            .kind = SCHEMA_NUMBER,
            .offset = figure->offset,
            .min = figure->low,
            .max = figure->high,
            .example = arena_format(reader->arena, "%s: %s", figure->key, figure->example),
        };
    }
    memcpy(fields + count, others->items, others->count * sizeof *fields);
    count += others->count;
    return schema_bind(reader, node, key, fields, count, target);
}

#define DEVICES_EXAMPLE  "devices: {\"sim:mine\": {noise: {cv_pct: 1}}}"
#define EPISODES_EXAMPLE "episodes: [{from_round: 2, to_round: 3, throttle: hw_slowdown}]"

// ---- devices ----

static const struct schema_field noise_list[] = {
    SCHEMA_FIELD(struct sim_noise, is_mode_a_clock, SCHEMA_BOOL, 0, 0, "true"),
};
static const struct schema_fields noise_fields = FIELDS(noise_list);

static int bind_noise(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    struct sim_device *device = target;
    return bind_part(reader, node, key, &sim_noise_members, &noise_fields, &device->noise);
}

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

#define EPISODE(member_, kind_, min_, max_, sample_)                                                         \
    SCHEMA_FIELD(struct sim_episode, member_, kind_, min_, max_, sample_)

static const struct schema_field episode_list[] = {
    EPISODE(from_round, SCHEMA_U32, 0, MANIFEST_COUNT_MAX, "2"),
    EPISODE(to_round, SCHEMA_U32, 0, MANIFEST_COUNT_MAX, "3"),
    EPISODE(attempt_count, SCHEMA_U32, 0, MANIFEST_COUNT_MAX, "1"),
    {.key = "throttle", .kind = SCHEMA_BOUND, .bind = bind_throttle, .example = "throttle: hw_slowdown"},
    SCHEMA_FIELD_AS("foreign_process_count", struct sim_episode, other_process_count, SCHEMA_U32, 0,
                    MANIFEST_COUNT_MAX, "1"),
};
static const struct schema_fields episode_fields = FIELDS(episode_list);

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
        TRY(bind_part(reader, item, whole, &sim_episode_members, &episode_fields, episode));
        if (episode->to_round < episode->from_round)
            return schema_fail(reader, schema_find(reader, item, "to_round"),
                               schema_join(reader, whole, "to_round"), "is before from_round %u",
                               (unsigned)episode->from_round);
    }
    device->episode_count = count;
    return 0;
}

#define DEVICE(member_, kind_, min_, max_, sample_)                                                          \
    SCHEMA_FIELD(struct sim_device, member_, kind_, min_, max_, sample_)

static const struct schema_field device_list[] = {
    {.key = "noise", .kind = SCHEMA_BOUND, .bind = bind_noise, .example = "noise: {cv_pct: 1}"},
    {.key = "episodes", .kind = SCHEMA_BOUND, .bind = bind_episodes, .example = EPISODES_EXAMPLE},
    DEVICE(summary, SCHEMA_TEXT, 0, 0, "as noisy as our machine"),
    DEVICE(seed, SCHEMA_U64, 0, 0, "7"),
};
static const struct schema_fields device_fields = FIELDS(device_list);

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
        TRY(bind_part(reader, value, whole, &sim_device_members, &device_fields, device));
        struct err why = {0};
        if (sim_device_check(device, whole, &why) < 0)
            return schema_fail(reader, key_node, "", "%s", why.text);
    }
    manifest->sim_device_count = count;
    return 0;
}

// ---- kernels ----

static int bind_problem(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                        const char **ret) {
    struct problem problem;
    struct err why = {0};
    const char *text;
    TRY(schema_text(reader, node, key, &text));
    if (problem_parse(text, &problem, &why) < 0) return schema_fail(reader, node, key, "%s", why.text);
    *ret = arena_strdup(reader->arena, problem.name);
    return 0;
}

static int bind_slower_on(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                          void *target) {
    return bind_problem(reader, node, key, &((struct sim_kernel *)target)->slower_on);
}

static int bind_unsupported_on(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                               void *target) {
    return bind_problem(reader, node, key, &((struct sim_kernel *)target)->unsupported_on);
}

#define KERNEL(member_, kind_, min_, max_, sample_)                                                          \
    SCHEMA_FIELD(struct sim_kernel, member_, kind_, min_, max_, sample_)

static const struct schema_field kernel_list[] = {
    {.key = "slower_on",
     .kind = SCHEMA_BOUND,
     .bind = bind_slower_on,
     .example = "slower_on: " OP_EXAMPLE_TINY},
    {.key = "unsupported_on",
     .kind = SCHEMA_BOUND,
     .bind = bind_unsupported_on,
     .example = "unsupported_on: " OP_EXAMPLE_TINY},
    KERNEL(crash_at_launch, SCHEMA_U64, 0, 0, "3"),
    KERNEL(hang_at_launch, SCHEMA_U64, 0, 0, "3"),
    KERNEL(skips_work_at_launch, SCHEMA_U64, 0, 0, "3"),
    KERNEL(writes_inputs_at_launch, SCHEMA_U64, 0, 0, "3"),
    KERNEL(ends_at_launch, SCHEMA_U64, 0, 0, "3"),
    KERNEL(answers_nonsense_at_launch, SCHEMA_U64, 0, 0, "3"),
};
static const struct schema_fields kernel_fields = FIELDS(kernel_list);

int manifest_bind_script(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         struct sim_kernel *kernel) {
    struct err why = {0};
    TRY(bind_part(reader, node, key, &sim_kernel_members, &kernel_fields, kernel));
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
