// SPDX-License-Identifier: Apache-2.0
//
// Private to the files fake_cuda*.c: a CUDA driver without a GPU. tests/fakes/README.md says what it does and
// how a test scripts it. Misuse that fails on a GPU fails here too: handles are checked, and an error of a
// launch breaks the context.
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdbool.h>

#include "worker/backend/cuda/cuda_driver.h"

#pragma GCC diagnostic ignored                                                                               \
    "-Wmissing-prototypes" // NVIDIA's names are found by dlsym, nobody declares them
#define FAKE_EXPORT __attribute__((visibility("default")))

enum {
    FAKE_INVALID_VALUE = 1,
    FAKE_NOT_INITIALIZED = 3,
    FAKE_INVALID_DEVICE = 101,
    FAKE_INVALID_CONTEXT = 201,
    FAKE_INVALID_HANDLE = 400,
    FAKE_NOT_FOUND = 500,
    FAKE_NOT_READY = 600,
    FAKE_NOT_SUPPORTED = 801,
    FAKE_CAPTURE_UNSUPPORTED = 900,
    FAKE_CAPTURE_INVALIDATED = 901,
    FAKE_CAPTURE_UNJOINED = 904,
    FAKE_CAPTURE_IMPLICIT = 906,
};

#define FAKE_LIMITS     8
#define FAKE_COPY_BYTES 1024

struct cuda_context_opaque {
    cuda_device_ordinal ordinal;
    int retain_count;
    size_t limits[FAKE_LIMITS];
};

// $ASSAY_FAKE_CUDA: "devices=2,version=13000,capability=90,memory_mib=4096,l2_kib=1024,late_us=0,call_ns=0,
// fail=<member>:<call>:<code>,lost=<file>,copies=<file>", without the line break.
struct fake_script {
    int device_count, version, capability; // 90: sm_90
    size_t memory_bytes, l2_bytes;
    // Virtual time of events: every host function adds this, plus or minus 0.3 %. 0: real time.
    uint64_t call_ns;
    int compute_mode;    // 0: several processes
    bool shares_nothing; // memory cannot be shared
    // For the real time: a spin takes its time, and a host function this long at least, whatever the caches
    // hold.
    bool spins_wait;
    uint64_t least_ns;
    unsigned late_us;      // how long the device stays busy after every stream is done
    unsigned late_waits;   // so many waits in a row see that, then one does not; 0: all do
    char lost_file[512];   // created when the device is lost; while it exists no process finds a device
    char copies_file[512]; // gets a line for every copy of FAKE_COPY_BYTES or more to or from the host
};
const struct fake_script *fake_script(void);

// Called first in every function of the driver: the error that the script sets for this call, or the one
// that broke the context.
cuda_result fake_enter(const char *member);
// The same for functions that work in a broken context.
cuda_result fake_enter_always(const char *member);

// Breaks the context: every later call fails with this code.
void fake_break(cuda_result code);
cuda_result fake_broken(void);
cuda_context fake_current(void); // NULL: none

// fake_cuda_memory.c: device memory that kernels and copies may use.
bool fake_memory_add(uintptr_t address, size_t bytes);
bool fake_memory_remove(uintptr_t address, size_t bytes);
bool fake_memory_take(size_t bytes); // of what the device has; false: there is no more
void fake_memory_give(size_t bytes);

// fake_cuda_stream.c
void fake_pass_call(void); // a host function has run
FAKE_EXPORT void fake_cuda_spend(uint64_t duration_ns);
cuda_result fake_enqueue(cuda_stream stream, void (*run)(void *arg), const void *arg, size_t arg_bytes);
void fake_drain_all(void);     // runs everything that is enqueued
void fake_drain_context(void); // runs what is enqueued on streams of the current context
bool fake_take_work(void);     // whether anything has run since the last call of this function
bool fake_is_capturing(void);  // on any stream

// A member of the driver's table, exported by NVIDIA's name.
#define FAKE_ENTER(member)                                                                                   \
    do {                                                                                                     \
        cuda_result fake_code_ = fake_enter(#member);                                                        \
        if (fake_code_) return fake_code_;                                                                   \
    } while (0)

#endif
