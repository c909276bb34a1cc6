// SPDX-License-Identifier: Apache-2.0
//
// plan.json: writes and reads a plan, so that a resumed run does exactly what the first one would have done.
// plan_orders.c makes the work orders.
#include "control/plan/plan.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "record/declared_members.h"
#include "record/field.h"
#include "record/run_id.h"

#define PLAN_KIND "assay.plan"

enum { PLAN_CASES_MAX = 1 << 16 };

uint32_t plan_rerun_number(const struct plan *plan) {
    const struct plan_gate *gate = &plan->gate;
    const uint32_t known = gate->confirms_run_id ? gate->earlier_run_count : 0;
    return (known > gate->earlier_attempt_count ? known : gate->earlier_attempt_count) + 1;
}

void plan_fini(struct plan *plan) {
    arena_fini(&plan->arena);
    *plan = (struct plan){0};
}

// ---- the members, a row each ----

#define CASE(k, m, ...) MEMBER(struct plan_case, k, m, __VA_ARGS__)
static const struct member case_list[] = {
    CASE("problem", problem, "The problem's name.", MEMBER_REQUIRED),
    CASE("short_name", short_name, "`s512`."),
    CASE("distribution", distribution, "Input distribution.", .former = "family"),
    MEMBER_NAMED(struct plan_case, "memory_layout", memory_layout, memory_layout_names, "Memory layout.",
                 .former = "placement"),
    MEMBER_POINTER(struct plan_case, "tolerance", tolerance, &own_tolerance_members, "Its suite's."),
    CASE("seed", seed, "Of the inputs.", MEMBER_REQUIRED | MEMBER_WRITTEN),
};
static const struct member_table case_members = MEMBER_TABLE(struct plan_case, "plan_case", case_list, );

static void looks_write(struct json_writer *w, const struct member *member, const void *object,
                        const void *context) {
    const struct plan *plan = object;
    (void)context;
    json_array_begin(w, member->key);
    for (size_t i = 0; i < plan->look_count; ++i) json_write_u64(w, NULL, plan->looks[i]);
    json_array_end(w);
}

static int looks_read(const struct json_at *at, const struct member *member, struct arena *arena,
                      void *object, void *context, struct err *err) {
    struct plan *plan = object;
    const json_t *looks = NULL;
    (void)arena, (void)context;
    TRY(field_get_items(at, member->key, PLAN_LOOKS_MAX, &looks, &plan->look_count, err));
    for (size_t i = 0; i < plan->look_count; ++i) {
        const json_t *look = json_array_get(looks, i);
        int64_t value = json_is_integer(look) ? json_integer_value(look) : 0;
        if (value < 1 || value > ROUNDS_LIMIT || (i > 0 && value <= (int64_t)plan->looks[i - 1])) {
            return err_set(err, ERR_DATA, "%s: looks must be rising numbers of rounds from 1 to %d",
                           at->where, ROUNDS_LIMIT);
        }
        plan->looks[i] = (uint32_t)value;
    }
    return 0;
}

static void settings_write(struct json_writer *w, const struct member *member, const void *object,
                           const void *context) {
    (void)context;
    sampling_write(w, member->key, &((const struct plan *)object)->sampling);
}

// A plan without samples (a fuzz) has no settings.
static int settings_read(const struct json_at *at, const struct member *member, struct arena *arena,
                         void *object, void *context, struct err *err) {
    struct plan *plan = object;
    (void)arena, (void)context;
    const int found = sampling_find(at, member->key, &plan->sampling, err);
    if (found == 0) plan->sampling = (struct sampling){0};
    return found;
}

static void ratchet_write(struct json_writer *w, const struct member *member, const void *object,
                          const void *context) {
    (void)context;
    ratchets_write(w, member->key, &((const struct plan *)object)->gate.spec.ratchets);
}

static int ratchet_read(const struct json_at *at, const struct member *member, struct arena *arena,
                        void *object, void *context, struct err *err) {
    (void)arena, (void)context;
    return ratchets_find(at, member->key, &((struct plan *)object)->gate.spec.ratchets, err);
}

#define PLAN(m, ...)    MEMBER(struct plan, #m, m, __VA_ARGS__)
#define GATE(k, m, ...) MEMBER(struct plan, k, gate.m, __VA_ARGS__)
#define NEEDED          (MEMBER_REQUIRED | MEMBER_WRITTEN)
static const struct member members[] = {
    PLAN(run_id, "Of the run."),
    PLAN(command, "`gate`."),
    PLAN(created_utc, "When."),
    PLAN(suite, "What is measured."),
    PLAN(check_suite, "The correctness matrix."),
    PLAN(not_checked, "What the matrix has and the kernel does not declare that it takes."),
    PLAN(device, "`cpu`."),
    MEMBER_POINTER(struct plan, "sim", sim, &sim_device_members, "Script of a simulated device."),
    PLAN(seed, "Of the run.", NEEDED),
    PLAN(thread_count, "Threads.", NEEDED),
    PLAN(processors, "Where they run."),
    PLAN(processors_note, "Why on fewer processors than there are."),
    MEMBER_OPERATORS(struct plan),
    {.key = "sides",
     .type = MEMBER_ITEMS,
     MEMBER_PLACE(struct plan, sides),
     MEMBER_COUNT(struct plan, side_count),
     .table = &result_side_members,
     .is_inline = true,
     .limit = WORK_SIDES_MAX,
     .flags = NEEDED,
     .sentence = "Kernels."},
    PLAN(check_side_mask, "Bit k: side k goes through the correctness matrix.", NEEDED),
    MEMBER_WITH("looks", looks_write, looks_read, "Round counts after which the rule looks.", MEMBER_REQUIRED,
                .schema = "{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}"),
    PLAN(is_sequential, "More than one look.", NEEDED),
    GATE("is_same_code", is_same_code, "Nothing is measured.", NEEDED),
    PLAN(needs_two_processes, "The sides cannot share a process.", NEEDED),
    PLAN(round_repeat_max, "Repetitions of a round.", NEEDED),
    PLAN(repeat_count, "Launches whose outputs must be equal.", NEEDED),
    PLAN(variant_limit, "Of a heat of a tuning: how many new variants it had room for."),
    GATE("regression_pct", spec.regression_pct, "Threshold of a regression.", 0, MEMBER_ABOVE(0),
         .has_high = true, .high = REGRESSION_PCT_MAX),
    GATE("improvement_pct", spec.improvement_pct, "Threshold of an improvement.", 0, MEMBER_BETWEEN(0, 100)),
    MEMBER_WITH("ratchet", ratchet_write, ratchet_read,
                "By how much figures of the compiler may grow: `{\"registers\": \"0\"}`.",
                .schema = RATCHETS_SCHEMA),
    GATE("is_improvement_expected", spec.expects_improvement, "The gate claims an improvement.", NEEDED),
    GATE("expected_problems", spec.expected_problems, "On these problems."),
    PLAN(command_line, "As typed."),
    GATE("stored_baseline", stored_baseline, "Result file with the baseline."),
    GATE("added_problems", added_problems, "Problems that only the candidate has."),
    GATE("removed_problems", removed_problems, "Problems that only the baseline has."),
    MEMBER_POINTER(struct plan, "policy", gate.policy, &policy_members, "Whose manifest decides."),
    GATE("confirms", confirms_run_id, "The failed run that this one confirms."),
    GATE("earlier_run_count", earlier_run_count, "Gates of the same code before it."),
    GATE("failed_run_count", failed_run_count, "Those that failed."),
    GATE("unfinished_run_count", unfinished_run_count, "Those never decided."),
    GATE("earlier_attempt_count", earlier_attempt_count, "Attempts of its job before it, by the code host."),
    GATE("attempt_host", attempt_host, "The code host that counts them."),
    PLAN(is_oracle_only, "No kernel.", MEMBER_WRITTEN),
    GATE("is_removed_allowed", spec.allows_removed, "Removed problems do not fail the gate.", MEMBER_WRITTEN),
    GATE("warns_of_undecided", spec.warns_of_undecided, "Undecided problems do not, either."),
    PLAN(is_integrated_form, "The result is also written in the older form.", MEMBER_WRITTEN),
    PLAN(manifest, "`--manifest`."),
    PLAN(target_speedup, "Of the manifest.", MEMBER_ABSENT_0, MEMBER_AT_LEAST(0)),
    PLAN(cost_per_hour, "Of the manifest.", MEMBER_ABSENT_0, MEMBER_AT_LEAST(0)),
    MEMBER_WITH("sampling", settings_write, settings_read, "Settings of the measurement.",
                .table = &sampling_members),
    MEMBER_STRUCT(struct plan, "limits", sampling.limits, &run_limits_members,
                  "Those of the manifest, or the command line's."),
    MEMBER_LIST(struct plan, "checks", checks, check_count, &case_members, PLAN_CASES_MAX,
                "The correctness matrix.", NEEDED),
    MEMBER_LIST(struct plan, "cases", cases, case_count, &case_members, PLAN_CASES_MAX,
                "The measured problems.", NEEDED),
};
// Plans of earlier versions have limits among their own keys; 0: none.
#define OLD_LIMIT(k, m, most)                                                                                \
    MEMBER(struct plan, k, sampling.limits.m, "As in `limits`.", 0, MEMBER_FROM_TO(0, most))
static const struct member old_limits[] = {
    OLD_LIMIT("case_limit_s", case_s, RUN_LIMITS_CASE_S_MAX),
    OLD_LIMIT("run_limit_s", gate_s, RUN_LIMITS_GATE_S_MAX),
    OLD_LIMIT("memory_limit_gb", memory_gb, RUN_LIMITS_MEMORY_GB_MAX),
};
static const struct member_table old_limit_members = MEMBER_TABLE(struct plan, "old_limits", old_limits, );
static const struct member_table plan_members = MEMBER_TABLE(struct plan, "plan", members, );

// ---- writing ----

void plan_write(const struct plan *plan, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 1);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", PLAN_KIND);
    json_write_u64(&w, "schema_version", PLAN_SCHEMA_VERSION);
    members_write(&w, &plan_members, plan, NULL);
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

// ---- reading ----

// Checks the interim analyses of a gate: all that plan_measurement (control/flow/gate/gate_run.c) sets, or a
// single one; against a result file, one round.
static int gate_looks_check(const struct json_at *at, const struct plan *plan, struct err *err) {
    const bool is_counted = metric_is_counted(plan->sampling.metric);
    const uint32_t least = plan->gate.stored_baseline ? 1
                           : is_counted               ? PLAN_COUNTED_ROUNDS
                                                      : PLAN_GATE_LOOK_STEP;
    bool is_right = plan->look_count == 1 && plan->looks[0] >= least && !plan->is_sequential;
    if (plan->is_sequential && !plan->gate.stored_baseline) {
        const uint32_t first = plan->looks[0] == PLAN_GATE_FIRST_LOOK; // one more
        is_right = plan->look_count == PLAN_GATE_LOOK_COUNT + first;
        for (uint32_t i = 0; is_right && i < PLAN_GATE_LOOK_COUNT; ++i)
            is_right = plan->looks[first + i] == PLAN_GATE_LOOK_STEP * (i + 1);
    }
    if (is_right) return 0;
    return err_set(
        err, ERR_DATA,
        "%s: looks of a gate must be 5, 10, 15, 20 (and 3 before them) where is_sequential is true, "
        "else one number of rounds of at least %u",
        at->where, (unsigned)least);
}

// A gate without thresholds would never fail.
static int gate_check(const struct json_at *at, const struct plan *plan, struct err *err) {
    const struct gate_spec *spec = &plan->gate.spec;
    if (!str_equal(plan->command, "gate")) return 0;
    if (isnan(spec->regression_pct) || isnan(spec->improvement_pct))
        return err_set(err, ERR_DATA, "%s: key '%s' is missing", at->where,
                       isnan(spec->regression_pct) ? "regression_pct" : "improvement_pct");
    return gate_looks_check(at, plan, err);
}

static int fill_cases(const struct json_at *at, const char *key, const struct operator_set *operators,
                      struct plan_case *cases, size_t count, struct err *err) {
    for (size_t i = 0; i < count; ++i) {
        TRY(field_bind_problem(at, key, i, operators, &cases[i].problem, err));
        if (!cases[i].distribution) cases[i].distribution = OP_DISTRIBUTION_DEFAULT;
        if (!cases[i].memory_layout) cases[i].memory_layout = MEMORY_LAYOUT_DENSE;
    }
    return 0;
}

static int document_parse(const struct json_at *at, struct plan *plan, struct err *err) {
    const char *kind = NULL;
    TRY(json_get_string(at, "kind", &kind, err));
    if (strcmp(kind, PLAN_KIND) != 0)
        return err_set(err, ERR_DATA, "%s: this is not a plan of assay", at->where);
    TRY(field_check_version(at, "schema_version", PLAN_SCHEMA_VERSION, err));
    plan->gate.spec.regression_pct = plan->gate.spec.improvement_pct = NAN;
    plan->target_speedup = plan->cost_per_hour = NAN;
    TRY(members_read(at, &plan_members, &plan->arena, plan, NULL, err));
    TRY(members_read(at, &old_limit_members, &plan->arena, plan, NULL, err));
    if (plan->check_side_mask >> plan->side_count != 0) {
        return err_set(err, ERR_DATA, "%s: check_side_mask %lu names more than the %zu sides there are",
                       at->where, (unsigned long)plan->check_side_mask, plan->side_count);
    }
    if (plan->gate.confirms_run_id && !run_id_is_valid(plan->gate.confirms_run_id)) {
        return err_set(err, ERR_DATA, "%s: key 'confirms' is '%s', which is no run's id", at->where,
                       str_shown(plan->gate.confirms_run_id).text);
    }
    TRY(fill_cases(at, "checks", &plan->operators, plan->checks, plan->check_count, err));
    TRY(fill_cases(at, "cases", &plan->operators, plan->cases, plan->case_count, err));
    return gate_check(at, plan, err);
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
