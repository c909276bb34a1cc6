// SPDX-License-Identifier: Apache-2.0
//
// A bench: kernels measured side by side in one run. Samples from fresh workers, no decision; `run`,
// `baseline` and the stored-baseline gate use it too.
#ifndef CONTROL_FLOW_BENCH_RUN_H
#define CONTROL_FLOW_BENCH_RUN_H

#include <stdint.h>

#include "control/flow/run_folder.h"
#include "control/flow/session.h"

// Adds the sides: --module or --kernel (a comma list), else every kernel of the manifest for the device; then
// those of vs (a comma list; NULL: none) as peers. Speed-ups refer to the first side.
int bench_add_sides(struct session *session, const char *vs, struct err *err);
// round_count: fresh workers (1 or more), each with all samples.
int bench_plan(struct session *session, const char *command, const char *fallback_suite, uint32_t round_count,
               struct plan *ret, struct err *err);
// Measures, fills summaries, writes result.json. run_publish copies it.
int bench_measure(struct run *run, struct err *err);

#endif
