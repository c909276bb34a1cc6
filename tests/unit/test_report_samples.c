// SPDX-License-Identifier: Apache-2.0
//
// Sample reports of made results, compared letter by letter with
// tests/golden/samples_*.txt; with ASSAY_GOLDEN_WRITE set the files are written anew instead (look at the
// difference before committing it). The samples come from base/rng.h and basic arithmetic, so that they are
// the same everywhere.
#include <stdlib.h>

#include "base/json.h"
#include "base/rng.h"
#include "report/samples/sample_internal.h"
#include "report/samples/sample_report.h"
#include "stats/float_order.h"
#include "unit/golden_file.h"
#include "unit/made_result.h"

#define PROBLEM "attention/fp32/b2/h8/s512/d64"

// About normal: the sum of twelve uniforms, exact in every libm.
static double noise(uint64_t stream, uint64_t i) {
    double sum = -6;
    for (uint64_t k = 0; k < 12; ++k) sum += rng_uniform(42, stream, 12 * i + k);
    return sum;
}

enum shape { STEADY, TWO_MODES, DRIFTING, OUTLIER, EQUAL, COARSE };

static double shape_ns(enum shape shape, size_t i) {
    double ns = 1e6 + 5e3 * noise(1, i);
    switch (shape) {
    case TWO_MODES: return rng_uniform(42, 2, i) < 0.3 ? ns + 1e5 : ns;
    case DRIFTING: return ns + 400.0 * (double)i;
    case OUTLIER: return i == 41 ? 5e7 : ns;
    case EQUAL: return 1e6;
    case COARSE: return 1e6 + 32 * floor(3 * noise(1, i));
    default: return ns;
    }
}

// One candidate, one problem, one round.
static struct result_round *made_shape(struct result *result, enum shape shape, size_t count) {
    made_init(result);
    result->sides[0] = result->sides[1];
    result->side_count = 1;
    struct result_case *item = made_case_add(result, "s512", PROBLEM);
    struct result_round *round = result_case_add_round(result, item, 0, 0);
    round->has_state = round->is_valid = true;
    round->samples[0] = made_samples(result, count, 1e6, 0);
    for (size_t i = 0; i < count; ++i)
        round->samples[0].items[i].duration_ns = (uint64_t)llround(shape_ns(shape, i));
    return round;
}

static char *print(const struct result *result, const struct sample_report_options *options) {
    struct strbuf out = {0};
    struct err err = {0};
    if (sample_report_text(result, options, &out, &err) < 0) fail_msg("%s", err.text);
    return strbuf_take(&out);
}

static const struct sample_report_options plain = {.width = 80};
static const struct sample_report_options utf8 = {.width = 80, .has_utf8 = true};

static void shapes_are_golden(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum shape shape;
        size_t count;
    } rows[] = {{"steady", STEADY, 100},   {"two_modes", TWO_MODES, 100}, {"drifting", DRIFTING, 100},
                {"outlier", OUTLIER, 100}, {"equal", EQUAL, 40},          {"coarse", COARSE, 300},
                {"one", STEADY, 1},        {"five", STEADY, 5},           {"many", STEADY, 100000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct result result;
        made_shape(&result, rows[i].shape, rows[i].count);
        char name[64], *text = print(&result, &utf8);
        snprintf(name, sizeof name, "samples_%s.txt", rows[i].name);
        hold_golden(name, text);
        free(text);
        result_fini(&result);
    }
}

// Two sides, four rounds of which one was repeated, discarded samples of several kinds.
static void made_rounds(struct result *result) {
    made_init(result);
    struct result_case *item = made_case_add(result, "s512", PROBLEM);
    made_rounds_add(result, item, 4, -0.42, 0.01);
    for (size_t r = 0; r < 4; ++r)
        for (size_t side = 0; side < 2; ++side)
            item->rounds[r].samples[side].items[0].discard = DISCARD_FIRST_PAIR;
    item->rounds[1].samples[0].items[9].discard = DISCARD_STEAL;
    item->rounds[1].samples[0].items[10].discard = DISCARD_PREEMPTED;
    item->rounds[2].is_valid = false;
    item->rounds[2].invalid_reason = "other processes took 14 % of the processors";
    item->rounds[3].round = 2;
    item->rounds[3].attempt = 1;
}

static void rounds_are_golden(void **state) {
    (void)state;
    struct result result;
    made_rounds(&result);
    char *text = print(&result, &utf8), *ascii = print(&result, &plain);
    hold_golden("samples_rounds.txt", text);
    hold_golden("samples_rounds_ascii.txt", ascii);
    for (const char *c = ascii; *c; ++c) assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
    free(text);
    free(ascii);
    result_fini(&result);
}

static void lines_fit_the_width(void **state) {
    (void)state;
    static const size_t widths[] = {80, 100, 200};
    struct result result;
    made_rounds(&result);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
        struct sample_report_options options = {.width = widths[i], .has_utf8 = true};
        char *text = print(&result, &options), *rest = text;
        for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
            if (str_width(line) > widths[i] && !strstr(line, "not valid")) fail_msg("too wide: %s", line);
        free(text);
    }
    result_fini(&result);
}

static void colour_is_only_where_asked_for(void **state) {
    (void)state;
    struct result result;
    struct sample_report_options options = utf8;
    made_rounds(&result);
    options.has_color = true;
    char *without = print(&result, &utf8), *with = print(&result, &options);
    assert_null(strchr(without, '\033'));
    assert_non_null(strchr(with, '\033'));
    free(without);
    free(with);
    result_fini(&result);
}

static void names_do_not_reach_the_terminal_raw(void **state) {
    (void)state;
    struct result result;
    made_rounds(&result);
    result.sides[0].label = "ti\033[31mled\n";
    result.cases[0].short_name = "s\xc3\xa9\xc2\x9b\x01";
    result.cases[0].rounds[2].invalid_reason = "\033]0;title\a";
    char *text = print(&result, &utf8), *ascii = print(&result, &plain);
    assert_null(strchr(text, '\033'));
    assert_null(strstr(text, "\xc2\x9b"));
    assert_non_null(strstr(text, "s\xc3\xa9\\u009b\\x01  ti\\x1b[31mled\\n"));
    assert_non_null(strstr(ascii, "s?\\u009b\\x01  ti\\x1b[31mled\\n"));
    assert_non_null(strstr(text, "\\x1b]0;title\\x07"));
    free(text);
    free(ascii);
    result_fini(&result);
}

static void what_does_not_count_is_shown_and_what_is_wrong_is_not(void **state) {
    (void)state;
    struct result result;
    struct result_round *round = made_shape(&result, STEADY, 30);
    round->is_valid = false;
    round->invalid_reason = "busy";
    char *text = print(&result, &utf8);
    assert_non_null(strstr(text, "no sample counts"));
    assert_non_null(strstr(text, "×"));
    assert_non_null(strstr(text, "x in rounds that are not valid 30"));
    assert_non_null(strstr(text, "not valid: busy"));
    free(text);
    round->is_valid = true;
    result.cases[0].checks[0].outcome = OUTCOME_FAIL;
    text = print(&result, &utf8);
    assert_non_null(strstr(text, "FAIL: it has no times"));
    assert_null(strstr(text, "ms"));
    free(text);
    result_fini(&result);
}

static void selects_problems_and_sides(void **state) {
    (void)state;
    struct result result;
    struct strbuf out = {0};
    struct err err = {0};
    struct sample_report_options options = plain;
    made_rounds(&result);
    made_rounds_add(&result, made_case_add(&result, "small", "attention/fp32/b1/h8/s256/d64"), 1, 0, 0);
    options.only = "small";
    options.side = "simd";
    char *text = print(&result, &options);
    assert_non_null(strstr(text, "small  simd"));
    assert_null(strstr(text, "s512  "));
    assert_null(strstr(text, "tiled"));
    free(text);
    options.only = "small, " PROBLEM;
    options.side = "baseline";
    text = print(&result, &options);
    assert_non_null(strstr(text, "small  tiled"));
    assert_non_null(strstr(text, "s512  tiled"));
    assert_null(strstr(text, "simd"));
    free(text);
    options.only = "smal";
    assert_int_equal(sample_report_text(&result, &options, &out, &err), -ERR_USAGE);
    assert_string_equal(err.text, "no problem 'smal' was measured; there are:\n  s512\n  small");
    result.cases[1].short_name = "BM<int, small>/8"; // a name of another tool, chosen whole
    options.only = "BM<int, small>/8";
    text = print(&result, &options);
    assert_non_null(strstr(text, "BM<int, small>/8  tiled"));
    assert_null(strstr(text, "s512  "));
    free(text);
    for (size_t i = 0; i < 2; ++i) {
        options.only = i ? "" : " , ";
        assert_int_equal(sample_report_text(&result, &options, &out, &err), -ERR_USAGE);
    }
    options = (struct sample_report_options){.width = 80, .side = "smid"};
    err = (struct err){0};
    assert_int_equal(sample_report_json(&result, &options, &out, &err), -ERR_USAGE);
    assert_string_equal(err.text, "no side is called 'smid'; there are:\n  tiled\n  simd");
    strbuf_fini(&out);
    result_fini(&result);
}

static double number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value)) fail_msg("no number '%s'", key);
    return json_number_value(value);
}

static void json_has_the_same_figures(void **state) {
    (void)state;
    struct result result;
    struct strbuf out = {0};
    struct err err = {0};
    struct sample_set set;
    json_t *root = NULL;
    made_rounds(&result);
    assert_int_equal(sample_report_json(&result, &plain, &out, &err), 0);
    assert_int_equal(json_read_text(strbuf_text(&out), out.length, "samples", &root, &err), 0);
    assert_string_equal(json_string_value(json_object_get(root, "kind")), SAMPLE_REPORT_KIND);
    const json_t *sides = json_object_get(json_array_get(json_object_get(root, "cases"), 0), "sides");
    assert_int_equal(json_array_size(sides), 2);
    const json_t *side = json_array_get(sides, 0);
    assert_int_equal(sample_set_get(&result, &result.cases[0], 0, &set), 0);
    assert_int_equal(number(side, "sample_count"), 58);
    assert_int_equal(number(side, "taken_count"), 84);
    assert_int_equal(number(side, "invalid_count"), 21);
    assert_int_equal(number(json_object_get(side, "discarded"), "first_pair"), 3);
    assert_true(number(side, "median_ns") == set.summary.describe.median);
    assert_true(number(json_object_get(side, "median_by_order"), "coverage") == set.order.coverage);
    assert_null(json_object_get(json_object_get(side, "p95"), "upper_bound_ns")); // 58 of 59
    const json_t *rounds = json_object_get(side, "rounds");
    assert_int_equal(json_array_size(rounds), 4);
    assert_true(number(json_array_get(rounds, 1), "median_ns") == set.round_median_ns[1]);
    assert_null(json_object_get(json_array_get(rounds, 2), "median_ns"));
    double sum = number(json_object_get(side, "distribution"), "below_count");
    sum += number(json_object_get(side, "distribution"), "above_count");
    const json_t *counts = json_object_get(json_object_get(side, "distribution"), "counts");
    for (size_t i = 0; i < json_array_size(counts); ++i) sum += json_number_value(json_array_get(counts, i));
    assert_int_equal(sum, 58);
    sample_set_fini(&set);
    json_decref(root);
    strbuf_fini(&out);
    result_fini(&result);
}

// Another tool's file that `assay compare` refuses, with a reason of foreign words; it has no role.
static void what_cannot_be_compared_is_said(void **state) {
    (void)state;
    struct result result;
    struct strbuf out = {0};
    struct err err = {0};
    made_shape(&result, STEADY, 10);
    result.external_format = "nvbench";
    result.cases[0].unusable_reason = REASON_BAD_TIMES;
    result.cases[0].unusable_text = "is no t\xc3\xadme\xe2\x80\xae";
    result.cases[0].left_out_count = 3;
    char *text = print(&result, &utf8), *ascii = print(&result, &plain);
    assert_non_null(strstr(text, "cannot be compared: is no t\xc3\xadme\\u202e; 3 times are left out\n"));
    assert_non_null(strstr(ascii, "cannot be compared: is no t?me\\u202e; 3 times are left out\n"));
    assert_null(strstr(text, "candidate"));
    assert_int_equal(sample_report_json(&result, &plain, &out, &err), 0);
    assert_non_null(strstr(strbuf_text(&out), "\"reason\": \"bad_times\""));
    assert_non_null(strstr(strbuf_text(&out), "\"left_out_count\": 3"));
    assert_null(strstr(strbuf_text(&out), "\"role\""));
    strbuf_fini(&out);
    free(text);
    free(ascii);
    result_fini(&result);
}

// Beside a median of 1 ms: an outlier of 50 s, and a time that its decimals would show as zero.
static void far_times_have_their_own_unit(void **state) {
    (void)state;
    struct result result;
    struct result_round *round = made_shape(&result, STEADY, 100);
    round->samples[0].items[7].duration_ns = 50000000000;
    round->samples[0].items[8].duration_ns = 3;
    char *text = print(&result, &plain);
    assert_non_null(strstr(text, "  50.0 s\n"));
    assert_non_null(strstr(text, "3.00 ns\n"));
    assert_null(strstr(text, "50000"));
    free(text);
    result_fini(&result);
}

static void one_far_value_does_not_stretch_the_axis(void **state) {
    (void)state;
    double x[100];
    for (size_t i = 0; i < 99; ++i) x[i] = 1000 + (double)i;
    x[99] = 1e9;
    struct sample_axis axis = sample_axis_make(x, 100);
    assert_true(axis.low_ns == 1000 && axis.high_ns == 1098);
    assert_int_equal(sample_axis_side(&axis, 1e9), 1);
    assert_int_equal(sample_axis_side(&axis, 999), -1);
    assert_int_equal(sample_axis_side(&axis, 1000), 0);
    for (size_t i = 0; i < 99; ++i) {
        size_t bin = sample_axis_bin(&axis, x[i]);
        double from = axis.first_ns + (double)bin * axis.step_ns;
        assert_true(bin < axis.bin_count && x[i] >= from && x[i] < from + axis.step_ns);
    }
    // A second mode of 5 % is no outlier.
    for (size_t i = 95; i < 100; ++i) x[i] = 5000;
    assert_true(sample_axis_make(x, 100).high_ns == 5000);
}

// A clock of 32 ns: bins of as many ticks each, else the distribution would look like a comb.
static void a_coarse_clock_makes_no_comb(void **state) {
    (void)state;
    double x[330];
    for (size_t i = 0; i < 330; ++i) x[i] = 3200 + 32 * (double)(i / 10);
    struct sample_axis axis = sample_axis_make(x, 330);
    size_t counts[SAMPLE_AXIS_BINS_MAX] = {0};
    for (size_t i = 0; i < 330; ++i) counts[sample_axis_bin(&axis, x[i])]++;
    assert_true(fmod(axis.step_ns, 32) == 0);
    for (size_t i = 0; i + 1 < axis.bin_count; ++i) assert_int_equal(counts[i], counts[0]);
}

// Any result must print: rounds without samples, more rounds than columns, sides that were not measured.
static void odd_results_print(void **state) {
    (void)state;
    struct result result;
    made_init(&result);
    struct result_case *item = made_case_add(&result, NULL, PROBLEM);
    char *text = print(&result, &utf8);
    assert_non_null(strstr(text, "not measured"));
    free(text);
    for (uint32_t r = 0; r < 300; ++r) {
        struct result_round *round = result_case_add_round(&result, item, r, 0);
        round->has_state = round->is_valid = true;
        if (r != 7) round->samples[0] = made_samples(&result, r % 3, 1e6 + r, 0.01);
    }
    for (size_t width = 0; width < 400; width += 31) {
        for (int has_utf8 = 0; has_utf8 < 2; ++has_utf8) {
            text = print(&result, &(struct sample_report_options){.width = width, .has_utf8 = has_utf8});
            assert_non_null(strstr(text, "and 260 more"));
            free(text);
        }
    }
    result_fini(&result);
    made_init(&result);
    text = print(&result, &utf8);
    assert_non_null(strstr(text, "nothing was measured"));
    free(text);
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_golden),
        cmocka_unit_test(rounds_are_golden),
        cmocka_unit_test(lines_fit_the_width),
        cmocka_unit_test(colour_is_only_where_asked_for),
        cmocka_unit_test(names_do_not_reach_the_terminal_raw),
        cmocka_unit_test(what_does_not_count_is_shown_and_what_is_wrong_is_not),
        cmocka_unit_test(selects_problems_and_sides),
        cmocka_unit_test(json_has_the_same_figures),
        cmocka_unit_test(what_cannot_be_compared_is_said),
        cmocka_unit_test(far_times_have_their_own_unit),
        cmocka_unit_test(one_far_value_does_not_stretch_the_axis),
        cmocka_unit_test(a_coarse_clock_makes_no_comb),
        cmocka_unit_test(odd_results_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
