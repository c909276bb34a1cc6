// SPDX-License-Identifier: Apache-2.0
//
// Shared by all kinds of order: the device, the sides' kernels, writing records, and one case with its
// buffers, reference and prepared kernels.
#ifndef WORKER_ORDER_WORK_INTERNAL_H
#define WORKER_ORDER_WORK_INTERNAL_H

#include "base/strbuf.h"
#include "record/record.h"
#include "record/work_order.h"
#include "worker/backend/backend.h"
#include "worker/check/case_buffers.h"
#include "worker/check/case_check.h"
#include "worker/check/kernel_instance.h"
#include "worker/check/reference.h"
#include "worker/module/module.h"

struct work {
    const struct work_order *order;
    int fd;
    uint64_t start_ns; // of the worker
    enum phase phase;
    struct strbuf line; // reused for every record
    struct device *device;
    struct module *modules[WORK_SIDES_MAX]; // NULL: linked in
    const struct assay_kernel *kernels[WORK_SIDES_MAX];
};

// One case while it is worked on. Opened by the first side that needs it.
struct case_run {
    const struct work_case *wanted;
    bool is_open, has_reference;
    size_t shift_bytes;
    struct case_buffers buffers;
    struct reference reference;
    struct kernel_instance instances[WORK_SIDES_MAX];
    enum outcome outcomes[WORK_SIDES_MAX];
    struct case_hashes hashes[WORK_SIDES_MAX]; // of sides that are right
    struct record *checks[WORK_SIDES_MAX];     // in a round: of sides that are right, not written yet
};

// ---- records (work_record.c) ----
// A record of this kind with phase, round, attempt and time filled in.
struct record work_record(const struct work *work, enum record_kind kind);
int work_write(struct work *work, const struct record *record, struct err *err);
// Records that work on this case and side begins: control blames it if the worker dies from now on.
int work_write_case(struct work *work, uint32_t case_index, uint32_t side, struct err *err);
int work_warn(struct work *work, const char *text, struct err *err);
// A kernel that breaks the device's context makes all later work of this process fail, of any side. So once
// the device is lost this writes the record of the case in flight (NULL: none) as the last one and
// ends the process with WORK_FAULT_EXIT, as after a fault in a guard (fault.h): a fresh worker does the rest.
void work_end_if_lost(struct work *work, struct record *record);

// ---- the kinds of order ----
// The operator of a Python or scripted kernel, which names none itself: the cases' operator, or the side's
// if the order has no cases.
const char *work_op_of_side(const struct work_order *order, size_t side);
int work_describe(struct work *work, struct err *err);
int work_devices(struct work *work, struct err *err);
int work_ceilings(struct work *work, struct err *err);
int work_check(struct work *work, struct err *err);
int work_round(struct work *work, struct err *err);
// Holds a GPU's clocks. The process that executes this order is the clock holder
// (base/process/clock_holder.h): it outlives assay until it has released the clocks, even if assay is
// killed. It locks, writes one LOCK record, waits until the records have no reader or a signal asks it to
// end, and unlocks. If the clocks cannot be locked, the record says so; that is no error. Negative: the
// clocks could not be released and are still locked.
int work_lock(struct work *work, struct err *err);

// ---- one case (work_check.c) ----
struct case_run *case_run_new(const struct work_case *wanted, size_t shift_bytes);
void case_run_free(struct case_run *run, struct work *work); // accepts NULL
// Buffers and reference, if not yet there.
int case_run_open(struct work *work, struct case_run *run, struct err *err);
// Checks one side: records CASE and CHECK. Its kernel stays prepared when it is right. In a round the CHECK
// of a side that is right is kept back: it is written after the timing, which may still prove it wrong.
// Negative: cannot write records.
int work_check_side(struct work *work, struct case_run *run, uint32_t side, struct err *err);
// Releases the side's kernel. Call before the case's last record is written, so that a crash in release is
// attributed to the case.
int work_release_side(struct work *work, struct case_run *run, uint32_t side, struct err *err);
// From now on a fault in a guard is a finding of the side in this case; slot as in fault.h.
void work_arm_fault(struct work *work, const struct case_run *run, uint32_t side, size_t slot);

#endif
