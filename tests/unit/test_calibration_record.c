// SPDX-License-Identifier: Apache-2.0
//
// Calibrations read back as they were written; impossible ones are refused with the place; the newest studies
// are kept.
#include <stdlib.h>

#include "record/calibration.h"
#include "unit/made_result.h"

static struct calibration_problem made_problem(const char *name, double spread_pct) {
    return (struct calibration_problem){.name = name,
                                        .short_name = "s",
                                        .median_ns = 1e5,
                                        .offset_pct = -0.1,
                                        .spread_pct = spread_pct,
                                        .within_cv_pct = 1,
                                        .within_sd_pct = 0.4,
                                        .pair_count = 20,
                                        .round_count = 20,
                                        .invalid_round_count = 2,
                                        .invalid_reason = "steal",
                                        .verdict = VERDICT_MAINTAINED};
}

static void add_study(struct calibration *calibration, const char *run_id, uint64_t seed, bool is_simulated) {
    struct calibration_problem problems[] = {made_problem("attention/fp32/b1/h2/s128/d64", 0.5),
                                             made_problem("attention/fp32/b1/h2/s256/d64", 0.7)};
    problems[1].verdict = VERDICT_NONE;
    problems[1].invalid_reason = NULL;
    struct calibration_study study = {.run_id = run_id,
                                      .created_utc = "2026-11-21T12:00:00Z",
                                      .assay_version = "0.1.0",
                                      .driver = "6.1.0",
                                      .power_mode = "cool",
                                      .cache_mode = "rotate",
                                      .kernel = "simd",
                                      .code_hash = "00ff",
                                      .suite = "cpu",
                                      .seed = seed,
                                      .is_simulated = is_simulated,
                                      .round_count = 20,
                                      .sample_count = 20,
                                      .sample_count_noisy = 50,
                                      .sample_count_noisier = 100,
                                      .problem_count = 2,
                                      .problems = problems};
    calibration_add_study(calibration, &study);
}

static void made_calibration(struct calibration *ret) {
    *ret = (struct calibration){0};
    ret->device = "cpu";
    ret->device_uuid = "cpu-0001";
    ret->thread_count = 2;
    add_study(ret, "run-1", 42, false);
    add_study(ret, "run-2", UINT64_MAX, false);
}

static int parse(const char *text, struct calibration *ret, struct err *err) {
    json_t *root = NULL;
    TRY(json_read_text(text, strlen(text), "cal.json", &root, err));
    int code = calibration_parse(root, "cal.json", ret, err);
    json_decref(root);
    return code;
}

static void it_reads_back_as_written(void **state) {
    (void)state;
    struct calibration made, read;
    struct strbuf once = {0}, twice = {0};
    struct err err = {0};
    made_calibration(&made);
    calibration_write(&made, &once);
    if (parse(strbuf_text(&once), &read, &err) < 0) fail_msg("%s", err.text);
    calibration_write(&read, &twice);
    assert_string_equal(strbuf_text(&once), strbuf_text(&twice));
    assert_int_equal(read.study_count, 2);
    assert_true(read.studies[1].seed == UINT64_MAX);
    assert_int_equal(read.studies[0].problems[0].verdict, VERDICT_MAINTAINED);
    assert_int_equal(read.studies[0].problems[1].verdict, VERDICT_NONE);
    assert_true(read.studies[0].problems[1].spread_pct == 0.7);
    assert_true(read.studies[0].problems[1].within_sd_pct == 0.4);
    assert_string_equal(read.studies[0].code_hash, "00ff");
    strbuf_fini(&once);
    strbuf_fini(&twice);
    calibration_fini(&made);
    calibration_fini(&read);
}

// One piece of the document replaced: refused, with a sentence that names the place.
static void refuse(const char *piece, const char *by, const char *says) {
    struct calibration made, read;
    struct strbuf text = {0}, bad = {0};
    struct err err = {0};
    made_calibration(&made);
    calibration_write(&made, &text);
    const char *at = strstr(strbuf_text(&text), piece);
    if (!at) fail_msg("the document has no %s", piece);
    strbuf_add_bytes(&bad, strbuf_text(&text), (size_t)(at - strbuf_text(&text)));
    strbuf_addf(&bad, "%s%s", by, at + strlen(piece));
    if (parse(strbuf_text(&bad), &read, &err) != -ERR_DATA) fail_msg("%s was taken", by);
    if (!strstr(err.text, says) || !strstr(err.text, "cal.json")) fail_msg("%s", err.text);
    strbuf_fini(&text);
    strbuf_fini(&bad);
    calibration_fini(&made);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    refuse("assay.calibration", "assay.result", "kind");
    refuse("\"schema_version\": 2", "\"schema_version\": 3", "schema_version");
    refuse("\"schema_version\": 2", "\"schema_version\": 1", "schema_version"); // names without inputs
    refuse("\"spread_pct\": 0.5", "\"spread_pct\": -0.5", "spread_pct");
    refuse("\"spread_pct\": 0.5,", "", "spread");
    refuse("\"spread_pct\": 0.5", "\"spread_pct\": 1001", "spread_pct");
    refuse("\"within_cv_pct\": 1", "\"within_cv_pct\": 1e300", "within_cv_pct");
    refuse("\"within_sd_pct\": 0.4", "\"within_sd_pct\": 1000.5", "within_sd_pct");
    refuse("\"round_count\": 20", "\"round_count\": 1000000", "round_count");
    refuse("\"median_ns\": 100000", "\"median_ns\": 0", "median_ns");
    refuse("\"verdict\": \"maintained\"", "\"verdict\": \"removed\"", "verdict");
    refuse("\"verdict\": \"maintained\"", "\"verdict\": \"nice\"", "verdict");
    refuse("/s256/", "/s128/", "twice");
    refuse("\"run-2\"", "\"run-1\"", "twice");
    refuse("/s256/d64", "/s256", "problem");
    refuse("\"thread_count\": 2", "\"thread_count\": \"two\"", "thread_count");
    refuse("\"device_uuid\": \"cpu-0001\",", "", "device_uuid");
}

static void a_repeated_run_is_no_fresh_one(void **state) {
    (void)state;
    struct calibration calibration;
    made_calibration(&calibration);
    add_study(&calibration, "run-1", 7, false); // resumed
    assert_int_equal(calibration.study_count, 2);
    assert_string_equal(calibration.studies[1].run_id, "run-1"); // and is the newest now
    assert_true(calibration.studies[1].seed == 7);
    add_study(&calibration, "run-3", 7, true);
    add_study(&calibration, "run-4", 7, true); // simulated: the same rounds again
    assert_int_equal(calibration.study_count, 3);
    assert_string_equal(calibration.studies[2].run_id, "run-4");
    add_study(&calibration, "run-5", 8, true);
    assert_int_equal(calibration.study_count, 4);
    add_study(&calibration, "run-6", 7, true);
    assert_int_equal(calibration.study_count, 4);
    assert_string_equal(calibration.studies[2].run_id, "run-5");
    assert_string_equal(calibration.studies[3].run_id, "run-6");
    calibration_fini(&calibration);
}

// One simulated run: the problems named by letters, each of so many rounds.
struct simulated {
    const char *run_id, *problems, *kernel, *code_hash, *cache_mode;
    uint64_t seed;
    uint32_t round_count, sample_count;
};

static void add_simulated(struct calibration *calibration, struct simulated made) {
    struct calibration_problem problems[8];
    char names[8][2] = {{0}};
    struct calibration_study study = {.run_id = made.run_id,
                                      .driver = "d",
                                      .power_mode = "cool",
                                      .cache_mode = made.cache_mode ? made.cache_mode : "rotate",
                                      .kernel = made.kernel,
                                      .code_hash = made.code_hash,
                                      .seed = made.seed,
                                      .is_simulated = true,
                                      .sample_count = made.sample_count,
                                      .problems = problems};
    for (const char *at = made.problems; *at; ++at, ++study.problem_count) {
        names[study.problem_count][0] = *at;
        problems[study.problem_count] = made_problem(names[study.problem_count], 1);
        problems[study.problem_count].round_count = made.round_count;
    }
    calibration_add_study(calibration, &study);
}

// "a:pq b:r": runs and their problems.
static const char *shape(const struct calibration *calibration, struct strbuf *text) {
    strbuf_clear(text);
    for (size_t i = 0; i < calibration->study_count; ++i) {
        strbuf_addf(text, "%s%s:", i ? " " : "", calibration->studies[i].run_id);
        for (size_t k = 0; k < calibration->studies[i].problem_count; ++k)
            strbuf_add(text, calibration->studies[i].problems[k].name);
    }
    return strbuf_text(text);
}

// Of two observations that draw the same rounds the one with more of them stays, and studies keep their other
// problems.
static void simulated_rounds_count_once(void **state) {
    (void)state;
    struct calibration calibration = {0};
    struct strbuf text = {0};
    add_simulated(&calibration, (struct simulated){"a", "pqr", "k", "1", NULL, 42, 20, 20});
    add_simulated(&calibration, (struct simulated){"b", "r", "k", "1", NULL, 42, 20, 20}); // --only r
    assert_string_equal(shape(&calibration, &text), "a:pq b:r");
    add_simulated(&calibration, (struct simulated){"c", "pqs", "k", "1", NULL, 42, 5, 20}); // --rounds 5
    assert_string_equal(shape(&calibration, &text), "a:pq b:r c:s");
    add_simulated(&calibration, (struct simulated){"d", "p", "k", "1", NULL, 42, 5, 20});
    assert_string_equal(shape(&calibration, &text), "a:pq b:r c:s");
    add_simulated(&calibration,
                  (struct simulated){"e", "pqrst", "k", "1", NULL, 42, 30, 20}); // another suite
    assert_string_equal(shape(&calibration, &text), "e:pqrst");
    add_simulated(&calibration, (struct simulated){"f", "p", "k", "1", NULL, 42, 30, 200}); // --iters 200
    add_simulated(&calibration, (struct simulated){"g", "p", "k", "1", "cold", 42, 30, 20});
    add_simulated(&calibration, (struct simulated){"h", "p", "k", "2", NULL, 42, 30, 20}); // another script
    assert_string_equal(shape(&calibration, &text), "e:pqrst f:p g:p h:p");
    add_simulated(&calibration, (struct simulated){"i", "p", "renamed", "2", NULL, 42, 30, 20});
    assert_string_equal(shape(&calibration, &text), "e:pqrst f:p g:p i:p");
    strbuf_fini(&text);
    calibration_fini(&calibration);
}

static void the_newest_are_kept(void **state) {
    (void)state;
    struct calibration calibration;
    made_calibration(&calibration);
    for (int i = 0; i < CALIBRATION_STUDIES_MAX + 3; ++i) {
        char run_id[32];
        snprintf(run_id, sizeof run_id, "later-%d", i);
        add_study(&calibration, run_id, 1, false);
    }
    assert_int_equal(calibration.study_count, CALIBRATION_STUDIES_MAX);
    assert_string_equal(calibration.studies[0].run_id, "later-3");
    assert_string_equal(calibration.studies[CALIBRATION_STUDIES_MAX - 1].run_id, "later-202");
    calibration_fini(&calibration);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_reads_back_as_written),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_repeated_run_is_no_fresh_one),
        cmocka_unit_test(simulated_rounds_count_once),
        cmocka_unit_test(the_newest_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
