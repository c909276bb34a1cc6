// SPDX-License-Identifier: Apache-2.0
//
// Writes one record as a line and reads it back. Each kind carries only its own members. result.c folds
// records, control/exec/ keeps the journal file.
#include "record/record.h"

#include <string.h>

#include "record/field.h"
#include "record/record_query.h"

static const char *const record_kind_names[RECORD_KIND_COUNT] = {
    [RECORD_INVALID] = "invalid", [RECORD_HELLO] = "hello",     [RECORD_CASE] = "case",
    [RECORD_CHECK] = "check",     [RECORD_SAMPLES] = "samples", [RECORD_CASE_STATE] = "case_state",
    [RECORD_KERNEL] = "kernel",   [RECORD_DEVICE] = "device",   [RECORD_CEILING] = "ceiling",
    [RECORD_WARNING] = "warning", [RECORD_BYE] = "bye",         [RECORD_ROUND] = "round",
    [RECORD_PROGRAM] = "program", [RECORD_AUDIT] = "audit",     [RECORD_LOCK] = "lock",
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

static void body_write(struct json_writer *w, const struct record *record) {
    switch (record->kind) {
    case RECORD_HELLO: environment_write(w, "environment", &record->environment); break;
    case RECORD_CHECK: check_result_write(w, "check", &record->check); break;
    case RECORD_SAMPLES: samples_write(w, "samples", &record->samples); break;
    case RECORD_CASE_STATE: device_state_write(w, "state", &record->state); break;
    case RECORD_KERNEL: kernel_description_write(w, "kernel", record->kernel); break;
    case RECORD_DEVICE: device_description_write(w, "device", record->device); break;
    case RECORD_CEILING: ceiling_write(w, "ceiling", &record->ceiling); break;
    case RECORD_AUDIT: audit_result_write(w, "audit", &record->audit); break;
    default: break;
    }
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
    if (has_validity(record->kind)) json_write_bool(&w, "is_valid", record->is_valid);
    if (record->kind == RECORD_LOCK && record->locked_clock_mhz > 0)
        json_write_u64(&w, "locked_clock_mhz", record->locked_clock_mhz);
    if (record->kind == RECORD_CASE_STATE) invalid_cause_write(&w, record->invalid_cause);
    json_maybe_string(&w, "text", record->text);
    body_write(&w, record);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

static int body_parse(const struct json_at *at, struct arena *arena, struct record *record, struct err *err) {
    static const char *const keys[RECORD_KIND_COUNT] = {
        [RECORD_HELLO] = "environment", [RECORD_CHECK] = "check",   [RECORD_SAMPLES] = "samples",
        [RECORD_CASE_STATE] = "state",  [RECORD_KERNEL] = "kernel", [RECORD_DEVICE] = "device",
        [RECORD_CEILING] = "ceiling",   [RECORD_AUDIT] = "audit",
    };
    const char *key = keys[record->kind];
    if (!key) return 0;
    const json_t *body = NULL;
    struct field_place place;
    TRY(json_get_object(at, key, &body, err));
    field_enter(&place, at, key, body);
    switch (record->kind) {
    case RECORD_HELLO: return environment_parse(&place.at, arena, &record->environment, err);
    case RECORD_CHECK: return check_result_parse(&place.at, &record->check, err);
    case RECORD_SAMPLES: return samples_parse(&place.at, arena, &record->samples, err);
    case RECORD_CASE_STATE: return device_state_parse(&place.at, &record->state, err);
    case RECORD_KERNEL: return kernel_description_parse(&place.at, arena, &record->kernel, err);
    case RECORD_DEVICE: return device_description_parse(&place.at, arena, &record->device, err);
    case RECORD_CEILING: return ceiling_parse(&place.at, arena, &record->ceiling, err);
    case RECORD_AUDIT: return audit_result_parse(&place.at, arena, &record->audit, err);
    default: return 0;
    }
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
    if (has_validity(record->kind)) TRY(json_get_bool(at, "is_valid", &record->is_valid, err));
    if (record->kind == RECORD_LOCK)
        TRY(field_find_u32(at, "locked_clock_mhz", &record->locked_clock_mhz, err));
    if (record->kind == RECORD_CASE_STATE && !record->is_valid)
        TRY(invalid_cause_find(at, &record->invalid_cause, err));
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
