// SPDX-License-Identifier: Apache-2.0
//
// What a fork server is asked for (peers/assay_fork_server.py): a child of ours, which it forks in our place.
#ifndef BASE_PROCESS_FORK_REQUEST_H
#define BASE_PROCESS_FORK_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"

enum { FORK_REQUEST_FDS_MAX = 32 };

struct fork_request {
    const char *program; // what execve takes
    char *const *argv, *const *env;
    const char *dir; // working folder; NULL: the server's
    pid_t parent;    // us
    bool leads_session;
    bool is_executed; // false: the server runs argv itself, {interpreter, "-u", program, ...}
    size_t fd_count;
    int fds[FORK_REQUEST_FDS_MAX], targets[FORK_REQUEST_FDS_MAX];
};

// fd is found under the number target; -1: it is the report, which ends when the program has been started.
void fork_request_add(struct fork_request *request, int fd, int target);
// Waits for the answer. Returns the child, which is ours, with the process that it was given as a helper (0:
// none); -1 with errno.
pid_t fork_request_send(const struct fork_request *request, int server_fd, pid_t *ret_helper);

// The messages below that: a memory file, and descriptors behind it, at most FORK_REQUEST_FDS_MAX. The server
// reads none of it; what it forks does. 0, or -1 with errno.
int fork_message_send(int server_fd, uint32_t number, const struct strbuf *text, const int *fds,
                      size_t count);
// "NUMBER PROCESS VALUE" with that number, of which it waits a minute. 0, or -1 with errno.
int fork_message_receive(int server_fd, uint32_t number, long *ret_pid, long *ret_value);
// Adds a text and its final zero.
void fork_message_add(struct strbuf *out, const char *item);

#endif
