// SPDX-License-Identifier: Apache-2.0
//
// `assay fuzz`: checks a kernel on many problems. Codes: 0 all passed; 1 at least one failed, crashed or
// hung; 2 no kernel was named, so the oracle itself was checked, or the module file is missing, or all passed
// and a known wrong result of the declared operator would have; 3 nothing passed, or some problems could not
// be checked. With --audit: 0 no wrong result passes, 1 one
// does, or an input never matters.
#include <stdio.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "control/cmd/fuzz_audit.h"
#include "control/cmd/print_result.h"
#include "control/flow/audit_run.h"
#include "control/flow/fuzz_failure.h"
#include "control/flow/fuzz_run.h"
#include "control/plan/peer.h"
#include "op/example.h"
#include "report/result/case_lines.h"
#include "report/result/report_parts.h"

// ---- failures ----

// The first failures of a run are checked alone before they are printed: a command that repeats one has to
// fail too.
#define ALONE_MAX 8

struct failures {
    struct check_print print;
    struct run *run;
    uint32_t alone_count;           // that were checked alone ...
    uint32_t dependent_count;       // ... and those of them that passed
    uint32_t dependents[ALONE_MAX]; // by their case
};

static bool is_dependent(const struct failures *failures, size_t case_index) {
    for (uint32_t i = 0; i < failures->dependent_count; ++i)
        if (failures->dependents[i] == case_index) return true;
    return false;
}

// NULL: the command that repeats this failure does, or nobody knows better. A failure that ran out of time is
// not waited for once more, and a simulated kernel keeps nothing between its problems.
static const char *look_alone(struct failures *failures, uint32_t case_index, uint32_t side) {
    const struct result_case *item = &failures->run->result.checks[case_index];
    struct err ignored = {0};
    if (side != 0 || failures->run->plan.sim || item->checks[side].outcome == OUTCOME_TIMEOUT) return NULL;
    if (failures->alone_count == ALONE_MAX)
        return failures->dependent_count ? "not checked alone: see below" : NULL;
    ++failures->alone_count;
    if (fuzz_fails_alone(failures->run, side, item, &ignored) != 0) return NULL;
    failures->dependents[failures->dependent_count++] = case_index;
    return "passes when it is checked alone: see below";
}

static void on_check(void *arg, const struct result *result, uint32_t case_index, uint32_t side) {
    struct failures *failures = arg;
    const bool is_wrong = outcome_is_wrong(result->checks[case_index].checks[side].outcome);
    const bool is_shown = is_wrong && cmd_wants_progress(failures->print.options);
    failures->print.no_repeat = is_shown ? look_alone(failures, case_index, side) : NULL;
    cmd_print_check(&failures->print, result, case_index, side);
}

// After which problems the first of those fails that pass alone.
static void add_dependent(const struct failures *failures, struct strbuf *out) {
    struct run *run = failures->run;
    struct problem before[FUZZ_BEFORE_MAX];
    if (!failures->dependent_count) return;
    const uint32_t failing = failures->dependents[0];
    const struct result_case *item = &run->result.checks[failing];
    const size_t count = fuzz_find_before(run, 0, failing, before);
    strbuf_add_char(out, '\n');
    strbuf_add_linef(out, "passes when it is checked alone: %s", item->problem.name);
    if (!count) {
        strbuf_add(out,
                   "  after the problems before it it passes, too, with its inputs: it fails by chance, or "
                   "after other inputs\n");
        return;
    }
    strbuf_add(out, "  it fails after other problems in the same process: the kernel keeps something between "
                    "calls that it must not\n");
    strbuf_add_linef(out, "  repeat: %s",
                     check_command_after(&run->result, item, 0, before, count, &run->result.arena));
}

// The smallest problem that still fails the same way, for the first case that fails alone. An error ends the
// search, and nothing is said of what it has found; only an interrupt ends the command.
static int add_shrunk(const struct failures *failures, struct strbuf *out, struct err *err) {
    struct run *run = failures->run;
    struct result *result = &run->result;
    for (size_t i = 0; i < result->check_count; ++i) {
        const struct result_case *item = &result->checks[i];
        if (!outcome_is_wrong(item->checks[0].outcome) || is_dependent(failures, i)) continue;
        struct problem smallest;
        struct check_result check;
        struct err why = {0};
        const int code = fuzz_shrink(run, 0, item, &smallest, &check, &why);
        if (code == -ERR_CANCELLED)
            return err_set(err, ERR_CANCELLED,
                           "interrupted while a smaller problem was looked for; what was checked is in "
                           "'%s/result.json'",
                           run->dir);
        if (code < 0) {
            strbuf_add_char(out, '\n');
            strbuf_add_linef(out, "no smaller problem was looked for: %s", why.text);
        }
        // Of one problem alone all is said above.
        if (code < 0 || (code == 0 && result->check_count == 1)) return 0;
        if (code == 0) smallest = item->problem, check = item->checks[0];
        strbuf_addf(out, "\nsmallest problem that fails in the same way: %s\n", smallest.name);
        if (check.message[0]) strbuf_add_linef(out, "  %s", check.message);
        struct result_case small = *item;
        small.problem = smallest;
        strbuf_add_linef(out, "  repeat: %s", check_command(result, &small, 0, &result->arena));
        return 0;
    }
    return 0;
}

// Unsupported problems do not fail the run if another passed. Checks that were not made are never success.
static int exit_code_of(const struct result *result, bool is_oracle) {
    struct check_counts counts = check_counts_get(result, 0, true);
    if (counts.failed + counts.crashed + counts.timed_out) return 1;
    if (is_oracle) return 2;
    // A library as second oracle does not decide: float64 does. But a library that is itself wrong confirms
    // nothing, which is not success.
    struct check_counts oracle = {0};
    if (result->side_count >= 2) oracle = check_counts_get(result, 1, true);
    if (oracle.failed + oracle.crashed + oracle.timed_out) return 3;
    return counts.passed && counts.passed + counts.unsupported == counts.total ? 0 : 3;
}

// "27/27 simd", which scripts search for; "25/27 simd: 1 failed, 1 unsupported" if not all passed; "27/27
// oracle (cudnn)" for a library.
static void add_tally(const struct result *result, uint32_t side, bool is_oracle, bool color,
                      struct strbuf *out) {
    struct check_counts counts = check_counts_get(result, side, true);
    const struct {
        const char *name;
        size_t count;
    } others[] = {{"failed", counts.failed},       {"crashed", counts.crashed},
                  {"timed out", counts.timed_out}, {"unsupported", counts.unsupported},
                  {"skipped", counts.skipped},     {"not valid", counts.not_valid},
                  {"not reached", counts.open}};
    char ratio[64];
    snprintf(ratio, sizeof ratio, "%zu/%zu", counts.passed, counts.total);
    term_add(out, color, counts.passed == counts.total ? TERM_GREEN : TERM_RED, ratio);
    const struct result_side *who = &result->sides[side];
    strbuf_add_char(out, ' ');
    strbuf_add_plain(out, is_oracle ? "oracle" : who->label, true);
    if (is_oracle && peer_find(NULL, who->kernel)) strbuf_addf(out, " (%s)", who->label); // a library
    struct strbuf list = {0};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        if (others[i].count) comma_addf(&list, "%zu %s", others[i].count, others[i].name);
    strbuf_addf(out, "%s%s", list.length ? ": " : "", strbuf_text(&list));
    strbuf_fini(&list);
}

// --quiet: the tallies of all sides.
static void add_line(const struct result *result, bool is_oracle, bool color, struct strbuf *out) {
    for (uint32_t side = 0; side < result->side_count; ++side) {
        if (side) strbuf_add(out, "; ");
        add_tally(result, side, is_oracle || side > 0, color, out);
    }
    strbuf_add_char(out, '\n');
}

// Nothing was checked: what would be is one option away.
static void add_way_out(const struct result *result, struct strbuf *out) {
    const struct check_counts counts = check_counts_get(result, 0, true);
    if (!counts.total || counts.unsupported != counts.total) return;
    strbuf_add_linef(out, "%s supports none of them (%s): name others with --dtype, --suite or --problem",
                     result->sides[0].label, result->checks[0].checks[0].message);
}

// Of the whole matrix of a declared operator: whether it says anything. Lines for the user; empty: it does.
static void add_not_judged(struct run *run, struct strbuf *out) {
    const struct operator_def *op = run->plan.check_count ? run->plan.checks[0].problem.op : NULL;
    struct audit_faults faults;
    struct err err = {0};
    if (!op || !str_equal(run->plan.check_suite, op->check_suite)) return;
    if (audit_not_judged(&run->plan, 0, &run->result.arena, &faults, &err) < 0)
        strbuf_add_linef(out, "not judged: %s", err.text);
    for (size_t i = 0; i < faults.count; ++i) {
        strbuf_add_linef(out, "not judged: %s", faults.items[i].sentence);
        if (faults.items[i].to_do) strbuf_add_linef(out, "  to do: %s", faults.items[i].to_do);
    }
}

static int print_end(const struct failures *failures, const struct cmd_options *options,
                     const struct fuzz_request *request, struct err *err) {
    struct run *run = failures->run;
    struct strbuf out = {0}, not_judged = {0};
    const bool is_oracle = run->plan.is_oracle_only;
    int code = exit_code_of(&run->result, is_oracle), shrunk = 0;
    if (code == 0) add_not_judged(run, &not_judged);
    if (not_judged.length) code = 2;
    if (options->is_json || options->is_quiet) fputs(strbuf_text(&not_judged), stderr);
    if (options->is_json) {
        result_write(&run->result, &out);
    } else if (options->is_quiet) {
        add_line(&run->result, is_oracle, cmd_wants_color(options), &out);
    } else {
        const bool is_elsewhere = !options->session.is_device_default &&
                                  device_kind_of(run->plan.device) != device_kind_of(options->session.device);
        strbuf_add_char(&out, '\n');
        for (uint32_t side = 0; side < run->result.side_count; ++side) {
            add_tally(&run->result, side, is_oracle || side > 0, cmd_wants_color(options), &out);
            strbuf_add_char(&out, '\n');
        }
        const struct report_tolerances own = report_tolerances_get(&run->result, &run->result.arena);
        for (size_t i = 0; i < own.count; ++i) strbuf_add_linef(&out, REPORT_TOLERANCE "%s", own.lines[i]);
        const char *not_checked = report_not_checked(&run->result, &run->result.arena);
        if (not_checked) strbuf_add_linef(&out, "not checked: %s", not_checked);
        for (size_t i = 0; i < run->result.warning_count; ++i)
            if (str_starts(run->result.warnings[i], DECIDES_SUBJECT) ||
                str_starts(run->result.warnings[i], MADE_SUBJECT))
                strbuf_add_linef(&out, "%s", run->result.warnings[i]);
        add_way_out(&run->result, &out);
        add_dependent(failures, &out);
        if (code == 1 && !request->is_not_shrunk) shrunk = add_shrunk(failures, &out, err);
        strbuf_add(&out, strbuf_text(&not_judged));
        if (is_oracle && is_elsewhere)
            strbuf_add(&out,
                       "the plain kernel was checked, on the processor: no library for this device was\n");
        if (is_oracle && code == 2)
            strbuf_add(&out, "skipped: no kernel; name one with --kernel or --module\n");
        strbuf_add_linef(&out, "results: %s/result.json", run->dir);
    }
    int print_code = cmd_print_free(&out);
    strbuf_fini(&not_judged);
    if (shrunk < 0) return shrunk;
    return print_code ? print_code : code;
}

static int list_cases(const struct plan *plan, const struct cmd_options *options) {
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 2);
    if (options->is_json) json_array_begin(&w, NULL);
    for (size_t i = 0; i < plan->check_count; ++i) {
        const struct plan_case *item = &plan->checks[i];
        if (options->is_json)
            json_write_string(&w, NULL, item->problem.name);
        else if (str_equal(item->distribution, OP_DISTRIBUTION_DEFAULT) &&
                 item->memory_layout == MEMORY_LAYOUT_DENSE)
            strbuf_addf(&out, "[%zu/%zu] %s\n", i + 1, plan->check_count, item->problem.name);
        else
            strbuf_addf(&out, "[%zu/%zu] %s, %s inputs, %s\n", i + 1, plan->check_count, item->problem.name,
                        item->distribution, memory_layout_name(item->memory_layout));
    }
    if (options->is_json) {
        json_array_end(&w);
        strbuf_add_char(&out, '\n');
    }
    return cmd_print_free(&out);
}

static int fuzz(const struct cmd_options *options, const struct fuzz_request *request, bool is_list_only,
                struct session *session, struct run *run, struct err *err) {
    struct plan plan = {0};
    struct failures failures = {.print = {.options = options, .progress = &run->progress, .checks_all = true},
                                .run = run};
    struct run_callbacks callbacks = cmd_run_callbacks(options);
    callbacks.on_check = on_check;
    callbacks.arg = &failures;
    TRY(session_open(session, &request->session, err));
    if (!request->session.resume) {
        // A list follows a kernel that is named; without one it takes none, and asks no library.
        if (!is_list_only || request->session.kernel || request->session.module) {
            TRY(fuzz_add_sides(session, request, err));
            cmd_print_builds(session);
        }
        TRY(fuzz_plan(session, request, &plan, err));
        if (is_list_only || options->is_dry_run) {
            int code = is_list_only ? list_cases(&plan, options) : cmd_print_plan(&plan, options);
            plan_fini(&plan);
            return code;
        }
    }
    TRY(run_open(run, session, &plan, &callbacks, err));
    if (run->plan.is_oracle_only && callbacks.on_notice)
        callbacks.on_notice(callbacks.arg, "no kernel is named (--kernel): the oracle itself is checked");
    TRY(executor_run_checks(&run->executor, err));
    progress_fini(&run->progress);
    TRY(run_write_result(run, err));
    // A search for smaller problems that was interrupted (negative) loses nothing of what was found.
    return cmd_write_output(options, &run->result, print_end(&failures, options, request, err));
}

// No run and no sides: the cases alone. No folder of runs is made either.
static int audit(const struct cmd_options *options, const struct fuzz_request *request, bool is_list_only,
                 struct session *session, struct err *err) {
    struct plan plan = {0};
    TRY(audit_check_options(request, err));
    if (options->output) TRY(file_check_target(options->output, err));
    TRY(session_open(session, &request->session, err));
    int code = fuzz_plan(session, request, &plan, err);
    const bool is_list = is_list_only || options->is_dry_run;
    for (size_t i = 0; i < plan.check_count && code == 0 && !is_list; ++i)
        code = session_build_reference(session, plan.checks[i].problem.op->name, err);
    if (code == 0) code = is_list ? list_cases(&plan, options) : cmd_fuzz_audit(&plan, options, err);
    plan_fini(&plan);
    return code;
}

static int skip_missing_module(const struct cmd_options *options) {
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 2);
    if (options->is_json) {
        json_object_begin(&w, NULL);
        json_write_string(&w, "skipped", "the module is not there");
        json_write_string(&w, "module", options->session.module);
        json_object_end(&w);
        strbuf_add_char(&out, '\n');
    } else {
        strbuf_add_linef(&out, "skipped: there is no module %s", options->session.module);
    }
    int code = cmd_print_free(&out);
    return code ? code : 2;
}

static int run_fuzz(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct fuzz_request request = {0};
    bool is_list_only = false, is_audit = false;
    const struct option own[] = {
        {"boundary", NULL, "add suite boundary, what regular shapes miss: tails, masks, NaN, ...",
         OPTION_FLAG, &request.is_boundary},
        OPTION_UNDER(OPTION_HOW),
        {"repeat", "N", "require bitwise equal outputs over N launches", OPTION_COUNT, &request.repeat_count},
        {"no-shrink", NULL, "of a failure: look for no smaller problem that fails too", OPTION_FLAG,
         &request.is_not_shrunk},
        OPTION_UNDER(OPTION_WHAT),
        {"distribution", "NAME", "inputs: normal, huge_logits, outlier_row, nan, ...", OPTION_TEXT,
         &request.distribution},
        OPTION_FORMERLY("family"),
        {"memory-layout", "dense|padded|offset|packed|far", "how tensors lie in memory", OPTION_TEXT,
         &request.memory_layout},
        OPTION_FORMERLY("placement"),
        OPTION_UNDER(OPTION_HOW),
        {"oracle", "NAME", "also check cudnn or torch against float64; without a kernel, only that",
         OPTION_TEXT, &request.oracle},
        OPTION_UNDER(OPTION_WHAT),
        {"audit", NULL, "try known wrong results, not a kernel: do the tolerances let one pass?", OPTION_FLAG,
         &is_audit},
        OPTION_UNDER(OPTION_OUTPUT),
        {"list", NULL, "only list the cases", OPTION_FLAG, &is_list_only},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct session session = {0};
    struct run run = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0 && !is_audit && options.session.module && !file_exists(options.session.module))
        return skip_missing_module(&options);
    options.session.others = request.oracle;
    request.session = options.session;
    if (code == 0)
        code = is_audit ? audit(&options, &request, is_list_only, &session, &err)
                        : fuzz(&options, &request, is_list_only, &session, &run, &err);
    return cmd_finish(&options, code, &run, &session, &err);
}

const struct command command_fuzz = {
    .is_output_document = true,
    .isolates = true,
    .resumes_plan = true,
    .name = "fuzz",
    .summary = "is a kernel right? every element against float64 on many problems",
    .usage = "assay fuzz [--kernel K | --module F.so | --audit] [--boundary] [OPTIONS]",
    .details =
        "Runs a kernel over the correctness matrix of its operator (of attention 27 problems, in a dtype "
        "that\n"
        "it supports; --suite boundary: what gates check, in all of them) and compares every element of\n"
        "every output with float64. --suite and --problem say other problems. Without a kernel the\n"
        "oracle itself is checked: --oracle, on a GPU cuDNN or PyTorch, else the plain kernel of the 2 x\n"
        "rule.\n"
        "Codes: 0 all passed, 1 at least one failed, crashed or hung, 2 no kernel, or a declared operator\n"
        "that a known wrong result passes, 3 nothing passed, or some could not be checked.\n"
        "--audit runs no kernel: known wrong results (zeros, stale output, half the precision, a mask off "
        "by\n"
        "one, ...) go through the comparison. Codes: 0 none passes, 1 a tolerance lets one through,\n"
        "or an input of a declared operator never matters.\n"
        "\n"
        "example\n"
        "  assay fuzz --kernel simd --suite boundary\n"
        "  assay fuzz --module ./fa.so --problem " OP_EXAMPLE_EDGE_PROBLEM,
    .run = run_fuzz,
    .option_groups = CMD_OPTIONS_CHECKING | CMD_OPTIONS_FAILURES,
    .is_on_first_screen = true,
};
