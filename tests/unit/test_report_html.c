// SPDX-License-Identifier: Apache-2.0
//
// The page of a result: what it has in which order, names that are markup, the limits of its size, base64.
// Whether it is well-formed is tests/cli/report/html.sh's, what a browser makes of it tests/pages'.
#include <stdlib.h>

#include "base/html_text.h"
#include "report/html/base64.h"
#include "report/html/html_limits.h"
#include "report/html/html_page.h"
#include "unit/made_result.h"
#include "verdict/gate_rule.h"
#include "verdict/rounds/rounds.h"
#include "verdict/summary.h"

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) ++count;
    return count;
}

static void decide(struct result *result, struct decision *decision) {
    struct rounds_options options = rounds_options_default();
    const struct gate_options gate = {.kind = GATE_GATE};
    const struct gate_events events = {.result = result, .cand_side = 1};
    struct err err = {0};
    options.is_final = true;
    assert_int_equal(
        verdict_rounds(result, (struct rounds_sides){0, 1}, &options, &result->arena, decision, &err), 0);
    result->checks = result->cases;
    result->check_count = result->case_count;
    assert_int_equal(gate_rule_apply(&gate, &events, &result->arena, decision, &err), 0);
    result->decision = decision;
}

static char *page_of(struct result *result) {
    struct strbuf out = {0};
    const struct report_options options = report_options_default();
    assert_int_equal(summary_set_all(result), 0);
    assert_int_equal(html_page_print(result, &options, &out), 0);
    return strbuf_take(&out);
}

static void test_text(void **state) {
    (void)state;
    struct strbuf out = {0};
    html_add_text(&out, "<a href=\"x\">'&\x1b\u202e");
    assert_string_equal(strbuf_text(&out), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;\\x1b\\u202e");
    strbuf_clear(&out);
    html_add_text(&out, NULL);
    html_add_between(&out, "<p>", "", "</p>");
    assert_string_equal(strbuf_text(&out), "");
    html_add_between(&out, "<p>", "<", "</p>");
    assert_string_equal(strbuf_text(&out), "<p>&lt;</p>");
    strbuf_fini(&out);
}

static void test_base64(void **state) { // the vectors of RFC 4648
    (void)state;
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        struct strbuf out = {0};
        base64_add(&out, pairs[i][0], strlen(pairs[i][0]));
        assert_string_equal(strbuf_text(&out), pairs[i][1]);
        strbuf_fini(&out);
    }
}

// The worst stands first, opened; each problem has both densities, points, courses and a link to its charts.
static void test_gate(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    made_init(&result);
    made_rounds_add(&result, made_case_add(&result, "fine", "attention/fp32/b2/h8/s512/d64"), 5, 0, 0.002);
    made_rounds_add(&result, made_case_add(&result, "slow", "attention/fp32/b2/h8/s256/d64"), 10, 0.1, 0.002);
    decide(&result, &decision);
    char *page = page_of(&result);
    const char *verdict = strstr(page, "<h2 id=\"verdict\">regression</h2>");
    const char *slow = strstr(page, "href=\"#p1\">slow</a>"), *fine = strstr(page, "href=\"#p0\">fine</a>");
    assert_true(verdict && slow && fine && verdict < slow && slow < fine);
    assert_non_null(strstr(page, "<tr data-tone=\"bad\">"));
    assert_non_null(strstr(page, "id=\"p1\" open=\"\">"));
    assert_int_equal(count_of(page, "class=\"curve s"), 4);
    assert_int_equal(count_of(page, "class=\"course\""), 2);
    assert_int_equal(count_of(page, "class=\"limit\""), 4); // two thresholds a row
    assert_int_equal(count_of(page, "role=\"img\" aria-label=\""), 4);
    assert_non_null(strstr(page, "<code>assay gate --baseline tiled --seed 42</code>"));
    assert_null(strstr(page, "id=\"roofline\""));
    free(page);
    result_fini(&result);
}

// Two problems that are slower alike: said once, and the axis has a label beyond both marks, none of which
// touches another.
static void test_alike(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    made_init(&result);
    made_rounds_add(&result, made_case_add(&result, "a", "attention/fp32/b2/h8/s512/d64"), 10, 0.42, 0.002);
    made_rounds_add(&result, made_case_add(&result, "b", "attention/fp32/b2/h8/s256/d64"), 10, 0.42, 0.002);
    decide(&result, &decision);
    char *page = page_of(&result);
    assert_non_null(strstr(page, "2 regressions</span>"));
    assert_int_equal(count_of(page, "<dt>worst, "), 0);
    assert_int_equal(count_of(page, "<dt>best, "), 0);
    assert_non_null(strstr(page, ">+50 %</text>"));
    assert_null(strstr(page, ">+30 %</text>"));
    free(page);
    result_fini(&result);
}

// A run that counted has no time on any axis.
static void test_counts(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    made_init(&result);
    result.environment.metric = "instructions";
    made_rounds_add(&result, made_case_add(&result, "slow", "attention/fp32/b2/h8/s256/d64"), 10, 0.1, 0.002);
    decide(&result, &decision);
    char *page = page_of(&result);
    assert_non_null(strstr(page, "aria-label=\"Counts of the samples of slow"));
    assert_non_null(strstr(page, "aria-label=\"Distribution of the counts of slow"));
    assert_non_null(strstr(page, ">instr</text>"));
    assert_non_null(strstr(page, " M</text>"));
    assert_non_null(strstr(page, "The axis is of the metric instructions."));
    assert_non_null(strstr(page, " data-unit=\"instr\""));
    assert_non_null(strstr(page, ">change of the count</th>"));
    assert_null(strstr(page, "ms</text>"));
    assert_null(strstr(page, "us</text>"));
    free(page);
    result_fini(&result);
}

static void test_hostile_names(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    made_init(&result);
    result.command = result.suite = result.run_id = "\"><script>alert(1)</script>";
    result.environment.device_name = result.sides[0].label = "<img src=x onerror='alert(2)'>";
    made_rounds_add(&result,
                    made_case_add(&result, "<script>alert(3)</script>", "attention/fp32/b2/h8/s512/d64"), 5,
                    0, 0.002);
    result_add_warning(&result, "</main><script>alert(4)</script>");
    decide(&result, &decision);
    char *page = page_of(&result);
    assert_null(strstr(page, "<script>alert"));
    assert_null(strstr(page, "<img src=x"));
    assert_int_equal(count_of(page, "</main>"), 1);
    assert_non_null(strstr(page, "&lt;script&gt;alert(3)&lt;/script&gt;"));
    free(page);
    result_fini(&result);
}

// A run without a decision: rows by side, none worse than another.
static void test_bench(void **state) {
    (void)state;
    struct result result;
    made_init(&result);
    made_round_add(&result, made_case_add(&result, "a", "attention/fp32/b2/h8/s512/d64"), 1e6, 2e6);
    char *page = page_of(&result);
    assert_non_null(strstr(page, "<h2 id=\"verdict\">measured</h2>"));
    assert_int_equal(count_of(page, "<tr data-tone=\"neutral\">"), 2);
    assert_int_equal(count_of(page, "<details class=\"problem\""), 1);
    assert_non_null(strstr(page, "100 % more time"));
    free(page);
    result_fini(&result);
}

// More samples than a chart draws, and more problems than get charts: bounded, and said so.
static void test_limits(void **state) {
    (void)state;
    enum { PROBLEMS = HTML_PROBLEMS_MAX + 20 };
    struct result result;
    made_init(&result);
    for (int i = 0; i < PROBLEMS; ++i) {
        char name[64];
        snprintf(name, sizeof name, "attention/fp32/b2/h8/s%d/d64", 64 + i);
        made_round_add(&result, made_case_add(&result, NULL, name), 1e6, 2e6);
    }
    struct result_round *round = &result.cases[0].rounds[0];
    for (int side = 0; side < 2; ++side) round->samples[side] = made_samples(&result, 5000, 1e6, 0.1);
    char *page = page_of(&result);
    assert_int_equal(count_of(page, "<details class=\"problem\""), HTML_PROBLEMS_MAX);
    assert_int_equal(count_of(page, "<tr data-tone="), 2 * PROBLEMS);
    assert_non_null(strstr(page, "Charts are of 300 problems; 20 more are in the table only."));
    assert_non_null(strstr(page, "Drawn are 100 of 10000 samples, evenly chosen on each side, at most 50."));
    assert_non_null(strstr(page, "Course: samples in order"));
    assert_non_null(strstr(page,
                           "Drawn are 100 of 10000 samples that count: of each 200 of a side the fastest "
                           "and the slowest."));
    assert_int_equal(count_of(page, "Drawn are"), 2); // the other problems have a sample a side
    assert_true(strlen(page) < 4u << 20);
    free(page);
    result_fini(&result);
}

// Nothing measured, nothing checked.
static void test_empty(void **state) {
    (void)state;
    struct result result;
    made_init(&result);
    char *page = page_of(&result);
    assert_non_null(strstr(page, "<h2 id=\"verdict\">checked</h2>"));
    assert_null(strstr(page, "id=\"problems\""));
    free(page);
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),          cmocka_unit_test(test_base64), cmocka_unit_test(test_gate),
        cmocka_unit_test(test_hostile_names), cmocka_unit_test(test_bench),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_empty),         cmocka_unit_test(test_counts), cmocka_unit_test(test_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
