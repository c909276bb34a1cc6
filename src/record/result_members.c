// SPDX-License-Identifier: Apache-2.0
//
// The members of a result document, a row each: to add one, add a struct member in result.h and a row here,
// and run `make docs`. Rows by hand have the result as their context. result_file.c writes and reads whole
// files.
#include <stdio.h>

#include "record/field.h"
#include "record/result.h"

enum { RESULT_ROUNDS_MAX = 1 << 12, RESULT_WARNINGS_MAX = 1 << 12 };

// ---- build and side ----

#define BUILD(m, ...) MEMBER(struct build_report, #m, m, __VA_ARGS__)
static const struct member build_list[] = {
    BUILD(compiler, "Name and version: `gcc 12.2.0`."),
    BUILD(flags, "Its options."),
    BUILD(code_hash, "Equal ones mean the same machine code. Of a simulated kernel: its script's."),
    BUILD(source_hash, "Of a Python kernel's own files; with equal ones the imported code may differ."),
    BUILD(module_hash, "Of the module's file."),
    BUILD(log_tail, "End of the compiler's output."),
    BUILD(code_bytes, "Machine code.", MEMBER_FROM_0),
    BUILD(stack_bytes_max, "Largest stack frame.", MEMBER_FROM_0),
    BUILD(registers, "Most registers a thread of any GPU kernel.", MEMBER_FROM_0),
    BUILD(spill_bytes, "Largest spill of any GPU kernel.", MEMBER_FROM_0),
    BUILD(shared_bytes, "Most shared memory of any GPU kernel.", MEMBER_FROM_0),
    BUILD(matrix_instructions, "Matrix instructions in the PTX.", MEMBER_FROM_0),
    BUILD(binary_bytes, "Of the module, as it is loaded.", MEMBER_FROM_0),
    BUILD(targets, "GPU targets: `sm_80,sm_90a`."),
    BUILD(entries, "Each GPU kernel's registers, spills, stack and shared memory, one a line."),
    BUILD(matrix, "Matrix instructions by name: `sm_90a: 64 wgmma.mma_async`."),
    BUILD(build_s, "How long its own commands took.", 0, MEMBER_AT_LEAST(0)),
    BUILD(is_cached, "Built by an earlier command.", MEMBER_WRITTEN),
    BUILD(is_from_ccache, "ccache answered: no compiler ran."),
};
const struct member_table build_report_members =
    MEMBER_TABLE(struct build_report, "build", build_list,
                 .sentence = "The compiler's report ([building.md](building.md)).");

// A side without a compiler, a hash of its code or of its module was not built.
static void build_write(struct json_writer *w, const struct member *member, const void *object,
                        const void *context) {
    const struct build_report *build = &((const struct result_side *)object)->build;
    if (build->compiler || build->code_hash || build->module_hash)
        members_write_object(w, member->key, &build_report_members, build, context);
}

static int build_read(const struct json_at *at, const struct member *member, struct arena *arena,
                      void *object, void *context, struct err *err) {
    struct result_side *side = object;
    const json_t *value = NULL;
    struct field_place place;
    side->build = build_report_unknown();
    TRY(json_find_object(at, member->key, &value, err));
    if (!value) return 0;
    field_enter(&place, at, member->key, value);
    return members_read(&place.at, &build_report_members, arena, &side->build, context, err);
}

#define SIDE(m, ...) MEMBER(struct result_side, #m, m, __VA_ARGS__)
static const struct member side_list[] = {
    MEMBER_NAMED(struct result_side, "role", role, side_role_names, "What it is here.",
                 MEMBER_REQUIRED | MEMBER_WRITTEN),
    SIDE(label, "Its name in reports.", MEMBER_REQUIRED),
    SIDE(kernel, "Name in the manifest."),
    SIDE(op, "Operator."),
    SIDE(backend, "`cpu`, `cuda` or `sim`."),
    SIDE(kernel_name, "Name inside the module."),
    SIDE(version,
         "Version of the library behind a peer: of a plan the one asked for, of a result the one that ran."),
    SIDE(config, "Values of its parameters: `BLOCK_M=64`."),
    SIDE(revision, "Commit, or `dirty`."),
    SIDE(module_path, "Its module; absent: linked in."),
    SIDE(reproduce, "Options that name the side again: `--module /home/me/fa.so`."),
    MEMBER_POINTER(struct result_side, "tolerance", tolerance, &own_tolerance_members,
                   "The kernel's own tolerance; absent: that of the problem, else the operator's."),
    MEMBER_POINTER(struct result_side, "sim", sim, &sim_kernel_members,
                   "Script of a simulated kernel ([simulation.md](simulation.md))."),
    SIDE(python, "`module:function` of a kernel written in Python."),
    SIDE(python_path, "The folder that it is imported from."),
    SIDE(python_interpreter, "Its interpreter."),
    MEMBER_WITH("build", build_write, build_read, "The compiler's report.", .table = &build_report_members),
};
const struct member_table result_side_members =
    MEMBER_TABLE(struct result_side, "side", side_list, .sentence = "A kernel that was measured.");

// ---- lists of which an item belongs to a side ----

// Opens an item. Lists without items are not written: *is_open.
static void side_begin(struct json_writer *w, const char *key, size_t side, bool *is_open) {
    if (!*is_open) json_array_begin(w, key);
    *is_open = true;
    json_object_begin(w, NULL);
    json_write_u64(w, "side", side);
}

static int side_index_read(const struct json_at *at, const struct result *result, uint32_t *ret,
                           struct err *err) {
    TRY(field_get_u32(at, "side", ret, err));
    if (*ret < result->side_count) return 0;
    return err_set(err, ERR_DATA, "%s: key 'side' is %lu, but there are %zu sides", at->where,
                   (unsigned long)*ret, result->side_count);
}

static void samples_write(struct json_writer *w, const struct member *member, const void *object,
                          const void *context) {
    const struct result_round *round = object;
    const struct result *result = context;
    json_array_begin(w, member->key);
    for (size_t side = 0; side < result->side_count; ++side) {
        if (round->samples[side].count == 0) continue;
        json_object_begin(w, NULL);
        json_write_u64(w, "side", side);
        members_write(w, &samples_members, &round->samples[side], NULL);
        json_object_end(w);
    }
    json_array_end(w);
}

static int samples_read(const struct json_at *at, const struct member *member, struct arena *arena,
                        void *object, void *context, struct err *err) {
    struct result_round *round = object;
    struct result *result = context;
    const json_t *items = NULL;
    size_t count = 0;
    TRY(field_get_items(at, member->key, WORK_SIDES_MAX, &items, &count, err));
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        uint32_t side = 0;
        field_enter_item(&place, at, member->key, i, json_array_get(items, i));
        TRY(side_index_read(&place.at, result, &side, err));
        snprintf(place.where, sizeof place.where, "%s: side '%.64s'", at->where, result->sides[side].label);
        if (round->samples[side].items)
            return err_set(err, ERR_DATA, "%s: samples are given twice", place.where);
        members_forget(&samples_members, &round->samples[side]);
        TRY(members_read(&place.at, &samples_members, arena, &round->samples[side], NULL, err));
    }
    return 0;
}

static void checks_write(struct json_writer *w, const struct member *member, const void *object,
                         const void *context) {
    const struct result_case *item = object;
    bool is_open = false;
    for (size_t side = 0; side < ((const struct result *)context)->side_count; ++side) {
        if (item->checks[side].outcome == OUTCOME_NONE) continue;
        side_begin(w, member->key, side, &is_open);
        members_write(w, &check_result_members, &item->checks[side], NULL);
        json_object_end(w);
    }
    if (is_open) json_array_end(w);
}

static int checks_read(const struct json_at *at, const struct member *member, struct arena *arena,
                       void *object, void *context, struct err *err) {
    struct result_case *item = object;
    const json_t *checks = NULL;
    size_t count = 0;
    TRY(field_find_items(at, member->key, WORK_SIDES_MAX, &checks, &count, err));
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        uint32_t side = 0;
        field_enter_item(&place, at, member->key, i, json_array_get(checks, i));
        TRY(side_index_read(&place.at, context, &side, err));
        TRY(members_read(&place.at, &check_result_members, arena, &item->checks[side], NULL, err));
    }
    return 0;
}

#define SUMMARY(m, ...) MEMBER(struct case_summary, #m, m, __VA_ARGS__)
static const struct member summary_list[] = {
    MEMBER_SIDE,
    SUMMARY(median_ns, "Median time of a launch."),
    SUMMARY(median_low_ns, "Lower end of its 95 % interval."),
    SUMMARY(median_high_ns, "Upper end of its 95 % interval."),
    SUMMARY(mean_ns, "Mean."),
    SUMMARY(sd_ns, "Standard deviation."),
    SUMMARY(iqr_ns, "Interquartile range: from the 25th to the 75th percentile."),
    SUMMARY(p50_ns, "Median, as the 50th percentile."),
    SUMMARY(p95_ns, "95th percentile."),
    SUMMARY(p99_ns, "99th percentile."),
    SUMMARY(cv_pct, "Standard deviation by mean."),
    SUMMARY(gflop_per_s, "At the median."),
    SUMMARY(gb_per_s, "At the median, of the compulsory bytes."),
    SUMMARY(peak_memory_bytes, "Tensors and workspace."),
    SUMMARY(flop_per_byte, "Arithmetic intensity."),
    SUMMARY(ceiling_pct, "Share of the measured ceiling."),
    SUMMARY(call_wall_ns, "A single launch from call to completion, median over the valid rounds."),
    SUMMARY(kernel_clock_hz, "Clock of the device while samples ran, median."),
    SUMMARY(launch_energy_j,
            "Energy of a launch of this side alone (`sustained`), median over the valid rounds."),
    SUMMARY(power_w,
            "Power of the device while this side had it (`sustained`), median over the valid rounds."),
    SUMMARY(sample_count, "Samples that count.", MEMBER_WRITTEN),
    SUMMARY(discarded_count, "Samples that do not.", MEMBER_WRITTEN),
};
const struct member_table case_summary_members =
    MEMBER_TABLE(struct case_summary, "summary", summary_list,
                 .sentence = "For readers of the file: computed from the samples, ignored when read.");

static void summaries_write(struct json_writer *w, const struct member *member, const void *object,
                            const void *context) {
    const struct result_case *item = object;
    bool is_open = false;
    for (size_t side = 0; side < ((const struct result *)context)->side_count; ++side) {
        if (!item->summaries[side].is_set) continue;
        side_begin(w, member->key, side, &is_open);
        members_write(w, &case_summary_members, &item->summaries[side], NULL);
        json_object_end(w);
    }
    if (is_open) json_array_end(w);
}

static const struct member choice_list[] = {
    MEMBER(struct result_choice, "round", round, "Number of the round.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER(struct result_choice, "attempt", attempt, "Its repetition.", MEMBER_WRITTEN),
    MEMBER(struct result_choice, "side", side, "Index into `sides`.", MEMBER_REQUIRED | MEMBER_WRITTEN,
           MEMBER_FROM_TO(0, WORK_SIDES_MAX - 1)),
    MEMBER(struct result_choice, "text", text, "`fwd BLOCK_M=64 num_warps=4`."),
};
static const struct member_table choice_members =
    MEMBER_TABLE(struct result_choice, "choice", choice_list,
                 .sentence = "What the autotuner of a side's kernel chose in a measurement.");

static void choices_write(struct json_writer *w, const struct member *member, const void *object,
                          const void *context) {
    const struct result_case *item = object;
    if (item->choice_count == 0) return;
    json_array_begin(w, member->key);
    for (size_t i = 0; i < item->choice_count; ++i)
        members_write_object(w, NULL, &choice_members, &item->choices[i], context);
    json_array_end(w);
}

static int choices_read(const struct json_at *at, const struct member *member, struct arena *arena,
                        void *object, void *context, struct err *err) {
    const json_t *choices = NULL;
    size_t count = 0;
    TRY(field_find_items(at, member->key, RESULT_ROUNDS_MAX * WORK_SIDES_MAX, &choices, &count, err));
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        struct result_choice choice = {0};
        field_enter_item(&place, at, member->key, i, json_array_get(choices, i));
        TRY(members_read(&place.at, &choice_members, arena, &choice, NULL, err));
        TRY(side_index_read(&place.at, context, &choice.side, err));
        if (choice.text) result_case_add_choice(context, object, choice);
    }
    return 0;
}

// ---- rounds ----

static void state_write(struct json_writer *w, const struct member *member, const void *object,
                        const void *context) {
    const struct result_round *round = object;
    if (round->has_state) members_write_object(w, member->key, &device_state_members, &round->state, context);
}

static int state_read(const struct json_at *at, const struct member *member, struct arena *arena,
                      void *object, void *context, struct err *err) {
    struct result_round *round = object;
    const json_t *state = NULL;
    struct field_place place;
    TRY(json_find_object(at, member->key, &state, err));
    if (!state) return 0;
    field_enter(&place, at, member->key, state);
    round->has_state = true;
    return members_read(&place.at, &device_state_members, arena, &round->state, context, err);
}

static const struct member round_list[] = {
    MEMBER(struct result_round, "round", round, "Its number, from 0; absent: its place here.",
           MEMBER_WRITTEN),
    MEMBER(struct result_round, "attempt", attempt, "Repetitions of a round that was not valid count up.",
           MEMBER_WRITTEN),
    MEMBER(struct result_round, "is_valid", is_valid,
           "Absent: true. Others stay in the file and are not used.", MEMBER_WRITTEN),
    MEMBER_NAMED(struct result_round, "invalid_cause", invalid_cause, invalid_cause_names,
                 "Why it is not valid; absent: not known.", .former_name = INVALID_CAUSE_OTHER_PROCESS_FORMER,
                 .former_value = INVALID_CAUSE_OTHER_PROCESS),
    MEMBER(struct result_round, "invalid_reason", invalid_reason, "The same as a sentence."),
    MEMBER_WITH("state", state_write, state_read, "Of the device.", .table = &device_state_members),
    MEMBER_WITH("samples", samples_write, samples_read, "One for each side that was measured.",
                MEMBER_REQUIRED, .table = &samples_members, .limit = WORK_SIDES_MAX),
};
static const struct member_table round_members =
    MEMBER_TABLE(struct result_round, "round", round_list,
                 .sentence = "One measurement of the problem: a round, or a repetition of one.");

static void rounds_write(struct json_writer *w, const struct member *member, const void *object,
                         const void *context) {
    const struct result_case *item = object;
    if (item->round_count == 0) return;
    json_array_begin(w, member->key);
    for (size_t i = 0; i < item->round_count; ++i) {
        struct result_round round = item->rounds[i];
        if (round.is_valid) round.invalid_cause = INVALID_CAUSE_NONE;
        round.invalid_reason = round.is_valid ? NULL : str_or(round.invalid_reason, "not complete");
        members_write_object(w, NULL, &round_members, &round, context);
    }
    json_array_end(w);
}

static int round_read(const struct json_at *at, uint32_t number, struct result *result,
                      struct result_case *item, struct err *err) {
    struct result_round round = {.round = number, .is_valid = true, .state = device_state_unknown()};
    TRY(members_read(at, &round_members, &result->arena, &round, result, err));
    if (round.is_valid) {
        round.invalid_reason = NULL;
        round.invalid_cause = INVALID_CAUSE_NONE;
    }
    if (result_case_find_round(item, round.round, round.attempt)) {
        return err_set(err, ERR_DATA, "%s: round %lu, attempt %lu is given twice", at->where,
                       (unsigned long)round.round, (unsigned long)round.attempt);
    }
    struct result_round *added = result_case_add_round(result, item, round.round, round.attempt);
    if (!added) return err_set(err, ERR_DATA, "%s: too many rounds", at->where);
    *added = round;
    return 0;
}

static int rounds_read(const struct json_at *at, const struct member *member, struct arena *arena,
                       void *object, void *context, struct err *err) {
    struct result_case *item = object;
    const json_t *rounds = NULL;
    size_t count = 0;
    (void)arena;
    TRY(field_find_items(at, member->key, RESULT_ROUNDS_MAX, &rounds, &count, err));
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        field_enter_item(&place, at, member->key, i, json_array_get(rounds, i));
        snprintf(place.where, sizeof place.where, "%s (%.192s): rounds[%zu]", at->where,
                 result_case_name(item), i);
        TRY(round_read(&place.at, (uint32_t)i, context, item, err));
    }
    return 0;
}

// ---- cases ----

static void case_seed_write(struct json_writer *w, const struct member *member, const void *object,
                            const void *context) {
    const struct result_case *item = object;
    if (!((const struct result *)context)->lacks_seed || item->seed)
        json_write_u64(w, member->key, item->seed);
}

static int case_seed_read(const struct json_at *at, const struct member *member, struct arena *arena,
                          void *object, void *context, struct err *err) {
    (void)arena, (void)context;
    return json_find_u64(at, member->key, &((struct result_case *)object)->seed, err);
}

#define CASE(k, m, ...) MEMBER(struct result_case, k, m, __VA_ARGS__)
static const struct member case_list[] = {
    CASE("index", index, "Its number in the plan.", MEMBER_WRITTEN),
    CASE("problem", problem, "The problem's name: operator, then its axes; it parses back.", MEMBER_REQUIRED),
    CASE("flop_count", work.flop_count, "Useful floating-point operations of a launch.", 0,
         MEMBER_AT_LEAST(0)),
    CASE("compulsory_bytes", work.compulsory_bytes,
         "Bytes of a launch that reads every input and writes every output once.", 0, MEMBER_AT_LEAST(0)),
    CASE("dtype", work.dtype, "Element type of the first input."),
    CASE("short_name", short_name, "`s512`."),
    CASE("distribution", distribution, "Input distribution: `normal`.", .former = "family"),
    MEMBER_NAMED(struct result_case, "memory_layout", memory_layout, memory_layout_names, "Memory layout.",
                 .former = "placement"),
    MEMBER_POINTER(struct result_case, "tolerance", tolerance, &own_tolerance_members,
                   "Of its suite, for kernels without one of their own; absent: the operator's."),
    MEMBER_WITH("seed", case_seed_write, case_seed_read, "Of the inputs; absent: the document's.",
                .schema = "{\"$ref\": \"#/$defs/u64\"}"),
    MEMBER_WITH(
        "checks", checks_write, checks_read,
        "One a side. In `cases` the check is that of the rounds: the first bad one of any round stands.",
        .table = &check_result_members, .limit = WORK_SIDES_MAX),
    MEMBER_WITH("summary", summaries_write, NULL, "One a side.", .table = &case_summary_members,
                .limit = WORK_SIDES_MAX),
    MEMBER_WITH("choices", choices_write, choices_read, "What autotuners chose; absent: there are none.",
                .table = &choice_members, .limit = RESULT_ROUNDS_MAX * WORK_SIDES_MAX),
    MEMBER_WITH("rounds", rounds_write, rounds_read, "One a measurement.", .table = &round_members,
                .limit = RESULT_ROUNDS_MAX),
};
static const struct member_table case_members = MEMBER_TABLE(
    struct result_case, "case", case_list, .sentence = "A problem: how it was checked, and how measured.");

// Of "checks" and of "cases": the row's place tells which.
static void cases_write(struct json_writer *w, const struct member *member, const void *object,
                        const void *context) {
    const struct result *result = object;
    const bool is_check = member->offset == offsetof(struct result, checks);
    const struct result_case *cases = is_check ? result->checks : result->cases;
    (void)context;
    json_array_begin(w, member->key);
    for (size_t i = 0; i < (is_check ? result->check_count : result->case_count); ++i)
        members_write_object(w, NULL, &case_members, &cases[i], result);
    json_array_end(w);
}

static int cases_read(const struct json_at *at, const struct member *member, struct arena *arena,
                      void *object, void *context, struct err *err) {
    struct result *result = object;
    const bool is_check = member->offset == offsetof(struct result, checks);
    const json_t *items = NULL;
    size_t count = 0;
    (void)context;
    TRY(field_find_items(at, member->key, RESULT_CASES_MAX, &items, &count, err));
    struct result_case *cases = arena_array(arena, count, sizeof *cases);
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        cases[i].index = (uint32_t)i;
        cases[i].distribution = OP_DISTRIBUTION_DEFAULT;
        cases[i].memory_layout = MEMORY_LAYOUT_DENSE;
        cases[i].work = case_work_of(&cases[i].problem); // nothing yet
        cases[i].seed = result->seed;
        field_enter_item(&place, at, member->key, i, json_array_get(items, i));
        TRY(members_read(&place.at, &case_members, arena, &cases[i], result, err));
    }
    *(is_check ? &result->checks : &result->cases) = cases;
    *(is_check ? &result->check_count : &result->case_count) = count;
    return 0;
}

// ---- the document ----

static void seed_write(struct json_writer *w, const struct member *member, const void *object,
                       const void *context) {
    const struct result *result = object;
    (void)context;
    if (!result->lacks_seed) json_write_u64(w, member->key, result->seed);
}

static int seed_read(const struct json_at *at, const struct member *member, struct arena *arena, void *object,
                     void *context, struct err *err) {
    struct result *result = object;
    (void)arena, (void)context;
    const int found = json_find_u64(at, member->key, &result->seed, err);
    result->lacks_seed = found == 0;
    return found;
}

static void settings_write(struct json_writer *w, const struct member *member, const void *object,
                           const void *context) {
    const struct result *result = object;
    (void)context;
    if (!result->lacks_sampling) sampling_write(w, member->key, &result->sampling);
}

// Whether all is given that a report says in one line.
static bool states_sampling(const json_t *sampling) {
    static const char *const keys[] = {"sample_count", "warmup_count", "sample_time_ns"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
        if (!json_object_get(sampling, keys[i])) return false; // of NULL, too
    return true;
}

static int settings_read(const struct json_at *at, const struct member *member, struct arena *arena,
                         void *object, void *context, struct err *err) {
    struct result *result = object;
    (void)arena, (void)context;
    result->lacks_sampling = !states_sampling(json_object_get(at->value, member->key));
    return sampling_find(at, member->key, &result->sampling, err);
}

static void warnings_write(struct json_writer *w, const struct member *member, const void *object,
                           const void *context) {
    const struct result *result = object;
    (void)context;
    json_array_begin(w, member->key);
    for (size_t i = 0; i < result->warning_count; ++i) json_write_string(w, NULL, result->warnings[i]);
    json_array_end(w);
}

static int warnings_read(const struct json_at *at, const struct member *member, struct arena *arena,
                         void *object, void *context, struct err *err) {
    const json_t *warnings = NULL;
    size_t count = 0;
    (void)arena, (void)context;
    TRY(field_find_items(at, member->key, RESULT_WARNINGS_MAX, &warnings, &count, err));
    for (size_t i = 0; i < count; ++i) {
        const char *text = json_string_value(json_array_get(warnings, i));
        if (!text) return err_set(err, ERR_DATA, "%s: warnings[%zu] must be a string", at->where, i);
        result_add_warning(object, text);
    }
    return 0;
}

#define CASES(k, m, ...)                                                                                     \
    {                                                                                                        \
        .key = (k), .type = MEMBER_BY_HAND, MEMBER_PLACE(struct result, m), .write = cases_write,            \
        .read = cases_read, .table = &case_members, .limit = RESULT_CASES_MAX, .sentence = __VA_ARGS__       \
    }
#define RESULT(m, ...) MEMBER(struct result, #m, m, __VA_ARGS__)
static const struct member result_list[] = {
    MEMBER_WITH("kind", NULL, NULL, "`assay.result`.", MEMBER_REQUIRED,
                .schema = "{\"const\": \"" RESULT_KIND "\"}"),
    MEMBER_WITH("schema_version", NULL, NULL, "`1`.", MEMBER_REQUIRED, .schema = "{\"const\": 1}"),
    RESULT(run_id, "Of the run."),
    RESULT(command, "As typed."),
    RESULT(created_utc, "`2026-11-21T12:34:56Z`.",
           .schema = "{\"type\": \"string\", \"pattern\": "
                     "\"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$\"}"),
    RESULT(suite, "What was measured."),
    RESULT(check_suite, "The correctness matrix that was run."),
    RESULT(not_checked, "What the matrix has and the kernel does not declare that it takes."),
    MEMBER_WITH("seed", seed_write, seed_read, "Of inputs and drawn orders.",
                .schema = "{\"$ref\": \"#/$defs/u64\"}"),
    RESULT(elapsed_s, "From the beginning of the run, or from the last `--resume`, to its end.",
           MEMBER_ABSENT_0, MEMBER_AT_LEAST(0)),
    RESULT(device_s, "Lifetime of the workers: device (or processor) time used.", 0, MEMBER_AT_LEAST(0)),
    RESULT(repeat_count, "`--repeat`, where given."),
    RESULT(thread_count, "`--threads`, where given."),
    RESULT(manifest, "`--manifest`, where given."),
    RESULT(job_host, "Of a gate in a job of CI: `github` or `gitlab`."),
    RESULT(job_id, "The number of the job's page there."),
    RESULT(job_runner, "The runner's name there."),
    RESULT(target_speedup, "Of the manifest, where it states one.", MEMBER_ABSENT_0, MEMBER_AT_LEAST(0)),
    RESULT(cost_per_hour, "Of the manifest, where it states one.", MEMBER_ABSENT_0, MEMBER_AT_LEAST(0)),
    MEMBER_POINTER(
        struct result, "policy", policy, &policy_members,
        "Of a gate against a revision ([guardrails.md](guardrails.md#whose-policy-gate---baseline-gitrev))."),
    MEMBER_STRUCT(struct result, "environment", environment, &environment_members, "Where and how.",
                  MEMBER_WRITTEN),
    MEMBER_WITH("sampling", settings_write, settings_read, "The settings of the measurement.",
                .table = &sampling_members),
    {.key = "sides",
     .type = MEMBER_ITEMS,
     MEMBER_PLACE(struct result, sides),
     MEMBER_COUNT(struct result, side_count),
     .table = &result_side_members,
     .is_inline = true,
     .limit = WORK_SIDES_MAX,
     .flags = MEMBER_REQUIRED | MEMBER_WRITTEN,
     .schema = "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/side\"}, \"minItems\": 1, "
               "\"maxItems\": 8}",
     .sentence = "The kernels that were measured together; everything else names a side by its index here."},
    MEMBER_WITH("warnings", warnings_write, warnings_read, "Sentences.",
                .schema = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"),
    MEMBER_POINTER(struct result, "decision", decision, &decision_members,
                   "Verdict, reasons and numbers, when the run decided something."),
    MEMBER_POINTER(struct result, "explanation", explanation, &explanation_members,
                   "What moved between the sides: of a gate whose times differ, or with `--explain`."),
    CASES("checks", checks, "The correctness matrix."),
    CASES("cases", cases,
          "The measured problems; one with the same `distribution` and `memory_layout` comes once.",
          MEMBER_REQUIRED),
};
const struct member_table result_members =
    MEMBER_TABLE(struct result, "result", result_list, .sentence = "Explained in result-format.md.");
