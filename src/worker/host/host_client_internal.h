// SPDX-License-Identifier: Apache-2.0
//
// A host from inside: what host_client.c (commands, and the end) and host_exchange.c (batches) share.
#ifndef WORKER_HOST_HOST_CLIENT_INTERNAL_H
#define WORKER_HOST_HOST_CLIENT_INTERNAL_H

#include "base/dice.h"
#include "base/process/proc.h"
#include "worker/host/host_answer.h"
#include "worker/host/host_client.h"
#include "worker/host/host_launch.h"
#include "worker/host/host_memory.h"
#include "worker/host/host_waits.h"

// The cost of an exchange that launches nothing, how much it varies (the middle 80 %), and how long the host
// waits for its processor in it: where the judge shares that processor, until the judge sleeps.
struct host_exchange {
    double median_ns, spread_ns, wait_ns;
    double ahead_ns; // median of the one ahead of it, from when the host is continued
    double turn_ns; // median of the judge's turn after the host's: backend.wait_for_others; 0: there are none
    double collect_ns; // what its BATCH_COLLECT usually takes; 0: it has none
};

// By the judge's clock, without a gap from when the host is continued until it is stopped: from the first
// moment on a kernel may compute what the batch will ask for.
struct host_window {
    uint64_t ahead_ns;           // until it has answered that it is awake
    uint64_t ahead_wait_ns;      // of it, how long the host waited for a processor that others had
    uint64_t stage_ns;           // until the launches can be asked for, where that takes a command of its own
    uint64_t start_ns;           // clock_ns: the launches are asked for
    uint64_t raw_ns;             // until the answer; where processes take turns, until the device is done
    uint64_t wait_ns;            // of it, how long the host waited for a processor
    uint64_t collect_ns;         // until the outputs were brought, where that is asked for apart
    uint64_t others_ns, late_ns; // how long the device was busy before raw_ns, and after the answer
    double ahead_turn_ns, turn_ns; // backend.wait_for_others: when it is awake, and after the answer
    uint64_t cpu_ns;               // batch_time.cpu_ns
};

struct host {
    struct host_process *process; // NULL: it has ended
    int fd;                       // the judge's end of the channel
    // Of the last request. Drawn, so that nobody can answer what has not been asked yet.
    uint32_t number;
    struct dice numbers;
    uint64_t asked_ns;         // clock_ns of the last request
    uint64_t answer_limit_ns;  // from then on; 0: none
    uint64_t answered_ns;      // of the last answer
    uint64_t answered_wait_ns; // host_waits_taken_ns by then
    bool is_running, is_gone, is_prepared, has_said_hello;
    bool is_loaded, was_killed; // was_killed: by a signal from outside
    uint32_t side;
    uint64_t oom_count; // outside_kill_count_oom when it was started
    bool is_held;       // between host_hold and host_let_go
    bool is_awake;      // it answers from a processor of its own
    bool may_fork;      // what its processes run is not known
    bool is_restless;   // host_is_restless
    struct host_launch launch;
    char how[128]; // when is_gone: "was killed by signal 11 (Segmentation fault)"
    const struct work_order *order;
    struct check_result ending; // when is_gone
    struct host_exchange exchange;
    bool has_hooks;                // of a kernel that works around its launches on a device (batch_hooks)
    uint64_t blocking_ns;          // of the next batch; 0: blocking kernels are not used
    uint64_t exchange_blocking_ns; // of those that the exchange was measured with
    struct host_waits waits;
    struct host_memory memory;
};

// Of the time from when a host is continued until the launches are asked for: how much it may have taken
// without computing. has_turns: processes take turns on the device; ahead_turn_ns: backend.wait_for_others
// right before the command.
double host_known_ahead_ns(const struct host_exchange *exchange, bool has_turns, double ahead_turn_ns);
// What the host has run before and after the launches beyond what that costs: they may have been computed in
// it, so it counts as their time. To bring outputs takes as much in either direction.
double host_excess_ns(const struct host_exchange *exchange, bool has_turns, const struct host_window *window);
void host_client_look_around(void); // what host_client_set_watch asked for
int host_client_send(struct host *host, struct host_request *request, const struct host_fds *fds);
// 0 or HOST_GONE. batch: that the answer is about; NULL: none.
int host_client_receive(struct host *host, const struct batch *batch, struct host_answer *ret);
// Sends, receives, and stops the host. 0 or HOST_GONE.
int host_client_exchange(struct host *host, struct host_request *request, const struct host_fds *fds,
                         struct host_answer *ret);
// 0 or HOST_GONE: it has answered and then ended, or does not stop. There is nothing left to be asked then.
int host_client_stop(struct host *host);

// The kernel's status and sentence, for what a batch or a hook returned (code: 0 or HOST_GONE).
int host_client_status(const struct host *host, int code, const struct host_answer *answer,
                       struct assay_message *message);
// Left work on the device, which has been busy ever since; NULL: none.
extern const struct host *host_client_busy;

#endif
