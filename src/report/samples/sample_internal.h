// SPDX-License-Identifier: Apache-2.0
//
// The parts of a sample report, one file each. All append lines that end with a newline; times are per
// launch, in ns.
#ifndef REPORT_SAMPLES_SAMPLE_INTERNAL_H
#define REPORT_SAMPLES_SAMPLE_INTERNAL_H

#include "base/json_writer.h"
#include "report/samples/sample_report.h"
#include "verdict/summary.h"

// The problems and sides that --only and --side select.
struct sample_selection {
    bool *has_case; // owned; result->case_count
    size_t side_count;
    uint32_t sides[WORK_SIDES_MAX];
};
// ERR_USAGE lists what there is. If 0 is returned the caller ends with sample_select_fini().
int sample_select(const struct result *result, const struct sample_report_options *options,
                  struct sample_selection *ret, struct err *err);
void sample_select_fini(struct sample_selection *selection);

// The range of times that a plot shows, cut into bins of a round width. A few outliers do not stretch it:
// they are counted as "below" and "above".
#define SAMPLE_AXIS_BINS_MAX 32

struct sample_axis {
    double low_ns, high_ns; // the range shown; equal if there is one value only
    double first_ns;        // lower edge of bin 0; bin i begins at first_ns + i step_ns
    double step_ns;         // > 0 but for a single bin
    double label_ns;  // a bin is labelled with its edge plus this: half a tick of a coarse clock, else 0
    size_t bin_count; // 1 to SAMPLE_AXIS_BINS_MAX
};

// sorted_ns: n ascending times, n >= 1.
struct sample_axis sample_axis_make(const double *sorted_ns, size_t n);

// The bin of a time; for times outside the axis the first or the last bin: use sample_axis_side() to tell.
size_t sample_axis_bin(const struct sample_axis *axis, double ns);
// -1: below the axis, 1: above, 0: shown.
int sample_axis_side(const struct sample_axis *axis, double ns);

// Name, value and remark of every figure; set->n > 0.
void sample_figures_print(const struct sample_set *set, const struct sample_report_options *options,
                          struct strbuf *out);

// One bar for each bin of the axis; the median and its interval are marked, and samples outside the axis have
// a line of their own. set->n > 0.
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

// Medians of the rounds of one problem, one column a side; prints nothing if only one round is valid.
// sets[set_count].
void sample_rounds_print(const struct result *result, const struct sample_set *sets, size_t set_count,
                         const struct sample_report_options *options, struct strbuf *out);

#endif
