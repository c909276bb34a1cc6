// SPDX-License-Identifier: Apache-2.0
//
// Writes one record as a line and reads it back. Each kind carries only its own members. result.c folds
// records, control/exec/ keeps the journal file.
#include "record/record.h"

#include <string.h>

#include "record/field.h"
#include "record/record_query.h"

static const char *const record_kind_names[RECORD_KIND_COUNT] = {
    [RECORD_INVALID] = "invalid",   [RECORD_HELLO] = "hello",     [RECORD_CASE] = "case",
    [RECORD_CHECK] = "check",       [RECORD_SAMPLES] = "samples", [RECORD_CASE_STATE] = "case_state",
    [RECORD_KERNEL] = "kernel",     [RECORD_DEVICE] = "device",   [RECORD_CEILING] = "ceiling",
    [RECORD_WARNING] = "warning",   [RECORD_BYE] = "bye",         [RECORD_ROUND] = "round",
    [RECORD_PROGRAM] = "program",   [RECORD_AUDIT] = "audit",     [RECORD_LOCK] = "lock",
    [RECORD_COUNTERS] = "counters",
};

static const char *const phase_names[PHASE_COUNT] = {
    [PHASE_NONE] = "none",
    [PHASE_CHECK] = "check",
    [PHASE_ROUND] = "round",
    [PHASE_QUERY] = "ask",
};

const char *record_kind_name(enum record_kind kind) {
    return (unsigned)kind < RECORD_KIND_COUNT ? record_kind_names[kind] : "invalid";
}

enum record_kind record_kind_parse(const char *name) {
    for (int i = 1; i < RECORD_KIND_COUNT; ++i) {
        if (name && strcmp(record_kind_names[i], name) == 0) return (enum record_kind)i;
    }
    return RECORD_INVALID;
}

const char *phase_name(enum phase phase) {
    return (unsigned)phase < PHASE_COUNT ? phase_names[phase] : "none";
}

enum phase phase_parse(const char *name) {
    for (int i = 1; i < PHASE_COUNT; ++i) {
        if (name && strcmp(phase_names[i], name) == 0) return (enum phase)i;
    }
    return PHASE_NONE;
}

static bool has_case(enum record_kind kind) {
    return kind == RECORD_CASE || kind == RECORD_CHECK || kind == RECORD_SAMPLES ||
           kind == RECORD_CASE_STATE || kind == RECORD_AUDIT;
}

static bool has_side(enum record_kind kind) {
    return kind == RECORD_CASE || kind == RECORD_CHECK || kind == RECORD_SAMPLES || kind == RECORD_KERNEL;
}

static bool has_validity(enum record_kind kind) {
    return kind == RECORD_CASE_STATE || kind == RECORD_ROUND || kind == RECORD_LOCK;
}

static bool has_cause(const struct record *record) {
    return record->kind == RECORD_CHECK || (record->kind == RECORD_CASE_STATE && !record->is_valid);
}

// What a kind carries besides the header. is_pointer: the record has a pointer to it.
static const struct record_body {
    const char *key; // NULL: nothing
    const struct member_table *table;
    size_t offset;
    bool is_pointer;
} bodies[RECORD_KIND_COUNT] = {
    [RECORD_HELLO] = {"environment", &environment_members, offsetof(struct record, environment), false},
    [RECORD_CHECK] = {"check", &check_result_members, offsetof(struct record, check), false},
    [RECORD_SAMPLES] = {"samples", &samples_members, offsetof(struct record, samples), false},
    [RECORD_CASE_STATE] = {"state", &device_state_members, offsetof(struct record, state), false},
    [RECORD_KERNEL] = {"kernel", &kernel_description_members, offsetof(struct record, kernel), true},
    [RECORD_DEVICE] = {"device", &device_description_members, offsetof(struct record, device), true},
    [RECORD_CEILING] = {"ceiling", &ceiling_members, offsetof(struct record, ceiling), false},
    [RECORD_COUNTERS] = {"launch", &launch_counters_members, offsetof(struct record, counters), false},
    [RECORD_AUDIT] = {"audit", &audit_result_members, offsetof(struct record, audit), false},
};

static void body_write(struct json_writer *w, const struct record *record) {
    const struct record_body *body = &bodies[record->kind];
    if (!body->key) return;
    const void *object = (const char *)record + body->offset;
    if (body->is_pointer) memcpy(&object, object, sizeof object);
    members_write_object(w, body->key, body->table, object, NULL);
}

void record_write(const struct record *record, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 0);
    json_object_begin(&w, NULL);
    json_write_u64(&w, "schema", RECORD_SCHEMA);
    json_write_string(&w, "kind", record_kind_name(record->kind));
    if (record->phase != PHASE_NONE) json_write_string(&w, "phase", phase_name(record->phase));
    if (record->phase == PHASE_ROUND || record->kind == RECORD_ROUND) {
        json_write_u64(&w, "round", record->round);
        json_write_u64(&w, "attempt", record->attempt);
    }
    if (has_case(record->kind)) json_write_u64(&w, "case", record->case_index);
    if (has_side(record->kind) && record->side != RECORD_SIDE_ALL) json_write_u64(&w, "side", record->side);
    json_write_u64(&w, "time_ns", record->time_ns);
    if (record->kind == RECORD_CASE && record->own_bytes > 0)
        json_write_u64(&w, "own_bytes", record->own_bytes);
    if (has_validity(record->kind)) json_write_bool(&w, "is_valid", record->is_valid);
    if (record->kind == RECORD_LOCK && record->locked_clock_mhz > 0)
        json_write_u64(&w, "locked_clock_mhz", record->locked_clock_mhz);
    if (record->kind == RECORD_BYE) json_maybe_string(&w, "draws_key", record->draws_key);
    if (has_cause(record) && record->invalid_cause != INVALID_CAUSE_NONE)
        json_write_string(&w, "invalid_cause", invalid_cause_name(record->invalid_cause));
    json_maybe_string(&w, "text", record->text);
    body_write(&w, record);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

static int body_parse(const struct json_at *at, struct arena *arena, struct record *record, struct err *err) {
    const struct record_body *body = &bodies[record->kind];
    const json_t *value = NULL;
    struct field_place place;
    if (!body->key) return 0;
    TRY(json_get_object(at, body->key, &value, err));
    field_enter(&place, at, body->key, value);
    void *object = (char *)record + body->offset;
    if (body->is_pointer) {
        void *made = arena_alloc(arena, body->table->bytes);
        memcpy(object, &made, sizeof made);
        object = made;
    }
    members_forget(body->table, object);
    return members_read(&place.at, body->table, arena, object, NULL, err);
}

static int cause_find(const struct json_at *at, enum invalid_cause *ret, struct err *err) {
    const char *name = NULL;
    TRY(json_find_string(at, "invalid_cause", &name, err));
    if (!name) return 0;
    *ret = invalid_cause_parse(name);
    return *ret == INVALID_CAUSE_NONE ? field_refuse_name(at, "invalid_cause", name, err) : 0;
}

static int header_parse(const struct json_at *at, struct arena *arena, struct record *record,
                        struct err *err) {
    const char *kind = NULL, *phase = NULL;
    TRY(field_check_version(at, "schema", RECORD_SCHEMA, err));
    TRY(json_get_string(at, "kind", &kind, err));
    record->kind = record_kind_parse(kind);
    if (record->kind == RECORD_INVALID) return field_refuse_name(at, "kind", kind, err);
    TRY(json_find_string(at, "phase", &phase, err));
    if (phase) {
        record->phase = phase_parse(phase);
        if (record->phase == PHASE_NONE) return field_refuse_name(at, "phase", phase, err);
    }
    TRY(field_find_u32(at, "round", &record->round, err));
    TRY(field_find_u32(at, "attempt", &record->attempt, err));
    if (has_case(record->kind)) TRY(field_get_u32(at, "case", &record->case_index, err));
    if (record->kind == RECORD_CASE) record->side = RECORD_SIDE_ALL;
    if (record->kind == RECORD_CHECK || record->kind == RECORD_SAMPLES)
        TRY(field_get_u32(at, "side", &record->side, err));
    else
        TRY(field_find_u32(at, "side", &record->side, err));
    TRY(json_find_u64(at, "time_ns", &record->time_ns, err));
    if (record->kind == RECORD_CASE) TRY(json_find_u64(at, "own_bytes", &record->own_bytes, err));
    if (has_validity(record->kind)) TRY(json_get_bool(at, "is_valid", &record->is_valid, err));
    if (record->kind == RECORD_LOCK)
        TRY(field_find_u32(at, "locked_clock_mhz", &record->locked_clock_mhz, err));
    if (record->kind == RECORD_BYE) TRY(field_find_text(at, "draws_key", arena, &record->draws_key, err));
    if (has_cause(record)) TRY(cause_find(at, &record->invalid_cause, err));
    TRY(field_find_text(at, "text", arena, &record->text, err));
    return 0;
}

int record_parse(const char *line, size_t length, struct arena *arena, struct record *ret, struct err *err) {
    struct record record = {.environment = environment_unknown(), .state = device_state_unknown()};
    json_t *root = NULL;
    TRY(json_read_text(line, length, "record", &root, err));
    const struct json_at at = {.value = root, .where = "record"};
    int result = header_parse(&at, arena, &record, err);
    if (result >= 0) result = body_parse(&at, arena, &record, err);
    json_decref(root);
    if (result < 0) return result;
    *ret = record;
    return 0;
}
