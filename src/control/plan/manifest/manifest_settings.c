// SPDX-License-Identifier: Apache-2.0
//
// Build settings in a manifest, of `config` and `tune`: macro names and whole numbers.
#include <ctype.h>

#include "control/plan/manifest/manifest_internal.h"

int manifest_check_macro(const struct schema_reader *reader, const yaml_node_t *node, const char *key,
                         const char *name) {
    bool is_macro = isalpha((unsigned char)name[0]) || name[0] == '_';
    for (const char *p = name; *p; ++p) is_macro = is_macro && (isalnum((unsigned char)*p) || *p == '_');
    if (is_macro) return 0;
    return schema_fail(reader, node, key, "must be a macro name such as BLOCK_M: it becomes -DNAME=VALUE");
}

int manifest_bind_settings(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                           struct manifest_setting **ret, size_t *ret_count) {
    size_t count = schema_pair_count(node);
    struct manifest_setting *settings = arena_array(reader->arena, count ? count : 1, sizeof *settings);
    for (size_t i = 0; i < count; ++i) {
        const char *name;
        yaml_node_t *value, *key_node = schema_pair(reader, node, i, &name, &value);
        const char *whole = schema_join(reader, key, name);
        TRY(manifest_check_macro(reader, key_node, whole, name));
        long long number;
        TRY(schema_integer(reader, value, whole, &number));
        settings[i] = (struct manifest_setting){.name = name, .value = number};
    }
    *ret = settings;
    *ret_count = count;
    return 0;
}
