// SPDX-License-Identifier: Apache-2.0
//
// Times of the statistics. Without arguments: microseconds of each function, the median of many calls. With
// --work PROBLEMS SAMPLES: milliseconds of one comparison of PROBLEMS problems; for the first of them also
// samples and figures, so that bench/scipy_bench.py can do the same work.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "stats/bootstrap.h"
#include "stats/bootstrap_mt19937.h"
#include "stats/bootstrap_ratio.h"
#include "stats/describe.h"
#include "stats/float_order.h"
#include "stats/hodges_lehmann.h"
#include "stats/rank.h"
#include "verdict/rounds/rounds_rule.h"

#define SEED         42
#define COUNT        100 // samples a side
#define REPEATS      101 // the median is printed
#define NOISE        0.02
#define SHOWN_MAX    20 // problems handed to SciPy
#define PROBLEMS_MAX 100000
#define SAMPLES_MAX  1000000

struct pair {
    size_t count;
    double *a, *b; // in time order
};

// Lognormal times, the candidate's 1 % slower.
static struct pair pair_make(uint64_t problem, size_t count) {
    struct pair pair = {count, mem_alloc(count * sizeof(double)), mem_alloc(count * sizeof(double))};
    for (size_t i = 0; i < count; ++i) {
        pair.a[i] = 1e6 * exp(NOISE * rng_normal(SEED, 2 * problem, i));
        pair.b[i] = 1.01e6 * exp(NOISE * rng_normal(SEED, 2 * problem + 1, i));
    }
    return pair;
}

static void pair_free(struct pair *pair) {
    free(pair->a);
    free(pair->b);
}

// ---- functions one by one ----

static void need(bool is_right, const char *what) {
    if (is_right) return;
    fprintf(stderr, "stats_bench: %s gave no answer\n", what);
    exit(1);
}

// pair is sorted for the first three, in time order for the last.
static void both_medians(const struct pair *pair) {
    struct interval at;
    need(bootstrap_median_interval(pair->a, pair->count, NULL, &at) == 0, "bootstrap_median_interval");
    need(bootstrap_median_interval(pair->b, pair->count, NULL, &at) == 0, "bootstrap_median_interval");
}

static void ratio(const struct pair *pair) {
    struct interval at;
    need(bootstrap_ratio_interval(pair->a, pair->count, pair->b, pair->count, NULL, &at) == 0,
         "bootstrap_ratio_interval");
}

// As `assay compare` has it: what follows from the number of samples is worked out once for all problems.
static void ratio_again(const struct pair *pair) {
    static struct bootstrap_ratio_memory memory; // until the program ends
    struct interval at;
    need(bootstrap_ratio_interval(pair->a, pair->count, pair->b, pair->count, &memory, &at) == 0,
         "bootstrap_ratio_interval");
}

static void shift(const struct pair *pair) {
    struct hodges_lehmann at;
    need(hodges_lehmann_log_ratio(pair->a, pair->count, pair->b, pair->count, 0.95, &at) == 0,
         "hodges_lehmann_log_ratio");
}

static void ranks(const struct pair *pair) {
    struct rank_pairs pairs;
    struct rank_test test;
    need(rank_count_pairs(pair->a, pair->count, pair->b, pair->count, &pairs) == 0, "rank_count_pairs");
    rank_mann_whitney(&pairs, &test);
    need(isfinite(rank_cliffs_delta(&pairs)) && isfinite(test.p_two_sided), "Mann-Whitney");
}

static void literal(const struct pair *pair) {
    struct interval at;
    need(bootstrap_mt19937_interval(pair->a, pair->count, SEED, &at) == 0, "bootstrap_mt19937_interval");
}

static void describe_one(const struct pair *pair) {
    struct describe figures;
    double sorted[COUNT];
    need(pair->count <= COUNT && describe_samples(pair->a, pair->count, sorted, &figures) == 0,
         "describe_samples");
}

static void rounds(const struct pair *pair) {
    struct rounds_options options = rounds_options_default();
    struct rounds_finding finding;
    options.is_final = true;
    need(rounds_find(&(struct rounds_pairs){pair->a, pair->b, NULL}, NULL, ROUNDS_MAX, &options, &finding) ==
             0,
         "rounds_find");
}

static double middle_us(void (*work)(const struct pair *), const struct pair *pair, size_t repeats) {
    double times[REPEATS];
    for (size_t i = 0; i < repeats; ++i) {
        uint64_t start = clock_ns();
        work(pair);
        times[i] = (double)(clock_ns() - start) / 1e3;
    }
    float_order_sort(times, repeats);
    return describe_median(times, repeats);
}

static void print_us(const char *what, double us, const char *aim) {
    printf("%-58s %10.1f us  %s\n", what, us, aim);
}

static void print_functions(void) {
    struct pair drawn = pair_make(0, COUNT), sorted = pair_make(0, COUNT);
    float_order_sort(sorted.a, COUNT);
    float_order_sort(sorted.b, COUNT);
    print_us("exact intervals of both medians, n = 100", middle_us(both_medians, &sorted, REPEATS),
             "(aim 100 us)");
    print_us("exact interval of their ratio, n = 100", middle_us(ratio, &sorted, REPEATS), "");
    print_us("the same of another problem", middle_us(ratio_again, &sorted, REPEATS), "");
    print_us("Hodges-Lehmann of the ratio, n = 100", middle_us(shift, &sorted, REPEATS), "");
    print_us("Cliff's delta and Mann-Whitney, n = 100", middle_us(ranks, &sorted, REPEATS), "");
    print_us("description of one set, n = 100", middle_us(describe_one, &drawn, REPEATS), "");
    print_us("literal MT19937 bootstrap of one median, n = 100", middle_us(literal, &drawn, 5), "");
    print_us("rounds rule, 20 rounds", middle_us(rounds, &drawn, REPEATS), "");
    pair_free(&drawn);
    pair_free(&sorted);
}

// ---- the work that SciPy does too ----

struct figures {
    struct interval a, b;
    double delta, p;
};

// The figures of one comparison, from samples in time order, as `assay compare` computes them.
static struct figures compare(const struct pair *pair, double *scratch) {
    struct figures figures;
    struct rank_pairs pairs;
    struct rank_test test;
    double *a = scratch, *b = scratch + pair->count;
    memcpy(a, pair->a, pair->count * sizeof *a);
    memcpy(b, pair->b, pair->count * sizeof *b);
    float_order_sort(a, pair->count);
    float_order_sort(b, pair->count);
    need(bootstrap_median_interval(a, pair->count, NULL, &figures.a) == 0, "bootstrap_median_interval");
    need(bootstrap_median_interval(b, pair->count, NULL, &figures.b) == 0, "bootstrap_median_interval");
    need(rank_count_pairs(a, pair->count, b, pair->count, &pairs) == 0, "rank_count_pairs");
    rank_mann_whitney(&pairs, &test);
    figures.delta = rank_cliffs_delta(&pairs);
    figures.p = test.p_two_sided;
    return figures;
}

static void print_column(const char *name, const double *values, size_t count) {
    printf("%s", name);
    for (size_t i = 0; i < count; ++i) printf(" %.17g", values[i]);
    printf("\n");
}

static void print_work(size_t problem_count, size_t sample_count) {
    struct pair *pairs = mem_alloc(problem_count * sizeof *pairs);
    struct figures *found = mem_alloc(problem_count * sizeof *found);
    double *scratch = mem_alloc(2 * sample_count * sizeof *scratch), times[REPEATS];
    size_t repeats = 5;
    for (size_t i = 0; i < problem_count; ++i) pairs[i] = pair_make(i, sample_count);
    for (size_t r = 0; r < repeats; ++r) {
        uint64_t start = clock_ns();
        for (size_t i = 0; i < problem_count; ++i) found[i] = compare(&pairs[i], scratch);
        times[r] = (double)(clock_ns() - start) / 1e6;
    }
    float_order_sort(times, repeats);
    printf("work_ms %.6f\n", describe_median(times, repeats));
    for (size_t i = 0; i < problem_count && i < SHOWN_MAX; ++i) {
        const struct figures *f = &found[i];
        print_column("a", pairs[i].a, sample_count);
        print_column("b", pairs[i].b, sample_count);
        print_column("is", (const double[]){f->a.lo, f->a.hi, f->b.lo, f->b.hi, f->delta, f->p}, 6);
    }
    for (size_t i = 0; i < problem_count; ++i) pair_free(&pairs[i]);
    free(scratch);
    free(found);
    free(pairs);
}

int main(int argc, char **argv) {
    unsigned long long problems = 0, samples = 0;
    if (argc == 1) {
        print_functions();
        return 0;
    }
    bool is_right = argc == 4 && str_equal(argv[1], "--work") && str_parse_u64(argv[2], &problems) == 0 &&
                    str_parse_u64(argv[3], &samples) == 0 && problems >= 1 && problems <= PROBLEMS_MAX &&
                    samples >= 1 && samples <= SAMPLES_MAX;
    if (!is_right) {
        fprintf(stderr, "usage: stats_bench [--work PROBLEMS SAMPLES]\n");
        return 64;
    }
    print_work((size_t)problems, (size_t)samples);
    return 0;
}
