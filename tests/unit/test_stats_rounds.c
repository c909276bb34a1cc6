// SPDX-License-Identifier: Apache-2.0
//
// Student's t, the statistics of rounds, Wilcoxon's limits and Holm's adjustment agree with SciPy.
#include <errno.h>

#include "stats/chi_square.h"
#include "stats/float_order.h"
#include "stats/hodges_lehmann.h"
#include "stats/round_stats.h"
#include "stats/student_t.h"
#include "test_stats_golden.h"

// The golden t quantiles are SciPy 1.10's (Cephes stdtrit), which are off by up to 2.6e-9 relative: held
// against 40-digit arithmetic below. So they, and the interval ends made from them, get this tolerance; ours
// must match the true ones.
#define GOLDEN_REL_T 3e-9

static void check_interval(const char *name, const json_t *set, const struct round_stats *rs, int percent) {
    double alpha = (100 - percent) / 100.0;
    struct interval got = round_stats_interval(rs, alpha);
    char key[32];

    snprintf(key, sizeof key, "t_quantile_%d", percent);
    expect_rel(name, key, student_t_quantile(1.0 - 0.5 * alpha, (double)(rs->count - 1)),
               golden_number(set, key), GOLDEN_REL_T);
    snprintf(key, sizeof key, "t_ci_%d", percent);
    double slack = GOLDEN_REL_T * round_stats_half_width(rs, alpha) + GOLDEN_REL * fabs(rs->mean);
    if (!(fabs(got.lo - golden_at(set, key, 0)) <= slack)) fail_msg("%s: %s lo is %.17g", name, key, got.lo);
    if (!(fabs(got.hi - golden_at(set, key, 1)) <= slack)) fail_msg("%s: %s hi is %.17g", name, key, got.hi);
}

static void check_wilcoxon(const char *name, const json_t *set, double *d, size_t n) {
    const json_t *ci = golden_get(set, "wilcoxon_ci95");
    struct hodges_lehmann hl;

    float_order_sort(d, n);
    assert_int_equal(hodges_lehmann_walsh(d, n, 0.95, &hl), 0);
    expect_rel(name, "hl_walsh", hl.estimate, golden_number(set, "hl_walsh"), GOLDEN_REL);
    assert_int_equal(hl.k, golden_count(set, "wilcoxon_k"));
    if (json_is_null(ci)) {
        assert_true(isnan(hl.limits.lo) && isnan(hl.limits.hi));
    } else {
        expect_exact(name, "wilcoxon lo", hl.limits.lo, golden_at(set, "wilcoxon_ci95", 0));
        expect_exact(name, "wilcoxon hi", hl.limits.hi, golden_at(set, "wilcoxon_ci95", 1));
    }
}

static void test_golden_rounds(void **state) {
    (void)state;
    static const char *const known[] = {"name",
                                        "log_ratio",
                                        "mean",
                                        "sd",
                                        "se",
                                        "t_ci_90",
                                        "t_quantile_90",
                                        "t_ci_95",
                                        "t_quantile_95",
                                        "t_ci_99",
                                        "t_quantile_99",
                                        "p_two_sided_t",
                                        "p_noninferior_3pct",
                                        "p_tost_pm3pct",
                                        "p_superior_3pct",
                                        "hl_walsh",
                                        "wilcoxon_k",
                                        "wilcoxon_ci95",
                                        "wilcoxon_p_exact"};
    json_t *root = golden_load();
    const json_t *sets = golden_get(root, "rounds");
    double margin = log(1.03);

    assert_int_equal(json_array_size(sets), 9);
    for (size_t i = 0; i < json_array_size(sets); ++i) {
        const json_t *set = json_array_get(sets, i);
        const char *name = golden_name(set);
        struct round_stats rs;
        size_t n = 0;
        double *d = golden_numbers(golden_get(set, "log_ratio"), &n);

        expect_known_keys(set, known, sizeof known / sizeof known[0]);
        assert_int_equal(round_stats_get(d, n, &rs), 0);
        expect_rel(name, "mean", rs.mean, golden_number(set, "mean"), GOLDEN_REL);
        expect_rel(name, "sd", rs.sd, golden_number(set, "sd"), GOLDEN_REL);
        expect_rel(name, "se", rs.se, golden_number(set, "se"), GOLDEN_REL);
        check_interval(name, set, &rs, 90);
        check_interval(name, set, &rs, 95);
        check_interval(name, set, &rs, 99);
        expect_rel(name, "p two-sided", round_stats_p_two_sided(&rs), golden_number(set, "p_two_sided_t"),
                   GOLDEN_REL_P);
        expect_rel(name, "p noninferior", round_stats_p_below(&rs, margin),
                   golden_number(set, "p_noninferior_3pct"), GOLDEN_REL_P);
        expect_rel(name, "p superior", round_stats_p_above(&rs, margin),
                   golden_number(set, "p_superior_3pct"), GOLDEN_REL_P);
        check_wilcoxon(name, set, d, n);
        free(d);
    }
    json_decref(root);
}

// df, p, t to 18 digits from mpmath 1.2 (40 digits), for the very doubles p.
static const double true_quantiles[][3] = {
    {1, 0.9, 3.07768353717525413},    {1, 0.95, 6.3137515146750374},    {1, 0.975, 12.7062047361746933},
    {1, 0.99, 31.8205159537739298},   {1, 0.995, 63.6567411628715244},  {2, 0.9, 1.88561808316412702},
    {2, 0.95, 2.91998558035372417},   {2, 0.975, 4.30265272974946179},  {2, 0.99, 6.964556734283271},
    {2, 0.995, 9.92484320091828864},  {3, 0.9, 1.63774435369621032},    {3, 0.95, 2.3533634348018229},
    {3, 0.975, 3.18244630528370844},  {3, 0.99, 4.54070285856813206},   {3, 0.995, 5.84090930973335541},
    {4, 0.9, 1.5332062740589441},     {4, 0.95, 2.13184678632664953},   {4, 0.975, 2.77644510519779349},
    {4, 0.99, 3.74694738797919581},   {4, 0.995, 4.60409487134999205},  {5, 0.9, 1.47588404882448125},
    {5, 0.95, 2.01504837333302354},   {5, 0.975, 2.57058183563631478},  {5, 0.99, 3.36492999890721778},
    {5, 0.995, 4.03214298355522718},  {7, 0.9, 1.41492392765050864},    {7, 0.95, 1.89457860509000679},
    {7, 0.975, 2.36462425159278474},  {7, 0.99, 2.99795156686852781},   {7, 0.995, 3.49948329735049326},
    {9, 0.9, 1.38302873839663246},    {9, 0.95, 1.83311293265623661},   {9, 0.975, 2.262157162798205},
    {9, 0.99, 2.82143792502580822},   {9, 0.995, 3.24983554159212572},  {10, 0.9, 1.37218364111033577},
    {10, 0.95, 1.81246112281167587},  {10, 0.975, 2.22813885198627422}, {10, 0.99, 2.76376945811269568},
    {10, 0.995, 3.16927267261695071}, {14, 0.9, 1.34503037445465075},   {14, 0.95, 1.76131013577489158},
    {14, 0.975, 2.14478668791780335}, {14, 0.99, 2.62449406759005144},  {14, 0.995, 2.97684273437083428},
    {19, 0.9, 1.32772820902679849},   {19, 0.95, 1.72913281152136903},  {19, 0.975, 2.09302405440830932},
    {19, 0.99, 2.5394831906239622},   {19, 0.995, 2.86093460646497879}, {29, 0.9, 1.3114336473015512},
    {29, 0.95, 1.69912702653349728},  {29, 0.975, 2.04522964213270387}, {29, 0.99, 2.46202136015041197},
    {29, 0.995, 2.75638590367060512}, {49, 0.9, 1.29906878474774988},   {49, 0.95, 1.67655089261685347},
    {49, 0.975, 2.00957523712923927}, {49, 0.99, 2.40489175953766815},  {49, 0.995, 2.6799519736315517},
    {99, 0.9, 1.29016144203448531},   {99, 0.95, 1.66039115601699046},  {99, 0.975, 1.9842169515864171},
    {99, 0.99, 2.36460586178694304},  {99, 0.995, 2.62640545728082718},
};

static void test_golden_quantiles(void **state) {
    (void)state;
    json_t *root = golden_load();
    const json_t *quantiles = golden_get(root, "t_quantiles");
    size_t count = sizeof true_quantiles / sizeof true_quantiles[0];

    assert_int_equal(json_array_size(quantiles), count);
    for (size_t i = 0; i < count; ++i) {
        const json_t *q = json_array_get(quantiles, i);
        double df = golden_number(q, "df");
        double p = golden_number(q, "p");
        double t = true_quantiles[i][2];

        assert_true(df == true_quantiles[i][0] && p == true_quantiles[i][1]);
        expect_rel("t_quantiles", "golden", student_t_quantile(p, df), golden_number(q, "t"), GOLDEN_REL_T);
        expect_rel("t_quantiles", "t", student_t_quantile(p, df), t, GOLDEN_REL);
        expect_rel("t_quantiles", "-t", student_t_quantile(1.0 - p, df), -t, GOLDEN_REL);
        expect_rel("t_quantiles", "p", student_t_cdf(t, df), p, GOLDEN_REL);
    }
    json_decref(root);
}

static void test_golden_multiplicity(void **state) {
    (void)state;
    json_t *root = golden_load();
    const json_t *sets = golden_get(root, "multiplicity");

    assert_int_equal(json_array_size(sets), 4);
    for (size_t i = 0; i < json_array_size(sets); ++i) {
        const json_t *set = json_array_get(sets, i);
        double adjusted[64];
        size_t n = 0;
        double *p = golden_numbers(golden_get(set, "p"), &n);

        assert_true(n <= 64);
        assert_int_equal(holm_adjust(p, n, adjusted), 0);
        for (size_t k = 0; k < n; ++k)
            expect_rel(golden_name(set), "holm", adjusted[k], golden_at(set, "holm", k), GOLDEN_REL);
        assert_int_equal(holm_adjust(p, n, p), 0); // in place
        assert_memory_equal(p, adjusted, n * sizeof *p);
        free(p);
    }
    json_decref(root);
}

// Beyond the golden file: mpmath, 40 digits.
static void test_student_t(void **state) {
    (void)state;
    const double sf[][3] = {{0.5, 1, 0.3524163823495668},
                            {2.5, 3.5, 0.037847321904745025},
                            {30, 4, 3.6764280488306617e-06},
                            {40, 19, 4.1538785996692514e-20},
                            {1e-3, 7, 0.4996150086224994},
                            {1.5, 250, 0.06743809535367143},
                            {1e10, 4, 3e-40},
                            {3, 1e4, 0.00135322409499883314}};
    const double quantiles[][3] = {{1e-12, 3, -10331.1082442924862},
                                   {0.0091, 4, -3.85659302782206921},
                                   {0.3, 2.5, -0.597307738252317495},
                                   {0.9999, 250, 3.77491279061819948}};
    const double normal[][2] = {{0.975, 1.959963984540054},
                                {1e-20, -9.262340089798409},
                                {0.3, -0.5244005127080409},
                                {1.0 - 0.0091, 2.3615238743101443}};

    for (size_t i = 0; i < sizeof sf / sizeof sf[0]; ++i) {
        expect_rel("student_t", "sf", student_t_sf(sf[i][0], sf[i][1]), sf[i][2], GOLDEN_REL);
        expect_rel("student_t", "cdf", student_t_cdf(-sf[i][0], sf[i][1]), sf[i][2], GOLDEN_REL);
    }
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; ++i)
        expect_rel("student_t", "quantile", student_t_quantile(quantiles[i][0], quantiles[i][1]),
                   quantiles[i][2], GOLDEN_REL);
    for (size_t i = 0; i < sizeof normal / sizeof normal[0]; ++i)
        expect_rel("normal", "quantile", normal_quantile(normal[i][0]), normal[i][1], 1e-14);
    expect_rel("student_t", "normal limit", student_t_sf(2.0, 1e17), normal_sf(2.0), 1e-14);
    expect_rel("student_t", "Cauchy far out", student_t_sf(1e200, 1.0), 1e-200 / acos(-1.0), 1e-12);
    assert_true(student_t_quantile(0.5, 3.0) == 0.0 && normal_quantile(0.5) == 0.0);
    assert_true(normal_sf(0.0) == 0.5 && student_t_cdf(0.0, 2.0) == 0.5);
    assert_true(student_t_cdf(INFINITY, 3.0) == 1.0 && student_t_sf(INFINITY, 3.0) == 0.0);
    assert_true(student_t_quantile(0.0, 3.0) == -INFINITY && normal_quantile(1.0) == INFINITY);
    assert_true(isnan(student_t_cdf(NAN, 3.0)) && isnan(student_t_cdf(1.0, 0.0)) &&
                isnan(student_t_cdf(1.0, NAN)));
    assert_true(isnan(student_t_quantile(1.1, 3.0)) && isnan(student_t_quantile(NAN, 3.0)));
    assert_true(isnan(normal_quantile(-0.1)) && isnan(normal_quantile(NAN)));
}

static void test_round_trip(void **state) {
    (void)state;
    for (double df = 1.0; df < 3e5; df *= 1.7)
        for (double q = 1e-15; q < 0.5; q *= 3.1)
            expect_rel("student_t", "sf(quantile)", student_t_sf(-student_t_quantile(q, df), df), q, 1e-11);
}

// More of them than are remembered: what is asked again is what was answered, and of no other level.
static void test_quantiles_asked_again(void **state) {
    enum { DFS = 40, LEVELS = 50 };
    double first[DFS][LEVELS];
    (void)state;
    for (int turn = 0; turn < 2; ++turn)
        for (int df = 1; df <= DFS; ++df)
            for (int i = 0; i < LEVELS; ++i) {
                const double p = 0.0005 * (i + 1), t = student_t_quantile(p, df);

                if (turn == 0) first[df - 1][i] = t;
                expect_exact("asked again", "quantile", t, first[df - 1][i]);
                expect_rel("asked again", "tail", student_t_cdf(t, df), p, 1e-12);
            }
}

// The quantile stops at a step whose square is below the last bit: what is left is the tail's own error, as
// it was with steps down to 1e-15 (largest here: 1.5e-13 then, 1.1e-13 now, near df = 1000).
static void test_round_trip_of_a_dense_grid(void **state) {
    (void)state;
    for (double df = 0.5; df < 1e3; df = df < 30.0 ? df + 0.5 : 1.05 * df)
        for (double q = 1e-15; q < 0.4999; q *= 1.07)
            expect_rel("student_t", "dense", student_t_cdf(student_t_quantile(q, df), df), q, 2e-13);
    for (double df = 1.0; df < 1e3; df *= 1.3)
        for (double far = 0.01; far > 1e-9; far *= 0.8) // from one half, where t is small
            expect_rel("student_t", "middle", student_t_cdf(student_t_quantile(0.5 - far, df), df), 0.5 - far,
                       5e-16);
}

// P(X > x) on an even number of degrees, a finite sum.
static double chi_square_tail(double x, size_t df) {
    double term = exp(-0.5 * x), sum = 0.0;

    for (size_t k = 0; k < df / 2; ++k) {
        sum += term;
        term *= 0.5 * x / (double)(k + 1);
    }
    return sum;
}

// scipy.stats.chi2.ppf: df, p, quantile.
static void test_chi_square(void **state) {
    (void)state;
    const double exact[][3] = {
        {1, 0.05, 0.003932140000019522}, {4, 0.01, 0.2971094805065319}, {4, 0.05, 0.7107230213973239},
        {4, 0.95, 9.487729036781154},    {4, 0.99, 13.276704135987622}, {5, 0.05, 1.1454762260617692},
        {9, 0.05, 3.325112843066815},    {14, 0.05, 6.57063138378934},  {19, 0.05, 10.117013063859044},
        {19, 0.5, 18.337652896756474},   {49, 0.05, 33.93030561852784}, {99, 0.05, 77.04633186376029},
        {499, 0.05, 448.19882158627},    {999, 0.05, 926.6311609204329}};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; ++i)
        expect_rel("chi square", "SciPy", chi_square_quantile(exact[i][1], exact[i][0]), exact[i][2], 1e-13);
    expect_rel("chi square", "factor", chi_square_sd_factor(0.95, 4.0), 2.372355691409756, 1e-13);
    const double levels[] = {1e-10, 0.001, 0.05, 0.3, 0.5, 0.9, 0.999};
    for (size_t df = 2; df <= 400; df += 2)
        for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i) {
            double x = chi_square_quantile(levels[i], (double)df);
            expect_rel("chi square", "back", chi_square_cdf(x, (double)df), levels[i], 1e-12);
            expect_rel("chi square", "finite sum", chi_square_tail(x, df), 1.0 - levels[i], 1e-12);
        }
    for (double df = 1.0; df < 1000.0; df += 1.0) // more rounds know better
        assert_true(chi_square_sd_factor(0.95, df + 1.0) < chi_square_sd_factor(0.95, df));
    // Far out on many degrees the normal distribution takes over.
    expect_rel("chi square", "many", chi_square_quantile(0.05, 1e5),
               1e5 - 1.6448536269514722 * sqrt(2e5) + 1.137, 1e-7);
    assert_true(chi_square_cdf(0.0, 4.0) == 0.0 && chi_square_cdf(INFINITY, 4.0) == 1.0);
    assert_true(isnan(chi_square_quantile(0.05, 0.0)) && isnan(chi_square_quantile(0.05, NAN)));
    assert_true(isnan(chi_square_quantile(0.0, 9.0)) && isnan(chi_square_quantile(1.0, 9.0)));
    assert_true(isnan(chi_square_sd_factor(NAN, 9.0)) && isnan(chi_square_cdf(-1.0, 9.0)));
}

static void test_log_to_pct(void **state) {
    (void)state;
    expect_rel("log", "3 %", log_to_pct(log(1.03)), 3.0, 1e-13);
    expect_rel("log", "-10 %", log_to_pct(log(0.9)), -10.0, 1e-13);
    expect_rel("log", "tiny", log_to_pct(1e-12), 1e-10, 1e-11);
}

// Power of the two-sided one-sample t test when the true mean is `effect` > 0: the probability of a
// significant result in the right direction.
static double t_test_power(double effect, double sd, size_t n, double alpha) {
    double df = (double)(n - 1);
    return student_t_noncentral_sf(student_t_quantile(1.0 - 0.5 * alpha, df), df,
                                   effect / sd * sqrt((double)n));
}

// scipy.stats.nct.
static void test_power(void **state) {
    (void)state;
    const double sf[][4] = {{2.7764451051977987, 4, 4.0, 0.8432963951444645},
                            {2.0930240544082634, 19, 1.0, 0.15629073931148518},
                            {12.706204736432095, 1, 20.0, 0.8833944429256757},
                            {3.0, 9, 0.0, 0.007478181955207111}};
    const double detectable[][3] = {{5, 0.0182, 2.5863337470267798},
                                    {10, 0.05, 1.154565113787612},
                                    {20, 0.0182, 0.8808786334374333},
                                    {2, 0.05, 14.824121319656157}};

    for (size_t i = 0; i < sizeof sf / sizeof sf[0]; ++i)
        expect_rel("noncentral t", "sf", student_t_noncentral_sf(sf[i][0], sf[i][1], sf[i][2]), sf[i][3],
                   1e-9);
    for (size_t i = 0; i < sizeof detectable / sizeof detectable[0]; ++i) {
        size_t n = (size_t)detectable[i][0];
        double effect = student_t_detectable(0.01, n, detectable[i][1], 0.9);

        expect_rel("detectable", "effect", effect, 0.01 * detectable[i][2], 1e-9);
        expect_rel("detectable", "power there", t_test_power(effect, 0.01, n, detectable[i][1]), 0.9, 1e-10);
    }
    assert_true(student_t_detectable(0.0, 5, 0.05, 0.9) == 0.0);
    assert_true(isnan(student_t_detectable(0.01, 1, 0.05, 0.9)));
    assert_true(isnan(student_t_detectable(NAN, 5, 0.05, 0.9)));
    assert_true(isnan(student_t_detectable(0.01, 5, 0.0, 0.9)));
    assert_true(isnan(student_t_detectable(0.01, 5, 0.05, 1.0)));
    assert_true(isnan(student_t_noncentral_sf(NAN, 5.0, 0.0)));
    assert_true(student_t_noncentral_sf(-INFINITY, 5.0, 0.0) == 1.0);
}

static void test_round_stats_edges(void **state) {
    (void)state;
    struct round_stats rs = {0};
    const double same[] = {0.25, 0.25, 0.25};
    const double zero[] = {0.0, 0.0};
    const double slower[] = {0.050, 0.051, 0.049, 0.052, 0.050};
    const double with_nan[] = {0.0, NAN};

    assert_int_equal(round_stats_get(same, 0, &rs), -EINVAL);
    assert_int_equal(round_stats_get(same, 1, &rs), -EINVAL);
    assert_int_equal(round_stats_get(with_nan, 2, &rs), -EINVAL);
    assert_int_equal(round_stats_get(same, 3, &rs), 0);
    assert_true(rs.sd == 0.0 && round_stats_p_two_sided(&rs) == 0.0);
    assert_true(round_stats_p_below(&rs, 0.3) == 0.0 && round_stats_p_above(&rs, 0.3) == 1.0);
    assert_true(round_stats_p_below(&rs, 0.25) == 0.5);
    assert_true(round_stats_half_width(&rs, 0.05) == 0.0 && round_stats_detectable(&rs, 0.05, 0.9) == 0.0);
    assert_int_equal(round_stats_get(zero, 2, &rs), 0);
    assert_true(round_stats_p_two_sided(&rs) == 1.0);
    assert_int_equal(round_stats_get(slower, 5, &rs), 0); // positive is slower
    assert_true(rs.mean > 0.0 && round_stats_interval(&rs, 0.0182).lo > log(1.03));
    assert_true(round_stats_p_above(&rs, log(1.03)) < 0.01 && round_stats_p_below(&rs, log(1.03)) > 0.99);
    assert_true(isnan(round_stats_half_width(&rs, 0.0)) && isnan(round_stats_half_width(&rs, NAN)));
}

static void test_wilcoxon_edges(void **state) {
    (void)state;
    uint64_t k = 99;
    struct hodges_lehmann hl;
    const double ties[] = {1.0, -1.0, 2.0};
    const double with_nan[] = {1.0, NAN};
    // Largest k by the classic table (critical value + 1) at two-sided 5 %.
    const uint64_t table[][2] = {{5, 0}, {6, 1}, {7, 3}, {8, 4}, {9, 6}, {15, 26}, {25, 90}, {30, 138}};

    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
        assert_int_equal(wilcoxon_limit_rank((size_t)table[i][0], 0.95, &k), 0);
        assert_int_equal(k, table[i][1]);
    }
    uint64_t exact = 0;
    assert_int_equal(wilcoxon_limit_rank(WILCOXON_EXACT_MAX, 0.95, &exact), 0);
    assert_int_equal(wilcoxon_limit_rank(WILCOXON_EXACT_MAX + 1, 0.95, &k), 0);
    assert_true(k > exact && k < exact + 120); // the normal form carries on where the exact one stops
    assert_int_equal(wilcoxon_limit_rank(0, 0.95, &k), -EINVAL);
    assert_int_equal(wilcoxon_limit_rank(5, NAN, &k), -EINVAL);
    assert_int_equal(hodges_lehmann_walsh((const double[]){3.0}, 1, 0.95, &hl), 0);
    assert_true(hl.estimate == 3.0 && hl.k == 0 && isnan(hl.limits.lo));
    assert_int_equal(hodges_lehmann_walsh(with_nan, 2, 0.95, &hl), -EINVAL);
    assert_int_equal(hodges_lehmann_walsh(ties, 0, 0.95, &hl), -EINVAL);
}

static void test_multiplicity_edges(void **state) {
    (void)state;
    double out[2] = {-1.0, -1.0};

    assert_int_equal(holm_adjust(NULL, 0, NULL), 0);
    assert_int_equal(holm_adjust((const double[]){0.5, NAN}, 2, out), -EINVAL);
    assert_int_equal(holm_adjust((const double[]){0.5, 1.1}, 2, out), -EINVAL);
    assert_int_equal(holm_adjust((const double[]){-0.1, 0.5}, 2, out), -EINVAL);
    assert_true(out[0] == -1.0 && out[1] == -1.0);
    assert_int_equal(holm_adjust((const double[]){0.04}, 1, out), 0);
    assert_true(out[0] == 0.04);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_rounds),
        cmocka_unit_test(test_golden_quantiles),
        cmocka_unit_test(test_golden_multiplicity),
        cmocka_unit_test(test_student_t),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_round_trip_of_a_dense_grid),
        cmocka_unit_test(test_quantiles_asked_again),
        cmocka_unit_test(test_chi_square),
        cmocka_unit_test(test_log_to_pct),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_round_stats_edges),
        cmocka_unit_test(test_wilcoxon_edges),
        cmocka_unit_test(test_multiplicity_edges),
    };

    return cmocka_run_group_tests_name("stats rounds", tests, NULL, NULL);
}
