// SPDX-License-Identifier: Apache-2.0
//
// What a report says, in which order: title, verdict, where and how it was measured, checks, the table, what
// the compiler changed, warnings, how to repeat it. The same for text and Markdown.
#ifndef CONTROL_REPORT_RESULT_REPORT_CONTENT_H
#define CONTROL_REPORT_RESULT_REPORT_CONTENT_H

#include "control/report/result/report.h"
#include "control/report/result/report_block.h"

// -1: no memory. blocks->arena is set by the caller.
int report_content_build(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks);

// Its parts, one file each.
void report_content_head(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks); // environment and settings
void report_content_checks(const struct result *result, struct report_blocks *blocks);
void report_content_decision(const struct result *result, const struct report_options *options,
                             struct report_blocks *blocks); // table over the problems, means, verdict line
int report_content_bench(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks); // lines per problem, a column per side, means
int report_content_figures(const struct result *result,
                           struct report_blocks *blocks); // every figure, a wide table
void report_content_builds(const struct result *result, const struct report_options *options,
                           struct report_blocks *blocks); // code size, stack, ...

// "simd", of the baseline or candidate: the option's label, else the side of that role (result_side_name()),
// else the role's name.
const char *report_side_label(const struct result *result, const struct report_options *options,
                              enum side_role role, struct arena *arena);
enum term_style report_verdict_style(enum verdict verdict);

#endif
