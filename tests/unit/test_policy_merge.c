// SPDX-License-Identifier: Apache-2.0
//
// The policy of a gate against a revision: of each setting the stricter value, else the baseline's; every
// difference is listed; and the record reads back as it was written.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "control/plan/policy_merge.h"

static struct arena arena;
static struct policy record;

// items: "a=scale/fp32/n64"; without "=" no short name.
static struct suite suite_make(const char *name, size_t count, const char *const *items) {
    struct suite suite = {.name = name, .item_count = count};
    struct err err = {0};
    suite.items = arena_array(&arena, count, sizeof *suite.items);
    for (size_t i = 0; i < count; ++i) {
        const char *equals = strchr(items[i], '=');
        const char *problem = equals ? equals + 1 : items[i];
        if (equals) suite.items[i].short_name = arena_strndup(&arena, items[i], (size_t)(equals - items[i]));
        suite.items[i].distribution = OP_DISTRIBUTION_DEFAULT;
        suite.items[i].memory_layout = MEMORY_LAYOUT_DENSE;
        if (problem_parse(&operators_compiled, problem, &suite.items[i].problem, &err) < 0)
            fail_msg("%s", err.text);
    }
    return suite;
}

#define SUITE(name, ...)                                                                                     \
    suite_make(name, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),                            \
               (const char *const[]){__VA_ARGS__})

// Two manifests that say the same.
static struct policy_question question_make(void) {
    const struct gate_policy policy = {
        .manifest = "assay.yaml",
        .candidate = "mine",
        .baseline = "git:merge-base",
        .spec = gate_spec_default(),
        .limits = {.case_s = 60, .gate_s = 600},
        .suite = SUITE("pr", "a=scale/fp32/n64", "b=scale/fp32/n65"),
        .check = SUITE("fuzz", "scale/fp32/n16", "scale/fp32/n17"),
    };
    return (struct policy_question){.source = POLICY_BASELINE,
                                    .revision = "git:HEAD",
                                    .baseline = policy,
                                    .candidate = policy,
                                    .given = gate_spec_none()};
}

static struct gate_policy merge(const struct policy_question *question) {
    return policy_merge(question, &arena, &record);
}

// The only difference listed; NULL stands for none.
static void expect_change(const char *setting, const char *baseline, const char *candidate,
                          const char *used) {
    assert_int_equal(record.change_count, 1);
    const struct policy_change *change = &record.changes[0];
    assert_string_equal(change->setting, setting);
    if (!str_equal(change->baseline, baseline) || !str_equal(change->candidate, candidate) ||
        !str_equal(change->used, used))
        fail_msg("%s: %s, %s, %s", setting, str_or(change->baseline, "none"),
                 str_or(change->candidate, "none"), str_or(change->used, "none"));
}

static void test_same(void **state) {
    (void)state;
    const struct policy_question question = question_make();
    const struct gate_policy used = merge(&question);
    assert_int_equal(record.change_count, 0);
    assert_int_equal(record.source, POLICY_BASELINE);
    assert_string_equal(record.revision, "git:HEAD");
    assert_true(used.spec.regression_pct == 3 && used.limits.case_s == 60 && used.limits.gate_s == 600 &&
                used.limits.memory_gb == 0);
    assert_int_equal(used.suite.item_count, 2);
    assert_string_equal(used.suite.name, "pr");
    assert_string_equal(used.suite.items[1].short_name, "b");
}

// A problem without a decision costs the exit code if either revision says so.
static void test_undecided(void **state) {
    (void)state;
    struct policy_question question = question_make();
    question.baseline.spec.warns_of_undecided = false;
    question.candidate.spec.warns_of_undecided = true;
    assert_false(merge(&question).spec.warns_of_undecided);
    expect_change("gate.undecided", "fail", "warn", "fail");
    question.baseline.spec.warns_of_undecided = true;
    question.candidate.spec.warns_of_undecided = false;
    assert_false(merge(&question).spec.warns_of_undecided);
    expect_change("gate.undecided", "warn", "fail", "fail");
    question.candidate.spec.warns_of_undecided = true;
    assert_true(merge(&question).spec.warns_of_undecided);
    assert_int_equal(record.change_count, 0);
    question.source = POLICY_REQUESTED;
    question.baseline.spec.warns_of_undecided = false;
    assert_true(merge(&question).spec.warns_of_undecided);
}

// A pull request does not widen what its own kernel and its suites are compared by.
static void test_tolerance(void **state) {
    (void)state;
    const struct own_tolerance strict = {
        .atol = 1e-6, .rtol = NAN, .min_pass = NAN, .max_error = NAN, .why = "known"};
    const struct own_tolerance wide = {
        .atol = NAN, .rtol = 0.5, .min_pass = 0.9, .max_error = NAN, .is_two_x_off = true, .why = "w"};
    struct policy_question question = question_make();
    question.candidate.tolerance = &wide;
    assert_null(merge(&question).tolerance);
    expect_change("tolerance", NULL, "rtol 0.5, 90 % must pass, no 2 x rule: w", NULL);
    question.baseline.tolerance = &strict;
    assert_ptr_equal(merge(&question).tolerance, &strict);
    expect_change("tolerance", "atol 1e-06: known", "rtol 0.5, 90 % must pass, no 2 x rule: w",
                  "atol 1e-06: known");
    question.source = POLICY_REQUESTED;
    assert_ptr_equal(merge(&question).tolerance, &wide);
    question = question_make();
    question.candidate.check = SUITE("fuzz", "scale/fp32/n16", "scale/fp32/n17");
    for (size_t i = 0; i < 2; ++i) question.candidate.check.items[i].tolerance = &wide;
    assert_null(merge(&question).check.items[1].tolerance);
    expect_change("gate.check.tolerance", NULL, "rtol 0.5, 90 % must pass, no 2 x rule: w", NULL);
    question.source = POLICY_REQUESTED;
    assert_ptr_equal(merge(&question).check.items[1].tolerance, &wide);
}

static void test_metric(void **state) {
    (void)state;
    struct policy_question question = question_make();
    question.baseline.metric = "instructions";
    question.candidate.metric = "time";
    assert_string_equal(merge(&question).metric, "instructions");
    expect_change("gate.metric", "instructions", "time", "instructions");
    question.given_metric = "call_time";
    assert_string_equal(merge(&question).metric, "call_time");
    expect_change("gate.metric", "instructions", "time", "call_time (--metric)");
    question.given_metric = NULL;
    question.source = POLICY_REQUESTED;
    assert_string_equal(merge(&question).metric, "time");
    question.candidate.metric = "instructions";
    question.given_metric = "time";
    assert_string_equal(merge(&question).metric, "time");
    assert_int_equal(record.change_count, 0);
}

static void test_numbers(void **state) {
    (void)state;
    static const struct {
        const char *setting;
        size_t offset;
        double baseline, candidate, used; // 0: none
        const char *texts[3];
    } rows[] = {
#define ROW(setting, member, ...) {setting, offsetof(struct gate_policy, member), __VA_ARGS__}
        ROW("gate.regression_pct", spec.regression_pct, 3, 900, 3, {"3", "900", "3"}),
        ROW("gate.regression_pct", spec.regression_pct, 3, 1.5, 1.5, {"3", "1.5", "1.5"}),
        ROW("gate.improvement_pct", spec.improvement_pct, 10, 1, 10, {"10", "1", "10"}),
        ROW("gate.improvement_pct", spec.improvement_pct, 10, 20, 20, {"10", "20", "20"}),
        ROW("limits.case_s", limits.case_s, 60, 6000, 60, {"60", "6000", "60"}),
        ROW("limits.case_s", limits.case_s, 60, 0.5, 0.5, {"60", "0.5", "0.5"}),
        ROW("limits.gate_s", limits.gate_s, 600, 1, 600, {"600", "1", "600"}),
        ROW("limits.gate_s", limits.gate_s, 600, 7200, 600, {"600", "7200", "600"}),
        ROW("limits.memory_gb", limits.memory_gb, 4, 0, 4, {"4", NULL, "4"}),
        ROW("limits.memory_gb", limits.memory_gb, 0, 4, 4, {NULL, "4", "4"}),
        ROW("limits.memory_gb", limits.memory_gb, 4, 2, 2, {"4", "2", "2"}),
        ROW("limits.busy_pct", limits.busy_pct, 10, 50, 10, {"10", "50", "10"}),
        ROW("limits.busy_pct", limits.busy_pct, 10, 5, 10, {"10", "5", "10"}),
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct policy_question question = question_make();
        const size_t offset = rows[i].offset;
        memcpy((char *)&question.baseline + offset, &rows[i].baseline, sizeof(double));
        memcpy((char *)&question.candidate + offset, &rows[i].candidate, sizeof(double));
        struct gate_policy used = merge(&question);
        double value;
        memcpy(&value, (char *)&used + offset, sizeof value);
        assert_true(value == rows[i].used);
        expect_change(rows[i].setting, rows[i].texts[0], rows[i].texts[1], rows[i].texts[2]);
        // By request the candidate's decides, stricter or not.
        question.source = POLICY_REQUESTED;
        used = merge(&question);
        memcpy(&value, (char *)&used + offset, sizeof value);
        assert_true(value == rows[i].candidate);
        expect_change(rows[i].setting, rows[i].texts[0], rows[i].texts[1], rows[i].texts[1]);
    }
}

// Every limit says which of two values is the stricter one, and that one decides.
static void test_limits(void **state) {
    (void)state;
    for (size_t i = 0; i < run_limits_members.count; ++i) {
        const struct member *member = &run_limits_members.members[i];
        const bool is_name = member->type == MEMBER_NAME;
        const double numbers[] = {member->low, member->low * 2};
        const int names[] = {0, 1};
        const void *values[] = {is_name ? (const void *)&names[0] : &numbers[0],
                                is_name ? (const void *)&names[1] : &numbers[1]};
        if (!is_name) assert_int_equal(member->type, MEMBER_DOUBLE);
        assert_int_not_equal(member->strictness, STRICT_UNSAID);
        for (int baseline = 0; baseline < 2; ++baseline) {
            struct policy_question question = question_make();
            char *ours = (char *)&question.baseline.limits, *theirs = (char *)&question.candidate.limits;
            memcpy(ours + member->offset, values[baseline], member->bytes);
            memcpy(theirs + member->offset, values[!baseline], member->bytes);
            const int stricter = member->strictness == STRICT_SMALLER  ? 0
                                 : member->strictness == STRICT_LARGER ? 1
                                                                       : baseline;
            const struct gate_policy used = merge(&question);
            assert_memory_equal((const char *)&used.limits + member->offset, values[stricter], member->bytes);
            assert_int_equal(record.change_count, 1);
            assert_string_equal(record.changes[0].setting, arena_format(&arena, "limits.%s", member->key));
            question.source = POLICY_REQUESTED;
            const struct gate_policy asked = merge(&question);
            assert_memory_equal((const char *)&asked.limits + member->offset, values[!baseline],
                                member->bytes);
        }
    }
}

// No limit is the default where there is one: a pull request cannot lift it by setting a limit, nor by taking
// a smaller one away.
static void test_defaults(void **state) {
    (void)state;
    static const struct {
        double baseline, candidate, used; // 0: none
        const char *texts[3];
    } rows[] = {
        {0, 15.9, 15.9, {NULL, "15.9", "15.9"}},
        {0, 16, 0, {NULL, "16", "none (16 is the default)"}},
        {0, 16.1, 0, {NULL, "16.1", "none (16 is the default)"}},
        {0, 100000, 0, {NULL, "100000", "none (16 is the default)"}},
        {15.9, 0, 15.9, {"15.9", NULL, "15.9"}},
        {16.1, 0, 0, {"16.1", NULL, "none (16 is the default)"}},
        {64, 100000, 64, {"64", "100000", "64"}},
        {64, 32, 32, {"64", "32", "32"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct policy_question question = question_make();
        question.default_limits.memory_gb = 16;
        question.baseline.limits.memory_gb = rows[i].baseline;
        question.candidate.limits.memory_gb = rows[i].candidate;
        assert_true(merge(&question).limits.memory_gb == rows[i].used);
        expect_change("limits.memory_gb", rows[i].texts[0], rows[i].texts[1], rows[i].texts[2]);
        question.source = POLICY_REQUESTED;
        assert_true(merge(&question).limits.memory_gb == rows[i].candidate);
    }
    // Where neither is stricter, the baseline's default stays.
    struct policy_question question = question_make();
    question.candidate.limits.busy_pct = 50;
    assert_true(merge(&question).limits.busy_pct == 0);
    expect_change("limits.busy_pct", NULL, "50", NULL);
}

// A smaller allowance is the stricter one, none allows everything; of two units the baseline's decides.
static void test_ratchets(void **state) {
    (void)state;
    static const char *const rows[][4] = {
        // baseline, candidate, used, as listed
        {"0", "4", "0", "0"},        {"4", "0", "0", "0"},       {"4", NULL, "4", "4"},
        {NULL, "5 %", "5 %", "5 %"}, {"5 %", "8", "5 %", "5 %"}, {"5 %", "0", "0", "0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct policy_question question = question_make();
        struct ratchet *base = &question.baseline.spec.ratchets.of[COMPILER_SPILLS];
        struct ratchet *cand = &question.candidate.spec.ratchets.of[COMPILER_SPILLS];
        if (rows[i][0]) assert_true(ratchet_parse(rows[i][0], base));
        if (rows[i][1]) assert_true(ratchet_parse(rows[i][1], cand));
        const struct gate_policy used = merge(&question);
        assert_string_equal(ratchet_text(&used.spec.ratchets.of[COMPILER_SPILLS], &arena), rows[i][2]);
        expect_change("gate.ratchet.spills", rows[i][0], rows[i][1], rows[i][3]);
        question.source = POLICY_REQUESTED;
        const struct gate_policy asked = merge(&question);
        assert_true(str_equal(ratchet_text(&asked.spec.ratchets.of[COMPILER_SPILLS], &arena), rows[i][1]));
        expect_change("gate.ratchet.spills", rows[i][0], rows[i][1], rows[i][1]);
    }
}

// A person's threshold decides over both, and the difference is listed all the same.
static void test_given(void **state) {
    (void)state;
    struct policy_question question = question_make();
    question.candidate.spec.regression_pct = 900;
    question.given.regression_pct = 5;
    assert_true(merge(&question).spec.regression_pct == 5);
    expect_change("gate.regression_pct", "3", "900", "5 (--regression)");
    question.candidate.spec.regression_pct = 3;
    assert_true(merge(&question).spec.regression_pct == 5);
    assert_int_equal(record.change_count, 0);
}

static void test_texts(void **state) {
    (void)state;
    struct policy_question question = question_make();
    question.candidate.candidate = "other";
    assert_string_equal(merge(&question).candidate, "mine");
    expect_change("gate.candidate", "mine", "other", "mine");
    question.baseline.candidate = NULL; // the baseline has no opinion
    assert_string_equal(merge(&question).candidate, "other");
    expect_change("gate.candidate", NULL, "other", "other");

    question = question_make();
    question.candidate.python_interpreter = "./slow";
    assert_null(merge(&question).python_interpreter);
    expect_change("python_interpreter", NULL, "./slow", NULL);

    question = question_make();
    question.candidate.baseline = "git:HEAD~1"; // the revision was found by it
    assert_string_equal(merge(&question).baseline, "git:HEAD~1");
    expect_change("gate.baseline", "git:merge-base", "git:HEAD~1", "git:HEAD~1");

    question = question_make();
    question.candidate.manifest = "sub/assay.yaml";
    merge(&question);
    expect_change("manifest", "assay.yaml", "sub/assay.yaml", "assay.yaml");
}

static void test_device(void **state) {
    (void)state;
    struct policy_question question = question_make();
    const struct sim_device quiet = sim_device_quiet("sim:lab");
    struct sim_device noisy = quiet;
    noisy.noise.cv_pct = 50;
    question.baseline.sim = &quiet;
    question.candidate.sim = &quiet;
    assert_ptr_equal(merge(&question).sim, &quiet);
    assert_int_equal(record.change_count, 0);
    question.candidate.sim = &noisy;
    assert_ptr_equal(merge(&question).sim, &quiet);
    assert_int_equal(record.change_count, 1);
    assert_string_equal(record.changes[0].setting, "devices.sim:lab");
    assert_string_equal(record.changes[0].used, record.changes[0].baseline);
    question.baseline.sim = NULL; // a new device
    assert_ptr_equal(merge(&question).sim, &noisy);
    assert_string_equal(record.changes[0].used, record.changes[0].candidate);
    question.baseline.sim = &quiet;
    question.source = POLICY_REQUESTED;
    assert_ptr_equal(merge(&question).sim, &noisy);
}

static void expect_problems(const struct suite *suite, const char *names) {
    struct strbuf text = {0};
    for (size_t i = 0; i < suite->item_count; ++i)
        strbuf_addf(&text, "%s%s=%s", i ? " " : "", str_or(suite->items[i].short_name, ""),
                    suite->items[i].problem.name);
    assert_string_equal(strbuf_text(&text), names);
    strbuf_fini(&text);
}

// The problems of both; a short name stays with the problem that it has in the baseline.
static void test_suites(void **state) {
    (void)state;
    struct policy_question question = question_make();
    question.candidate.suite = SUITE("pr", "a=scale/fp32/n64", "b=scale/fp32/n70", "c=scale/fp32/n71");
    struct gate_policy used = merge(&question);
    expect_problems(&used.suite, "a=scale/fp32/n64 b=scale/fp32/n65 =scale/fp32/n70 c=scale/fp32/n71");
    expect_change("gate.suite", "pr (a, b)", "pr (a, b, c)", "pr (a, b, scale/fp32/n70, c)");
    const struct policy_change *change = &record.changes[0];
    assert_int_equal(change->only_baseline.count, 1);
    assert_string_equal(change->only_baseline.items[0], "scale/fp32/n65");
    assert_int_equal(change->only_candidate.count, 2);
    assert_string_equal(change->only_candidate.items[1], "scale/fp32/n71");

    question.given.allows_removed = true; // a person allows that the baseline's is left out
    used = merge(&question);
    expect_problems(&used.suite, "a=scale/fp32/n64 b=scale/fp32/n70 c=scale/fp32/n71");
    assert_int_equal(record.changes[0].only_baseline.count, 1);
    question.given.allows_removed = false;
    question.source = POLICY_REQUESTED;
    used = merge(&question);
    expect_problems(&used.suite, "a=scale/fp32/n64 b=scale/fp32/n70 c=scale/fp32/n71");
}

static void test_suite_names(void **state) {
    (void)state;
    struct policy_question question = question_make();
    question.candidate.suite = SUITE("small", "x=scale/fp32/n64");
    assert_string_equal(merge(&question).suite.name, "pr"); // holds all
    expect_change("gate.suite", "pr (a, b)", "small (x)", "pr (a, b)");
    question.candidate.suite = SUITE("large", "x=scale/fp32/n65", "y=scale/fp32/n64", "z=scale/fp32/n66");
    struct gate_policy used = merge(&question);
    assert_string_equal(used.suite.name, "large");
    expect_problems(&used.suite, "a=scale/fp32/n64 b=scale/fp32/n65 z=scale/fp32/n66");
    question.candidate.suite = SUITE("other", "o=scale/fp32/n80");
    assert_string_equal(merge(&question).suite.name, "pr+other");
    question.candidate.suite = SUITE("renamed", "p=scale/fp32/n65", "q=scale/fp32/n64");
    merge(&question);
    assert_int_equal(record.change_count, 0);     // the same problems
    question.candidate.suite = (struct suite){0}; // a suite that only the baseline has
    used = merge(&question);
    assert_int_equal(used.suite.item_count, 2);
    expect_change("gate.suite", "pr (a, b)", NULL, "pr (a, b)");
    question = question_make();
    question.baseline.suite = (struct suite){0};
    used = merge(&question);
    assert_string_equal(used.suite.name, "pr");
    expect_change("gate.suite", NULL, "pr (a, b)", "pr (a, b)");
}

// The correctness matrix is that of both, whatever --allow-removed says.
static void test_checks(void **state) {
    (void)state;
    struct policy_question question = question_make();
    question.candidate.check = SUITE("tiny", "t=scale/fp32/n16");
    question.given.allows_removed = true;
    const struct gate_policy used = merge(&question);
    expect_problems(&used.check, "=scale/fp32/n16 =scale/fp32/n17");
    expect_change("gate.check", "fuzz (scale/fp32/n16, scale/fp32/n17)", "tiny (t)",
                  "fuzz (scale/fp32/n16, scale/fp32/n17)");
}

// Without a manifest in the baseline there is nothing to differ from.
static void test_first(void **state) {
    (void)state;
    struct policy_question question = question_make();
    question.source = POLICY_FIRST;
    question.baseline = (struct gate_policy){0};
    question.candidate.spec.regression_pct = 900;
    const struct gate_policy used = merge(&question);
    assert_int_equal(record.change_count, 0);
    assert_true(used.spec.regression_pct == 900 && used.suite.item_count == 2);
}

struct holder {
    const struct policy *policy;
};
static const struct member holder_list[] = {
    MEMBER_POINTER(struct holder, "policy", policy, &policy_members, "")};
static const struct member_table holder_members = MEMBER_TABLE(struct holder, "holder", holder_list, );

static void round_trip(const struct policy *policy, const char *expected_refusal) {
    struct strbuf text = {0}, again = {0};
    struct err err = {0};
    json_t *root = NULL;
    struct json_writer w = json_writer_make(&text, 0), w2 = json_writer_make(&again, 0);
    members_write_object(&w, NULL, &holder_members, &(struct holder){policy}, NULL);
    assert_int_equal(json_read_text(text.text, text.length, "here", &root, &err), 0);
    struct holder got = {0};
    const int code = members_read(&(struct json_at){root, "here"}, &holder_members, &arena, &got, NULL, &err);
    if (expected_refusal) {
        assert_int_equal(code, -ERR_DATA);
        assert_non_null(strstr(err.text, expected_refusal));
    } else {
        assert_int_equal(code, 0);
        got.policy = policy_copy(&arena, got.policy);
        members_write_object(&w2, NULL, &holder_members, &got, NULL);
        assert_string_equal(again.text, text.text);
    }
    json_decref(root);
    strbuf_fini(&text);
    strbuf_fini(&again);
}

static void test_documents(void **state) {
    (void)state;
    struct policy_question question = question_make();
    question.candidate.limits.memory_gb = 4;
    question.candidate.suite = SUITE("pr", "c=scale/fp32/n71");
    for (int source = POLICY_BASELINE; source < POLICY_SOURCE_COUNT; ++source) {
        question.source = (enum policy_source)source;
        merge(&question);
        round_trip(&record, NULL);
    }
    round_trip(NULL, NULL);
    record.changes = &(struct policy_change){0};
    record.change_count = 1; // without a setting
    round_trip(&record, "setting");
}

static void test_bad_documents(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"policy\": 1}",
        "{\"policy\": {}}",
        "{\"policy\": {\"from\": \"nobody\"}}",
        "{\"policy\": {\"from\": \"candidate\"}}",
        "{\"policy\": {\"from\": \"baseline\", \"reason\": \"requested\"}}",
        "{\"policy\": {\"from\": \"baseline\", \"changes\": [1]}}",
        "{\"policy\": {\"from\": \"baseline\", \"changes\": [{\"setting\": \"x\", \"only_baseline\": [1]}]}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        struct err err = {0};
        json_t *root = NULL;
        struct holder got = {0};
        assert_int_equal(json_read_text(texts[i], strlen(texts[i]), "here", &root, &err), 0);
        assert_int_equal(
            members_read(&(struct json_at){root, "here"}, &holder_members, &arena, &got, NULL, &err),
            -ERR_DATA);
        assert_null(got.policy);
        json_decref(root);
    }
}

static int teardown(void **state) {
    (void)state;
    arena_fini(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),      cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_tolerance), cmocka_unit_test(test_metric),
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_limits),
        cmocka_unit_test(test_limits),    cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_ratchets),  cmocka_unit_test(test_given),
        cmocka_unit_test(test_texts),     cmocka_unit_test(test_device),
        cmocka_unit_test(test_suites),    cmocka_unit_test(test_suite_names),
        cmocka_unit_test(test_checks),    cmocka_unit_test(test_first),
        cmocka_unit_test(test_documents), cmocka_unit_test(test_bad_documents),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
