// SPDX-License-Identifier: Apache-2.0
//
// Saying that work on a case goes on: the CASE record once more, between two calls of a kernel, or by a timer
// while no code of a kernel runs.
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "worker/order/work_internal.h"

#define PROGRESS_NS    UINT64_C(2000000000) // between two records, or a part of the limit if that is less:
#define PROGRESS_SHARE 4                    // so a call may take almost as long as the limit says

// A part of the limit; 0: there is no limit.
static uint64_t share_ns(const struct work *work) {
    return (uint64_t)(work->order->sampling.limits.case_s * 1e9) / PROGRESS_SHARE;
}

static uint64_t interval_ns(const struct work *work) {
    const uint64_t share = share_ns(work);
    return share && share < PROGRESS_NS ? share : PROGRESS_NS;
}

static void repeat(struct work *work, uint64_t least_ns) {
    struct work_progress *progress = &work->progress;
    if (!progress->is_begun || clock_ns() - progress->written_ns < least_ns) return;
    (void)work_write_case(work, progress->case_index, progress->side, NULL);
}

void work_say_progress(struct work *work) {
    const uint64_t share = share_ns(work);
    repeat(work, work->progress.is_rare && share ? share : interval_ns(work));
}

void work_on_progress(void *work) {
    work_say_progress(work);
}

void work_say_progress_before(struct work *work, uint64_t expected_ns) {
    if (expected_ns < interval_ns(work))
        work_say_progress(work);
    else
        repeat(work, interval_ns(work)); // it disturbs a call of seconds no more
}

// ---- by a timer ----

// Formatted beforehand: the handler may not allocate. Once it is there it stays, since a signal may arrive
// late.
static struct {
    int fd;
    volatile sig_atomic_t length; // 0: nothing is written
    char line[512];
} own;

static void on_timer(int signal_number) {
    const int saved = errno;
    (void)signal_number;
    if (own.length && write(own.fd, own.line, (size_t)own.length) < 0) {
        // noticed at the next record
    }
    errno = saved;
}

static void set_timer(uint64_t ns) {
    const struct timeval each = {.tv_sec = (time_t)(ns / 1000000000), .tv_usec = (long)(ns / 1000 % 1000000)};
    const struct itimerval timer = {.it_interval = each, .it_value = each};
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

// False where an interpreter or a kernel uses the signal itself.
static bool take_signal(void) {
    struct sigaction now;
    const struct sigaction ours = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    if (sigaction(SIGALRM, NULL, &now) < 0) return false;
    if (now.sa_handler == on_timer) return true;
    return now.sa_handler == SIG_DFL && sigaction(SIGALRM, &ours, NULL) == 0;
}

void work_own_begin(struct work *work) {
    const struct work_progress *progress = &work->progress;
    if (!progress->is_begun || !take_signal()) return;
    struct record record = work_record(work, RECORD_CASE);
    record.case_index = progress->case_index;
    record.side = progress->side;
    record.own_bytes = work->own_bytes;
    struct strbuf line = {0};
    record_write(&record, &line);
    if (line.length <= sizeof own.line) {
        memcpy(own.line, line.text, line.length);
        own.fd = work->fd;
        own.length = (sig_atomic_t)line.length;
        set_timer(interval_ns(work));
    }
    strbuf_fini(&line);
}

void work_own_end(void) {
    if (!own.length) return;
    set_timer(0);
    own.length = 0;
}
