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

#include "base/str.h"
#include "control/cmd/command.h"
#include "worker/host/host_process.h"
#include "worker/host/sandbox.h"

enum { READ_PATHS_MAX = 64, PROCESSES_MAX = 4096, EXIT_LATE = 124, EXIT_SIGNALED = 128 };
#define FILE_BYTES_MAX ((uint64_t)256 << 20)

struct request {
    const char *scratch_dir;
    bool allows_network;
    unsigned long long memory_bytes, seconds;   // 0: no limit
    const char *read_paths[READ_PATHS_MAX + 3]; // NULL-terminated
    char **program;
};

// A path, or what is loosened or limited. False: neither.
static bool read_word(const char *word, struct request *request, size_t *path_count) {
    if (*word == '/' && *path_count < READ_PATHS_MAX) {
        request->read_paths[(*path_count)++] = word;
        return true;
    }
    if (str_equal(word, "network")) return request->allows_network = true;
    if (str_starts(word, "memory="))
        return str_parse_u64(word + strlen("memory="), &request->memory_bytes) == 0;
    return str_starts(word, "seconds=") && str_parse_u64(word + strlen("seconds="), &request->seconds) == 0;
}

static int read_request(int argc, char **argv, struct request *ret, struct err *err) {
    int at = 2;
    size_t count = 0;
    *ret = (struct request){0};
    while (at < argc && strcmp(argv[at], "--") != 0 && read_word(argv[at], ret, &count)) ++at;
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
    char **env = host_environment_new(request->scratch_dir, NULL);
    execvpe(request->program[0], request->program, env);
    const int error = errno;
    host_environment_free(env);
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

// Runs the program in a group of its own, which it cannot leave. What is left of that after the time, or when
// the program has ended, is killed.
static int supervise(const struct request *request, struct err *err) {
    const struct timespec limit = {.tv_sec = (time_t)request->seconds};
    const pid_t parent = getpid();
    sigset_t ends;
    int status = 0;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    const pid_t child = fork();
    if (child < 0) return err_set_errno(err, ERR_UNAVAILABLE, "cannot start '%s'", request->program[0]);
    if (child == 0) run_child(request, parent);
    setpgid(child, child); // whoever runs first
    const bool is_late = sigtimedwait(&ends, NULL, &limit) < 0;
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
