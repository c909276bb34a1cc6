// SPDX-License-Identifier: Apache-2.0
//
// The key `tune` of a kernel: which values its knobs may take, rules between them, limits on what the
// compiler reports, and for a simulated kernel what the values do to its script.
#include <stdlib.h>

#include "control/plan/config_rule.h"
#include "control/plan/manifest/manifest_internal.h"
#include "record/record_query.h"

#define VALUES_EXAMPLE  "values: {BLOCK_M: [32, 64, 128]}"
#define EFFECTS_EXAMPLE "effects: [{when: {BLOCK_M: 64}, sim: {slower_pct: -10}}]"
#define EFFECTS_MAX     256

static int compare_values(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void manifest_sort_values(int64_t *values, size_t count) {
    qsort(values, count, sizeof *values, compare_values);
}

static int bind_knob(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                     struct manifest_knob *knob) {
    TRY(schema_expect_list(reader, node, key, VALUES_EXAMPLE));
    const size_t count = schema_item_count(node);
    if (count < 1 || count > RECORD_PARAM_VALUES_MAX)
        return schema_fail(reader, node, key, "has %zu values; it takes 1 to %d", count,
                           RECORD_PARAM_VALUES_MAX);
    knob->values = arena_array(reader->arena, count, sizeof *knob->values);
    for (size_t i = 0; i < count; ++i) {
        long long value;
        TRY(schema_integer(reader, schema_item(reader, node, i), key, &value));
        knob->values[i] = value;
    }
    manifest_sort_values(knob->values, count);
    for (size_t i = 1; i < count; ++i)
        if (knob->values[i] == knob->values[i - 1])
            return schema_fail(reader, node, key, "lists %lld twice", (long long)knob->values[i]);
    knob->value_count = count;
    return 0;
}

static int bind_values(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    struct manifest_tune *tune = target;
    TRY(schema_expect_mapping(reader, node, key, VALUES_EXAMPLE));
    const size_t count = schema_pair_count(node);
    if (count > RECORD_PARAMS_MAX)
        return schema_fail(reader, node, key, "has %zu knobs; at most %d are possible", count,
                           RECORD_PARAMS_MAX);
    tune->knobs = arena_array(reader->arena, count ? count : 1, sizeof *tune->knobs);
    for (size_t i = 0; i < count; ++i) {
        struct manifest_knob *knob = &tune->knobs[i];
        yaml_node_t *value, *key_node = schema_pair(reader, node, i, &knob->name, &value);
        const char *whole = schema_join(reader, key, knob->name);
        TRY(manifest_check_macro(reader, key_node, whole, knob->name));
        TRY(bind_knob(reader, value, whole, knob));
    }
    tune->knob_count = count;
    return 0;
}

// ---- what values do to a simulated kernel ----

static int bind_when(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    struct manifest_effect *effect = target;
    TRY(schema_expect_mapping(reader, node, key, "when: {BLOCK_M: 64}"));
    return manifest_bind_settings(reader, node, key, &effect->when, &effect->when_count);
}

static int bind_script(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    struct manifest_effect *effect = target;
    struct sim_kernel *script = arena_alloc(reader->arena, sizeof *script);
    *script = sim_kernel_plain("effect");
    TRY(manifest_bind_script(reader, node, key, script));
    effect->sim = script;
    return 0;
}

static const struct schema_field effect_fields[] = {
    {.key = "when",
     .kind = SCHEMA_BOUND,
     .is_required = true,
     .bind = bind_when,
     .json = MANIFEST_SETTINGS_JSON,
     .type = "mapping NAME: whole number",
     .example = "when: {BLOCK_M: 64}",
     .meaning = "The values of which all hold."},
    {.key = "sim",
     .kind = SCHEMA_BOUND,
     .is_required = true,
     .bind = bind_script,
     .table = &manifest_script_table,
     .example = "sim: {slower_pct: -10}",
     .meaning = "A script: its `slower_pct` multiplies the time, its other keys replace the kernel's."},
};
static const struct schema_table effect_table = SCHEMA_TABLE(effect_fields, "effect");

static int bind_effects(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                        void *target) {
    struct manifest_tune *tune = target;
    TRY(schema_expect_list(reader, node, key, EFFECTS_EXAMPLE));
    const size_t count = schema_item_count(node);
    if (count > EFFECTS_MAX)
        return schema_fail(reader, node, key, "has %zu items; at most %d are possible", count, EFFECTS_MAX);
    tune->effects = arena_array(reader->arena, count ? count : 1, sizeof *tune->effects);
    for (size_t i = 0; i < count; ++i)
        TRY(schema_bind(reader, schema_item(reader, node, i), arena_format(reader->arena, "%s[%zu]", key, i),
                        &effect_table, &tune->effects[i]));
    tune->effect_count = count;
    return 0;
}

// ---- the section ----

#define LIMIT(member_, sample_, what_)                                                                       \
    SCHEMA_FIELD(struct manifest_tune, member_, SCHEMA_U32, 0, 1e9, sample_, .fallback = "no limit",         \
                 .meaning = "Variants of which the compiler reports more " what_ " are not measured.")

static const struct schema_field tune_fields[] = {
    {.key = "values",
     .kind = SCHEMA_BOUND,
     .bind = bind_values,
     .json = "{\"type\": \"object\", \"propertyNames\": {\"pattern\": \"" MANIFEST_MACRO_PATTERN
             "\"}, \"additionalProperties\": {\"type\": \"array\", \"items\": {\"type\": \"integer\"}, "
             "\"minItems\": 1, \"maxItems\": 32, \"uniqueItems\": true}}",
     .type = "mapping NAME: list of at most 32 whole numbers",
     .example = VALUES_EXAMPLE,
     .fallback = "as declared",
     .meaning = "The values to try; the kernel must declare them. A script declares none and needs them."},
    SCHEMA_LIST("rules", struct manifest_tune, rules, rule_count, "[\"BLOCK_M % NUM_WARPS == 0\"]",
                .fallback = "none", .type = "list of texts",
                .meaning =
                    "Conditions that a variant must meet before assay builds it: two expressions of numbers "
                    "and settings with `==`, `!=`, `<`, `<=`, `>` or `>=` between them, such as `BLOCK_M % "
                    "NUM_WARPS == 0` or `4 * STAGES * BLOCK_N * 64 <= 101376`. `+ - * / %` and parentheses, "
                    "64 bits; a division by zero or an overflow makes a rule false."),
    LIMIT(shared_bytes_max, "232448", "bytes of shared memory"),
    LIMIT(registers_max, "168", "registers"),
    LIMIT(spill_bytes_max, "0", "spilled bytes"),
    {.key = "effects",
     .kind = SCHEMA_BOUND,
     .bind = bind_effects,
     .table = &effect_table,
     .shape = SCHEMA_LISTED,
     .max = EFFECTS_MAX,
     .type = "list of `{when: {NAME: value}, sim: {...}}`",
     .example = EFFECTS_EXAMPLE,
     .fallback = "none",
     .meaning = "Scripts only: the effect of values. Where all of `when` holds, its `slower_pct` multiplies "
                "the time, and its other keys replace the script's."},
};
const struct schema_table manifest_tune_table = SCHEMA_TABLE(tune_fields, "tune");
_Static_assert(RECORD_PARAM_VALUES_MAX == 32, "as the schema of `values` says");

int manifest_bind_tune(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    struct manifest_kernel *kernel = target;
    struct manifest_tune *tune = arena_alloc(reader->arena, sizeof *tune);
    struct err why = {0};
    tune->shared_bytes_max = tune->registers_max = tune->spill_bytes_max = MANIFEST_TUNE_NO_LIMIT;
    TRY(schema_bind(reader, node, key, &manifest_tune_table, tune));
    for (size_t i = 0; i < tune->rule_count; ++i)
        if (config_rule_check(tune->rules[i], &why) < 0)
            return schema_fail(reader, schema_find(reader, node, "rules"), schema_join(reader, key, "rules"),
                               "%s", why.text);
    kernel->tune = tune;
    return 0;
}

int manifest_check_tune(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                        const struct manifest_kernel *kernel) {
    const yaml_node_t *tune = schema_find(reader, node, "tune");
    if (!tune) return 0;
    const char *whole = schema_join(reader, key, "tune");
    if (!kernel->source && !kernel->sim)
        return schema_fail(reader, tune, whole,
                           "has no effect here: only kernels that assay builds from a source, and simulated "
                           "ones, have settings to try; remove the key");
    if (kernel->tune->effect_count && !kernel->sim)
        return schema_fail(reader, schema_find(reader, tune, "effects"),
                           schema_join(reader, whole, "effects"),
                           "has no effect here: what its settings do to a kernel is measured, unless it is a "
                           "simulated one; remove the key");
    if (kernel->sim && !kernel->tune->knob_count)
        return schema_fail(reader, tune, whole,
                           "needs 'values': a script declares no settings; for example '%s'", VALUES_EXAMPLE);
    return 0;
}
