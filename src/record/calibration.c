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

static struct calibration_problem *copy_problems(const struct calibration_study *from, struct arena *arena) {
    struct calibration_problem *problems = arena_array(arena, from->problem_count, sizeof *problems);
    for (size_t i = 0; i < from->problem_count; ++i) {
        problems[i] = from->problems[i];
        problems[i].name = arena_strdup(arena, problems[i].name);
        problems[i].short_name = arena_strdup(arena, problems[i].short_name);
        problems[i].invalid_reason = arena_strdup(arena, problems[i].invalid_reason);
    }
    return problems;
}

struct calibration_study calibration_study_copy(const struct calibration_study *from, struct arena *arena) {
    struct calibration_study study = *from;
    study.run_id = arena_strdup(arena, from->run_id);
    study.created_utc = arena_strdup(arena, from->created_utc);
    study.assay_version = arena_strdup(arena, from->assay_version);
    study.driver = arena_strdup(arena, from->driver);
    study.power_mode = arena_strdup(arena, from->power_mode);
    study.cache_mode = arena_strdup(arena, from->cache_mode);
    study.kernel = arena_strdup(arena, from->kernel);
    study.code_hash = arena_strdup(arena, from->code_hash);
    study.suite = arena_strdup(arena, from->suite);
    study.problems = copy_problems(from, arena);
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

// ---- writing ----

static void problem_write(struct json_writer *w, const struct calibration_problem *problem) {
    json_object_begin(w, NULL);
    json_write_string(w, "problem", problem->name);
    json_maybe_string(w, "short_name", problem->short_name);
    json_maybe_double(w, "median_ns", problem->median_ns);
    json_maybe_double(w, "offset_pct", problem->offset_pct);
    json_maybe_double(w, "spread_pct", problem->spread_pct);
    json_maybe_double(w, "within_cv_pct", problem->within_cv_pct);
    json_maybe_double(w, "within_sd_pct", problem->within_sd_pct);
    json_maybe_double(w, "pair_count", problem->pair_count);
    json_write_u64(w, "round_count", problem->round_count);
    json_write_u64(w, "invalid_round_count", problem->invalid_round_count);
    json_maybe_string(w, "invalid_reason", problem->invalid_reason);
    if (problem->verdict != VERDICT_NONE) json_write_string(w, "verdict", verdict_name(problem->verdict));
    json_object_end(w);
}

void calibration_study_write(struct json_writer *w, const char *key, const struct calibration_study *study) {
    json_object_begin(w, key);
    json_write_string(w, "run_id", study->run_id);
    json_maybe_string(w, "created_utc", study->created_utc);
    json_maybe_string(w, "assay_version", study->assay_version);
    json_maybe_string(w, "driver", study->driver);
    json_maybe_string(w, "regime", study->power_mode);
    json_maybe_string(w, "cache_mode", study->cache_mode);
    json_maybe_string(w, "kernel", study->kernel);
    json_maybe_string(w, "code_hash", study->code_hash);
    json_maybe_string(w, "suite", study->suite);
    json_write_u64(w, "seed", study->seed);
    json_write_bool(w, "is_simulated", study->is_simulated);
    json_write_u64(w, "round_count", study->round_count);
    json_write_u64(w, "sample_count", study->sample_count);
    json_write_u64(w, "sample_count_noisy", study->sample_count_noisy);
    json_write_u64(w, "sample_count_noisier", study->sample_count_noisier);
    if (study->locked_clock_mhz > 0) json_write_u64(w, "locked_clock_mhz", study->locked_clock_mhz);
    json_maybe_double(w, "round_correlation", study->round_correlation);
    json_maybe_double(w, "round_correlation_p", study->round_correlation_p);
    json_array_begin(w, "problems");
    for (size_t i = 0; i < study->problem_count; ++i) problem_write(w, &study->problems[i]);
    json_array_end(w);
    json_object_end(w);
}

void calibration_write(const struct calibration *calibration, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", CALIBRATION_KIND);
    json_write_u64(&w, "schema_version", CALIBRATION_SCHEMA_VERSION);
    json_maybe_string(&w, "device", calibration->device);
    json_maybe_string(&w, "device_name", calibration->device_name);
    json_write_string(&w, "device_uuid", calibration->device_uuid);
    json_write_i64(&w, "thread_count", calibration->thread_count);
    json_array_begin(&w, "studies");
    for (size_t i = 0; i < calibration->study_count; ++i)
        calibration_study_write(&w, NULL, &calibration->studies[i]);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

// ---- reading ----

static int count_parse(const struct json_at *at, const char *key, uint32_t limit, uint32_t *ret,
                       struct err *err) {
    TRY(field_find_u32(at, key, ret, err));
    if (*ret <= limit) return 0;
    return err_set(err, ERR_DATA, "%s: key '%s' is %lu; the limit is %lu", at->where, key,
                   (unsigned long)*ret, (unsigned long)limit);
}

static int spread_parse(const struct json_at *at, const char *key, double *ret, struct err *err) {
    TRY(field_find_double(at, key, 0, ret, err));
    if (!(*ret > CALIBRATION_SPREAD_MAX_PCT)) return 0;
    return err_set(err, ERR_DATA, "%s: key '%s' is %g; the limit is %g", at->where, key, *ret,
                   CALIBRATION_SPREAD_MAX_PCT);
}

static int verdict_member_parse(const struct json_at *at, enum verdict *ret, struct err *err) {
    const char *name = NULL;
    TRY(json_find_string(at, "verdict", &name, err));
    if (!name) return 0;
    *ret = verdict_parse(name);
    bool is_of_rounds = *ret == VERDICT_REGRESSION || *ret == VERDICT_IMPROVEMENT ||
                        *ret == VERDICT_MAINTAINED || *ret == VERDICT_UNDECIDABLE;
    return is_of_rounds ? 0 : field_refuse_name(at, "verdict", name, err);
}

// A spread exists exactly when there are at least two rounds; any other combination is rejected.
static int problem_check(const struct json_at *at, const struct calibration_problem *problem,
                         struct err *err) {
    bool has_spread = isfinite(problem->spread_pct);
    if (has_spread != (problem->round_count >= 2))
        return err_set(err, ERR_DATA, "%s: a spread of %s goes with %lu rounds", at->where,
                       has_spread ? "its own" : "none", (unsigned long)problem->round_count);
    if (isfinite(problem->median_ns) && !(problem->median_ns > 0))
        return err_set(err, ERR_DATA, "%s: key 'median_ns' must be above 0", at->where);
    return 0;
}

static int calibration_problem_parse(const struct json_at *at, struct arena *arena,
                                     struct calibration_problem *ret, struct err *err) {
    *ret = (struct calibration_problem){.median_ns = NAN,
                                        .offset_pct = NAN,
                                        .spread_pct = NAN,
                                        .within_cv_pct = NAN,
                                        .within_sd_pct = NAN,
                                        .pair_count = NAN};
    struct problem problem;
    TRY(field_get_problem(at, "problem", &problem, err));
    TRY(field_get_text(at, "problem", arena, &ret->name, err));
    TRY(field_find_text(at, "short_name", arena, &ret->short_name, err));
    TRY(field_find_double(at, "median_ns", 0, &ret->median_ns, err));
    TRY(json_find_double(at, "offset_pct", &ret->offset_pct, err));
    TRY(spread_parse(at, "spread_pct", &ret->spread_pct, err));
    TRY(spread_parse(at, "within_cv_pct", &ret->within_cv_pct, err));
    TRY(spread_parse(at, "within_sd_pct", &ret->within_sd_pct, err));
    TRY(field_find_double(at, "pair_count", 1, &ret->pair_count, err));
    TRY(count_parse(at, "round_count", ROUNDS_LIMIT, &ret->round_count, err));
    TRY(field_find_u32(at, "invalid_round_count", &ret->invalid_round_count, err));
    TRY(field_find_text(at, "invalid_reason", arena, &ret->invalid_reason, err));
    TRY(verdict_member_parse(at, &ret->verdict, err));
    return problem_check(at, ret, err);
}

static int problems_parse(const struct json_at *at, struct arena *arena, struct calibration_study *ret,
                          struct err *err) {
    const json_t *items = NULL;
    TRY(field_get_items(at, "problems", CALIBRATION_PROBLEMS_MAX, &items, &ret->problem_count, err));
    ret->problems = arena_array(arena, ret->problem_count, sizeof *ret->problems);
    for (size_t i = 0; i < ret->problem_count; ++i) {
        struct field_place place;
        field_enter_item(&place, at, "problems", i, json_array_get(items, i));
        TRY(calibration_problem_parse(&place.at, arena, &ret->problems[i], err));
        for (size_t k = 0; k < i; ++k)
            if (strcmp(ret->problems[k].name, ret->problems[i].name) == 0)
                return err_set(err, ERR_DATA, "%s: problem '%s' is there twice", at->where,
                               ret->problems[i].name);
    }
    return 0;
}

static int study_parse(const struct json_at *at, struct arena *arena, struct calibration_study *ret,
                       struct err *err) {
    TRY(field_get_text(at, "run_id", arena, &ret->run_id, err));
    TRY(field_find_text(at, "created_utc", arena, &ret->created_utc, err));
    TRY(field_find_text(at, "assay_version", arena, &ret->assay_version, err));
    TRY(field_find_text(at, "driver", arena, &ret->driver, err));
    TRY(field_find_text(at, "regime", arena, &ret->power_mode, err));
    TRY(field_find_text(at, "cache_mode", arena, &ret->cache_mode, err));
    TRY(field_find_text(at, "kernel", arena, &ret->kernel, err));
    TRY(field_find_text(at, "code_hash", arena, &ret->code_hash, err));
    TRY(field_find_text(at, "suite", arena, &ret->suite, err));
    TRY(json_find_u64(at, "seed", &ret->seed, err));
    TRY(json_find_bool(at, "is_simulated", &ret->is_simulated, err));
    TRY(count_parse(at, "round_count", ROUNDS_LIMIT, &ret->round_count, err));
    TRY(field_find_u32(at, "sample_count", &ret->sample_count, err));
    TRY(field_find_u32(at, "sample_count_noisy", &ret->sample_count_noisy, err));
    TRY(field_find_u32(at, "sample_count_noisier", &ret->sample_count_noisier, err));
    TRY(field_find_u32(at, "locked_clock_mhz", &ret->locked_clock_mhz, err));
    ret->round_correlation = ret->round_correlation_p = NAN;
    TRY(json_find_double(at, "round_correlation", &ret->round_correlation, err));
    TRY(field_find_double(at, "round_correlation_p", 0, &ret->round_correlation_p, err));
    return problems_parse(at, arena, ret, err);
}

static int studies_parse(const struct json_at *at, struct calibration *ret, struct err *err) {
    const json_t *items = NULL;
    struct arena *arena = &ret->arena;
    TRY(field_get_items(at, "studies", CALIBRATION_STUDIES_MAX, &items, &ret->study_count, err));
    ret->studies = arena_array(arena, ret->study_count, sizeof *ret->studies);
    for (size_t i = 0; i < ret->study_count; ++i) {
        struct field_place place;
        field_enter_item(&place, at, "studies", i, json_array_get(items, i));
        TRY(study_parse(&place.at, arena, &ret->studies[i], err));
        for (size_t k = 0; k < i; ++k)
            if (strcmp(ret->studies[k].run_id, ret->studies[i].run_id) == 0)
                return err_set(err, ERR_DATA, "%s: run '%s' is there twice", at->where,
                               ret->studies[i].run_id);
    }
    return 0;
}

static int document_parse(const struct json_at *at, struct calibration *ret, struct err *err) {
    const char *kind = NULL;
    TRY(json_get_string(at, "kind", &kind, err));
    if (strcmp(kind, CALIBRATION_KIND) != 0) return field_refuse_name(at, "kind", kind, err);
    TRY(field_check_version(at, "schema_version", CALIBRATION_SCHEMA_VERSION, err));
    TRY(field_find_text(at, "device", &ret->arena, &ret->device, err));
    TRY(field_find_text(at, "device_name", &ret->arena, &ret->device_name, err));
    TRY(field_get_text(at, "device_uuid", &ret->arena, &ret->device_uuid, err));
    TRY(json_get_i64(at, "thread_count", &ret->thread_count, err));
    return studies_parse(at, ret, err);
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
