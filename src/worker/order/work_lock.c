// SPDX-License-Identifier: Apache-2.0
//
// Holding a GPU's clocks: lock, wait, unlock. Signals are blocked except while it waits, so that none comes
// between locking and knowing that it is locked.
#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "worker/backend/backend.h"
#include "worker/order/work_internal.h"

static const int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM};
enum { SIGNAL_COUNT = sizeof ending_signals / sizeof *ending_signals };

static volatile sig_atomic_t is_asked_to_end;

static void on_signal(int number) {
    (void)number;
    is_asked_to_end = 1;
}

// Blocks the signals that would end this process; *ret_waiting is the mask to wait with. Ignores SIGPIPE:
// a pipe without a reader is an error of write.
static void hold_signals(sigset_t *ret_waiting) {
    sigset_t blocked;
    const struct sigaction ending = {.sa_handler = on_signal}, ignored = {.sa_handler = SIG_IGN};
    sigemptyset(&blocked);
    for (int i = 0; i < SIGNAL_COUNT; ++i) {
        sigaddset(&blocked, ending_signals[i]);
        sigaction(ending_signals[i], &ending, NULL);
    }
    sigaction(SIGPIPE, &ignored, NULL);
    sigprocmask(SIG_BLOCK, &blocked, ret_waiting);
    for (int i = 0; i < SIGNAL_COUNT; ++i) sigdelset(ret_waiting, ending_signals[i]);
}

static int lock(const struct work_order *order, const struct backend **ret_backend, struct clock_hold **ret,
                uint32_t *ret_mhz, struct err *err) {
    struct clock_request wanted;
    if (!order->device || !order->lock_clocks)
        return err_set(err, ERR_DATA, "the work order names no device, or no clock to hold it at");
    TRY(clock_request_parse(order->lock_clocks, &wanted, err));
    TRY(backend_of(order->device, ret_backend, err));
    if (!(*ret_backend)->hold_clock)
        return err_set(err, ERR_UNAVAILABLE, "the clock of device '%s' cannot be held", order->device);
    return (*ret_backend)->hold_clock(order->device, &wanted, ret, ret_mhz, err);
}

int work_lock(struct work *work, struct err *err) {
    sigset_t waiting;
    const struct backend *backend = NULL;
    struct clock_hold *hold = NULL;
    struct err why = {0};
    hold_signals(&waiting);
    struct record record = work_record(work, RECORD_LOCK);
    record.is_valid = lock(work->order, &backend, &hold, &record.locked_clock_mhz, &why) == 0;
    if (!record.is_valid) {
        record.text = why.text;
        record.locked_clock_mhz = 0;
    }
    const bool is_told = work_write(work, &record, NULL) == 0;
    if (!record.is_valid) return 0;
    // Nothing more is written, so the only event is that control closes its end of the pipe.
    struct pollfd polled = {.fd = work->fd};
    while (is_told && !is_asked_to_end) {
        const int ready = ppoll(&polled, 1, NULL, &waiting);
        if (ready > 0 || (ready < 0 && errno != EINTR)) break;
    }
    return backend->release_clock(hold, err);
}
