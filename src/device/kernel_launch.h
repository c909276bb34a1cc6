// SPDX-License-Identifier: Apache-2.0
//
// One launch of a device kernel of ours (device_kernels.cu): which kernel, how many blocks, and its one
// argument, a struct of device_kernel_args.h. Filled by the code that needs the computation (op/: inputs
// and oracle, check/: comparisons, backend/: clocks); a backend launches it without knowing what it does.
// Plain data: no pointers into itself, copied freely.
#ifndef DEVICE_KERNEL_LAUNCH_H
#define DEVICE_KERNEL_LAUNCH_H

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEVICE_ARGS_BYTES 512

struct kernel_launch {
    const char *entry;     // "assay_fill_normal"; a string that lives as long as the PTX
    uint32_t grid[3];      // blocks, all > 0
    uint32_t block;        // threads of a block
    uint32_t shared_bytes; // dynamic shared memory of a block
    uint32_t args_bytes;
    alignas(16) unsigned char args[DEVICE_ARGS_BYTES];
};

// entry: a literal. args: a struct of device_kernel_args.h, at most DEVICE_ARGS_BYTES.
static inline struct kernel_launch kernel_launch_make(const char *entry, uint32_t blocks, uint32_t threads,
                                                      const void *args, size_t args_bytes) {
    struct kernel_launch launch = {
        .entry = entry, .grid = {blocks, 1, 1}, .block = threads, .args_bytes = (uint32_t)args_bytes};
    assert(args_bytes <= DEVICE_ARGS_BYTES);
    memcpy(launch.args, args, args_bytes);
    return launch;
}

// Blocks for so many parts of work, a part each; from a limit on a block works on several.
static inline uint32_t kernel_launch_blocks(int64_t parts) {
    const int64_t most = 1 << 20;
    return parts < 1 ? 1 : parts > most ? (uint32_t)most : (uint32_t)parts;
}

#endif
