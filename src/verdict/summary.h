// SPDX-License-Identifier: Apache-2.0
//
// The figures of one problem and side, from its raw samples: computed here only. Reports print them; the
// result document holds those of struct case_summary. Below: all samples of a side for plots and tables, and
// the warnings that a reader needs before trusting a number.
#ifndef VERDICT_SUMMARY_H
#define VERDICT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "profile/thresholds.h"
#include "record/result.h"
#include "stats/describe.h"

// A throughput above this share of the measured ceiling is an accounting error.
#define SUMMARY_CEILING_RATIO (thresholds.accounting_pct / 100)

// All that a report may show of one problem and side.
struct summary {
    struct case_summary figures; // is_set false: no sample counts, and nothing else is meaningful
    struct describe describe;    // of the per-launch times in ns, in the order of measurement
    struct device_state state;   // means and extremes over the valid rounds; NAN or empty if not recorded
    double clock_probe_low_hz, clock_probe_high_hz; // medians of the readings' two halves; NAN when not read
    size_t round_count;                             // valid rounds with samples of this side
    size_t considered_count;                        // samples taken, without first pairs and audits
    bool is_over_ceiling;                           // above 1.02 x the measured ceiling: an accounting error
    bool is_memory_over;                            // ... of memory
};

// True if a kernel's bytes per second can be compared with the measured bandwidth of memory. In cold mode
// everything comes from memory. Rotating sets are larger than a GPU's last cache, but on a processor only
// larger than the second level: the third may hold them.
bool summary_has_byte_ceiling(const struct environment *environment);

// True if the time of a single call is worth showing; on a processor it equals that of one launch among many.
bool summary_has_call(const struct result *result, const struct summary *summary);

// Figures of a side of a case. Exact bootstrap for the interval of the median. -1: no memory.
int summary_get(const struct result *result, const struct result_case *item, uint32_t side,
                struct summary *ret);
// The same without that interval, which takes most of the time.
int summary_describe(const struct result *result, const struct result_case *item, uint32_t side,
                     struct summary *ret);

// What measurements that do not count had found: for the eye, never for a verdict. Each is the median of its
// samples that were not disturbed, of all when all were.
struct invalid_times {
    size_t count; // of measurements with samples
    double median_ns, low_ns, high_ns;
};
int invalid_times_get(const struct result_case *item, uint32_t side,
                      struct invalid_times *ret); // -1: no memory

// Sets summaries of every case and side, for result_write(). -1: no memory.
int summary_set_all(struct result *result);

// ---- all samples of one problem and side ----

#define SAMPLE_SET_LEVEL 0.95 // of the order-statistic interval and of the one-sided bounds of percentiles

struct sample_set {
    const struct result_case *item; // borrowed
    uint32_t side;
    enum outcome outcome; // result_case_outcome()
    // figures.is_set false: no sample counts, or the kernel's result is wrong; then n is 0.
    struct summary summary;
    size_t n;
    double *sorted_ns; // n per-launch times that count, ascending
    bool has_order;    // false: n too small for an order-statistic interval
    struct order_interval order;
    double p95_bound_ns, p99_bound_ns;      // one-sided upper limits at SAMPLE_SET_LEVEL; NAN: n too small
    double *round_median_ns;                // item->round_count of them; NAN: no sample of that round counts
    size_t taken_count;                     // samples of this side in all rounds, discarded ones too
    size_t discarded_counts[DISCARD_COUNT]; // of the rounds that are valid
    size_t invalid_count;                   // samples of invalid rounds
};

// -1: no memory. The caller ends with sample_set_fini(), which accepts a zeroed one.
int sample_set_get(const struct result *result, const struct result_case *item, uint32_t side,
                   struct sample_set *ret);
void sample_set_fini(struct sample_set *set);

// ---- warnings (warnings.c) ----

// Noise, heat, throttling, clocks, other processes, discarded samples, impossible throughputs: one sentence a
// finding. Also whether a measurement can be used at all. Limits:
#define WARN_CV_PCT          12.0
#define WARN_TEMPERATURE_C   80.0
#define WARN_CLOCK_DRIFT_PCT 1.0 // between the first and the second half of a case's samples
#define WARN_SIDE_CLOCKS_PCT 0.3 // between the sides of a problem
#define WARN_LOCKED_PCT      2.0 // between the locked clock that was asked for and the one measured
#define WARN_OTHERS_PCT      2.0 // other processes plus steal time over a window
#define WARN_DISCARDED_PCT   5.0
#define WARN_MODES_CV_PCT    0.3   // groups under 1 % apart, of which one holds a tenth or more, vary by less
#define WARN_MODES_FROM      20    // samples: fewer fall into two groups by chance
#define WARN_DRIFT_P         0.001 // drift of the times themselves: p of Spearman's rho

struct warning_list {
    size_t count, capacity;
    const char **texts; // in the arena
};

// Warnings about one problem and side. Sentences begin with the problem's name and the side's label. If the
// result's decision says that nothing valid was measured, it is not repeated here.
void warnings_add_case(const struct result *result, const struct result_case *item, uint32_t side,
                       const struct summary *summary, struct arena *arena, struct warning_list *list);

// Warnings about a whole result: about a decision that is not what the samples give (decision_check.h), about
// every case and side, the run's own warnings, and one sentence each for the whole run on the device: a busy
// machine, measurements that did not count, heat, clock limits that do not make a measurement invalid (a
// power cap). -1: no memory.
int warnings_get(const struct result *result, struct arena *arena, struct warning_list *ret);

// True when a problem's measurement cannot be used (exit 3 of bench): nothing valid was measured of a side
// that is right, or its throughput is impossible. *ret_sentence says why.
bool warnings_is_invalid(const struct result_case *item, uint32_t side, const struct summary *summary,
                         struct arena *arena, const char **ret_sentence);

#endif
