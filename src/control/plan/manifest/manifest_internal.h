// SPDX-License-Identifier: Apache-2.0
//
// Shared by manifest.c (files, top level) and manifest_declared.c, manifest_operator.c, manifest_kernel.c,
// manifest_suite.c, manifest_sim.c, manifest_tune.c (their sections).
#ifndef CONTROL_PLAN_MANIFEST_MANIFEST_INTERNAL_H
#define CONTROL_PLAN_MANIFEST_MANIFEST_INTERNAL_H

#include "control/plan/manifest/manifest.h"
#include "control/plan/manifest/manifest_schema_internal.h"

// The tables of the sections; manifest.c has the document's.
extern const struct schema_table manifest_table, manifest_operator_table, manifest_kernel_table,
    manifest_suite_table, manifest_device_table, manifest_script_table, manifest_tolerance_table,
    manifest_tune_table;

#define MANIFEST_TOLERANCE_EXAMPLE "tolerance: {atol: 2e-3, two_x: off, why: \"V is accumulated in fp16\"}"
// The row of a table that has the key, with the member `tolerance` of T.
#define MANIFEST_TOLERANCE_FIELD(T, meaning_)                                                                \
    {                                                                                                        \
        .key = "tolerance", .kind = SCHEMA_BOUND, .offset = offsetof(T, tolerance),                          \
        .bind = manifest_bind_tolerance, .table = &manifest_tolerance_table,                                 \
        .example = MANIFEST_TOLERANCE_EXAMPLE, .fallback = "the operator's", .meaning = (meaning_)           \
    }

// Settings as JSON Schema: manifest_check_macro and whole numbers.
#define MANIFEST_MACRO_PATTERN "^[A-Za-z_][A-Za-z0-9_]*$"
#define MANIFEST_SETTINGS_JSON                                                                               \
    "{\"type\": \"object\", \"propertyNames\": {\"pattern\": \"" MANIFEST_MACRO_PATTERN                      \
    "\"}, \"additionalProperties\": {\"type\": \"integer\"}}"

int manifest_bind_operators(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                            void *target);
// One of them, by its mapping; the name is there.
int manifest_bind_operator(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                           struct declared *declared, const struct operator_def **ret);
int manifest_bind_kernels(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                          void *target);
int manifest_bind_suites(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         void *target);
int manifest_bind_devices(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                          void *target);
// The key `tolerance` of a kernel or a suite; target is the const struct own_tolerance ** to set.
int manifest_bind_tolerance(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                            void *target);
// A source of a kernel or a reference; NULL: none.
int manifest_check_source(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                          const char *path);
// The key `sim` of a kernel; target is the struct manifest_kernel.
int manifest_bind_sim_kernel(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                             void *target);
// A script's keys, over those that *kernel has.
int manifest_bind_script(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         struct sim_kernel *kernel);
// The key `tune` of a kernel; target is the struct manifest_kernel.
int manifest_bind_tune(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target);
// After the kernel's other keys: what of `tune` has no effect on this one.
int manifest_check_tune(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                        const struct manifest_kernel *kernel);
// A mapping of macro names to whole numbers: {BLOCK_M: 64}.
int manifest_bind_settings(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                           struct manifest_setting **ret, size_t *ret_count);
// Whether a key of a mapping is a macro's name; else the mistake.
int manifest_check_macro(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                         const char *name);

#endif
