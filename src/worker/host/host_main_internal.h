// SPDX-License-Identifier: Apache-2.0
//
// The host's commands without its loop, its channel and its sandbox: for the loop, and to be fed with any
// bytes (tests/fuzz/fuzz_host_request.c).
#ifndef WORKER_HOST_HOST_MAIN_INTERNAL_H
#define WORKER_HOST_HOST_MAIN_INTERNAL_H

#include "base/err.h"
#include "worker/host/host_channel.h"

struct host_state;

struct host_state *host_state_new(void);
// Releases the kernel and closes the device; accepts NULL.
void host_state_free(struct host_state *host);
// The order from its file, which stays open; then the device and the kernel of its side. In between a host
// enters its sandbox.
int host_state_read(struct host_state *host, int order_fd, struct err *err);
int host_state_load(struct host_state *host, uint32_t side, struct err *err);
// Does what the request says, closes its descriptors, and fills the whole answer.
void host_serve(struct host_state *host, const struct host_request *request, struct host_fds *fds,
                struct host_answer *answer);

#endif
