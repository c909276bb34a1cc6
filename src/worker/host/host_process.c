// SPDX-License-Identifier: Apache-2.0
//
// A host from its start to its end. Whatever it forks stays below it in the tree of processes (it is
// process 1 of its namespace, or a subreaper); only when it ends do orphans come to the judge.
#include "worker/host/host_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "worker/host/host_process_internal.h"

#define NS_PER_MS UINT64_C(1000000)
// Each thread has to run once to stop, and may compete for a processor with others of higher priority.
#define STOP_LIMIT_NS (10000 * NS_PER_MS)
#define SLOW_STOP_NS  (5 * NS_PER_MS)
#define REAP_LIMIT_NS (10000 * NS_PER_MS)

enum { SLICE_NS = 1000000, LOOK_NS = 50000, STATUS_BYTES_MAX = 65536, PATH_BYTES = 64 };

static struct host_process *hosts; // started and not ended

int host_judge_begin(struct err *err) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "the worker cannot close itself to other processes");
    pthread_sigmask(SIG_BLOCK, &child, NULL);
    return 0;
}

int host_process_start(const struct host_process_spec *spec, struct host_process **ret, struct err *err) {
    struct host_process *host = mem_alloc(sizeof *host);
    host->start_ns = clock_ns();
    const int code = host_start(spec, host, err);
    if (code < 0) {
        free(host);
        return code;
    }
    host->pid_fd = (int)syscall(SYS_pidfd_open, host->pid, 0);
    // The processor clock of another process (as clock_getcpuclockid makes it, which asks whether it is
    // there).
    host->has_cpu_clock = clock_getcpuclockid(host->pid, &host->cpu_clock) == 0;
    host->next = hosts;
    hosts = host;
    *ret = host;
    return 0;
}

pid_t host_process_pid(const struct host_process *host) {
    return host->pid;
}

int host_process_fd(const struct host_process *host) {
    return host->pid_fd;
}

bool host_process_has_pid_namespace(const struct host_process *host) {
    return host->has_pid_namespace;
}

static void pause_ns(uint64_t ns) {
    const struct timespec pause = {.tv_nsec = (long)ns};
    nanosleep(&pause, NULL);
}

// ---- what /proc says ----

static long long status_number(const char *path, const char *key) {
    char *text = NULL;
    size_t length;
    long long number = -1;
    if (file_read(path, STATUS_BYTES_MAX, &text, &length, NULL) < 0) return -1;
    const char *at = strstr(text, key);
    if (at && sscanf(at + strlen(key), ":%lld", &number) != 1) number = -1;
    free(text);
    return number;
}

int host_process_filters(const struct host_process *host) {
    const int all = host_tree_filters(host->pid), ours = host_tree_filters(getpid());
    return all < 0 || ours < 0 ? -1 : all - ours;
}

bool host_process_set_never_forks(struct host_process *host) {
    const bool has_filter = host_process_filters(host) != 0; // what older kernels do not tell was reported
    host->never_forks = has_filter && host_process_count_descendants(host) == 0;
    return host->never_forks;
}

static uint64_t resident_bytes(pid_t pid) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    const long long kib = status_number(path, "\nVmRSS");
    return kib > 0 ? (uint64_t)kib * 1024 : 0;
}

size_t host_process_thread_count(pid_t pid) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    const long long count = status_number(path, "\nThreads");
    return count > 0 ? (size_t)count : 0;
}

uint64_t host_process_memory_bytes(struct host_process *host) {
    uint64_t sum_bytes = resident_bytes(host->pid);
    struct host_tree tree = {0};
    if (!host->never_forks) host_tree_below(host->pid, &tree);
    for (size_t i = 0; i < tree.count; ++i) sum_bytes += resident_bytes(tree.nodes[i].pid);
    host_tree_fini(&tree);
    return sum_bytes;
}

uint64_t host_process_cpu_ns(const struct host_process *host) {
    struct timespec time;
    if (!host->has_cpu_clock || clock_gettime(host->cpu_clock, &time) < 0) return 0;
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static size_t count_living(const struct host_tree *tree) {
    size_t count = 0;
    for (size_t i = 0; i < tree->count; ++i) count += !tree->nodes[i].is_dead;
    return count;
}

size_t host_process_list(struct host_process *host, pid_t **ret_pids) {
    struct host_tree tree = {0};
    if (!host->never_forks) host_tree_below(host->pid, &tree);
    pid_t *pids = mem_alloc((tree.count + 1) * sizeof *pids);
    size_t count = 0;
    pids[count++] = host->pid;
    for (size_t i = 0; i < tree.count; ++i) pids[count++] = tree.nodes[i].pid;
    host_tree_fini(&tree);
    *ret_pids = pids;
    return count;
}

size_t host_process_count_descendants(struct host_process *host) {
    struct host_tree tree = {0};
    if (!host->never_forks) host_tree_below(host->pid, &tree);
    const size_t count = count_living(&tree);
    host_tree_fini(&tree);
    return count;
}

size_t host_process_count_tasks(struct host_process *host) {
    size_t count = host_process_thread_count(host->pid);
    struct host_tree tree = {0};
    if (!host->never_forks) host_tree_below(host->pid, &tree);
    for (size_t i = 0; i < tree.count; ++i) count += tree.nodes[i].thread_count;
    host_tree_fini(&tree);
    return count;
}

// ---- stopping ----

// Waits a moment for SIGCHLD, which comes when the last thread stands. It must be blocked.
static void wait_for_child(const sigset_t *child) {
    const struct timespec slice = {.tv_nsec = SLICE_NS};
    sigtimedwait(child, NULL, &slice);
}

// 1: it stands, 0: not yet, negative: it has ended.
static int stop_state(const struct host_process *host, bool is_slow) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)host->pid, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) < 0) return -1;
    if (info.si_pid == 0) return is_slow && host_tree_stop(host->pid); // a thread in vfork reports nothing
    if (info.si_code != CLD_STOPPED) return -1;
    waitid(P_PID, (id_t)host->pid, &info, WSTOPPED | WNOHANG);
    return 1;
}

// Returns how many descendants were still able to run.
static size_t stop_descendants(const struct host_process *host) {
    struct host_tree tree;
    size_t count = 0;
    host_tree_below(host->pid, &tree);
    for (size_t i = 0; i < tree.count; ++i) {
        if (!tree.nodes[i].is_dead && !host_tree_stop(tree.nodes[i].pid)) ++count;
    }
    host_tree_fini(&tree);
    return count;
}

// A descendant may have continued the host before it was stopped itself.
static bool was_continued(const struct host_process *host) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)host->pid, &info, WCONTINUED | WNOHANG) == 0 && info.si_pid != 0;
}

// Asks the host to stop, once more if need be, and waits up to a slice. As stop_state.
static int stop_host(const struct host_process *host, uint64_t start_ns, const sigset_t *child) {
    kill(host->pid, SIGSTOP);
    int state = stop_state(host, clock_ns() - start_ns > SLOW_STOP_NS);
    if (state == 0) {
        wait_for_child(child);
        state = stop_state(host, false);
    }
    return state;
}

static int stop_all(const struct host_process *host, const sigset_t *child, struct err *err) {
    const uint64_t start_ns = clock_ns();
    was_continued(host); // forget older news
    while (clock_ns() - start_ns < STOP_LIMIT_NS) {
        const int state = stop_host(host, start_ns, child);
        if (state < 0) return err_set(err, ERR_UNAVAILABLE, "the kernel's process has ended");
        // Descendants are stopped also while the host does not stand: one of them may keep it going.
        const bool is_alone = host->never_forks || stop_descendants(host) == 0;
        if (state > 0 && is_alone && (host->never_forks || !was_continued(host))) return 0;
        if (state > 0) pause_ns(LOOK_NS);
    }
    return err_set(err, ERR_UNAVAILABLE,
                   "the kernel's process, or what it has started, does not stop within 10 s");
}

int host_process_stop(struct host_process *host, struct err *err) {
    sigset_t child, before;
    if (host->is_stopped) return 0;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, &before);
    const int code = stop_all(host, &child, err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    host->is_stopped = code >= 0;
    return code;
}

static void signal_descendants(const struct host_process *host, int signal) {
    struct host_tree tree;
    host_tree_below(host->pid, &tree);
    for (size_t i = 0; i < tree.count; ++i)
        if (!tree.nodes[i].is_dead) kill(tree.nodes[i].pid, signal);
    host_tree_fini(&tree);
}

void host_process_continue(struct host_process *host) {
    if (!host->is_stopped) return;
    if (!host->never_forks) signal_descendants(host, SIGCONT);
    kill(host->pid, SIGCONT);
    host->is_stopped = false;
}

void host_process_kill_descendants(struct host_process *host) {
    const uint64_t start_ns = clock_ns();
    while (host_process_count_descendants(host) > 0 && clock_ns() - start_ns < STOP_LIMIT_NS) {
        signal_descendants(host, SIGKILL);
        pause_ns(LOOK_NS);
    }
}

// ---- ending ----

bool host_process_has_ended(const struct host_process *host, struct proc_status *ret_status) {
    siginfo_t info = {0};
    int waited;
    do {
        waited = waitid(P_PID, (id_t)host->pid, &info, WEXITED | WNOHANG | WNOWAIT);
    } while (waited < 0 && errno == EINTR);
    // A child that asked to be traced reports its stops here, too.
    if (waited == 0 && (info.si_pid == 0 || info.si_code == CLD_TRAPPED)) return false;
    *ret_status = (struct proc_status){.end = PROC_SIGNALED, .signal = SIGKILL};
    if (waited == 0) {
        if (info.si_code == CLD_EXITED)
            *ret_status = (struct proc_status){.end = PROC_EXITED, .exit_code = info.si_status};
        else
            ret_status->signal = info.si_status;
    }
    ret_status->wall_ns = clock_ns() - host->start_ns;
    return true;
}

static bool wait_for_end(const struct host_process *host, uint64_t deadline_ns, struct proc_status *status) {
    while (!host_process_has_ended(host, status)) {
        const uint64_t now_ns = clock_ns();
        if (now_ns >= deadline_ns) return false;
        const uint64_t left_ms = (deadline_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS;
        struct pollfd end = {.fd = host->pid_fd, .events = POLLIN};
        poll(&end, 1, host->pid_fd < 0 || left_ms > 1000 ? (host->pid_fd < 0 ? 1 : 1000) : (int)left_ms);
    }
    return true;
}

// Kills and reaps orphans until none is left. Returns how many were alive when they were found first.
static size_t end_orphans(void) {
    const uint64_t start_ns = clock_ns();
    size_t count = 0;
    for (bool is_first = true;; is_first = false) {
        struct host_tree tree;
        host_tree_orphans(hosts, &tree);
        if (is_first) count = count_living(&tree);
        for (size_t i = 0; i < tree.count; ++i) {
            kill(tree.nodes[i].pid, SIGKILL);
            if (tree.nodes[i].parent == getpid()) waitpid(tree.nodes[i].pid, NULL, WNOHANG);
        }
        const size_t left = tree.count;
        host_tree_fini(&tree);
        if (left == 0 || clock_ns() - start_ns > REAP_LIMIT_NS) return count;
        pause_ns(LOOK_NS);
    }
}

static void forget(struct host_process *host) {
    struct host_process **at = &hosts;
    while (*at != host) at = &(*at)->next;
    *at = host->next;
    if (host->pid_fd >= 0) close(host->pid_fd);
    free(host);
}

size_t host_process_end(struct host_process *host, uint64_t deadline_ns, struct proc_status *ret_status) {
    struct proc_status status = {0};
    if (!host) return 0;
    host_process_continue(host);
    size_t count = 0;
    bool is_over = wait_for_end(host, deadline_ns, &status);
    if (!is_over) {
        count = host_process_count_descendants(host);
        kill(host->pid, SIGKILL);
        struct proc_status killed = {0};
        is_over = wait_for_end(host, clock_ns() + REAP_LIMIT_NS, &killed);
        status = (struct proc_status){.end = PROC_TIMEOUT, .signal = SIGKILL, .wall_ns = killed.wall_ns};
    }
    if (is_over) waitpid(host->pid, NULL, WNOHANG);
    status.is_left_behind = !is_over;
    const size_t orphans = end_orphans();
    if (ret_status) *ret_status = status;
    forget(host);
    return count > orphans ? count : orphans;
}
