// SPDX-License-Identifier: Apache-2.0
//
// Starts a child so that it cannot disturb or outlive us (but for a clock holder): a process group of its
// own, SIGKILL when our thread dies, default signals, no core file, no descriptor but 0, 1, 2, those that are
// kept for it and (for workers) 3. Its input is a memory file, so we need not feed a pipe. Between fork and
// exec only async-signal-safe calls are made: other threads may hold locks.
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/fork_request.h"
#include "base/process/proc_internal.h"

extern char **environ;

enum { RECORD_FD = 3, CHILD_FD_MIN = 10 }; // CHILD_FD_MIN: above every descriptor that dup2 will overwrite

// Everything the child needs between fork and exec, prepared before the fork.
struct launch {
    const char *program;
    char *const *argv;
    char *const *envp;
    const char *dir;
    pid_t parent;
    bool outlives_us, leads_session;
    const int *kept_fds;
    size_t kept_fd_count;
    int in_fd, out_fd, err_fd, record_fd, report_fd;
};

// The step that failed in the child, sent over report_fd.
struct launch_failure {
    bool is_dir;
    int error;
};

static _Noreturn void launch_fail(const struct launch *launch, bool is_dir) {
    struct launch_failure failure = {.is_dir = is_dir, .error = errno};
    ssize_t ignored = write(launch->report_fd, &failure, sizeof failure);
    (void)ignored;
    _exit(127);
}

static _Noreturn void launch_child(const struct launch *launch) {
    if (!launch->leads_session || setsid() < 0) setpgid(0, 0);
    if (!launch->outlives_us) prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != launch->parent) _exit(127); // our parent died before the line above took effect
    struct sigaction defaults = {.sa_handler = SIG_DFL};
    for (int number = 1; number < 65; ++number) sigaction(number, &defaults, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (launch->dir && chdir(launch->dir) < 0) launch_fail(launch, true);
    if (dup2(launch->in_fd, STDIN_FILENO) < 0 || dup2(launch->out_fd, STDOUT_FILENO) < 0 ||
        dup2(launch->err_fd, STDERR_FILENO) < 0) {
        launch_fail(launch, false);
    }
    if (launch->record_fd >= 0 && dup2(launch->record_fd, RECORD_FD) < 0) launch_fail(launch, false);
    // Closes descriptors of libraries that forgot close-on-exec. Older kernels lack the call; our own
    // descriptors have close-on-exec set.
    unsigned first = launch->record_fd >= 0 ? RECORD_FD + 1 : RECORD_FD;
    syscall(SYS_close_range, first, ~0u, CLOSE_RANGE_CLOEXEC);
    for (size_t i = 0; i < launch->kept_fd_count; ++i) fcntl(launch->kept_fds[i], F_SETFD, 0);
    execve(launch->program, launch->argv, launch->envp);
    launch_fail(launch, false);
}

static size_t name_length(const char *assignment) {
    return strcspn(assignment, "=");
}

static bool is_overridden(const char *assignment, const char *const *env_add) {
    size_t length = name_length(assignment);
    for (size_t i = 0; env_add && env_add[i]; ++i) {
        if (name_length(env_add[i]) == length && strncmp(env_add[i], assignment, length) == 0) return true;
    }
    return false;
}

static bool is_removed(const char *assignment, const char *const *env_remove) {
    const size_t length = name_length(assignment);
    for (size_t i = 0; env_remove && env_remove[i]; ++i)
        if (strlen(env_remove[i]) == length && strncmp(env_remove[i], assignment, length) == 0) return true;
    return false;
}

// The child's environment: spec->env, or ours, without env_remove and the names in env_add, plus env_add and
// the mark. Caller frees the list.
static char **environment_new(const struct proc_spec *spec, const char *mark) {
    size_t count = 0, added = 0;
    const char *const *own = spec->env ? spec->env : (const char *const *)environ;
    while (own && own[count]) ++count;
    while (spec->env_add && spec->env_add[added]) ++added;
    char **envp = mem_alloc((count + added + 2) * sizeof *envp);
    size_t used = 0;
    const char *mark_only[] = {mark, NULL};
    for (size_t i = 0; i < count; ++i) {
        if (!is_overridden(own[i], spec->env_add) && !is_overridden(own[i], mark_only) &&
            !is_removed(own[i], spec->env_remove))
            envp[used++] = (char *)(uintptr_t)own[i];
    }
    for (size_t i = 0; i < added; ++i) envp[used++] = (char *)(uintptr_t)spec->env_add[i];
    envp[used++] = (char *)(uintptr_t)mark;
    return envp;
}

// Above those that dup2 overwrites.
int proc_keep_fd(int fd) {
    if (fd < 0 || fd >= CHILD_FD_MIN) return fd;
    int raised = fcntl(fd, F_DUPFD_CLOEXEC, CHILD_FD_MIN);
    int kept_errno = errno;
    close(fd);
    errno = kept_errno;
    return raised;
}

static void fd_close(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

// A pipe from the child to us: *ret_read is non-blocking.
int proc_open_pipe(int *ret_read, int *ret_write) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -1;
    *ret_read = proc_keep_fd(ends[0]);
    *ret_write = proc_keep_fd(ends[1]);
    if (*ret_read < 0 || *ret_write < 0) return -1;
    return fcntl(*ret_read, F_SETFL, O_NONBLOCK);
}

static int input_open(const struct proc_spec *spec) {
    if (!spec->stdin_text) return proc_keep_fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
    int fd = proc_keep_fd(memfd_create("assay-input", MFD_CLOEXEC));
    size_t done = 0;
    while (fd >= 0 && done < spec->stdin_length) {
        ssize_t written = write(fd, spec->stdin_text + done, spec->stdin_length - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            fd_close(&fd);
            return -1;
        }
        done += (size_t)written;
    }
    if (fd >= 0) lseek(fd, 0, SEEK_SET);
    return fd;
}

static int wiring_open(const struct proc_spec *spec, const struct proc_wiring *wiring, struct launch *launch,
                       struct proc_child *child, int *ret_report_fd) {
    launch->in_fd = input_open(spec);
    if (launch->in_fd < 0) return -1;
    if (proc_open_pipe(&child->out_fd, &launch->out_fd) < 0) return -1;
    if (wiring->is_split) {
        if (proc_open_pipe(&child->err_fd, &launch->err_fd) < 0) return -1;
    } else {
        const int shared_fd = wiring->outlives_us ? STDERR_FILENO : launch->out_fd;
        launch->err_fd = fcntl(shared_fd, F_DUPFD_CLOEXEC, CHILD_FD_MIN);
        if (launch->err_fd < 0) return -1;
    }
    if (wiring->has_records && proc_open_pipe(&child->record_fd, &launch->record_fd) < 0) return -1;
    if (proc_open_pipe(ret_report_fd, &launch->report_fd) < 0) return -1;
    return fcntl(*ret_report_fd, F_SETFL, 0); // blocking: it ends with exec
}

static void launch_fini(struct launch *launch) {
    fd_close(&launch->in_fd);
    fd_close(&launch->out_fd);
    fd_close(&launch->err_fd);
    fd_close(&launch->record_fd);
    fd_close(&launch->report_fd);
}

// The same child, forked by a server. Returns its number, or -1 with errno.
static pid_t launch_forked(const struct proc_spec *spec, const struct launch *launch,
                           struct proc_child *child) {
    struct fork_request request = {.program = launch->program,
                                   .argv = launch->argv,
                                   .env = launch->envp,
                                   .dir = launch->dir,
                                   .parent = launch->parent,
                                   .leads_session = launch->leads_session,
                                   .is_executed = !spec->is_server_program};
    const int own[] = {launch->in_fd, launch->out_fd, launch->err_fd};
    for (int i = 0; i < 3; ++i) fork_request_add(&request, own[i], i);
    fork_request_add(&request, launch->report_fd, -1);
    if (launch->record_fd >= 0) fork_request_add(&request, launch->record_fd, RECORD_FD);
    for (size_t i = 0; i < launch->kept_fd_count; ++i)
        fork_request_add(&request, launch->kept_fds[i], launch->kept_fds[i]);
    return fork_request_send(&request, spec->fork_server_fd, &child->helper_pid);
}

// As fork. What a server cannot start we do, unless it may have started it.
static pid_t launch_start(const struct proc_spec *spec, const struct launch *launch,
                          struct proc_child *child) {
    const pid_t pid = spec->fork_server_fd ? launch_forked(spec, launch, child) : -1;
    const bool is_lost = spec->fork_server_fd && pid < 0 && errno == ETIMEDOUT;
    return pid > 0 || is_lost ? pid : fork();
}

// Waits until the child has executed the program; an error says why it could not.
static int launch_confirm(const struct proc_spec *spec, int report_fd, struct err *err) {
    struct launch_failure failure;
    ssize_t got;
    do {
        got = read(report_fd, &failure, sizeof failure);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof failure) return 0;
    errno = failure.error;
    if (failure.is_dir) return err_set_errno(err, ERR_UNAVAILABLE, "cannot enter the folder '%s'", spec->dir);
    return err_set_errno(err, ERR_UNAVAILABLE, "cannot run '%s'", spec->argv[0]);
}

// Orphans of our children become ours, so that they can be reaped.
static void become_subreaper(void) {
    static atomic_bool is_done;
    if (!atomic_exchange(&is_done, true)) prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static void mark_make(char ret_mark[PROC_MARK_BYTES]) {
    static atomic_uint counter;
    snprintf(ret_mark, PROC_MARK_BYTES, "ASSAY_PROC=%ld.%u.%llx", (long)getpid(),
             atomic_fetch_add(&counter, 1), (unsigned long long)clock_ns());
}

int proc_spawn(const struct proc_spec *spec, const struct proc_wiring *wiring, struct proc_child *ret_child,
               struct err *err) {
    struct proc_child child = {.pid = -1, .pid_fd = -1, .out_fd = -1, .err_fd = -1, .record_fd = -1};
    struct launch launch = {.in_fd = -1, .out_fd = -1, .err_fd = -1, .record_fd = -1, .report_fd = -1};
    int report_fd = -1, result = 0;
    char **envp = NULL;
    // A name with a slash is left as it is: it is relative to spec->dir.
    char *program = strchr(spec->argv[0], '/') ? mem_strdup(spec->argv[0]) : path_find_program(spec->argv[0]);
    if (!program) {
        return err_set(err, ERR_UNAVAILABLE,
                       "cannot find the program '%s' on PATH; install it or adjust PATH", spec->argv[0]);
    }
    become_subreaper();
    mark_make(child.mark);
    envp = environment_new(spec, child.mark);
    launch.program = program;
    launch.argv = (char *const *)(uintptr_t)spec->argv;
    launch.envp = envp;
    launch.dir = spec->dir;
    launch.parent = getpid();
    launch.outlives_us = wiring->outlives_us;
    launch.leads_session = spec->leads_session;
    launch.kept_fds = spec->kept_fds;
    launch.kept_fd_count = spec->kept_fd_count;
    if (wiring_open(spec, wiring, &launch, &child, &report_fd) < 0 ||
        (spec->starts_others && proc_watcher_start(child.mark, &child.watcher) < 0) ||
        (child.pid = launch_start(spec, &launch, &child)) < 0) {
        result = err_set_errno(err, ERR_UNAVAILABLE, "cannot start '%s'", spec->argv[0]);
        goto out;
    }
    if (child.pid == 0) launch_child(&launch);
    // Parent and child both do this, so it is set whoever runs first. The leader of a group could not become
    // that of a session.
    if (!spec->leads_session) setpgid(child.pid, child.pid);
    launch_fini(&launch);
    result = launch_confirm(spec, report_fd, err);
    if (result < 0)
        proc_reap_all(&child);
    else
        child.pid_fd = (int)syscall(SYS_pidfd_open, child.pid, 0);
out:
    launch_fini(&launch);
    fd_close(&report_fd);
    free(program);
    free(envp);
    if (result < 0) {
        proc_watcher_stop(&child.watcher);
        fd_close(&child.out_fd);
        fd_close(&child.err_fd);
        fd_close(&child.record_fd);
    } else {
        *ret_child = child;
    }
    return result;
}
