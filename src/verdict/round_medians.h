// SPDX-License-Identifier: Apache-2.0
//
// The valid rounds of one problem as medians of each side and of their pairs; how many others there are, and
// why. Which rounds count depends only on the device's state and on the presence of samples, never on times.
//
// A pair is two neighbours of the order A B B A, which saw the same state of the machine: the k-th sample of
// each side. A sample that does not count takes its pair with it. The median over pairs is what a round says;
// the ratio of two medians says less where the machine's speed changes within a round.
#ifndef VERDICT_ROUND_MEDIANS_H
#define VERDICT_ROUND_MEDIANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/result.h"
#include "stats/serial_correlation.h"

// One side in one round.
struct round_side {
    size_t count;        // samples that count
    double median_ns;    // NAN: no sample counts
    double judge_ns;     // the median by the judge's clock; NAN: it timed none
    double log_variance; // of ln(median), by the spread of the samples
};
int round_side_get(const struct samples *samples, struct round_side *ret); // -1: no memory

// Rounds in the order of their numbers.
struct round_medians {
    size_t round_count;
    size_t invalid_count;          // attempts that do not count
    size_t base_count, cand_count; // samples behind them
    double *base_ns, *cand_ns;     // medians of each side; owned
    double *log_ratios;            // d_r: the median of ln(candidate / baseline) over pairs; owned
    // The same by the judge's clock, owned. has_judge: it timed all of these rounds, in processes of their
    // own.
    double *judge_base_ns, *judge_cand_ns, *judge_log_ratios;
    bool has_judge;
    bool is_exhausted;          // a round was repeated to the limit and never valid
    bool is_given_up;           // more measurements were disturbed than counted: rounds_are_given_up
    const char *invalid_reason; // of the last attempt that does not count; borrowed
    enum reason invalid_cause;  // the same as a reason: round_invalid_reason(); NONE: all count
    // Standard deviation of d_r that the pairs within the rounds alone explain (as a logarithm): medians of n
    // values scatter by DESCRIBE_MEDIAN_SD_RATIO sigma / sqrt(n), sigma from the quartiles. NAN: no rounds.
    double within_sd;
    size_t samples_a_round; // mean number of samples a round, of the side with fewer
};
int round_medians_get(const struct result_case *item, uint32_t base_side, uint32_t cand_side,
                      struct round_medians *ret); // -1: no memory
void round_medians_fini(struct round_medians *medians);
// d_r in their order, copied into the arena, as a series of session 0.
struct serial_series round_medians_series(const struct round_medians *medians, struct arena *arena);

// The first rounds together: geometric means of each side's medians, and the mean of d_r. NAN for none.
struct round_figures {
    double base_ns, cand_ns, log_ratio;
};
struct round_figures round_medians_figures(const struct round_medians *medians, size_t count);

// The cause of an invalid round as the reason of a verdict: throttled, clocks apart, too few samples, not
// measured, else busy. If the file does not give the cause, it is guessed from the device's state.
enum reason round_invalid_reason(const struct result_round *round);

#endif
