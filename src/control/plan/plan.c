// SPDX-License-Identifier: Apache-2.0
//
// plan.json: writes and reads a plan, so that a resumed run does exactly what the first one would have done.
// plan_orders.c makes the work orders.
#include "control/plan/plan.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "record/field.h"

#define PLAN_KIND "assay.plan"

#define PLAN_LIMIT_MAX 1e9 // seconds, or GB

#define RUN_ID_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

enum { PLAN_CASES_MAX = 1 << 16, PLAN_RUN_ID_BYTES_MAX = 128 };

bool plan_is_run_id(const char *text) {
    const size_t length = text ? strlen(text) : 0;
    return length > 0 && length <= PLAN_RUN_ID_BYTES_MAX && text[0] != '.' && text[0] != '-' &&
           strspn(text, RUN_ID_LETTERS) == length;
}

void plan_fini(struct plan *plan) {
    arena_fini(&plan->arena);
    *plan = (struct plan){0};
}

static void cases_write(struct json_writer *w, const char *key, const struct plan_case *cases, size_t count) {
    json_array_begin(w, key);
    for (size_t i = 0; i < count; ++i) {
        json_object_begin(w, NULL);
        json_write_string(w, "problem", cases[i].problem.name);
        json_maybe_string(w, "short_name", cases[i].short_name);
        json_maybe_string(w, "family", cases[i].distribution);
        json_write_string(w, "placement", memory_layout_name(cases[i].memory_layout));
        json_write_u64(w, "seed", cases[i].seed);
        json_object_end(w);
    }
    json_array_end(w);
}

static void rules_write(struct json_writer *w, const struct plan *plan) {
    json_array_begin(w, "looks");
    for (size_t i = 0; i < plan->look_count; ++i) json_write_u64(w, NULL, plan->looks[i]);
    json_array_end(w);
    json_write_bool(w, "is_sequential", plan->is_sequential);
    json_write_bool(w, "is_same_code", plan->gate.is_same_code);
    json_write_bool(w, "needs_two_processes", plan->needs_two_processes);
    json_write_u64(w, "round_repeat_max", plan->round_repeat_max);
    json_write_u64(w, "repeat_count", plan->repeat_count);
    json_maybe_double(w, "regression_pct", plan->gate.spec.regression_pct);
    json_maybe_double(w, "improvement_pct", plan->gate.spec.improvement_pct);
    json_write_bool(w, "is_improvement_expected", plan->gate.spec.expects_improvement);
    json_maybe_string(w, "expected_problems", plan->gate.spec.expected_problems);
    json_maybe_string(w, "command_line", plan->command_line);
    json_maybe_string(w, "stored_baseline", plan->gate.stored_baseline);
    json_maybe_string(w, "added_problems", plan->gate.added_problems);
    json_maybe_string(w, "removed_problems", plan->gate.removed_problems);
    policy_write(w, "policy", plan->gate.policy);
    json_maybe_string(w, "confirms", plan->gate.confirms_run_id);
    if (plan->gate.earlier_run_count) json_write_u64(w, "earlier_run_count", plan->gate.earlier_run_count);
    if (plan->gate.failed_run_count) json_write_u64(w, "failed_run_count", plan->gate.failed_run_count);
    if (plan->gate.unfinished_run_count)
        json_write_u64(w, "unfinished_run_count", plan->gate.unfinished_run_count);
    json_write_bool(w, "is_oracle_only", plan->is_oracle_only);
    json_write_bool(w, "is_removed_allowed", plan->gate.spec.allows_removed);
    if (plan->gate.spec.warns_of_undecided) json_write_bool(w, "warns_of_undecided", true);
    json_write_bool(w, "is_integrated_form", plan->is_integrated_form);
    json_maybe_string(w, "manifest", plan->manifest);
    if (plan->target_speedup > 0) json_maybe_double(w, "target_speedup", plan->target_speedup);
    if (plan->cost_per_hour > 0) json_maybe_double(w, "cost_per_hour", plan->cost_per_hour);
    json_maybe_double(w, "case_limit_s", plan->case_limit_s);
    json_maybe_double(w, "run_limit_s", plan->run_limit_s);
    json_maybe_double(w, "memory_limit_gb", plan->memory_limit_gb);
}

void plan_write(const struct plan *plan, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 1);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", PLAN_KIND);
    json_write_u64(&w, "schema_version", PLAN_SCHEMA_VERSION);
    json_maybe_string(&w, "run_id", plan->run_id);
    json_maybe_string(&w, "command", plan->command);
    json_maybe_string(&w, "created_utc", plan->created_utc);
    json_maybe_string(&w, "suite", plan->suite);
    json_maybe_string(&w, "check_suite", plan->check_suite);
    json_maybe_string(&w, "device", plan->device);
    sim_device_write(&w, "sim", plan->sim);
    json_write_u64(&w, "seed", plan->seed);
    json_write_u64(&w, "thread_count", plan->thread_count);
    json_maybe_string(&w, "processors", plan->processors);
    json_maybe_string(&w, "processors_note", plan->processors_note);
    json_array_begin(&w, "sides");
    for (size_t i = 0; i < plan->side_count; ++i) result_side_write(&w, NULL, &plan->sides[i]);
    json_array_end(&w);
    json_write_u64(&w, "check_side_mask", plan->check_side_mask);
    rules_write(&w, plan);
    if (plan->sampling.cache_mode != CACHE_INVALID) sampling_write(&w, "sampling", &plan->sampling);
    cases_write(&w, "checks", plan->checks, plan->check_count);
    cases_write(&w, "cases", plan->cases, plan->case_count);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

int plan_write_file(const struct plan *plan, const char *path, struct err *err) {
    struct strbuf text = {0};
    plan_write(plan, &text);
    int written = file_write_atomic(path, text.text, text.length, err);
    strbuf_fini(&text);
    return written;
}

static int cases_parse(const struct json_at *at, const char *key, struct plan *plan, struct plan_case **ret,
                       size_t *ret_count, struct err *err) {
    const json_t *items = NULL;
    size_t count = 0;
    TRY(field_get_items(at, key, PLAN_CASES_MAX, &items, &count, err));
    struct plan_case *cases = arena_array(&plan->arena, count, sizeof *cases);
    for (size_t i = 0; i < count; ++i) {
        struct plan_case *item = &cases[i];
        struct field_place place;
        field_enter_item(&place, at, key, i, json_array_get(items, i));
        item->distribution = OP_DISTRIBUTION_DEFAULT;
        item->memory_layout = MEMORY_LAYOUT_DENSE;
        TRY(field_get_problem(&place.at, "problem", &item->problem, err));
        TRY(field_find_text(&place.at, "short_name", &plan->arena, &item->short_name, err));
        TRY(field_find_text(&place.at, "family", &plan->arena, &item->distribution, err));
        TRY(field_find_memory_layout(&place.at, "placement", &item->memory_layout, err));
        TRY(json_get_u64(&place.at, "seed", &item->seed, err));
    }
    *ret = cases;
    *ret_count = count;
    return 0;
}

static int looks_parse(const struct json_at *at, struct plan *plan, struct err *err) {
    const json_t *looks = NULL;
    TRY(field_get_items(at, "looks", PLAN_LOOKS_MAX, &looks, &plan->look_count, err));
    for (size_t i = 0; i < plan->look_count; ++i) {
        const json_t *look = json_array_get(looks, i);
        json_int_t value = json_is_integer(look) ? json_integer_value(look) : 0;
        if (value < 1 || value > ROUNDS_LIMIT || (i > 0 && value <= (json_int_t)plan->looks[i - 1])) {
            return err_set(err, ERR_DATA, "%s: looks must be rising numbers of rounds from 1 to %d",
                           at->where, ROUNDS_LIMIT);
        }
        plan->looks[i] = (uint32_t)value;
    }
    return 0;
}

// Reads a limit; the maximum keeps its nanoseconds and bytes within 64 bits.
static int limit_find(const struct json_at *at, const char *key, double *ret, struct err *err) {
    TRY(field_find_double(at, key, 0, ret, err));
    if (*ret <= PLAN_LIMIT_MAX) return 0;
    return err_set(err, ERR_DATA, "%s: key '%s' is %g; it must be at most %g", at->where, key, *ret,
                   PLAN_LIMIT_MAX);
}

// Reads the members that plans of earlier versions lack.
static int optional_parse(const struct json_at *at, struct plan *plan, struct err *err) {
    plan->target_speedup = plan->cost_per_hour = NAN;
    TRY(json_find_bool(at, "is_oracle_only", &plan->is_oracle_only, err));
    TRY(json_find_bool(at, "is_removed_allowed", &plan->gate.spec.allows_removed, err));
    TRY(json_find_bool(at, "warns_of_undecided", &plan->gate.spec.warns_of_undecided, err));
    TRY(json_find_bool(at, "is_integrated_form", &plan->is_integrated_form, err));
    TRY(field_find_text(at, "manifest", &plan->arena, &plan->manifest, err));
    TRY(field_find_double(at, "target_speedup", 0, &plan->target_speedup, err));
    TRY(field_find_double(at, "cost_per_hour", 0, &plan->cost_per_hour, err));
    return 0;
}

static int history_parse(const struct json_at *at, struct plan *plan, struct err *err) {
    struct plan_gate *gate = &plan->gate;
    TRY(field_find_text(at, "confirms", &plan->arena, &gate->confirms_run_id, err));
    TRY(field_find_u32(at, "earlier_run_count", &gate->earlier_run_count, err));
    TRY(field_find_u32(at, "failed_run_count", &gate->failed_run_count, err));
    TRY(field_find_u32(at, "unfinished_run_count", &gate->unfinished_run_count, err));
    if (!gate->confirms_run_id || plan_is_run_id(gate->confirms_run_id)) return 0;
    return err_set(err, ERR_DATA, "%s: key 'confirms' is '%s', which is no run's id", at->where,
                   str_shown(gate->confirms_run_id).text);
}

// Checks the interim analyses of a gate: all that plan_measurement (control/flow/gate/gate_run.c) sets, or a
// single one; against a result file, one round.
static int gate_looks_check(const struct json_at *at, const struct plan *plan, struct err *err) {
    const bool is_counted = plan->sampling.metric == METRIC_INSTRUCTIONS;
    const uint32_t least = plan->gate.stored_baseline ? 1
                           : is_counted               ? PLAN_COUNTED_ROUNDS
                                                      : PLAN_GATE_LOOK_STEP;
    bool is_right = plan->look_count == 1 && plan->looks[0] >= least && !plan->is_sequential;
    if (plan->is_sequential && !plan->gate.stored_baseline) {
        is_right = plan->look_count == PLAN_GATE_LOOK_COUNT;
        for (uint32_t i = 0; is_right && i < PLAN_GATE_LOOK_COUNT; ++i)
            is_right = plan->looks[i] == PLAN_GATE_LOOK_STEP * (i + 1);
    }
    if (is_right) return 0;
    return err_set(err, ERR_DATA,
                   "%s: looks of a gate must be 5, 10, 15, 20 where is_sequential is true, else one number "
                   "of rounds of at least %u",
                   at->where, (unsigned)least);
}

// A gate without thresholds, or with impossible ones, would never fail.
static int threshold_parse(const struct json_at *at, const char *key, double most, double *ret,
                           bool is_needed, struct err *err) {
    *ret = NAN;
    const int found = json_find_double(at, key, ret, err);
    if (found < 0) return found;
    if (found ? *ret > 0 && *ret <= most : !is_needed) return 0;
    if (!found) return err_set(err, ERR_DATA, "%s: key '%s' is missing", at->where, key);
    return err_set(err, ERR_DATA, "%s: key '%s' is %g; it must lie between 0 and %g", at->where, key, *ret,
                   most);
}

static int rules_parse(const struct json_at *at, struct plan *plan, struct err *err) {
    TRY(looks_parse(at, plan, err));
    TRY(json_get_bool(at, "is_sequential", &plan->is_sequential, err));
    TRY(json_get_bool(at, "is_same_code", &plan->gate.is_same_code, err));
    TRY(json_get_bool(at, "needs_two_processes", &plan->needs_two_processes, err));
    TRY(field_get_u32(at, "round_repeat_max", &plan->round_repeat_max, err));
    TRY(field_get_u32(at, "repeat_count", &plan->repeat_count, err));
    const bool is_gate = str_equal(plan->command, "gate");
    struct gate_spec *spec = &plan->gate.spec;
    TRY(threshold_parse(at, "regression_pct", REGRESSION_PCT_MAX, &spec->regression_pct, is_gate, err));
    TRY(threshold_parse(at, "improvement_pct", nextafter(100, 0), &spec->improvement_pct, is_gate, err));
    TRY(json_get_bool(at, "is_improvement_expected", &plan->gate.spec.expects_improvement, err));
    TRY(field_find_text(at, "expected_problems", &plan->arena, &plan->gate.spec.expected_problems, err));
    TRY(field_find_text(at, "command_line", &plan->arena, &plan->command_line, err));
    TRY(field_find_text(at, "stored_baseline", &plan->arena, &plan->gate.stored_baseline, err));
    TRY(field_find_text(at, "added_problems", &plan->arena, &plan->gate.added_problems, err));
    TRY(field_find_text(at, "removed_problems", &plan->arena, &plan->gate.removed_problems, err));
    TRY(policy_find(at, "policy", &plan->arena, &plan->gate.policy, err));
    TRY(history_parse(at, plan, err));
    if (is_gate) TRY(gate_looks_check(at, plan, err));
    TRY(limit_find(at, "case_limit_s", &plan->case_limit_s, err));
    TRY(limit_find(at, "run_limit_s", &plan->run_limit_s, err));
    TRY(limit_find(at, "memory_limit_gb", &plan->memory_limit_gb, err));
    return optional_parse(at, plan, err);
}

static int sides_parse(const struct json_at *at, struct plan *plan, struct err *err) {
    const json_t *sides = NULL;
    TRY(field_get_items(at, "sides", WORK_SIDES_MAX, &sides, &plan->side_count, err));
    for (size_t i = 0; i < plan->side_count; ++i) {
        struct field_place place;
        field_enter_item(&place, at, "sides", i, json_array_get(sides, i));
        TRY(result_side_parse(&place.at, &plan->arena, &plan->sides[i], err));
    }
    TRY(field_get_u32(at, "check_side_mask", &plan->check_side_mask, err));
    if (plan->check_side_mask >> plan->side_count != 0) {
        return err_set(err, ERR_DATA, "%s: check_side_mask %lu names more than the %zu sides there are",
                       at->where, (unsigned long)plan->check_side_mask, plan->side_count);
    }
    return 0;
}

static int document_parse(const struct json_at *at, struct plan *plan, struct err *err) {
    const char *kind = NULL;
    const json_t *sampling = NULL;
    struct arena *arena = &plan->arena;
    TRY(json_get_string(at, "kind", &kind, err));
    if (strcmp(kind, PLAN_KIND) != 0)
        return err_set(err, ERR_DATA, "%s: this is not a plan of assay", at->where);
    TRY(field_check_version(at, "schema_version", PLAN_SCHEMA_VERSION, err));
    TRY(field_find_text(at, "run_id", arena, &plan->run_id, err));
    TRY(field_find_text(at, "command", arena, &plan->command, err));
    TRY(field_find_text(at, "created_utc", arena, &plan->created_utc, err));
    TRY(field_find_text(at, "suite", arena, &plan->suite, err));
    TRY(field_find_text(at, "check_suite", arena, &plan->check_suite, err));
    TRY(field_find_text(at, "device", arena, &plan->device, err));
    TRY(sim_device_find(at, "sim", arena, &plan->sim, err));
    TRY(json_get_u64(at, "seed", &plan->seed, err));
    TRY(field_get_u32(at, "thread_count", &plan->thread_count, err));
    TRY(field_find_text(at, "processors", &plan->arena, &plan->processors, err));
    TRY(field_find_text(at, "processors_note", &plan->arena, &plan->processors_note, err));
    TRY(sides_parse(at, plan, err));
    TRY(json_find_object(at, "sampling", &sampling, err));
    if (sampling) {
        struct field_place place;
        field_enter(&place, at, "sampling", sampling);
        TRY(sampling_parse(&place.at, &plan->sampling, err));
    }
    TRY(rules_parse(at, plan, err)); // the looks of a gate depend on its metric
    TRY(cases_parse(at, "checks", plan, &plan->checks, &plan->check_count, err));
    TRY(cases_parse(at, "cases", plan, &plan->cases, &plan->case_count, err));
    return 0;
}

int plan_parse(const json_t *root, const char *where, struct plan *ret, struct err *err) {
    struct plan plan = {0};
    const struct json_at at = {.value = root, .where = where};
    int parsed = document_parse(&at, &plan, err);
    if (parsed < 0) {
        plan_fini(&plan);
        return parsed;
    }
    *ret = plan;
    return 0;
}

int plan_read_file(const char *path, struct plan *ret, struct err *err) {
    json_t *root = NULL;
    TRY(json_read_file(path, &root, err));
    int parsed = plan_parse(root, path, ret, err);
    json_decref(root);
    return parsed;
}
