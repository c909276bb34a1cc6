// SPDX-License-Identifier: Apache-2.0
//
// Calls a kernel's supports, prepare, launch and release, in that order, and turns their statuses into
// results.
#include "worker/check/kernel_instance.h"

#include <stdio.h>
#include <string.h>

#include "worker/check/device_scratch.h"
#include "worker/module/python_kernel.h"

#define WORKSPACE_ALIGNMENT 256 // what the ABI promises
#define NO_REASON           "the kernel gives no reason"
#define LATE_TRIES          3
#define WORKSPACE_BYTES_MAX ((size_t)1 << 40)

static const char *status_name(int status) {
    switch (status) {
    case ASSAY_UNSUPPORTED: return "ASSAY_UNSUPPORTED";
    case ASSAY_INVALID_CONFIG: return "ASSAY_INVALID_CONFIG";
    case ASSAY_FAILED: return "ASSAY_FAILED";
    default: return "a status that the ABI does not know";
    }
}

// A message is one line wherever it is shown: the lines of a kernel's message are joined by "; ".
static void fold_lines(const char *text, char *ret, size_t capacity) {
    size_t length = 0;
    for (const char *at = text; *at && length + 3 < capacity; ++at) {
        const bool is_end = *at == '\n' || *at == '\r';
        if (!is_end)
            ret[length++] = *at;
        else if (length && at[strspn(at, "\r\n")] && ret[length - 1] != ' ') {
            ret[length++] = ';';
            ret[length++] = ' ';
        }
    }
    ret[length] = 0;
}

__attribute__((format(printf, 3, 4))) static void fail(struct check_result *result, enum finding finding,
                                                       const char *format, ...) {
    result->outcome = OUTCOME_FAIL;
    result->finding = finding;
    va_list args;
    va_start(args, format);
    vsnprintf(result->message, sizeof result->message, format, args);
    va_end(args);
}

// The text of a Python exception says more than the status that it is turned into.
static void fail_callback(const struct assay_kernel *kernel, struct check_result *result,
                          const char *callback, int status, const char *text) {
    char line[sizeof result->message - 80]; // room for the text before it
    fold_lines(text, line, sizeof line);
    if (*line && status == ASSAY_FAILED && python_kernel_hooks(kernel))
        fail(result, FINDING_LAUNCH_FAILED, "%s: %s", callback, line);
    else
        fail(result, FINDING_LAUNCH_FAILED, "%s returned %s (%d)%s%s", callback, status_name(status), status,
             *line ? ": " : "", line);
}

// supports or prepare did not return ASSAY_OK.
static void end_unready(const struct assay_kernel *kernel, struct check_result *result, const char *callback,
                        int status, const char *text) {
    if (status != ASSAY_UNSUPPORTED) {
        fail_callback(kernel, result, callback, status, text);
        return;
    }
    result->outcome = OUTCOME_UNSUPPORTED;
    fold_lines(*text ? text : NO_REASON, result->message, sizeof result->message);
}

static int open_workspace(struct kernel_instance *instance, struct err *err) {
    struct buffer_spec spec = {
        .label = "workspace", .bytes = instance->workspace_bytes, .alignment = WORKSPACE_ALIGNMENT};
    TRY(instance->device->backend->buffer_alloc(instance->device, &spec, &instance->workspace, err));
    // NaN of every float type: contents are undefined
    if (instance->device->backend->work)
        return device_step_pattern(instance->device, instance->workspace.data, instance->workspace_bytes,
                                   UINT64_MAX, err);
    memset(instance->workspace.host, 0xff, instance->workspace_bytes);
    return instance->device->backend->buffer_upload(instance->device, &instance->workspace, err);
}

static int prepare(struct kernel_instance *instance, const struct assay_problem *problem,
                   struct check_result *result, struct err *err) {
    char text[KERNEL_MESSAGE_BYTES] = "", changed[256];
    struct assay_message message = {.capacity = sizeof text, .text = text};
    struct device *device = instance->device;
    if (instance->kernel->prepare) {
        const int status = instance->kernel->prepare(problem, &device->env, &instance->state,
                                                     &instance->workspace_bytes, &message);
        if (status != ASSAY_OK) {
            end_unready(instance->kernel, result, "prepare", status, text);
            return 0;
        }
        size_t length = strlen(text); // the note is cut after a complete character
        if (length >= sizeof result->note) length = sizeof result->note - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) --length;
        memcpy(result->note, text, length);
        result->note[length] = 0;
    }
    instance->is_prepared = true;
    // If prepare changed settings that all kernels in this process share, they are restored and the kernel
    // fails.
    if (device->backend->restore_shared && device->backend->restore_shared(device, changed, sizeof changed)) {
        fail(result, FINDING_LAUNCH_FAILED, "prepare %s", changed);
        return 0;
    }
    result->workspace_bytes = instance->workspace_bytes;
    if (instance->workspace_bytes > WORKSPACE_BYTES_MAX) {
        fail(result, FINDING_LAUNCH_FAILED, "prepare asks for a workspace of %zu bytes",
             instance->workspace_bytes);
        return 0;
    }
    return instance->workspace_bytes ? open_workspace(instance, err) : 0;
}

int kernel_instance_open(struct device *device, const struct assay_kernel *kernel,
                         const struct problem_abi *problem, struct kernel_instance *ret,
                         struct check_result *ret_result, struct err *err) {
    memset(ret, 0, sizeof *ret);
    ret->device = device;
    ret->kernel = kernel;
    char text[KERNEL_MESSAGE_BYTES] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    int status = strcmp(kernel->op, problem->problem.op) == 0
                     ? kernel->supports(&problem->problem, &message)
                     : assay_say(&message, ASSAY_UNSUPPORTED, "the kernel is for another operator");
    if (status != ASSAY_OK) {
        end_unready(kernel, ret_result, "supports", status, text);
        return 0;
    }
    int code = prepare(ret, &problem->problem, ret_result, err);
    if (code < 0) kernel_instance_close(ret);
    return code;
}

int kernel_instance_renew_workspace(struct kernel_instance *instance, struct err *err) {
    if (!instance->workspace_bytes) return 0;
    instance->device->backend->buffer_free(instance->device, &instance->workspace);
    return open_workspace(instance, err);
}

void kernel_instance_close(struct kernel_instance *instance) {
    if (instance->is_prepared && instance->device->backend->forget_kernel)
        instance->device->backend->forget_kernel(instance->device);
    if (instance->is_prepared && instance->kernel->release) instance->kernel->release(instance->state);
    if (instance->device) instance->device->backend->buffer_free(instance->device, &instance->workspace);
    memset(instance, 0, sizeof *instance);
}

struct batch kernel_instance_batch(struct kernel_instance *instance, const struct assay_tensors *sets,
                                   uint32_t set_count) {
    return (struct batch){.kernel = instance->kernel,
                          .state = instance->state,
                          .workspace = instance->workspace.data,
                          .hooks = python_kernel_hooks(instance->kernel),
                          .sets = sets,
                          .set_count = set_count,
                          .launches = 1};
}

static bool launch(struct kernel_instance *instance, const struct batch *batch, uint64_t *ret_ns,
                   struct check_result *ret_result) {
    char text[KERNEL_MESSAGE_BYTES] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    struct batch_time time = {.late_ns = 1};
    int status = ASSAY_OK;
    // The tail is timed by the host's clock, and the host may be held up between two calls: so only work
    // that is late in every try counts. Behind a busy stream there is only one launch, because results
    // matter there, not times.
    for (int try = 0; try < LATE_TRIES && status == ASSAY_OK && time.late_ns; ++try) {
        time = (struct batch_time){0};
        status = instance->device->backend->run(instance->device, batch, &time, &message);
        ++instance->launch_count;
        if (batch->is_behind) time.late_ns = 0;
    }
    if (ret_ns) *ret_ns = time.duration_ns;
    if (status != ASSAY_OK) {
        char name[32];
        snprintf(name, sizeof name, "launch %llu", (unsigned long long)instance->launch_count);
        fail_callback(instance->kernel, ret_result, name, status, text);
        return false;
    }
    if (!time.late_ns) return true;
    // On the CPU late work is found by waiting (case_check.c); here the device reports it.
    fail(ret_result, FINDING_LATE_WORK,
         "the device went on working %.1f us after the stream that was passed was done: work on another "
         "stream",
         (double)time.late_ns / 1e3);
    return false;
}

bool kernel_instance_launch(struct kernel_instance *instance, const struct assay_tensors *tensors,
                            uint64_t *ret_ns, struct check_result *ret_result) {
    const struct batch batch = kernel_instance_batch(instance, tensors, 1);
    return launch(instance, &batch, ret_ns, ret_result);
}

bool kernel_instance_launch_behind(struct kernel_instance *instance, const struct assay_tensors *tensors,
                                   struct check_result *ret_result) {
    struct batch batch = kernel_instance_batch(instance, tensors, 1);
    batch.is_behind = true;
    return launch(instance, &batch, NULL, ret_result);
}
