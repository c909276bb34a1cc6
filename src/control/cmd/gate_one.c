// SPDX-License-Identifier: Apache-2.0
//
// See gate_one.h.
#include "control/cmd/gate_one.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "code_host/publication.h"
#include "control/compile/revision.h"
#include "control/flow/device_lock.h"
#include "control/flow/gate/gate_broken.h"
#include "control/flow/report/report_page.h"
#include "control/flow/worker_query.h"

static void add_rerun(const struct plan *plan, struct strbuf *out) {
    static const char fresh[] = "fresh data are drawn from seed";
    const unsigned number = (unsigned)plan_rerun_number(plan);
    if (plan->gate.confirms_run_id)
        strbuf_add_linef(
            out, "rerun %u: this code was decided against in run %s; %s %" PRIu64 ", whatever --seed says",
            number, plan->gate.confirms_run_id, fresh, plan->seed);
    else if (number > 1)
        strbuf_add_linef(
            out, "rerun %u: %s says that this is attempt %u of the job; %s %" PRIu64 ", whatever --seed says",
            number, str_or(plan->gate.attempt_host, "the code host"), number, fresh, plan->seed);
}

static void print_start(const struct plan *plan, const struct cmd_options *options) {
    if (!cmd_wants_progress(options)) return;
    struct strbuf out = {0};
    const char *candidate = plan->sides[plan->side_count - 1].label;
    const char *baseline = str_or(plan->gate.stored_baseline, plan->sides[0].label);
    if (plan->gate.is_same_code)
        strbuf_add_linef(&out, "gate: %s against %s", candidate, baseline);
    else
        strbuf_add_linef(
            &out, "gate: %s against %s, %zu problem%s checked, %zu measured in rounds of fresh processes",
            candidate, baseline, plan->check_count, plan->check_count == 1 ? "" : "s", plan->case_count);
    const struct policy *policy = plan->gate.policy;
    if (policy && policy->change_count)
        strbuf_add_linef(&out, "policy: the candidate's manifest changes %s%s; %s",
                         policy->changes[0].setting, policy->change_count > 1 ? " and more" : "",
                         policy->source == POLICY_BASELINE ? "the baseline's decides, or the stricter value"
                                                           : "it decides, as --policy candidate asks for");
    add_rerun(plan, &out);
    cmd_print_free(&out);
}

int gate_write_reports(const struct result *result, const char *dir, struct err *err) {
    struct arena arena = {0};
    struct strbuf markdown = {0}, page = {0};
    struct report_options report = report_options_default();
    report.limit_bytes = REPORT_COMMENT_BYTES;
    int code = cmd_report("markdown", result, &report, &markdown, err);
    if (code == 0) code = report_page_add(result, report_options_default(), &page, err);
    if (code == 0)
        code = file_write_atomic(arena_format(&arena, "%s/report.md", dir), strbuf_text(&markdown),
                                 markdown.length, err);
    if (code == 0)
        code = file_write_atomic(arena_format(&arena, "%s/report.html", dir), strbuf_text(&page), page.length,
                                 err);
    strbuf_fini(&markdown);
    strbuf_fini(&page);
    arena_fini(&arena);
    return code;
}

// --github, --gitlab. The verdict stands whatever becomes of it.
void gate_publish_to(const char *host, struct result *result, const char *dir) {
    const struct publish_request request = {.host = code_host_find(host), .run_dir = dir};
    struct published published = {0};
    struct err err = {0};
    if (!host) return;
    if (code_host_publish(&request, result, &result->arena, &published, &err) < 0)
        published.warning = err.text;
    cmd_warn(published.warning);
    cmd_command_runner_free(&published.commands);
}

// Of a branch that the manifest names; a pull request is checked out as no branch.
void gate_notify(struct session *session, struct notify_request request) {
    char *branch = session->has_manifest ? revision_branch(session->manifest.dir) : NULL;
    request.branch = branch;
    cmd_warn(notify_result(session, &request).warning);
    free(branch);
}

int gate_print_report(const struct cmd_options *options, const struct result *result, const char *dir,
                      struct err *err) {
    struct strbuf out = {0};
    struct report_options report = report_options_default();
    report.has_color = cmd_wants_color(options);
    report.is_failures_only = options->is_failures_only;
    TRY(cmd_report(cmd_report_format(options), result, &report, &out, err));
    if (!options->is_json && !options->is_quiet && dir)
        strbuf_add_linef(&out, "report: %s/report.md, for a browser %s/report.html", dir, dir);
    const int code = cmd_print_free(&out);
    return code ? code : result->decision->exit_code;
}

// Nothing that cannot be written keeps the verdict from whom it is for: it is an error after all else.
int gate_put(const struct gate_one *one, struct session *session, struct result *result,
             struct notify_request request, const char *dir, struct err *err) {
    const struct cmd_options *options = one->options;
    struct err report_err = {0};
    const int reports = gate_write_reports(result, dir, &report_err);
    gate_publish_to(one->code_host, result, dir);
    int code = gate_print_report(options, result, reports < 0 ? NULL : dir, err);
    if (code < 0) return code;
    request.result = result;
    gate_notify(session, request);
    code = cmd_close(reports, &report_err, code);
    return cmd_write_output(options, result, code);
}

int gate_one_run(const struct gate_one *one, struct gate *gate, struct err *err) {
    const struct cmd_options *options = one->options;
    const struct gate_request *request = one->request;
    struct check_print print = {.options = options, .progress = &gate->run.progress};
    struct run_callbacks callbacks = cmd_run_callbacks(options);
    callbacks.on_check = cmd_print_check;
    callbacks.arg = &print;
    struct plan plan = {0};
    TRY(gate_open(gate, request, err));
    cmd_print_builds(&gate->session);
    if (!request->session.resume) {
        TRY(gate_plan(gate, &plan, err));
        if (options->is_dry_run) {
            int code = cmd_print_plan(&plan, options);
            plan_fini(&plan);
            return code;
        }
    }
    TRY(gate_start(gate, &plan, &callbacks, err));
    if (!gate->run.plan.gate.is_same_code) TRY(query_device_is_there(&gate->run.plan, err));
    print_start(&gate->run.plan, options);
    TRY(gate_decide(gate, err));
    progress_fini(&gate->run.progress);
    cmd_keep(&gate->session, &gate->run);
    if (!one->is_part) device_lock_release(options->session.device_lock);
    if (one->is_part) return gate->run.result.decision->exit_code;
    return gate_put(one, &gate->session, &gate->run.result, (struct notify_request){0}, gate->run.dir, err);
}

// In a folder of its own, which a job keeps and a later one publishes. A warning if that fails: the exit code
// stands.
static void publish_broken(const char *host, struct gate *gate, const struct err *cause, int exit_code) {
    struct result result;
    struct err err = {0};
    gate_broken_result(gate, cause, exit_code, &result);
    const char *dir = arena_format(&result.arena, "%s/%s", gate->session.options.output_dir, result.run_id);
    int code = result_write_in(&result, dir, &err);
    if (code == 0) code = gate_write_reports(&result, dir, &err);
    if (code < 0) cmd_warn(err.text);
    gate_publish_to(host, &result, code < 0 ? NULL : dir);
    result_fini(&result);
}

int gate_one_fail(const struct gate_one *one, struct gate *gate, const struct err *err) {
    const int code = gate_one_broken_code(gate);
    if (!code) return cmd_fail(one->options, err);
    const int ret = cmd_fail_with(one->options, err, code);
    if (one->code_host && !one->options->is_dry_run) publish_broken(one->code_host, gate, err, code);
    return ret;
}

int gate_one_broken_code(const struct gate *gate) {
    switch (gate->stage) {
    case GATE_STAGE_CANDIDATE_BROKEN: return 1;
    case GATE_STAGE_BASELINE_BROKEN:
    case GATE_STAGE_KERNEL_REMOVED: return 3;
    default: return 0;
    }
}
