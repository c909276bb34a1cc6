// SPDX-License-Identifier: Apache-2.0
//
// Each system call that a host may not make, one by one, with arguments that the system itself refuses in
// another way where it can: a call that is missing from the filter shows as EFAULT, EBADF, EINVAL, or as
// done. Calls that need a capability are not here: they fail with EPERM in any case.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "worker/host/sandbox.h"

struct call {
    const char *name;
    long number;
    long arguments[6];
};
#define CALL(name, ...)                                                                                      \
    {                                                                                                        \
#name, SYS_##name, {                                                                                 \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

enum { NOTHING = -1, HIGH = 1 };
// An int with something above its 32 bits, which the kernel does not look at.
#define WIDE(value) ((long)(((uint64_t)HIGH << 32) | (uint32_t)(value)))

static const struct call denied[] = {
    CALL(ptrace, 0x4206, 1, 0, 0),
    CALL(process_vm_readv, NOTHING, 0, 0, 0, 0, 1),
    CALL(process_vm_writev, NOTHING, 0, 0, 0, 0, 1),
    CALL(process_madvise, NOTHING, 0, 0, 0, 1),
    CALL(process_mrelease, NOTHING, 1),
    CALL(kcmp, NOTHING, NOTHING, NOTHING),
    CALL(pidfd_open, NOTHING, 0),
    CALL(pidfd_getfd, NOTHING, 0, 1),
    CALL(pidfd_send_signal, NOTHING, 0, 0, 1),
    CALL(timer_create, NOTHING, 0, 0),
    CALL(mq_open, 0, 0),
    CALL(mq_unlink, 0),
    CALL(mq_notify, NOTHING, 0),
    CALL(setns, NOTHING, 0),
    CALL(unshare, NOTHING),
    CALL(open_tree, NOTHING, 0, NOTHING),
    CALL(fsopen, 0, NOTHING),
    CALL(fsconfig, NOTHING, NOTHING),
    CALL(fsmount, NOTHING, NOTHING),
    CALL(fspick, NOTHING, 0, NOTHING),
    CALL(move_mount, NOTHING, 0, NOTHING, 0, NOTHING),
    CALL(mount_setattr, NOTHING, 0, NOTHING, 0, 1),
    CALL(name_to_handle_at, NOTHING, 0),
    CALL(fanotify_mark, NOTHING, NOTHING),
    CALL(mknodat, NOTHING, 0, 0, 0),
    CALL(setxattr, 0, 0, 0, 0, NOTHING),
    CALL(lsetxattr, 0, 0, 0, 0, NOTHING),
    CALL(fsetxattr, NOTHING, 0, 0, 0, NOTHING),
    CALL(removexattr, 0, 0),
    CALL(lremovexattr, 0, 0),
    CALL(fremovexattr, NOTHING, 0),
    CALL(bpf, NOTHING, 0, NOTHING),
    CALL(perf_event_open, 0, NOTHING, NOTHING, NOTHING, NOTHING),
    CALL(userfaultfd, NOTHING),
    CALL(add_key, 0, 0, 0, 0),
    CALL(request_key, 0, 0, 0, 0),
    CALL(keyctl, NOTHING),
    CALL(setuid, NOTHING),
    CALL(setgid, NOTHING),
    CALL(setresuid, NOTHING, NOTHING, NOTHING),
    CALL(setresgid, NOTHING, NOTHING, NOTHING),
    CALL(setreuid, NOTHING, NOTHING),
    CALL(setregid, NOTHING, NOTHING),
    CALL(connect, NOTHING, 0, 0),
    CALL(bind, NOTHING, 0, 0),
    CALL(listen, NOTHING, 0),
    CALL(accept, NOTHING, 0, 0),
    CALL(accept4, NOTHING, 0, 0, 0),
    CALL(socket, NOTHING, 0, 0),
    CALL(socketpair, NOTHING, 0, 0, 0),
    CALL(shmget, 0, 0, 0),
    CALL(shmat, NOTHING, 0, 0),
    CALL(shmctl, NOTHING, 0, 0),
    CALL(semget, 0, NOTHING, 0),
    CALL(semctl, NOTHING, 0, 0),
    CALL(semop, NOTHING, 0, 0),
    CALL(semtimedop, NOTHING, 0, 0, 0),
    CALL(msgget, 77, 0),
    CALL(msgctl, NOTHING, 0, 0),
    CALL(msgsnd, NOTHING, 0, 0, 0),
    CALL(msgrcv, NOTHING, 0, 0, 0, 0),
    CALL(execve, 0, 0, 0),
    CALL(execveat, NOTHING, 0, 0, 0, 0),
    CALL(clone, CLONE_NEWUSER | CLONE_THREAD, 0, 0, 0, 0),
    CALL(clone, CLONE_NEWPID | CLONE_THREAD, 0, 0, 0, 0),
    CALL(clone, CLONE_NEWNS | CLONE_FS, 0, 0, 0, 0),
    CALL(clone, CLONE_NEWNET | CLONE_THREAD, 0, 0, 0, 0),
    CALL(clone, CLONE_PARENT | CLONE_THREAD, 0, 0, 0, 0),
    CALL(clone, CLONE_SIGHAND, 0, 0, 0, 0),
    CALL(fcntl, NOTHING, F_SETOWN, 0),
    CALL(fcntl, NOTHING, WIDE(F_SETOWN), 0),
    CALL(fcntl, NOTHING, F_SETSIG, 0),
    CALL(fcntl, NOTHING, F_SETOWN_EX, 0),
    CALL(fcntl, NOTHING, F_SETLEASE, 0),
    CALL(fcntl, NOTHING, F_SETLK, 0),
    CALL(fcntl, NOTHING, F_SETLKW, 0),
    CALL(fcntl, NOTHING, F_OFD_SETLK, 0),
    CALL(fcntl, NOTHING, F_OFD_SETLKW, 0),
    CALL(fcntl, NOTHING, WIDE(F_SETLK), 0),
    CALL(flock, NOTHING, LOCK_EX),
    CALL(flock, NOTHING, LOCK_SH),
    CALL(fcntl, NOTHING, F_ADD_SEALS, 0),
    CALL(ioctl, NOTHING, 0x5412, 0),
    CALL(ioctl, NOTHING, WIDE(0x5412), 0),
    CALL(ioctl, NOTHING, 0x541c, 0),
    CALL(ioctl, NOTHING, 0x540e, 0),
    CALL(ioctl, NOTHING, 0x8901, 0),
    CALL(ioctl, NOTHING, 0x8902, 0),
    CALL(prctl, PR_SET_PDEATHSIG, NOTHING),
    CALL(prctl, WIDE(PR_SET_PDEATHSIG), 0),
    CALL(prctl, PR_SET_CHILD_SUBREAPER, 0),
    CALL(prctl, PR_SET_DUMPABLE, 0),
    CALL(prctl, 62, 9, 9, 9, 9),
    CALL(personality, 0x0040000),
    CALL(setpriority, 2, 0, 0),
    CALL(ioprio_set, 3, 0, 0),
    CALL(kill, 1, 0),
    CALL(kill, 0, 0),
    CALL(tkill, 1, 0),
    CALL(tgkill, 1, 1, 0),
    CALL(rt_sigqueueinfo, 1, 0, 0),
    CALL(rt_tgsigqueueinfo, 1, 1, 0, 0),
    CALL(sched_setscheduler, 1, NOTHING, 0),
    CALL(sched_setparam, 1, 0),
    CALL(sched_setattr, 1, 0, 0),
    CALL(setpriority, 0, 1, 0),
    CALL(ioprio_set, 1, 1, 0),
    CALL(prlimit64, 1, NOTHING, 0, 0),
    CALL(migrate_pages, 1, 1, 0, 0),
    CALL(move_pages, 1, 1, 0, 0, 0, 0),
};

#ifdef __x86_64__ // which has the forms of old, too
static const struct call old_denied[] = {
    CALL(mknod, 0, 0, 0),
    CALL(modify_ldt, NOTHING, 0, 0),
};
static const struct call old_pretended[] = {
    CALL(chmod, 0, 0), CALL(chown, 0, 0, 0), CALL(lchown, 0, 0, 0),
    CALL(utime, 1, 1), CALL(utimes, 1, 1),   CALL(futimesat, NOTHING, 1, 1),
};
static const struct call old_denied_when_tight[] = {
    CALL(open, 0, O_WRONLY),
    CALL(open, 0, O_CREAT),
    CALL(creat, 0, 0),
    CALL(rename, 0, 0),
    CALL(renameat, NOTHING, 0, NOTHING, 0),
    CALL(link, 0, 0),
    CALL(symlink, 0, 0),
    CALL(unlink, 0),
    CALL(mkdir, 0, 0),
    CALL(rmdir, 0),
};
#else
static const struct call old_denied[1], old_pretended[1], old_denied_when_tight[1];
#endif

static const struct call absent[] = {
    CALL(clone3, 0, 0),
    CALL(openat2, NOTHING, 0, 0, 0),
    CALL(io_uring_setup, 0, 0),
    CALL(io_uring_enter, NOTHING, 0, 0, 0, 0, 0),
    CALL(io_uring_register, NOTHING, 0, 0, 0),
    {"a call of tomorrow", 451, {0}},
    {"a later one", 600, {0}},
};

// Done by nobody, answered with 0.
static const struct call pretended[] = {
    CALL(fchmod, NOTHING, 0),
    CALL(fchmodat, NOTHING, 0, 0),
    CALL(fchown, NOTHING, 0, 0),
    CALL(fchownat, NOTHING, 0, 0, 0, NOTHING),
    CALL(utimensat, NOTHING, 0, 0, NOTHING),
    CALL(setsid, 0),
    CALL(setpgid, NOTHING, NOTHING),
    CALL(sched_setaffinity, 1, 0, 0),
};

// The same in a process that may start programs, where they are granted and lock nothing.
static const struct call pretended_locks[] = {
    CALL(fcntl, NOTHING, F_SETLK, 0),       CALL(fcntl, NOTHING, F_SETLKW, 0),
    CALL(fcntl, NOTHING, F_OFD_SETLK, 0),   CALL(fcntl, NOTHING, F_OFD_SETLKW, 0),
    CALL(fcntl, NOTHING, WIDE(F_SETLK), 0), CALL(flock, NOTHING, LOCK_EX),
    CALL(flock, NOTHING, LOCK_SH),
};

static const struct call denied_when_tight[] = {
    CALL(openat, NOTHING, 0, O_WRONLY),
    CALL(openat, NOTHING, 0, O_RDWR),
    CALL(openat, NOTHING, 0, O_CREAT),
    CALL(openat, NOTHING, 0, O_TRUNC),
    CALL(openat, NOTHING, 0, WIDE(O_WRONLY)),
    CALL(renameat2, NOTHING, 0, NOTHING, 0, 0),
    CALL(linkat, NOTHING, 0, NOTHING, 0, 0),
    CALL(symlinkat, 0, NOTHING, 0),
    CALL(unlinkat, NOTHING, 0, 0),
    CALL(mkdirat, NOTHING, 0, 0),
    CALL(truncate, 0, 0),
    CALL(execve, 0, 0, 0),
    CALL(clone, CLONE_SIGHAND, 0, 0, 0, 0),
    CALL(socketpair, NOTHING, 0, 0, 0),
    CALL(seccomp, NOTHING, 0, 0),
    CALL(prctl, PR_SET_SECCOMP, NOTHING, 0),
};

// They work, or fail as the system has it.
static const struct call left_alone[] = {
    CALL(openat, NOTHING, 0, O_RDONLY),
    CALL(ioctl, NOTHING, 0x5401, 0),
    CALL(fcntl, NOTHING, F_GETFD, 0),
    CALL(fcntl, NOTHING, F_GETLK, 0),
    CALL(prctl, PR_GET_NAME, 0),
    CALL(futex, 0, 1, 1, 0, 0, 0),
    CALL(mmap, 0, 0, 0, 0, NOTHING, 0),
    CALL(mprotect, 1, 1, 7),
    CALL(read, NOTHING, 0, 0),
    CALL(sendmsg, NOTHING, 0, 0),
    CALL(recvmsg, NOTHING, 0, 0),
    CALL(sched_getaffinity, 0, 0, 0),
    CALL(set_mempolicy, NOTHING, 0, 0),
    CALL(memfd_create, 0, NOTHING),
    CALL(clone, CLONE_THREAD, 0, 0, 0, 0),
};

// Returns how many answered otherwise. error: the errno of all, 0: they must give 0, -1: anything but EPERM
// and ENOSYS.
static int ask(const struct call *calls, size_t count, int error) {
    int failures = 0;
    for (size_t i = 0; i < count; ++i) {
        const long *to = calls[i].arguments;
        if (!calls[i].name) continue;
        errno = 0;
        const long result = syscall(calls[i].number, to[0], to[1], to[2], to[3], to[4], to[5]);
        const bool is_expected = error > 0    ? result < 0 && errno == error
                                 : error == 0 ? result == 0
                                              : errno != EPERM && errno != ENOSYS;
        if (is_expected) continue;
        fprintf(stderr, "%s(%lx, %lx, %lx): %ld, errno %d\n", calls[i].name, (unsigned long)to[0],
                (unsigned long)to[1], (unsigned long)to[2], result, errno);
        ++failures;
    }
    return failures;
}
#define ASK(calls, error) ask((calls), sizeof(calls) / sizeof *(calls), (error))

static int run(const char *what) {
    const struct sandbox_policy policy = {.allows_programs = strcmp(what, "tight") == 0};
    struct sandbox_report report;
    struct err err = {0};
    if (sandbox_enter(&policy, &report, &err) < 0 || report.is_pid_namespace) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    if (!policy.allows_programs)
        return ASK(denied, EPERM) + ASK(old_denied, EPERM) + ASK(absent, ENOSYS) + ASK(pretended, 0) +
               ASK(old_pretended, 0) + ASK(left_alone, -1);
    if (sandbox_tighten(&policy, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    return ASK(pretended_locks, 0) + ASK(denied_when_tight, EPERM) + ASK(old_denied_when_tight, EPERM) +
           ASK(absent, ENOSYS) + ASK(left_alone, -1);
}

static void run_in_child(const char *what) {
    int status = 0;
    if (!sandbox_is_built()) {
        print_message("skipped: built without libseccomp\n");
        skip();
    }
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) _exit(run(what));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_first_filter(void **state) {
    (void)state;
    run_in_child("first");
}

static void test_second_filter(void **state) {
    (void)state;
    run_in_child("tight");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_filter),
        cmocka_unit_test(test_second_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
