// SPDX-License-Identifier: Apache-2.0
//
// The limits of a run: what the manifest's section `limits` says, in one struct from there to the worker. The
// table of its members binds the section, writes and reads plan and work order, and says which of two values
// a gate's policy takes (control/plan/policy_merge.h).
#ifndef RECORD_RUN_LIMITS_H
#define RECORD_RUN_LIMITS_H

#include "record/member.h"

#define RUN_LIMITS_CASE_S_MAX    86400
#define RUN_LIMITS_GATE_S_MAX    (7 * RUN_LIMITS_CASE_S_MAX)
#define RUN_LIMITS_MEMORY_GB_MAX 100000

enum run_priority { RUN_PRIORITY_HIGH = 0, RUN_PRIORITY_NORMAL, RUN_PRIORITY_COUNT };

// Of a number 0: there is no such limit.
struct run_limits {
    double case_s;      // one call of a kernel: after so long without a record the worker is ended
    double gate_s;      // a whole gate; 0 for other commands
    double reference_s; // one launch of a declared operator's reference; 0: 60 s
    double memory_gb;   // resident memory of a worker, private memory of a kernel's process
    // What other programs and the hypervisor may take of our processors while a case is measured. 0: 2 %, or
    // everything where batches say what was taken from them.
    double busy_pct;
    enum run_priority priority; // of timed processes: above others, as far as we may, or as any other
};

extern const struct member_table run_limits_members;
enum run_priority run_priority_parse(const char *name); // RUN_PRIORITY_COUNT: unknown

struct run_limits run_limits_default(void); // of a manifest that says nothing
uint64_t run_limits_memory_bytes(const struct run_limits *limits);
uint64_t run_limits_reference_ns(const struct run_limits *limits);

#endif
