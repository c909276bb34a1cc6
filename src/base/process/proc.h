// SPDX-License-Identifier: Apache-2.0
//
// Child processes, each in a process group of its own that dies with it and with us (PR_SET_PDEATHSIG). Two
// uses: run a tool to its end (proc_run), and talk to a worker line by line (struct proc). Output is
// captured; the tail is kept.
#ifndef BASE_PROCESS_PROC_H
#define BASE_PROCESS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/strbuf.h"

enum proc_end {
    PROC_END_INVALID = 0,
    PROC_EXITED,
    PROC_SIGNALED,
    PROC_TIMEOUT,
    PROC_OVER_MEMORY,
    PROC_END_COUNT
};

struct proc_status {
    enum proc_end end;
    int exit_code; // PROC_EXITED
    int signal;    // PROC_SIGNALED
    uint64_t wall_ns;
    bool is_left_behind; // it was still alive 10 s after SIGKILL: in an uninterruptible wait
};

#define PROC_OUTPUTS_MAX 8

struct proc_spec {
    const char *const *argv;       // NULL-terminated; argv[0] is looked up on PATH
    const char *dir;               // working folder, NULL: ours
    const char *const *env;        // complete; NULL: ours, changed by the next two
    const char *const *env_add;    // "NAME=VALUE", NULL-terminated, may be NULL
    const char *const *env_remove; // "NAME", NULL-terminated, may be NULL
    // Where requests go to a fork server, which starts the child in our place (fork_request.h); 0: we do.
    // is_server_program: argv is what the server itself runs, and nothing is executed.
    int fork_server_fd;
    bool is_server_program;
    bool starts_others;  // a build tool: when we are killed, its descendants are killed too
    bool leads_session;  // no terminal; the scheduler gives each session a share (priority.h)
    const int *kept_fds; // stay open in the child under their numbers, which proc_keep_fd gave
    size_t kept_fd_count;
    // Ends of pipes for what else prints, which can be told apart by them. Non-blocking; ours to close from
    // here on.
    const int *more_output_fds;
    size_t more_output_count; // at most PROC_OUTPUTS_MAX
    const char *stdin_text;   // NULL: /dev/null
    size_t stdin_length;
    uint64_t timeout_ns;         // 0: none. After it the whole group gets SIGKILL and is reaped
    size_t output_limit_bytes;   // how much of the END of stdout+stderr is kept; 0: 64 KiB
    uint64_t memory_limit_bytes; // resident memory of the whole group; 0: no limit
};

// Gives a descriptor a number that can be kept in a child, and closes the old one. -1 stays -1 with its
// errno.
int proc_keep_fd(int fd);
// A pipe for proc_spec: *ret_read for more_output_fds, *ret_write for kept_fds. 0, or -1 with errno.
int proc_open_pipe(int *ret_read, int *ret_write);

// Runs to the end. stdout and stderr together (in order of arrival) in *output (caller's strbuf, appended;
// may be NULL). A nonzero exit code is not an error of this function; a program that cannot be started is
// (ERR_UNAVAILABLE).
int proc_run(const struct proc_spec *spec, struct proc_status *ret_status, struct strbuf *output,
             struct err *err);

// As proc_run, but stdout goes to *out and stderr to *err_out.
int proc_run_split(const struct proc_spec *spec, struct proc_status *ret_status, struct strbuf *out,
                   struct strbuf *err_out, struct err *err);

// A child that writes lines to descriptor 3 while it works.
struct proc;

int proc_open(const struct proc_spec *spec, struct proc **ret, struct err *err);
// Waits for the next line on descriptor 3. Returns 1 with *ret_line (valid until the next call, without
// newline), 0 when the child has ended (all lines delivered; call proc_close), negative on an error of
// ours. When deadline_ns passes (an absolute clock_ns() time; 0: none), the group is killed, 0 is returned
// and the status says PROC_TIMEOUT. Lines longer than 64 MiB are an error. While it waits it syncs no
// files and draws nothing, unless proc_on_wait asked to be called several times a second.
int proc_next_line(struct proc *proc, uint64_t deadline_ns, char **ret_line, struct err *err);
void proc_on_wait(struct proc *proc, void (*on_wait)(void *arg), void *arg);
// From now on, in place of memory_limit_bytes.
void proc_limit_memory(struct proc *proc, uint64_t limit_bytes);
void proc_kill(struct proc *proc); // SIGKILL to the group
// Kills and reaps the child and everything left in its group, and frees proc. *ret_tail (may be NULL): the
// end of its stdout+stderr, caller frees.
void proc_close(struct proc *proc, struct proc_status *ret_status, char **ret_tail);
pid_t proc_pid(const struct proc *proc);

// What the child and its group print, while they work. A mark divides what had arrived before the last line
// from the rest; what came at the same time as the line may have been printed after it.
void proc_output_mark(struct proc *proc);
// The end of what arrived after the mark (or at all), as of now; the caller frees. output: PROC_OWN_OUTPUT,
// or number of more_output_fds.
#define PROC_OWN_OUTPUT SIZE_MAX
char *proc_output_tail(struct proc *proc, size_t output);
// The end of all that was printed, in order of arrival; the caller frees.
char *proc_output_all(struct proc *proc);

// The longest time between two looks at the child beyond what a look may wait: this process was stopped, or
// busy with something else.
uint64_t proc_lost_ns(const struct proc *proc);

// "exited with code 3", "killed by signal 11 (Segmentation fault)", "timed out after 60 s".
void proc_status_format(const struct proc_status *status, struct strbuf *out);

#endif
