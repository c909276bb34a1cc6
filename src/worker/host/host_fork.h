// SPDX-License-Identifier: Apache-2.0
//
// Hosts that are forked from an interpreter which has imported PyTorch already, the fork server
// (peers/assay_fork_server.py). It is a child of the judge that was there before the judge's program was, runs
// no code of any side and has touched no device. It forks a process that enters the host's namespaces, forks
// the host and ends: the host becomes the judge's child, since the judge is a subreaper. So all that
// host_process.c does with a host holds for a forked one.
//
// A request is a memory file that only those forks read, so that what one side is called is in no memory that
// another side's host is copied from. It carries a number, which the answer repeats.
#ifndef WORKER_HOST_HOST_FORK_H
#define WORKER_HOST_HOST_FORK_H

#include "worker/host/host_process.h"

// "DESCRIPTOR:PROCESS" of the server, in the environment that the judge was started with.
#define HOST_FORK_VARIABLE "ASSAY_FORK_SERVER"

// Once, before there are hosts: takes the variable out of the environment.
void host_fork_open(void);
// The server's process; 0: none. It is no host and no orphan.
pid_t host_fork_server(void);
// Whether this host may be forked: there is a server, on the processors that the host is to have.
bool host_fork_may(const struct host_process_spec *spec);
// Returns the host's number, which is set up as one that host_start.c clones and says so by report_fd. 0 with
// errno: the namespaces cannot be had. Negative: the server cannot start it, and a fresh interpreter has to.
pid_t host_fork_start(const struct host_process_spec *spec, int report_fd, unsigned long namespaces);

// It has not answered the last request: no other process may be given the same channel.
bool host_fork_is_lost(void);

// In the forked process, by the interpreter: what a host does between clone and exec (host_start.c). dir NULL:
// the working folder stays. Does not return on an error, which it reports.
__attribute__((visibility("default"))) void assay_python_fork_enter(int channel_fd, int out_fd, int err_fd,
                                                                    int report_fd, uint64_t namespaces,
                                                                    const char *dir);

#endif
