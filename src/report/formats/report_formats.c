// SPDX-License-Identifier: Apache-2.0
//
// The table of report formats (a new one is a printer and a line here), and the printers of text and JSON.
#include "report/formats/report_formats.h"

#include "report/export/export.h"
#include "report/html/html_page.h"
#include "report/result/report_parts.h"

static int print_text(const struct result *result, const struct report_options *options, struct strbuf *out) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena, .has_utf8 = options->has_utf8};
    int status = report_content_build(result, options, &blocks);
    if (status == 0) report_blocks_print(&blocks, options->has_color, out);
    arena_fini(&arena);
    return status;
}

static int print_json(const struct result *result, const struct report_options *options, struct strbuf *out) {
    (void)options;
    result_write(result, out);
    return 0;
}

static const struct report_format formats[] = {
    {"text", ".txt", "aligned tables for a terminal", print_text, false},
    {"line", ".txt", "one line: what was decided, as --quiet prints it", report_line_print, false},
    {"summary", ".txt", "one screen: checked, decided, how sure", report_summary_print, false},
    {"markdown", ".md", "for pull-request comments and step summaries", report_markdown_print, false},
    {"log", ".md", "the course of a run: environment, correctness, measured, next", report_log_print, false},
    {"json", ".json", "the result document", print_json, false},
    {"html", ".html", "one page with charts for a browser", html_page_print, false},
    {"junit", ".xml", "JUnit XML: a problem is a test case", export_junit_print, false},
    {"sarif", ".sarif", "SARIF 2.1.0: regressions at their file and line", export_sarif_print, false},
    {"csv", ".csv", "a row for each problem and side", export_csv_print, true},
    {"bencher", ".json", "Bencher Metric Format", export_bencher_print, true},
    {"action-benchmark", ".json", "github-action-benchmark, customSmallerIsBetter",
     export_action_benchmark_print, true},
    {"action-benchmark-rate", ".json", "github-action-benchmark, customBiggerIsBetter",
     export_action_benchmark_rate_print, true},
    {"google-benchmark", ".json", "google-benchmark's JSON, with every sample", export_google_benchmark_print,
     true},
    {"flashinfer", ".jsonl", "FlashInfer Trace, an evaluation a line", export_flashinfer_print, true},
    {"openmetrics", ".txt", "OpenMetrics text, for GitLab's metrics report", export_metrics_print, true},
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

const struct report_format *report_format_at(size_t index) {
    return index < FORMAT_COUNT ? &formats[index] : NULL;
}

const struct report_format *report_format_find(const char *name) {
    for (size_t i = 0; i < FORMAT_COUNT; ++i)
        if (str_equal(name, formats[i].name)) return &formats[i];
    return NULL;
}
