// SPDX-License-Identifier: Apache-2.0
//
// A host as the judge sees it: a process to which commands go, and whose answers prove nothing. It runs only
// between a command and its answer, in host_settle, and between host_idle_begin and host_idle_end; else it is
// stopped.
#ifndef WORKER_HOST_HOST_CLIENT_H
#define WORKER_HOST_HOST_CLIENT_H

#include <sys/types.h>

#include "record/check_result.h"
#include "record/work_order.h"
#include "worker/backend/backend.h"
#include "worker/module/kernel_describe.h"
#include "worker/module/kernel_load.h"

// What commands return besides 0 and negative errors: the process has ended, crashed or answered nonsense.
// host_ending says how; it is never started again.
#define HOST_GONE 1
// The status of host_run in that case: no value of enum assay_status.
#define HOST_GONE_STATUS 1000

struct host;

// Once, first thing in the judge: remembers its processors before its device pins it, since hosts get them
// all, takes all the descriptors it may have (one a tensor), and becomes a judge (host_judge_begin).
int host_client_init(struct err *err);

// Called about once a second while a host is waited for, and before commands; it may end the judge.
void host_client_set_watch(void (*look)(void *arg), void *arg);

// Called when a host that has loaded its kernel was ended by a signal that nobody of ours sent
// (outside_kill.h), with the sentence that says so: it may end the judge. Else the host is gone, CRASHED,
// as after any other end.
void host_client_set_on_killed(void (*tell)(void *arg, uint32_t side, const char *sentence), void *arg);

// Starts a host for one side of the order, which begins to load its kernel. ERR_DATA when the module is not
// the one of the plan. Close it, also when host_complete fails.
int host_begin(const struct work_order *order, uint32_t side, struct host **ret, struct err *err);
// Waits until that side's kernel is loaded. Errors as kernel_load's; ERR_DATA too when the process ends.
int host_complete(struct host *host, const struct device *device, uint32_t side, struct err *err);

// From now on a process that takes longer to answer a command is ended (TIMEOUT). Nobody else limits a host
// while the judge itself is at work.
void host_set_answer_limit(struct host *host, uint64_t limit_ns);

// After host_complete has failed: whether such a signal ended the host.
bool host_was_killed(const struct host *host);

// The judge's number of the process; 0: it has ended.
pid_t host_pid(const struct host *host);

// Calls back for the kernels of a side as kernel_describe does, after a host of its own has loaded the module
// and ended. Errors as those two; ERR_DATA too when it answers with anything but kernels.
int host_describe(const struct work_order *order, uint32_t side, kernel_describe_fn on_kernel, void *arg,
                  struct err *err);

// supports and prepare for a case of the order. ret->state is not set: it is the host's.
int host_prepare(struct host *host, const struct work_case *wanted, struct kernel_prepared *ret,
                 struct err *err);

// Lets the host map a set of tensors under that number, in the place of an earlier one.
int host_map_set(struct host *host, uint32_t number, const struct buffer *const *buffers, uint32_t count,
                 struct err *err);
// Between these two the host is not stopped after a command: stopping it takes longer than to map a set.
void host_hold(struct host *host);
void host_let_go(struct host *host);
int host_map_workspace(struct host *host, const struct buffer *buffer, struct err *err);

// Runs a batch on sets that are mapped: set i of the batch is the one numbered batch->first_index + i. *ret:
// the host's stamps, and the judge's: judge_ns, from the command to the answer, less the cost of an empty
// exchange; where processes take turns on the device (the judge's), to when nothing of the host is left
// running there. Time of the host before that command (an exchange goes ahead, a kernel with hooks captures)
// and after the answer (results are brought) is part of it, beyond what that costs where nothing is launched.
// batch->on_answer then reads what must be written by that time, before the host is stopped. Returns the
// status of the kernel, or HOST_GONE_STATUS with how it ended as message.
int host_run(struct host *host, struct device *device, const struct batch *batch, struct batch_time *ret,
             struct assay_message *message);

// Lets the host keep the inputs that set `number` holds, to come late in the next batch that wants it. 0 also
// when the process has ended: the batch says so.
int host_keep_inputs(struct host *host, uint32_t number, struct err *err);

// Launches of which each is asked for when the one before has answered. The host is stopped only after the
// last, so that threads which wait for work do not fall asleep between them.
struct host_row {
    uint64_t launches_ns; // sum of all, by the judge's clock: each from its command to its answer
    uint64_t cpu_ns;      // of all threads of the host, from when it was continued until it was stopped
    uint64_t wait_ns;     // how long the thread that launches, or the judge, waited for a processor meanwhile
};
// The launches of the batch, each on the set that sets[batch->launches] names. As host_run; of compiled code
// on a processor.
int host_run_row(struct host *host, struct device *device, const struct batch *batch, const uint32_t *sets,
                 struct host_row *ret, struct assay_message *message);

// Launches that are timed one by one begin or end (batch_hooks.call_begin), of a kernel with hooks on an
// accelerator: a processor's brings what is returned after every batch. The kernel's status.
int host_calls_hook(struct host *host, bool is_begin, struct assay_message *message);

// Measures the cost of an exchange that launches nothing, on the sets of this batch; host_run takes it off
// from then on. False: a launch of nothing failed.
bool host_measure_exchange(struct host *host, struct device *device, const struct batch *batch);

// What it costs to ask a host for nothing: the exchange that is timed, without its blocking kernel, which is
// as long as enqueueing a side's launches needs; the one that goes ahead of it; and the judge's next turn on
// the device.
struct host_cost {
    double exchange_ns, ahead_ns, turn_ns;
};
struct host_cost host_cost(const struct host *host);
// No more than that is taken off: a host that answers late on purpose when nothing is launched would seem to
// be faster. What its timed exchange costs beyond that counts as error of the judge's clock, within bounds.
void host_limit_cost(struct host *host, const struct host_cost *least);

// Whether one of several threads has run on ahead of a batch, since an exchange's cost was measured last.
bool host_is_restless(const struct host *host);
// Before new data are drawn: lets threads that were stopped while they spun go to sleep, for 0.1 to 5 ms.
// Otherwise they would hold up the batch when the host is continued.
void host_settle(struct host *host);

// Between these two the host runs, though nothing is asked of it. Once a look: threads that wait may spin
// again whenever they were stopped. False: it has ended.
bool host_idle_begin(struct host *host);
void host_idle_end(struct host *host);
// The CPU time that it has used so far.
uint64_t host_cpu_ns(const struct host *host);

// The second filter: call it after the first launch of a kernel that compiles nothing any more.
int host_tighten(struct host *host, struct err *err);

// Calls release and lets its sets go. Nothing if no kernel is prepared.
void host_release(struct host *host);

// True: the host has ended though nobody asked it to; *ret gets outcome, finding and message.
bool host_is_gone(const struct host *host, struct check_result *ret);

// Ends the process: destructors run. Whatever it does then counts: HOST_GONE if it crashes, does not end
// within the limit or exits with another code than 0; then host_is_gone says how. Frees nothing.
int host_end(struct host *host);
void host_close(struct host *host); // kills what is left; accepts NULL

#endif
