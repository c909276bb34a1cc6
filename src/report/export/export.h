// SPDX-License-Identifier: Apache-2.0
//
// A result in the forms that other tools read: one file each, all lines of the table in
// report/formats/report_formats.c. They hold summaries, never the samples.
#ifndef REPORT_EXPORT_EXPORT_H
#define REPORT_EXPORT_EXPORT_H

#include "report/result/report.h"

// ---- what is exported ----

// One problem of one side with times.
struct exported {
    const struct result_case *item;
    const struct result_side *side;
    const struct case_summary *figures;   // is_set
    const char *problem;                  // with its inputs: result_case_key
    const struct decision_case *decision; // of a gate's candidate; else NULL
    const char *name; // unique in the file: the problem's; with several sides "PROBLEM @ SIDE"
};

// Of a gate the candidate, of another run every side: what a history of measurements follows. In the arena.
size_t export_list(const struct result *result, struct arena *arena, const struct exported **ret);

// A field of CSV, in quotes (RFC 4180), as one plain line (base/plain_text.h). What a spreadsheet would take
// for a formula has a ' before it.
void export_csv_text(struct strbuf *out, const char *text);
void export_csv_double(struct strbuf *out, double value); // one more, behind a comma; empty if not finite

// ---- printers: -1: no memory ----

int export_csv_print(const struct result *result, const struct report_options *options, struct strbuf *out);
// JUnit XML, as Jenkins' and GitLab's readers take it: a problem is a test case.
int export_junit_print(const struct result *result, const struct report_options *options, struct strbuf *out);
// SARIF 2.1.0: what a gate holds against the candidate, at the file and line that it belongs to.
int export_sarif_print(const struct result *result, const struct report_options *options, struct strbuf *out);
// Bencher Metric Format (bencher.dev/bmf.json): latency in ns with its 95 % interval, throughput in FLOP/s.
int export_bencher_print(const struct result *result, const struct report_options *options,
                         struct strbuf *out);
// Input of github-action-benchmark's customSmallerIsBetter: times; and of customBiggerIsBetter: rates.
int export_action_benchmark_print(const struct result *result, const struct report_options *options,
                                  struct strbuf *out);
int export_action_benchmark_rate_print(const struct result *result, const struct report_options *options,
                                       struct strbuf *out);
// google-benchmark's JSON, schema version 1: a run's samples as repetitions, and aggregates.
int export_google_benchmark_print(const struct result *result, const struct report_options *options,
                                  struct strbuf *out);
// FlashInfer Trace: a line of JSON for each problem and side.
int export_flashinfer_print(const struct result *result, const struct report_options *options,
                            struct strbuf *out);
// OpenMetrics text, for GitLab's metrics report.
int export_metrics_print(const struct result *result, const struct report_options *options,
                         struct strbuf *out);

#endif
