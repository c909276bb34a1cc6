// SPDX-License-Identifier: Apache-2.0
//
// Private to worker/: what the kinds of order share. The device, the sides' kernels, the way out for records,
// and one case with its buffers, reference and prepared kernels.
#ifndef WORKER_ORDER_WORK_STATE_H
#define WORKER_ORDER_WORK_STATE_H

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

// ---- records ----
struct record work_record(const struct work *work,
                          enum record_kind kind); // phase, round, attempt and time filled in
int work_write(struct work *work, const struct record *record, struct err *err); // one write
int work_warn(struct work *work, const char *text, struct err *err);
int work_hello(struct work *work, struct err *err);

// ---- the kinds of order ----
// The operator of kernels that can be any operator's: that of the cases.
const char *work_op_of_cases(const struct work_order *order);
int work_load_sides(struct work *work,
                    struct err *err); // kernels of every side, ERR_USAGE, ERR_DATA, ERR_NO_INPUT
int work_describe(struct work *work, struct err *err);
int work_devices(struct work *work, struct err *err);
int work_ceilings(struct work *work, struct err *err);
int work_check(struct work *work, struct err *err);
int work_round(struct work *work, struct err *err);

// ---- one case ----
struct case_run *case_run_new(const struct work_case *wanted, size_t shift_bytes);
void case_run_free(struct case_run *run, struct work *work); // accepts NULL
// Checks one side: records CASE and CHECK. Its kernel stays prepared when it is right. In a round the CHECK
// of a side that is right is kept back: it is written after the timing, which may still prove it wrong.
// Negative: cannot write records.
int work_check_side(struct work *work, struct case_run *run, uint32_t side, struct err *err);
// Releases the side's kernel before the last record of the case is written: a death in there still has the
// case's name.
int work_release_side(struct work *work, struct case_run *run, uint32_t side, struct err *err);
int case_run_open(struct work *work, struct case_run *run,
                  struct err *err); // buffers and reference, if not yet there
// The check record of a side, to be armed or written.
struct record work_check_record(const struct work *work, const struct case_run *run, uint32_t side);

#endif
