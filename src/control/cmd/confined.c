// SPDX-License-Identifier: Apache-2.0
//
// `assay confined`: runs a program in the sandbox of kernels' processes, loosened by name. `assay tune`
// starts a proposer by it, and the compilers of what it proposed.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/clean_environment.h"
#include "base/str.h"
#include "control/cmd/command.h"
#include "worker/host/host_process.h"
#include "worker/host/sandbox.h"

enum { READ_PATHS_MAX = 64, PROCESSES_MAX = 4096, EXIT_LATE = 124, EXIT_SIGNALED = 128 };
#define FILE_BYTES_MAX ((uint64_t)256 << 20)
#define SECOND_NS      UINT64_C(1000000000)
#define SECONDS_MAX    (UINT64_MAX / SECOND_NS / 2)

struct request {
    const char *scratch_dir;
    bool allows_network;
    unsigned long long memory_bytes, seconds;   // 0: no limit
    const char *read_paths[READ_PATHS_MAX + 3]; // NULL-terminated
    char **program;
};

static int add_path(const char *path, struct request *request, size_t *count, struct err *err) {
    for (size_t i = 0; i < *count; ++i)
        if (str_equal(request->read_paths[i], path)) return 0;
    if (*count == READ_PATHS_MAX)
        return err_set(
            err, ERR_USAGE,
            "more than %d files and folders to read: '%s'; let the manifest's flags name fewer, such "
            "as one folder that holds them",
            READ_PATHS_MAX, path);
    request->read_paths[(*count)++] = path;
    return 0;
}

// What is loosened or limited. False: the word is none of these.
static bool read_word(const char *word, struct request *request) {
    if (str_equal(word, "network")) return request->allows_network = true;
    if (str_starts(word, "memory="))
        return str_parse_u64(word + strlen("memory="), &request->memory_bytes) == 0;
    return str_starts(word, "seconds=") && str_parse_u64(word + strlen("seconds="), &request->seconds) == 0 &&
           request->seconds <= SECONDS_MAX;
}

static int read_request(int argc, char **argv, struct request *ret, struct err *err) {
    int at = 2;
    size_t count = 0;
    *ret = (struct request){0};
    for (; at < argc && strcmp(argv[at], "--") != 0; ++at)
        if (*argv[at] == '/')
            TRY(add_path(argv[at], ret, &count, err));
        else if (!read_word(argv[at], ret))
            break;
    if (at + 1 >= argc || strcmp(argv[at], "--") != 0)
        return err_set(err, ERR_USAGE,
                       "'assay confined' is started by assay itself, with a folder and a program");
    ret->scratch_dir = argv[1];
    if (ret->allows_network) { // what /etc/resolv.conf is a link to
        ret->read_paths[count++] = "/run/systemd/resolve";
        ret->read_paths[count++] = "/run/resolvconf";
    }
    ret->program = argv + at + 1;
    return 0;
}

// Comes back only when it fails.
static int become(const struct request *request, struct err *err) {
    const struct rlimit processes = {PROCESSES_MAX, PROCESSES_MAX}; // of this user
    const struct sandbox_policy policy = {.allows_programs = true,
                                          .allows_network = request->allows_network,
                                          .scratch_dir = request->scratch_dir,
                                          .read_dirs = request->read_paths,
                                          .memory_limit_bytes = request->memory_bytes,
                                          .file_limit_bytes = FILE_BYTES_MAX};
    struct sandbox_report report;
    setrlimit(RLIMIT_NPROC, &processes); // a lower limit stands
    TRY(sandbox_enter(&policy, &report, err));
    if (!report.landlock_abi)
        return err_set(err, ERR_UNAVAILABLE,
                       "this kernel has no Landlock, so a program could write anywhere; use another machine");
    char **env = clean_environment_new(request->scratch_dir, NULL, true);
    execvpe(request->program[0], request->program, env);
    const int error = errno;
    clean_environment_free(env);
    errno = error;
    return err_set_errno(err, ERR_UNAVAILABLE, "cannot start '%s'", request->program[0]);
}

static int fail(const struct err *err) {
    fprintf(stderr, "assay: error: %s\n", err->text);
    return err_exit_code(err->code);
}

static _Noreturn void run_child(const struct request *request, pid_t parent) {
    struct err err = {0};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_LATE);
    become(request, &err);
    exit(fail(&err));
}

// Waits for a SIGCHLD, which is blocked; false: there was none until end_ns. That this process was stopped
// and goes on interrupts the wait and no more.
static bool wait_for_child(const sigset_t *ends, uint64_t end_ns) {
    int got;
    do {
        const uint64_t now_ns = clock_ns(), left_ns = now_ns < end_ns ? end_ns - now_ns : 0;
        const struct timespec left = {.tv_sec = (time_t)(left_ns / SECOND_NS),
                                      .tv_nsec = (long)(left_ns % SECOND_NS)};
        got = sigtimedwait(ends, NULL, &left);
    } while (got < 0 && errno == EINTR);
    return got > 0 || errno != EAGAIN;
}

// Runs the program in a group of its own, which it cannot leave. What is left of that after the time, or when
// the program has ended, is killed.
static int supervise(const struct request *request, struct err *err) {
    const struct sigaction only_ends = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
    const uint64_t end_ns = clock_ns() + request->seconds * SECOND_NS;
    const pid_t parent = getpid();
    sigset_t ends;
    int status = 0;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigaction(SIGCHLD, &only_ends, NULL); // that the child was stopped is no news
    sigprocmask(SIG_BLOCK, &ends, NULL);
    const pid_t child = fork();
    if (child < 0) return err_set_errno(err, ERR_UNAVAILABLE, "cannot start '%s'", request->program[0]);
    if (child == 0) run_child(request, parent);
    setpgid(child, child); // whoever runs first
    const bool is_late = !wait_for_child(&ends, end_ns);
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (is_late) {
        fprintf(stderr, "assay: '%s' was ended: it ran for more than %llu s\n", request->program[0],
                request->seconds);
        return EXIT_LATE;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SIGNALED + WTERMSIG(status);
}

static int run(const struct command *command, int argc, char **argv) {
    struct request request;
    struct err err = {0};
    (void)command;
    int code = read_request(argc, argv, &request, &err);
    if (code == 0) code = request.seconds ? supervise(&request, &err) : become(&request, &err);
    return code < 0 ? fail(&err) : code;
}

const struct command command_confined = {
    .name = "confined",
    .summary = "runs a program in the sandbox (started by assay itself)",
    .usage = "assay confined SCRATCH [network] [memory=BYTES] [seconds=N] PATH... -- PROGRAM ARGUMENT...",
    .details = "What a proposer, and a compiler of what it proposed, may do: docs/sandbox.md.\n",
    .run = run,
    .is_hidden = true,
};
