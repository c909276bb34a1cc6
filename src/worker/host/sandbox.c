// SPDX-License-Identifier: Apache-2.0
//
// A host gives up what it does not need, in an order in which each step is still allowed: limits, files,
// capabilities, system calls.
#include "worker/host/sandbox.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "worker/host/sandbox_internal.h"

enum { DESCRIPTORS = 4096, STATUS_BYTES_MAX = 65536, CAPABILITIES_MAX = 64 };

// A number from /proc/self/status ("\\nVmData"), -1 when it is not there.
static long long status_number(const char *key) {
    char *text = NULL;
    size_t length;
    long long number = -1;
    if (file_read("/proc/self/status", STATUS_BYTES_MAX, &text, &length, NULL) < 0) return -1;
    const char *at = strstr(text, key);
    if (at && sscanf(at + strlen(key), ":%lld", &number) != 1) number = -1;
    free(text);
    return number;
}

static void say(struct sandbox_report *report, const char *text) {
    const size_t used = strlen(report->loosened);
    snprintf(report->loosened + used, sizeof report->loosened - used, "%s%s", used ? "; " : "", text);
}

// Lowers a limit, hard and soft; one that is lower already stays.
static int limit(int resource, uint64_t value, const char *what, struct err *err) {
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)resource, &now) < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot read the limit of %s", what);
    if (now.rlim_max > value) now.rlim_max = value;
    now.rlim_cur = now.rlim_max;
    if (setrlimit((__rlimit_resource_t)resource, &now) == 0) return 0;
    return err_set_errno(err, ERR_UNAVAILABLE, "cannot limit the %s of a kernel's process", what);
}

static int set_limits(const struct sandbox_policy *policy, struct sandbox_report *report, struct err *err) {
    const unsigned descriptors = policy->descriptor_limit ? policy->descriptor_limit : DESCRIPTORS;
    TRY(limit(RLIMIT_CORE, 0, "core file", err));
    TRY(limit(RLIMIT_MSGQUEUE, 0, "message queues", err));
    TRY(limit(RLIMIT_NOFILE, descriptors, "descriptors", err));
    if (policy->file_limit_bytes) TRY(limit(RLIMIT_FSIZE, policy->file_limit_bytes, "files", err));
    if (!policy->memory_limit_bytes) return 0;
    const long long data_kib = status_number("\nVmData");
    if (data_kib < 0) {
        say(report, "no limit of memory: /proc cannot be read");
        return 0;
    }
    return limit(RLIMIT_DATA, (uint64_t)data_kib * 1024 + policy->memory_limit_bytes, "memory", err);
}

// Root without capabilities is a user like any other, and no program that it starts gets any back.
static int drop_capabilities(struct err *err) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}, {0}};
    // The first two need CAP_SETPCAP; without it no_new_privs has the same effect.
    for (int capability = 0; capability < CAPABILITIES_MAX; ++capability)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
            break; // the last one of this kernel, or not allowed
    prctl(PR_SET_SECUREBITS,
          SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
              SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
          0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &header, none) == 0) return 0;
    return err_set_errno(err, ERR_UNAVAILABLE, "cannot drop the capabilities of a kernel's process");
}

static void say_loosened(const struct sandbox_policy *policy, struct sandbox_report *report) {
    if (policy->allows_programs) say(report, "programs: may be started until the first launch is over");
    if (policy->allows_network) say(report, "network: others can be connected to");
    if (policy->allows_gpu) say(report, "GPU: its devices may be written");
    const bool can_write = policy->allows_programs || policy->allows_gpu;
    if (report->landlock_abi == 0 && !report->is_pid_namespace)
        say(report, can_write
                        ? "no Landlock in this kernel: files and processes of the same user can be read "
                          "and written"
                        : "no Landlock in this kernel: files and processes of the same user can be read");
    else if (report->landlock_abi == 0)
        say(report, can_write ? "no Landlock in this kernel: files of the same user can be read and written"
                              : "no Landlock in this kernel: files of the same user can be read");
    else if (report->landlock_abi < 3)
        say(report, "Landlock of this kernel is old: files of the same user can be truncated");
    if (!report->is_pid_namespace)
        say(report, "no PID namespace: a thread cannot bind another one to processors, nor a process end its "
                    "children");
    if (!report->has_seccomp)
        say(report, sandbox_is_built() ? "no seccomp in this kernel: system calls are not filtered"
                                       : "assay was built without libseccomp: system calls are not filtered");
}

static struct sandbox_calls calls_of(const struct sandbox_policy *policy,
                                     const struct sandbox_report *report) {
    return (struct sandbox_calls){.allows_programs = policy->allows_programs,
                                  .allows_network = policy->allows_network,
                                  .allows_gpu = policy->allows_gpu,
                                  .is_pid_namespace = report->is_pid_namespace,
                                  .has_landlock = report->landlock_abi > 0};
}

int sandbox_enter(const struct sandbox_policy *policy, struct sandbox_report *ret_report, struct err *err) {
    *ret_report = (struct sandbox_report){.is_pid_namespace = getpid() == 1 && getppid() == 0};
    if (status_number("\nThreads") > 1)
        return err_set(err, ERR_INTERNAL, "the sandbox is entered too late: the process has threads");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot give up new privileges");
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); // another host of the same user must not read or write this one
    TRY(set_limits(policy, ret_report, err));
    TRY(sandbox_files_enter(policy, &ret_report->landlock_abi, err));
    TRY(drop_capabilities(err));
    ret_report->has_no_capabilities = true;
    const struct sandbox_calls calls = calls_of(policy, ret_report);
    const int code = sandbox_calls_enter(&calls, err);
    if (code < 0) return code;
    ret_report->has_seccomp = code > 0;
    say_loosened(policy, ret_report);
    if (code > 0 || policy->may_go_without) return 0;
    if (!sandbox_is_built())
        return err_set(
            err, ERR_UNAVAILABLE,
            "assay was built without libseccomp and cannot confine a kernel; install libseccomp-dev and "
            "build again, or measure with --isolation none");
    return err_set(
        err, ERR_UNAVAILABLE,
        "this kernel has no seccomp and cannot confine a kernel under test; use another machine, or "
        "--isolation none");
}

int sandbox_tighten(const struct sandbox_policy *policy, struct err *err) {
    const struct sandbox_calls calls = {.allows_gpu = policy->allows_gpu};
    const int code = sandbox_calls_tighten(&calls, err);
    if (code > 0 || (code == 0 && policy->may_go_without)) return 0;
    return code < 0 ? code
                    : err_set(err, ERR_UNAVAILABLE,
                              "a kernel's process cannot filter its system calls a second time");
}

void sandbox_add_refusal(int error, char *text, size_t capacity) {
    const size_t used = strnlen(text, capacity);
    if (error != EPERM && error != EACCES) return;
    snprintf(text + used, capacity - used, "%s" SANDBOX_REFUSAL "%s)", used ? "; " : "", strerror(error));
}
