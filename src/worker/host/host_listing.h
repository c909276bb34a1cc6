// SPDX-License-Identifier: Apache-2.0
//
// What a host says about the kernels of a module: lines of records, which only kernels may be.
#ifndef WORKER_HOST_HOST_LISTING_H
#define WORKER_HOST_HOST_LISTING_H

#include "worker/host/host_channel.h"
#include "worker/module/kernel_describe.h"

struct host_listing {
    const char *name; // of what was loaded
    kernel_describe_fn on_kernel;
    void *arg;
};

// Reads the file that the host has filled, and calls back for every kernel. ERR_DATA when it says anything
// else; the host's own error where its answer is one.
int host_listing_take(int fd, const struct host_answer *answer, const struct host_listing *listing,
                      struct err *err);

#endif
