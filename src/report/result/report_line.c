// SPDX-License-Identifier: Apache-2.0
//
// A result as one line: what was decided, with its counts; of a run without a decision what was measured, and
// how the sides compare; of a check how many problems passed.
#include "base/strbuf.h"
#include "base/term.h"
#include "report/result/case_lines.h"
#include "report/result/figure_text.h"
#include "report/result/report_parts.h"

// "simd: 27/27 passed; tiled: 26/27 passed, 1 failed"
static const char *checks_line(const struct result *result, struct arena *arena) {
    const char *line = "";
    for (uint32_t side = 0; side < result->side_count; ++side)
        line = arena_format(arena, "%s%s%s", line, side ? "; " : "", check_tally(result, side, true, arena));
    return line;
}

// Not wrapped, whatever the terminal's width: scripts read one line.
int report_line_print(const struct result *result, const struct report_options *options, struct strbuf *out) {
    struct arena arena = {0};
    const struct decision *decision = result->decision;
    const char *line = NULL;
    int status = 0;
    if (decision)
        line = report_verdict_line(decision, &arena);
    else if (result->case_count == 0 && result->check_count)
        line = checks_line(result, &arena);
    else
        status = report_bench_line(result, options, &arena, &line);
    term_add(out, options->has_color, decision ? report_exit_style(decision->exit_code) : TERM_PLAIN,
             figure_plain(line, options->has_utf8, &arena));
    strbuf_add_char(out, '\n');
    arena_fini(&arena);
    return status;
}
