// SPDX-License-Identifier: Apache-2.0
//
// A process in the sandbox tries what a hostile kernel would, and what an honest one needs. This program is
// started as a host by itself; as root, without privileges, and without namespaces.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/clean_environment.h"
#include "unit/host_gpu_trial.h"
#include "unit/host_identity.h"
#include "unit/sandbox_places.h"
#include "unit/sandbox_threads.h"
#include "worker/host/host_process.h"
#include "worker/host/sandbox.h"

enum { SECONDS = 1000000000, FILE_LIMIT = 1 << 20 };

// What the test hands to the host on its command line.
struct given {
    const char *scratch;          // may be written
    const char *secret;           // a file of the same user outside everything that is allowed
    const char *read;             // a folder that may be read, but for what is hidden
    const char *hidden, *results; // a folder in it, and a file there
    bool allows_programs;
    size_t memory_limit;
    long stranger; // a process of the same user; in a PID namespace the number names nobody
};
static struct given given;
static struct sandbox_report report;

static bool refused(long result) {
    return result < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static bool cannot_open(const char *path, int flags) {
    const int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0) return true;
    close(fd);
    return false;
}

static bool can_write_in(const char *folder) {
    char *path = mem_format("%s/written", folder);
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const bool can = fd >= 0 && write(fd, "x", 1) == 1;
    if (fd >= 0) close(fd);
    free(path);
    return can;
}

// ---- what must fail, for everybody ----

static bool no_ptrace(void) {
    return refused(ptrace(PTRACE_ATTACH, (pid_t)given.stranger, NULL, NULL)) &&
           refused(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static bool no_memory_of_others(void) {
    char byte;
    const struct iovec own = {&byte, 1}, other = {&byte, 1};
    char path[64], judge[64];
    snprintf(path, sizeof path, "/proc/%ld/mem", given.stranger);
    snprintf(judge, sizeof judge, "/proc/%ld/mem", (long)getppid());
    // Without Landlock those of the same user are open by their files, and the report says so; never the
    // judge's.
    const bool is_closed = report.landlock_abi == 0 || cannot_open(path, O_RDWR);
    return refused(process_vm_readv((pid_t)given.stranger, &own, 1, &other, 1, 0)) &&
           refused(process_vm_writev((pid_t)given.stranger, &own, 1, &other, 1, 0)) && is_closed &&
           cannot_open(judge, O_RDONLY);
}

static bool no_signals(void) {
    // In its own PID namespace the number means nobody: ESRCH.
    const bool is_alone = report.is_pid_namespace;
    const pid_t pid = (pid_t)given.stranger;
    const long tries[] = {kill(pid, 0), syscall(SYS_tgkill, pid, pid, 0), syscall(SYS_tkill, pid, 0),
                          is_alone ? -1 : kill(-1, 0), is_alone ? -1 : kill(-pid, 0)};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; ++i)
        if (tries[i] == 0) return false;
    return refused(syscall(SYS_pidfd_open, getpid(), 0)) && refused(fcntl(0, F_SETOWN, pid)) &&
           refused(fcntl(0, F_SETSIG, SIGKILL));
}

static bool no_timer_that_continues(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT};
    timer_t timer;
    return refused(timer_create(CLOCK_MONOTONIC, &event, &timer));
}

static bool is_locked(int fd) {
    struct stat status;
    char *text = NULL, inode[32];
    size_t length;
    if (fstat(fd, &status) < 0 || file_read("/proc/locks", 1 << 20, &text, &length, NULL) < 0) return true;
    snprintf(inode, sizeof inode, ":%lu ", (unsigned long)status.st_ino);
    const bool ret = strstr(text, inode) != NULL;
    free(text);
    return ret;
}

// A file that may only be read, and others may want to write.
static bool no_locks(void) {
    char *inside = mem_format("%s/inside", given.read);
    const int fd = open(inside, O_RDONLY | O_CLOEXEC);
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    const int answers[] = {flock(fd, LOCK_EX), fcntl(fd, F_SETLK, &lock), fcntl(fd, F_OFD_SETLK, &lock)};
    bool holds = fd >= 0 && !is_locked(fd);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; ++i)
        holds = holds && (given.allows_programs ? answers[i] == 0 : refused(answers[i]));
    close(fd);
    free(inside);
    return holds;
}

static bool no_namespaces(void) {
    return refused(unshare(CLONE_NEWUSER)) && refused(unshare(CLONE_FS)) && refused(setns(0, 0)) &&
           refused(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL)) &&
           refused(mount("none", "/tmp", "tmpfs", 0, NULL));
}

static bool no_strange_parent(void) {
    return refused(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL));
}

static bool no_clone3(void) {
    char arguments[64] = {0};
    return syscall(435, arguments, sizeof arguments) < 0 && errno == ENOSYS;
}

static bool no_kernel_doors(void) {
    const struct timeval time = {0};
    return refused(syscall(SYS_bpf, 0, NULL, 0)) &&
           refused(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0)) &&
           refused(syscall(SYS_userfaultfd, 0)) && refused(syscall(SYS_add_key, "user", "x", "y", 1, -1)) &&
           refused(syscall(SYS_keyctl, 0, 0)) && refused(syscall(425, 1, NULL)) && // io_uring_setup
           refused(settimeofday(&time, NULL)) && refused(syscall(SYS_personality, 0x0040000)) &&
           syscall(461, 0, 0, 0, 0) < 0 && errno == ENOSYS; // lsm_list_modules: newer than the list
}

static bool no_identity(void) {
    return refused(setresuid(0, 0, 0)) && refused(setgid(0)) && refused(setgroups(0, NULL));
}

static bool no_network(void) {
    return refused(socket(AF_INET, SOCK_STREAM, 0)) && refused(socket(AF_INET, SOCK_DGRAM, 0)) &&
           refused(socket(AF_UNIX, SOCK_DGRAM, 0)) && refused(socket(AF_NETLINK, SOCK_RAW, 0)) &&
           refused(shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
}

static bool no_connection(void) {
    const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/run/x"};
    return refused(connect(HOST_CHANNEL_FD, (const struct sockaddr *)&address, sizeof address));
}

static bool no_answers(void) {
    const struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/run/x"};
    return refused(bind(HOST_CHANNEL_FD, (const struct sockaddr *)&address, sizeof address)) &&
           refused(listen(HOST_CHANNEL_FD, 1)) && refused(accept(HOST_CHANNEL_FD, NULL, NULL));
}

static bool no_life_after_judge(void) {
    return refused(prctl(PR_SET_PDEATHSIG, 0)) && refused(prctl(PR_SET_CHILD_SUBREAPER, 0)) &&
           prctl(PR_GET_DUMPABLE) == 0 && refused(prctl(PR_SET_DUMPABLE, 1));
}

static bool no_typing(void) {
    return refused(ioctl(0, TIOCSTI, "x")) &&
           refused(syscall(SYS_ioctl, 0, 0x100000000 | (unsigned long)TIOCSTI, "x"));
}

static bool no_seals(void) {
    const int fd = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const bool is_refused = refused(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
    close(fd);
    return is_refused;
}

static bool no_priority_of_others(void) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    const pid_t pid = (pid_t)given.stranger;
    const struct sched_param parameter = {0};
    // Where it cannot be told from a thread of our own, binding is pretended; the parent looks whether it
    // was.
    const bool binds = sched_setaffinity(pid, sizeof cpus, &cpus) < 0;
    return (binds || !report.is_pid_namespace) && setpriority(PRIO_PROCESS, (id_t)pid, 19) < 0 &&
           refused(setpriority(PRIO_USER, 0, 19)) && sched_setscheduler(pid, SCHED_IDLE, &parameter) < 0 &&
           prlimit(pid, RLIMIT_CPU, NULL, NULL) < 0;
}

static bool no_session_of_its_own(void) {
    const pid_t before = getsid(0);
    (void)!setsid();
    (void)!setpgid(0, 0);
    return getsid(0) == before && getpgid(0) == before;
}

static bool no_capabilities(void) {
    char *text = NULL;
    size_t length;
    if (file_read("/proc/self/status", 65536, &text, &length, NULL) < 0) return false;
    static const char *const keys[] = {"CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
                                       "CapAmb:\t0000000000000000", "NoNewPrivs:\t1"};
    bool holds = true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) holds = holds && strstr(text, keys[i]);
    free(text);
    return holds;
}

static bool no_files_of_the_user(void) {
    if (report.landlock_abi == 0) return true; // the report says so
    return cannot_open(given.secret, O_RDONLY) && cannot_open("/etc/shadow", O_RDONLY) &&
           cannot_open("/tmp", O_RDONLY | O_DIRECTORY) && cannot_open(given.results, O_RDONLY);
}

static bool no_writing_outside(void) {
    // Then the filter refuses to open anything for writing, unless programs run or a driver needs it.
    if (report.landlock_abi == 0)
        return given.allows_programs || strstr(report.loosened, "GPU:") ||
               cannot_open(given.secret, O_WRONLY);
    return !can_write_in("/tmp") && !can_write_in("/dev/shm") && !can_write_in(given.read) &&
           cannot_open(given.secret, O_WRONLY) && cannot_open(given.secret, O_WRONLY | O_TRUNC) &&
           cannot_open("/proc/self/comm", O_WRONLY) && cannot_open("/proc/sys/kernel/core_pattern", O_WRONLY);
}

static bool no_change_of_modes(void) {
    struct stat before = {0}, after = {0};
    stat(given.secret, &before);
    (void)!chmod(given.secret, 0777);
    stat(given.secret, &after);
    return before.st_mode == after.st_mode;
}

static bool no_more_memory(void) {
    void *memory =
        mmap(NULL, 2 * given.memory_limit, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED;
}

static bool no_core_file(void) {
    struct rlimit core;
    return getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0;
}

// ---- what must work, for everybody ----

static bool files_can_be_read(void) {
    static const char *const paths[] = {
        "/proc/self/maps", "/proc/cpuinfo",    "/proc/self/status", "/sys/devices/system/cpu/online",
        "/dev/urandom",    "/etc/ld.so.cache", "/etc/passwd",       "/usr/bin"};
    char *inside = mem_format("%s/inside", given.read), *beside = mem_format("%s/runs/1/inside", given.read);
    bool can = !cannot_open(inside, O_RDONLY) && !cannot_open(beside, O_RDONLY);
    free(beside);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i)
        can = can && (access(paths[i], F_OK) < 0 || !cannot_open(paths[i], O_RDONLY));
    free(inside);
    return can;
}

static bool scratch_can_be_written(void) {
    return report.landlock_abi == 0 || can_write_in(given.scratch);
}

static bool memory_can_be_run(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const bool can = memory != MAP_FAILED && mprotect(memory, 4096, PROT_READ | PROT_EXEC) == 0;
    munmap(memory, 4096);
    const int fd = memfd_create("jit", MFD_CLOEXEC);
    char path[64]; // a module is loaded from there
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const bool has_file = fd >= 0 && ftruncate(fd, 4096) == 0 && !cannot_open(path, O_RDONLY);
    close(fd);
    return can && has_file && syscall(SYS_personality, 0xffffffff) >= 0;
}

// ---- by policy ----

static bool programs_are_refused(void) {
    char *const arguments[] = {(char[]){"true"}, NULL};
    const long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) _exit(1);
    return refused(child) && refused(fork()) && refused(execve("/bin/true", arguments, NULL)) &&
           refused(syscall(SYS_execveat, AT_FDCWD, "/bin/true", arguments, NULL, 0));
}

static bool pairs_are_refused(void) {
    int ends[2];
    return refused(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
}

static bool programs_work(void) {
    int status = -1, ends[2];
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", "cp /etc/passwd \"$0/copy\" && chmod 600 \"$0/copy\" && exit 7",
              given.scratch, (char *)NULL);
        _exit(1);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return false;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 || !refused(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)))
        return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static bool no_program_from_scratch(void) {
    int status = -1;
    char *path = mem_format("%s/program", given.scratch);
    const pid_t pid = fork(); // written in the copy, so that nobody has it open for writing
    if (pid == 0) _exit(file_copy("/bin/true", path, NULL) < 0);
    waitpid(pid, &status, 0);
    const pid_t other = fork();
    if (other == 0) {
        execl(path, path, (char *)NULL);
        _exit(9);
    }
    waitpid(other, &status, 0);
    free(path);
    return report.landlock_abi == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 9);
}

// A name without a file, as the CUDA driver listens at one.
static bool gpu_sockets_work(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "assay-test-%ld", (long)given.stranger);
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const bool work = fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
                      listen(fd, 1) == 0 &&
                      refused(connect(fd, (const struct sockaddr *)&address, sizeof address));
    if (fd >= 0) close(fd);
    return work;
}

// A thread that was there before the second filter, and is asked after it.
static pthread_barrier_t is_tight;
static void *fork_when_tight(void *ret_refused) {
    pthread_barrier_wait(&is_tight);
    const long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) _exit(0);
    *(bool *)ret_refused = refused(child);
    return NULL;
}

static bool older_threads_are_bound(const struct sandbox_policy *policy) {
    struct err err = {0};
    pthread_t thread;
    bool is_refused = false;
    pthread_barrier_init(&is_tight, NULL, 2);
    if (pthread_create(&thread, NULL, fork_when_tight, &is_refused) != 0) return false;
    const int code = sandbox_tighten(policy, &err);
    if (code < 0) fprintf(stderr, "%s\n", err.text);
    pthread_barrier_wait(&is_tight);
    pthread_join(thread, NULL);
    return code >= 0 && is_refused;
}

static bool tight_refuses_more(void) {
    char *path = mem_format("%s/written", given.scratch);
    const bool cannot = cannot_open(path, O_WRONLY) && cannot_open(path, O_RDWR | O_TRUNC) &&
                        refused(unlink(path)) && refused(mkdir("x", 0700)) &&
                        refused(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)) &&
                        refused(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL));
    free(path);
    return cannot;
}

// ---- the host ----

struct trial {
    const char *name;
    bool (*holds)(void);
};
#define TRIAL(function)                                                                                      \
    { #function, function }

static const struct trial for_all[] = {TRIAL(no_ptrace),
                                       TRIAL(no_memory_of_others),
                                       TRIAL(no_signals),
                                       TRIAL(no_timer_that_continues),
                                       TRIAL(no_locks),
                                       TRIAL(no_namespaces),
                                       TRIAL(no_strange_parent),
                                       TRIAL(no_clone3),
                                       TRIAL(no_kernel_doors),
                                       TRIAL(no_identity),
                                       TRIAL(no_network),
                                       TRIAL(no_connection),
                                       TRIAL(no_life_after_judge),
                                       TRIAL(no_typing),
                                       TRIAL(no_seals),
                                       TRIAL(no_priority_of_others),
                                       TRIAL(no_session_of_its_own),
                                       TRIAL(no_capabilities),
                                       TRIAL(no_files_of_the_user),
                                       TRIAL(no_writing_outside),
                                       TRIAL(no_change_of_modes),
                                       TRIAL(no_more_memory),
                                       TRIAL(no_core_file),
                                       TRIAL(threads_work),
                                       TRIAL(files_can_be_read),
                                       TRIAL(scratch_can_be_written),
                                       TRIAL(memory_can_be_run),
                                       {NULL, NULL}};
static const struct trial without_programs[] = {
    TRIAL(programs_are_refused), TRIAL(pairs_are_refused), TRIAL(no_answers), {NULL, NULL}};
static const struct trial with_programs[] = {
    TRIAL(programs_work), TRIAL(no_program_from_scratch), TRIAL(no_answers), {NULL, NULL}};
// As the driver does it, which does not start otherwise.
static bool threads_can_be_named(void) {
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%ld/comm", (long)syscall(SYS_gettid));
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const bool is_written = fd >= 0 && write(fd, "named", 5) == 5;
    if (fd >= 0) close(fd);
    prctl(PR_GET_NAME, name, 0, 0, 0);
    return is_written && strcmp(name, "named") == 0;
}

static const struct trial with_gpu[] = {TRIAL(gpu_sockets_work),
                                        TRIAL(threads_can_be_named),
                                        TRIAL(gpu_driver_works),
                                        TRIAL(programs_are_refused),
                                        {NULL, NULL}};
static const struct trial when_tight[] = {TRIAL(tight_refuses_more),
                                          TRIAL(programs_are_refused),
                                          TRIAL(pairs_are_refused),
                                          TRIAL(threads_work),
                                          TRIAL(files_can_be_read),
                                          TRIAL(memory_can_be_run),
                                          {NULL, NULL}};

static int try_all(const struct trial *trials) {
    int failures = 0;
    for (; trials->name; ++trials) {
        errno = 0;
        if (trials->holds()) continue;
        fprintf(stderr, "does not hold: %s (errno %d %s)\n", trials->name, errno, strerror(errno));
        ++failures;
    }
    return failures;
}

// Arguments: host FLAVOUR scratch secret read stranger
static int host_main(char **arguments) {
    const char *flavour = arguments[2];
    given = (struct given){.scratch = arguments[3],
                           .secret = arguments[4],
                           .read = arguments[5],
                           .hidden = mem_format("%s" HIDDEN, arguments[5]),
                           .results = mem_format("%s" HIDDEN "/references/inside", arguments[5]),
                           .allows_programs = strcmp(flavour, "programs") == 0,
                           .memory_limit = strcmp(flavour, "gpu") == 0 ? (size_t)8 << 30 : (size_t)64 << 20,
                           .stranger = strtol(arguments[6], NULL, 10)};
    const bool is_tight_one = strcmp(flavour, "tight") == 0;
    const struct sandbox_policy policy = {.allows_programs = is_tight_one || strcmp(flavour, "programs") == 0,
                                          .allows_gpu = strcmp(flavour, "gpu") == 0,
                                          .scratch_dir = given.scratch,
                                          .read_dirs = (const char *const[]){given.read, "/not/there", NULL},
                                          .hidden_dir = given.hidden,
                                          .memory_limit_bytes = given.memory_limit,
                                          .file_limit_bytes = FILE_LIMIT};
    struct err err = {0};
    if (sandbox_enter(&policy, &report, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 99;
    }
    fprintf(stderr, "%s: Landlock %d, own processes only: %s; %s\n", flavour, report.landlock_abi,
            report.is_pid_namespace ? "yes" : "no", report.loosened);
    if (is_tight_one) {
        int failures =
            try_all(with_programs) + try_all((const struct trial[]){TRIAL(scratch_can_be_written), {0}});
        if (!older_threads_are_bound(&policy)) ++failures, fprintf(stderr, "does not hold: older threads\n");
        return failures + try_all(when_tight);
    }
    const struct trial *more = policy.allows_programs ? with_programs
                               : policy.allows_gpu    ? with_gpu
                                                      : without_programs;
    return try_all(for_all) + try_all(more);
}

// ---- the judge ----

static void run_host(const char *flavour) {
    if (!sandbox_is_built()) {
        print_message("skipped: built without libseccomp\n");
        skip();
    }
    struct places places;
    struct host_process *host = NULL;
    struct err err = {0};
    struct proc_status status;
    int ends[2];
    char stranger[24];
    places_make(&places);
    const pid_t sleeper = fork();
    if (sleeper == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) pause();
    }
    snprintf(stranger, sizeof stranger, "%ld", (long)sleeper);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    char **env = clean_environment_new(places.scratch, NULL, false);
    const char *const argv[] = {"/proc/self/exe", "host",      flavour,  places.scratch,
                                places.secret,    places.read, stranger, NULL};
    const struct host_process_spec spec = {
        .argv = argv, .env = (const char *const *)env, .channel_fd = ends[1]};
    if (host_process_start(&spec, &host, &err) < 0) fail_msg("%s", err.text);
    close(ends[1]);
    host_process_end(host, clock_ns() + UINT64_C(60) * SECONDS, &status);
    kill(sleeper, SIGKILL);
    waitpid(sleeper, NULL, 0);
    clean_environment_free(env);
    close(ends[0]);
    places_remove(&places);
    assert_int_equal(status.end, PROC_EXITED);
    assert_int_equal(status.exit_code, 0);
}

static void test_strict(void **state) {
    (void)state;
    run_host("strict");
}

static void test_programs(void **state) {
    (void)state;
    run_host("programs");
}

static void test_gpu(void **state) {
    (void)state;
    run_host("gpu");
}

static void test_tight(void **state) {
    (void)state;
    run_host("tight");
}

int main(int argc, char **argv) {
    if (argc == 7 && strcmp(argv[1], "host") == 0)
        _exit(host_main(argv)); // no leak check: it would need to fork
    struct err err = {0};
    if (host_judge_begin(&err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_gpu),
        cmocka_unit_test(test_tight),
    };
    return run_other_forms(cmocka_run_group_tests(tests, NULL, NULL), argv[0], argc > 1);
}
