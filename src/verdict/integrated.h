// SPDX-License-Identifier: Apache-2.0
//
// The older `integrated` JSON form, which only attention has: one kernel, one problem, one mean. Read,
// written and compared for users who still have such files. Its sign is used nowhere else: improvement_pct
// = 100 (baseline - current) / baseline, positive is FASTER. Two such files are two means without samples:
// nothing is proved.
#ifndef VERDICT_INTEGRATED_H
#define VERDICT_INTEGRATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "profile/roofline.h"
#include "record/result.h"

#define INTEGRATED_THRESHOLD_PCT (-3.0)

struct integrated {
    struct { // correctness
        bool passed;
        double max_abs_error, mean_abs_error, correlation; // NAN: absent
    } correctness;
    struct { // performance, or metrics
        double mean_time_ms, std_dev_ms, throughput_gflops,
            bandwidth_gb_s; // all but the mean may be NAN; n - 1
    } performance;
    struct { // roofline, may be absent
        bool is_present;
        double arithmetic_intensity, efficiency_pct;
        const char *bottleneck; // "Memory Bandwidth" or "Compute"
        size_t recommendation_count;
        const char **recommendations;
    } roofline;
    struct {                                              // config
        int64_t batch_size, num_heads, seq_len, head_dim; // 0: absent
        const char *dtype;
    } config;
    const char *kernel_name, *timestamp; // "YYYY-MM-DD HH:MM:SS"
};

// Strings live in the arena. ERR_DATA: no correctness, no performance or metrics, a mean that is not finite
// and positive.
int integrated_parse(const json_t *root, const char *where, struct arena *arena, struct integrated *ret,
                     struct err *err);
void integrated_write(const struct integrated *document,
                      struct strbuf *out); // indented, with a newline at the end

struct integrated_comparison {
    double baseline_time_ms, current_time_ms, speedup;
    double improvement_pct; // positive: the current one is faster
    double threshold;       // in per cent, -3.0
    bool is_regression;     // improvement below the threshold, or the current kernel's result is wrong
    bool is_wrong;          // correctness.passed of the current file is false
};
struct integrated_comparison integrated_compare(const struct integrated *baseline,
                                                const struct integrated *current, double threshold_pct);
int integrated_exit_code(const struct integrated_comparison *comparison); // 1 for a regression, else 0
// {"speedup", "improvement_pct", "is_regression", "baseline_time_ms", "current_time_ms", "threshold"}
void integrated_comparison_write(const struct integrated_comparison *comparison, struct strbuf *out);
// The lines that older scripts looked for, of one document, and of two with the change and its word.
void integrated_print(const struct integrated *document, struct strbuf *out);
// "SLIGHT IMPROVEMENT": the improvement, or that the result is wrong, as a word.
const char *integrated_status(const struct integrated_comparison *comparison);
void integrated_comparison_line(const struct integrated_comparison *comparison,
                                struct strbuf *out); // "no regression: 1.00 % slower (exit 0)"
// Then the verdict; says that nothing is proved. A roofline that claims more than all is named as such.
void integrated_comparison_print(const struct integrated_comparison *comparison,
                                 const struct integrated *baseline, const struct integrated *current,
                                 struct strbuf *out);

struct integrated_shape {
    uint32_t batch, heads, seq, dim; // 0: the default
};
char *integrated_problem_name(const char *dtype, const struct integrated_shape *shape); // the caller frees

struct integrated_choice {
    size_t case_index;
    uint32_t side;
    const struct roofline_place *place;
};
// Makes the document from a measured result: one case on one side. kernel_name is the side's label; sizes
// come from the problem's name (b, h, s, d; dtype is its first field after the operator). place: of the
// case's point (profile/roofline.h), which names the bottleneck; its texts are borrowed. ERR_DATA if
// the case has neither samples nor a failed check.
int integrated_from_result(const struct result *result, const struct integrated_choice *choice,
                           struct arena *arena, struct integrated *ret, struct err *err);

#endif
