// SPDX-License-Identifier: Apache-2.0
//
// What samples run on, so that nothing of an earlier launch helps: no set of tensors is used twice in a
// sample, inputs of sets drawn by lot are new in every sample, and no output holds what the side left there.
// Where drawing inputs is expensive (on a GPU) or times are simulated, a few audits do this instead
// (sampler.audit_begin).
#ifndef WORKER_ORDER_WORK_REDRAW_H
#define WORKER_ORDER_WORK_REDRAW_H

#include "worker/order/work_timing_internal.h"

// Around a batch that looks for the launches of a sample: as many sets as launches, or fewer launches where
// memory ends, as many of them with new inputs as before a sample, all with poisoned outputs; afterwards a
// drawn launch is checked. SAMPLE_WRONG: timing->wrong says how.
int redraw_range(struct timing *timing, size_t side, struct batch *batch, struct err *err);
int redraw_range_verify(struct timing *timing, size_t side, const struct batch *batch, struct err *err);

// After the launches of a sample are known: all sides learn the new sets; finds the share of sets that is
// redrawn before each sample. SAMPLE_WRONG: a side is wrong on a new set; it is *ret_side of the sampler, and
// timing->wrong says how.
int redraw_prepare(struct timing *timing, size_t *ret_side, struct err *err);

// Before a sample: draws inputs, spoils outputs.
int redraw_sample(struct timing *timing, size_t side, const struct batch *batch, struct err *err);

// After it: a drawn launch of the sample is checked, in full where its right results are known, else in drawn
// rows; some are kept, to be repeated later. SAMPLE_WRONG: timing->wrong says how.
int redraw_verify(struct timing *timing, size_t side, const struct batch *batch, struct err *err);

// Around an audit: puts fresh data in one drawn set of the sample; the outputs keep the results of earlier
// launches, so that a kernel cannot recognise the audit by them. Afterwards the sets of the sample are
// checked, the drawn one by the 2 x rule; of a declared operator its launch is kept, to be repeated later,
// since references run when nothing is timed. SAMPLE_WRONG: timing->wrong says how.
int redraw_audit(struct timing *timing, const struct batch *batch, struct err *err);
int redraw_audit_verify(struct timing *timing, size_t side, const struct batch *batch, struct err *err);

// After the last sample: repeats the kept launches of the side, untimed, and compares bit by bit.
int redraw_repeat(struct timing *timing, size_t side, struct err *err);

void redraw_fini(struct timing *timing); // accepts a zeroed one

#endif
