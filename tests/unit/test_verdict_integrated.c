// SPDX-License-Identifier: Apache-2.0
//
// The older integrated form: reading, writing, comparing, with its own signs.
#include "unit/made_result.h"
#include "verdict/integrated.h"

static const char full[] =
    "{\"kernel_name\": \"simd\", \"timestamp\": \"2026-11-21 12:00:00\","
    " \"correctness\": {\"passed\": true, \"max_abs_error\": 1e-4, \"mean_abs_error\": 1e-5, "
    "\"correlation\": 0.9999},"
    " \"performance\": {\"mean_time_ms\": 2.0, \"std_dev_ms\": 0.1, \"throughput_gflops\": 50, "
    "\"bandwidth_gb_s\": 3},"
    " \"roofline\": {\"arithmetic_intensity\": 16, \"bottleneck\": \"Compute\", \"efficiency_pct\": 40,"
    "                \"recommendations\": [\"wider\"]},"
    " \"config\": {\"batch_size\": 8, \"num_heads\": 4, \"seq_len\": 64, \"head_dim\": 64, \"dtype\": "
    "\"fp32\"}}";

static json_t *root_of(const char *text) {
    json_t *root = NULL;
    struct err err = {0};
    if (json_read_text(text, strlen(text), "t.json", &root, &err) < 0) fail_msg("%s", err.text);
    return root;
}

static struct integrated parse(const char *text, struct arena *arena) {
    struct integrated ret;
    struct err err = {0};
    json_t *root = root_of(text);
    if (integrated_parse(root, "t.json", arena, &ret, &err) < 0) fail_msg("%s", err.text);
    json_decref(root);
    return ret;
}

static void refuse(const char *text, const char *part) {
    struct arena arena = {0};
    struct integrated ret;
    struct err err = {0};
    json_t *root = root_of(text);
    assert_int_equal(integrated_parse(root, "t.json", &arena, &ret, &err), -ERR_DATA);
    if (!strstr(err.text, part)) fail_msg("'%s' does not say '%s'", err.text, part);
    json_decref(root);
    arena_fini(&arena);
}

static void what_is_read_is_written_back(void **state) {
    (void)state;
    struct arena arena = {0};
    struct strbuf text = {0};
    struct integrated first = parse(full, &arena);
    assert_true(first.performance.mean_time_ms == 2.0 && first.correctness.passed);
    assert_string_equal(first.roofline.bottleneck, "Compute");
    assert_string_equal(first.roofline.recommendations[0], "wider");
    assert_int_equal(first.config.seq_len, 64);
    integrated_write(&first, &text);
    json_t *before = root_of(full), *after = root_of(strbuf_text(&text));
    struct integrated second = parse(strbuf_text(&text), &arena);
    assert_true(second.performance.bandwidth_gb_s == first.performance.bandwidth_gb_s);
    assert_string_equal(second.timestamp, first.timestamp);
    assert_int_equal(json_object_size(before), json_object_size(after));
    json_decref(before);
    json_decref(after);
    strbuf_fini(&text);
    arena_fini(&arena);
}

static void metrics_stand_for_performance(void **state) {
    (void)state;
    struct arena arena = {0};
    struct integrated ret =
        parse("{\"correctness\": {\"passed\": true}, \"metrics\": {\"mean_time_ms\": 3}}", &arena);
    assert_true(ret.performance.mean_time_ms == 3);
    assert_true(isnan(ret.performance.std_dev_ms) && !ret.roofline.is_present);
    arena_fini(&arena);
}

static void bad_documents_are_refused(void **state) {
    (void)state;
    refuse("{\"performance\": {\"mean_time_ms\": 3}}", "correctness");
    refuse("{\"correctness\": {\"passed\": true}}", "metrics");
    refuse("{\"correctness\": {\"passed\": 1}, \"metrics\": {\"mean_time_ms\": 3}}", "passed");
    refuse("{\"correctness\": {\"passed\": true}, \"metrics\": {}}", "mean_time_ms");
    refuse("{\"correctness\": {\"passed\": true}, \"metrics\": {\"mean_time_ms\": 0}}", "positive");
    refuse("{\"correctness\": {\"passed\": true}, \"metrics\": {\"mean_time_ms\": -1}}", "positive");
    refuse("{\"correctness\": {\"passed\": true}, \"metrics\": {\"mean_time_ms\": \"3\"}}", "number");
    refuse("{\"correctness\": {\"passed\": true}, \"metrics\": {\"mean_time_ms\": 3}, \"roofline\":"
           " {\"recommendations\": [1]}}",
           "recommendations[0]");
}

static struct integrated of_mean(double mean_ms, bool passed) {
    struct integrated ret = {.correctness = {.passed = passed}, .performance = {.mean_time_ms = mean_ms}};
    return ret;
}

// In this form, and only here, positive is faster.
static void positive_is_faster_here(void **state) {
    (void)state;
    struct integrated base = of_mean(2.0, true), fast = of_mean(1.0, true), slow = of_mean(2.1, true);
    struct integrated_comparison comparison = integrated_compare(&base, &fast, INTEGRATED_THRESHOLD_PCT);
    assert_true(comparison.improvement_pct == 50 && comparison.speedup == 2);
    assert_false(comparison.is_regression);
    assert_int_equal(integrated_exit_code(&comparison), 0);
    comparison = integrated_compare(&base, &slow, INTEGRATED_THRESHOLD_PCT);
    assert_true(fabs(comparison.improvement_pct + 5) < 1e-9);
    assert_int_equal(integrated_exit_code(&comparison), 1);
    struct integrated within = of_mean(2.05, true);
    comparison = integrated_compare(&base, &within, INTEGRATED_THRESHOLD_PCT);
    assert_int_equal(integrated_exit_code(&comparison), 0);
}

static void a_wrong_result_is_a_regression(void **state) {
    (void)state;
    struct integrated base = of_mean(2.0, true), wrong = of_mean(1.0, false), untimed = of_mean(NAN, false);
    struct integrated_comparison comparison = integrated_compare(&base, &wrong, INTEGRATED_THRESHOLD_PCT);
    assert_int_equal(integrated_exit_code(&comparison), 1);
    comparison = integrated_compare(&base, &untimed, INTEGRATED_THRESHOLD_PCT);
    assert_int_equal(integrated_exit_code(&comparison), 1);
}

static void the_comparison_has_its_keys(void **state) {
    (void)state;
    static const char *const keys[] = {"speedup",          "improvement_pct", "is_regression",
                                       "baseline_time_ms", "current_time_ms", "threshold"};
    struct integrated base = of_mean(2.0, true), slow = of_mean(2.1, true);
    struct integrated_comparison comparison = integrated_compare(&base, &slow, -3.0);
    struct strbuf text = {0};
    integrated_comparison_write(&comparison, &text);
    json_t *root = root_of(strbuf_text(&text));
    assert_int_equal(json_object_size(root), 6);
    for (size_t i = 0; i < 6; ++i) assert_non_null(json_object_get(root, keys[i]));
    assert_true(json_is_true(json_object_get(root, "is_regression")));
    json_decref(root);
    strbuf_clear(&text);
    integrated_comparison_print(&comparison, &base, &slow, &text);
    assert_non_null(strstr(text.text, "5.00 % slower"));
    assert_non_null(strstr(text.text, "nothing is proved"));
    strbuf_fini(&text);
}

// The words of the older scripts, at each limit.
static void a_change_has_its_word(void **state) {
    (void)state;
    static const struct {
        double now_ms;
        const char *word;
    } cases[] = {
        {90, "SIGNIFICANT IMPROVEMENT"}, {90.5, "IMPROVEMENT"}, {97, "IMPROVEMENT"},
        {97.5, "SLIGHT IMPROVEMENT"},    {100, "NO CHANGE"},    {102, "SLIGHT REGRESSION"},
        {103, "SLIGHT REGRESSION"},      {103.5, "REGRESSION"},
    };
    const struct integrated base = of_mean(100, true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct integrated now = of_mean(cases[i].now_ms, true);
        const struct integrated_comparison comparison = integrated_compare(&base, &now, -3);
        assert_string_equal(integrated_status(&comparison), cases[i].word);
    }
    const struct integrated wrong = of_mean(50, false);
    const struct integrated_comparison comparison = integrated_compare(&base, &wrong, -3);
    assert_string_equal(integrated_status(&comparison), "WRONG RESULT");
}

static void the_older_lines_are_there(void **state) {
    (void)state;
    static const char *const lines[] = {
        "Kernel:       simd -> simd\n", "Mean time:    2.0000 ms -> 1.9800 ms (-1.00 %)\n",
        "Throughput:   50.0000 GFLOP/s -> 50.5000 GFLOP/s (+1.00 %)\n",
        "Speed-up:     1.010x\nImprovement:  +1.00 %\n", "Status:       SLIGHT IMPROVEMENT\n"};
    struct arena arena = {0};
    struct strbuf text = {0};
    struct integrated base = parse(full, &arena), now = base;
    now.performance.mean_time_ms = 1.98;
    now.performance.throughput_gflops = 50.5;
    struct integrated_comparison comparison = integrated_compare(&base, &now, -3);
    integrated_comparison_print(&comparison, &base, &now, &text);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i)
        if (!strstr(text.text, lines[i])) fail_msg("no '%s' in\n%s", lines[i], text.text);
    assert_null(strstr(text.text, "accounting error"));
    now.roofline.efficiency_pct = 178; // as an earlier report claimed
    strbuf_clear(&text);
    integrated_comparison_print(&comparison, &base, &now, &text);
    assert_non_null(strstr(text.text, "the current file's roofline claims 178 % of its ceiling"));
    strbuf_clear(&text);
    integrated_print(&base, &text);
    assert_string_equal(text.text, "Kernel:       simd\nCorrectness:  PASSED\n"
                                   "Mean time:    2.0000 ms (sd 0.1000 ms)\nThroughput:   50.00 GFLOP/s\n"
                                   "Bottleneck:   Compute, 40.0 % of its roof\nRecommended:  wider\n");
    strbuf_fini(&text);
    arena_fini(&arena);
}

static void a_result_becomes_such_a_document(void **state) {
    (void)state;
    struct result result;
    struct integrated ret;
    struct err err = {0};
    struct roofline_place place = {
        .flop_per_byte = 16, .efficiency_pct = NAN, .diagnosis = {.because = ROOFLINE_NO_CEILINGS}};
    const struct integrated_choice choice = {.side = 1, .place = &place};
    made_init(&result);
    struct result_case *item = made_case_add(&result, "integrated", "attention/fp32/b8/h4/s64/d64");
    made_round_add(&result, item, 1e6, 2e6);
    item->checks[1].tensors[0] = (struct tensor_error){.max_abs = 1e-4, .mean_abs = 1e-5, .correlation = 1};
    assert_int_equal(integrated_from_result(&result, &choice, &result.arena, &ret, &err), 0);
    assert_true(fabs(ret.performance.mean_time_ms - 2.0) < 1e-6);
    assert_true(ret.correctness.passed && ret.correctness.max_abs_error == 1e-4);
    assert_int_equal(ret.config.batch_size, 8);
    assert_int_equal(ret.config.num_heads, 4);
    assert_int_equal(ret.config.seq_len, 64);
    assert_int_equal(ret.config.head_dim, 64);
    assert_string_equal(ret.config.dtype, "fp32");
    assert_string_equal(ret.timestamp, "2026-11-21 12:00:00");
    assert_string_equal(ret.kernel_name, "simd");
    assert_null(ret.roofline.bottleneck); // no ceilings, no claim
    place.diagnosis.bottleneck = BOTTLENECK_LEANS_COMPUTE;
    place.diagnosis.hypothesis_count = 1;
    place.diagnosis.hypotheses[0] = (struct hypothesis){"wider", "40 % -> 80 %", "simd", 2};
    place.efficiency_pct = 40;
    assert_int_equal(integrated_from_result(&result, &choice, &result.arena, &ret, &err), 0);
    assert_string_equal(ret.roofline.bottleneck, "Compute");
    assert_true(ret.roofline.arithmetic_intensity == 16 && ret.roofline.efficiency_pct == 40);
    assert_int_equal(ret.roofline.recommendation_count, 1);
    assert_string_equal(ret.roofline.recommendations[0], "wider, up to 2.00 x (40 % -> 80 %): simd");
    place.diagnosis.bottleneck = BOTTLENECK_ACCOUNTING_ERROR; // nothing is classified
    place.diagnosis.because = "178 %";
    place.diagnosis.hypothesis_count = 0;
    assert_int_equal(integrated_from_result(&result, &choice, &result.arena, &ret, &err), 0);
    assert_null(ret.roofline.bottleneck);
    assert_string_equal(ret.roofline.recommendations[0], "178 %");
    const struct roof memory = {.name = "DRAM", .is_bandwidth = true, .value = 10};
    place.roof = &memory; // bound by neither: called after its roof
    place.diagnosis.bottleneck = BOTTLENECK_LATENCY;
    assert_int_equal(integrated_from_result(&result, &choice, &result.arena, &ret, &err), 0);
    assert_string_equal(ret.roofline.bottleneck, "Memory Bandwidth");
    result.cases[0].rounds[0].is_valid = false;
    assert_int_equal(integrated_from_result(&result, &choice, &result.arena, &ret, &err), -ERR_DATA);
    result.cases[0].checks[1].outcome = OUTCOME_FAIL;
    assert_int_equal(integrated_from_result(&result, &choice, &result.arena, &ret, &err), 0);
    assert_false(ret.correctness.passed);
    assert_true(isnan(ret.performance.mean_time_ms));
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_written_back),     cmocka_unit_test(metrics_stand_for_performance),
        cmocka_unit_test(bad_documents_are_refused),        cmocka_unit_test(positive_is_faster_here),
        cmocka_unit_test(a_wrong_result_is_a_regression),   cmocka_unit_test(the_comparison_has_its_keys),
        cmocka_unit_test(a_result_becomes_such_a_document), cmocka_unit_test(a_change_has_its_word),
        cmocka_unit_test(the_older_lines_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
