// SPDX-License-Identifier: Apache-2.0
//
// See fuzz_audit.h.
#include "control/cmd/fuzz_audit.h"

#include "control/flow/audit_run.h"
#include "report/audit/audit_report.h"

static void print_case(void *arg, const struct audit *audit, size_t case_index) {
    const struct cmd_options *options = arg;
    if (!cmd_wants_progress(options)) return;
    struct strbuf out = {0};
    audit_case_text(audit, case_index, cmd_wants_color(options), &out);
    cmd_print_free(&out);
}

static int print_end(struct audit *audit, const struct cmd_options *options) {
    struct strbuf json = {0}, text = {0};
    const struct audit_view view = {.has_color = cmd_wants_color(options),
                                    .is_verbose = options->session.is_verbose};
    if (options->is_json || options->output) audit_report_json(audit, &json);
    if (options->is_quiet) {
        audit_report_line(audit, &view, &text);
    } else if (!options->is_json) {
        strbuf_add_char(&text, '\n');
        audit_report_text(audit, &view, &text);
    }
    int code = cmd_print(strbuf_text(options->is_json ? &json : &text));
    code = cmd_write_beside(options->output, &json, code ? code : audit_exit_code(audit));
    strbuf_fini(&json);
    strbuf_fini(&text);
    return code;
}

int cmd_fuzz_audit(const struct plan *plan, const struct cmd_options *options, struct err *err) {
    struct audit audit;
    struct cmd_options copy = *options;
    int code = audit_run(plan, print_case, &copy, &audit, err);
    if (code == 0) code = print_end(&audit, options);
    audit_fini(&audit);
    return code;
}
