// SPDX-License-Identifier: Apache-2.0
//
// Kernels written in Python as struct assay_kernel. The ABI's supports and prepare do not know which kernel
// they are called for, so every side has functions of its own; from prepare on, the state is the
// interpreter's handle.
#include "worker/module/python_kernel.h"

#include <stdio.h>
#include <string.h>

#include "record/work_order.h"
#include "worker/module/module.h"

#define NAME_BYTES 256

struct python_side {
    struct assay_kernel kernel;
    char name[NAME_BYTES], op[32], backend[16], version[MODULE_VERSION_BYTES];
};

static const struct python_callbacks *python;
static struct python_side sides[WORK_SIDES_MAX]; // the worker is one thread

void python_kernel_set_callbacks(const struct python_callbacks *callbacks) {
    python = callbacks;
}

// ---- the kernel's functions ----

static uint64_t handle_of(void *state) {
    return (uint64_t)(uintptr_t)state;
}

static int prepare(uint32_t side, const struct assay_problem *problem, const struct assay_env *env,
                   void **ret_state, struct assay_message *message) {
    uint64_t handle = 0;
    const int status = python->prepare(side, problem, env, &handle, message);
    if (status == ASSAY_OK && !handle)
        return assay_say(message, ASSAY_FAILED,
                         "the interpreter says that it is prepared, and gives no handle");
    *ret_state = (void *)(uintptr_t)handle;
    return status;
}

static int launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    (void)workspace;
    return python->launch(handle_of(state), tensors, stream, message);
}

static void release(void *state) {
    if (state) python->release(handle_of(state));
}

static int capture_begin(void *state, void *stream, struct assay_message *message) {
    return python->capture_begin(handle_of(state), stream, message);
}

static int capture_end(void *state, void *stream, struct assay_message *message) {
    return python->capture_end(handle_of(state), stream, message);
}

static int outputs_in(void *state, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                      struct assay_message *message) {
    return python->outputs_in(handle_of(state), sets, set_count, stream, message);
}

static int outputs_out(void *state, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                       struct assay_message *message) {
    return python->outputs_out(handle_of(state), sets, set_count, stream, message);
}

static int call_begin(void *state, void *stream, struct assay_message *message) {
    return python->call_begin(handle_of(state), stream, message);
}

static int call_end(void *state, void *stream, struct assay_message *message) {
    return python->call_end(handle_of(state), stream, message);
}

static const struct batch_hooks hooks = {.capture_begin = capture_begin,
                                         .capture_end = capture_end,
                                         .outputs_in = outputs_in,
                                         .outputs_out = outputs_out,
                                         .call_begin = call_begin,
                                         .call_end = call_end};

// ---- functions for every side ----

#define FUNCTIONS_OF(number)                                                                                 \
    static int supports_##number(const struct assay_problem *problem, struct assay_message *message) {       \
        return python->supports(number, problem, message);                                                   \
    }                                                                                                        \
    static int prepare_##number(const struct assay_problem *problem, const struct assay_env *env,            \
                                void **state, size_t *workspace_bytes, struct assay_message *message) {      \
        (void)workspace_bytes;                                                                               \
        return prepare(number, problem, env, state, message);                                                \
    }
FUNCTIONS_OF(0)
FUNCTIONS_OF(1)
FUNCTIONS_OF(2)
FUNCTIONS_OF(3)
FUNCTIONS_OF(4)
FUNCTIONS_OF(5)
FUNCTIONS_OF(6)
FUNCTIONS_OF(7)

static const struct {
    int (*supports)(const struct assay_problem *problem, struct assay_message *message);
    int (*prepare)(const struct assay_problem *problem, const struct assay_env *env, void **state,
                   size_t *workspace_bytes, struct assay_message *message);
} functions[] = {{supports_0, prepare_0}, {supports_1, prepare_1}, {supports_2, prepare_2},
                 {supports_3, prepare_3}, {supports_4, prepare_4}, {supports_5, prepare_5},
                 {supports_6, prepare_6}, {supports_7, prepare_7}};
_Static_assert(sizeof functions / sizeof *functions == WORK_SIDES_MAX, "every side may be a Python kernel");

// ---- making one ----

static int load(const char *callable, const char *path, const char *backend, uint32_t side, bool is_import,
                struct err *err) {
    if (side >= WORK_SIDES_MAX) BUG("side %u of %d", side, WORK_SIDES_MAX);
    if (!python)
        return err_set(err, ERR_UNAVAILABLE,
                       "kernel '%s' is written in Python, and this worker is no Python interpreter",
                       callable);
    char text[1024] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    const int status =
        is_import ? python->load(side, callable, path, backend, &message) : python->find(callable, &message);
    snprintf(sides[side].version, sizeof sides[side].version, "%.*s", MODULE_VERSION_BYTES - 1,
             status == ASSAY_OK && !is_import ? text : "");
    if (status == ASSAY_OK) return 0;
    const char *said = *text ? text : "Python gave no reason";
    if (status == PYTHON_LOAD_UNKNOWN)
        return err_set(err, ERR_USAGE, "Python kernel '%s': %s", callable, said);
    if (status == PYTHON_LOAD_INCOMPLETE)
        return err_set(err, ERR_UNAVAILABLE,
                       "Python kernel '%s': %s; install it for this interpreter, or name another one with "
                       "'python_interpreter' in the manifest",
                       callable, said);
    return err_set(err, ERR_DATA, "Python kernel '%s' cannot be imported: %s", callable, said);
}

static const struct assay_kernel *make(const char *callable, const char *op, const char *backend,
                                       uint32_t side) {
    struct python_side *made = &sides[side];
    snprintf(made->name, sizeof made->name, "%s", callable);
    snprintf(made->op, sizeof made->op, "%s", op);
    snprintf(made->backend, sizeof made->backend, "%s", backend);
    made->kernel = (struct assay_kernel){.struct_size = sizeof(struct assay_kernel),
                                         .abi_version = ASSAY_ABI_VERSION,
                                         .name = made->name,
                                         .op = made->op,
                                         .backend = made->backend,
                                         .supports = functions[side].supports,
                                         .launch = launch,
                                         .prepare = functions[side].prepare,
                                         .release = release,
                                         .summary = "written in Python",
                                         .features = "*"}; // the bridge asks the function for its own
    return &made->kernel;
}

const struct assay_kernel *python_kernel_make(const char *callable, const char *path, const char *op,
                                              const char *backend, uint32_t side, struct err *err) {
    return load(callable, path, backend, side, true, err) < 0 ? NULL : make(callable, op, backend, side);
}

const struct assay_kernel *python_kernel_describe(const char *callable, const char *path, const char *op,
                                                  const char *backend, uint32_t side, struct err *err) {
    return load(callable, path, backend, side, path != NULL, err) < 0 ? NULL
                                                                      : make(callable, op, backend, side);
}

const char *python_kernel_version(const struct assay_kernel *kernel) {
    for (size_t i = 0; i < WORK_SIDES_MAX; ++i)
        if (kernel == &sides[i].kernel) return sides[i].version;
    return "";
}

const struct batch_hooks *python_kernel_hooks(const struct assay_kernel *kernel) {
    return kernel && kernel->launch == launch ? &hooks : NULL;
}
