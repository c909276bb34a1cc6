// SPDX-License-Identifier: Apache-2.0
//
// Kernels written in Python. Only a Python worker has them: an interpreter that loaded libassay_worker.so and
// gave it the callbacks below (peers/assay_bridge.py).
#ifndef WORKER_MODULE_PYTHON_KERNEL_H
#define WORKER_MODULE_PYTHON_KERNEL_H

#include "base/strbuf.h"
#include "worker/module/kernel.h"

// Results of load besides ASSAY_OK.
enum python_load {
    PYTHON_LOAD_UNKNOWN = 101,    // no such module or function
    PYTHON_LOAD_INCOMPLETE = 102, // it imports a module that is not installed
    PYTHON_LOAD_RAISED = 103      // it raised while it was imported
};

// The interpreter's functions, one struct for the life of the process. All return an enum assay_status (load:
// or an enum python_load), with Python's words in the message. A handle stands for a prepared kernel; it is
// never 0.
struct python_callbacks {
    uint32_t struct_size;
    uint32_t reserved;
    const char *layout; // python_kernel_layout's text, as the interpreter has it
    // told: of scalars of its operator that are no floating-point numbers, "causal=bool, top=int", and in the
    // lines below that what struct declared has as `module`.
    int (*load)(uint32_t side, const char *callable, const char *path, const char *backend, const char *told,
                struct assay_message *message);
    int (*supports)(uint32_t side, const struct assay_problem *problem, struct assay_message *message);
    int (*prepare)(uint32_t side, const struct assay_problem *problem, const struct assay_env *env,
                   uint64_t *ret_handle, struct assay_message *message);
    int (*launch)(uint64_t handle, const struct assay_tensors *tensors, void *stream,
                  struct assay_message *message);
    void (*release)(uint64_t handle);
    int (*capture_begin)(uint64_t handle, void *stream, struct assay_message *message);
    int (*capture_end)(uint64_t handle, void *stream, struct assay_message *message);
    int (*outputs_in)(uint64_t handle, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                      struct assay_message *message);
    int (*outputs_out)(uint64_t handle, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                       struct assay_message *message);
    int (*call_begin)(uint64_t handle, void *stream, struct assay_message *message);
    int (*call_end)(uint64_t handle, void *stream, struct assay_message *message);
    // Whether load is likely to succeed, with the version of what the callable stands for. A module that
    // comes with assay answers without being imported.
    int (*find)(const char *callable, struct assay_message *message);
};

// Offsets and sizes of all structs that C and Python share, the names of types and roles, the values of
// status codes.
void python_kernel_layout(struct strbuf *out);
// ERR_UNAVAILABLE, with the first difference, if the interpreter's functions are of another version of this
// library.
int python_kernel_check_callbacks(const struct python_callbacks *callbacks, struct err *err);

// Makes this process a Python worker. NULL: makes it a plain one again (tests).
void python_kernel_set_callbacks(const struct python_callbacks *callbacks);

// The kernel of a side that names a callable, on that backend ("cuda", "cpu"). Borrows the operator.
// ERR_UNAVAILABLE: this is not a Python worker, or the module imports one that is not installed; ERR_USAGE:
// no such module or function; ERR_DATA: it raised while it was imported; all with Python's words.
int python_kernel_make(const struct kernel_source *source, const char *backend, struct kernel *ret,
                       struct err *err);
// The same for a query that launches nothing: assay's own peers (without a python_path) are not imported,
// because importing PyTorch takes seconds.
int python_kernel_describe(const struct kernel_source *source, const char *backend, struct kernel *ret,
                           struct err *err);
// What find said of its version; "" when nothing.
const char *python_kernel_version(const struct kernel *kernel);

#endif
