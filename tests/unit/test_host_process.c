// SPDX-License-Identifier: Apache-2.0
//
// Hosts as the judge handles them: what they get at their start, that a stopped one stands, that nothing
// outlives its end or the judge's. This program is its own host; as root, without privileges, and without
// namespaces.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/clean_environment.h"
#include "unit/host_identity.h"
#include "worker/host/host_process.h"
#include "worker/host/sandbox.h"

#define NS_PER_MS   UINT64_C(1000000)
#define STANDING_MS 20u
#define LONG_NS     (UINT64_C(20000) * NS_PER_MS)

enum { FORK_TRIES = 3, CROWD = 1500 }; // more children than a page of numbers has room for

static void sleep_ms(long ms) {
    const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

// ---- what a host does: host NAME ----

static void say(char what) {
    (void)!write(HOST_CHANNEL_FD, &what, 1);
}

static char hear(int fd, long limit_ms) {
    struct pollfd one = {.fd = fd, .events = POLLIN};
    char what = 0;
    if (poll(&one, 1, (int)limit_ms) <= 0 || read(fd, &what, 1) != 1) return 0;
    return what;
}

static void *spin(void *unused) {
    (void)unused;
    for (volatile unsigned long i = 0;; ++i) continue;
    return NULL;
}

static void spin_in_threads(int count) {
    pthread_t thread;
    for (int i = 0; i < count; ++i) pthread_create(&thread, NULL, spin, NULL);
}

// A child that leaves the group and the session and is nobody's child any more; it spins, or sleeps.
static void escape(bool spins) {
    if (fork() > 0) return;
    setsid();
    if (fork() > 0) _exit(0);
    if (spins) spin(NULL);
    for (;;) pause();
}

// Continues the host again and again, as a hostile child would.
static void fork_a_waker(pid_t host) {
    if (fork() > 0) return;
    for (;;) kill(host, SIGCONT);
}

// Its first thread ends, the others go on: a zombie by name.
static void fork_a_headless(void) {
    if (fork() > 0) return;
    spin_in_threads(1);
    syscall(SYS_exit, 0);
}

static void fork_a_crowd(void) {
    for (int i = 0; i < CROWD; ++i)
        if (fork() == 0)
            for (;;) pause();
}

static int tell(void) {
    char name[16] = "";
    struct stat in, null;
    sigset_t blocked;
    struct sigaction action;
    int extra = 0;
    for (int fd = 4; fd < 1000; ++fd) extra += fcntl(fd, F_GETFD) >= 0;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    sigaction(SIGPIPE, NULL, &action);
    fstat(0, &in);
    stat("/dev/null", &null);
    prctl(PR_GET_NAME, name);
    const bool is_right = extra == 0 && in.st_rdev == null.st_rdev && !sigismember(&blocked, SIGCHLD) &&
                          !sigismember(&blocked, SIGUSR1) && action.sa_handler == SIG_DFL &&
                          getsid(0) == getpid() && getenv("HOME") &&
                          strcmp(getenv("HOME"), "/nonexistent") == 0 && !getenv("SECRET_OF_OURS");
    cpu_set_t cpus;
    sched_getaffinity(0, sizeof cpus, &cpus);
    if (!is_right) fprintf(stderr, "%d descriptors too many, session %d of %d\n", extra, getsid(0), getpid());
    return is_right && CPU_COUNT(&cpus) == 1 ? 0 : 1;
}

static int host_main(const char *what) {
    signal(SIGSEGV, SIG_DFL); // of the sanitizers, who would report and exit
    if (strcmp(what, "tell") == 0) return tell();
    if (strcmp(what, "exit") == 0) return 5;
    if (strcmp(what, "abort") == 0) abort();
    if (strcmp(what, "fault") == 0)
        *(volatile int *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
    if (strcmp(what, "escape_and_exit") == 0) {
        escape(false);
        escape(true);
        sleep_ms(50);
        return 0;
    }
    if (strcmp(what, "confined") == 0) {
        const struct sandbox_policy policy = {.may_go_without = true};
        struct sandbox_report report;
        if (sandbox_enter(&policy, &report, NULL) < 0) return 1;
    }
    if (strcmp(what, "family") == 0) {
        escape(true);
        fork_a_waker(getpid());
        fork_a_headless();
    }
    if (strcmp(what, "vfork") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, spin, NULL);
        say('r');
        if (vfork() == 0) spin(NULL);
    }
    const bool is_crowd = strcmp(what, "crowd") == 0;
    if (is_crowd) fork_a_crowd();
    if (strcmp(what, "stubborn") == 0) signal(SIGTERM, SIG_IGN);
    if (strcmp(what, "idle") != 0 && strcmp(what, "stubborn") != 0 && !is_crowd) spin_in_threads(3);
    sleep_ms(strcmp(what, "family") == 0 ? 50 : 1);
    say('r');
    if (strcmp(what, "deaf") == 0) // does not notice that the channel's other end is gone
        for (;;) pause();
    for (;;) {
        const char order = hear(HOST_CHANNEL_FD, 60000);
        if (order == 0) return 0;
        say(order);
    }
}

// ---- the judge ----

struct pair {
    struct host_process *host;
    int fd; // the judge's end of the channel
};

static struct pair start(const char *what, const struct host_process_spec *more) {
    struct pair pair;
    struct err err = {0};
    int ends[2];
    char **env = clean_environment_new(NULL, NULL, false);
    const char *const argv[] = {"/proc/self/exe", "host", what, NULL};
    struct host_process_spec spec = more ? *more : (struct host_process_spec){0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    spec.argv = argv;
    spec.env = (const char *const *)env;
    spec.channel_fd = ends[1];
    if (host_process_start(&spec, &pair.host, &err) < 0) fail_msg("%s", err.text);
    clean_environment_free(env);
    close(ends[1]);
    pair.fd = ends[0];
    return pair;
}

static size_t end(struct pair *pair, uint64_t limit_ns, struct proc_status *status) {
    const size_t count = host_process_end(pair->host, clock_ns() + limit_ns, status);
    close(pair->fd);
    return count;
}

static void stop(struct pair *pair) {
    struct err err = {0};
    if (host_process_stop(pair->host, &err) < 0) fail_msg("%s", err.text);
}

static void assert_no_children(void) {
    siginfo_t info = {0};
    assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), -1);
    assert_int_equal(errno, ECHILD);
}

static void test_start(void **state) {
    (void)state;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    setenv("SECRET_OF_OURS", "x", 1);
    signal(SIGPIPE, SIG_IGN);
    const int leaked = dup(1); // not close-on-exec
    struct proc_status status;
    const struct host_process_spec spec = {.cpus = &one, .cpus_bytes = sizeof one};
    struct pair pair = start("tell", &spec);
    print_message("PID namespace: %s\n", host_process_has_pid_namespace(pair.host) ? "yes" : "no");
    assert_int_equal(end(&pair, LONG_NS, &status), 0);
    close(leaked);
    signal(SIGPIPE, SIG_DFL);
    assert_int_equal(status.end, PROC_EXITED);
    assert_int_equal(status.exit_code, 0);
    assert_no_children();
}

static void test_cannot_start(void **state) {
    (void)state;
    struct err err = {0};
    struct host_process *host = NULL;
    const char *const argv[] = {"/not/there", NULL}, *const env[] = {NULL};
    struct host_process_spec spec = {.argv = argv, .env = env, .channel_fd = 1};
    assert_int_equal(host_process_start(&spec, &host, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "cannot start '/not/there': No such file"));
    spec.dir = "/not/there";
    assert_int_equal(host_process_start(&spec, &host, &err), -ERR_NO_INPUT);
    assert_null(host);
    assert_no_children();
}

static void test_ends(void **state) {
    (void)state;
    struct proc_status status;
    struct pair pair = start("exit", NULL);
    end(&pair, LONG_NS, &status);
    assert_int_equal(status.end, PROC_EXITED);
    assert_int_equal(status.exit_code, 5);
    pair = start("fault", NULL);
    end(&pair, LONG_NS, &status);
    assert_int_equal(status.end, PROC_SIGNALED);
    assert_int_equal(status.signal, SIGSEGV);
    pair = start("abort", NULL);
    end(&pair, LONG_NS, &status);
    assert_int_equal(status.end, PROC_SIGNALED);
    assert_true(status.signal == SIGABRT ||
                status.signal == SIGSEGV); // process 1 of a namespace: see the header
    pair = start("stubborn", NULL);
    assert_int_equal(hear(pair.fd, 20000), 'r');
    assert_false(host_process_has_ended(pair.host, &status));
    end(&pair, 50 * NS_PER_MS, &status);
    assert_int_equal(status.end, PROC_TIMEOUT);
    assert_in_range(status.wall_ns, 50 * NS_PER_MS, LONG_NS);
    assert_no_children();
}

// The last thread tells us that it stops before it has left the processor, and on some virtual machines the
// clock of a thread that stands still gains up to 1.4 ms. Spinning threads would use all of the time that is
// waited here.
static void assert_stands(const struct pair *pair, uint64_t since_ns) {
    assert_in_range(host_process_cpu_ns(pair->host) - since_ns, 0, STANDING_MS / 4 * NS_PER_MS);
}

// Stops and continues; while it stands its clock does too, and it answers nothing.
static void stop_and_go(struct pair *pair) {
    for (int i = 0; i < 20; ++i) {
        stop(pair);
        const uint64_t stood_ns = host_process_cpu_ns(pair->host);
        sleep_ms(i == 0 ? 100 : (int)STANDING_MS);
        assert_stands(pair, stood_ns);
        if (i == 0) {
            assert_int_equal(write(pair->fd, "x", 1), 1);
            assert_int_equal(hear(pair->fd, 50), 0);
        }
        host_process_continue(pair->host);
        if (i == 0) assert_int_equal(hear(pair->fd, 20000), 'x');
        sleep_ms(1);
    }
}

static void stop_and_go_as(const char *what, bool never_forks) {
    struct proc_status status;
    struct pair pair = start(what, NULL);
    assert_int_equal(hear(pair.fd, 20000), 'r');
    if (never_forks) {
        const int filters = host_process_filters(pair.host);
        assert_true(filters == -1 || filters == (sandbox_is_built() ? 2 : 0));
        assert_int_equal(host_process_set_never_forks(pair.host), filters != 0);
    }
    stop_and_go(&pair);
    uint64_t start_ns = clock_ns();
    enum { TIMES = 100 };
    for (int i = 0; i < TIMES; ++i) {
        stop(&pair);
        host_process_continue(pair.host);
    }
    print_message("%s: stopped and continued in %llu us\n", what,
                  (unsigned long long)((clock_ns() - start_ns) / TIMES / 1000));
    end(&pair, 0, &status);
    assert_no_children();
}

static void test_stop(void **state) {
    (void)state;
    stop_and_go_as("spin", false);
    stop_and_go_as("confined", true);
    stop_and_go_as("idle", false);
}

// Processor time of a process's living descendants, in clock ticks, by its stat in /proc.
static uint64_t burnt_below(struct host_process *host) {
    char *command =
        mem_format("for p in $(cat /proc/%ld/task/*/children); do cat /proc/$p/task/*/stat; done 2>/dev/null"
                   " | sed 's/.*) //' | awk '{ n += $12 + $13 } END { print n + 0 }'",
                   (long)host_process_pid(host));
    unsigned long long ticks = 0;
    FILE *pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%llu", &ticks) != 1) ticks = 0;
    if (pipe) pclose(pipe);
    free(command);
    return ticks;
}

static void test_stop_family(void **state) {
    (void)state;
    struct proc_status status;
    struct pair pair = start("family", NULL);
    assert_int_equal(hear(pair.fd, 20000), 'r');
    assert_int_equal(host_process_count_descendants(pair.host), FORK_TRIES);
    assert_false(host_process_set_never_forks(pair.host));
    sleep_ms(100);
    const uint64_t before = burnt_below(pair.host);
    assert_true(before > 0);
    for (int i = 0; i < 10; ++i) {
        stop(&pair);
        const uint64_t stood_ns = host_process_cpu_ns(pair.host), burnt = burnt_below(pair.host);
        sleep_ms(50);
        assert_stands(&pair, stood_ns);
        assert_int_equal(burnt_below(pair.host), burnt);
        host_process_continue(pair.host);
    }
    sleep_ms(100);
    assert_true(burnt_below(pair.host) > before);
    assert_true(host_process_memory_bytes(pair.host) > 4096);
    host_process_kill_descendants(pair.host);
    assert_int_equal(host_process_count_descendants(pair.host), 0);
    assert_false(host_process_has_ended(pair.host, &status));
    end(&pair, 0, &status);
    assert_no_children();
}

// Every thread and every process counts, however many a single one has started.
static void test_count_tasks(void **state) {
    (void)state;
    struct proc_status status;
    struct pair pair = start("idle", NULL);
    assert_int_equal(hear(pair.fd, 20000), 'r');
    assert_int_equal(host_process_count_tasks(pair.host), 1);
    end(&pair, 0, &status);
    pair = start("spin", NULL);
    assert_int_equal(hear(pair.fd, 20000), 'r');
    assert_int_equal(host_process_count_tasks(pair.host), 4);
    end(&pair, 0, &status);
    pair = start("crowd", NULL);
    assert_int_equal(hear(pair.fd, 20000), 'r');
    assert_int_equal(host_process_count_descendants(pair.host), CROWD);
    assert_int_equal(host_process_count_tasks(pair.host), 1 + CROWD);
    assert_int_equal(end(&pair, 0, &status), CROWD);
    assert_no_children();
}

// A thread that waits for its vfork child cannot be stopped before that child ends; nothing of it runs,
// though.
static void test_stop_vfork(void **state) {
    (void)state;
    struct proc_status status;
    struct pair pair = start("vfork", NULL);
    assert_int_equal(hear(pair.fd, 20000), 'r');
    sleep_ms(50);
    for (int i = 0; i < 3; ++i) {
        stop(&pair);
        const uint64_t stood_ns = host_process_cpu_ns(pair.host);
        sleep_ms(20);
        assert_stands(&pair, stood_ns);
        host_process_continue(pair.host);
        sleep_ms(5);
    }
    end(&pair, 0, &status);
    assert_no_children();
}

static void test_stop_dead(void **state) {
    (void)state;
    struct err err = {0};
    struct proc_status status;
    struct pair pair = start("exit", NULL);
    struct pollfd ended = {.fd = host_process_fd(pair.host), .events = POLLIN};
    if (ended.fd >= 0) assert_int_equal(poll(&ended, 1, 20000), 1);
    while (!host_process_has_ended(pair.host, &status)) sleep_ms(1);
    assert_int_equal(host_process_stop(pair.host, &err), -ERR_UNAVAILABLE);
    end(&pair, 0, &status);
    assert_int_equal(status.end, PROC_EXITED); // asking for no time does not make it a timeout
}

static void test_escaped(void **state) {
    (void)state;
    struct proc_status status;
    struct pair other = start("idle", NULL);
    assert_int_equal(hear(other.fd, 20000), 'r');
    struct pair pair = start("escape_and_exit", NULL);
    const bool has_namespace = host_process_has_pid_namespace(pair.host);
    const size_t count = end(&pair, LONG_NS, &status);
    assert_int_equal(status.end, PROC_EXITED);
    if (!has_namespace) assert_int_equal(count, 2); // with one the system ended them together with it
    // The other side's host is nobody's orphan.
    assert_int_equal(write(other.fd, "y", 1), 1);
    assert_int_equal(hear(other.fd, 20000), 'y');
    struct pair third = start("family", NULL);
    assert_int_equal(hear(third.fd, 20000), 'r');
    assert_int_equal(end(&third, 0, &status), FORK_TRIES);
    end(&other, 0, &status);
    assert_no_children();
}

// A judge that is killed takes its host and everything below along.
static void test_judge_dies(void **state) {
    (void)state;
    int line[2];
    assert_int_equal(pipe2(line, O_CLOEXEC), 0);
    const pid_t judge = fork();
    if (judge == 0) {
        struct pair pair = start("deaf", NULL);
        if (hear(pair.fd, 20000) == 'r') {
            const pid_t pid = host_process_pid(pair.host);
            (void)!write(line[1], &pid, sizeof pid);
        }
        for (;;) pause();
    }
    pid_t host = 0;
    close(line[1]);
    assert_int_equal(read(line[0], &host, sizeof host), sizeof host);
    close(line[0]);
    assert_int_equal(kill(host, 0), 0);
    kill(judge, SIGKILL);
    assert_int_equal(waitpid(judge, NULL, 0), judge);
    // The host comes to us (a subreaper), dead.
    const uint64_t start_ns = clock_ns();
    int status = 0;
    while (waitpid(host, &status, WNOHANG) != host) {
        assert_true(clock_ns() - start_ns < LONG_NS);
        sleep_ms(1);
    }
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_no_children();
}

static bool has(char **env, const char *entry) {
    for (; *env; ++env)
        if (strcmp(*env, entry) == 0) return true;
    return false;
}

static void test_environment(void **state) {
    (void)state;
    setenv("GITHUB_TOKEN", "x", 1);
    setenv("ASSAY_STORE", "postgresql://me:x@host/name", 1);
    setenv("OMP_NUM_THREADS", "3", 1);
    setenv("TORCH_API_KEY", "x", 1);
    setenv("HOME", "/home/someone", 1);
    setenv("PYTHONPATH", "src", 1);
    const char *const add[] = {"OMP_NUM_THREADS=4", "NEW=1", NULL};
    char **env = clean_environment_new("/scratch", add, false);
    assert_true(has(env, CLEAN_PYTHON_PATH "=src"));
    assert_false(has(env, "PYTHONPATH=src"));
    assert_true(has(env, "OMP_NUM_THREADS=4"));
    assert_false(has(env, "OMP_NUM_THREADS=3"));
    assert_true(has(env, "NEW=1"));
    assert_true(has(env, "HOME=/scratch"));
    assert_true(has(env, "TMPDIR=/scratch"));
    assert_true(has(env, "PYTHONUSERBASE=/home/someone/.local"));
    assert_false(has(env, "GITHUB_TOKEN=x"));
    assert_false(has(env, "ASSAY_STORE=postgresql://me:x@host/name"));
    assert_false(has(env, "TORCH_API_KEY=x"));
    clean_environment_free(env);
    env = clean_environment_new(NULL, NULL, true);
    assert_true(has(env, "PYTHONPATH=src"));
    assert_false(has(env, CLEAN_PYTHON_PATH "=src"));
    clean_environment_free(env);
    clean_environment_free(NULL);
}

static void test_seal(void **state) {
    (void)state;
    char hash[SHA256_HEX_BYTES], plain[SHA256_HEX_BYTES], byte;
    struct err err = {0};
    int fd = -1;
    assert_int_equal(host_process_seal_file("/proc/self/exe", (size_t)1 << 30, &fd, hash, &err), 0);
    assert_int_equal(sha256_file_hex("/proc/self/exe", plain, NULL), 0);
    assert_string_equal(hash, plain);
    assert_int_equal(pwrite(fd, "x", 1, 0), -1);
    assert_int_equal(ftruncate(fd, 0), -1);
    assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    assert_int_equal(pread(fd, &byte, 1, 0), 1);
    assert_int_equal(byte, 0x7f);
    close(fd);
    assert_int_equal(host_process_seal_file("/dev/zero", 1 << 20, &fd, hash, &err), -ERR_DATA);
    assert_int_equal(host_process_seal_file("/not/there", 1 << 20, &fd, hash, &err), -ERR_NO_INPUT);
    assert_int_equal(host_process_seal_file("/proc/self/exe", 100, &fd, hash, &err), -ERR_DATA);
    char folder[] = "/tmp/assay_seal_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *fifo = mem_format("%s/fifo", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(host_process_seal_file(fifo, 100, &fd, hash, &err), -ERR_DATA);
    free(fifo);
    file_remove_tree(folder, NULL);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "host") == 0) _exit(host_main(argv[2]));
    struct err err = {0};
    if (host_judge_begin(&err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),       cmocka_unit_test(test_cannot_start),
        cmocka_unit_test(test_ends),        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_stop_family), cmocka_unit_test(test_count_tasks),
        cmocka_unit_test(test_stop_vfork),  cmocka_unit_test(test_stop_dead),
        cmocka_unit_test(test_escaped),     cmocka_unit_test(test_judge_dies),
        cmocka_unit_test(test_environment), cmocka_unit_test(test_seal),
    };
    return run_other_forms(cmocka_run_group_tests(tests, NULL, NULL), argv[0], argc > 1);
}
