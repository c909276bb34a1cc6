// SPDX-License-Identifier: Apache-2.0
//
// The PTX of our device kernels, compiled from device_kernels.cu when this program was built; the driver
// compiles it to machine code. Empty without nvcc at build time.
#ifndef DEVICE_DEVICE_KERNEL_TEXT_H
#define DEVICE_DEVICE_KERNEL_TEXT_H

#include <stddef.h>

extern const char assay_device_kernels_ptx[];           // ends with a zero, which is not counted
extern const size_t assay_device_kernels_ptx_bytes;     // 0: built without nvcc
extern const char assay_device_kernels_for_hosts_ptx[]; // without those of operators
extern const char assay_device_kernels_for_fills_ptx[]; // with those of declared operators alone

// The kernels that measure ceilings (ceiling_kernels.cu): PTX for any GPU from sm_80 and from sm_89 on, and
// for sm_90a, whose instructions are in no other. Empty without nvcc.
extern const char assay_ceiling_kernels_sm80[], assay_ceiling_kernels_sm89[], assay_ceiling_kernels_sm90a[];

#endif
