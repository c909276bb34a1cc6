// SPDX-License-Identifier: Apache-2.0
//
// Ends the descendants of a tool when we are killed. The tool itself dies with us (PR_SET_PDEATHSIG), but
// its descendants do not, and Ninja puts each command into a group of its own. So a forked copy of this
// process, the watcher, waits at a pipe whose other end only we hold: when the pipe breaks, it kills every
// process with the tool's mark in its environment. It is forked from a process that may have threads and
// never calls exec, so it uses system calls only and allocates nothing.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process/proc_internal.h"

enum { FD_MAX = 4096, PASSES_MAX = 1000, PASS_NS = 10000000, CHUNK_BYTES = 4096 };

// A directory entry as getdents64 writes it.
struct folder_entry {
    uint64_t number;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

// Whether the environment that the process was started with holds the mark. A mark may lie across two reads.
static bool has_mark(int process_fd, const char *mark) {
    char buffer[PROC_MARK_BYTES + CHUNK_BYTES];
    const size_t mark_bytes = strlen(mark) + 1;
    size_t kept = 0;
    bool is_found = false;
    const int fd = openat(process_fd, "environ", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && !is_found) {
        const ssize_t got = read(fd, buffer + kept, CHUNK_BYTES);
        if (got <= 0) break;
        const size_t length = kept + (size_t)got;
        is_found = memmem(buffer, length, mark, mark_bytes) != NULL;
        kept = length < mark_bytes ? length : mark_bytes - 1;
        memmove(buffer, buffer + length - kept, kept);
    }
    if (fd >= 0) close(fd);
    return is_found;
}

static pid_t number_of(const char *name) {
    long number = 0;
    for (; *name >= '0' && *name <= '9' && number < 1 << 28; ++name) number = number * 10 + (*name - '0');
    return *name ? 0 : (pid_t)number;
}

static bool kill_if_marked(int folder_fd, const char *name, const char *mark) {
    const pid_t pid = number_of(name);
    if (pid <= 1 || pid == getpid()) return false;
    const int process_fd = openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (process_fd < 0) return false;
    const bool is_one = has_mark(process_fd, mark);
    close(process_fd);
    if (is_one) kill(pid, SIGKILL);
    return is_one;
}

// Returns how many were found.
static int kill_marked(const char *mark) {
    _Alignas(struct folder_entry) char buffer[CHUNK_BYTES];
    int count = 0;
    const int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return 0;
    for (;;) {
        const long got = syscall(SYS_getdents64, fd, buffer, sizeof buffer);
        if (got <= 0) break;
        for (long at = 0; at < got;) {
            const struct folder_entry *entry = (const void *)(buffer + at);
            count += kill_if_marked(fd, entry->name, mark);
            at += entry->length;
        }
    }
    close(fd);
    return count;
}

static _Noreturn void watch(int line_fd, const char *mark) {
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; ++i) sigaction(ignored[i], &ignore, NULL);
    setpgid(0, 0);
    prctl(PR_SET_NAME, "assay-watcher");
    // Close every inherited descriptor: a pipe held open here would keep its reader waiting, and other
    // watchers' pipes would never break.
    if (line_fd != 0 && dup2(line_fd, 0) < 0) _exit(1);
    if (syscall(SYS_close_range, 1u, ~0u, 0u) < 0)
        for (int fd = 1; fd < FD_MAX; ++fd) close(fd);
    char byte;
    ssize_t got;
    do {
        got = read(0, &byte, 1);
    } while (got > 0 || (got < 0 && errno == EINTR));
    const struct timespec pause = {.tv_nsec = PASS_NS};
    // A process that was being started during one pass is found in the next.
    for (int pass = 0, quiet = 0; pass < PASSES_MAX && quiet < 2; ++pass) {
        quiet = kill_marked(mark) ? 0 : quiet + 1;
        nanosleep(&pause, NULL);
    }
    _exit(0);
}

int proc_watcher_start(const char *mark, struct proc_watcher *ret) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        watch(ends[0], mark);
    }
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return -1;
    }
    *ret = (struct proc_watcher){.pid = pid, .line_fd = ends[1]};
    return 0;
}

void proc_watcher_stop(struct proc_watcher *watcher) {
    if (!watcher->pid) return;
    kill(watcher->pid, SIGKILL); // before its pipe breaks: there is nothing left to kill
    while (waitpid(watcher->pid, NULL, 0) < 0 && errno == EINTR) continue;
    close(watcher->line_fd);
    *watcher = (struct proc_watcher){0};
}
