// SPDX-License-Identifier: Apache-2.0
//
// SARIF 2.1.0 (OASIS): what a gate holds against the candidate, each at its file and line. What belongs to no
// file (a library, a kernel that was removed) has no place here; all other reports have it.
#include <string.h>

#include "base/hash.h"
#include "base/json_writer.h"
#include "report/export/alert_list.h"
#include "report/export/export.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

static const char *const levels[SEVERITY_COUNT] = {
    [SEVERITY_NOTE] = "note", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};

// A rule a verdict of the alerts, or a reason; ids are their names.
static const struct {
    enum verdict verdict;
    const char *sentence;
    enum reason reason; // NONE: the verdict
} rules[] = {
    {VERDICT_REGRESSION, "The candidate is slower than the baseline, beyond the threshold.", REASON_NONE},
    {VERDICT_WRONG, "The candidate's result is wrong.", REASON_NONE},
    {VERDICT_UNDECIDABLE, "The measurement could not decide.", REASON_NONE},
    {VERDICT_NOT_VALID, "The measurement is not valid.", REASON_NONE},
    {VERDICT_REMOVED, "Only the baseline has this problem.", REASON_NONE},
    {VERDICT_WORSE_BUILD, "A figure of the compiler grew by more than its ratchet allows.", REASON_NONE},
    {VERDICT_NONE, "A claimed improvement is not proved.", REASON_EXPECTED_IMPROVEMENT},
};
#define RULE_COUNT (sizeof rules / sizeof *rules)

// ---- texts ----

// In a message brackets are a link and braces a placeholder, unless they are escaped.
static void write_message(struct json_writer *w, const char *key, const char *text) {
    struct strbuf plain = {0}, message = {0};
    strbuf_add_plain(&plain, text, true);
    for (const char *c = strbuf_text(&plain); *c; ++c) {
        if (*c == '\\' || *c == '[' || *c == ']') strbuf_add_char(&message, '\\');
        if (*c == '{' || *c == '}') strbuf_add_char(&message, *c);
        strbuf_add_char(&message, *c);
    }
    json_object_begin(w, key);
    json_write_string(w, "text", strbuf_text(&message));
    json_object_end(w);
    strbuf_fini(&plain);
    strbuf_fini(&message);
}

static bool is_path_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~/", c));
}

// A path as a relative reference (RFC 3986).
static void write_uri(struct json_writer *w, const char *key, const char *path) {
    struct strbuf uri = {0};
    for (const char *c = path; *c; ++c)
        strbuf_addf(&uri, is_path_char(*c) ? "%c" : "%%%02X", (unsigned char)*c);
    json_write_string(w, key, strbuf_text(&uri));
    strbuf_fini(&uri);
}

// ---- one result ----

// "": a gate of several kernels, whose problems name them.
static const char *kernel_of(const struct result *result) {
    for (size_t i = 0; i < result->side_count; ++i)
        if (result->sides[i].role == SIDE_CANDIDATE) return str_or(result->sides[i].kernel, "");
    return "";
}

// The same problem stays the same alert, however the file's lines move, and two problems of a line are two.
static void write_fingerprint(struct json_writer *w, const struct result *result, const struct alert *alert) {
    char hex[HASH_HEX_BYTES];
    struct hash_state *hash = hash_new();
    hash_add_text(hash, str_or(result->environment.device, ""));
    hash_add_text(hash, kernel_of(result));
    hash_add_text(hash, alert->rule);
    hash_add_text(hash, alert->subject);
    hash_take_hex(hash, hex);
    json_object_begin(w, "partialFingerprints");
    json_write_string(w, "primaryLocationLineHash", hex); // the only one that GitHub reads
    json_object_end(w);
}

static void write_location(struct json_writer *w, const struct source_place *place) {
    json_array_begin(w, "locations");
    json_object_begin(w, NULL);
    json_object_begin(w, "physicalLocation");
    json_object_begin(w, "artifactLocation");
    write_uri(w, "uri", place->path);
    json_write_string(w, "uriBaseId", "%SRCROOT%");
    json_object_end(w);
    json_object_begin(w, "region");
    json_write_i64(w, "startLine", place->line > 0 ? place->line : 1);
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
    json_array_end(w);
}

static void write_suppression(struct json_writer *w, const char *reason) {
    if (!reason) return;
    json_array_begin(w, "suppressions");
    json_object_begin(w, NULL);
    json_write_string(w, "kind", "external");
    json_write_string(w, "justification", reason);
    json_object_end(w);
    json_array_end(w);
}

static void write_result(struct json_writer *w, const struct result *result, const struct alert *alert,
                         struct arena *arena) {
    json_object_begin(w, NULL);
    json_write_string(w, "ruleId", alert->rule);
    json_write_string(w, "level", levels[alert->severity]);
    write_message(w, "message", arena_format(arena, "%s: %s", alert->title, alert->message));
    write_location(w, &alert->place);
    write_fingerprint(w, result, alert);
    write_suppression(w, alert->accepted);
    json_object_end(w);
}

// ---- the document ----

static void write_tool(struct json_writer *w, const struct result *result) {
    json_object_begin(w, "tool");
    json_object_begin(w, "driver");
    json_write_string(w, "name", "assay");
    json_maybe_string(w, "version", result->environment.assay_version);
    json_array_begin(w, "rules");
    for (size_t i = 0; i < RULE_COUNT; ++i) {
        json_object_begin(w, NULL);
        json_write_string(w, "id",
                          rules[i].reason ? reason_name(rules[i].reason) : verdict_name(rules[i].verdict));
        write_message(w, "shortDescription", rules[i].sentence);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
    json_object_end(w);
}

static void write_run(struct json_writer *w, const struct result *result, struct arena *arena) {
    const struct alert *alerts = NULL;
    const size_t count = result->decision ? alert_list(result->decision, arena, &alerts) : 0;
    json_object_begin(w, NULL);
    write_tool(w, result);
    // Results of another kernel, suite or device do not replace these.
    json_object_begin(w, "automationDetails");
    json_write_string(w, "id",
                      arena_format(arena, "assay/%s%s%s/%s/", kernel_of(result),
                                   *kernel_of(result) ? "/" : "", str_or(result->suite, "problems"),
                                   str_or(result->environment.device, "device")));
    json_object_end(w);
    json_array_begin(w, "results");
    for (size_t i = 0; i < count; ++i)
        if (alerts[i].place.path) write_result(w, result, &alerts[i], arena);
    json_array_end(w);
    json_object_end(w);
}

int export_sarif_print(const struct result *result, const struct report_options *options,
                       struct strbuf *out) {
    struct arena arena = {0};
    struct json_writer w = json_writer_make(out, 2);
    (void)options;
    json_object_begin(&w, NULL);
    json_write_string(&w, "$schema", SCHEMA);
    json_write_string(&w, "version", "2.1.0");
    json_array_begin(&w, "runs");
    write_run(&w, result, &arena);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
    arena_fini(&arena);
    return 0;
}
