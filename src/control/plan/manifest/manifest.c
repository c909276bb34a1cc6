// SPDX-License-Identifier: Apache-2.0
//
// Where is the manifest, and what does it say? Finding the file, its top level, defaults. Sections with names
// of the user's choice are in manifest_kernel.c, manifest_suite.c and manifest_sim.c.
#include "control/plan/manifest/manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/plan/manifest/manifest_internal.h"

#define AT(member) offsetof(struct manifest, member)
#define DAY_S      86400.0

static const struct schema_field gate_fields[] = {
    {.key = "suite", .kind = SCHEMA_TEXT, .offset = AT(gate.suite), .example = "suite: cpu"},
    {.key = "check", .kind = SCHEMA_TEXT, .offset = AT(gate.check), .example = "check: fuzz"},
    {.key = "candidate", .kind = SCHEMA_TEXT, .offset = AT(gate.candidate), .example = "candidate: mine"},
    {.key = "baseline",
     .kind = SCHEMA_TEXT,
     .offset = AT(gate.baseline),
     .example = "baseline: \"git:merge-base\""},
    {.key = "regression_pct",
     .kind = SCHEMA_NUMBER,
     .offset = AT(gate.spec.regression_pct),
     .min = 0.01,
     .max = 1000,
     .example = "regression_pct: 3"},
    {.key = "improvement_pct",
     .kind = SCHEMA_NUMBER,
     .offset = AT(gate.spec.improvement_pct),
     .min = 0.01,
     .max = 99,
     .example = "improvement_pct: 10"},
};

static const struct schema_field limits_fields[] = {
    {.key = "case_s",
     .kind = SCHEMA_NUMBER,
     .offset = AT(limits.case_s),
     .min = 0.1,
     .max = DAY_S,
     .example = "case_s: 60"},
    {.key = "gate_s",
     .kind = SCHEMA_NUMBER,
     .offset = AT(limits.gate_s),
     .min = 1,
     .max = 7 * DAY_S,
     .example = "gate_s: 3600"},
    {.key = "memory_gb",
     .kind = SCHEMA_NUMBER,
     .offset = AT(limits.memory_gb),
     .min = 0.01,
     .max = 100000,
     .example = "memory_gb: 16"},
};

static int bind_version(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                        void *target) {
    (void)target;
    long long version;
    TRY(schema_integer(reader, node, key, &version));
    if (version == 1) return 0;
    return schema_fail(reader, node, key, "must be 1, not %lld: that is the version this assay reads; %s",
                       version, version > 1 ? "a newer assay may read it" : "write 'version: 1'");
}

static int bind_gate(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    return schema_bind(reader, node, key, gate_fields, sizeof gate_fields / sizeof *gate_fields, target);
}

static int bind_limits(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    return schema_bind(reader, node, key, limits_fields, sizeof limits_fields / sizeof *limits_fields,
                       target);
}

static const struct schema_field top_fields[] = {
    {.key = "version",
     .kind = SCHEMA_BOUND,
     .is_required = true,
     .bind = bind_version,
     .example = "version: 1"},
    {.key = "kernels", .kind = SCHEMA_BOUND, .bind = manifest_bind_kernels},
    {.key = "suites", .kind = SCHEMA_BOUND, .bind = manifest_bind_suites},
    {.key = "devices", .kind = SCHEMA_BOUND, .bind = manifest_bind_devices},
    {.key = "gate", .kind = SCHEMA_BOUND, .bind = bind_gate},
    {.key = "peers",
     .kind = SCHEMA_TEXTS,
     .offset = AT(peers),
     .count_offset = AT(peer_count),
     .example = "peers: [torch]"},
    {.key = "python_interpreter",
     .kind = SCHEMA_TEXT,
     .offset = AT(python_interpreter),
     .example = "python_interpreter: .venv/bin/python3"},
    {.key = "target_speedup",
     .kind = SCHEMA_NUMBER,
     .offset = AT(target_speedup),
     .min = 0.01,
     .max = 1000,
     .example = "target_speedup: 1.5"},
    {.key = "cost_per_hour",
     .kind = SCHEMA_NUMBER,
     .offset = AT(cost_per_hour),
     .min = 0,
     .max = MANIFEST_COUNT_MAX,
     .example = "cost_per_hour: 2.50"},
    {.key = "limits", .kind = SCHEMA_BOUND, .bind = bind_limits},
};

void manifest_empty(struct manifest *ret) {
    *ret = (struct manifest){.target_speedup = NAN, .cost_per_hour = NAN};
    ret->gate.spec = gate_spec_default();
    ret->limits.case_s = 60;
    ret->limits.gate_s = 3600;
    char *dir = path_absolute(".");
    ret->path = MANIFEST_FILE_NAME;
    ret->dir = arena_strdup(&ret->arena, dir);
    free(dir);
}

static void place_set(struct manifest *manifest, const char *path) {
    char *absolute = path_absolute(path);
    char *dir = path_dir(absolute);
    manifest->path = arena_strdup(&manifest->arena, path);
    manifest->dir = arena_strdup(&manifest->arena, dir);
    free(absolute);
    free(dir);
}

int manifest_parse(const char *text, size_t length, const char *path, struct manifest *ret, struct err *err) {
    yaml_document_t document;
    TRY(schema_load(text, length, path, &document, err));
    struct manifest manifest;
    manifest_empty(&manifest);
    place_set(&manifest, path);
    const struct schema_reader reader = {
        .document = &document, .path = path, .arena = &manifest.arena, .err = err};
    int result = schema_bind(&reader, yaml_document_get_root_node(&document), "", top_fields,
                             sizeof top_fields / sizeof *top_fields, &manifest);
    if (result == 0) result = manifest_check(&reader, &manifest);
    yaml_document_delete(&document);
    if (result < 0)
        manifest_fini(&manifest);
    else
        *ret = manifest;
    return result;
}

int manifest_read(const char *path, struct manifest *ret, struct err *err) {
    char *text;
    size_t length;
    struct err why = {0};
    // One byte more than allowed, so that the limit is reported as a fault of the manifest.
    int result = file_read(path, MANIFEST_BYTES_MAX + 1, &text, &length, &why);
    if (result == -ERR_DATA) {
        return err_set(err, ERR_CONFIG, "%s: larger than the limit of %zu bytes for a manifest", path,
                       MANIFEST_BYTES_MAX);
    }
    if (result == -ERR_NO_INPUT) {
        return err_set(err, ERR_NO_INPUT, "%s; 'assay init' writes a manifest to start from", why.text);
    }
    if (result < 0) return err_set(err, why.code, "%s", why.text);
    result = manifest_parse(text, length, path, ret, err);
    free(text);
    return result;
}

char *manifest_find(const char *start_dir) {
    char *dir = path_absolute(start_dir);
    for (;;) {
        char *path = path_join(dir, MANIFEST_FILE_NAME);
        bool is_top = str_equal(dir, "/");
        if (file_exists(path)) {
            free(dir);
            return path;
        }
        free(path);
        char *up = path_dir(dir);
        free(dir);
        if (is_top) {
            free(up);
            return NULL;
        }
        dir = up;
    }
}

void manifest_fini(struct manifest *manifest) {
    arena_fini(&manifest->arena);
    memset(manifest, 0, sizeof *manifest);
}

int manifest_get_kernel(const struct manifest *manifest, const char *name, const struct manifest_kernel **ret,
                        struct err *err) {
    const char **known = mem_alloc((manifest->kernel_count + 1) * sizeof *known);
    struct strbuf list = {0};
    int result = 0;
    for (size_t i = 0; i < manifest->kernel_count; ++i) {
        if (str_equal(manifest->kernels[i].name, name)) {
            *ret = &manifest->kernels[i];
            goto out;
        }
        known[i] = manifest->kernels[i].name;
        strbuf_addf(&list, "%s%s", i ? ", " : "", known[i]);
    }
    const char *nearest = str_nearest(name, known, manifest->kernel_count);
    if (!manifest->kernel_count) {
        result = err_set(err, ERR_USAGE, "unknown kernel '%s': %s names no kernels; add one under 'kernels:'",
                         name, manifest->path);
    } else if (nearest) {
        result = err_set(err, ERR_USAGE, "unknown kernel '%s', did you mean '%s'? %s names: %s", name,
                         nearest, manifest->path, strbuf_text(&list));
    } else {
        result = err_set(err, ERR_USAGE, "unknown kernel '%s'; %s names: %s", name, manifest->path,
                         strbuf_text(&list));
    }
out:
    free(known);
    strbuf_fini(&list);
    return result;
}
