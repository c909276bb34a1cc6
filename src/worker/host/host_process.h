// SPDX-License-Identifier: Apache-2.0
//
// A host as the judge sees it: a child that loads a module, is stopped while another one is timed, and is
// ended with everything it started. Where the system allows it the host is process 1 of a PID namespace of
// its own (as root, else in a user namespace) with its own /proc; else a plain child, and orphans come to
// the judge. All calls come from the judge's main thread, which also started the host: the host gets
// SIGKILL when that thread ends.
//
// Process 1 of a namespace ignores signals that it sends to itself and has no handler for: abort() then
// ends by SIGSEGV, raise(SIGTERM) does nothing. A host's main therefore installs handlers for what it wants
// to see. Faults (SIGSEGV, SIGFPE, SIGILL, SIGBUS) and signals from the judge work as always.
#ifndef WORKER_HOST_HOST_PROCESS_H
#define WORKER_HOST_HOST_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/process/proc.h"
#include "base/sha256.h"

// The host's end of the channel.
#define HOST_CHANNEL_FD 3

struct host_process_spec {
    const char *const *argv; // NULL-terminated; argv[0] is a path and not looked up
    const char *const *env;  // complete, NULL-terminated: clean_environment_new
    const char *dir;         // working folder; NULL: ours
    int channel_fd; // becomes descriptor 3; a stream or seqpacket socket, never a datagram one (those can
                    // be sent anywhere). Descriptors above 3 are closed
    int output_fd;  // becomes descriptors 1 and 2; 0: ours stay
    const cpu_set_t *cpus; // where it may run; NULL: as the judge's main thread
    size_t cpus_bytes;
    // "module:function" of an interpreter's host and the folder that it is imported from (NULL: the one of
    // argv[2]); NULL: no interpreter. Where a fork server has imported what the module does, the host is forked
    // from it and argv from the third on is what it runs (host_fork.h).
    const char *callable, *callable_dir;
};

struct host_process;

// Once, first thing in the judge, before it has threads: orphans come to it (subreaper), its memory is
// closed to processes of the same user (not dumpable), SIGCHLD is blocked (host_process_stop waits for it).
int host_judge_begin(struct err *err);

int host_process_start(const struct host_process_spec *spec, struct host_process **ret, struct err *err);
pid_t host_process_pid(const struct host_process *host); // the judge's number of it
// Readable (poll) when the host has ended; -1 on kernels without pidfd_open.
int host_process_fd(const struct host_process *host);
bool host_process_has_pid_namespace(const struct host_process *host);

// The host's filter holds and allows no programs (its report, before the module is loaded): from now on
// nobody looks for descendants. Checked against /proc; returns whether it took effect.
bool host_process_set_never_forks(struct host_process *host);
// How many filters all of its threads have beyond the judge's own: 2 after sandbox_enter, 3 after
// sandbox_tighten. -1 unknown (Linux before 5.9).
int host_process_filters(const struct host_process *host);

// Stops all threads of the host and of its descendants, and returns when none can run its own code: 0, or
// negative when it has ended or does not stop within 10 s. Tens of microseconds after
// host_process_set_never_forks, else those of reading /proc besides. The kernel's last steps in a thread may
// show on its clock for some microseconds more.
int host_process_stop(struct host_process *host, struct err *err);
void host_process_continue(struct host_process *host);
// Processor time of the host's threads, living and ended, without its descendants'. 0 when it is gone.
uint64_t host_process_cpu_ns(const struct host_process *host);
// Threads of any process, and those that run or wait for a processor. 0 where that is not known.
size_t host_process_thread_count(pid_t pid);
size_t host_process_runnable_threads(pid_t pid);
// Resident memory of the host and its descendants. Shared memory counts in each.
uint64_t host_process_memory_bytes(struct host_process *host);
size_t host_process_count_descendants(struct host_process *host);
// Threads of the host and of its descendants: what counts against the most that a host may have. Nested teams
// of OpenMP on 256 processors have hundreds; the system's own limit for all programs is 32768 or more.
#define HOST_TASKS_MAX 8192
size_t host_process_count_tasks(struct host_process *host);
// The host and its descendants; the caller frees. Returns how many.
size_t host_process_list(struct host_process *host, pid_t **ret_pids);
void host_process_kill_descendants(struct host_process *host);

// Whether it has ended, without reaping it.
bool host_process_has_ended(const struct host_process *host, struct proc_status *ret_status);
// Lets the host go on (if stopped) and waits until deadline_ns (absolute clock_ns time; 0: none is given,
// it is killed at once), then SIGKILL. Ends and reaps whatever it left, and frees host. *ret_status (may be
// NULL): PROC_TIMEOUT when it had to be killed. Accepts NULL. Returns how many descendants had to be
// killed.
size_t host_process_end(struct host_process *host, uint64_t deadline_ns, struct proc_status *ret_status);

// Reads a regular file into a memory file that nobody can change any more (sealed), with the hash of what
// was read (as sha256_file_hex). The module is loaded from /proc/self/fd/N of it.
int host_process_seal_file(const char *path, size_t limit_bytes, int *ret_fd, char ret_hash[SHA256_HEX_BYTES],
                           struct err *err);

#endif
