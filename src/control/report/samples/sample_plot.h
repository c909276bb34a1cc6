// SPDX-License-Identifier: Apache-2.0
//
// The parts of a sample report, one file each. All append lines that end with a newline; all take times per
// launch in ns.
#ifndef CONTROL_REPORT_SAMPLES_SAMPLE_PLOT_H
#define CONTROL_REPORT_SAMPLES_SAMPLE_PLOT_H

#include "base/json_writer.h"
#include "control/report/samples/sample_axis.h"
#include "control/report/samples/sample_report.h"
#include "control/verdict/summary.h"

// Name, value and remark of every figure; set->n > 0.
void sample_figures_print(const struct sample_set *set, const struct sample_report_options *options,
                          struct strbuf *out);

// A bar a bin of the axis, the median and its interval marked, what lies outside the axis in a bin of its
// own. set->n > 0.
void sample_histogram_print(const struct sample_set *set, const struct sample_axis *axis,
                            const struct sample_report_options *options, struct strbuf *out);
// Samples in each of the axis's bins, counts[axis->bin_count], and outside.
struct sample_bins {
    size_t below_count, above_count;
    size_t counts[SAMPLE_AXIS_BINS_MAX];
};
struct sample_bins sample_bins_count(const struct sample_set *set, const struct sample_axis *axis);

// Time against the order of measurement, rounds apart, with every sample that was taken: discarded ones and
// those of invalid rounds carry another sign and are counted below by their reason. -1: no memory.
int sample_course_print(const struct sample_set *set, const struct sample_axis *axis,
                        const struct sample_report_options *options, struct strbuf *out);

// Medians of the rounds of one problem, a column a side; nothing where there is one valid round only.
// sets[set_count].
void sample_rounds_print(const struct result *result, const struct sample_set *sets, size_t set_count,
                         const struct sample_report_options *options, struct strbuf *out);

#endif
