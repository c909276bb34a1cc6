// SPDX-License-Identifier: Apache-2.0
//
// The gate log: one JSON object a line, with a decision as in result.json but fewer members. Files of the
// cache folder are not trusted: their size is bounded, names are checked, and a bad line loses only that
// line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/flow/gate/gate_log_internal.h"
#include "record/field.h"
#include "record/run_id.h"
#include "verdict/decision_make.h"

#define GATE_LOG_SCHEMA_VERSION 1
#define GATE_LOG_BYTES_MAX      ((size_t)16 << 20)

// ---- paths and keys ----

void gate_device_key(const struct plan *plan, char ret_key[64]) {
    if (plan->sim)
        sim_device_uuid(plan->sim, ret_key);
    else
        snprintf(ret_key, 64, "%.63s", str_or(plan->device, ""));
}

char *gate_log_path(const struct plan *plan) {
    char stored[HASH_HEX_BYTES] = "", device[64], name[HASH_HEX_BYTES];
    struct err unread = {0};
    const char *codes[] = {"", ""}; // candidate, baseline
    for (size_t i = plan->side_count; i-- > 0;)
        if (plan->sides[i].role == SIDE_CANDIDATE || plan->sides[i].role == SIDE_BASELINE)
            codes[plan->sides[i].role == SIDE_BASELINE] =
                str_or(build_report_version(&plan->sides[i].build), "");
    if (plan->gate.stored_baseline && hash_file_hex(plan->gate.stored_baseline, stored, &unread) == 0)
        codes[1] = stored;
    if (!*codes[0] || !*codes[1] || file_check_cache(&unread) < 0) return NULL;
    gate_device_key(plan, device);
    struct hash_state *hash = hash_new();
    hash_add_text(hash, codes[0]);
    hash_add_text(hash, codes[1]);
    hash_add_text(hash, device);
    hash_take_hex(hash, name);
    char *cache = path_cache_dir();
    char *path = mem_format("%s/gates/%s.jsonl", cache, name);
    free(cache);
    return path;
}

// ---- entries ----

// The members that reports of a later run need.
static struct decision decision_in_short(const struct plan *plan, const struct decision *full,
                                         struct arena *arena) {
    struct decision decision = decision_empty(full->rule, &plan->gate.spec);
    decision.verdict = full->verdict;
    decision.exit_code = full->exit_code;
    decision.sentence = full->sentence;
    decision.round_count = full->round_count;
    decision.cases = arena_array(arena, plan->case_count + full->case_count, sizeof *decision.cases);
    for (size_t i = 0; i < full->case_count; ++i) {
        const struct decision_case *from = &full->cases[i];
        struct decision_case *item = &decision.cases[decision.case_count++];
        *item = decision_case_empty();
        item->name = from->name;
        item->short_name = from->short_name;
        item->verdict = from->verdict;
        item->change_pct = from->change_pct;
        item->change_low_pct = from->change_low_pct;
        item->change_high_pct = from->change_high_pct;
        item->spread_pct = from->spread_pct;
        item->round_count = from->round_count;
    }
    // Problems that the rule did not reach belong to the run's question too.
    for (size_t i = 0; i < plan->case_count; ++i) {
        char key[PROBLEM_KEY_BYTES];
        const char *name = problem_key(&plan->cases[i].problem, plan->cases[i].distribution, key);
        if (decision_find_case(full, name)) continue;
        struct decision_case *item = &decision.cases[decision.case_count++];
        *item = decision_case_empty();
        item->name = arena_strdup(arena, name);
        item->short_name = plan->cases[i].short_name;
    }
    return decision;
}

struct gate_entry gate_entry_make(const struct plan *plan, const char *dir, const struct result *result,
                                  const struct decision *decision, struct arena *arena) {
    struct gate_entry entry = {
        .run_id = plan->run_id,
        .dir = dir,
        .created_utc = plan->created_utc,
        .device_uuid = result->environment.device_uuid,
        .thread_count = plan->thread_count,
        .decision = decision_in_short(plan, decision, arena),
    };
    if (plan->gate.spec.expects_improvement)
        entry.claim = plan->gate.spec.expected_problems
                          ? arena_format(arena, "improvement:%s", plan->gate.spec.expected_problems)
                          : "improvement";
    return entry;
}

#define ENTRY(m, ...) MEMBER(struct gate_entry, #m, m, __VA_ARGS__)
static const struct member members[] = {
    ENTRY(run_id, "Of the run.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    ENTRY(dir, "Its folder."),
    ENTRY(created_utc, "When."),
    ENTRY(device_uuid, "Where."),
    ENTRY(claim, "The improvement that it claims."),
    ENTRY(thread_count, "Threads.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER_STRUCT(struct gate_entry, "decision", decision, &decision_members, "What it decided.",
                  MEMBER_REQUIRED | MEMBER_WRITTEN),
};
static const struct member_table entry_members = MEMBER_TABLE(struct gate_entry, "gate_entry", members, );

struct gate_entry gate_entry_copy(const struct gate_entry *entry, struct arena *arena) {
    struct gate_entry copy = *entry;
    members_own(&entry_members, arena, &copy);
    return copy;
}

static void entry_write(const struct gate_entry *entry, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 0);
    json_object_begin(&w, NULL);
    json_write_u64(&w, "schema_version", GATE_LOG_SCHEMA_VERSION);
    members_write(&w, &entry_members, entry, NULL);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

static int entry_parse(const json_t *root, const char *where, struct arena *arena, struct gate_entry *ret,
                       struct err *err) {
    const struct json_at at = {.value = root, .where = where};
    *ret = (struct gate_entry){0};
    members_forget(&entry_members, ret);
    TRY(field_check_version(&at, "schema_version", GATE_LOG_SCHEMA_VERSION, err));
    TRY(members_read(&at, &entry_members, arena, ret, NULL, err));
    if (!run_id_is_valid(ret->run_id)) return field_refuse_name(&at, "run_id", ret->run_id, err);
    for (const char *c = ret->dir; c && *c; ++c) // it is printed
        if ((unsigned char)*c < ' ' || *c == 0x7f) return field_refuse_name(&at, "dir", ret->dir, err);
    return 0;
}

// ---- the file ----

struct line {
    const char *text;
    size_t length; // with its newline
};

static struct line next_line(const char **at, const char *end) {
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const char *stop = newline ? newline + 1 : end;
    struct line line = {*at, (size_t)(stop - *at)};
    *at = stop;
    return line;
}

static int line_parse(const struct line *line, const char *where, struct arena *arena, struct gate_entry *ret,
                      struct err *err) {
    json_t *root = NULL;
    TRY(json_read_text(line->text, line->length, where, &root, err));
    int code = entry_parse(root, where, arena, ret, err);
    json_decref(root);
    return code;
}

static void entry_add(struct gate_log *gate_log, const struct gate_entry *entry) {
    size_t kept = 0;
    for (size_t i = 0; i < gate_log->count; ++i)
        if (!str_equal(gate_log->entries[i].run_id, entry->run_id))
            gate_log->entries[kept++] = gate_log->entries[i];
    if (kept == GATE_LOG_RUNS_MAX) memmove(gate_log->entries, gate_log->entries + 1, --kept * sizeof *entry);
    gate_log->entries[kept++] = *entry;
    gate_log->count = kept;
}

static void warn(struct gate_log *gate_log, const char *path, const char *why) {
    if (gate_log->warning) return; // the first one is enough to find the file
    gate_log->warning = arena_format(&gate_log->arena,
                                     "the log of earlier gates cannot be read completely, so that a run that "
                                     "failed may be missing (%s); delete %s to begin a new one",
                                     why, path);
}

void gate_log_read(const char *path, struct gate_log *ret) {
    *ret = (struct gate_log){0};
    struct err err = {0};
    char *text = NULL;
    size_t length = 0, number = 0;
    ret->entries = arena_array(&ret->arena, GATE_LOG_RUNS_MAX, sizeof *ret->entries);
    if (!file_exists(path)) return;
    if (file_read(path, GATE_LOG_BYTES_MAX, &text, &length, &err) < 0) {
        warn(ret, path, err.text);
        return;
    }
    for (const char *at = text; at < text + length;) {
        const struct line line = next_line(&at, text + length);
        struct gate_entry entry;
        char *where = mem_format("line %zu", ++number);
        if (line_parse(&line, where, &ret->arena, &entry, &err) == 0)
            entry_add(ret, &entry);
        else
            warn(ret, path, err.text);
        free(where);
    }
    free(text);
}

void gate_log_fini(struct gate_log *gate_log) {
    arena_fini(&gate_log->arena);
    *gate_log = (struct gate_log){0};
}

// Other lines stay, even those that cannot be read: so the warning about them stays until the user acts.
static bool is_kept(const struct line *line, size_t lines_behind, const char *run_id) {
    struct arena arena = {0};
    struct gate_entry entry;
    struct err unread = {0};
    const bool is_same =
        line_parse(line, "", &arena, &entry, &unread) == 0 && str_equal(entry.run_id, run_id);
    arena_fini(&arena);
    return !is_same && lines_behind + 1 < GATE_LOG_RUNS_MAX;
}

static int rewrite(const char *path, const struct gate_entry *entry, struct err *err) {
    char *text = NULL;
    size_t length = 0, line_count = 0;
    struct strbuf out = {0}, added = {0};
    if (file_exists(path)) TRY(file_read(path, GATE_LOG_BYTES_MAX, &text, &length, err));
    entry_write(entry, &added);
    const char *const first = text ? text : "", *const end = first + length;
    for (const char *at = first; at < end; ++line_count) next_line(&at, end);
    size_t bytes_behind = length;
    for (const char *at = first; at < end;) {
        const struct line line = next_line(&at, end);
        const bool has_room = bytes_behind + added.length < GATE_LOG_BYTES_MAX;
        bytes_behind -= line.length;
        if (!is_kept(&line, --line_count, entry->run_id) || !has_room) continue;
        strbuf_add_bytes(&out, line.text, line.length);
        if (line.text[line.length - 1] != '\n') strbuf_add_char(&out, '\n'); // torn
    }
    strbuf_add_bytes(&out, added.text, added.length);
    int code = file_write_atomic(path, strbuf_text(&out), out.length, err);
    strbuf_fini(&added);
    strbuf_fini(&out);
    free(text);
    return code;
}

int gate_log_add(const char *path, const struct gate_entry *entry, struct err *err) {
    char *dir = path_dir(path), *lock = path_join(dir, "lock");
    int fd = -1, code = file_make_dirs(dir, err);
    if (code == 0) code = file_lock_open(lock, true, &fd, err);
    if (code == 0) code = rewrite(path, entry, err);
    file_lock_close(fd);
    free(lock);
    free(dir);
    return code;
}
