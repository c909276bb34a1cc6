// SPDX-License-Identifier: Apache-2.0
//
// Inputs of declared operators on the device.
#ifndef OP_DECLARED_DEVICE_DECLARED_CUH
#define OP_DECLARED_DEVICE_DECLARED_CUH

#include "device/device_kernel_entry.cuh"
#include "op/declared/device_declared_core.h"

ENTRY(declared_fill) {
    const uint64_t blocks = (args.count + DEV_RANDOM_WORDS - 1) / DEV_RANDOM_WORDS;
    for (uint64_t i = thread_first(); i < blocks; i += thread_count()) dev_declared_fill_block(&args, i);
}

#endif
