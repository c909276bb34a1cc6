// SPDX-License-Identifier: Apache-2.0
//
// Shared by all kinds of order: the device, the sides' kernels, writing records, and one case with its
// buffers, reference and prepared kernels.
#ifndef WORKER_ORDER_WORK_INTERNAL_H
#define WORKER_ORDER_WORK_INTERNAL_H

#include "base/dice.h"
#include "base/strbuf.h"
#include "record/record.h"
#include "record/work_order.h"
#include "worker/backend/backend.h"
#include "worker/check/case_buffers.h"
#include "worker/check/case_check.h"
#include "worker/check/kernel_instance.h"
#include "worker/check/reference.h"
#include "worker/measure/stabilize.h"
#include "worker/module/kernel.h"

// The last CASE record, which is repeated while work on the case goes on.
struct work_progress {
    bool is_begun;
    uint32_t case_index, side;
    uint64_t written_ns; // clock_ns; 0: none yet
    bool is_rare;        // samples are taken, so it is repeated as rarely as the limit allows
};

struct work {
    const struct work_order *order;
    int fd;
    uint64_t start_ns; // of the worker
    // The key of all draws of this worker: nobody else knows it. On a virtual device from the order's seed.
    struct dice dice;
    enum phase phase;
    struct strbuf line; // reused for every record
    struct device *device;
    struct kernel kernels[WORK_SIDES_MAX];
    bool is_last_case;                  // of a side in a check
    bool is_apart;                      // the kernels run in hosts
    bool has_open_inputs;               // which can write the inputs, as those of a GPU can
    bool is_clock_restless;             // the processor's does not stabilize
    struct stabilize_readings readings; // of it
    struct host *hosts[WORK_SIDES_MAX]; // NULL: not started, or ended
    struct work_progress progress;
    uint64_t own_bytes; // that we ourselves take for the case at work
    // Said last, of what decides instead of fp64 and the 2 x rule.
    char said[sizeof(struct reference_decides)];
    bool has_said_made;
};

// One case while it is worked on. Opened by the first side that needs it.
struct case_run {
    const struct work_case *wanted;
    struct dice dice;       // of this case
    struct problem_abi abi; // as its kernels see it
    bool is_open, has_reference;
    size_t shift_bytes;
    struct case_buffers buffers;
    struct reference reference;
    double error_limits[OP_TENSORS_MAX]; // of case_memory; set with the reference
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

// ---- progress (work_progress.c) ----
// Control ends the worker when a case shows no progress for limits.case_s, and blames the kernel. So the CASE
// record is repeated between two calls of the kernel, and while we ourselves are at work: only a call that
// takes that long is left to blame.
// Repeats the CASE record if the last one is some time ago. Errors are noticed at the next record.
void work_say_progress(struct work *work);
void work_on_progress(void *work); // the same, for those that call back
// Before a call that is known to take that long: repeats it sooner where the call would come close to the
// limit.
void work_say_progress_before(struct work *work, uint64_t expected_ns);
// Between these two, which do not nest, the CASE record is repeated by a timer. No code of a kernel may run.
void work_own_begin(struct work *work);
void work_own_end(void);
// A kernel that breaks the device's context makes all later work of this process fail, of any side. So once
// the device is lost this writes the record of the case in flight (NULL: none) as the last one and
// ends the process with WORK_FAULT_EXIT, as after a fault in a guard (fault.h): a fresh worker does the rest.
void work_end_if_lost(struct work *work, struct record *record);

// The side whose turn it is in this round: being started, checked or timed first changes times where the
// scheduler remembers, so the sides take turns at it.
uint32_t work_side_in_turn(const struct work *work, uint32_t turn);

// ---- the kinds of order ----
int work_describe(struct work *work, struct err *err);
int work_devices(struct work *work, struct err *err);
int work_ceilings(struct work *work, struct err *err);
int work_audit(struct work *work, struct err *err);
int work_check(struct work *work, struct err *err);
// Cases of one index are alternatives: a CHECK record for the first of them that the side does not reject.
int work_supports(struct work *work, struct err *err);
int work_round(struct work *work, struct err *err);
int work_reference(struct work *work, struct err *err);
int work_count(struct work *work, struct err *err);
int work_profile(struct work *work, struct err *err);
// A case of a round whose metric is instructions.
int work_count_case(struct work *work, const struct work_case *wanted, struct err *err);
// Holds a GPU's clocks. The process that executes this order is the clock holder
// (base/process/clock_holder.h): it outlives assay until it has released the clocks, even if assay is
// killed. It locks, writes one LOCK record, waits until the records have no reader or a signal asks it to
// end, and unlocks. If the clocks cannot be locked, the record says so; that is no error. Negative: the
// clocks could not be released and are still locked.
int work_lock(struct work *work, struct err *err);

// ---- hosts (work_hosts.c) ----
// Loads the kernels of all sides, here or in their hosts.
int work_load_sides(struct work *work, struct err *err);
// Where the side's kernel is; starts a new host when the last one has ended. Errors of host_begin and
// host_complete.
int work_find_home(struct work *work, uint32_t side, struct kernel_home *ret, struct err *err);
// After a side's last launch of a case: ends its host, where each case has one of its own. What its end says
// replaces a good *result.
void work_leave_home(struct work *work, uint32_t side, struct check_result *result);
// After the last case: ends all hosts. ERR_DATA, with how, when one ended otherwise than it should.
int work_end_hosts(struct work *work, struct err *err);
void work_free_hosts(struct work *work);

// ---- a parent that does not go on (work_record.c) ----
// From now on the worker leaves, with WORK_LEFT_EXIT, once its parent has been stopped for some seconds or is
// gone. It looks while it waits for a host, and where work_watch is called.
void work_watch_begin(struct work *work);
void work_watch(struct work *work);

// ---- memory (work_memory.c) ----
#define WORK_SETS_COVER 2 // times the caches that a rotation has to cover
// How many sets of tensors of that size the cache mode asks for.
uint32_t work_sets_wanted(const struct work *work, uint64_t each_bytes);
// Of a sample in which no set is used twice: one for each launch, or fewer, where the host fills what a
// device has a copy of.
uint32_t work_sets_a_sample(const struct case_buffers *buffers, uint32_t launches);
// What we ourselves take for the case in host memory at most: tensors of all sets, what is kept of them, and
// the reference.
uint64_t work_own_bytes(const struct work *work, const struct case_run *run);
// ERR_UNAVAILABLE, with the figures, where that is more than the limit or the machine has.
int work_check_memory(const struct work *work, const struct case_run *run, struct err *err);

// ---- one case (work_check.c) ----
struct case_run *case_run_new(const struct work *work, const struct work_case *wanted, size_t shift_bytes);
void case_run_free(struct case_run *run, struct work *work); // accepts NULL
// Buffers and reference, if not yet there.
int case_run_open(struct work *work, struct case_run *run, struct err *err);
// Memory for one set of its tensors, not filled.
int case_run_init_buffers(const struct work *work, const struct case_run *run, struct case_buffers *ret,
                          struct err *err);
// Checks one side: records CASE and CHECK. Its kernel stays prepared when it is right. In a round the CHECK
// of a side that is right is kept back: it is written after the timing, which may still prove it wrong.
// Negative: cannot write records.
int work_check_side(struct work *work, struct case_run *run, uint32_t side, struct err *err);
// Releases the side's kernel. Call before the case's last record is written, so that a crash in release is
// attributed to the case. *result: of the side; becomes how its process ended, if that was not as it should.
int work_release_side(struct work *work, struct case_run *run, uint32_t side, struct check_result *result,
                      struct err *err);
// From now on a fault in a guard is a finding of the side in this case; slot as in fault.h.
void work_arm_fault(struct work *work, const struct case_run *run, uint32_t side, size_t slot);

#endif
