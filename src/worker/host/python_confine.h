// SPDX-License-Identifier: Apache-2.0
//
// The sandbox of hosts for an interpreter that runs a user's file and is no host: peers/assay_declare.py.
#ifndef WORKER_HOST_PYTHON_CONFINE_H
#define WORKER_HOST_PYTHON_CONFINE_H

#include <stddef.h>
#include <stdint.h>

// From here on this process and what it starts read the system and read_dirs (NULL-terminated), write
// scratch_dir and reach no network; private memory is limited, 0: not, and GPUs are there. Called with one
// thread. Negative: why is in text. Where the system can confine less, less holds (docs/sandbox.md).
__attribute__((visibility("default"))) int assay_python_confine(const char *scratch_dir,
                                                                const char *const *read_dirs,
                                                                uint64_t memory_limit_bytes, char *text,
                                                                size_t capacity);

#endif
