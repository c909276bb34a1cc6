// SPDX-License-Identifier: Apache-2.0
//
// Runs a test program several times: as it was started; root's again without privileges; where no namespace
// can be had, as in most containers; and where the kernel has no Landlock.
#ifndef TESTS_UNIT_HOST_IDENTITY_H
#define TESTS_UNIT_HOST_IDENTITY_H

#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

enum form { AS_NOBODY = 1, WITHOUT_NAMESPACES = 2, WITHOUT_LANDLOCK = 4 };

static inline int add_filter(struct sock_filter *steps, size_t count) {
    const struct sock_fprog program = {.len = (unsigned short)count, .filter = steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// From now on clone refuses new namespaces of users and processes, or Landlock is not there.
static inline int become(int form) {
    struct sock_filter no_namespaces[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER | CLONE_NEWPID, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_filter no_landlock[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444, 0, 1), // landlock_create_ruleset
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    if (form & AS_NOBODY) {
        if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
            setresuid(NOBODY, NOBODY, NOBODY) < 0)
            return -1;
    }
    if (!(form & (WITHOUT_NAMESPACES | WITHOUT_LANDLOCK))) return 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    if ((form & WITHOUT_NAMESPACES) &&
        add_filter(no_namespaces, sizeof no_namespaces / sizeof *no_namespaces) < 0)
        return -1;
    return form & WITHOUT_LANDLOCK ? add_filter(no_landlock, sizeof no_landlock / sizeof *no_landlock) : 0;
}

// Runs this program again; returns its exit code. What this machine cannot be made to is skipped.
static inline int run_again(const char *program, int form) {
    fflush(stdout);
    const pid_t pid = fork();
    if (pid == 0) {
        if (become(form) < 0) _exit(0);
        execl("/proc/self/exe", program, "again", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// What is left to do after the first run, whose exit code is failures.
static inline int run_other_forms(int failures, const char *program, int is_again) {
    if (is_again) return failures;
    const int user = geteuid() == 0 ? AS_NOBODY : 0;
    printf(user ? "---- without privileges ----\n" : "---- not as root here: only this user is tried ----\n");
    if (user) failures += run_again(program, user);
    printf("---- without namespaces ----\n");
    failures += run_again(program, user | WITHOUT_NAMESPACES);
    printf("---- without namespaces, without Landlock ----\n");
    failures += run_again(program, user | WITHOUT_NAMESPACES | WITHOUT_LANDLOCK);
    printf("---- without Landlock ----\n");
    return failures + run_again(program, WITHOUT_LANDLOCK);
}

#endif
