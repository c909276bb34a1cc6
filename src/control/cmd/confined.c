// SPDX-License-Identifier: Apache-2.0
//
// `assay confined`: runs a program in the sandbox of kernels' processes, loosened by name. `assay tune`
// starts a proposer by it.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "control/cmd/command.h"
#include "worker/host/host_process.h"
#include "worker/host/sandbox.h"

enum { READ_DIRS_MAX = 16, PROCESSES_MAX = 4096 };
#define FILE_BYTES_MAX ((uint64_t)256 << 20)

// confined SCRATCH alone|network DIR... -- PROGRAM ARGUMENT...
struct request {
    const char *scratch_dir;
    bool allows_network;
    const char *read_dirs[READ_DIRS_MAX + 3]; // NULL-terminated
    char **program;
};

static int read_request(int argc, char **argv, struct request *ret, struct err *err) {
    int at = 3, count = 0;
    *ret = (struct request){0};
    while (at < argc && strcmp(argv[at], "--") != 0 && count < READ_DIRS_MAX)
        ret->read_dirs[count++] = argv[at++];
    if (at + 1 >= argc || strcmp(argv[at], "--") != 0)
        return err_set(err, ERR_USAGE,
                       "'assay confined' is started by assay itself, with a folder and a program");
    ret->scratch_dir = argv[1];
    ret->allows_network = strcmp(argv[2], "network") == 0;
    if (ret->allows_network) { // what /etc/resolv.conf is a link to
        ret->read_dirs[count++] = "/run/systemd/resolve";
        ret->read_dirs[count++] = "/run/resolvconf";
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
                                          .read_dirs = request->read_dirs,
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

static int run(const struct command *command, int argc, char **argv) {
    struct request request;
    struct err err = {0};
    (void)command;
    if (read_request(argc, argv, &request, &err) == 0) become(&request, &err);
    fprintf(stderr, "assay: error: %s\n", err.text);
    return err_exit_code(err.code);
}

const struct command command_confined = {
    .name = "confined",
    .summary = "runs a program in the sandbox (started by assay itself)",
    .usage = "assay confined SCRATCH alone|network DIR... -- PROGRAM ARGUMENT...",
    .details = "What a proposer may do: docs/sandbox.md.\n",
    .run = run,
    .is_hidden = true,
};
