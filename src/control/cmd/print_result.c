// SPDX-License-Identifier: Apache-2.0
//
// See print_result.h.
#include "control/cmd/print_result.h"
#include "report/formats/report_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "control/flow/bench_run.h"
#include "control/flow/history_keep.h"
#include "control/flow/report/report_page.h"
#include "control/flow/trace_write.h"
#include "report/result/case_lines.h"
#include "verdict/summary.h"

int cmd_report(const char *format, const struct result *result, const struct report_options *report,
               struct strbuf *out, struct err *err) {
    const struct report_format *found = report_format_find(format);
    if (!found) {
        struct strbuf names = {0};
        for (size_t i = 0; report_format_at(i); ++i) strbuf_addf(&names, " %s", report_format_at(i)->name);
        int code =
            err_set(err, ERR_USAGE, "'%s' is no report format; there are:%s", format, strbuf_text(&names));
        strbuf_fini(&names);
        return code;
    }
    const char *metric = result->environment.metric; // NULL: time
    if (found->holds_times && metric && metric_is_counted(metric_parse(metric)))
        return err_set(err, ERR_USAGE, "format %s holds times, and this run measured %s", format, metric);
    if (found->print(result, report, out) < 0) return err_set(err, ERR_INTERNAL, "no memory for the report");
    return 0;
}

const char *cmd_report_format(const struct cmd_options *options) {
    return options->is_json ? "json" : options->is_quiet ? "line" : "text";
}

int cmd_print_sentence(const struct cmd_options *options, const char *sentence, int exit_code) {
    struct strbuf plain = {0}, out = {0};
    strbuf_add_plain(&plain, sentence, term_has_utf8());
    term_add(&out, cmd_wants_color(options), exit_code ? TERM_YELLOW : TERM_GREEN, strbuf_text(&plain));
    strbuf_add_char(&out, '\n');
    strbuf_fini(&plain);
    return cmd_print_free(&out);
}

int cmd_write_page(const struct run *run, struct err *err) {
    struct strbuf page = {0};
    int code = report_page_add(&run->result, report_options_default(), &page, err);
    if (code == 0) code = run_write_file(run, "report.html", strbuf_text(&page), err);
    strbuf_fini(&page);
    return code;
}

// 1 wins over 3: a wrong kernel matters more. If every problem is unsupported, nothing was measured: 3.
static int exit_code_of(struct result *result) {
    bool has_failure = false, has_invalid = false;
    size_t measured_count = 0;
    for (size_t i = 0; i < result->case_count; ++i) {
        for (uint32_t side = 0; side < result->side_count; ++side) {
            const struct result_case *item = &result->cases[i];
            enum outcome outcome = result_case_outcome(item, side);
            if (outcome_is_wrong(outcome)) has_failure = true;
            if (outcome_is_wrong(outcome) || outcome == OUTCOME_UNSUPPORTED) continue;
            struct summary summary;
            const char *sentence = NULL;
            if (summary_get(result, item, side, &summary) < 0) BUG("no memory for a summary");
            if (warnings_is_invalid(item, side, &summary, &result->arena, &sentence))
                has_invalid = true;
            else
                ++measured_count;
        }
    }
    if (has_failure) return 1;
    return has_invalid || !measured_count ? 3 : 0;
}

int cmd_print_bench(struct run *run, const struct cmd_options *options, struct err *err) {
    struct err page_err = {0};
    const int page_code = run->dir ? cmd_write_page(run, &page_err) : 0;
    int exit_code = exit_code_of(&run->result);
    struct strbuf out = {0};
    struct report_options report = report_options_default();
    report.has_color = cmd_wants_color(options);
    TRY(cmd_report(cmd_report_format(options), &run->result, &report, &out, err));
    if (!options->is_json && !options->is_quiet && page_code == 0)
        strbuf_add_linef(&out, "results: %s/result.json, for a browser %s/report.html", run->dir, run->dir);
    else if (!options->is_json && !options->is_quiet)
        strbuf_add_linef(&out, "results: %s/result.json", run->dir);
    int code = cmd_print_free(&out);
    code = cmd_close(page_code, &page_err, code ? code : exit_code);
    return cmd_write_output(options, &run->result, cmd_write_copies(run, code));
}

int cmd_write_copies(const struct run *run, int exit_code) {
    struct err err = {0};
    return cmd_close(run_publish(run, &err), &err, exit_code);
}

int cmd_write_output(const struct cmd_options *options, const struct result *result, int exit_code) {
    struct err err = {0};
    int code = options->output ? result_write_file(result, options->output, &err) : 0;
    if (code == 0 && options->trace) code = trace_write(&options->session, result, options->trace, &err);
    return cmd_close(code, &err, exit_code);
}

void cmd_keep(struct session *session, const struct run *run) {
    const char *warning = NULL;
    if (!run->dir) return;
    history_keep(session, &run->result, &warning);
    cmd_warn(warning);
}

void cmd_warn(const char *warning) {
    struct strbuf line = {0};
    if (!warning) return;
    strbuf_add_linef(&line, "warning: %s", warning);
    cmd_note_free(&line);
}

static int parse_document(const struct strbuf *text, const char *run_id, struct result *ret,
                          struct err *err) {
    json_t *root = NULL;
    TRY(json_read_text(text->text, text->length, run_id, &root, err));
    const int code = result_parse(root, run_id, ret, err);
    json_decref(root);
    return code;
}

int cmd_report_stored(struct store *store, const char *run_id, const char *format, bool has_color,
                      struct strbuf *out, struct err *err) {
    struct strbuf text = {0};
    struct result result = {0};
    struct report_options report = report_options_default();
    report.has_color = has_color;
    int code = store_document(store, run_id, &text, err);
    if (code == 0) code = parse_document(&text, run_id, &result, err);
    if (code == 0 && summary_set_all(&result) < 0)
        code = err_set(err, ERR_INTERNAL, "no memory for the summaries");
    if (code == 0) code = cmd_report(format, &result, &report, out, err);
    result_fini(&result);
    strbuf_fini(&text);
    return code;
}

int cmd_finish(const struct cmd_options *options, int code, struct run *run, struct session *session,
               struct err *err) {
    struct err late = {0};
    int exit_code = code < 0 ? cmd_fail(options, err) : code;
    if (code < 0 && options->trace)
        exit_code =
            cmd_close(trace_write_unbuilt(&options->session, err, options->trace, &late), &late, exit_code);
    if (code >= 0) cmd_keep(session, run);
    exit_code = cmd_close(run_close(run, err), err, exit_code);
    session_close(session);
    return exit_code;
}

// A line a setting in which the candidate's manifest differs from the revision's.
static void add_policy(const struct policy *policy, struct strbuf *out) {
    if (!policy) return;
    strbuf_add_linef(out, "policy     %s%s", policy->source == POLICY_BASELINE ? "of " : "of the candidate",
                     policy->source == POLICY_BASELINE ? str_or(policy->revision, "the baseline")
                     : policy->source == POLICY_FIRST  ? ": the revision has no manifest"
                                                       : ", by --policy");
    for (size_t i = 0; i < policy->change_count; ++i) {
        const struct policy_change *change = &policy->changes[i];
        strbuf_add_linef(out, "           %s: baseline %s, candidate %s, decides %s", change->setting,
                         str_or(change->baseline, "none"), str_or(change->candidate, "none"),
                         str_or(change->used, "none"));
    }
}

static void add_plan_text(const struct plan *plan, struct strbuf *out) {
    for (size_t i = 0; i < plan->side_count; ++i)
        strbuf_add_linef(out, "%-10s %s", side_role_name(plan->sides[i].role), plan->sides[i].label);
    add_policy(plan->gate.policy, out);
    if (plan->gate.is_same_code) strbuf_add(out, "same machine code: nothing would be measured\n");
    if (plan->gate.confirms_run_id)
        strbuf_add_linef(out, "confirms   %s: run %u of this code, on fresh data", plan->gate.confirms_run_id,
                         (unsigned)plan_rerun_number(plan));
    else if (plan_rerun_number(plan) > 1)
        strbuf_add_linef(out, "rerun      attempt %u of the job, as %s says, on fresh data",
                         (unsigned)plan_rerun_number(plan), str_or(plan->gate.attempt_host, "the code host"));
    if (plan->check_count)
        strbuf_add_linef(out, "check      %zu problem%s of suite %s", plan->check_count,
                         plan->check_count > 1 ? "s" : "", plan->check_suite);
    if (plan->not_checked)
        strbuf_add_linef(out, "unchecked  %s%s", plan->not_checked,
                         str_equal(plan->not_checked, RESULT_TIMES_ONLY) ? "" : " (not declared)");
    for (size_t i = 0; !plan->gate.is_same_code && i < plan->case_count; ++i)
        strbuf_add_linef(out, "measure    %-12s %s", str_or(plan->cases[i].short_name, "-"),
                         plan->cases[i].problem.name);
    if (plan->look_count) strbuf_add(out, "rounds     ");
    for (size_t i = 0; i < plan->look_count; ++i)
        strbuf_addf(out, "%s%u%s", i ? ", " : "", plan->looks[i], i + 1 == plan->look_count ? "\n" : "");
    if (plan->sim || plan->gate.is_same_code) return; // virtual time takes none
    char duration[32];
    progress_duration_format(plan_expected_s(plan), duration, sizeof duration);
    strbuf_addf(out, "time       about %s%s\n", duration, plan->look_count ? " for the first look" : "");
}

static int print_plan(const struct plan *plan, const struct cmd_options *options, bool is_built) {
    struct strbuf out = {0};
    if (options->is_json) {
        plan_write(plan, &out);
        return cmd_print_free(&out);
    }
    add_plan_text(plan, &out);
    // Lists what the plan assumes and was not checked: the run may still end with 69 or 1 before it measures.
    bool has_peer = false;
    for (size_t i = 0; i < plan->side_count; ++i) has_peer |= plan->sides[i].role == SIDE_PEER;
    if (plan->sim) return cmd_print_free(&out);
    if (!is_built) strbuf_add(&out, "not checked: whether the kernels build\n");
    if (!is_built && has_peer)
        strbuf_add(&out, "not checked: whether the libraries of the peers are there\n");
    if (!str_equal(plan->device, "cpu"))
        strbuf_add_linef(&out, "not checked: whether %s is there", plan->device);
    if (options->session.lock_clocks)
        strbuf_add_linef(&out, "not checked: whether its clocks can be held at '%s'",
                         options->session.lock_clocks);
    return cmd_print_free(&out);
}

int cmd_print_plan(const struct plan *plan, const struct cmd_options *options) {
    return print_plan(plan, options, true);
}

int cmd_print_bench_plan(struct session *session, const char *fallback_suite, uint32_t round_count,
                         const struct cmd_options *options, struct err *err) {
    struct plan plan = {0};
    TRY(bench_plan(session, session->options.command, fallback_suite, round_count, &plan, err));
    int code = print_plan(&plan, options, false);
    plan_fini(&plan);
    return code;
}

void cmd_print_builds(const struct session *session) {
    struct strbuf out = {0};
    for (size_t i = 0; session->options.is_verbose && i < session->side_count; ++i) {
        const struct result_side *side = &session->sides[i].spec;
        if (side->python)
            strbuf_add_linef(&out, "%s: Python, %s", side->label, side->python);
        else
            strbuf_add_linef(&out, "%s: %s %s", side->label, str_or(side->build.compiler, "linked in"),
                             str_or(side->build.flags, ""));
        strbuf_add_plain_lines(&out, "", str_or(side->build.log_tail, ""));
    }
    cmd_note_free(&out);
}

static void print_output(void *arg, const char *tail) {
    (void)arg;
    struct strbuf out = {0};
    strbuf_add_plain_lines(&out, "worker: ", tail);
    cmd_note_free(&out);
}

static void print_notice(void *arg, const char *text) {
    (void)arg;
    struct strbuf out = {0};
    strbuf_add_linef(&out, "note: %s", text);
    cmd_note_free(&out);
}

struct run_callbacks cmd_run_callbacks(const struct cmd_options *options) {
    return (struct run_callbacks){.on_output = options->session.is_verbose ? print_output : NULL,
                                  .on_notice = options->is_quiet ? NULL : print_notice,
                                  .wants_progress = cmd_wants_progress(options)};
}

void cmd_print_check(void *arg, const struct result *result, uint32_t case_index, uint32_t side) {
    struct check_print *print = arg;
    const enum outcome outcome = result->checks[case_index].checks[side].outcome;
    const bool is_fine = outcome == OUTCOME_OK || outcome == OUTCOME_UNSUPPORTED;
    if (!cmd_wants_progress(print->options) || (is_fine && print->options->is_failures_only)) return;
    struct case_line line = {
        .result = result,
        .item = &result->checks[case_index],
        .side = side,
        .number = (size_t)case_index + 1,
        .total = result->check_count,
        .has_color = cmd_wants_color(print->options),
        .has_label = print->checks_all && result->side_count > 1,
        .no_repeat = print->no_repeat,
    };
    struct strbuf text = {0};
    case_line_check(&line, &text);
    progress_hide(print->progress);
    cmd_print_free(&text);
}
