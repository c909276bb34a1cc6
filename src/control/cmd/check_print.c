// SPDX-License-Identifier: Apache-2.0
//
// See check_print.h.
#include "control/cmd/check_print.h"

#include "control/report/result/case_lines.h"

void check_print_line(void *arg, const struct result *result, uint32_t case_index, uint32_t side) {
    struct check_print *print = arg;
    if (print->options->is_json || print->options->is_quiet) return;
    struct case_line line = {
        .result = result,
        .item = &result->checks[case_index],
        .side = side,
        .number = (size_t)case_index + 1,
        .total = result->check_count,
        .has_color = cmd_wants_color(print->options),
        .has_label = print->checks_all && result->side_count > 1,
    };
    struct strbuf text = {0};
    case_line_check(&line, &text);
    progress_hide(print->progress);
    cmd_print(strbuf_text(&text));
    strbuf_fini(&text);
}
