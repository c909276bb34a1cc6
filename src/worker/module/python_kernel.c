// SPDX-License-Identifier: Apache-2.0
//
// Kernels written in Python: the interpreter knows them by the number of their side. From prepare on, the
// state is its handle.
#include "worker/module/python_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/mem.h"
#include "op/declared/declared.h"
#include "worker/module/module.h"

#define NAME_BYTES 256

struct python_side {
    struct assay_kernel abi;
    uint32_t number;
    char name[NAME_BYTES], backend[16], version[MODULE_VERSION_BYTES];
};

static const struct python_callbacks *python;

void python_kernel_set_callbacks(const struct python_callbacks *callbacks) {
    python = callbacks;
}

// ---- the kernel's functions ----

static uint64_t handle_of(void *state) {
    return (uint64_t)(uintptr_t)state;
}

static int supports(void *self, const struct assay_problem *problem, struct assay_message *message) {
    return python->supports(((const struct python_side *)self)->number, problem, message);
}

static int prepare(void *self, const struct assay_problem *problem, const struct assay_env *env,
                   void **ret_state, size_t *workspace_bytes, struct assay_message *message) {
    uint64_t handle = 0;
    (void)workspace_bytes;
    const int status =
        python->prepare(((const struct python_side *)self)->number, problem, env, &handle, message);
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

static const struct kernel_maker maker = {
    .supports = supports, .prepare = prepare, .free = free, .hooks = &hooks};

// ---- making one ----

// Whether a callable can be had: by importing it, or by asking for the library that it stands for, whose
// version is then known.
static int load(const struct kernel_source *source, const char *backend, bool is_import,
                char version[MODULE_VERSION_BYTES], struct err *err) {
    const char *callable = source->side->python;
    if (!python)
        return err_set(err, ERR_UNAVAILABLE,
                       "kernel '%s' is written in Python, and this worker is no Python interpreter",
                       callable);
    char text[1024] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    struct strbuf told = {0};
    const struct declared *declared = declared_of(source->op);
    for (size_t i = 0; declared && i < declared->scalar_count; ++i)
        if (declared->scalars[i].is_bool || declared->scalars[i].is_integer)
            comma_addf(&told, "%s=%s", declared->scalars[i].name,
                       declared->scalars[i].is_bool ? "bool" : "int");
    strbuf_addf(&told, "\n%s", declared ? str_or(declared->module, "") : "");
    const int status = is_import ? python->load(source->number, callable, source->side->python_path, backend,
                                                strbuf_text(&told), &message)
                                 : python->find(callable, &message);
    strbuf_fini(&told);
    snprintf(version, MODULE_VERSION_BYTES, "%.*s", MODULE_VERSION_BYTES - 1,
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

static int make(const struct kernel_source *source, const char *backend, bool is_import, struct kernel *ret,
                struct err *err) {
    char version[MODULE_VERSION_BYTES];
    TRY(load(source, backend, is_import, version, err));
    struct python_side *made = mem_alloc(sizeof *made);
    made->number = source->number;
    snprintf(made->name, sizeof made->name, "%s", source->side->python);
    snprintf(made->backend, sizeof made->backend, "%s", backend);
    snprintf(made->version, sizeof made->version, "%s", version);
    made->abi = (struct assay_kernel){.struct_size = sizeof(struct assay_kernel),
                                      .abi_version = ASSAY_ABI_VERSION,
                                      .name = made->name,
                                      .op = source->op->name,
                                      .backend = made->backend,
                                      .launch = launch,
                                      .release = release,
                                      .summary = "written in Python",
                                      .features = "*"}; // the bridge asks the function for its own
    *ret = (struct kernel){.abi = &made->abi, .maker = &maker, .self = made};
    return 0;
}

int python_kernel_make(const struct kernel_source *source, const char *backend, struct kernel *ret,
                       struct err *err) {
    return make(source, backend, true, ret, err);
}

int python_kernel_describe(const struct kernel_source *source, const char *backend, struct kernel *ret,
                           struct err *err) {
    return make(source, backend, source->side->python_path != NULL, ret, err);
}

const char *python_kernel_version(const struct kernel *kernel) {
    return kernel->maker == &maker ? ((const struct python_side *)kernel->self)->version : "";
}
