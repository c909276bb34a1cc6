// SPDX-License-Identifier: Apache-2.0
//
// The program text of our device kernels on the device: PTX, compiled from device_kernels.cu when this
// program was built and made machine code by the driver. Without nvcc at build time it is empty.
#ifndef DEVICE_DEVICE_KERNEL_TEXT_H
#define DEVICE_DEVICE_KERNEL_TEXT_H

#include <stddef.h>

extern const char assay_device_kernels_ptx[];       // ends with a zero, which is not counted
extern const size_t assay_device_kernels_ptx_bytes; // 0: built without nvcc

#endif
