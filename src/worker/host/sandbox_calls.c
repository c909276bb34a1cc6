// SPDX-License-Identifier: Apache-2.0
//
// Which system calls a host may make, by seccomp. What is refused is a list: drivers, language runtimes and
// compilers need too much that nobody foresees for a list of what is allowed. Calls that came after this
// list was written do not exist (ENOSYS). Numbers of processes and flags are 32 bits wide for the kernel,
// so comparisons mask the rest.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gen/assay_config.h"
#include "worker/host/sandbox_internal.h"

#if ASSAY_HAS_SECCOMP

#include <seccomp.h>

enum {
    LAST_CALL = 450, // set_mempolicy_home_node, Linux 5.17: what libseccomp 2.5.4 knows by name
    PRIO_OF_PROCESS = 0,
    IOPRIO_OF_PROCESS = 1,
    SOCKET_TYPES = 0xf, // the low bits of a socket's type; the others are flags
    SET_OWNER = 0x8901, // FIOSETOWN, SIOCSPGRP: who gets SIGIO
    SET_GROUP = 0x8902,
    SCHED_CORE = 62 // PR_SCHED_CORE, newer than some headers
};

// Any of these bits opens a file for more than reading. A GPU's devices are opened with O_RDWR.
#define WRITING ((uint64_t)(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))

#define LOW  UINT64_C(0xffffffff)
#define DENY SCMP_ACT_ERRNO(EPERM)
// As if it had been done: refused, ordinary tools would give up.
#define PRETEND SCMP_ACT_ERRNO(0)
#define ABSENT  SCMP_ACT_ERRNO(ENOSYS)

// Refused to everybody.
static const char *const denied[] = {
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp",
    "pidfd_open", "pidfd_getfd", "pidfd_send_signal",
    // A stopped process that has armed such a timer (or queue) with SIGCONT would wake itself.
    "timer_create", "mq_open", "mq_unlink", "mq_notify",
    // namespaces and file systems
    "setns", "unshare", "mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree",
    "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_by_handle_at", "name_to_handle_at",
    "fanotify_init", "fanotify_mark", "quotactl", "quotactl_fd", "acct", "swapon", "swapoff", "mknod",
    "mknodat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr",
    // the kernel
    "bpf", "perf_event_open", "userfaultfd", "add_key", "request_key", "keyctl", "init_module",
    "finit_module", "delete_module", "reboot", "kexec_load", "kexec_file_load", "syslog", "iopl", "ioperm",
    "modify_ldt", "lookup_dcookie", "vhangup", "sethostname", "setdomainname", "settimeofday",
    "clock_settime", "clock_settime64", "clock_adjtime", "clock_adjtime64", "adjtimex", "stime",
    // identity
    "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid",
    // conversations
    "shmget", "shmat", "shmctl", "semget", "semctl", "semop", "semtimedop", "msgget", "msgctl", "msgsnd",
    "msgrcv", NULL};

// The CUDA driver listens on a Unix socket for other processes of its own; none that is confined can connect.
static const char *const answers_others[] = {"bind", "listen", "accept", "accept4", NULL};

// glibc has another way, or a library does without.
static const char *const absent[] = {"clone3",         "openat2",           "io_uring_setup",
                                     "io_uring_enter", "io_uring_register", NULL};

// Landlock knows nothing of modes, owners and times; compilers and file copies set them. Groups of
// processes stay whole, so that one signal reaches all of them.
static const char *const pretended[] = {"chmod",     "fchmod",   "fchmodat", "chown",  "fchown",
                                        "lchown",    "fchownat", "utime",    "utimes", "futimesat",
                                        "utimensat", "setsid",   "setpgid",  NULL};

static const char *const changes_files[] = {"creat",  "rename",  "renameat",  "renameat2", "link",
                                            "linkat", "symlink", "symlinkat", "unlink",    "unlinkat",
                                            "mkdir",  "mkdirat", "rmdir",     "truncate",  NULL};

static const char *const starts_programs[] = {"fork", "vfork", "execve", "execveat", NULL};

struct filter {
    scmp_filter_ctx context;
    int result; // the first error: 0, or a negative errno
};

static void add(struct filter *filter, uint32_t action, const char *name, unsigned count,
                const struct scmp_arg_cmp *conditions) {
    const int call = seccomp_syscall_resolve_name(name);
    if (call == __NR_SCMP_ERROR || call < 0 || filter->result < 0) return; // not a call of this architecture
    filter->result = seccomp_rule_add_array(filter->context, action, call, count, conditions);
}

static void add_list(struct filter *filter, uint32_t action, const char *const *names) {
    for (; *names; ++names) add(filter, action, *names, 0, NULL);
}

// Refuses the call when an argument, seen through the mask, is value.
static void add_if(struct filter *filter, uint32_t action, const char *name,
                   const struct scmp_arg_cmp condition) {
    add(filter, action, name, 1, &condition);
}

#define IS(argument, mask, value)                                                                            \
    ((struct scmp_arg_cmp){                                                                                  \
        .arg = (argument), .op = SCMP_CMP_MASKED_EQ, .datum_a = (mask), .datum_b = (value)})
#define IS_NOT(argument, value)                                                                              \
    ((struct scmp_arg_cmp){.arg = (argument), .op = SCMP_CMP_NE, .datum_a = (value)})

static void add_values(struct filter *filter, uint32_t action, const char *name, unsigned argument,
                       const uint64_t *values, size_t count) {
    for (size_t i = 0; i < count; ++i) add_if(filter, action, name, IS(argument, LOW, values[i]));
}

static void add_flags(struct filter *filter, const char *name, unsigned argument, uint64_t flags) {
    for (uint64_t bit = 1; bit <= flags; bit <<= 1)
        if (flags & bit) add_if(filter, DENY, name, IS(argument, bit, bit));
}

// A GPU's driver writes its devices, and opens the names of its threads with O_CREAT.
static void add_no_writing(struct filter *filter, const struct sandbox_calls *calls) {
    if (!calls->allows_gpu) {
        add_flags(filter, "open", 1, WRITING);
        add_flags(filter, "openat", 2, WRITING);
    }
    add_list(filter, DENY, changes_files);
}

static void add_clone(struct filter *filter, const struct sandbox_calls *calls) {
    static const uint64_t never = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                  CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PARENT | CLONE_PTRACE;
    add_flags(filter, "clone", 0, never);
    if (calls->allows_programs) return;
    add_if(filter, DENY, "clone", IS(0, CLONE_THREAD, 0));
    add_list(filter, DENY, starts_programs);
}

// In a PID namespace of its own a host can name nobody else, and may do to its threads and children as it
// likes.
static void add_processes(struct filter *filter, const struct sandbox_calls *calls) {
    add_if(filter, DENY, "setpriority", IS_NOT(0, PRIO_OF_PROCESS));
    add_if(filter, DENY, "ioprio_set", IS_NOT(0, IOPRIO_OF_PROCESS));
    if (calls->is_pid_namespace) return;
    const uint64_t own = (uint64_t)getpid();
    static const char *const signals[] = {"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
                                          NULL};
    static const char *const by_pid[] = {"sched_setscheduler",
                                         "sched_setparam",
                                         "sched_setattr",
                                         "prlimit64",
                                         "migrate_pages",
                                         "move_pages",
                                         NULL};
    for (const char *const *name = signals; *name; ++name) add_if(filter, DENY, *name, IS_NOT(0, own));
    for (const char *const *name = by_pid; *name; ++name) add_if(filter, DENY, *name, IS_NOT(0, 0));
    // OpenMP's libraries end the process when a thread cannot be bound while it is made.
    add_if(filter, PRETEND, "sched_setaffinity", IS_NOT(0, 0));
    add_if(filter, DENY, "setpriority", IS_NOT(1, 0));
    add_if(filter, DENY, "ioprio_set", IS_NOT(1, 0));
}

// Only sockets that can reach nobody: pairs and unnamed ones, no datagrams (sendto takes a name).
static void add_sockets(struct filter *filter, const struct sandbox_calls *calls) {
    static const char *const names[] = {"socket", "socketpair"};
    if (calls->allows_network) return;
    add(filter, DENY, "connect", 0, NULL);
    for (size_t i = 0; i < 2; ++i) {
        if (calls->allows_gpu || (calls->allows_programs && i == 1)) {
            add_if(filter, DENY, names[i], IS_NOT(0, AF_UNIX));
            add_if(filter, DENY, names[i], IS(1, SOCKET_TYPES, SOCK_DGRAM));
            add_if(filter, DENY, names[i], IS(1, SOCKET_TYPES, SOCK_RAW));
        } else {
            add(filter, DENY, names[i], 0, NULL);
        }
    }
}

// Signals by descriptors, what is typed into a terminal, leases that block others' opens, seals on shared
// memory; and what protects the process: the signal that ends it with its judge, and that others of the same
// user cannot read it.
static void add_selectors(struct filter *filter) {
    static const uint64_t fcntls[] = {F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_ADD_SEALS};
    static const uint64_t ioctls[] = {TIOCSTI, TIOCLINUX, TIOCSCTTY, SET_OWNER, SET_GROUP};
    static const uint64_t prctls[] = {PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_MM,
                                      SCHED_CORE};
    add_values(filter, DENY, "fcntl", 1, fcntls, sizeof fcntls / sizeof *fcntls);
    add_values(filter, DENY, "ioctl", 1, ioctls, sizeof ioctls / sizeof *ioctls);
    add_values(filter, DENY, "prctl", 0, prctls, sizeof prctls / sizeof *prctls);
    add_if(filter, DENY, "personality", IS_NOT(0, 0xffffffff)); // the question is allowed
}

// A file that may only be read can be locked, too, and so closed to the programs that write it. Compiled code
// has no file to lock. Caches of interpreters and compilers take locks in the scratch folder, which no other
// program uses, and which a filter cannot tell from other files: there a lock is granted, and is none.
static void add_locks(struct filter *filter, const struct sandbox_calls *calls) {
    static const uint64_t fcntls[] = {F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW};
    const uint32_t action = calls->allows_programs ? PRETEND : DENY;
    add(filter, action, "flock", 0, NULL);
    add_values(filter, action, "fcntl", 1, fcntls, sizeof fcntls / sizeof *fcntls);
}

// Loads what was added, and releases it. Returns 1, 0 where the kernel has no seccomp, or an error.
static int load(struct filter *filter, struct err *err) {
    if (filter->result >= 0) filter->result = seccomp_load(filter->context);
    seccomp_release(filter->context);
    if (filter->result >= 0) return 1;
    if (filter->result == -EINVAL || filter->result == -ENOSYS) return 0;
    errno = -filter->result;
    return err_set_errno(err, ERR_UNAVAILABLE, "cannot filter the system calls of a kernel's process");
}

static int begin(struct filter *filter, bool is_for_all_threads, struct err *err) {
    filter->result = 0;
    filter->context = seccomp_init(SCMP_ACT_ALLOW);
    if (!filter->context)
        return err_set(err, ERR_UNAVAILABLE, "libseccomp cannot begin a filter; is there memory?");
    // Calls of another architecture (32 bits) are refused. A filter by itself slows a process down on
    // kernels before 5.16, by a defence against speculation that no kernel under test has asked for; this
    // flag leaves it off.
    seccomp_attr_set(filter->context, SCMP_FLTATR_API_SYSRAWRC, 1);
    seccomp_attr_set(filter->context, SCMP_FLTATR_ACT_BADARCH, DENY);
    seccomp_attr_set(filter->context, SCMP_FLTATR_CTL_SSB, 1);
    seccomp_attr_set(filter->context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    if (is_for_all_threads) seccomp_attr_set(filter->context, SCMP_FLTATR_CTL_TSYNC, 1);
    return 0;
}

// Calls newer than the list do not exist. The numbers are one range since Linux 5.0, on every architecture.
static int hide_newer_calls(struct err *err) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_CALL, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof steps / sizeof *steps, .filter = steps};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0)
        return 0;
    return err_set_errno(err, ERR_UNAVAILABLE, "cannot filter the newest system calls of a kernel's process");
}

int sandbox_calls_enter(const struct sandbox_calls *calls, struct err *err) {
    struct filter filter;
    TRY(begin(&filter, false, err));
    add_list(&filter, DENY, denied);
    if (!calls->allows_gpu) add_list(&filter, DENY, answers_others);
    add_list(&filter, ABSENT, absent);
    add_list(&filter, PRETEND, pretended);
    add_clone(&filter, calls);
    add_processes(&filter, calls);
    add_sockets(&filter, calls);
    add_selectors(&filter);
    add_locks(&filter, calls);
    if (!calls->has_landlock && !calls->allows_programs) add_no_writing(&filter, calls);
    const int code = load(&filter, err);
    if (code <= 0) return code;
    TRY(hide_newer_calls(err));
    return 1;
}

int sandbox_calls_tighten(const struct sandbox_calls *calls, struct err *err) {
    static const char *const over[] = {"socket", "socketpair", "seccomp", NULL};
    static const uint64_t prctls[] = {PR_SET_SECCOMP};
    const struct sandbox_calls none = {.allows_gpu = calls->allows_gpu};
    struct filter filter;
    TRY(begin(&filter, true, err));
    add_clone(&filter, &none);
    add_no_writing(&filter, &none);
    add_list(&filter, DENY, over);
    add_values(&filter, DENY, "prctl", 0, prctls, 1);
    return load(&filter, err);
}

bool sandbox_is_built(void) {
    return true;
}

#else

int sandbox_calls_enter(const struct sandbox_calls *calls, struct err *err) {
    (void)calls, (void)err;
    return 0;
}

int sandbox_calls_tighten(const struct sandbox_calls *calls, struct err *err) {
    (void)calls, (void)err;
    return 0;
}

bool sandbox_is_built(void) {
    return false;
}

#endif
