// SPDX-License-Identifier: Apache-2.0
//
// Reports of made results, compared letter by letter with
// tests/golden/report_*.{txt,md}; with ASSAY_GOLDEN_WRITE set the files are written anew instead (look at the
// difference before committing it).
#include <stdlib.h>

#include "report/formats/report_formats.h"
#include "report/result/case_lines.h"
#include "report/result/report.h"
#include "unit/golden_file.h"
#include "unit/made_result.h"
#include "verdict/classic/classic.h"
#include "verdict/gate_rule.h"
#include "verdict/rounds/rounds.h"
#include "verdict/summary.h"

static struct result_case *add(struct result *result, const char *short_name, const char *problem,
                               size_t rounds, double change, double spread) {
    struct result_case *item = made_case_add(result, short_name, problem);
    made_rounds_add(result, item, rounds, change, spread);
    for (int side = 0; side < 2; ++side) {
        struct tensor_error *error = &item->checks[side].tensors[0];
        strcpy(error->tensor, "out");
        error->max_abs = 2.4e-4;
        error->max_rel = 8.1e-4;
    }
    return item;
}

static void made_wrong(struct check_result *check) {
    struct tensor_error *error = &check->tensors[0];
    check->outcome = OUTCOME_FAIL;
    check->finding = FINDING_WRONG_VALUE;
    error->dim_count = 4;
    error->worst_coord[2] = 511;
    error->worst_coord[3] = 63;
    error->worst_expected = 0.03125;
    error->worst_got = 1.5;
    error->failed_count = 1;
    error->element_count = 524288;
}

// A gate with one problem of each kind.
static void made_gate(struct result *result, struct decision *decision) {
    struct rounds_options options = rounds_options_default();
    struct gate_options gate = {.kind = GATE_GATE};
    struct err err = {0};
    made_init(result);
    add(result, "s512", "attention/fp32/b2/h8/s512/d64", 5, -0.42, 0.004);
    struct result_case *busy = add(result, "mission", "attention/fp32/b1/h8/s512/d64", 11, 0.05, 0.003);
    add(result, "small", "attention/fp32/b2/h8/s256/d64", 5, 0.001, 0.004);
    add(result, "long", "attention/fp32/b2/h8/s1024/d64", 20, -0.02, 0.06);
    made_wrong(&add(result, "s512_causal", "attention/fp32/b2/h8/s512/d64/causal", 5, 0, 0.004)->checks[1]);
    busy->rounds[3].is_valid = false;
    busy->rounds[3].invalid_reason = "other processes took 14 % of the processors";
    busy->rounds[3].state = device_state_unknown();
    busy->rounds[3].state.others_pct = 14;
    result->environment.ceiling_gflop_per_s = 8000;
    result->environment.ceiling_gb_per_s = 80;
    result->checks = result->cases;
    result->check_count = result->case_count;
    result->device_s = 90;
    options.is_final = true;
    options.family_count = 0;
    assert_int_equal(
        verdict_rounds(result, (struct rounds_sides){0, 1}, &options, &result->arena, decision, &err), 0);
    assert_int_equal(gate_rule_apply(&gate, &(struct gate_events){.result = result, .cand_side = 1},
                                     &result->arena, decision, &err),
                     0);
    result->decision = decision;
}

static char *print(const char *format, const struct result *result, const struct report_options *options) {
    struct strbuf out = {0};
    assert_int_equal(report_format_find(format)->print(result, options, &out), 0);
    return strbuf_take(&out);
}

static void gate_reports_are_golden(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    struct report_options options = report_options_default();
    made_gate(&result, &decision);
    assert_int_equal(decision.exit_code, 1);
    char *text = print("text", &result, &options);
    result.command = "assay gate --github"; // a comment is of commits
    result.sides[0].label = "simd @ git:merge-base";
    result.sides[0].revision = "e82b208f41c5d3a90b7e6f2d1c8a4b5e6f7a8b9c";
    result.sides[1].revision = "d34db33";
    options.commit_url = "https://github.com/o/r/commit/";
    char *markdown = print("markdown", &result, &options);
    hold_golden("report_gate.txt", text);
    hold_golden("report_gate.md", markdown);
    for (const char *c = text; *c; ++c) assert_true((*c >= ' ' && *c < 127) || *c == '\n');
    free(text);
    free(markdown);
    result_fini(&result);
}

// tests/golden/export_<format><suffix>: what other tools read.
static void exports_are_golden(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    const struct report_options options = report_options_default();
    const struct report_format *format;
    made_gate(&result, &decision);
    result.cases[1].short_name = "\"a\", <b> & \\c"; // a name is text everywhere
    assert_int_equal(summary_set_all(&result), 0);
    for (size_t i = 0; (format = report_format_at(i)); ++i) {
        const bool is_export = format->holds_times || str_equal(format->name, "junit");
        // google-benchmark's holds every sample: tests/cli/report/exports.sh reads it again.
        if (!is_export || str_equal(format->name, "google-benchmark")) continue;
        char *text = print(format->name, &result, &options);
        hold_golden(arena_format(&result.arena, "export_%s%s", format->name, format->suffix), text);
        free(text);
    }
    result_fini(&result);
}

// What belongs to a file, escaped for its place; the undecidable problem has none here.
static void sarif_is_golden(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    const struct report_options options = report_options_default();
    made_gate(&result, &decision);
    struct decision_case *slower = &decision.cases[1], *wrong = &decision.cases[4];
    assert_int_equal(slower->verdict, VERDICT_REGRESSION);
    assert_int_equal(wrong->verdict, VERDICT_WRONG);
    assert_int_equal(decision.counts[VERDICT_UNDECIDABLE], 1);
    slower->place = (struct source_place){"kernels/a b#1.cu", 12};
    slower->sentence = "see [this](https://example.org) \\ {0}\n::error::";
    wrong->place = (struct source_place){"kernels/\xc3\xa4.cu", 0}; // no line is known
    wrong->accepted = "label perf-accepted";
    struct decision_ratchet ratchet = {.figure = "registers",
                                       .outcome = RATCHET_WORSE,
                                       .sentence = "128 registers, 120 before",
                                       .place = {"kernels/a.cu", 3}};
    decision.ratchets = &ratchet;
    decision.ratchet_count = 1;
    char *text = print("sarif", &result, &options);
    hold_golden("export.sarif", text);
    free(text);
    result_fini(&result);
}

static void a_log_has_ratchets_and_families(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    const struct report_options options = report_options_default();
    struct decision_ratchet ratchet = {
        .figure = "registers", .baseline = 120, .candidate = 128, .allowance = "0", .outcome = RATCHET_WORSE};
    made_gate(&result, &decision);
    decision.ratchets = &ratchet;
    decision.ratchet_count = 1;
    result.cases[1].problem = result.cases[0].problem; // with other inputs
    result.cases[0].distribution = "normal";
    result.cases[1].distribution = "ones";
    decision.exit_code = 3;
    decision.verdict = VERDICT_UNDECIDABLE;
    char *text = print("log", &result, &options);
    assert_non_null(strstr(text, "| registers | 120 | 128 | 0 | too much |"));
    assert_non_null(strstr(text, "slowest inputs over fastest"));
    assert_non_null(strstr(text, "Nothing is decided, as the sentence at the top says."));
    free(text);
    result_fini(&result);
}

static void bench_reports_are_golden(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    struct report_options options = report_options_default();
    made_gate(&result, &decision);
    result.decision = NULL;
    result.command = "assay bench --suite cpu";
    result.cases[0].rounds[0].state = device_state_unknown();
    result.cases[0].rounds[0].state.temperature_c = 65;
    result.cases[0].rounds[0].state.clock_hz = 1.785e9;
    result.cases[0].rounds[0].state.memory_clock_hz = 3.201e9;
    result.cases[0].rounds[0].state.power_w = 620;
    for (size_t r = 1; r < 5; ++r) result.cases[0].rounds[r].state = device_state_unknown();
    options.output_path = "runs/made/result.json";
    options.target_ratio = 2;
    char *text = print("text", &result, &options);
    hold_golden("report_bench.txt", text);
    free(text);
    result_fini(&result);
}

// Two files by the classic rule, one sample set refused.
static void compare_reports_are_golden(void **state) {
    (void)state;
    struct result base, cand;
    struct decision decision;
    struct err err = {0};
    struct classic_options options = classic_options_default();
    struct gate_options gate = {.kind = GATE_COMPARE};
    made_init(&base);
    made_init(&cand);
    add(&base, "s512", "attention/fp32/b2/h8/s512/d64", 1, 0, 0);
    add(&cand, "s512", "attention/fp32/b2/h8/s512/d64", 1, 0.08, 0);
    add(&base, "few", "attention/fp32/b2/h8/s256/d64", 1, 0, 0)->rounds[0].samples[1].count = 5;
    add(&cand, "few", "attention/fp32/b2/h8/s256/d64", 1, 0, 0);
    add(&base, "gone", "attention/fp32/b2/h8/s128/d64", 1, 0, 0);
    struct classic_side a = {&base, 1}, b = {&cand, 1};
    assert_int_equal(verdict_classic(a, b, &options, &cand.arena, &decision, &err), 0);
    assert_int_equal(gate_rule_apply(&gate, &(struct gate_events){0}, &cand.arena, &decision, &err), 0);
    assert_int_equal(decision.exit_code, 3);
    cand.decision = &decision;
    cand.command = "assay compare base.json cand.json";
    struct report_options report = report_options_default();
    report.base_file = "base.json";
    report.cand_file = "cand.json";
    report.base_label = "baseline";
    report.cand_label = "candidate";
    report.base_side = &base.sides[0];
    report.cand_side = &cand.sides[1];
    char *text = print("text", &cand, &report);
    hold_golden("report_compare.txt", text);
    free(text);
    result_fini(&base);
    result_fini(&cand);
}

static void markdown_stays_within_its_limit(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    struct report_options options = report_options_default();
    made_gate(&result, &decision);
    char *whole = print("markdown", &result, &options);
    options.limit_bytes = strlen(whole) - 200;
    char *cut = print("markdown", &result, &options);
    assert_true(strlen(cut) <= options.limit_bytes);
    assert_non_null(strstr(cut, "rows left out"));
    assert_non_null(strstr(cut, "`assay report 20261121-120000-made` prints the whole"));
    assert_non_null(strstr(cut, "the candidate is wrong")); // the verdict always stays
    options.limit_bytes = 100;
    char *stump = print("markdown", &result, &options);
    assert_true(strlen(stump) <= 100);
    free(whole);
    free(cut);
    free(stump);
    result_fini(&result);
}

static void markup_in_names_is_escaped(void **state) {
    (void)state;
    struct result result;
    struct report_options options = report_options_default();
    made_init(&result);
    add(&result, "a|b*c", "attention/fp32/b2/h8/s512/d64", 1, 0, 0);
    char *text = print("markdown", &result, &options);
    assert_non_null(strstr(text, "a\\|b\\*c"));
    free(text);
    result_fini(&result);
}

// Text from a kernel, a compiler or a file is data: whatever it holds, no format of a report has a control, a
// line of its making, a command for the log of a workflow, an entity or a fence in it.
static void foreign_text_is_shown_not_obeyed(void **state) {
    (void)state;
    static const char bad[] =
        "::a\x1b[2J\x07\r\n::error::b\xc2\x9b\xe2\x80\xae ##[error]c &#27;<script>```\xff";
    struct result result;
    struct decision decision;
    struct report_options options = report_options_default();
    made_gate(&result, &decision);
    result.run_id = result.command = result.suite = result.environment.device_name = bad;
    for (size_t i = 0; i < 2; ++i) {
        result.sides[i].label = result.sides[i].revision = result.sides[i].build.compiler = bad;
        snprintf(result.cases[4].checks[i].message, sizeof result.cases[4].checks[i].message, "%s", bad);
        snprintf(result.cases[4].checks[i].note, sizeof result.cases[4].checks[i].note, "%s", bad);
        result.cases[4].checks[i].outcome = OUTCOME_FAIL;
    }
    result.cases[1].rounds[3].invalid_reason = result.cases[1].short_name = bad;
    decision.sentence = bad;
    static const char *const formats[] = {"text", "markdown", "json"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        options.has_utf8 = i != 2;
        char *text = print(formats[i], &result, &options), *rest = text;
        for (const char *c = text; *c; ++c)
            if ((*c < ' ' && *c >= 0 && *c != '\n') || *c == 0x7f) fail_msg("%s: control %d", formats[i], *c);
        assert_null(strstr(text, "\xc2\x9b"));
        assert_null(strstr(text, "\xe2\x80\xae"));
        assert_null(strstr(text, "\xff"));
        assert_null(strstr(text, "##["));
        bool is_fenced = i != 1; // there markup means nothing
        for (const char *line; (line = strsep(&rest, "\n"));) {
            if (i == 1 && str_starts(line, "```")) is_fenced = !is_fenced;
            if (!is_fenced && (strstr(line, " &#27;") || strstr(line, ";<script>"))) fail_msg("'%s'", line);
            line += strspn(line, " ");
            if (str_starts(line, "::")) fail_msg("%s: a line begins with '%s'", formats[i], line);
        }
        free(text);
    }
    result_fini(&result);
}

// A peer of the same name, a target and a price.
static void made_pair(struct result *result, double target) {
    made_init(result);
    result->sides[0].label = "simd";
    result->sides[0].role = SIDE_PEER;
    add(result, "s512", "attention/fp32/b2/h8/s512/d64", 1, -0.5, 0);
    add(result, "small", "attention/fp32/b2/h8/s256/d64", 1, -0.4, 0);
    result->target_speedup = target;
    result->device_s = 132;
    result->cost_per_hour = 2.5;
}

static void bench_says_target_price_and_whom(void **state) {
    (void)state;
    static const struct {
        double target;
        const char *verdict;
    } cases[] = {
        {1.5, "verdict: target met: every problem at or above the manifest's target of 1.50x; hold it with "
              "assay gate"},
        {1.8, "verdict: faster than simd (target 1.80x missed on 1 of 2 problems, worst small); assay gate "
              "proves it"},
        {NAN, "verdict: faster than simd; assay gate proves it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct result result;
        struct report_options options = report_options_default();
        made_pair(&result, cases[i].target);
        char *text = print("text", &result, &options);
        assert_non_null(strstr(text, cases[i].verdict));
        assert_non_null(strstr(text, "used      2.2 device minutes, 0.09 at 2.50 an hour\n"));
        assert_non_null(strstr(text, "simd#2 over simd: geometric mean"));
        assert_non_null(strstr(text, "[1/2] s512 [simd#2]  median"));
        assert_non_null(strstr(text, "simd#2: 2/2 passed"));
        free(text);
        result_fini(&result);
    }
}

// Two peers, each the faster one once.
static void made_peers(struct result *result, double target) {
    made_pair(result, target);
    result->side_count = 3;
    result->sides[2] = (struct result_side){.role = SIDE_PEER, .label = "cudnn", .kernel = "cudnn"};
    for (size_t i = 0; i < 2; ++i)
        result->cases[i].rounds[0].samples[2] = made_samples(result, 105, i == 0 ? 0.8e6 : 2e6, 0.003);
}

static void nothing_counts(struct samples *samples) {
    for (size_t i = 0; i < samples->count; ++i) samples->items[i].discard = DISCARD_PREEMPTED;
}

static void assert_prints(const struct result *result, const char *const *parts) {
    const struct report_options options = report_options_default();
    char *text = print("text", result, &options);
    for (size_t i = 0; parts[i]; ++i)
        if (!strstr(text, parts[i])) fail_msg("'%s' is not in\n%s", parts[i], text);
    free(text);
}

// The one whose times do not count may be the fastest: 'cudnn' is, on s512.
static void a_peer_without_a_valid_time_leaves_the_fastest_unknown(void **state) {
    (void)state;
    struct result result;
    made_peers(&result, 1.5);
    nothing_counts(&result.cases[0].rounds[0].samples[2]);
    assert_prints(&result,
                  (const char *const[]){
                      "  2.00x           -             -\n",
                      "simd#2 over the fastest peer: geometric mean speed-up 1.67x, best 1.67x (small), "
                      "worst 1.67x (small), over 1 of 2 problems\n",
                      "verdict: faster than the fastest peer (target 1.50x missed on 1 of 2 problems, 1 "
                      "of them without a speed-up, worst small); assay gate proves it\n",
                      NULL});
    nothing_counts(&result.cases[1].rounds[0].samples[2]);
    assert_prints(&result,
                  (const char *const[]){
                      "simd#2 over cudnn: not known, as no problem has a valid time of both\n",
                      "simd#2 over the fastest peer: not known, as no problem has a valid time of every "
                      "peer that supports it\n"
                      "verdict: target 1.50x missed on all 2 problems: no speed-up is known\n",
                      NULL});
    result_fini(&result);
}

static void a_peer_that_supports_no_such_problem_is_left_out(void **state) {
    (void)state;
    struct result result;
    made_peers(&result, 1.5);
    result.cases[0].rounds[0].samples[2] = (struct samples){0};
    result.cases[0].checks[2].outcome = OUTCOME_UNSUPPORTED;
    assert_prints(&result,
                  (const char *const[]){
                      "simd#2 over the fastest peer: geometric mean speed-up 1.83x, best 2.00x (s512), "
                      "worst 1.67x (small); not supported and left out: cudnn on 1 problem\n"
                      "verdict: target met",
                      NULL});
    result_fini(&result);
}

// Whether a time depends on the data is said of the distributions that have one.
static void data_says_how_many_distributions_have_a_time(void **state) {
    (void)state;
    static const char *const distributions[] = {"normal", "ones", "sink"};
    struct result result;
    made_init(&result);
    for (size_t i = 0; i < 3; ++i) {
        add(&result, NULL, "attention/fp32/b2/h8/s512/d64", 1, 0, 0);
        result.cases[i].distribution = distributions[i];
    }
    assert_prints(&result, (const char *const[]){"simd: the same time with all inputs, within 5 %", NULL});
    nothing_counts(&result.cases[2].rounds[0].samples[1]);
    assert_prints(&result,
                  (const char *const[]){
                      "tiled: the same time with all inputs, within 5 %",
                      "simd: the same time with the inputs that have a time, 2 of 3, within 5 %", NULL});
    result.cases[1].rounds[0].samples[1] = made_samples(&result, 105, 2e6, 0.003);
    assert_prints(&result, (const char *const[]){
                               "simd: its time depends on the data: 2.00 ms with ones inputs",
                               "(2.00x, attention/fp32/b2/h8/s512/d64; 2 of 3 inputs have a time)", NULL});
    result_fini(&result);
}

// What the peers say of themselves stands beside their names, each sentence once.
static void bench_holds_against_the_fastest_peer(void **state) {
    (void)state;
    struct result result;
    struct report_options options = report_options_default();
    made_peers(&result, NAN);
    for (size_t i = 0; i < 2; ++i) {
        struct result_case *item = &result.cases[i];
        snprintf(item->checks[2].note, sizeof item->checks[2].note, "cuDNN 9.19.0, engine %d",
                 i == 0 ? 10 : 1);
        snprintf(item->checks[0].note, sizeof item->checks[0].note, "PyTorch 2.11.0");
    }
    char *text = print("text", &result, &options);
    assert_non_null(strstr(text, "over fastest\n"));
    assert_non_null(strstr(text,
                           "simd#2 over the fastest peer: geometric mean speed-up 1.63x, best 1.67x (small), "
                           "worst 1.60x (s512)"));
    assert_non_null(strstr(text, "cuDNN 9.19.0, engine 10; cuDNN 9.19.0, engine 1\n"));
    assert_non_null(strstr(text, "; PyTorch 2.11.0\n"));
    free(text);
    result_fini(&result);
}

// A processor has no driver: what the field says is its system's kernel.
static void a_kernel_of_the_system_is_no_driver(void **state) {
    (void)state;
    struct result result;
    made_init(&result);
    add(&result, "s512", "attention/fp32/b2/h8/s512/d64", 1, 0, 0);
    result.environment.driver = "Linux 6.18.5";
    assert_prints(&result, (const char *const[]){"Debian GNU/Linux 12, kernel Linux 6.18.5\n", NULL});
    result_fini(&result);
}

static void check_lines_say_where_and_how_to_repeat(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    struct strbuf out = {0};
    made_gate(&result, &decision);
    struct case_line line = {
        .result = &result, .item = &result.cases[0], .side = 1, .number = 14, .total = 27};
    case_line_check(&line, &out);
    assert_string_equal(out.text,
                        "[14/27] attention/fp32/b2/h8/s512/d64 ... PASS (abs 2.4e-04, rel 8.1e-04)\n");
    strbuf_clear(&out);
    line.item = &result.cases[4];
    result.cases[4].distribution = "huge_logits";
    result.cases[4].memory_layout = MEMORY_LAYOUT_PADDED;
    case_line_check(&line, &out);
    assert_string_equal(
        out.text, "[14/27] attention/fp32/b2/h8/s512/d64/causal huge_logits padded ... FAIL\n"
                  "        wrong_value: out[0,0,511,63] expected 0.03125, got 1.5 (1 of 524288 elements)\n"
                  "        repeat: assay fuzz --kernel simd --problem attention/fp32/b2/h8/s512/d64/causal "
                  "--seed 42 --distribution huge_logits --memory-layout padded\n");
    strbuf_clear(&out);
    result.manifest = "my kernels/assay.yaml"; // what the check depended on belongs to the command
    result.repeat_count = 100;
    result.thread_count = 1;
    result.sides[1].reproduce = "--module /lib/fa.so";
    result.sides[1].kernel = "module.so";
    assert_string_equal(
        check_command(&result, &result.cases[4], 1, &result.arena),
        "assay fuzz --manifest 'my kernels/assay.yaml' --module /lib/fa.so --problem "
        "attention/fp32/b2/h8/s512/d64/causal --seed 42 --distribution huge_logits --memory-layout padded "
        "--repeat 100 --threads 1");
    result.cases[4].checks[1] =
        (struct check_result){.outcome = OUTCOME_UNSUPPORTED, .message = "no causal mask"};
    case_line_check(&line, &out);
    assert_non_null(strstr(out.text, "UNSUPPORTED (no causal mask)\n"));
    strbuf_fini(&out);
    struct check_counts counts = check_counts_get(&result, 1, true);
    assert_int_equal(counts.passed, 4);
    assert_int_equal(counts.unsupported, 1);
    assert_string_equal(check_tally(&result, 1, true, &result.arena), "simd: 4/5 passed, 1 not supported");
    result_fini(&result);
}

static void colour_is_only_where_asked_for(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    struct report_options options = report_options_default();
    made_gate(&result, &decision);
    char *plain = print("text", &result, &options);
    options.has_color = true;
    char *colored = print("text", &result, &options);
    assert_null(strchr(plain, '\033'));
    assert_non_null(strchr(colored, '\033'));
    free(plain);
    free(colored);
    result_fini(&result);
}

static void formats_are_a_table(void **state) {
    (void)state;
    struct result result;
    struct decision decision;
    struct report_options options = report_options_default();
    assert_string_equal(report_format_at(0)->name, "text");
    assert_null(report_format_at(99));
    assert_null(report_format_find("pdf"));
    made_gate(&result, &decision);
    char *json = print("json", &result, &options);
    assert_non_null(strstr(json, "\"kind\": \"assay.result\""));
    assert_non_null(strstr(json, "\"exit_code\": 1"));
    free(json);
    result_fini(&result);
}

static void an_empty_result_prints(void **state) {
    (void)state;
    struct result result;
    struct report_options options = report_options_default();
    result_init(&result);
    char *text = print("text", &result, &options), *markdown = print("markdown", &result, &options);
    assert_true(strlen(text) > 0 && strlen(markdown) > 0);
    free(text);
    free(markdown);
    result_fini(&result);
}

// A module of the user's own build has no compiler; nobody measured the ceilings of this GPU; a problem that
// one side alone has times of has no ratio; and no part of a report is empty.
static void what_is_not_known_leaves_no_gap(void **state) {
    (void)state;
    struct result result;
    struct report_options options = report_options_default();
    made_init(&result);
    made_wrong(&add(&result, "s512", "attention/fp32/b2/h8/s512/d64", 5, 0, 0.004)->checks[1]);
    result.command = "assay bench";
    result.environment.isa = "gfx942"; // whatever a GPU calls its instructions
    result.environment.is_accelerator = true;
    result.sides[0].build.compiler = result.sides[0].build.flags = NULL;
    result.sides[0].build.is_cached = true;
    char *text = print("text", &result, &options);
    assert_non_null(strstr(text, "\ntiled     cached\n"));
    assert_non_null(strstr(text, "\nceilings  not measured: throughputs are not checked against them\n"));
    assert_null(strstr(text, "\n\n\n"));
    const char *row = strstr(text, "\nproblem");
    assert_non_null(row);
    assert_non_null(strstr(row, "FAIL"));
    assert_non_null(strstr(row, " -\n"));
    free(text);
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_known_leaves_no_gap),
        cmocka_unit_test(gate_reports_are_golden),
        cmocka_unit_test(exports_are_golden),
        cmocka_unit_test(sarif_is_golden),
        cmocka_unit_test(a_log_has_ratchets_and_families),
        cmocka_unit_test(bench_reports_are_golden),
        cmocka_unit_test(compare_reports_are_golden),
        cmocka_unit_test(markdown_stays_within_its_limit),
        cmocka_unit_test(markup_in_names_is_escaped),
        cmocka_unit_test(foreign_text_is_shown_not_obeyed),
        cmocka_unit_test(bench_says_target_price_and_whom),
        cmocka_unit_test(bench_holds_against_the_fastest_peer),
        cmocka_unit_test(a_peer_without_a_valid_time_leaves_the_fastest_unknown),
        cmocka_unit_test(a_peer_that_supports_no_such_problem_is_left_out),
        cmocka_unit_test(data_says_how_many_distributions_have_a_time),
        cmocka_unit_test(a_kernel_of_the_system_is_no_driver),
        cmocka_unit_test(check_lines_say_where_and_how_to_repeat),
        cmocka_unit_test(colour_is_only_where_asked_for),
        cmocka_unit_test(formats_are_a_table),
        cmocka_unit_test(an_empty_result_prints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
