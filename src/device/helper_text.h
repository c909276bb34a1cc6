// SPDX-License-Identifier: Apache-2.0
//
// The program text of our helpers on the device: PTX, compiled from helpers.cu when this program was built and made machine
// code by the driver. Without nvcc at build time it is empty.
#ifndef DEVICE_HELPER_TEXT_H
#define DEVICE_HELPER_TEXT_H

#include <stddef.h>

extern const char assay_helpers_ptx[];       // ends with a zero, which is not counted
extern const size_t assay_helpers_ptx_bytes; // 0: built without nvcc

#endif
