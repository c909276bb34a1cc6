// SPDX-License-Identifier: Apache-2.0
//
// Writes a result as one indented JSON document, described in docs/result-format.md and
// docs/result.schema.json; document a new member in both. Raw samples are written as measured, discarded
// ones too.
#include "base/file.h"
#include "record/result.h"

static void count_write(struct json_writer *w, const char *key, int64_t value) {
    if (value >= 0) json_write_i64(w, key, value);
}

static void build_write(struct json_writer *w, const struct build_report *build) {
    json_object_begin(w, "build");
    json_maybe_string(w, "compiler", build->compiler);
    json_maybe_string(w, "flags", build->flags);
    json_maybe_string(w, "code_hash", build->code_hash);
    json_maybe_string(w, "source_hash", build->source_hash);
    json_maybe_string(w, "module_hash", build->module_hash);
    json_maybe_string(w, "log_tail", build->log_tail);
    count_write(w, "code_bytes", build->code_bytes);
    count_write(w, "stack_bytes_max", build->stack_bytes_max);
    count_write(w, "registers", build->registers);
    count_write(w, "spill_bytes", build->spill_bytes);
    count_write(w, "shared_bytes", build->shared_bytes);
    count_write(w, "matrix_instructions", build->matrix_instructions);
    json_maybe_string(w, "targets", build->targets);
    json_maybe_string(w, "entries", build->entries);
    json_maybe_string(w, "matrix", build->matrix);
    if (build->build_s >= 0) json_maybe_double(w, "build_s", build->build_s);
    json_write_bool(w, "is_cached", build->is_cached);
    json_object_end(w);
}

void result_side_write(struct json_writer *w, const char *key, const struct result_side *side) {
    json_object_begin(w, key);
    json_write_string(w, "role", side_role_name(side->role));
    json_maybe_string(w, "label", side->label);
    json_maybe_string(w, "kernel", side->kernel);
    json_maybe_string(w, "op", side->op);
    json_maybe_string(w, "backend", side->backend);
    json_maybe_string(w, "kernel_name", side->kernel_name);
    json_maybe_string(w, "config", side->config);
    json_maybe_string(w, "revision", side->revision);
    json_maybe_string(w, "module_path", side->module_path);
    json_maybe_string(w, "reproduce", side->reproduce);
    sim_kernel_write(w, "sim", side->sim);
    json_maybe_string(w, "python", side->python);
    json_maybe_string(w, "python_path", side->python_path);
    json_maybe_string(w, "python_interpreter", side->python_interpreter);
    if (side->build.compiler || side->build.code_hash || side->build.module_hash)
        build_write(w, &side->build);
    json_object_end(w);
}

static void checks_write(struct json_writer *w, const struct result_case *item, size_t side_count) {
    bool is_open = false;
    for (size_t side = 0; side < side_count; ++side) {
        if (item->checks[side].outcome == OUTCOME_NONE) continue;
        if (!is_open) json_array_begin(w, "checks");
        is_open = true;
        json_object_begin(w, NULL);
        json_write_u64(w, "side", side);
        check_result_write_members(w, &item->checks[side]);
        json_object_end(w);
    }
    if (is_open) json_array_end(w);
}

static void round_write(struct json_writer *w, const struct result_round *round, size_t side_count) {
    json_object_begin(w, NULL);
    json_write_u64(w, "round", round->round);
    json_write_u64(w, "attempt", round->attempt);
    json_write_bool(w, "is_valid", round->is_valid);
    if (!round->is_valid) {
        invalid_cause_write(w, round->invalid_cause);
        json_write_string(w, "invalid_reason",
                          round->invalid_reason ? round->invalid_reason : "not complete");
    }
    if (round->has_state) device_state_write(w, "state", &round->state);
    json_array_begin(w, "samples");
    for (size_t side = 0; side < side_count; ++side) {
        if (round->samples[side].count == 0) continue;
        json_object_begin(w, NULL);
        json_write_u64(w, "side", side);
        samples_write_members(w, &round->samples[side]);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static void choice_write(struct json_writer *w, const struct result_choice *choice) {
    json_object_begin(w, NULL);
    json_write_u64(w, "round", choice->round);
    json_write_u64(w, "attempt", choice->attempt);
    json_write_u64(w, "side", choice->side);
    json_write_string(w, "text", choice->text);
    json_object_end(w);
}

static void summary_write(struct json_writer *w, size_t side, const struct case_summary *summary) {
    json_object_begin(w, NULL);
    json_write_u64(w, "side", side);
    json_maybe_double(w, "median_ns", summary->median_ns);
    json_maybe_double(w, "median_low_ns", summary->median_low_ns);
    json_maybe_double(w, "median_high_ns", summary->median_high_ns);
    json_maybe_double(w, "mean_ns", summary->mean_ns);
    json_maybe_double(w, "sd_ns", summary->sd_ns);
    json_maybe_double(w, "p50_ns", summary->p50_ns);
    json_maybe_double(w, "p95_ns", summary->p95_ns);
    json_maybe_double(w, "p99_ns", summary->p99_ns);
    json_maybe_double(w, "cv_pct", summary->cv_pct);
    json_maybe_double(w, "gflop_per_s", summary->gflop_per_s);
    json_maybe_double(w, "gb_per_s", summary->gb_per_s);
    json_maybe_double(w, "peak_memory_bytes", summary->peak_memory_bytes);
    json_maybe_double(w, "flop_per_byte", summary->flop_per_byte);
    json_maybe_double(w, "ceiling_pct", summary->ceiling_pct);
    json_maybe_double(w, "call_wall_ns", summary->call_wall_ns);
    json_maybe_double(w, "kernel_clock_hz", summary->kernel_clock_hz);
    json_write_u64(w, "sample_count", summary->sample_count);
    json_write_u64(w, "discarded_count", summary->discarded_count);
    json_object_end(w);
}

static void summaries_write(struct json_writer *w, const struct result_case *item, size_t side_count) {
    bool is_open = false;
    for (size_t side = 0; side < side_count; ++side) {
        if (!item->summaries[side].is_set) continue;
        if (!is_open) json_array_begin(w, "summary");
        is_open = true;
        summary_write(w, side, &item->summaries[side]);
    }
    if (is_open) json_array_end(w);
}

static void case_write(struct json_writer *w, const struct result *result, const struct result_case *item) {
    const size_t side_count = result->side_count;
    json_object_begin(w, NULL);
    json_write_u64(w, "index", item->index);
    json_write_string(w, "problem", item->problem.name);
    json_maybe_string(w, "short_name", item->short_name);
    json_maybe_string(w, "family", item->distribution);
    if (item->memory_layout != MEMORY_LAYOUT_INVALID)
        json_write_string(w, "placement", memory_layout_name(item->memory_layout));
    if (!result->lacks_seed || item->seed) json_write_u64(w, "seed", item->seed);
    checks_write(w, item, side_count);
    summaries_write(w, item, side_count);
    if (item->choice_count > 0) {
        json_array_begin(w, "choices");
        for (size_t i = 0; i < item->choice_count; ++i) choice_write(w, &item->choices[i]);
        json_array_end(w);
    }
    if (item->round_count > 0) {
        json_array_begin(w, "rounds");
        for (size_t i = 0; i < item->round_count; ++i) round_write(w, &item->rounds[i], side_count);
        json_array_end(w);
    }
    json_object_end(w);
}

static void cases_write(struct json_writer *w, const char *key, const struct result *result,
                        const struct result_case *cases, size_t count) {
    json_array_begin(w, key);
    for (size_t i = 0; i < count; ++i) case_write(w, result, &cases[i]);
    json_array_end(w);
}

// Options given in addition to the suite; those not given are not written.
static void request_write(struct json_writer *w, const struct result *result) {
    if (result->repeat_count) json_write_u64(w, "repeat_count", result->repeat_count);
    if (result->thread_count) json_write_u64(w, "thread_count", result->thread_count);
    json_maybe_string(w, "manifest", result->manifest);
    if (result->target_speedup > 0) json_maybe_double(w, "target_speedup", result->target_speedup);
    if (result->cost_per_hour > 0) json_maybe_double(w, "cost_per_hour", result->cost_per_hour);
}

void result_write(const struct result *result, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 1);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", RESULT_KIND);
    json_write_u64(&w, "schema_version", RESULT_SCHEMA_VERSION);
    json_maybe_string(&w, "run_id", result->run_id);
    json_maybe_string(&w, "command", result->command);
    json_maybe_string(&w, "created_utc", result->created_utc);
    json_maybe_string(&w, "suite", result->suite);
    json_maybe_string(&w, "check_suite", result->check_suite);
    if (!result->lacks_seed) json_write_u64(&w, "seed", result->seed);
    if (result->device_s >= 0) json_maybe_double(&w, "device_s", result->device_s);
    request_write(&w, result);
    policy_write(&w, "policy", result->policy);
    environment_write(&w, "environment", &result->environment);
    if (!result->lacks_sampling) sampling_write(&w, "sampling", &result->sampling);
    json_array_begin(&w, "sides");
    for (size_t i = 0; i < result->side_count; ++i) result_side_write(&w, NULL, &result->sides[i]);
    json_array_end(&w);
    json_array_begin(&w, "warnings");
    for (size_t i = 0; i < result->warning_count; ++i) json_write_string(&w, NULL, result->warnings[i]);
    json_array_end(&w);
    if (result->decision) decision_write(&w, "decision", result->decision);
    cases_write(&w, "checks", result, result->checks, result->check_count);
    cases_write(&w, "cases", result, result->cases, result->case_count);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

void result_write_case(const struct result *result, size_t case_index, struct strbuf *out) {
    if (case_index >= result->case_count) BUG("case %zu of %zu", case_index, result->case_count);
    struct result part = *result; // borrows all of result's memory; not freed
    part.check_count = 0;
    part.cases = &result->cases[case_index];
    part.case_count = 1;
    part.decision = NULL;
    result_write(&part, out);
}

int result_write_file(const struct result *result, const char *path, struct err *err) {
    struct strbuf text = {0};
    result_write(result, &text);
    int written = file_write_atomic(path, text.text, text.length, err);
    strbuf_fini(&text);
    return written;
}
