// SPDX-License-Identifier: Apache-2.0
//
// The manifest: finds and reads the file, its top level and defaults, and checks references between its
// sections. Sections whose names the user chooses are in manifest_kernel.c, manifest_suite.c and
// manifest_sim.c.
#include "control/plan/manifest/manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/address.h"
#include "base/comma.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/plan/manifest/manifest_internal.h"
#include "control/plan/peer.h"
#include "control/plan/shipped_kernel.h"
#include "control/plan/sim_shipped.h"
#include "control/plan/suite.h"

#define AT(member) offsetof(struct manifest, member)
#define DAY_S      86400.0

static int bind_undecided(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                          void *target) {
    struct manifest *manifest = target;
    const char *text;
    TRY(schema_text(reader, node, key, &text));
    manifest->gate.spec.warns_of_undecided = str_equal(text, "warn");
    if (manifest->gate.spec.warns_of_undecided || str_equal(text, "fail")) return 0;
    return schema_fail(reader, node, key, "is fail or warn, not '%s'", text);
}

static int bind_metric(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    struct manifest *manifest = target;
    const char *text;
    TRY(schema_text(reader, node, key, &text));
    manifest->gate.metric = metric_parse(text);
    if (manifest->gate.metric != METRIC_COUNT) return 0;
    return schema_fail(reader, node, key, "is %s, not '%s'", metric_choices(), text);
}

// By how much the figure may grow that the field's place says.
static int bind_ratchet(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                        void *target) {
    struct manifest *manifest = target;
    const char *text, *figure = strrchr(key, '.') + 1;
    enum compiler_figure i = 0;
    while (!str_equal(compiler_figure_key(i), figure)) ++i;
    TRY(schema_text(reader, node, key, &text));
    if (ratchet_parse(text, &manifest->gate.spec.ratchets.of[i])) return 0;
    return schema_fail(reader, node, key,
                       "is by how much the figure may grow: a number such as 0, or a share such as 5 %%, not "
                       "'%s'",
                       text);
}

#define RATCHET(name, text)                                                                                  \
    { .key = name, .kind = SCHEMA_BOUND, .bind = bind_ratchet, .example = name ": " text }
static const struct schema_field ratchet_fields[] = {
    RATCHET("registers", "0"),      RATCHET("spills", "0"),       RATCHET("shared_bytes", "0"),
    RATCHET("binary_bytes", "5 %"), RATCHET("compile_s", "50 %"),
};
_Static_assert(sizeof ratchet_fields / sizeof *ratchet_fields == COMPILER_FIGURE_COUNT,
               "every figure has a ratchet");

static int bind_ratchets(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         void *target) {
    return schema_bind(reader, node, key, ratchet_fields, sizeof ratchet_fields / sizeof *ratchet_fields,
                       target);
}

static const struct schema_field gate_fields[] = {
    SCHEMA_FIELD_AS("suite", struct manifest, gate.suite, SCHEMA_TEXT, 0, 0, "cpu"),
    SCHEMA_FIELD_AS("check", struct manifest, gate.check, SCHEMA_TEXT, 0, 0, "fuzz"),
    SCHEMA_FIELD_AS("candidate", struct manifest, gate.candidate, SCHEMA_TEXT, 0, 0, "mine"),
    SCHEMA_FIELD_AS("baseline", struct manifest, gate.baseline, SCHEMA_TEXT, 0, 0, "\"git:merge-base\""),
    {.key = "regression_pct",
     .kind = SCHEMA_NUMBER,
     .offset = AT(gate.spec.regression_pct),
     .min = 0.01,
     .max = REGRESSION_PCT_MAX,
     .example = "regression_pct: 3"},
    {.key = "improvement_pct",
     .kind = SCHEMA_NUMBER,
     .offset = AT(gate.spec.improvement_pct),
     .min = 0.01,
     .max = 99,
     .example = "improvement_pct: 10"},
    {.key = "undecided", .kind = SCHEMA_BOUND, .bind = bind_undecided, .example = "undecided: warn"},
    {.key = "metric", .kind = SCHEMA_BOUND, .bind = bind_metric, .example = "metric: call_time"},
    {.key = "ratchet", .kind = SCHEMA_BOUND, .bind = bind_ratchets, .example = "ratchet: {registers: 0}"},
};

static int bind_priority(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         void *target) {
    struct manifest *manifest = target;
    const char *text;
    TRY(schema_text(reader, node, key, &text));
    manifest->limits.has_normal_priority = str_equal(text, "normal");
    if (manifest->limits.has_normal_priority || str_equal(text, "high")) return 0;
    return schema_fail(reader, node, key, "is high or normal, not '%s'", text);
}

static const struct schema_field limits_fields[] = {
    SCHEMA_FIELD_AS("case_s", struct manifest, limits.case_s, SCHEMA_NUMBER, 0.1, DAY_S, "60"),
    SCHEMA_FIELD_AS("gate_s", struct manifest, limits.gate_s, SCHEMA_NUMBER, 1, 7 * DAY_S, "3600"),
    SCHEMA_FIELD_AS("memory_gb", struct manifest, limits.memory_gb, SCHEMA_NUMBER, 0.01, 100000, "16"),
    SCHEMA_FIELD_AS("busy_pct", struct manifest, limits.busy_pct, SCHEMA_NUMBER, 0.01, 100, "10"),
    {.key = "priority", .kind = SCHEMA_BOUND, .bind = bind_priority, .example = "priority: normal"},
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

static int bind_store(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    struct manifest *manifest = target;
    TRY(schema_text(reader, node, key, &manifest->store));
    if (str_equal(manifest->store, "none") || address_is_remote(manifest->store)) return 0;
    return schema_fail(reader, node, key,
                       "is none or an address, postgresql://HOST/NAME, not '%s'; ASSAY_STORE names a file",
                       manifest->store);
}

static int bind_webhook(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                        void *target) {
    struct manifest *manifest = target;
    TRY(schema_text(reader, node, key, &manifest->notify.webhook));
    const char *form = manifest->notify.webhook;
    if (str_equal(form, "slack") || str_equal(form, "teams") || str_equal(form, "json")) return 0;
    return schema_fail(reader, node, key,
                       "is slack, teams or json, not '%s'; ASSAY_WEBHOOK_URL has the address", form);
}

static int bind_smtp_tls(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                         void *target) {
    struct manifest *manifest = target;
    const char *text = NULL;
    TRY(schema_text(reader, node, key, &text));
    manifest->notify.is_smtp_plain = str_equal(text, "none");
    if (manifest->notify.is_smtp_plain) return 0;
    return schema_fail(reader, node, key, "is none, not '%s'; without the key mail goes through TLS", text);
}

static const struct schema_field notify_fields[] = {
    SCHEMA_FIELD_AS("email_to", struct manifest, notify.email_to, SCHEMA_TEXT, 0, 0, "team@example.org"),
    SCHEMA_FIELD_AS("email_from", struct manifest, notify.email_from, SCHEMA_TEXT, 0, 0, "ci@example.org"),
    SCHEMA_FIELD_AS("smtp", struct manifest, notify.smtp, SCHEMA_TEXT, 0, 0,
                    "\"smtp://mail.example.org:587\""),
    {.key = "smtp_tls", .kind = SCHEMA_BOUND, .bind = bind_smtp_tls, .example = "smtp_tls: none"},
    SCHEMA_FIELD_AS("branches", struct manifest, notify.branches, SCHEMA_TEXT, 0, 0, "\"main,release\""),
    {.key = "webhook", .kind = SCHEMA_BOUND, .bind = bind_webhook, .example = "webhook: slack"},
};

// A comma list of addresses without names, as a mail server wants each of them.
static bool are_addresses(const char *list) {
    struct comma_item item;
    for (const char *at = list; comma_next(&at, &item);)
        if (!item.length || memchr(item.text, ' ', item.length) || memchr(item.text, '"', item.length))
            return false;
    return true;
}

// smtp://HOST, with or without port and path, of this machine. Before an '@' it would be a user's name.
static bool is_smtp_here(const char *address) {
    static const char *const hosts[] = {"smtp://localhost", "smtp://127.0.0.1", "smtp://[::1]"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; ++i)
        if (str_starts(address, hosts[i]) && strchr(":/", address[strlen(hosts[i])]))
            return !strchr(address, '@');
    return false;
}

// Who gets an e-mail, from whom, and by which server: one without the others sends none.
static int bind_notify(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    struct manifest *manifest = target;
    TRY(schema_bind(reader, node, key, notify_fields, sizeof notify_fields / sizeof *notify_fields, target));
    const int given = (manifest->notify.email_to != NULL) + (manifest->notify.email_from != NULL) +
                      (manifest->notify.smtp != NULL);
    if (given != 0 && given != 3)
        return schema_fail(reader, node, key, "has email_to, email_from and smtp, or none of them");
    if (given && !are_addresses(manifest->notify.email_to))
        return schema_fail(reader, node, key,
                           "email_to is one address, or several between commas, without names: not '%s'",
                           manifest->notify.email_to);
    if (manifest->notify.is_smtp_plain && !(given && is_smtp_here(manifest->notify.smtp)))
        return schema_fail(reader, node, key,
                           "smtp_tls: none is for a server on this machine: smtp://localhost, "
                           "smtp://127.0.0.1 or smtp://[::1], not '%s'",
                           str_or(manifest->notify.smtp, "none"));
    return 0;
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
    SCHEMA_LIST("peers", struct manifest, peers, peer_count, "[torch]"),
    SCHEMA_FIELD(struct manifest, python_interpreter, SCHEMA_TEXT, 0, 0, ".venv/bin/python3"),
    SCHEMA_FIELD(struct manifest, target_speedup, SCHEMA_NUMBER, 0.01, 1000, "1.5"),
    SCHEMA_FIELD(struct manifest, cost_per_hour, SCHEMA_NUMBER, 0, MANIFEST_COUNT_MAX, "2.50"),
    {.key = "limits", .kind = SCHEMA_BOUND, .bind = bind_limits},
    {.key = "store", .kind = SCHEMA_BOUND, .bind = bind_store, .example = "store: none"},
    {.key = "notify", .kind = SCHEMA_BOUND, .bind = bind_notify},
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

// A suite that the manifest names must resolve; node and key: where it is named.
static int suite_check(const struct schema_reader *reader, const struct manifest *manifest, const char *name,
                       const yaml_node_t *node, const char *key) {
    struct arena scratch = {0};
    struct suite resolved;
    struct err why = {0};
    const int result = suite_resolve(manifest, name, NULL, &scratch, &resolved, &why);
    arena_fini(&scratch);
    return result < 0 ? schema_fail(reader, node, key, "%s", why.text) : 0;
}

// Checks that the suites and kernels named by the gate exist. A baseline may also be a revision or a stored
// file.
static int gate_check(const struct schema_reader *reader, const struct manifest *manifest,
                      const yaml_node_t *gate) {
    static const char *const keys[] = {"suite", "check", "candidate", "baseline"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const yaml_node_t *node = schema_find(reader, gate, keys[i]);
        if (!node) continue;
        const char *name = (const char *)node->data.scalar.value, *key = schema_join(reader, "gate", keys[i]);
        if (i < 2) {
            TRY(suite_check(reader, manifest, name, node, key));
            continue;
        }
        const struct manifest_kernel *kernel;
        struct err why = {0};
        if (manifest_get_kernel(manifest, name, &kernel, &why) == 0 || sim_shipped_kernel_find(name))
            continue;
        const bool is_baseline = str_equal(keys[i], "baseline");
        if (is_baseline && (str_starts(name, "git:") || shipped_is_name(name) || str_ends(name, ".json")))
            continue;
        return schema_fail(
            reader, node, key, "%s%s", why.text,
            is_baseline
                ? "; a baseline may also be git:REV, git:merge-base, assay:NAME or a stored .json file"
                : "");
    }
    return 0;
}

// Checks references between sections: suites, peers and the gate may only name what exists.
static int sections_check(const struct schema_reader *reader, const struct manifest *manifest) {
    const yaml_node_t *root = yaml_document_get_root_node(reader->document);
    const yaml_node_t *suites = schema_find(reader, root, "suites");
    for (size_t i = 0; i < manifest->suite_count; ++i) {
        const char *name = manifest->suites[i].name;
        const yaml_node_t *node = schema_find(reader, suites, name),
                          *from = schema_find(reader, node, "from");
        TRY(suite_check(reader, manifest, name, from ? from : node, schema_join(reader, "suites", name)));
    }
    for (size_t i = 0; i < manifest->peer_count; ++i) {
        // A name with a colon is a peer that assay knows, a Python function or a revision. A name without one
        // may also be a linked-in kernel, which only the worker knows.
        const char *name = manifest->peers[i];
        const bool is_wrong =
            !*name || (strchr(name, ':') && !str_starts(name, "git:") && !shipped_is_name(name) &&
                       !peer_find(NULL, name) && !peer_is_callable(name));
        char known[256];
        if (!is_wrong) continue;
        peer_format_names(NULL, NULL, known, sizeof known);
        return schema_fail(
            reader, schema_find(reader, root, "peers"), "peers",
            "'%s' is no peer; there are %s, assay:NAME, 'module:function' of Python, kernels and "
            "git:REV",
            name, known);
    }
    return gate_check(reader, manifest, schema_find(reader, root, "gate"));
}

int manifest_parse(const char *text, size_t length, const char *path, struct manifest *ret, struct err *err) {
    yaml_document_t document;
    TRY(schema_load(text, length, path, &document, err));
    struct manifest manifest;
    manifest_empty(&manifest);
    char *absolute = path_absolute(path), *dir = path_dir(absolute);
    manifest.path = arena_strdup(&manifest.arena, path);
    manifest.dir = arena_strdup(&manifest.arena, dir);
    free(absolute);
    free(dir);
    const struct schema_reader reader = {
        .document = &document, .path = path, .arena = &manifest.arena, .err = err};
    manifest.gate.spec.regression_pct = NAN;
    int result = schema_bind(&reader, yaml_document_get_root_node(&document), "", top_fields,
                             sizeof top_fields / sizeof *top_fields, &manifest);
    manifest.gate.is_regression_given = isfinite(manifest.gate.spec.regression_pct);
    if (!manifest.gate.is_regression_given)
        manifest.gate.spec.regression_pct = metric_regression_pct(manifest.gate.metric);
    if (result == 0) result = sections_check(&reader, &manifest);
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
    if (result == -ERR_NO_INPUT && !file_exists(path)) {
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
        comma_add(&list, known[i]);
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
