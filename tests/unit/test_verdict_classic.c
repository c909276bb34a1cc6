// SPDX-License-Identifier: Apache-2.0
//
// The classic rule on two sample sets: golden figures and verdicts, and the sign of a change.
#include "base/strbuf.h"
#include "unit/test_stats_golden.h"
#include "verdict/classic/classic.h"
#include "verdict/decision_make.h"
#include "verdict/gate_rule.h"

static struct classic_options golden_options(void) {
    struct err err = {0};
    struct classic_options options = classic_options_default();
    assert_int_equal(classic_bootstrap_parse("mt19937:42", &options, &err), 0);
    return options;
}

static double *numbers(const json_t *array, size_t *ret_count) {
    size_t count = json_array_size(array);
    double *values = calloc(count + 1, sizeof *values);
    for (size_t i = 0; i < count; ++i) values[i] = json_number_value(json_array_get(array, i));
    *ret_count = count;
    return values;
}

static struct decision_case judge(const double *base, size_t base_count, const double *cand,
                                  size_t cand_count, const struct classic_options *options,
                                  struct arena *arena) {
    struct err err = {0};
    struct decision_case ret = {0};
    struct classic_sets sets = {
        .base_ns = base, .cand_ns = cand, .base_count = base_count, .cand_count = cand_count};
    assert_int_equal(classic_judge(&sets, options, arena, &ret, &err), 0);
    return ret;
}

static int exit_code_of(const struct decision_case *item, struct arena *arena) {
    struct err err = {0};
    struct decision decision = decision_empty("classic", NULL);
    struct decision_case copy = *item;
    copy.name = "one";
    decision.case_count = 1;
    decision.cases = &copy;
    decision_summarize(&decision, arena);
    struct gate_options options = {.kind = GATE_COMPARE};
    assert_int_equal(gate_rule_apply(&options, &(struct gate_events){0}, arena, &decision, &err), 0);
    return decision.exit_code;
}

static void close_to(double got, double expected, double relative, const char *name, const char *what) {
    if (!(fabs(got - expected) <= relative * fabs(expected)))
        fail_msg("%s: %s is %.17g, golden %.17g", name, what, got, expected);
}

static void check_figures(const json_t *pair, const struct decision_case *item) {
    const char *name = golden_name(pair);
    const json_t *a = golden_get(pair, "A"), *b = golden_get(pair, "B"), *mwu = golden_get(pair, "mwu");
    const json_t *a_at = golden_get(a, "boot_ci_randomstate42"),
                 *b_at = golden_get(b, "boot_ci_randomstate42");
    const json_t *ratio = json_object_get(pair, "median_ratio_boot_ci_exact"); // not of every pair
    close_to(item->median_base_ns, golden_number(a, "median"), GOLDEN_REL, name, "median a");
    close_to(item->median_cand_ns, golden_number(b, "median"), GOLDEN_REL, name, "median b");
    close_to(item->base_low_ns, json_number_value(json_array_get(a_at, 0)), GOLDEN_REL, name, "low a");
    close_to(item->base_high_ns, json_number_value(json_array_get(a_at, 1)), GOLDEN_REL, name, "high a");
    close_to(item->cand_low_ns, json_number_value(json_array_get(b_at, 0)), GOLDEN_REL, name, "low b");
    close_to(item->cand_high_ns, json_number_value(json_array_get(b_at, 1)), GOLDEN_REL, name, "high b");
    close_to(item->change_pct, golden_number(pair, "pct_change"), GOLDEN_REL, name, "change");
    close_to(item->cliffs_delta, golden_number(pair, "cliffs_delta_slower"), GOLDEN_REL, name, "delta");
    close_to(item->u_statistic, golden_number(mwu, "U_a"), GOLDEN_REL, name, "U");
    const json_t *p = golden_get(mwu, "p_two_sided_cc");
    close_to(item->p_mann_whitney, json_is_null(p) ? 1 : json_number_value(p), GOLDEN_REL_P, name, "p");
    if (!ratio) return;
    // The golden limits of the ratio come from a search with a margin of 1e-13.
    close_to(1 + item->change_low_pct / 100, json_number_value(json_array_get(ratio, 0)), 1e-12, name,
             "ratio low");
    close_to(1 + item->change_high_pct / 100, json_number_value(json_array_get(ratio, 1)), 1e-12, name,
             "ratio high");
}

static bool is_in_band(enum reason reason) {
    return reason == REASON_TIE || reason == REASON_IN_BAND || reason == REASON_FASTER_IN_BAND ||
           reason == REASON_SLOWER_IN_BAND;
}

// All 41 pairs: the figures; the golden verdict and exit code without guards; exit 3 with guards below six
// samples.
static void golden_pairs_give_golden_verdicts(void **state) {
    (void)state;
    json_t *root = golden_load();
    const json_t *pairs = golden_get(root, "pairs"), *pair = NULL;
    size_t index = 0, few_count = 0;
    assert_int_equal(json_array_size(pairs), 41);
    json_array_foreach(pairs, index, pair) {
        struct arena arena = {0};
        struct classic_options options = golden_options();
        const json_t *spec = golden_get(pair, "spec_first_match");
        size_t n = 0, m = 0;
        double *a = numbers(golden_get(pair, "a"), &n), *b = numbers(golden_get(pair, "b"), &m);
        options.has_guards = false;
        struct decision_case free_case = judge(a, n, b, m, &options, &arena);
        check_figures(pair, &free_case);
        if (strcmp(verdict_name(free_case.verdict), json_string_value(golden_get(spec, "verdict"))) != 0)
            fail_msg("%s: %s", golden_name(pair), verdict_name(free_case.verdict));
        assert_int_equal(exit_code_of(&free_case, &arena), golden_count(spec, "exit"));
        assert_int_equal(is_in_band(free_case.reason), json_is_true(golden_get(spec, "in_band")));
        options.has_guards = true;
        struct decision_case guarded = judge(a, n, b, m, &options, &arena);
        if (n < 6 || m < 6) {
            ++few_count;
            assert_int_equal(guarded.verdict, VERDICT_NOT_VALID);
            assert_int_equal(guarded.reason, REASON_TOO_FEW_SAMPLES);
            assert_int_equal(guarded.unguarded_verdict, free_case.verdict);
            assert_int_equal(exit_code_of(&guarded, &arena), 3);
            assert_non_null(free_case.guard); // printed beside the verdict
        }
        free(a);
        free(b);
        arena_fini(&arena);
    }
    assert_int_equal(few_count, 5);
    json_decref(root);
}

// Times around `centre` by a fixed pattern of the relative width given.
static void fill(double *times, size_t count, double centre, double width) {
    for (size_t i = 0; i < count; ++i)
        times[i] = centre * (1 + width * ((double)((i * 7 + 3) % count) / (double)(count - 1) - 0.5));
}

// A candidate that takes more time is a regression with positive figures; one that takes less, an
// improvement.
static void positive_is_slower(void **state) {
    (void)state;
    struct arena arena = {0};
    struct classic_options options = classic_options_default();
    double base[30], slow[30], fast[30];
    fill(base, 30, 1000, 0.01);
    fill(slow, 30, 1100, 0.01);
    fill(fast, 30, 800, 0.01);
    struct decision_case slower = judge(base, 30, slow, 30, &options, &arena);
    assert_int_equal(slower.verdict, VERDICT_REGRESSION);
    assert_true(slower.change_pct > 9 && slower.change_pct < 11);
    assert_true(slower.change_low_pct > 0 && slower.change_low_pct < slower.change_high_pct);
    assert_true(slower.cliffs_delta == 1);
    assert_true(slower.hodges_lehmann_pct > 9);
    struct decision_case faster = judge(base, 30, fast, 30, &options, &arena);
    assert_int_equal(faster.verdict, VERDICT_IMPROVEMENT);
    assert_true(faster.change_pct < -19 && faster.change_high_pct < 0);
    assert_true(faster.cliffs_delta == -1);
    arena_fini(&arena);
}

static void the_band_has_two_sides(void **state) {
    (void)state;
    struct arena arena = {0};
    struct classic_options options = classic_options_default();
    double base[30], cand[30];
    fill(base, 30, 1000, 0.002);
    fill(cand, 30, 1020, 0.002);
    struct decision_case item = judge(base, 30, cand, 30, &options, &arena);
    assert_int_equal(item.verdict, VERDICT_MAINTAINED);
    assert_int_equal(item.reason, REASON_SLOWER_IN_BAND);
    fill(cand, 30, 950, 0.002);
    item = judge(base, 30, cand, 30, &options, &arena);
    assert_int_equal(item.verdict, VERDICT_MAINTAINED);
    assert_int_equal(item.reason, REASON_FASTER_IN_BAND);
    // A speed-up of 1.10 is 9.1 % less time: in the band.
    fill(cand, 30, 1000 / 1.10, 0.002);
    assert_int_equal(judge(base, 30, cand, 30, &options, &arena).verdict, VERDICT_MAINTAINED);
    arena_fini(&arena);
}

static void a_tie_is_neutral_unless_proof_is_asked_for(void **state) {
    (void)state;
    struct arena arena = {0};
    struct classic_options options = classic_options_default();
    double base[40], cand[40];
    fill(base, 40, 1000, 0.01);
    fill(cand, 40, 1001, 0.01);
    struct decision_case item = judge(base, 40, cand, 40, &options, &arena);
    assert_int_equal(item.verdict, VERDICT_NO_DIFFERENCE);
    assert_int_equal(item.reason, REASON_TIE);
    options.tie = CLASSIC_TIE_PROVEN;
    item = judge(base, 40, cand, 40, &options, &arena);
    assert_int_equal(item.verdict, VERDICT_MAINTAINED);
    assert_int_equal(item.reason, REASON_IN_BAND);
    fill(base, 40, 1000, 0.5); // too wide to show that it is not 3 % slower
    fill(cand, 40, 1001, 0.5);
    assert_int_equal(judge(base, 40, cand, 40, &options, &arena).verdict, VERDICT_NO_DIFFERENCE);
    arena_fini(&arena);
}

static void times_that_are_no_times_are_invalid(void **state) {
    (void)state;
    static const double bad[] = {0, -1, NAN, INFINITY};
    struct arena arena = {0};
    struct classic_options options = classic_options_default();
    double base[20], cand[20];
    fill(base, 20, 1000, 0.01);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        fill(cand, 20, 1000, 0.01);
        cand[7] = bad[i];
        struct decision_case item = judge(base, 20, cand, 20, &options, &arena);
        assert_int_equal(item.verdict, VERDICT_NOT_VALID);
        assert_int_equal(item.reason, REASON_BAD_TIMES);
        options.has_guards = false; // there is nothing beside the guard to print
        assert_int_equal(judge(base, 20, cand, 20, &options, &arena).verdict, VERDICT_NOT_VALID);
        options.has_guards = true;
    }
    assert_int_equal(judge(base, 20, cand, 0, &options, &arena).verdict, VERDICT_NOT_VALID);
    arena_fini(&arena);
}

static void samples_that_hang_together_are_refused(void **state) {
    (void)state;
    struct arena arena = {0};
    struct classic_options options = classic_options_default();
    double base[60], cand[60];
    fill(base, 60, 1000, 0.01);
    for (size_t i = 0; i < 60; ++i) cand[i] = 1000 + (double)i; // a drift
    struct decision_case item = judge(base, 60, cand, 60, &options, &arena);
    assert_int_equal(item.verdict, VERDICT_NOT_VALID);
    assert_int_equal(item.reason, REASON_FEW_EFFECTIVE_SAMPLES);
    assert_true(item.unguarded_verdict != VERDICT_NONE);
    arena_fini(&arena);
}

// 20 of at least 40 samples. A drift of that size, in the time of a sample's own noise, leaves so many.
static double effective_of(size_t count, double drift, struct decision_case *ret, struct arena *arena) {
    struct err err = {0};
    struct classic_options options = classic_options_default();
    double base[60], cand[60], effective[2];
    fill(base, 60, 1000, 0.01);
    fill(cand, count, 1000, 0.01);
    for (size_t i = 0; i < count; ++i) cand[i] += 10 * drift * (double)i / (double)count;
    const struct classic_sets sets = {
        .base_ns = base, .cand_ns = cand, .base_count = 60, .cand_count = count, .ret_effective = effective};
    *ret = (struct decision_case){0};
    assert_int_equal(classic_judge(&sets, &options, arena, ret, &err), 0);
    return effective[1];
}

static void twenty_effective_samples_are_needed(void **state) {
    (void)state;
    struct arena arena = {0};
    struct decision_case item;
    for (int is_enough = 0; is_enough < 2; ++is_enough) {
        const double wanted = is_enough ? 20.1 : 19.9;
        double low = 0, high = 4;
        for (int i = 0; i < 50; ++i) {
            const double drift = (low + high) / 2;
            *(effective_of(60, drift, &item, &arena) > wanted ? &low : &high) = drift;
        }
        assert_true(fabs(effective_of(60, low, &item, &arena) - wanted) < 0.05);
        assert_int_equal(item.reason == REASON_FEW_EFFECTIVE_SAMPLES, !is_enough);
    }
    assert_true(effective_of(39, 4, &item, &arena) < 20);
    assert_true(item.reason != REASON_FEW_EFFECTIVE_SAMPLES);
    assert_true(effective_of(40, 4, &item, &arena) < 20);
    assert_int_equal(item.reason, REASON_FEW_EFFECTIVE_SAMPLES);
    arena_fini(&arena);
}

// Of 200 samples of the baseline so many are faster than all of the candidate's.
static enum verdict judge_among(size_t faster, double delta, struct arena *arena) {
    struct classic_options options = classic_options_default();
    double base[200], cand[200];
    options.has_guards = false; // samples in their order depend on each other
    fill(base, 200, 1000, 0.001);
    fill(cand, 200, 800, 0.001);
    for (size_t i = 0; i < faster; ++i) base[i] /= 2;
    const struct decision_case item = judge(base, 200, cand, 200, &options, arena);
    assert_true(fabs(item.cliffs_delta - delta) < 1e-9);
    return item.verdict;
}

static void an_improvement_needs_an_effect(void **state) {
    (void)state;
    struct arena arena = {0};
    assert_int_equal(judge_among(70, -0.30, &arena), VERDICT_IMPROVEMENT);
    assert_int_equal(judge_among(71, -0.29, &arena), VERDICT_NO_DIFFERENCE);
    arena_fini(&arena);
}

static void options_are_parsed(void **state) {
    (void)state;
    struct classic_options options = classic_options_default();
    struct err err = {0};
    uint32_t bits = 0;
    assert_int_equal(classic_bootstrap_parse("exact", &options, &err), 0);
    assert_false(options.is_literal_bootstrap);
    assert_int_equal(classic_bootstrap_parse("mt19937:7", &options, &err), 0);
    assert_true(options.is_literal_bootstrap);
    assert_int_equal(options.bootstrap_seed, 7);
    assert_int_equal(classic_bootstrap_parse("mt19937:4294967296", &options, &err), -ERR_USAGE);
    assert_int_equal(classic_bootstrap_parse("mt19937:", &options, &err), -ERR_USAGE);
    assert_int_equal(classic_bootstrap_parse("pcg", &options, &err), -ERR_USAGE);
    assert_int_equal(classic_allow_parse("device,cache_mode", &bits, &err), 0);
    assert_int_equal(bits, CLASSIC_ALLOW_DEVICE | CLASSIC_ALLOW_CACHE_MODE);
    assert_int_equal(classic_allow_parse("", &bits, &err), -ERR_USAGE);
    assert_int_equal(classic_allow_parse("device,,driver", &bits, &err), -ERR_USAGE);
    assert_int_equal(classic_tie_parse("proven"), CLASSIC_TIE_PROVEN);
    assert_int_equal(classic_tie_parse("even"), CLASSIC_TIE_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_pairs_give_golden_verdicts),
        cmocka_unit_test(positive_is_slower),
        cmocka_unit_test(the_band_has_two_sides),
        cmocka_unit_test(a_tie_is_neutral_unless_proof_is_asked_for),
        cmocka_unit_test(times_that_are_no_times_are_invalid),
        cmocka_unit_test(samples_that_hang_together_are_refused),
        cmocka_unit_test(twenty_effective_samples_are_needed),
        cmocka_unit_test(an_improvement_needs_an_effect),
        cmocka_unit_test(options_are_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
