// SPDX-License-Identifier: Apache-2.0
//
// Reads a result document. Every size is bounded and every time is checked, since a file may come from
// anywhere. Summaries in it are skipped; statistics are computed from the samples.
#include <stdio.h>
#include <string.h>

#include "record/case_index.h"
#include "record/field.h"
#include "record/result.h"

enum { RESULT_ROUNDS_MAX = 1 << 12, RESULT_WARNINGS_MAX = 1 << 12 };

static int build_parse(const struct json_at *at, struct arena *arena, struct build_report *ret,
                       struct err *err) {
    TRY(field_find_text(at, "compiler", arena, &ret->compiler, err));
    TRY(field_find_text(at, "flags", arena, &ret->flags, err));
    TRY(field_find_text(at, "code_hash", arena, &ret->code_hash, err));
    TRY(field_find_text(at, "source_hash", arena, &ret->source_hash, err));
    TRY(field_find_text(at, "module_hash", arena, &ret->module_hash, err));
    TRY(field_find_text(at, "log_tail", arena, &ret->log_tail, err));
    TRY(field_find_i64(at, "code_bytes", 0, &ret->code_bytes, err));
    TRY(field_find_i64(at, "stack_bytes_max", 0, &ret->stack_bytes_max, err));
    TRY(field_find_i64(at, "registers", 0, &ret->registers, err));
    TRY(field_find_i64(at, "spill_bytes", 0, &ret->spill_bytes, err));
    TRY(field_find_i64(at, "shared_bytes", 0, &ret->shared_bytes, err));
    TRY(field_find_i64(at, "matrix_instructions", 0, &ret->matrix_instructions, err));
    TRY(field_find_text(at, "targets", arena, &ret->targets, err));
    TRY(field_find_text(at, "entries", arena, &ret->entries, err));
    TRY(field_find_text(at, "matrix", arena, &ret->matrix, err));
    TRY(field_find_double(at, "build_s", 0, &ret->build_s, err));
    TRY(json_find_bool(at, "is_cached", &ret->is_cached, err));
    return 0;
}

int result_side_parse(const struct json_at *at, struct arena *arena, struct result_side *ret,
                      struct err *err) {
    struct result_side side = {.build = build_report_unknown()};
    const char *role = NULL;
    const json_t *build = NULL;
    TRY(json_get_string(at, "role", &role, err));
    side.role = side_role_parse(role);
    if (side.role == SIDE_INVALID) return field_refuse_name(at, "role", role, err);
    TRY(field_get_text(at, "label", arena, &side.label, err));
    TRY(field_find_text(at, "kernel", arena, &side.kernel, err));
    TRY(field_find_text(at, "op", arena, &side.op, err));
    TRY(field_find_text(at, "backend", arena, &side.backend, err));
    TRY(field_find_text(at, "kernel_name", arena, &side.kernel_name, err));
    TRY(field_find_text(at, "config", arena, &side.config, err));
    TRY(field_find_text(at, "revision", arena, &side.revision, err));
    TRY(field_find_text(at, "module_path", arena, &side.module_path, err));
    TRY(field_find_text(at, "reproduce", arena, &side.reproduce, err));
    TRY(sim_kernel_find(at, "sim", arena, &side.sim, err));
    TRY(field_find_text(at, "python", arena, &side.python, err));
    TRY(field_find_text(at, "python_path", arena, &side.python_path, err));
    TRY(field_find_text(at, "python_interpreter", arena, &side.python_interpreter, err));
    TRY(json_find_object(at, "build", &build, err));
    if (build) {
        struct field_place place;
        field_enter(&place, at, "build", build);
        TRY(build_parse(&place.at, arena, &side.build, err));
    }
    *ret = side;
    return 0;
}

static int sides_parse(const struct json_at *at, struct result *result, struct err *err) {
    const json_t *sides = NULL;
    TRY(field_get_items(at, "sides", WORK_SIDES_MAX, &sides, &result->side_count, err));
    if (result->side_count == 0) return err_set(err, ERR_DATA, "%s: key 'sides' is empty", at->where);
    for (size_t i = 0; i < result->side_count; ++i) {
        struct field_place place;
        field_enter_item(&place, at, "sides", i, json_array_get(sides, i));
        TRY(result_side_parse(&place.at, &result->arena, &result->sides[i], err));
    }
    return 0;
}

static int side_index_parse(const struct json_at *at, const struct result *result, uint32_t *ret,
                            struct err *err) {
    TRY(field_get_u32(at, "side", ret, err));
    if (*ret < result->side_count) return 0;
    return err_set(err, ERR_DATA, "%s: key 'side' is %lu, but there are %zu sides", at->where,
                   (unsigned long)*ret, result->side_count);
}

static int checks_parse(const struct json_at *at, const struct result *result, struct result_case *item,
                        struct err *err) {
    const json_t *checks = NULL;
    size_t count = 0;
    TRY(field_find_items(at, "checks", WORK_SIDES_MAX, &checks, &count, err));
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        uint32_t side = 0;
        field_enter_item(&place, at, "checks", i, json_array_get(checks, i));
        TRY(side_index_parse(&place.at, result, &side, err));
        TRY(check_result_parse(&place.at, &item->checks[side], err));
    }
    return 0;
}

static int round_samples_parse(const struct json_at *at, struct result *result, struct result_round *round,
                               struct err *err) {
    const json_t *samples = NULL;
    size_t count = 0;
    TRY(field_get_items(at, "samples", WORK_SIDES_MAX, &samples, &count, err));
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        uint32_t side = 0;
        field_enter_item(&place, at, "samples", i, json_array_get(samples, i));
        TRY(side_index_parse(&place.at, result, &side, err));
        snprintf(place.where, sizeof place.where, "%s: side '%.64s'", at->where, result->sides[side].label);
        if (round->samples[side].items) {
            return err_set(err, ERR_DATA, "%s: samples are given twice", place.where);
        }
        TRY(samples_parse(&place.at, &result->arena, &round->samples[side], err));
    }
    return 0;
}

static int round_parse(const struct json_at *at, uint32_t number, struct result *result,
                       struct result_case *item, struct err *err) {
    uint32_t attempt = 0;
    const json_t *state = NULL;
    TRY(field_find_u32(at, "round", &number, err));
    TRY(field_find_u32(at, "attempt", &attempt, err));
    if (result_case_find_round(item, number, attempt)) {
        return err_set(err, ERR_DATA, "%s: round %lu, attempt %lu is given twice", at->where,
                       (unsigned long)number, (unsigned long)attempt);
    }
    struct result_round *round = result_case_add_round(result, item, number, attempt);
    if (!round) return err_set(err, ERR_DATA, "%s: too many rounds", at->where);
    round->is_valid = true;
    TRY(json_find_bool(at, "is_valid", &round->is_valid, err));
    TRY(field_find_text(at, "invalid_reason", &result->arena, &round->invalid_reason, err));
    if (round->is_valid)
        round->invalid_reason = NULL;
    else
        TRY(invalid_cause_find(at, &round->invalid_cause, err));
    TRY(json_find_object(at, "state", &state, err));
    if (state) {
        struct field_place place;
        field_enter(&place, at, "state", state);
        TRY(device_state_parse(&place.at, &round->state, err));
        round->has_state = true;
    }
    return round_samples_parse(at, result, round, err);
}

static int choices_parse(const struct json_at *at, struct result *result, struct result_case *item,
                         struct err *err) {
    const json_t *choices = NULL;
    size_t count = 0;
    TRY(field_find_items(at, "choices", RESULT_ROUNDS_MAX * WORK_SIDES_MAX, &choices, &count, err));
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        struct result_choice choice = {0};
        field_enter_item(&place, at, "choices", i, json_array_get(choices, i));
        TRY(field_get_u32(&place.at, "round", &choice.round, err));
        TRY(field_find_u32(&place.at, "attempt", &choice.attempt, err));
        TRY(side_index_parse(&place.at, result, &choice.side, err));
        TRY(field_find_text(&place.at, "text", &result->arena, &choice.text, err));
        if (choice.text) result_case_add_choice(result, item, choice);
    }
    return 0;
}

static int case_parse(const struct json_at *at, struct result *result, struct result_case *item,
                      struct err *err) {
    const json_t *rounds = NULL;
    size_t count = 0;
    struct field_place place;
    TRY(field_find_u32(at, "index", &item->index, err));
    TRY(field_get_problem(at, "problem", &item->problem, err));
    TRY(field_find_text(at, "short_name", &result->arena, &item->short_name, err));
    item->distribution = OP_DISTRIBUTION_DEFAULT;
    item->memory_layout = MEMORY_LAYOUT_DENSE;
    item->seed = result->seed;
    TRY(field_find_text(at, "family", &result->arena, &item->distribution, err));
    TRY(field_find_memory_layout(at, "placement", &item->memory_layout, err));
    TRY(json_find_u64(at, "seed", &item->seed, err));
    TRY(checks_parse(at, result, item, err));
    TRY(choices_parse(at, result, item, err));
    TRY(field_find_items(at, "rounds", RESULT_ROUNDS_MAX, &rounds, &count, err));
    for (size_t i = 0; i < count; ++i) {
        field_enter_item(&place, at, "rounds", i, json_array_get(rounds, i));
        const char *name = result_case_name(item);
        snprintf(place.where, sizeof place.where, "%s (%.192s): rounds[%zu]", at->where, name, i);
        TRY(round_parse(&place.at, (uint32_t)i, result, item, err));
    }
    return 0;
}

static int cases_parse(const struct json_at *at, const char *key, bool is_required, struct result *result,
                       struct err *err) {
    const json_t *cases = NULL;
    size_t count = 0;
    if (is_required)
        TRY(field_get_items(at, key, RESULT_CASES_MAX, &cases, &count, err));
    else
        TRY(field_find_items(at, key, RESULT_CASES_MAX, &cases, &count, err));
    struct result_case *parsed = arena_array(&result->arena, count, sizeof *parsed);
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        parsed[i].index = (uint32_t)i;
        field_enter_item(&place, at, key, i, json_array_get(cases, i));
        TRY(case_parse(&place.at, result, &parsed[i], err));
    }
    if (is_required) {
        result->cases = parsed;
        result->case_count = count;
    } else {
        result->checks = parsed;
        result->check_count = count;
    }
    return 0;
}

// Rejects duplicate cases: both would be compared with the same partner, one of them unnoticed.
static int refuse_duplicates(const struct json_at *at, const struct result *result, struct err *err) {
    struct case_index index = case_index_make(result->cases, result->case_count);
    const struct result_case *twice = case_index_duplicate(&index);
    case_index_fini(&index);
    if (!twice) return 0;
    return err_set(err, ERR_DATA,
                   "%s: cases: the problem '%s' is given twice with the same family and placement", at->where,
                   twice->problem.name);
}

static int warnings_parse(const struct json_at *at, struct result *result, struct err *err) {
    const json_t *warnings = NULL;
    size_t count = 0;
    TRY(field_find_items(at, "warnings", RESULT_WARNINGS_MAX, &warnings, &count, err));
    for (size_t i = 0; i < count; ++i) {
        const char *text = json_string_value(json_array_get(warnings, i));
        if (!text) return err_set(err, ERR_DATA, "%s: warnings[%zu] must be a string", at->where, i);
        result_add_warning(result, text);
    }
    return 0;
}

static int request_parse(const struct json_at *at, struct result *result, struct err *err) {
    TRY(field_find_u32(at, "repeat_count", &result->repeat_count, err));
    TRY(field_find_u32(at, "thread_count", &result->thread_count, err));
    TRY(field_find_text(at, "manifest", &result->arena, &result->manifest, err));
    TRY(field_find_double(at, "target_speedup", 0, &result->target_speedup, err));
    TRY(field_find_double(at, "cost_per_hour", 0, &result->cost_per_hour, err));
    return 0;
}

// Whether all is given that a report says in one line.
static bool states_sampling(const json_t *sampling) {
    static const char *const keys[] = {"sample_count", "warmup_count", "sample_time_ns"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
        if (!json_object_get(sampling, keys[i])) return false; // of NULL, too
    return true;
}

static int header_parse(const struct json_at *at, struct result *result, struct err *err) {
    const json_t *environment = NULL, *sampling = NULL;
    struct arena *arena = &result->arena;
    struct field_place place;
    TRY(field_find_text(at, "run_id", arena, &result->run_id, err));
    TRY(field_find_text(at, "command", arena, &result->command, err));
    TRY(field_find_text(at, "created_utc", arena, &result->created_utc, err));
    TRY(field_find_text(at, "suite", arena, &result->suite, err));
    TRY(field_find_text(at, "check_suite", arena, &result->check_suite, err));
    const int has_seed = json_find_u64(at, "seed", &result->seed, err);
    TRY(has_seed);
    result->lacks_seed = has_seed == 0;
    TRY(field_find_double(at, "device_s", 0, &result->device_s, err));
    TRY(request_parse(at, result, err));
    TRY(policy_find(at, "policy", arena, &result->policy, err));
    TRY(json_find_object(at, "environment", &environment, err));
    if (environment) {
        field_enter(&place, at, "environment", environment);
        TRY(environment_parse(&place.at, arena, &result->environment, err));
    }
    TRY(json_find_object(at, "sampling", &sampling, err));
    result->lacks_sampling = !states_sampling(sampling);
    if (sampling) {
        field_enter(&place, at, "sampling", sampling);
        TRY(sampling_parse(&place.at, &result->sampling, err));
    }
    return warnings_parse(at, result, err);
}

static int decision_find(const struct json_at *at, struct result *result, struct err *err) {
    const json_t *decision = NULL;
    struct field_place place;
    TRY(json_find_object(at, "decision", &decision, err));
    if (!decision) return 0;
    struct decision *parsed = arena_alloc(&result->arena, sizeof *parsed);
    field_enter(&place, at, "decision", decision);
    TRY(decision_parse(&place.at, &result->arena, parsed, err));
    result->decision = parsed;
    return 0;
}

static int document_parse(const struct json_at *at, struct result *result, struct err *err) {
    const char *kind = NULL;
    if (!json_is_object(at->value) || !json_object_get(at->value, "kind")) {
        return err_set(err, ERR_DATA, "%s: this is not a result of assay: it is no JSON object with a 'kind'",
                       at->where);
    }
    TRY(json_get_string(at, "kind", &kind, err));
    if (strcmp(kind, RESULT_KIND) != 0) {
        return err_set(err, ERR_DATA, "%s: this is not a result of assay: its 'kind' is '%s', not '%s'",
                       at->where, str_shown(kind).text, RESULT_KIND);
    }
    TRY(field_check_version(at, "schema_version", RESULT_SCHEMA_VERSION, err));
    TRY(header_parse(at, result, err));
    TRY(sides_parse(at, result, err));
    TRY(cases_parse(at, "checks", false, result, err));
    TRY(cases_parse(at, "cases", true, result, err));
    TRY(refuse_duplicates(at, result, err));
    return decision_find(at, result, err);
}

int result_parse(const json_t *root, const char *where, struct result *ret, struct err *err) {
    struct result result;
    result_init(&result);
    const struct json_at at = {.value = root, .where = where};
    int parsed = document_parse(&at, &result, err);
    if (parsed < 0) {
        result_fini(&result);
        return parsed;
    }
    *ret = result;
    return 0;
}

int result_read_file(const char *path, struct result *ret, struct err *err) {
    json_t *root = NULL;
    TRY(json_read_file(path, &root, err));
    int parsed = result_parse(root, path, ret, err);
    json_decref(root);
    return parsed;
}
