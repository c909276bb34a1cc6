// SPDX-License-Identifier: Apache-2.0
//
// Which ceilings limit a problem: those of its type and unit, at the clock of the run; what a rate above one
// leads to, and what is said of their age.
#include "unit/made_result.h"
#include "verdict/classic/classic.h"
#include "verdict/problem_ceilings.h"
#include "verdict/summary.h"

#define BF16 "attention/bf16/b8/h16/s2048/d64"

static struct ceiling ceilings[] = {
    {"fp32_fma_gflop_per_s", "cool", 6e4, 1.9e9, NULL, "2026-11-18T12:00:00Z"},
    {"bf16_matrix_gflop_per_s", "cool", 9e5, 1.8e9, NULL, "2026-11-18T12:00:00Z"},
    {"tf32_matrix_gflop_per_s", "cool", 4.5e5, 1.8e9, NULL, "2026-11-18T12:00:00Z"},
    {"read_gb_per_s", "cool", 4400, 1.9e9, NULL, "2026-11-20T12:00:00Z"},
    {"copy_gb_per_s", "cool", 4200, 1.9e9, NULL, "2026-11-20T12:00:00Z"},
    {"l2_read_gb_per_s", "cool", 9000, 1.9e9, NULL, "2026-11-18T12:00:00Z"},
    {"of_a_later_version", "cool", 1e9, 1.9e9, NULL, "2026-11-18T12:00:00Z"},
};

// A GPU that has run the problem in time_ns at a clock.
static void made_gpu(struct result *result, const char *problem, double time_ns, double clock_hz) {
    made_init(result);
    result->environment.is_accelerator = true;
    result->environment.ceilings = ceilings;
    result->environment.ceiling_count = sizeof ceilings / sizeof *ceilings;
    struct result_case *item = made_case_add(result, "s2048", problem);
    struct result_round *round = made_round_add(result, item, time_ns, time_ns);
    for (size_t side = 0; side < 2; ++side) {
        round->samples[side] = made_samples(result, 40, time_ns, 0.01);
        for (size_t i = 0; i < 40; ++i) round->samples[side].items[i].kernel_clock_hz = clock_hz;
    }
    round->state = device_state_unknown();
}

static void a_problem_has_the_ceilings_of_its_type(void **state) {
    (void)state;
    struct result result;
    made_gpu(&result, BF16, 1e6, NAN);
    struct environment *environment = &result.environment;
    assert_true(problem_ceilings_get(environment, "bf16", NAN).gflop_per_s == 9e5);
    assert_true(problem_ceilings_get(environment, "fp32", NAN).gflop_per_s == 6e4); // not that of tf32
    assert_true(isnan(problem_ceilings_get(environment, "fp16", NAN).gflop_per_s)); // not measured
    assert_true(problem_ceilings_get(environment, "bf16", NAN).gb_per_s == 4400);   // the highest of memory
    environment->is_accelerator = false; // a processor computes it by fp32 multiply-adds
    assert_true(problem_ceilings_get(environment, "bf16", NAN).gflop_per_s == 6e4);
    environment->ceiling_count = 0; // a file of an older version
    environment->ceiling_gflop_per_s = 5;
    assert_true(problem_ceilings_get(environment, "bf16", NAN).gflop_per_s == 5);
    result_fini(&result);
}

static void arithmetic_scales_with_the_clock(void **state) {
    (void)state;
    struct result result;
    made_gpu(&result, BF16, 1e6, 1.2e9);
    const struct problem_ceilings at =
        problem_ceilings_get(&result.environment, result.cases[0].work.dtype, 1.2e9);
    assert_true(fabs(at.gflop_per_s - 9e5 * 1.2 / 1.8) < 1);
    assert_true(at.gb_per_s == 4400);
    struct summary summary;
    assert_int_equal(summary_get(&result, &result.cases[0], 0, &summary), 0);
    assert_true(fabs(summary.figures.ceiling_pct - 100 * summary.figures.gflop_per_s / 6e5) < 1e-6);
    result_fini(&result);
}

// Matrix work over the rate of fp32 multiply-adds would be "178 % of peak": it is a share of the matrix rate.
// A rate that no clock gives is refused, with suspects, by a report and by a comparison.
static void a_rate_above_its_ceiling_is_refused(void **state) {
    (void)state;
    struct result result;
    made_gpu(&result, BF16, 1e6, 1.8e9);
    struct summary summary;
    const double flops = problem_flops(&result.cases[0].problem);
    result_fini(&result);
    made_gpu(&result, BF16, flops / (1.78 * 6e4), 1.8e9);
    assert_int_equal(summary_get(&result, &result.cases[0], 0, &summary), 0);
    assert_true(summary.figures.ceiling_pct < 13 && !summary.is_over_ceiling);
    result_fini(&result);
    made_gpu(&result, BF16, flops / (1.03 * 9e5), 1.8e9);
    assert_int_equal(summary_get(&result, &result.cases[0], 0, &summary), 0);
    assert_true(summary.is_over_ceiling && !summary.is_memory_over);
    const char *sentence = NULL;
    assert_true(warnings_is_invalid(&result.cases[0], 0, &summary, &result.arena, &sentence));
    assert_non_null(strstr(sentence, "sparse matrices"));
    struct classic_options options = classic_options_default();
    struct decision decision;
    struct err err = {0};
    if (verdict_classic((struct classic_side){&result, 0}, (struct classic_side){&result, 1}, &options,
                        &result.arena, &decision, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(decision.cases[0].reason, REASON_ACCOUNTING_ERROR);
    assert_non_null(strstr(decision.cases[0].guard, "suspects"));
    result_fini(&result);
}

static void their_age_is_that_of_the_oldest(void **state) {
    (void)state;
    struct result result;
    made_gpu(&result, BF16, 1e6, NAN); // made at 2026-11-21T12:00:00Z
    assert_string_equal(ceilings_age_text(&result, &result.arena), "measured 3 days before the run");
    result.created_utc = "2026-11-18T15:10:00Z";
    result.environment.ceiling_count = 3; // without those of memory
    assert_string_equal(ceilings_age_text(&result, &result.arena), "measured 3 hours before the run");
    result.created_utc = "2026-11-18T12:10:00Z";
    assert_string_equal(ceilings_age_text(&result, &result.arena), "measured right before the run");
    result.created_utc = "2026-11-18T11:10:00Z";
    assert_string_equal(ceilings_age_text(&result, &result.arena), "measured after the run");
    result.created_utc = "yesterday";
    assert_null(ceilings_age_text(&result, &result.arena));
    result.environment.ceiling_count = 0;
    assert_null(ceilings_age_text(&result, &result.arena));
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_has_the_ceilings_of_its_type),
        cmocka_unit_test(arithmetic_scales_with_the_clock),
        cmocka_unit_test(a_rate_above_its_ceiling_is_refused),
        cmocka_unit_test(their_age_is_that_of_the_oldest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
