// SPDX-License-Identifier: Apache-2.0
//
// A host: the process that a kernel under test runs in. It is not trusted: it loads one module and does what
// the judge's commands say, and the judge believes nothing that it answers without a check of its own.
#ifndef WORKER_HOST_HOST_MAIN_H
#define WORKER_HOST_HOST_MAIN_H

#include "base/err.h"

struct python_callbacks; // worker/module/python_kernel.h

struct host_setup {
    const char *const
        *read_dirs;        // folders that it may read besides the system's, NULL-terminated; NULL: none
    const struct err *err; // every command gets this as its answer; NULL: nothing is wrong
};

// A host's whole life: commands on HOST_CHANNEL_FD until the judge ends it. setup NULL: of compiled code.
// Returns the exit code.
int host_main(const struct host_setup *setup);

// The same in a Python interpreter; peers/assay_bridge.py calls it. read_dirs: where the interpreter looks
// for modules. callbacks stay until the process ends.
__attribute__((visibility("default"))) int assay_python_host_main(const struct python_callbacks *callbacks,
                                                                  const char *const *read_dirs);

#endif
