// SPDX-License-Identifier: Apache-2.0
//
// `assay baseline set` measures a kernel and writes the file to commit; `assay baseline check` measures it
// again and says whether the figures were reproduced. Codes of check: 0 reproduced, 1 not reproduced, 3
// invalid.
#include "base/json_writer.h"
#include "base/signed_figure.h"
#include "control/cmd/baseline_store.h"
#include "control/cmd/print_result.h"
#include "control/flow/bench_run.h"
#include "control/flow/run_plan.h"
#include "control/plan/peer.h"
#include "verdict/classic/classic.h"

#define ROUNDS_UNNAMED UINT32_MAX

static int add_side(struct session *session, const char *fallback_kernel, struct err *err) {
    const char *kernel = session->options.kernel ? session->options.kernel : fallback_kernel;
    if (!kernel && !session->options.module) kernel = session_default_kernel(session);
    if (!kernel && !session->options.module)
        return session_fail_unnamed(session, "which kernel?", "--kernel or --module", err);
    return session_add_side(session, SIDE_CANDIDATE, session->options.module ? NULL : kernel, kernel, err);
}

static int set_baseline(const struct cmd_options *options, uint32_t round_count, struct session *session,
                        struct run *run, struct err *err) {
    if (!options->output)
        return err_set(err, ERR_USAGE, "where to? 'assay baseline set --output .ci/baseline_s512.json'");
    TRY(session_open(session, &options->session, err));
    TRY(add_side(session, NULL, err));
    const char *suite = session_default_suite(session);
    if (options->is_dry_run) return cmd_print_bench_plan(session, suite, round_count, options, err);
    struct plan plan = {0};
    struct run_callbacks callbacks = cmd_run_callbacks(options);
    TRY(session_build(session, NULL, err));
    TRY(bench_plan(session, "baseline", suite, round_count, &plan, err));
    run_plan_set_round_sampling(&plan, session);
    TRY(run_open(run, session, &plan, &callbacks, err));
    TRY(bench_measure(run, err));
    progress_fini(&run->progress);
    struct cmd_options printing = *options;
    printing.output = NULL;
    int exit_code = cmd_print_bench(run, &printing, err);
    if (exit_code != 0) return exit_code; // a kernel without valid times is no baseline: nothing is written
    // To be committed: the module lies in this machine's cache.
    if (!session->options.module) run->result.sides[0].module_path = NULL;
    return cmd_write_output(options, &run->result, 0);
}

static int print_json(const struct reproduced *answer) {
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 2);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "problems");
    for (size_t i = 0; i < answer->row_count; ++i) {
        const struct reproduced_row *row = &answer->rows[i];
        json_object_begin(&w, NULL);
        json_write_string(&w, "problem", row->name);
        json_maybe_double(&w, "median_ns", row->value_ns);
        json_maybe_double(&w, "reference_median_ns", row->reference_ns);
        json_maybe_double(&w, "median_change_pct", row->median_change_pct);
        json_maybe_double(&w, "throughput_change_pct", row->throughput_change_pct);
        json_write_bool(&w, "do_intervals_overlap", row->do_intervals_overlap);
        json_write_bool(&w, "is_match", row->is_match);
        json_maybe_string(&w, "invalid", row->invalid);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_write_i64(&w, "exit_code", answer->exit_code);
    json_object_end(&w);
    strbuf_add_char(&out, '\n');
    return cmd_print_free(&out);
}

static int print_text(const struct reproduced *answer, bool color) {
    struct strbuf out = {0};
    struct term_table *table = term_table_new(6, "lrrrll");
    const char *head[] = {"problem", "value", "reference", "change", "intervals", "reproduced"};
    term_table_add(table, head);
    term_table_rule(table);
    for (size_t i = 0; i < answer->row_count; ++i) {
        const struct reproduced_row *row = &answer->rows[i];
        char value[32], reference[32], change[40];
        term_format_time(row->value_ns, value, sizeof value);
        term_format_time(row->reference_ns, reference, sizeof reference);
        snprintf(change, sizeof change, "%s %%", signed_figure(row->median_change_pct, 1).text);
        const char *intervals = row->do_intervals_overlap ? "overlap" : "apart";
        const char *match = row->is_match ? "match" : "no match";
        const char *cells[] = {row->name, value, reference, change, intervals, match};
        const char *invalid_cells[] = {row->name, NULL, NULL, "", NULL, row->invalid};
        term_table_add(table, row->invalid ? invalid_cells : cells);
        term_table_style(table, 5, row->is_match ? TERM_GREEN : TERM_RED);
    }
    term_table_print(table, color, &out);
    strbuf_add_char(&out, '\n');
    strbuf_add_linef(&out, "%s", answer->sentence);
    term_table_free(table);
    return cmd_print_free(&out);
}

// In how many fresh processes the file was measured: rounds that count.
static uint32_t round_count_of(const struct result *reference) {
    uint32_t count = 1;
    for (size_t i = 0; i < reference->case_count; ++i) {
        uint32_t valid_count = 0;
        for (size_t k = 0; k < reference->cases[i].round_count; ++k)
            valid_count += reference->cases[i].rounds[k].is_valid;
        if (valid_count > count) count = valid_count;
    }
    return count;
}

// What this program has no operator for can be read and compared, but not measured.
static int bind_problems(const struct operator_set *operators, const char *path, struct result *reference,
                         struct err *err) {
    for (size_t i = 0; i < reference->case_count; ++i) {
        struct err why = {0};
        if (problem_bind(operators, &reference->cases[i].problem, &why) < 0)
            return err_set(err, ERR_DATA, "%s cannot be measured here: %s", path, why.text);
    }
    return 0;
}

// Adds exactly the problems of the file, whatever suite they came from.
static int add_problems(const struct result *reference, struct plan *plan, struct err *err) {
    struct suite_item *items = arena_array(&plan->arena, reference->case_count, sizeof *items);
    for (size_t i = 0; i < reference->case_count; ++i) {
        items[i].short_name = arena_strdup(&plan->arena, reference->cases[i].short_name);
        items[i].problem = reference->cases[i].problem;
        items[i].distribution = reference->cases[i].distribution;
        items[i].memory_layout = reference->cases[i].memory_layout;
        items[i].tolerance = reference->cases[i].tolerance;
    }
    struct suite suite = {.name = reference->suite ? reference->suite : "baseline",
                          .item_count = reference->case_count,
                          .items = items};
    return run_plan_add_cases(plan, &suite, err);
}

static int check_baseline(const char *path, const struct cmd_options *options, struct session *session,
                          struct result *reference, struct run *run, struct err *err) {
    TRY(result_read_file(path, reference, err));
    if (reference->side_count != 1)
        return err_set(err, ERR_DATA,
                       "%s holds %zu kernels; a baseline file holds one ('assay baseline set' writes it)",
                       path, reference->side_count);
    struct session_options wanted = options->session;
    const char *device = reference->environment.device;
    if (wanted.is_device_default && device && device_kind_of(device)) { // where it was measured
        wanted.device = device;
        wanted.is_device_default = false;
    }
    TRY(session_open(session, &wanted, err));
    TRY(bind_problems(&session->manifest.operators, path, reference, err));
    const struct result_side *measured = &reference->sides[0];
    TRY(add_side(session, peer_with_version(&session->arena, measured->kernel, measured->version), err));
    struct plan plan = {0};
    struct run_callbacks callbacks = cmd_run_callbacks(options);
    // Rounds and sampling are the file's; so are configuration and threads, unless options set them.
    if (!session->options.config) session->options.config = reference->sides[0].config;
    if (!session->options.thread_count)
        session->options.thread_count = (uint32_t)reference->environment.thread_count;
    if (!options->is_dry_run) TRY(session_build(session, NULL, err));
    run_plan_init(&plan, session, "baseline");
    plan.sampling = reference->sampling;
    plan.looks[0] = round_count_of(reference);
    TRY(add_problems(reference, &plan, err));
    if (options->is_dry_run) {
        const int code = cmd_print_plan(&plan, options);
        plan_fini(&plan);
        return code;
    }
    TRY(run_open(run, session, &plan, &callbacks, err));
    TRY(bench_measure(run, err));
    progress_fini(&run->progress);
    struct reproduced answer;
    TRY(reproduced_get(reference, &run->result, &run->result.arena, &answer, err));
    const int code = options->is_json    ? print_json(&answer)
                     : options->is_quiet ? cmd_print_sentence(options, answer.sentence, answer.exit_code)
                                         : print_text(&answer, cmd_wants_color(options));
    return cmd_write_output(options, &run->result, cmd_write_copies(run, code ? code : answer.exit_code));
}

static int run_baseline(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_line line = {.argc = argc, .argv = argv, .word_max = 2};
    struct err err = {0};
    struct session session = {0};
    struct result reference = {0};
    struct run run = {0};
    struct baseline_request request = {0};
    struct strbuf out = {0};
    uint32_t round_count = ROUNDS_UNNAMED;
    const struct option own[] = {
        OPTION_UNDER(OPTION_HOW),
        {"rounds", "N", "set: fresh processes, each with samples of its own (default 10); check: the file's",
         OPTION_COUNT, &round_count},
        OPTION_UNDER(OPTION_WHAT),
        {"branch", "B", "of a stored baseline (set: the run's own, show: the one checked out)", OPTION_TEXT,
         &request.branch},
        {"on", "DEVICE", "stored baselines of this device, by name or UUID", OPTION_TEXT, &request.device},
        OPTION_UNDER(OPTION_OUTPUT),
        {"store", "FILE",
         "file or postgresql:// address (default: ASSAY_STORE, the manifest's, .assay/history.db)",
         OPTION_TEXT, &request.store_path},
        {0},
    };
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0 && options.session.resume)
        code = err_set(&err, ERR_USAGE,
                       "a baseline is measured in one go; --resume is for fuzz, bench, run and gate");
    if (code == 0 && round_count != ROUNDS_UNNAMED && str_equal(line.words[0], "check"))
        code = err_set(&err, ERR_USAGE,
                       "check measures in as many rounds as its file has; --rounds is for 'set'");
    options.session.unnamed = SESSION_UNNAMED_CANDIDATE;
    if (code == 0 && str_equal(line.words[0], "set") && line.word_count == 1)
        code = set_baseline(&options, round_count == ROUNDS_UNNAMED ? REPRODUCED_ROUNDS : round_count,
                            &session, &run, &err);
    else if (code == 0 && str_equal(line.words[0], "set") && line.word_count == 2)
        code = baseline_store_set(&request, &options, line.words[1], &session, &out, &err);
    else if (code == 0 && str_equal(line.words[0], "show") && line.word_count == 1)
        code = baseline_store_show(&request, &options, &session, &out, &err);
    else if (code == 0 && str_equal(line.words[0], "list") && line.word_count == 1)
        code = baseline_store_list(&request, &options, &session, &out, &err);
    else if (code == 0 && str_equal(line.words[0], "check") && line.word_count == 2)
        code = check_baseline(line.words[1], &options, &session, &reference, &run, &err);
    else if (code == 0)
        code = err_set(&err, ERR_USAGE,
                       "it is 'assay baseline set --output F', 'assay baseline check F', or of the store "
                       "'assay baseline set RUN', 'show' or 'list'");
    if (code == 0 && out.length) code = cmd_print(strbuf_text(&out));
    strbuf_fini(&out);
    int exit_code = cmd_finish(&options, code, &run, &session, &err);
    result_fini(&reference);
    return exit_code;
}

const struct command command_baseline = {
    .is_output_document = true,
    .name = "baseline",
    .summary = "write a baseline file for committing, measure one again, or choose a stored run",
    .usage = "assay baseline set --output F [OPTIONS]\n"
             "       assay baseline check F [OPTIONS]\n"
             "       assay baseline set RUN [--branch B]\n"
             "       assay baseline show|list [--branch B] [--on DEVICE] [--suite S]",
    .details =
        "'set' measures a kernel in ten fresh processes and writes the file; 'check' measures the same\n"
        "problems in as many and prints value, reference and match: median within 3 %, throughput within\n"
        "5 %, confidence intervals overlapping. Codes of check: 0 reproduced, 1 not reproduced, 3 invalid.\n"
        "'set RUN' makes a run of the history the baseline of a branch, for its device and suite; 'list' "
        "and\n"
        "'show' print them. 'show --json' writes a file that gate takes as --baseline.\n"
        "\n"
        "example\n"
        "  assay baseline set --kernel simd --only s512 --output .ci/baseline_s512.json",
    .run = run_baseline,
    .option_groups = CMD_OPTIONS_MEASURING,
};
