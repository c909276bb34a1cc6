// SPDX-License-Identifier: Apache-2.0
//
// Writing records: one at a time to the parent, the last one when a kernel has broken the device.
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/parent_watch.h"
#include "worker/host/host_client.h"
#include "worker/order/work.h"
#include "worker/order/work_internal.h"

enum { WATCH_MS = 1000 };

struct record work_record(const struct work *work, enum record_kind kind) {
    struct record record = {.kind = kind,
                            .phase = work->phase,
                            .round = work->order->round,
                            .attempt = work->order->attempt,
                            .time_ns = device_now_ns(work->device),
                            .state = device_state_unknown(),
                            .environment = environment_unknown()};
    return record;
}

// A reader that is stopped leaves the pipe full.
static void wait_for_reader(struct work *work) {
    struct pollfd pipe = {.fd = work->fd, .events = POLLOUT};
    while (poll(&pipe, 1, WATCH_MS) == 0) work_watch(work);
}

int work_write(struct work *work, const struct record *record, struct err *err) {
    strbuf_clear(&work->line);
    record_write(record, &work->line);
    size_t done = 0;
    while (done < work->line.length) { // a pipe takes long lines in pieces, and so small ones without waiting
        wait_for_reader(work);
        const size_t left = work->line.length - done;
        ssize_t written = write(work->fd, work->line.text + done, left < PIPE_BUF ? left : PIPE_BUF);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            return err_set_errno(err, ERR_IO, "the worker cannot write records to descriptor %d", work->fd);
        done += (size_t)written;
    }
    return 0;
}

int work_write_case(struct work *work, uint32_t case_index, uint32_t side, struct err *err) {
    work_watch(work);
    struct record begin = work_record(work, RECORD_CASE);
    begin.case_index = case_index;
    begin.side = side;
    begin.own_bytes = work->own_bytes;
    work->progress.is_begun = true;
    work->progress.case_index = case_index;
    work->progress.side = side;
    work->progress.written_ns = clock_ns();
    return work_write(work, &begin, err);
}

int work_warn(struct work *work, const char *text, struct err *err) {
    struct record record = work_record(work, RECORD_WARNING);
    record.text = text;
    return work_write(work, &record, err);
}

void work_end_if_lost(struct work *work, struct record *record) {
    const enum device_loss loss = work->device->loss;
    if (loss == DEVICE_LOSS_NONE) return;
    if (record && loss == DEVICE_LOSS_ADDRESS) {
        record->check.outcome = OUTCOME_FAIL;
        record->check.finding = FINDING_OUT_OF_BOUNDS;
    }
    // If the write fails, control still sees the process end.
    if (record) (void)work_write(work, record, NULL);
    _exit(WORK_FAULT_EXIT); // no code of the kernel runs any more, not even its destructors
}

// ---- a kernel's process that was killed from outside ----

static bool takes_part(const struct work *work, uint32_t case_index, uint32_t side) {
    for (size_t i = 0; i < work->order->case_count; ++i) {
        const struct work_case *item = &work->order->cases[i];
        if (item->index == case_index && (item->side_mask >> side & 1)) return true;
    }
    return false;
}

// Control tries once more in a fresh worker, so this one ends: what it has measured of the case is lost
// anyway. A query has nothing to lose, and says what it knows.
static void on_killed(void *arg, uint32_t side, const char *sentence) {
    struct work *work = arg;
    if (work->phase == PHASE_QUERY || !work->progress.is_begun) return;
    struct record record = work_record(work, RECORD_CHECK);
    record.case_index = work->progress.case_index;
    record.side = side;
    record.invalid_cause = INVALID_CAUSE_KILLED_FROM_OUTSIDE;
    record.check.outcome = OUTCOME_CRASHED;
    snprintf(record.check.message, sizeof record.check.message, "%s", sentence);
    // If the write fails, control still sees the exit code.
    if (takes_part(work, record.case_index, side)) (void)work_write(work, &record, NULL);
    _exit(WORK_KILLED_EXIT);
}

// ---- a parent that does not go on ----

// Nobody keeps this worker's deadlines any more: it ends what it has started and leaves. It says so as far as
// the pipe has room; its exit code says it in any case.
static void look(void *arg) {
    struct work *work = arg;
    const enum parent_state parent = parent_watch_look();
    if (parent == PARENT_WORKS) return;
    work_free_hosts(work);
    struct pollfd pipe = {.fd = work->fd, .events = POLLOUT};
    char text[256];
    snprintf(
        text, sizeof text,
        "assay was stopped for more than %.0f s (a signal, or Ctrl-Z), so its worker ended the kernels and "
        "left; what was not finished is done again",
        (double)PARENT_STOPPED_NS / 1e9);
    if (parent == PARENT_STOPPED && poll(&pipe, 1, 0) > 0 && (pipe.revents & POLLOUT))
        (void)work_warn(work, text, NULL);
    _exit(WORK_LEFT_EXIT);
}

void work_watch_begin(struct work *work) {
    parent_watch_begin();
    host_client_set_watch(look, work);
    host_client_set_on_killed(on_killed, work);
}

void work_watch(struct work *work) {
    look(work);
}
