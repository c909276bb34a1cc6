// SPDX-License-Identifier: Apache-2.0
//
// Waits for a child. One loop waits for its output, its records, its end, the deadline, the memory limit and
// the user's interrupt. While nothing happens it wakes twice a second, so as not to disturb a measurement on
// a small machine. Starting is proc_spawn.c, ending proc_reap.c.
#include "base/process/proc.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/process/proc_internal.h"

static const uint64_t TICK_NS = 500000000;
static const uint64_t TICK_ENDING_NS = 5000000;  // no pidfd: wake-ups between end of output and exit
static const uint64_t STRAGGLER_NS = 2000000000; // how long a pipe may stay open after the child's end
static const size_t LINE_BYTES_MAX = (size_t)64 << 20;
static const size_t TAIL_BYTES_DEFAULT = 65536;
enum { DRAINS_MAX = 64 }; // reads for one look at the output: a child may print faster than we read

struct tail {
    struct strbuf text; // at most twice the limit
    size_t limit_bytes;
    // Of all that arrived, of it before the mark, and before the last records.
    uint64_t byte_count, marked_count, count_at_records;
};

// A pipe besides stdout and stderr.
struct more_output {
    int fd; // -1: closed
    struct tail tail;
};

struct proc {
    struct proc_child child;
    struct tail out, err_out;
    struct tail all; // of all outputs, where there are more
    size_t more_count;
    struct more_output more[PROC_OUTPUTS_MAX];
    struct strbuf lines; // bytes read from descriptor 3; from line_start on they are not delivered yet
    size_t line_start;
    size_t line_scanned; // no newline before this offset
    uint64_t start_ns;
    uint64_t deadline_ns; // from the spec's timeout; 0: none
    uint64_t memory_limit_bytes;
    uint64_t memory_checked_ns;
    uint64_t ended_ns; // 0: still running
    uint64_t killed_ns;
    uint64_t stepped_ns, lost_ns; // end of the last step; proc_lost_ns
    void (*on_wait)(void *arg);   // may be NULL
    void *on_wait_arg;
    bool is_killed;
    enum proc_end kill_reason; // PROC_END_INVALID: proc_kill, or an interrupt
    struct proc_status status; // valid when ended_ns is set
    char chunk[65536];         // of what is read
};

static void tail_add(struct tail *tail, const char *bytes, size_t count) {
    strbuf_add_bytes(&tail->text, bytes, count);
    tail->byte_count += count;
    if (tail->text.length <= 2 * tail->limit_bytes) return;
    size_t cut = tail->text.length - tail->limit_bytes;
    memmove(tail->text.text, tail->text.text + cut, tail->limit_bytes + 1); // including the terminating zero
    tail->text.length = tail->limit_bytes;
}

static const char *tail_text(const struct tail *tail, size_t *ret_length) {
    size_t length = tail->text.length < tail->limit_bytes ? tail->text.length : tail->limit_bytes;
    *ret_length = length;
    return strbuf_text(&tail->text) + (tail->text.length - length);
}

static void close_more(struct proc *proc) {
    for (size_t i = 0; i < proc->more_count; ++i) {
        if (proc->more[i].fd >= 0) close(proc->more[i].fd);
        proc->more[i].fd = -1;
    }
}

static int proc_start(const struct proc_spec *spec, const struct proc_wiring *wiring, struct proc **ret,
                      struct err *err) {
    struct proc *proc = mem_alloc(sizeof *proc);
    const size_t limit_bytes = spec->output_limit_bytes ? spec->output_limit_bytes : TAIL_BYTES_DEFAULT;
    proc->start_ns = proc->stepped_ns = clock_ns();
    for (; proc->more_count < spec->more_output_count; ++proc->more_count)
        proc->more[proc->more_count] = (struct more_output){.fd = spec->more_output_fds[proc->more_count],
                                                            .tail = {.limit_bytes = limit_bytes}};
    int result = proc_spawn(spec, wiring, &proc->child, err);
    if (result < 0) {
        close_more(proc);
        free(proc);
        return result;
    }
    proc->out.limit_bytes = proc->err_out.limit_bytes = proc->all.limit_bytes = limit_bytes;
    proc->deadline_ns = spec->timeout_ns ? proc->start_ns + spec->timeout_ns : 0;
    proc->memory_limit_bytes = spec->memory_limit_bytes;
    proc->memory_checked_ns = proc->start_ns;
    *ret = proc;
    return 0;
}

static void proc_kill_because(struct proc *proc, enum proc_end reason) {
    if (proc->is_killed) return;
    proc->is_killed = true;
    if (proc->ended_ns) return;
    proc->killed_ns = clock_ns();
    proc->kill_reason = reason;
    proc_group_kill(&proc->child);
}

void proc_kill(struct proc *proc) {
    proc_kill_because(proc, PROC_END_INVALID);
}

// Reads the bytes available now. At end of file the descriptor is closed and becomes -1. Returns the bytes
// read.
static size_t fd_drain(int *fd, char *buffer, size_t capacity) {
    ssize_t got = read(*fd, buffer, capacity);
    if (got > 0) return (size_t)got;
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 0;
    close(*fd);
    *fd = -1;
    return 0;
}

static void drain_output(struct proc *proc, int *fd, struct tail *tail) {
    size_t got = fd_drain(fd, proc->chunk, sizeof proc->chunk);
    if (got) tail_add(tail, proc->chunk, got);
    if (got && proc->more_count) tail_add(&proc->all, proc->chunk, got);
}

static void drain_records(struct proc *proc) {
    size_t got = fd_drain(&proc->child.record_fd, proc->chunk, sizeof proc->chunk);
    if (!got) return;
    if (proc->line_start) {
        size_t left = proc->lines.length - proc->line_start;
        memmove(proc->lines.text, proc->lines.text + proc->line_start, left + 1);
        proc->lines.length = left;
        proc->line_scanned -= proc->line_start;
        proc->line_start = 0;
    }
    strbuf_add_bytes(&proc->lines, proc->chunk, got);
}

// The next complete line in the buffer, or NULL.
static char *take_line(struct proc *proc) {
    if (!proc->lines.text) return NULL;
    char *from = proc->lines.text + proc->line_scanned;
    char *newline = memchr(from, '\n', proc->lines.length - proc->line_scanned);
    if (!newline) {
        proc->line_scanned = proc->lines.length;
        return NULL;
    }
    char *line = proc->lines.text + proc->line_start;
    *newline = 0;
    proc->line_start = proc->line_scanned = (size_t)(newline + 1 - proc->lines.text);
    return line;
}

static void close_output(struct proc *proc) {
    int *fds[] = {&proc->child.out_fd, &proc->child.err_fd, &proc->child.record_fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; ++i) {
        if (*fds[i] >= 0) close(*fds[i]);
        *fds[i] = -1;
    }
    close_more(proc);
}

static void check_memory(struct proc *proc, uint64_t now_ns) {
    if (!proc->memory_limit_bytes || proc->is_killed || now_ns - proc->memory_checked_ns < TICK_NS) return;
    proc->memory_checked_ns = now_ns;
    if (proc_group_memory_bytes(&proc->child) > proc->memory_limit_bytes)
        proc_kill_because(proc, PROC_OVER_MEMORY);
}

// Gives up on a child in an uninterruptible wait (a dead network disk, a driver), which would hang us for
// ever.
static void check_stuck(struct proc *proc, uint64_t now_ns) {
    if (proc->ended_ns || !proc->is_killed || now_ns - proc->killed_ns < PROC_REAP_LIMIT_NS) return;
    proc->status = (struct proc_status){.end = proc->kill_reason, .is_left_behind = true};
    if (proc->kill_reason == PROC_END_INVALID) {
        proc->status.end = PROC_SIGNALED;
        proc->status.signal = SIGKILL;
    }
    proc->ended_ns = now_ns;
    proc->status.wall_ns = now_ns - proc->start_ns;
    close_output(proc);
}

static void check_end(struct proc *proc, uint64_t now_ns) {
    if (proc->ended_ns || !proc_child_has_ended(&proc->child, &proc->status)) return;
    // A child that exited just before our SIGKILL keeps its own status.
    bool is_ours = proc->status.end == PROC_SIGNALED && proc->status.signal == SIGKILL;
    if (is_ours && proc->kill_reason != PROC_END_INVALID) {
        proc->status = (struct proc_status){.end = proc->kill_reason};
    }
    proc->ended_ns = now_ns;
    proc->status.wall_ns = now_ns - proc->start_ns;
    proc_group_kill(&proc->child); // the rest of its group may hold the pipes open
}

static bool has_output(const struct proc *proc) {
    for (size_t i = 0; i < proc->more_count; ++i)
        if (proc->more[i].fd >= 0) return true;
    return proc->child.out_fd >= 0 || proc->child.err_fd >= 0 || proc->child.record_fd >= 0;
}

static int poll_timeout_ms(const struct proc *proc, uint64_t deadline_ns, uint64_t now_ns) {
    uint64_t wait_ns = TICK_NS;
    if (proc->child.pid_fd < 0 && !has_output(proc)) wait_ns = TICK_ENDING_NS;
    if (proc->ended_ns) wait_ns = TICK_ENDING_NS;
    if (deadline_ns && !proc->is_killed) {
        uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
        if (left_ns < wait_ns) wait_ns = left_ns;
    }
    return (int)((wait_ns + 999999) / 1000000);
}

static void note_records(struct proc *proc) {
    proc->out.count_at_records = proc->out.byte_count;
    for (size_t i = 0; i < proc->more_count; ++i)
        proc->more[i].tail.count_at_records = proc->more[i].tail.byte_count;
}

// Waits once for an event, reads the available output, and enforces the limits.
static void proc_step(struct proc *proc, uint64_t deadline_ns) {
    struct proc_child *child = &proc->child;
    if (proc->deadline_ns && (!deadline_ns || proc->deadline_ns < deadline_ns))
        deadline_ns = proc->deadline_ns;
    struct pollfd polled[4 + PROC_OUTPUTS_MAX] = {
        {.fd = child->out_fd, .events = POLLIN},
        {.fd = child->err_fd, .events = POLLIN},
        {.fd = child->record_fd, .events = POLLIN},
        {.fd = proc->ended_ns ? -1 : child->pid_fd, .events = POLLIN},
    };
    for (size_t i = 0; i < proc->more_count; ++i)
        polled[4 + i] = (struct pollfd){.fd = proc->more[i].fd, .events = POLLIN};
    const int timeout_ms = poll_timeout_ms(proc, deadline_ns, clock_ns());
    int ready = poll(polled, 4 + proc->more_count, timeout_ms);
    if (ready > 0) {
        if (polled[2].revents) note_records(proc);
        for (size_t i = 0; i < proc->more_count; ++i)
            if (polled[4 + i].revents) drain_output(proc, &proc->more[i].fd, &proc->more[i].tail);
        if (polled[0].revents) drain_output(proc, &child->out_fd, &proc->out);
        if (polled[1].revents) drain_output(proc, &child->err_fd, &proc->err_out);
        if (polled[2].revents) drain_records(proc);
    }
    const uint64_t now_ns = clock_ns(), spent_ns = now_ns - proc->stepped_ns,
                   planned_ns = (uint64_t)timeout_ms * 1000000;
    if (spent_ns > planned_ns + proc->lost_ns) proc->lost_ns = spent_ns - planned_ns;
    proc->stepped_ns = now_ns;
    if (polled[3].fd < 0 || (ready > 0 && polled[3].revents)) check_end(proc, now_ns);
    check_stuck(proc, now_ns);
    if (proc->ended_ns) {
        // Only a descendant that left the group can still hold a pipe; it is killed when the child is reaped.
        if (now_ns - proc->ended_ns > STRAGGLER_NS) close_output(proc);
        return;
    }
    if (deadline_ns && now_ns >= deadline_ns) proc_kill_because(proc, PROC_TIMEOUT);
    check_memory(proc, now_ns);
}

static bool is_finished(const struct proc *proc) {
    return proc->ended_ns && !has_output(proc);
}

int proc_open(const struct proc_spec *spec, struct proc **ret, struct err *err) {
    return proc_start(spec, &(struct proc_wiring){.has_records = true}, ret, err);
}

int proc_next_line(struct proc *proc, uint64_t deadline_ns, char **ret_line, struct err *err) {
    for (;;) {
        char *line = take_line(proc);
        if (line) {
            *ret_line = line;
            return 1;
        }
        if (is_finished(proc)) return 0;
        if (proc->lines.length - proc->line_start > LINE_BYTES_MAX) {
            proc_kill(proc);
            return err_set(err, ERR_DATA, "process %ld wrote a record of more than %zu bytes",
                           (long)proc->child.pid, LINE_BYTES_MAX);
        }
        if (interrupt_is_set()) {
            proc_kill(proc);
            return err_set(err, ERR_CANCELLED, "interrupted");
        }
        proc_step(proc, deadline_ns);
        if (proc->on_wait) proc->on_wait(proc->on_wait_arg);
    }
}

void proc_on_wait(struct proc *proc, void (*on_wait)(void *arg), void *arg) {
    proc->on_wait = on_wait;
    proc->on_wait_arg = arg;
}

void proc_limit_memory(struct proc *proc, uint64_t limit_bytes) {
    proc->memory_limit_bytes = limit_bytes;
}

void proc_close(struct proc *proc, struct proc_status *ret_status, char **ret_tail) {
    if (!proc) return;
    proc_kill(proc);
    while (!is_finished(proc)) proc_step(proc, 0);
    if (!proc->status.is_left_behind) proc_reap_all(&proc->child);
    proc_watcher_stop(&proc->child.watcher);
    if (ret_status) *ret_status = proc->status;
    if (ret_tail) {
        size_t length;
        const char *text = tail_text(&proc->out, &length);
        struct strbuf copy = {0};
        strbuf_add_bytes(&copy, text, length);
        *ret_tail = strbuf_take(&copy);
    }
    if (proc->child.pid_fd >= 0) close(proc->child.pid_fd);
    strbuf_fini(&proc->out.text);
    strbuf_fini(&proc->err_out.text);
    strbuf_fini(&proc->all.text);
    for (size_t i = 0; i < proc->more_count; ++i) strbuf_fini(&proc->more[i].tail.text);
    close_more(proc);
    strbuf_fini(&proc->lines);
    free(proc);
}

pid_t proc_pid(const struct proc *proc) {
    return proc->child.pid;
}

static void drain_now(struct proc *proc, int *fd, struct tail *tail) {
    uint64_t before;
    int reads = 0;
    do {
        before = tail->byte_count;
        if (*fd >= 0) drain_output(proc, fd, tail);
    } while (tail->byte_count > before && ++reads < DRAINS_MAX);
}

void proc_output_mark(struct proc *proc) {
    proc->out.marked_count = proc->out.count_at_records;
    for (size_t i = 0; i < proc->more_count; ++i)
        proc->more[i].tail.marked_count = proc->more[i].tail.count_at_records;
}

static char *copy_tail(const struct tail *tail) {
    size_t length;
    const char *text = tail_text(tail, &length);
    const uint64_t fresh = tail->byte_count - tail->marked_count;
    const size_t shown = fresh < length ? (size_t)fresh : length;
    struct strbuf copy = {0};
    strbuf_add_bytes(&copy, text + (length - shown), shown);
    return strbuf_take(&copy);
}

char *proc_output_tail(struct proc *proc, size_t output) {
    const bool is_own = output >= proc->more_count;
    struct tail *tail = is_own ? &proc->out : &proc->more[output].tail;
    drain_now(proc, is_own ? &proc->child.out_fd : &proc->more[output].fd, tail);
    return copy_tail(tail);
}

char *proc_output_all(struct proc *proc) {
    const struct tail *tail = proc->more_count ? &proc->all : &proc->out;
    size_t length;
    const char *text = tail_text(tail, &length);
    struct strbuf copy = {0};
    strbuf_add_bytes(&copy, text, length);
    return strbuf_take(&copy);
}

uint64_t proc_lost_ns(const struct proc *proc) {
    return proc->lost_ns;
}

static int run_to_end(const struct proc_spec *spec, bool is_split, struct proc_status *ret_status,
                      struct strbuf *const outputs[2], struct err *err) {
    struct proc *proc = NULL;
    TRY(proc_start(spec, &(struct proc_wiring){.is_split = is_split}, &proc, err));
    int result = 0;
    while (!is_finished(proc)) {
        if (interrupt_is_set() && !proc->is_killed) {
            result = err_set(err, ERR_CANCELLED, "interrupted while '%s' was running", spec->argv[0]);
            proc_kill(proc);
        }
        proc_step(proc, 0);
    }
    const struct tail *tails[2] = {&proc->out, &proc->err_out};
    for (size_t i = 0; i < 2; ++i) {
        size_t length;
        const char *text = tail_text(tails[i], &length);
        if (outputs[i]) strbuf_add_bytes(outputs[i], text, length);
    }
    proc_close(proc, ret_status, NULL);
    return result;
}

int proc_run(const struct proc_spec *spec, struct proc_status *ret_status, struct strbuf *output,
             struct err *err) {
    return run_to_end(spec, false, ret_status, (struct strbuf *const[2]){output, NULL}, err);
}

int proc_run_split(const struct proc_spec *spec, struct proc_status *ret_status, struct strbuf *out,
                   struct strbuf *err_out, struct err *err) {
    return run_to_end(spec, true, ret_status, (struct strbuf *const[2]){out, err_out}, err);
}

static void end_format(const struct proc_status *status, struct strbuf *out) {
    switch (status->end) {
    case PROC_EXITED: strbuf_addf(out, "exited with code %d", status->exit_code); return;
    case PROC_SIGNALED: {
        const char *name = strsignal(status->signal);
        strbuf_addf(out, "killed by signal %d (%s)", status->signal, name ? name : "unknown");
        return;
    }
    case PROC_TIMEOUT: {
        double wall_s = (double)status->wall_ns * 1e-9;
        strbuf_addf(out, wall_s < 9.95 ? "timed out after %.1f s" : "timed out after %.0f s", wall_s);
        return;
    }
    case PROC_OVER_MEMORY: strbuf_add(out, "killed for using more memory than its limit"); return;
    case PROC_END_INVALID:
    case PROC_END_COUNT: break;
    }
    strbuf_add(out, "in an unknown state");
}

void proc_status_format(const struct proc_status *status, struct strbuf *out) {
    end_format(status, out);
    if (status->is_left_behind) strbuf_add(out, ", but it does not die and was left behind");
}
