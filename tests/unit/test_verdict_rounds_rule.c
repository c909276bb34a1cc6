// SPDX-License-Identifier: Apache-2.0
//
// The rounds rule decides where it says, has the right sign, and goes on otherwise. Medians made by hand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/student_t.h"
#include "verdict/rounds/rounds_rule.h"

// Mean 0, standard deviation 1 over each five.
static const double pattern[] = {-1.2649110640673518, -0.6324555320336759, 0, 0.6324555320336759,
                                 1.2649110640673518};

static struct rounds_finding find(size_t rounds, double change, double sd,
                                  const struct rounds_options *options) {
    double base[64], cand[64];
    struct rounds_finding finding;
    for (size_t r = 0; r < rounds; ++r) {
        base[r] = 1e6;
        cand[r] = base[r] * exp(log1p(change) + sd * pattern[r % 5]);
    }
    assert_int_equal(rounds_find(&(struct rounds_pairs){.base_ns = base, .cand_ns = cand}, NULL, rounds,
                                 options, &finding),
                     0);
    return finding;
}

static struct rounds_options defaults(void) {
    struct rounds_options options = rounds_options_default();
    options.family_count = 27;
    return options;
}

static void positive_is_slower(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    struct rounds_finding slower = find(10, 0.10, 0.005, &options), faster = find(10, -0.20, 0.005, &options);
    assert_int_equal(slower.verdict, VERDICT_REGRESSION);
    assert_int_equal(slower.reason, REASON_SLOWER_PROVEN);
    assert_true(slower.stats.mean > 0 && slower.interval.lo > 0 && slower.cliffs_delta == 1);
    assert_int_equal(faster.verdict, VERDICT_IMPROVEMENT);
    assert_int_equal(faster.reason, REASON_FASTER_PROVEN);
    assert_true(faster.stats.mean < 0 && faster.interval.hi < 0 && faster.cliffs_delta == -1);
}

static void an_unchanged_kernel_is_maintained_at_the_first_look(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    struct rounds_finding finding = find(5, 0, 0.005, &options);
    assert_int_equal(finding.verdict, VERDICT_MAINTAINED);
    assert_int_equal(finding.reason, REASON_IN_BAND);
    assert_int_equal(finding.look_count, 5);
    assert_true(fabs(finding.stats.sd - 0.005) < 1e-12);
    // t quantile at 1 - 0.0091 and 4 degrees times sd / sqrt(5)
    double half = -student_t_quantile(0.0091, 4) * 0.005 / sqrt(5);
    assert_true(fabs(finding.interval.hi - half) < 1e-12);
    assert_int_equal(find(5, 0.01, 0.002, &options).reason, REASON_SLOWER_IN_BAND);
    assert_int_equal(find(5, -0.01, 0.002, &options).reason, REASON_FASTER_IN_BAND);
}

static void fewer_than_five_rounds_decide_nothing(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    for (size_t rounds = 0; rounds < 5; ++rounds) {
        options.is_final = false;
        assert_int_equal(find(rounds, 0.5, 0.001, &options).verdict, VERDICT_NONE);
        options.is_final = true;
        struct rounds_finding finding = find(rounds, 0.5, 0.001, &options);
        assert_int_equal(finding.verdict, VERDICT_UNDECIDABLE);
        assert_int_equal(finding.reason, REASON_TOO_FEW_ROUNDS);
    }
}

// Five rounds can agree by chance: they call nothing that is not beyond 25 %, and may clear.
static void nothing_is_called_before_ten_rounds(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    assert_int_equal(find(5, 0.10, 0.001, &options).verdict, VERDICT_NONE);
    assert_int_equal(find(5, 0.249, 1e-5, &options).verdict, VERDICT_NONE);
    assert_int_equal(find(5, 0.251, 1e-5, &options).verdict, VERDICT_REGRESSION);
    assert_int_equal(find(5, -0.249, 1e-5, &options).verdict, VERDICT_NONE);
    assert_int_equal(find(5, -0.251, 1e-5, &options).verdict, VERDICT_IMPROVEMENT);
    assert_int_equal(find(5, 0.30, 0.005, &options).verdict, VERDICT_REGRESSION);
    assert_int_equal(find(5, 0.30, 0.050, &options).verdict, VERDICT_NONE);  // part of the interval is within
    assert_int_equal(find(5, -0.14, 0.005, &options).verdict, VERDICT_NONE); // may be an improvement
    assert_int_equal(find(5, -0.30, 0.005, &options).verdict, VERDICT_IMPROVEMENT);
    assert_int_equal(find(5, -0.09, 0.005, &options).verdict, VERDICT_MAINTAINED);
    struct rounds_finding finding = find(10, 0.04, 0.01, &options);
    assert_int_equal(finding.verdict, VERDICT_REGRESSION);
    assert_int_equal(finding.look_count, 10);
}

// An estimate of 3.4 % is called when the interval lies above 2.25 %, and not when it only lies above 0. A
// gain of 11.2 % is called when its own 95 % interval lies beyond 10 %, and the one of the family beyond 9 %.
static void a_call_says_by_how_much_at_least(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    const double t = -student_t_quantile(0.0091, 19), scale = sqrt(20.0 / 19 * 16.0 / 20) / sqrt(20);
    const double slower = log(1.034), faster = log(0.888);
    double sd = (slower - log(1.0225)) / (t * scale);
    assert_int_equal(find(20, 0.034, 0.999 * sd, &options).verdict, VERDICT_REGRESSION);
    struct rounds_finding finding = find(20, 0.034, 1.001 * sd, &options);
    assert_true(finding.interval.lo > 0 && finding.interval.lo < log(1.0225));
    assert_int_equal(finding.verdict, VERDICT_UNDECIDABLE);
    assert_int_equal(finding.reason, REASON_SLOWER_UNPROVEN);
    options.spec.expects_improvement = true; // else it is maintained at once
    options.family_count = 1;
    sd = (log(0.9) - faster) / (-student_t_quantile(0.025, 19) * scale);
    assert_int_equal(find(20, -0.112, 0.999 * sd, &options).verdict, VERDICT_IMPROVEMENT);
    assert_int_equal(find(20, -0.112, 1.001 * sd, &options).verdict, VERDICT_MAINTAINED);
    options.family_count = 27; // so many problems may carry the claim
    sd = (log(0.91) - faster) / (-student_t_quantile(0.0091 / 27, 19) * scale);
    assert_int_equal(find(20, -0.112, 0.999 * sd, &options).verdict, VERDICT_IMPROVEMENT);
    assert_int_equal(find(20, -0.112, 1.001 * sd, &options).verdict, VERDICT_MAINTAINED);
}

// As in compare: 103 ns against 100 ns is exactly 3 %, though ln(1.03) and log1p(0.03) differ.
static void exactly_the_threshold_is_in_the_band(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    const double base[10] = {100, 100, 100, 100, 100, 100, 100, 100, 100, 100};
    const double slower[10] = {103, 103, 103, 103, 103, 103, 103, 103, 103, 103};
    const double faster[10] = {90, 90, 90, 90, 90, 90, 90, 90, 90, 90};
    struct rounds_finding finding;
    const struct rounds_pairs three = {.base_ns = base, .cand_ns = slower},
                              ten = {.base_ns = base, .cand_ns = faster};
    assert_int_equal(rounds_find(&three, NULL, 10, &options, &finding), 0);
    assert_int_equal(finding.verdict, VERDICT_MAINTAINED);
    options.spec.expects_improvement = true;
    assert_int_equal(rounds_find(&ten, NULL, 10, &options, &finding), 0);
    assert_int_equal(finding.verdict, VERDICT_MAINTAINED);
}

// What a round says is the median over its pairs, not the ratio of the medians.
static void pairs_decide_where_they_are_given(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    const double base[10] = {100, 106, 100, 106, 100, 106, 100, 106, 100, 106};
    const double cand[10] = {106, 100, 106, 100, 106, 100, 106, 100, 106, 100}, none[10] = {0};
    const struct rounds_pairs pairs = {base, cand, none}, medians = {.base_ns = base, .cand_ns = cand};
    struct rounds_finding finding;
    assert_int_equal(rounds_find(&pairs, NULL, 10, &options, &finding), 0);
    assert_int_equal(finding.verdict, VERDICT_MAINTAINED);
    assert_int_equal(rounds_find(&medians, NULL, 10, &options, &finding), 0);
    assert_int_equal(finding.verdict, VERDICT_NONE);
}

// Rounds measured after the deciding look change nothing.
static void the_first_decision_stands(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    struct rounds_finding finding;
    double base[20], cand[20];
    for (size_t r = 0; r < 20; ++r) {
        base[r] = 1e6;
        cand[r] = 1e6 * exp(0.002 * pattern[r % 5] + (r < 5 ? 0 : 0.2)); // slower only from round 5
    }
    assert_int_equal(
        rounds_find(&(struct rounds_pairs){.base_ns = base, .cand_ns = cand}, NULL, 20, &options, &finding),
        0);
    assert_int_equal(finding.verdict, VERDICT_MAINTAINED);
    assert_int_equal(finding.look_count, 5);
}

static void between_looks_nothing_is_decided(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    struct rounds_finding finding = find(9, 0.04, 0.01, &options);
    assert_int_equal(finding.verdict, VERDICT_NONE);
    assert_int_equal(finding.look_count, 9); // figures of all rounds there are
}

static void a_wide_interval_is_undecidable_not_fine(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    // Half width after 20 rounds above 2 %, far below the threshold: not maintained.
    assert_int_equal(find(15, -0.04, 0.04, &options).verdict, VERDICT_NONE);
    struct rounds_finding finding = find(20, -0.04, 0.04, &options);
    assert_int_equal(finding.verdict, VERDICT_UNDECIDABLE);
    assert_int_equal(finding.reason, REASON_TOO_NOISY);
    // 2 % exactly is the limit.
    const double t = -student_t_quantile(0.0091, 19), scale = sqrt(20.0 / 19 * 16.0 / 20) / sqrt(20);
    assert_int_equal(find(20, -0.04, 0.9999 * log(1.02) / (t * scale), &options).verdict, VERDICT_MAINTAINED);
    assert_int_equal(find(20, -0.04, 1.0001 * log(1.02) / (t * scale), &options).verdict,
                     VERDICT_UNDECIDABLE);
    // Narrow, but on the threshold: neither.
    finding = find(20, 0.028, 0.01, &options);
    assert_int_equal(finding.verdict, VERDICT_UNDECIDABLE);
    assert_int_equal(finding.reason, REASON_SLOWER_UNPROVEN);
}

static double p_above(const struct rounds_finding *finding) {
    return student_t_sf(finding->stats.mean / finding->stats.se, (double)finding->stats.count - 1);
}

// A change that one suite in fifty of unchanged problems would show by chance is not called a regression.
static void the_family_is_under_control(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    struct rounds_finding finding;
    finding = find(20, 0.08, 0.095, &options);
    assert_true(finding.interval.lo > log(1.0225) && finding.stats.mean > log(1.03));
    assert_int_equal(finding.verdict, VERDICT_UNDECIDABLE);
    assert_int_equal(finding.reason, REASON_TOO_NOISY);
    assert_true(fabs(finding.problem_p - 4 * p_above(&finding)) < 1e-9);
    assert_true(fabs(finding.family_p - 27 * finding.problem_p) < 1e-9);
    assert_true(finding.family_p > ROUNDS_FAMILY_FALSE_RATIO);
    options.family_count = 1000;
    assert_true(find(20, 0.08, 0.095, &options).family_p == 1);
    options.family_count = 27;
    // However wide the spread, ten times slower is slower.
    assert_int_equal(find(5, 9, 0.1, &options).verdict, VERDICT_REGRESSION);
}

// One problem alone has the promise of one among many: a regression needs p <= 0.001, whatever its interval.
static void one_problem_is_under_control(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    options.family_count = 1;
    struct rounds_finding finding = find(20, 0.08, 0.095, &options);
    assert_true(finding.interval.lo > log(1.0225) && finding.stats.mean > log(1.03));
    assert_int_equal(finding.verdict, VERDICT_UNDECIDABLE);
    assert_true(finding.family_p < ROUNDS_FAMILY_FALSE_RATIO * 2 && finding.family_p == finding.problem_p);
    assert_true(finding.problem_p > ROUNDS_PROBLEM_FALSE_RATIO);
    assert_int_equal(find(20, 0.12, 0.095, &options).verdict, VERDICT_REGRESSION);
}

// The limit lies where both ratios say, looks and problems counted.
static void the_limit_is_exact(void **state) {
    (void)state;
    assert_true(rounds_call_p(1, 1) == ROUNDS_PROBLEM_FALSE_RATIO);
    assert_true(rounds_call_p(4, 1) == ROUNDS_PROBLEM_FALSE_RATIO / 4);
    assert_true(rounds_call_p(1, 20) == ROUNDS_PROBLEM_FALSE_RATIO); // 20 x 0.001: both at once
    assert_true(fabs(rounds_call_p(4, 27) - 0.02 / 108) < 1e-18);
    struct rounds_options options = defaults();
    for (size_t family = 1; family <= 1000; family *= 10) {
        for (size_t fixed = 0; fixed <= 20; fixed += 20) {
            options.family_count = family;
            options.fixed_round_count = fixed;
            double t = -student_t_quantile(rounds_call_p(fixed ? 1 : 4, family), 19), sd = 0.1;
            double limit =
                t * sd * sqrt(20.0 / 19 * 16.0 / 20) / sqrt(20); // the pattern four times: sd by 19
            assert_int_equal(find(20, expm1(1.0001 * limit), sd, &options).verdict, VERDICT_REGRESSION);
            assert_int_not_equal(find(20, expm1(0.9999 * limit), sd, &options).verdict, VERDICT_REGRESSION);
        }
    }
}

// An improvement needs the same evidence as a regression: with --expect improvement a false one would pass.
static void a_claim_is_held_to_the_family_too(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    struct rounds_finding finding = find(20, -0.26, 0.3655, &options);
    assert_true(finding.interval.hi < log(0.91) && finding.stats.mean < log1p(-0.10) &&
                finding.cliffs_delta < -0.3);
    assert_true(finding.family_p > ROUNDS_FAMILY_FALSE_RATIO);
    assert_int_equal(finding.verdict, VERDICT_UNDECIDABLE);
    assert_int_equal(find(20, -0.50, 0.3655, &options).verdict,
                     VERDICT_IMPROVEMENT); // too clear to be chance
    options.family_count = 1;
    assert_int_equal(find(20, -0.28, 0.3655, &options).verdict, VERDICT_IMPROVEMENT);
}

// A fixed number below ten may clear, and calls nothing that is not beyond 25 %.
static void few_fixed_rounds_accuse_nobody(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    options.fixed_round_count = 5;
    assert_int_equal(find(5, 0, 0.005, &options).verdict, VERDICT_MAINTAINED);
    struct rounds_finding finding = find(5, 0.10, 0.001, &options);
    assert_int_equal(finding.verdict, VERDICT_UNDECIDABLE);
    assert_int_equal(finding.reason, REASON_SLOWER_UNPROVEN);
    assert_int_equal(find(5, 0.50, 0.009, &options).verdict, VERDICT_REGRESSION);
    options.fixed_round_count = 10;
    assert_int_equal(find(10, 0.04, 0.009, &options).verdict, VERDICT_REGRESSION);
}

// Ten rounds that are 3.2 % slower and happen to lie close together: many problems have such ten.
static void rounds_that_happen_to_agree_accuse_no_family(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    struct rounds_finding finding = find(10, 0.032, 0.025, &options);
    assert_true(finding.interval.lo > 0 && finding.stats.mean > log1p(0.03));
    assert_true(finding.family_p == 0); // of the rounds there are, which no look has judged
    assert_int_equal(finding.verdict, VERDICT_NONE);
    assert_int_equal(find(10, 0.05, 0.025, &options).verdict, VERDICT_REGRESSION); // clear by itself
}

// The same ratio in every round, but the rounds themselves spread more: as a gain of 20 % is `steps` times
// what one round is slower than the one before, delta stays small.
static struct rounds_finding find_among_spread(size_t rounds, double steps) {
    struct rounds_options options = defaults();
    struct rounds_finding finding;
    double base[20], cand[20];
    options.fixed_round_count = (uint32_t)rounds;
    for (size_t r = 0; r < rounds; ++r) {
        base[r] = 1e6 * exp(-log(0.8) / steps * (double)r);
        cand[r] = base[r] * 0.8 * exp(0.001 * pattern[r % 5]);
    }
    const struct rounds_pairs pairs = {.base_ns = base, .cand_ns = cand};
    assert_int_equal(rounds_find(&pairs, NULL, rounds, &options, &finding), 0);
    return finding;
}

static void an_improvement_needs_an_effect(void **state) {
    (void)state;
    // Of n rounds (n - 3) (n - 2) pairs are slower, with 2.5 steps; all others are faster.
    struct rounds_finding finding = find_among_spread(16, 2.5);
    assert_true(fabs(finding.cliffs_delta - (13.0 * 14 / 256 - 1)) < 1e-9); // -0.289
    assert_int_equal(finding.verdict, VERDICT_MAINTAINED);
    assert_int_equal(finding.reason, REASON_FASTER_IN_BAND);
    finding = find_among_spread(15, 2.5);
    assert_true(fabs(finding.cliffs_delta - (12.0 * 13 / 225 - 1)) < 1e-9); // -0.307
    assert_int_equal(finding.verdict, VERDICT_IMPROVEMENT);
}

static void an_expected_improvement_is_given_its_looks(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    assert_int_equal(find(5, -0.09, 0.01, &options).verdict, VERDICT_MAINTAINED);
    options.spec.expects_improvement = true;
    assert_int_equal(find(5, -0.105, 0.01, &options).verdict, VERDICT_NONE);
    assert_int_equal(find(10, -0.105, 0.01, &options).verdict, VERDICT_NONE);
    assert_int_equal(find(10, -0.12, 0.01, &options).verdict, VERDICT_IMPROVEMENT);
    assert_int_equal(find(20, -0.09, 0.02, &options).verdict, VERDICT_MAINTAINED);
}

// Nothing is called before the last look where rounds seem to depend on each other, but what is far beyond;
// an unchanged kernel is cleared at once.
static void signs_of_dependence_ask_for_all_rounds(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    options.has_signs[1] = options.has_signs[2] = options.has_signs[3] = true;
    assert_int_equal(find(5, 0, 0.005, &options).verdict, VERDICT_MAINTAINED);
    assert_int_equal(find(10, 0.06, 0.005, &options).verdict, VERDICT_NONE);
    assert_int_equal(find(15, -0.14, 0.005, &options).verdict, VERDICT_NONE);
    assert_int_equal(find(10, 0.30, 0.005, &options).verdict, VERDICT_REGRESSION);
    assert_int_equal(find(20, 0.06, 0.005, &options).look_count, 20);
    assert_int_equal(find(20, 0.06, 0.005, &options).verdict, VERDICT_REGRESSION);
    assert_int_equal(find(20, -0.14, 0.005, &options).verdict, VERDICT_IMPROVEMENT);
    options.has_signs[2] = false; // gone again
    assert_int_equal(find(15, 0.06, 0.005, &options).verdict, VERDICT_REGRESSION);
}

static void a_look_at_three_clears_and_calls_nothing(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    options.looks_at_three = true;
    struct rounds_finding finding = find(3, 0, 0.001, &options);
    assert_int_equal(finding.verdict, VERDICT_MAINTAINED);
    assert_int_equal(finding.look_count, 3);
    assert_true(finding.alpha == 0.0158);
    assert_int_equal(find(3, 0, 0.02, &options).verdict, VERDICT_NONE);
    assert_int_equal(find(3, 0.5, 0.0001, &options).verdict, VERDICT_NONE);
    assert_int_equal(find(3, -0.5, 0.0001, &options).verdict, VERDICT_NONE);
    finding = find(5, 0.5, 0.001, &options);
    assert_int_equal(finding.verdict, VERDICT_REGRESSION);
    assert_true(finding.alpha == 0.0145);
    assert_int_equal(rounds_looks_of(&options).count, 5);
    options.looks_at_three = false;
    assert_int_equal(find(3, 0, 0.001, &options).verdict, VERDICT_NONE);
}

static void a_fixed_number_of_rounds_uses_plain_intervals(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    options.fixed_round_count = 8;
    assert_int_equal(find(7, 0, 0.003, &options).verdict, VERDICT_NONE);
    struct rounds_finding finding = find(8, 0, 0.003, &options);
    assert_int_equal(finding.verdict, VERDICT_MAINTAINED);
    assert_true(finding.alpha == 0.05);
    assert_int_equal(find(8, 0.4, 0.003, &options).verdict, VERDICT_REGRESSION);
    // Cut by the time limit it is open, however clear: resumed, it would be looked at twice.
    options.is_final = true;
    for (size_t rounds = 0; rounds < 8; ++rounds) {
        finding = find(rounds, 0.4, 0.003, &options);
        assert_int_equal(finding.verdict, VERDICT_UNDECIDABLE);
        assert_int_equal(finding.reason, REASON_TOO_FEW_ROUNDS);
        assert_int_equal(finding.look_count, rounds);
    }
    assert_int_equal(find(8, 0.4, 0.003, &options).verdict, VERDICT_REGRESSION);
}

static void rounds_that_agree_exactly_are_certain(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    assert_int_equal(find(5, 0, 0, &options).verdict, VERDICT_MAINTAINED);
    assert_int_equal(find(10, 0.1, 0, &options).verdict, VERDICT_REGRESSION);
}

static void times_that_are_no_times_are_refused(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    struct rounds_finding finding;
    double base[5] = {1, 1, 1, 1, 1}, cand[5] = {1, 1, NAN, 1, 1};
    assert_int_equal(
        rounds_find(&(struct rounds_pairs){.base_ns = base, .cand_ns = cand}, NULL, 5, &options, &finding),
        -1);
    cand[2] = 0;
    assert_int_equal(
        rounds_find(&(struct rounds_pairs){.base_ns = base, .cand_ns = cand}, NULL, 5, &options, &finding),
        -1);
}

// ---- two clocks ----

// What the kernels' processes say, and what the judge's clock says of the same rounds.
static struct rounds_finding find_judged(size_t rounds, double stated, double judged, double sd,
                                         const struct rounds_options *options) {
    double base[64], cand[64], judge_base[64], judge_cand[64];
    struct rounds_finding finding;
    for (size_t r = 0; r < rounds; ++r) {
        const double noise = sd * pattern[r % 5];
        base[r] = 1e6;
        judge_base[r] = 1.01e6; // an exchange costs both sides alike
        cand[r] = base[r] * exp(log1p(stated) + noise);
        judge_cand[r] = judge_base[r] * exp(log1p(judged) + noise);
    }
    const struct rounds_pairs said = {.base_ns = base, .cand_ns = cand},
                              judge = {.base_ns = judge_base, .cand_ns = judge_cand};
    assert_int_equal(rounds_find(&said, &judge, rounds, options, &finding), 0);
    return finding;
}

static void an_improvement_that_the_judge_sees_stands(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    struct rounds_finding finding = find_judged(10, -0.20, -0.18, 0.005, &options);
    assert_int_equal(finding.verdict, VERDICT_IMPROVEMENT);
    assert_int_equal(finding.reason, REASON_FASTER_PROVEN);
    assert_true(fabs(finding.stats.mean - log1p(-0.20)) < 1e-12); // the figures are the processes'
}

static void an_improvement_that_the_judge_does_not_see_is_none(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    static const double judged[] = {0, -0.05, 0.2};
    for (size_t i = 0; i < sizeof judged / sizeof *judged; ++i) {
        assert_int_equal(find_judged(10, -0.20, judged[i], 0.005, &options).verdict, VERDICT_NONE);
        assert_int_equal(find_judged(15, -0.20, judged[i], 0.005, &options).verdict, VERDICT_NONE);
        struct rounds_finding finding = find_judged(20, -0.20, judged[i], 0.005, &options);
        assert_int_equal(finding.verdict, VERDICT_UNDECIDABLE);
        assert_int_equal(finding.reason, REASON_UNCONFIRMED);
        assert_int_equal(finding.look_count, 20);
    }
    options.fixed_round_count = 12; // one look, which is the last
    assert_int_equal(find_judged(12, -0.20, 0, 0.005, &options).reason, REASON_UNCONFIRMED);
}

// "No slower" is a promise too. It needs no more of the judge than that.
static void maintained_needs_the_judge_too(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    assert_int_equal(find_judged(5, 0, 0, 0.005, &options).verdict, VERDICT_MAINTAINED);
    assert_int_equal(find_judged(5, 0, 0.01, 0.002, &options).verdict, VERDICT_MAINTAINED);
    assert_int_equal(find_judged(10, 0, -0.20, 0.005, &options).verdict, VERDICT_MAINTAINED);
    assert_int_equal(find_judged(5, 0, 0.10, 0.005, &options).verdict, VERDICT_NONE);
    struct rounds_finding finding = find_judged(20, 0, 0.10, 0.005, &options);
    assert_int_equal(finding.verdict, VERDICT_UNDECIDABLE);
    assert_int_equal(finding.reason, REASON_UNCONFIRMED);
}

// Nobody lies to look slower, and the judge's clock is the coarser one.
static void a_regression_needs_no_confirmation(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    static const double judged[] = {0.10, 0, -0.20};
    for (size_t i = 0; i < sizeof judged / sizeof *judged; ++i) {
        struct rounds_finding finding = find_judged(10, 0.10, judged[i], 0.005, &options);
        assert_int_equal(finding.verdict, VERDICT_REGRESSION);
        assert_int_equal(finding.reason, REASON_SLOWER_PROVEN);
    }
}

// A look that the judge's clock is too noisy to confirm is followed by another one.
static void a_later_look_may_confirm(void **state) {
    (void)state;
    struct rounds_options options = defaults();
    struct rounds_finding finding;
    double base[10], cand[10], judge[10];
    for (size_t r = 0; r < 10; ++r) {
        base[r] = 1e6;
        cand[r] = 0.8e6 * exp(0.005 * pattern[r % 5]);
        judge[r] = 0.8e6 * exp(0.08 * pattern[r % 5]);
    }
    const struct rounds_pairs said = {.base_ns = base, .cand_ns = cand},
                              seen = {.base_ns = base, .cand_ns = judge};
    assert_int_equal(rounds_find(&said, &seen, 5, &options, &finding), 0);
    assert_int_equal(finding.verdict, VERDICT_NONE);
    assert_int_equal(rounds_find(&said, &seen, 10, &options, &finding), 0);
    assert_int_equal(finding.verdict, VERDICT_IMPROVEMENT);
    assert_int_equal(finding.look_count, 10);
    judge[3] = NAN; // a round that the judge did not time
    assert_int_equal(rounds_find(&said, &seen, 10, &options, &finding), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positive_is_slower),
        cmocka_unit_test(an_unchanged_kernel_is_maintained_at_the_first_look),
        cmocka_unit_test(fewer_than_five_rounds_decide_nothing),
        cmocka_unit_test(nothing_is_called_before_ten_rounds),
        cmocka_unit_test(a_call_says_by_how_much_at_least),
        cmocka_unit_test(exactly_the_threshold_is_in_the_band),
        cmocka_unit_test(pairs_decide_where_they_are_given),
        cmocka_unit_test(the_first_decision_stands),
        cmocka_unit_test(between_looks_nothing_is_decided),
        cmocka_unit_test(a_wide_interval_is_undecidable_not_fine),
        cmocka_unit_test(the_family_is_under_control),
        cmocka_unit_test(one_problem_is_under_control),
        cmocka_unit_test(the_limit_is_exact),
        cmocka_unit_test(a_claim_is_held_to_the_family_too),
        cmocka_unit_test(few_fixed_rounds_accuse_nobody),
        cmocka_unit_test(rounds_that_happen_to_agree_accuse_no_family),
        cmocka_unit_test(an_improvement_needs_an_effect),
        cmocka_unit_test(an_expected_improvement_is_given_its_looks),
        cmocka_unit_test(signs_of_dependence_ask_for_all_rounds),
        cmocka_unit_test(a_look_at_three_clears_and_calls_nothing),
        cmocka_unit_test(a_fixed_number_of_rounds_uses_plain_intervals),
        cmocka_unit_test(rounds_that_agree_exactly_are_certain),
        cmocka_unit_test(times_that_are_no_times_are_refused),
        cmocka_unit_test(an_improvement_that_the_judge_sees_stands),
        cmocka_unit_test(an_improvement_that_the_judge_does_not_see_is_none),
        cmocka_unit_test(maintained_needs_the_judge_too),
        cmocka_unit_test(a_regression_needs_no_confirmation),
        cmocka_unit_test(a_later_look_may_confirm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
