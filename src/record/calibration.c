// SPDX-License-Identifier: Apache-2.0
//
// Adds, writes and reads a device's A/A studies. The file lies in the cache folder, where anyone may have
// edited it, so the reader checks every figure.
#include "record/calibration.h"

#include <math.h>
#include <string.h>

#include "record/field.h"
#include "record/work_order.h"

void calibration_fini(struct calibration *calibration) {
    arena_fini(&calibration->arena);
    *calibration = (struct calibration){0};
}

// ---- adding ----

struct calibration_study calibration_study_copy(const struct calibration_study *from, struct arena *arena) {
    struct calibration_study study = *from;
    members_own(&calibration_study_members, arena, &study);
    return study;
}

bool calibration_study_is_of_kernel(const struct calibration_study *study, const char *kernel,
                                    const char *code_hash) {
    return (code_hash && str_equal(study->code_hash, code_hash)) ||
           (kernel && str_equal(study->kernel, kernel));
}

static bool is_same_kernel(const struct calibration_study *a, const struct calibration_study *b) {
    if (a->code_hash && b->code_hash) return str_equal(a->code_hash, b->code_hash);
    return str_equal(a->kernel, b->kernel);
}

// Whether two studies hold the same simulated rounds. Two studies of a real device never do.
static bool draws_alike(const struct calibration_study *a, const struct calibration_study *b) {
    return a->is_simulated && b->is_simulated && a->seed == b->seed && is_same_kernel(a, b) &&
           a->sample_count == b->sample_count && a->sample_count_noisy == b->sample_count_noisy &&
           a->sample_count_noisier == b->sample_count_noisier && str_equal(a->power_mode, b->power_mode) &&
           str_equal(a->cache_mode, b->cache_mode) && str_equal(a->driver, b->driver) &&
           a->locked_clock_mhz == b->locked_clock_mhz;
}

static void drop_problem(struct calibration_study *study, size_t index) {
    --study->problem_count;
    for (size_t i = index; i < study->problem_count; ++i) study->problems[i] = study->problems[i + 1];
}

// A problem that both studies hold stays in only one of them.
static void part_problems(struct calibration_study *older, struct calibration_study *newer) {
    for (size_t i = 0; i < newer->problem_count;) {
        size_t k = 0;
        while (k < older->problem_count && !str_equal(older->problems[k].name, newer->problems[i].name)) ++k;
        bool is_in_both = k < older->problem_count;
        if (is_in_both && older->problems[k].round_count > newer->problems[i].round_count) {
            drop_problem(newer, i);
            continue;
        }
        if (is_in_both) drop_problem(older, k);
        ++i;
    }
}

void calibration_add_study(struct calibration *calibration, const struct calibration_study *study) {
    struct arena *arena = &calibration->arena;
    struct calibration_study copy = calibration_study_copy(study, arena);
    struct calibration_study *grown = arena_array(arena, calibration->study_count + 1, sizeof *grown);
    size_t count = 0;
    for (size_t i = 0; i < calibration->study_count; ++i) {
        struct calibration_study *older = &calibration->studies[i];
        bool is_alike = draws_alike(older, &copy);
        if (str_equal(older->run_id, copy.run_id)) continue;
        if (is_alike) part_problems(older, &copy);
        if (!is_alike || older->problem_count) grown[count++] = *older;
    }
    if (copy.problem_count || !study->problem_count) grown[count++] = copy;
    size_t dropped = count > CALIBRATION_STUDIES_MAX ? count - CALIBRATION_STUDIES_MAX : 0;
    calibration->studies = grown + dropped;
    calibration->study_count = count - dropped;
}

// ---- the members, a row each ----

static int problem_check(const struct json_at *at, const void *object, struct err *err);

// The rounds rule's verdicts, by their values; others are refused.
static const char *const round_verdicts[] = {
    [VERDICT_REGRESSION] = "regression",
    [VERDICT_IMPROVEMENT] = "improvement",
    [VERDICT_MAINTAINED] = "maintained",
    [VERDICT_UNDECIDABLE] = "undecidable",
};

#define SPREAD             0, MEMBER_FROM_TO(0, CALIBRATION_SPREAD_MAX_PCT)
#define PROBLEM(k, m, ...) MEMBER(struct calibration_problem, k, m, __VA_ARGS__)
static const struct member problem_list[] = {
    PROBLEM("problem", name,
            "The problem's name, then a blank and the input distribution unless it is the default.",
            MEMBER_REQUIRED | MEMBER_WRITTEN),
    PROBLEM("short_name", short_name, "`s512`."),
    PROBLEM("median_ns", median_ns, "Geometric mean of the rounds' medians.", 0, MEMBER_ABOVE(0)),
    PROBLEM("offset_pct", offset_pct, "Mean difference of the two sides: expected 0."),
    PROBLEM("spread_pct", spread_pct,
            "100 times the standard deviation, between rounds, of the logarithm of the ratio of times.",
            SPREAD),
    PROBLEM("within_cv_pct", within_cv_pct, "CV of the samples inside a round.", SPREAD),
    PROBLEM("within_sd_pct", within_sd_pct, "Spread that the samples' noise alone would give.", SPREAD),
    PROBLEM("pair_count", pair_count, "Mean number of samples per side and round.", 0, MEMBER_AT_LEAST(1)),
    PROBLEM("round_count", round_count, "Rounds that count.", MEMBER_WRITTEN,
            MEMBER_FROM_TO(0, ROUNDS_LIMIT)),
    PROBLEM("invalid_round_count", invalid_round_count, "Attempts that do not count.", MEMBER_WRITTEN),
    PROBLEM("invalid_reason", invalid_reason, "Of the last one."),
    MEMBER_NAMED(struct calibration_problem, "verdict", verdict, round_verdicts, "The rounds rule's at 3 %."),
};
static const struct member_table problem_members =
    MEMBER_TABLE(struct calibration_problem, "calibration_problem", problem_list, .check = problem_check);

#define STUDY(m, ...) MEMBER(struct calibration_study, #m, m, __VA_ARGS__)
static const struct member study_list[] = {
    STUDY(run_id, "Of the run.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    STUDY(created_utc, "When."),
    STUDY(assay_version, "Version of assay."),
    STUDY(driver, "Of the device."),
    MEMBER(struct calibration_study, "power_mode", power_mode, "Power mode.", .former = "regime"),
    STUDY(cache_mode, "State of the caches."),
    STUDY(isolation, "Whether each side had a process of its own."),
    STUDY(kernel, "Its name."),
    STUDY(code_hash, "Its machine code."),
    STUDY(suite, "What was measured."),
    STUDY(seed, "Of the run.", MEMBER_WRITTEN),
    STUDY(is_simulated, "The same kernel, seed and sampling give the same rounds again.", MEMBER_WRITTEN),
    STUDY(round_count, "Rounds asked for.", MEMBER_WRITTEN, MEMBER_FROM_TO(0, ROUNDS_LIMIT)),
    STUDY(sample_count, "Pairs a round.", MEMBER_WRITTEN),
    STUDY(sample_count_noisy, "The same where samples are noisy.", MEMBER_WRITTEN),
    STUDY(sample_count_noisier, "The same where they are noisier.", MEMBER_WRITTEN),
    STUDY(locked_clock_mhz, "The clock that the device was held at."),
    STUDY(round_correlation, "Of a round's difference with the one before."),
    STUDY(round_correlation_p, "p of its permutation test.", 0, MEMBER_AT_LEAST(0)),
    MEMBER_LIST(struct calibration_study, "problems", problems, problem_count, &problem_members,
                CALIBRATION_PROBLEMS_MAX, "One a problem.", MEMBER_REQUIRED | MEMBER_WRITTEN),
};
const struct member_table calibration_study_members =
    MEMBER_TABLE(struct calibration_study, "calibration_study", study_list, );

#define DOCUMENT(m, ...) MEMBER(struct calibration, #m, m, __VA_ARGS__)
static const struct member document_list[] = {
    DOCUMENT(device, "`cpu`."),
    DOCUMENT(device_name, "Model."),
    DOCUMENT(device_uuid, "UUID.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    DOCUMENT(thread_count, "Threads.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER_LIST(struct calibration, "studies", studies, study_count, &calibration_study_members,
                CALIBRATION_STUDIES_MAX, "In order of arrival.", MEMBER_REQUIRED | MEMBER_WRITTEN),
};
static const struct member_table document_members =
    MEMBER_TABLE(struct calibration, "calibration", document_list, );

// ---- writing ----

void calibration_write(const struct calibration *calibration, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", CALIBRATION_KIND);
    json_write_u64(&w, "schema_version", CALIBRATION_SCHEMA_VERSION);
    members_write(&w, &document_members, calibration, NULL);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

// ---- reading ----

// It can be a problem's name, and a spread exists exactly when there are at least two rounds.
static int problem_check(const struct json_at *at, const void *object, struct err *err) {
    const struct calibration_problem *problem = object;
    const bool has_spread = isfinite(problem->spread_pct);
    struct err why = {0};
    if (problem_key_check(&operators_compiled, problem->name, &why) < 0)
        return err_set(err, ERR_DATA, "%s: key 'problem': %s", at->where, why.text);
    if (has_spread != (problem->round_count >= 2))
        return err_set(err, ERR_DATA, "%s: a spread of %s goes with %lu rounds", at->where,
                       has_spread ? "its own" : "none", (unsigned long)problem->round_count);
    return 0;
}

// No run twice, and in a run no problem.
static int refuse_doubles(const struct json_at *at, const struct calibration *calibration, struct err *err) {
    for (size_t i = 0; i < calibration->study_count; ++i) {
        const struct calibration_study *study = &calibration->studies[i];
        for (size_t k = 0; k < i; ++k)
            if (strcmp(calibration->studies[k].run_id, study->run_id) == 0)
                return err_set(err, ERR_DATA, "%s: studies[%zu]: run '%s' is there twice", at->where, i,
                               study->run_id);
        for (size_t k = 0; k < study->problem_count; ++k)
            for (size_t l = 0; l < k; ++l)
                if (strcmp(study->problems[l].name, study->problems[k].name) == 0)
                    return err_set(err, ERR_DATA,
                                   "%s: studies[%zu]: problems[%zu]: problem '%s' is there twice", at->where,
                                   i, k, study->problems[k].name);
    }
    return 0;
}

static int document_parse(const struct json_at *at, struct calibration *ret, struct err *err) {
    const char *kind = NULL;
    TRY(json_get_string(at, "kind", &kind, err));
    if (strcmp(kind, CALIBRATION_KIND) != 0) return field_refuse_name(at, "kind", kind, err);
    TRY(field_check_version(at, "schema_version", CALIBRATION_SCHEMA_VERSION, err));
    TRY(members_read(at, &document_members, &ret->arena, ret, NULL, err));
    return refuse_doubles(at, ret, err);
}

int calibration_parse(const json_t *root, const char *where, struct calibration *ret, struct err *err) {
    struct calibration calibration = {0};
    struct json_at at = {.value = root, .where = where};
    int code = document_parse(&at, &calibration, err);
    if (code < 0)
        calibration_fini(&calibration);
    else
        *ret = calibration;
    return code;
}
