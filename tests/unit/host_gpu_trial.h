// SPDX-License-Identifier: Apache-2.0
//
// Asks the CUDA driver, where there is one and a device, for a context, memory and a copy there and back.
#ifndef TESTS_UNIT_HOST_GPU_TRIAL_H
#define TESTS_UNIT_HOST_GPU_TRIAL_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct gpu_driver {
    int (*init)(unsigned);
    int (*retain)(void **, int);
    int (*use)(void *);
    int (*allocate)(uint64_t *, size_t);
    int (*put)(uint64_t, const void *, size_t);
    int (*get)(void *, uint64_t, size_t);
};

static inline bool gpu_find(void *library, const char *name, void *function, size_t bytes) {
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, bytes);
    return symbol;
}

static inline bool gpu_driver_works(void) {
    struct gpu_driver driver;
    enum { NO_DEVICE = 100 };
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
    if (!library) return true;
    if (!gpu_find(library, "cuInit", &driver.init, sizeof driver.init) ||
        !gpu_find(library, "cuDevicePrimaryCtxRetain", &driver.retain, sizeof driver.retain) ||
        !gpu_find(library, "cuCtxSetCurrent", &driver.use, sizeof driver.use) ||
        !gpu_find(library, "cuMemAlloc_v2", &driver.allocate, sizeof driver.allocate) ||
        !gpu_find(library, "cuMemcpyHtoD_v2", &driver.put, sizeof driver.put) ||
        !gpu_find(library, "cuMemcpyDtoH_v2", &driver.get, sizeof driver.get))
        return false;
    uint64_t memory = 0;
    int there = 42, back = 0;
    int codes[6] = {driver.init(0)};
    if (codes[0] == NO_DEVICE && access("/dev/nvidiactl", F_OK) < 0) return true;
    codes[1] = driver.retain(&context, 0);
    codes[2] = driver.use(context);
    codes[3] = driver.allocate(&memory, sizeof there);
    codes[4] = driver.put(memory, &there, sizeof there);
    codes[5] = driver.get(&back, memory, sizeof back);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
        if (codes[i] != 0) fprintf(stderr, "the driver answers %d in step %zu\n", codes[i], i);
    return back == there;
}

#endif
