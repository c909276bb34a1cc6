// SPDX-License-Identifier: Apache-2.0
//
// The manifest: finds and reads the file, its top level and defaults, and checks references between its
// sections. Sections whose names the user chooses are in manifest_declared.c, manifest_kernel.c,
// manifest_suite.c and manifest_sim.c.
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
#include "control/plan/sim_shipped.h"
#include "control/plan/suite.h"

#define AT(member) offsetof(struct manifest, member)

static int bind_ratchet(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                        void *target) {
    const char *text;
    TRY(schema_text(reader, node, key, &text));
    if (ratchet_parse(text, target)) return 0;
    return schema_fail(reader, node, key,
                       "is by how much the figure may grow: a number such as 0, or a share such as 5 %%, not "
                       "'%s'",
                       text);
}

#define RATCHET(name, figure, text, what)                                                                    \
    {                                                                                                        \
        .key = name, .kind = SCHEMA_BOUND, .offset = AT(gate.spec.ratchets.of[figure]),                      \
        .bind = bind_ratchet, .example = name ": " text, .type = "number or share", .fallback = "no limit",  \
        .meaning = what " may grow by so much."                                                              \
    }
static const struct schema_field ratchet_fields[] = {
    RATCHET("registers", COMPILER_REGISTERS, "0", "Registers of a thread"),
    RATCHET("spills", COMPILER_SPILLS, "0", "Spilled bytes of a thread"),
    RATCHET("shared_bytes", COMPILER_SHARED_BYTES, "0", "Shared memory of a thread block"),
    RATCHET("binary_bytes", COMPILER_BINARY_BYTES, "5 %", "Machine code"),
    RATCHET("compile_s", COMPILER_COMPILE_S, "50 %", "The time of the compiler"),
};
_Static_assert(sizeof ratchet_fields / sizeof *ratchet_fields == COMPILER_FIGURE_COUNT,
               "every figure has a ratchet");
static const struct schema_table ratchet_table = SCHEMA_TABLE(ratchet_fields, "ratchet");

static const char *metric_word(size_t index) {
    return index < METRIC_COUNT ? metric_names[index] : NULL;
}

static const char *const undecided_words[] = {"fail", "warn", NULL};
static const char *const webhook_words[] = {"slack", "teams", "json", NULL};
static const char *const tls_words[] = {"none", NULL};

#define TEXT(key_, member_, ...)                                                                             \
    SCHEMA_FIELD_AS(key_, struct manifest, member_, SCHEMA_TEXT, 0, 0, __VA_ARGS__)
#define NUMBER(key_, member_, min_, max_, ...)                                                               \
    SCHEMA_FIELD_AS(key_, struct manifest, member_, SCHEMA_NUMBER, min_, max_, __VA_ARGS__)

static const struct schema_field gate_fields[] = {
    TEXT("suite", gate.suite, "cpu", .type = "suite",
         .fallback = "`cpu`; `ci` on a GPU, `sim` on a simulated device",
         .meaning = "The problems to measure."),
    TEXT("check", gate.check, "fuzz", .type = "suite",
         .fallback = "`boundary`, or that of the operator; `sim` on a simulated device",
         .meaning = "The problems to check before measuring."),
    TEXT("candidate", gate.candidate, "mine", .type = "kernel", .fallback = "none: `--candidate` is needed",
         .meaning = "The kernel under test."),
    TEXT("baseline", gate.baseline, "\"git:merge-base\"",
         .type = "kernel, `assay:NAME`, `git:REV`, `git:merge-base`, or a `.json` file",
         .fallback = "none: `--baseline` is needed", .meaning = "What to compare the candidate with."),
    {.key = "metric",
     .kind = SCHEMA_CHOICE,
     .offset = AT(gate.metric),
     .word_at = metric_word,
     .example = "metric: call_time",
     .fallback = "`time`",
     .meaning = "What to measure of a launch. `call_time`: single calls with their launch overhead. The "
                "others are counters, for kernels that you trust: Valgrind on a processor (`instructions` "
                "only), a GPU's own counters ([measuring.md](measuring.md#other-metrics))."},
    NUMBER("regression_pct", gate.spec.regression_pct, 0.01, REGRESSION_PCT_MAX, "3",
           .fallback = "3; 1 for instructions", .meaning = "Slower by more than this is a regression."),
    NUMBER("improvement_pct", gate.spec.improvement_pct, 0.01, 99, "10", .fallback = "10",
           .meaning = "Faster by more than this (of the time) is an improvement."),
    {.key = "ratchet",
     .kind = SCHEMA_STRUCT,
     .table = &ratchet_table,
     .example = "ratchet: {registers: 0}",
     .fallback = "none",
     .meaning =
         "By how much figures of the compiler may grow: `{registers: 0, spills: 0, shared_bytes: 0, "
         "binary_bytes: 5 %, compile_s: 50 %}`. A plain number is in the figure's own unit, `%` is of "
         "the baseline's figure; the others have no limit. See [guardrails.md](guardrails.md#ratchets)."},
    {.key = "undecided",
     .kind = SCHEMA_SWITCH,
     .offset = AT(gate.spec.warns_of_undecided),
     .words = undecided_words,
     .example = "undecided: warn",
     .fallback = "`fail`",
     .meaning = "`warn`: one problem of ten (rounded up, never all) may stay undecided or invalid without "
                "changing the exit code; the report says so."},
};
static const struct schema_table gate_table = SCHEMA_TABLE(gate_fields, "gate");

static const struct schema_table limits_table = {.name = "limits", .figures = &run_limits_members};

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
    const char **store = target;
    TRY(schema_text(reader, node, key, store));
    if (str_equal(*store, "none") || address_is_remote(*store)) return 0;
    return schema_fail(reader, node, key,
                       "is none or an address, postgresql://HOST/NAME, not '%s'; ASSAY_STORE names a file",
                       *store);
}

static const struct schema_field notify_fields[] = {
    TEXT("email_to", notify.email_to, "team@example.org", .fallback = "nobody",
         .meaning = "Who gets an e-mail: addresses between commas."),
    TEXT("email_from", notify.email_from, "ci@example.org", .meaning = "The address that sends it."),
    TEXT("smtp", notify.smtp, "\"smtp://mail.example.org:587\"", .meaning = "The server that takes it."),
    {.key = "smtp_tls",
     .kind = SCHEMA_WORD,
     .offset = AT(notify.smtp_tls),
     .words = tls_words,
     .hint = "without the key mail goes through TLS",
     .example = "smtp_tls: none",
     .fallback = "TLS",
     .meaning = "`none`: a server on this machine without TLS."},
    TEXT("branches", notify.branches, "\"main,release\"", .fallback = "`main,master`",
         .meaning = "Branches of which a regression is told, between commas."),
    {.key = "webhook",
     .kind = SCHEMA_WORD,
     .offset = AT(notify.webhook),
     .words = webhook_words,
     .hint = "ASSAY_WEBHOOK_URL has the address",
     .example = "webhook: slack",
     .fallback = "none",
     .meaning = "The form of the message for a chat; `ASSAY_WEBHOOK_URL` has the address."},
};
static const struct schema_table notify_table = SCHEMA_TABLE(
    notify_fields, "notify",
    .rule =
        "{\"dependentRequired\": {\"email_to\": [\"email_from\", \"smtp\"], \"email_from\": [\"email_to\", "
        "\"smtp\"], \"smtp\": [\"email_to\", \"email_from\"], \"smtp_tls\": [\"smtp\"]}}");

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
    TRY(schema_bind(reader, node, key, &notify_table, target));
    const int given = (manifest->notify.email_to != NULL) + (manifest->notify.email_from != NULL) +
                      (manifest->notify.smtp != NULL);
    if (given != 0 && given != 3)
        return schema_fail(reader, node, key, "has email_to, email_from and smtp, or none of them");
    if (given && !are_addresses(manifest->notify.email_to))
        return schema_fail(reader, node, key,
                           "email_to is one address, or several between commas, without names: not '%s'",
                           manifest->notify.email_to);
    if (manifest->notify.smtp_tls && !(given && is_smtp_here(manifest->notify.smtp)))
        return schema_fail(reader, node, key,
                           "smtp_tls: none is for a server on this machine: smtp://localhost, "
                           "smtp://127.0.0.1 or smtp://[::1], not '%s'",
                           str_or(manifest->notify.smtp, "none"));
    return 0;
}

// begin() has read it.
static int bind_extends(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                        void *target) {
    (void)node, (void)key, (void)target;
    yaml_node_t *root = yaml_document_get_root_node(reader->document), *value;
    for (size_t i = 0; i < schema_pair_count(root); ++i) {
        const char *name;
        const yaml_node_t *at = schema_pair(reader, root, i, &name, &value);
        if (!str_equal(name, "version") && !str_equal(name, "extends") && !str_equal(name, "kernels"))
            return schema_fail(reader, at, name,
                               "is said by the manifest that this one extends, which adds kernels alone");
    }
    return 0;
}

static const struct schema_field top_fields[] = {
    {.key = "version",
     .kind = SCHEMA_BOUND,
     .is_required = true,
     .bind = bind_version,
     .json = "{\"const\": 1}",
     .type = "1",
     .example = "version: 1",
     .meaning = "Of this format."},
    {.key = "extends",
     .kind = SCHEMA_BOUND,
     .bind = bind_extends,
     .json = "{\"type\": \"string\", \"minLength\": 1}",
     .type = "path",
     .example = "extends: ../assay.yaml",
     .fallback = "none",
     .meaning =
         "Another manifest, with all that it says. `kernels` are added to its own, or take the place of "
         "those of the same name, and their paths are relative to this file; no other key stands beside "
         "them. For files that a build writes ([kernel-tools.md](kernel-tools.md#cmake))."},
    TEXT("python_interpreter", python_interpreter, ".venv/bin/python3", // before Python files are asked
         .fallback = "that of `VIRTUAL_ENV`, else `python3`",
         .meaning = "Runs what is written in Python; with a slash a path, relative to the manifest."),
    {.key = "limits",
     .kind = SCHEMA_STRUCT,
     .offset = AT(limits),
     .table = &limits_table,
     .fallback = "see below",
     .meaning = "Limits of time, memory and load."},
    {.key = "operators", // before all that names problems
     .kind = SCHEMA_BOUND,
     .bind = manifest_bind_operators,
     .table = &manifest_operator_table,
     .shape = SCHEMA_NAMED_OR_TEXT,
     .names = "^[a-z0-9_]{1,96}$",
     .fallback = "none",
     .meaning = "Your own operators, in addition to those of assay, see below; a text is a Python file that "
                "declares one, `rmsnorm: ops/rmsnorm.py`."},
    {.key = "kernels",
     .kind = SCHEMA_BOUND,
     .bind = manifest_bind_kernels,
     .table = &manifest_kernel_table,
     .shape = SCHEMA_NAMED,
     .names = SCHEMA_NAME_PATTERN,
     .fallback = "none",
     .meaning = "See below; commands and reports use its keys as names."},
    {.key = "suites",
     .kind = SCHEMA_BOUND,
     .bind = manifest_bind_suites,
     .table = &manifest_suite_table,
     .shape = SCHEMA_NAMED,
     .names = SCHEMA_NAME_PATTERN,
     .fallback = "none",
     .meaning = "Your own suites, in addition to the shipped ones."},
    {.key = "devices",
     .kind = SCHEMA_BOUND,
     .bind = manifest_bind_devices,
     .table = &manifest_device_table,
     .shape = SCHEMA_NAMED,
     .names = "^sim:[A-Za-z0-9_][A-Za-z0-9_.-]{0,26}$",
     .fallback = "none",
     .meaning = "Your own simulated devices, in addition to the shipped ones."},
    {.key = "gate",
     .kind = SCHEMA_STRUCT,
     .table = &gate_table,
     .fallback = "see below",
     .meaning = "The defaults of `assay gate`."},
    SCHEMA_LIST(
        "peers", struct manifest, peers, peer_count, "[torch]", .type = "list of texts", .fallback = "none",
        .meaning = "Default of `bench --vs`; names as in [peers.md](peers.md): kernels, `assay:simd` and "
                   "others that come with assay, libraries, functions of Python, `git:REV`."),
    NUMBER("target_speedup", target_speedup, 0.01, 1000, "1.5", .fallback = "none",
           .meaning =
               "`bench --vs` says \"target met\" when every problem is at least this much faster than the "
               "peer."),
    NUMBER("cost_per_hour", cost_per_hour, 0, MANIFEST_COUNT_MAX, "2.50", .fallback = "none",
           .meaning = "Price of the device; reports then state the cost of a run."),
    {.key = "store",
     .kind = SCHEMA_BOUND,
     .offset = AT(store),
     .bind = bind_store,
     .json = "{\"type\": \"string\", \"pattern\": \"^none$|://\"}",
     .type = "`none` or an address",
     .example = "store: none",
     .fallback = "none given",
     .meaning = "`none`: keeps no runs in the [history](history.md); `postgresql://HOST/NAME`: keeps them "
                "there."},
    {.key = "notify",
     .kind = SCHEMA_BOUND,
     .bind = bind_notify,
     .table = &notify_table,
     .fallback = "nobody",
     .meaning = "Who gets a message about a regression on a branch, see below."},
};
const struct schema_table manifest_table = SCHEMA_TABLE(
    top_fields, "manifest",
    .rule = "{\"if\": {\"required\": [\"extends\"]}, \"then\": {\"propertyNames\": {\"enum\": [\"version\", "
            "\"extends\", \"kernels\"]}}}");

void manifest_empty(struct manifest *ret) {
    *ret = (struct manifest){.target_speedup = NAN, .cost_per_hour = NAN};
    ret->gate.spec = gate_spec_default();
    ret->limits = run_limits_default();
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

static int read_file(const char *path, const struct manifest_asker *asker, bool is_base, struct manifest *ret,
                     struct err *err);

// What the document's keys are added to: nothing, or the manifest that it extends. folder: the document's.
static int begin(const struct schema_reader *reader, const char *folder, bool is_base, struct manifest *ret) {
    const yaml_node_t *extends =
        schema_find(reader, yaml_document_get_root_node(reader->document), "extends");
    if (!extends) {
        manifest_empty(ret);
        ret->path = arena_strdup(&ret->arena, reader->path);
        ret->dir = arena_strdup(&ret->arena, folder);
        ret->gate.spec.regression_pct = NAN;
        return 0;
    }
    if (extends->type != YAML_SCALAR_NODE || !extends->data.scalar.length)
        return schema_fail(reader, extends, "extends", "must be the path of a manifest");
    if (is_base)
        return schema_fail(reader, extends, "extends", "stands in a manifest that another one extends");
    char *path = path_join(folder, (const char *)extends->data.scalar.value);
    const int result = read_file(path, reader->asker, true, ret, reader->err);
    free(path);
    if (result < 0) return result;
    ret->is_extended = true;
    if (!ret->gate.is_regression_given) ret->gate.spec.regression_pct = NAN;
    return 0;
}

static int parse(const struct manifest_text *text, const struct manifest_asker *asker, bool is_base,
                 struct manifest *ret, struct err *err) {
    yaml_document_t document;
    TRY(schema_load(text->text, text->length, text->path, &document, err));
    struct manifest manifest;
    char *absolute = path_absolute(text->path), *dir = path_dir(absolute);
    struct schema_reader reader = {.document = &document,
                                   .path = text->path,
                                   .dir = dir,
                                   .arena = &manifest.arena,
                                   .operators = &manifest.operators,
                                   .asker = asker,
                                   .err = err};
    int result = begin(&reader, dir, is_base, &manifest);
    if (result < 0) goto out;
    reader.dir = arena_strdup(&manifest.arena, dir); // of operators and kernels, too
    result = schema_bind(&reader, yaml_document_get_root_node(&document), "", &manifest_table, &manifest);
    manifest.gate.is_regression_given = isfinite(manifest.gate.spec.regression_pct);
    if (!manifest.gate.is_regression_given)
        manifest.gate.spec.regression_pct = metric_regression_pct(manifest.gate.metric);
    if (result == 0) result = sections_check(&reader, &manifest);
    if (result < 0)
        manifest_fini(&manifest);
    else
        *ret = manifest;
out:
    yaml_document_delete(&document);
    free(absolute);
    free(dir);
    return result;
}

int manifest_parse(const struct manifest_text *text, const struct manifest_asker *asker, struct manifest *ret,
                   struct err *err) {
    return parse(text, asker, false, ret, err);
}

static int read_file(const char *path, const struct manifest_asker *asker, bool is_base, struct manifest *ret,
                     struct err *err) {
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
    result = parse(&(struct manifest_text){text, length, path}, asker, is_base, ret, err);
    free(text);
    return result;
}

int manifest_read(const char *path, const struct manifest_asker *asker, struct manifest *ret,
                  struct err *err) {
    return read_file(path, asker, false, ret, err);
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

const char *manifest_nearest_kernel(const struct manifest *manifest, const char *name) {
    const char **known = mem_alloc((manifest->kernel_count + 1) * sizeof *known);
    for (size_t i = 0; i < manifest->kernel_count; ++i) known[i] = manifest->kernels[i].name;
    const char *ret = str_nearest(name, known, manifest->kernel_count);
    free(known);
    return ret;
}

int manifest_get_kernel(const struct manifest *manifest, const char *name, const struct manifest_kernel **ret,
                        struct err *err) {
    struct strbuf list = {0};
    int result = 0;
    for (size_t i = 0; i < manifest->kernel_count; ++i) {
        if (str_equal(manifest->kernels[i].name, name)) {
            *ret = &manifest->kernels[i];
            goto out;
        }
        comma_add(&list, manifest->kernels[i].name);
    }
    const char *nearest = manifest_nearest_kernel(manifest, name);
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
    strbuf_fini(&list);
    return result;
}
