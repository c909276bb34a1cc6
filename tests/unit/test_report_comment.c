// SPDX-License-Identifier: Apache-2.0
//
// The comment of a pull request with 300 regressions, and with names that are made to be more than names.
#include <stdlib.h>

#include "code_host/comment.h"
#include "report/result/markdown_text.h"
#include "report/result/report.h"
#include "report/result/report_parts.h"
#include "unit/made_result.h"
#include "verdict/decision_make.h"
#include "verdict/summary.h"

enum { PROBLEMS = 300, COLUMNS = 6 };

struct fixture {
    struct result result;
    struct decision decision;
    struct strbuf body;
};

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    made_init(&fixture->result);
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *fixture = *state;
    strbuf_fini(&fixture->body);
    result_fini(&fixture->result);
    free(fixture);
    return 0;
}

// Problem i is 5 % and i tenths slower, and is called prefix, i, suffix.
static void made_regressions(struct fixture *fixture, const char *prefix, const char *suffix) {
    struct result *result = &fixture->result;
    struct decision_case *cases = arena_array(&result->arena, PROBLEMS, sizeof *cases);
    for (size_t i = 0; i < PROBLEMS; ++i) {
        const char *name = arena_format(&result->arena, "%s%03zu%s", prefix, i, suffix);
        const double pct = 5 + (double)i / 10;
        made_rounds_add(result, made_case_add(result, name, "attention/fp32/b2/h8/s512/d64"), 2, pct / 100,
                        0);
        cases[i] = decision_case_empty();
        cases[i].name = cases[i].short_name = name;
        cases[i].verdict = VERDICT_REGRESSION;
        cases[i].median_base_ns = 1e6;
        cases[i].median_cand_ns = 1e6 * (1 + pct / 100);
        cases[i].change_pct = pct;
        cases[i].change_low_pct = pct - 0.5;
        cases[i].change_high_pct = pct + 0.5;
        cases[i].round_count = 2;
    }
    fixture->decision = (struct decision){.rule = "rounds",
                                          .verdict = VERDICT_REGRESSION,
                                          .exit_code = 1,
                                          .regression_pct = 3,
                                          .improvement_pct = 10,
                                          .geomean_speedup = NAN,
                                          .case_count = PROBLEMS,
                                          .cases = cases};
    result->decision = &fixture->decision;
    assert_int_equal(summary_set_all(result), 0);
}

// The body as it is posted.
static char *post(struct fixture *fixture) {
    const struct comment_links links = {.job_url = "https://github.com/o/r/actions/runs/1",
                                        .commit_url = "https://github.com/o/r/commit/"};
    struct err err = {0};
    assert_int_equal(comment_body(&fixture->result, &links, &fixture->result.arena, &fixture->body, &err), 0);
    char *body = fixture->body.text;
    assert_true(fixture->body.length <= REPORT_COMMENT_BYTES);
    assert_non_null(strstr(body, "[The job and its files](https://github.com/o/r/actions/runs/1)"));
    return body;
}

// The same; every change stands in it.
static char *body_of(struct fixture *fixture) {
    char *body = post(fixture);
    for (size_t i = 0; i < PROBLEMS; ++i) {
        char change[32];
        snprintf(change, sizeof change, "| %.1f %% slower (", 5 + (double)i / 10);
        if (!strstr(body, change)) fail_msg("'%s' is missing", change);
    }
    return body;
}

// name: what of it the body shows, with %03zu for the problem's number.
static void expect_names(const char *body, const char *before, const char *after) {
    for (size_t i = 0; i < PROBLEMS; ++i) {
        char shown[256];
        snprintf(shown, sizeof shown, "%s%03zu%s |", before, i, after);
        if (!strstr(body, shown)) fail_msg("'%s' is missing", shown);
    }
}

static void every_regression_of_300_is_visible(void **state) {
    made_regressions(*state, "attention/b2/h8/s", "");
    char *body = body_of(*state);
    expect_names(body, "| attention/b2/h8/s", "");
    assert_non_null(strstr(body, "`assay report 20261121-120000-made` prints")); // where the rest is
}

static void long_names_are_shortened_in_their_middle(void **state) {
    char prefix[512];
    memset(prefix, 'n', sizeof prefix);
    prefix[sizeof prefix - 1] = 0;
    made_regressions(*state, prefix, "/bf16/causal");
    expect_names(body_of(*state), "nnnnn", "/bf16/causal");
}

// A row of a table has COLUMNS cells, and nothing in it is more than text.
static void expect_plain_row(const char *row) {
    static const char *const active[] = {"@x", "#1", "!1", "://", "www.x", "<b>", "](", "\n", "**"};
    size_t bars = 0;
    for (const char *c = row; *c; ++c) {
        bars += *c == '|';
        if (*c == '\\' && c[1])
            ++c;
        else if (strchr("`*_{}[]", *c) || (*c == '$' && !str_starts(c, "$</span>")))
            fail_msg("'%c' is markup in '%s'", *c, row);
    }
    assert_int_equal(bars, COLUMNS + 1);
    for (size_t i = 0; i < sizeof active / sizeof *active; ++i)
        if (strstr(row, active[i])) fail_msg("'%s' in '%s'", active[i], row);
}

static void names_are_text_in_every_row(void **state) {
    static const char hostile[] = "|`**_x_**`<b>@x #1 !1 [a](//x) https://x www.x.y $x$ ~~x~~ \n\r\x1b&#27;";
    struct fixture *fixture = *state;
    size_t rows = 0;
    made_regressions(fixture, hostile, hostile);
    fixture->result.suite = fixture->result.run_id = fixture->result.command = hostile;
    fixture->result.sides[0].label = fixture->result.sides[1].label = hostile;
    char *rest = body_of(fixture);
    assert_null(strpbrk(rest, "\r\x1b"));
    for (const char *line; (line = strsep(&rest, "\n"));) {
        if (!strstr(line, " % slower (")) continue;
        expect_plain_row(line);
        ++rows;
    }
    assert_int_equal(rows, PROBLEMS);
}

// An explanation has a part for each problem: what is not a regression goes first.
static void explanations_give_way_to_regressions(void **state) {
    struct fixture *fixture = *state;
    struct explanation explanation = {.case_count = PROBLEMS};
    struct explanation_cause cause = {
        .metric = "bank_conflict_pct",
        .sentence = "a sentence on what moved, as long as such sentences are, and then some more of it, so "
                    "that one of these for each problem is more than a comment may hold",
        .look_at = "the swizzle or the padding of rows in shared memory",
        .baseline = 0.5,
        .candidate = 60,
        .share_pct = NAN};
    made_regressions(fixture, "s", "");
    explanation.cases = arena_array(&fixture->result.arena, PROBLEMS, sizeof *explanation.cases);
    for (size_t i = 0; i < PROBLEMS; ++i)
        explanation.cases[i] = (struct explanation_case){
            .problem = "attention/fp32/b2/h8/s512/d64", .change_pct = 5, .cause_count = 1, .causes = &cause};
    fixture->result.explanation = &explanation;
    char *body = body_of(fixture);
    expect_names(body, "| s", "");
    assert_non_null(strstr(body, "\n*Left out to stay within the size limit: "));
}

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) ++count;
    return count;
}

// Of a problem of which nothing is known nothing is said; why, once.
static void what_is_not_known_is_said_once(void **state) {
    struct fixture *fixture = *state;
    struct explanation explanation = {.case_count = PROBLEMS};
    made_regressions(fixture, "s", "");
    explanation.cases = arena_array(&fixture->result.arena, PROBLEMS, sizeof *explanation.cases);
    for (size_t i = 0; i < PROBLEMS; ++i)
        explanation.cases[i] = (struct explanation_case){
            .problem = "attention/fp32/b2/h8/s512/d64", .change_pct = 5, .note = "no counters: no profiler"};
    fixture->result.explanation = &explanation;
    const char *body = body_of(fixture);
    assert_int_equal(count_of(body, "no counters"), 1);
    assert_int_equal(count_of(body, "What moved"), 1);
}

// The first line behind the mark.
static const char *heading_of(struct fixture *fixture) {
    char *rest = body_of(fixture);
    (void)strsep(&rest, "\n");
    return strsep(&rest, "\n");
}

static void a_heading_links_both_commits(void **state) {
    struct fixture *fixture = *state;
    struct result_side *base = &fixture->result.sides[0], *cand = &fixture->result.sides[1];
    made_regressions(fixture, "s", "");
    base->role = SIDE_BASELINE;
    base->label = "simd @ git:merge-base";
    base->revision = "e82b208f00000000000000000000000000000000";
    cand->revision = "d34db33-dirty";
    assert_string_equal(heading_of(fixture),
                        "## \xe2\x9d\x8c assay: regression - simd "
                        "[`d34db33-dirty`](https://github.com/o/r/commit/d34db33) against "
                        "[`e82b208`](https://github.com/o/r/commit/e82b208f00000000000000000000000000000000) "
                        "(git:merge-base)");
}

// What a stranger's file calls a revision is no link.
static void a_heading_links_hashes_alone(void **state) {
    struct fixture *fixture = *state;
    made_regressions(fixture, "s", "");
    fixture->result.sides[0].label = "simd @ git:x";
    fixture->result.sides[0].revision = "../../evil/repo";
    fixture->result.sides[1].revision = "d34db33) [x](https://evil";
    const char *heading = heading_of(fixture);
    assert_null(strstr(heading, "commit/"));
    assert_null(strstr(heading, "evil"));
}

static void two_kernels_of_one_commit_name_it_once(void **state) {
    struct fixture *fixture = *state;
    made_regressions(fixture, "s", "");
    fixture->result.sides[0].revision = fixture->result.sides[1].revision = "d34db33";
    assert_string_equal(heading_of(fixture),
                        "## \xe2\x9d\x8c assay: regression - simd against tiled, both at "
                        "[`d34db33`](https://github.com/o/r/commit/d34db33)");
}

static void unchanged_problems_are_one_line(void **state) {
    struct fixture *fixture = *state;
    made_regressions(fixture, "s", "");
    for (size_t i = 1; i < PROBLEMS; ++i) fixture->decision.cases[i].verdict = VERDICT_MAINTAINED;
    fixture->decision.case_count = 20;
    fixture->result.decision->exit_code = 0;
    fixture->result.decision->verdict = VERDICT_MAINTAINED;
    const char *body = post(fixture);
    const char *fold = strstr(body, "<details><summary>Unchanged: 19 maintained</summary>");
    assert_true(str_starts(strchr(body, '\n') + 1, "## \xe2\x9c\x85 assay: maintained - "));
    assert_non_null(fold);
    assert_true(strstr(body, "| s000 |") < fold);
    assert_true(strstr(body, "| s019 |") > fold);
}

static void expect_repeat(const struct result *result, const char *wanted) {
    struct arena arena = {0};
    assert_string_equal(report_repeat_command(result, &arena), wanted);
    arena_fini(&arena);
}

static void a_command_repeats_in_any_checkout(void **state) {
    struct fixture *fixture = *state;
    struct result *result = &fixture->result;
    result->seed = 7;
    result->command = "assay gate --quiet";
    expect_repeat(result, "assay gate --seed 7");
    result->sides[0].role = SIDE_BASELINE;
    result->sides[0].label = "simd @ git:merge-base";
    result->sides[0].revision = "e82b208f00000000000000000000000000000000";
    expect_repeat(result, "assay gate --baseline git:e82b208f0000 --seed 7");
    result->command =
        "assay gate --only 'a b,c' --baseline git:merge-base --github --accept 'it'\\''s --quiet' "
        "--seed=3 --color never --output x.json";
    expect_repeat(result, "assay gate --baseline git:e82b208f0000 --only 'a b,c' --accept 'it'\\''s --quiet' "
                          "--seed 7");
    result->command = "assay gate --resume last"; // says nothing of what it does
    expect_repeat(result, "assay gate --resume last");
    result->sides[0].revision = "e82b208-dirty"; // no commit has that
    result->command = "assay gate --baseline git:merge-base --seed 3";
    expect_repeat(result, "assay gate --baseline git:merge-base --seed 7");
}

// A result that a stranger made may name its suite as it likes.
static void a_mark_is_short(void **state) {
    struct fixture *fixture = *state;
    char *suite = arena_format(&fixture->result.arena, "%070000d", 1);
    made_regressions(fixture, "s", "");
    fixture->result.suite = suite;
    body_of(fixture);
}

// Suite, device and runner of the gate, each of which makes it another comment.
static void a_mark_names_the_gate(void **state) {
    struct fixture *fixture = *state;
    struct result *result = &fixture->result;
    assert_string_equal(comment_mark(result, &result->arena), "<!-- assay: suite cpu on cpu -->");
    result->environment.device = "cuda:1";
    assert_string_equal(comment_mark(result, &result->arena), "<!-- assay: suite cpu on cuda:1 -->");
    result->job_runner = "gpu --> 3";
    assert_string_equal(comment_mark(result, &result->arena),
                        "<!-- assay: suite cpu on cuda:1 of gpu ___ 3 -->");
    result->suite = NULL;
    assert_string_equal(comment_mark(result, &result->arena),
                        "<!-- assay: suite problems on cuda:1 of gpu ___ 3 -->");
}

// Of a stranger's document only a number is taken.
static void a_link_is_a_job_of_the_repository(void **state) {
    struct fixture *fixture = *state;
    struct result *result = &fixture->result;
    const struct ci_job job = {.site_url = "https://github.com/o/r"}, nowhere = {0};
    const struct code_host *github = code_host_find("github");
    assert_null(code_host_result_url(github, &job, result, &result->arena));
    result->job_host = "github";
    result->job_id = "12";
    assert_string_equal(code_host_result_url(github, &job, result, &result->arena),
                        "https://github.com/o/r/actions/runs/12");
    assert_null(code_host_result_url(github, &nowhere, result, &result->arena));
    assert_null(code_host_result_url(code_host_find("gitlab"), &job, result, &result->arena));
    static const char *const hostile[] = {"", "1/../..", "-1", "1 ", "1234567890123456789"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; ++i) {
        result->job_id = hostile[i];
        assert_null(code_host_result_url(github, &job, result, &result->arena));
    }
}

// ---- single texts ----

static void expect_markdown(const char *text, const char *wanted, const char *wanted_first) {
    struct strbuf out = {0};
    markdown_add_text(&out, text);
    assert_string_equal(strbuf_text(&out), wanted);
    strbuf_clear(&out);
    markdown_add_first(&out, text);
    assert_string_equal(strbuf_text(&out), wanted_first ? wanted_first : wanted);
    strbuf_fini(&out);
}

static void what_code_hosts_look_for_is_broken_up(void **state) {
    (void)state;
    expect_markdown("a 8.0 % slower (7.8 to 8.2), git:HEAD~ sim:steady",
                    "a 8.0 % slower (7.8 to 8.2), git:HEAD\\~ sim:steady", NULL);
    expect_markdown("a|b`c*d", "a\\|b\\`c\\*d", NULL);
    expect_markdown("@me fixes #12, !3", "@<!-- -->me fixes \\#<!-- -->12, !<!-- -->3", NULL);
    expect_markdown("GH-7 gh-8", "GH-<!-- -->7 gh-<!-- -->8", NULL);
    expect_markdown("see https://x.y or www.x.y", "see https:<!-- -->//x.y or www<!-- -->.x.y", NULL);
    expect_markdown("a :bomb: at 10:30:01", "a :<!-- -->bomb: at 10:<!-- -->30:01", NULL);
    expect_markdown("$x$ ~~y~~", "<span>$</span>x<span>$</span> \\~\\~<!-- -->y\\~\\~", NULL);
    expect_markdown("![p](//x)", "!\\[p\\](//x)", NULL);
    expect_markdown("&#64;x <b>", "\\&\\#<!-- -->64;x \\<b\\>", NULL);
    expect_markdown("- a", "- a", "\\- a");
    expect_markdown("    a", "    a", "a");
    expect_markdown("12. a", "12. a", "12\\. a");
    expect_markdown("3) a", "3) a", "3\\) a");
    expect_markdown("8.0 % slower", "8.0 % slower", NULL);
    expect_markdown("/close", "/close", "\\/close");
    expect_markdown("", "", NULL);
    expect_markdown(NULL, "", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_regression_of_300_is_visible, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_names_are_shortened_in_their_middle, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_text_in_every_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(explanations_give_way_to_regressions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_known_is_said_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_heading_links_both_commits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_heading_links_hashes_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_kernels_of_one_commit_name_it_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unchanged_problems_are_one_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_command_repeats_in_any_checkout, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_mark_is_short, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_mark_names_the_gate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_is_a_job_of_the_repository, set_up, tear_down),
        cmocka_unit_test(what_code_hosts_look_for_is_broken_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
