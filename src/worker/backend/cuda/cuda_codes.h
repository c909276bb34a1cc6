// SPDX-License-Identifier: Apache-2.0
//
// The driver's codes that are known here: one table of what each means and what to try.
#ifndef WORKER_BACKEND_CUDA_CUDA_CODES_H
#define WORKER_BACKEND_CUDA_CUDA_CODES_H

#include <stdbool.h>

#include "worker/backend/backend.h"
#include "worker/backend/cuda/cuda_driver.h"

struct cuda_code {
    cuda_result code;
    enum device_loss loss; // of a context that it has broken; DEVICE_LOSS_NONE stands for DEVICE_LOSS_OTHER
    const char *remedy;    // after a call of ours: what to try; NULL: nothing better than the driver's words
    const char *meaning;   // after a launch of a kernel: what it did; NULL: not a kernel's doing
};

const struct cuda_code *cuda_code_find(cuda_result code); // NULL: not known here
// Of a capture that went wrong: the stream is sound again once it has ended.
bool cuda_code_is_of_capture(cuda_result code);

#endif
