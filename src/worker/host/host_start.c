// SPDX-License-Identifier: Apache-2.0
//
// Starts a host. The judge may have threads, which may hold locks, so between clone and exec the child makes
// system calls only; what it needs is put together before.
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "worker/host/host_fork.h"
#include "worker/host/host_process_internal.h"

enum { REPORT_FD = HOST_CHANNEL_FD + 1, FD_ABOVE = 16, FD_MAX = 4096, SIGNALS = 64 };

// What the child tells us before exec: a step that failed, with errno. Nothing: exec went well.
enum step { STEP_INVALID = 0, STEP_MAPS, STEP_PROC, STEP_DIR, STEP_EXEC, STEP_OTHER, STEP_COUNT };
struct message {
    enum step step;
    int error;
};

struct launch {
    const struct host_process_spec *spec;
    int report_fd;      // the child writes
    int parent_fd;      // the end that only the judge may hold; -1: the child has none
    int out_fd, err_fd; // become 1 and 2; 0: ours stay
    char uid_map[48], gid_map[48];
    unsigned long namespaces;
    bool is_forked; // by the fork server, in place of exec
};

static _Noreturn void give_up(int fd, enum step step) {
    const struct message message = {.step = step, .error = errno};
    ssize_t written = write(fd, &message, sizeof message);
    (void)written;
    _exit(127);
}

static bool write_text(const char *path, const char *text) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const size_t count = strlen(text);
    const bool is_written = write(fd, text, count) == (ssize_t)count;
    close(fd);
    return is_written;
}

static void reset_signals(void) {
    const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int number = 1; number <= SIGNALS; ++number)
        sigaction(number, &usual, NULL); // SIGKILL cannot, need not
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// 0: /dev/null, 1 and 2: its own output or ours, 3: the channel, 4: the report, which exec closes.
static void wire(const struct launch *launch) {
    const int channel = fcntl(launch->spec->channel_fd, F_DUPFD, FD_ABOVE);
    const int report = fcntl(launch->report_fd, F_DUPFD, FD_ABOVE);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int out = launch->out_fd, error = launch->err_fd;
    if (channel < 0 || report < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
        (out && dup2(out, STDOUT_FILENO) < 0) || (error && dup2(error, STDERR_FILENO) < 0) ||
        dup2(channel, HOST_CHANNEL_FD) < 0 || dup3(report, REPORT_FD, O_CLOEXEC) < 0)
        give_up(launch->report_fd, STEP_OTHER);
    if (syscall(SYS_close_range, (unsigned)REPORT_FD + 1, ~0u, 0u) < 0)
        for (int fd = REPORT_FD + 1; fd < FD_MAX; ++fd) close(fd);
}

// A process that may not be dumped does not own its files in /proc, and cannot write its maps.
static void map_user(const struct launch *launch) {
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    write_text("/proc/self/setgroups", "deny");
    if (!write_text("/proc/self/gid_map", launch->gid_map) ||
        !write_text("/proc/self/uid_map", launch->uid_map))
        give_up(launch->report_fd, STEP_MAPS);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Everything between clone and exec.
static void enter_child(const struct launch *launch) {
    const struct host_process_spec *spec = launch->spec;
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // A judge that has died before that call has closed the other end of our report.
    if (launch->parent_fd >= 0) close(launch->parent_fd);
    struct pollfd parent = {.fd = launch->report_fd};
    if (poll(&parent, 1, 0) > 0 && (parent.revents & POLLERR)) _exit(127);
    if (launch->namespaces & CLONE_NEWUSER) map_user(launch);
    // Its own /proc shows only its own processes. In ours its threads are not found by their numbers, and the
    // CUDA driver, which names its threads there, does not start.
    if (launch->namespaces && (mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
                               mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0))
        give_up(launch->report_fd, STEP_PROC);
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); // its orphans stay below it
    write_text("/proc/self/oom_score_adj", "800");
    if (spec->cpus) sched_setaffinity(0, spec->cpus_bytes, spec->cpus);
    reset_signals();
    wire(launch);
    if (spec->dir && chdir(spec->dir) < 0) give_up(REPORT_FD, STEP_DIR);
}

static _Noreturn void run_child(const struct launch *launch) {
    const struct host_process_spec *spec = launch->spec;
    enter_child(launch);
    execve(spec->argv[0], (char *const *)(uintptr_t)spec->argv, (char *const *)(uintptr_t)spec->env);
    give_up(REPORT_FD, STEP_EXEC);
}

static void name_user(struct launch *launch) {
    snprintf(launch->uid_map, sizeof launch->uid_map, "%u %u 1\n", (unsigned)geteuid(), (unsigned)geteuid());
    snprintf(launch->gid_map, sizeof launch->gid_map, "%u %u 1\n", (unsigned)getegid(), (unsigned)getegid());
}

void assay_python_fork_enter(int channel_fd, int out_fd, int err_fd, int report_fd, uint64_t namespaces,
                             const char *dir) {
    const struct host_process_spec spec = {.channel_fd = channel_fd, .dir = dir};
    struct launch launch = {.spec = &spec,
                            .report_fd = report_fd,
                            .parent_fd = -1,
                            .out_fd = out_fd,
                            .err_fd = err_fd,
                            .namespaces = (unsigned long)namespaces};
    name_user(&launch);
    enter_child(&launch);
    close(REPORT_FD); // as exec does
}

static pid_t clone_child(const struct launch *launch) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // no handler of ours runs in the child
    const pid_t pid = (pid_t)syscall(SYS_clone, launch->namespaces | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0) run_child(launch);
    const int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return pid;
}

// Reads the child's message: true when there is none, so exec went well.
static bool has_started(int fd, struct message *ret) {
    ssize_t got;
    do {
        got = read(fd, ret, sizeof *ret);
    } while (got < 0 && errno == EINTR);
    return got == 0;
}

static void reap(pid_t pid) {
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
}

// One try, with these namespaces. Returns the child, 0 when they cannot be had (errno), or an error.
static pid_t try_start(struct launch *launch, struct err *err) {
    int ends[2];
    const struct host_process_spec *spec = launch->spec;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot start '%s'", spec->argv[0]);
    launch->report_fd = ends[1];
    launch->parent_fd = ends[0];
    pid_t pid = launch->is_forked ? host_fork_start(spec, launch->report_fd, launch->namespaces)
                                  : clone_child(launch);
    const int error = errno;
    close(ends[1]);
    struct message message = {.step = STEP_OTHER, .error = error};
    const bool is_started = pid > 0 && has_started(ends[0], &message);
    close(ends[0]);
    if (is_started) return pid;
    if (pid > 0) reap(pid);
    errno = message.error;
    if (launch->namespaces && (pid < 0 || message.step == STEP_MAPS || message.step == STEP_PROC)) return 0;
    if (message.step == STEP_DIR)
        return err_set_errno(err, ERR_NO_INPUT, "cannot enter the folder '%s' of a kernel's process",
                             spec->dir);
    return err_set_errno(err, ERR_UNAVAILABLE, "cannot start '%s'", spec->argv[0]);
}

int host_start(const struct host_process_spec *spec, struct host_process *host, struct err *err) {
    // The best first. Only root has namespaces without a user namespace; a container may refuse all.
    static const unsigned long tries[] = {CLONE_NEWPID | CLONE_NEWNS,
                                          CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS, 0};
    struct launch launch = {.spec = spec, .out_fd = spec->output_fd, .err_fd = spec->output_fd};
    name_user(&launch);
    pid_t pid = 0;
    for (size_t i = 0; pid == 0 && i < sizeof tries / sizeof *tries; ++i) {
        launch.namespaces = tries[i];
        launch.is_forked = host_fork_may(spec);
        if (launch.is_forked) pid = try_start(&launch, NULL);
        if (launch.is_forked && pid > 0) break;
        if (launch.is_forked && host_fork_is_lost()) // this one: others then start interpreters of their own
            return err_set(err, ERR_UNAVAILABLE,
                           "the interpreter that '%s' is to be forked from does not answer", spec->callable);
        launch.is_forked = false; // what the server cannot start a fresh interpreter is
        pid = try_start(&launch, err);
    }
    if (pid < 0) return (int)pid;
    host->pid = pid;
    host->has_pid_namespace = launch.namespaces & CLONE_NEWPID;
    // Without one the sandbox's report says so (sandbox.c).
    return 0;
}
