// SPDX-License-Identifier: Apache-2.0
//
// See clock_holder.h. Descriptor 3 is the only connection: we tell the child to end by closing our end of
// it, and the system does that when we are killed.
#include "base/process/clock_holder.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/process/proc_internal.h"

enum { LINE_BYTES_MAX = 65536 };
static const uint64_t STEP_NS = 5000000;

struct clock_holder {
    struct proc_child child;
};

int clock_holder_open(const struct proc_spec *spec, struct clock_holder **ret, struct err *err) {
    struct clock_holder *clock_holder = mem_alloc(sizeof *clock_holder);
    const struct proc_wiring wiring = {.has_records = true, .outlives_us = true};
    const int code = proc_spawn(spec, &wiring, &clock_holder->child, err);
    if (code < 0)
        free(clock_holder);
    else
        *ret = clock_holder;
    return code;
}

// Reads one character at a time: the child sends little more than a line.
static int read_ready(int fd, struct strbuf *line) {
    char c;
    for (;;) {
        const ssize_t got = read(fd, &c, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return 0;
        if (got <= 0) return -1;
        if (c == '\n') return 1;
        if (line->length >= LINE_BYTES_MAX) return -1;
        strbuf_add_char(line, c);
    }
}

int clock_holder_read_line(struct clock_holder *clock_holder, uint64_t limit_ns, struct strbuf *ret_line) {
    const uint64_t deadline_ns = clock_ns() + limit_ns;
    while (!interrupt_is_set() && clock_ns() < deadline_ns) {
        struct pollfd polled = {.fd = clock_holder->child.record_fd, .events = POLLIN};
        const uint64_t left_ns = deadline_ns - clock_ns();
        if (poll(&polled, 1, (int)(left_ns / 1000000) + 1) <= 0) continue;
        const int got = read_ready(clock_holder->child.record_fd, ret_line);
        if (got) return got > 0;
    }
    return 0;
}

bool clock_holder_is_there(const struct clock_holder *clock_holder) {
    struct proc_status status;
    return !proc_child_has_ended(&clock_holder->child, &status);
}

static void close_fd(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

void clock_holder_close(struct clock_holder *clock_holder, uint64_t limit_ns,
                        struct proc_status *ret_status) {
    if (!clock_holder) return;
    struct proc_child *child = &clock_holder->child;
    struct proc_status status = {.end = PROC_TIMEOUT};
    const uint64_t begin_ns = clock_ns();
    close_fd(&child->record_fd);
    while (!proc_child_has_ended(child, &status) && clock_ns() - begin_ns < limit_ns) clock_sleep_ns(STEP_NS);
    status.wall_ns = clock_ns() - begin_ns;
    proc_reap_all(child);
    close_fd(&child->out_fd);
    close_fd(&child->pid_fd);
    if (ret_status) *ret_status = status;
    free(clock_holder);
}
