// SPDX-License-Identifier: Apache-2.0
//
// The content of a report, in order: title, verdict, policy, where and how it was measured, checks, the
// table, changes in the build, warnings, how to repeat it. Text and Markdown are printed from the same
// blocks, HTML from the same parts between its charts.
#ifndef REPORT_RESULT_REPORT_PARTS_H
#define REPORT_RESULT_REPORT_PARTS_H

#include "report/result/report.h"
#include "report/result/report_block.h"

// -1: no memory. The caller sets blocks->arena.
int report_content_build(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks);
// The same as a comment: what changed first, the rest folded away.
int report_comment_build(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks);

// Its parts, one file each.
void report_content_title(const struct result *result, const struct report_options *options,
                          struct report_blocks *blocks); // and the verdict
const char *report_title(const struct result *result, const struct report_options *options,
                         struct arena *arena); // "simd against tiled"
const char *report_verdict_line(const struct decision *decision,
                                struct arena *arena); // "nothing got worse: 2 maintained (exit 0)"
void report_content_policy(const struct result *result,
                           struct report_blocks *blocks); // whose manifest decided, what it changes
void report_content_head(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks); // environment and settings
void report_content_checks(const struct result *result, struct report_blocks *blocks);
bool report_has_failures(const struct result *result); // of a check
void report_content_decision(const struct result *result, const struct report_options *options,
                             struct report_blocks *blocks); // table over the problems, means, verdict line
// Its parts. Unchanged is what nobody has to look at: maintained, the same code, no significant difference.
enum report_rows { REPORT_ROWS_ALL, REPORT_ROWS_CHANGED, REPORT_ROWS_UNCHANGED };
bool report_is_unchanged(const struct decision_case *item);
void report_content_outcomes(const struct result *result, const struct report_options *options,
                             enum report_rows rows, struct report_blocks *blocks); // the table
void report_content_trust(const struct result *result, const struct report_options *options,
                          struct report_blocks *blocks); // rounds, spread, p
#define REPORT_TRUST "How far that can be trusted"
void report_content_not_shown(const struct decision *decision, const struct report_options *options,
                              struct report_blocks *blocks);
// What does not fit in the table: guards, wrong results, what is undecided and why.
void report_content_sentences(const struct decision *decision, const struct report_options *options,
                              struct report_blocks *blocks);
void report_content_sureness(const struct result *result,
                             struct report_blocks *blocks); // and the geometric mean
// The changes with their intervals, drawn in characters, folded away.
void report_content_plot(const struct decision *decision, struct report_blocks *blocks);
// "12 other problems passed and are not shown."; nothing for 0.
void report_add_not_shown(size_t count, struct report_blocks *blocks);
// Its sentences on how sure it is: level, spread, what a verdict proves. To the block, which is the last one.
void report_add_sureness(const struct result *result, struct report_blocks *blocks,
                         struct report_block *block);
void report_content_ratchets(const struct result *result, const struct report_options *options,
                             struct report_blocks *blocks); // figures of the compiler that are held
// What moved between the sides, where that is known; and once, why it is not.
void report_content_explanation(const struct result *result, struct report_blocks *blocks);
void report_content_unexplained(const struct result *result, struct report_blocks *blocks);
int report_content_bench(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks); // lines per problem, a column per side, means
// "4 of 5 problems measured, 1 wrong; simd over tiled: geometric mean speed-up ...". -1: no memory.
int report_bench_line(const struct result *result, const struct report_options *options, struct arena *arena,
                      const char **ret);
// Whether times depend on the data: nothing unless a problem comes with several input distributions.
int report_content_data(const struct result *result, struct report_blocks *blocks);
int report_content_energy(const struct result *result, struct report_blocks *blocks); // nothing where unknown
int report_content_figures(const struct result *result,
                           struct report_blocks *blocks); // every figure, a wide table
void report_content_builds(const struct result *result, const struct report_options *options,
                           struct report_blocks *blocks); // code size, stack, ...
#define REPORT_WARNINGS "Warnings"
// And notes. told: a warning that stands elsewhere already; NULL: none.
int report_content_warnings(const struct result *result, const char *told, struct report_blocks *blocks);
void report_content_commands(const struct result *result, struct report_blocks *blocks); // to repeat it
// The command of a run so that it does the same again in any checkout: the baseline by its commit, the seed,
// and what else was given. NULL: it is not known.
const char *report_repeat_command(const struct result *result, struct arena *arena);

// The tolerances of one's own, a line each: "mine: atol 0.002, no 2 x rule: V is accumulated in fp16".
#define REPORT_TOLERANCES_MAX 16
#define REPORT_TOLERANCE      "tolerance of its own: " // before such a line
struct report_tolerances {
    size_t count;
    const char *lines[REPORT_TOLERANCES_MAX];
};
struct report_tolerances report_tolerances_get(const struct result *result, struct arena *arena);

// Labels and styles (labels.c). report_side_label: the label of the baseline or candidate, such as "simd":
// the option's label, else that of the side with this role (result_side_name()), else the role's name.
const char *report_side_label(const struct result *result, const struct report_options *options,
                              enum side_role role, struct arena *arena);
// The side that a report without a decision compares with the others: the first candidate, else the first.
#define REPORT_OF_REVISION " @ " // between a kernel and its revision in the label of a side
// The first side of that role; NULL: there is none.
const struct result_side *report_side_of(const struct result *result, enum side_role role);
bool report_is_of_revision(const struct result_side *side); // "git:main", "mine @ git:main"
size_t report_hash_length(const char *revision); // characters of the commit at its start; 0: too few for one
size_t report_subject(const struct result *result);
// The outcome as a label, "FAIL"; "not measured" for a measurement that has no times although nothing failed.
const char *report_untimed_label(enum outcome outcome);
enum term_style report_verdict_style(enum verdict verdict);
enum term_style report_exit_style(int exit_code);

// What the matrix has and the kernel does not declare that it takes; NULL: nothing.
const char *report_not_checked(const struct result *result, struct arena *arena);
// "2.2 device minutes of 3.0 minutes elapsed"; NULL: too little to show.
const char *report_used_text(const struct result *result, struct arena *arena);

// Blocks as Markdown, within the options' limit of bytes.
void report_markdown_add(struct report_blocks *blocks, const struct result *result,
                         const struct report_options *options, struct strbuf *out);

// The printers of Markdown, of one line, of the summary and of the log; HTML's is
// report/html/html_page.h's, those of text and JSON are report_formats.c's.
int report_markdown_print(const struct result *result, const struct report_options *options,
                          struct strbuf *out);
int report_summary_print(const struct result *result, const struct report_options *options,
                         struct strbuf *out);
int report_line_print(const struct result *result, const struct report_options *options, struct strbuf *out);
int report_log_print(const struct result *result, const struct report_options *options, struct strbuf *out);

#endif
