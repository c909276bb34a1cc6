// SPDX-License-Identifier: Apache-2.0
//
// Inputs of declared operators on the device.
#ifndef OP_DECLARED_DEVICE_DECLARED_CUH
#define OP_DECLARED_DEVICE_DECLARED_CUH

#include "device/device_kernel_entry.cuh"
#include "op/declared/device_declared_core.h"

ENTRY(declared_fill) {
    const uint64_t parts = dev_declared_part_count(&args);
    for (uint64_t i = thread_first(); i < parts; i += thread_count()) dev_declared_fill_part(&args, i);
}

#endif
