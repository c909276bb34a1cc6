// SPDX-License-Identifier: Apache-2.0
//
// supports, prepare, launch, release, in that order, and what their answers mean.
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

// A message is one line wherever it is shown: lines of a kernel's own become parts of it.
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

// What a function in Python raised says more than the status that it becomes.
static void fail_callback(const struct assay_kernel *kernel, struct check_result *result,
                          const char *callback, int status, const char *text) {
    char line[sizeof result->message - 80]; // room for what stands before it
    fold_lines(text, line, sizeof line);
    result->outcome = OUTCOME_FAIL;
    result->finding = FINDING_LAUNCH_FAILED;
    if (*line && status == ASSAY_FAILED && python_kernel_hooks(kernel))
        snprintf(result->message, sizeof result->message, "%s: %s", callback, line);
    else
        snprintf(result->message, sizeof result->message, "%s returned %s (%d)%s%s", callback,
                 status_name(status), status, *line ? ": " : "", line);
}

// What prepare changed for all sides is put back, and its own.
static bool fail_shared(struct device *device, struct check_result *result) {
    char changed[256];
    const struct backend *backend = device->backend;
    if (!backend->restore_shared || !backend->restore_shared(device, changed, sizeof changed)) return false;
    result->outcome = OUTCOME_FAIL;
    result->finding = FINDING_LAUNCH_FAILED;
    snprintf(result->message, sizeof result->message, "prepare %s", changed);
    return true;
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

// Cut after a whole character.
static void keep_note(struct check_result *result, const char *text) {
    size_t length = strlen(text);
    if (length >= sizeof result->note) length = sizeof result->note - 1;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) --length;
    memcpy(result->note, text, length);
    result->note[length] = 0;
}

static int prepare(struct kernel_instance *instance, const struct assay_problem *problem,
                   struct check_result *result, struct err *err) {
    char text[KERNEL_MESSAGE_BYTES] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    if (instance->kernel->prepare) {
        int status = instance->kernel->prepare(problem, &instance->device->env, &instance->state,
                                               &instance->workspace_bytes, &message);
        if (status != ASSAY_OK) {
            if (status == ASSAY_UNSUPPORTED) {
                result->outcome = OUTCOME_UNSUPPORTED;
                fold_lines(*text ? text : NO_REASON, result->message, sizeof result->message);
            } else
                fail_callback(instance->kernel, result, "prepare", status, text);
            return 0;
        }
        keep_note(result, text);
    }
    instance->is_prepared = true;
    if (fail_shared(instance->device, result)) return 0;
    result->workspace_bytes = instance->workspace_bytes;
    if (instance->workspace_bytes > WORKSPACE_BYTES_MAX) {
        result->outcome = OUTCOME_FAIL;
        result->finding = FINDING_LAUNCH_FAILED;
        snprintf(result->message, sizeof result->message, "prepare asks for a workspace of %zu bytes",
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
    if (status == ASSAY_UNSUPPORTED) {
        ret_result->outcome = OUTCOME_UNSUPPORTED;
        fold_lines(*text ? text : NO_REASON, ret_result->message, sizeof ret_result->message);
        return 0;
    }
    if (status != ASSAY_OK) {
        fail_callback(kernel, ret_result, "supports", status, text);
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

// The device's word for what a kernel on the processor is caught at by waiting.
static void fail_late(struct check_result *result, uint64_t late_ns) {
    result->outcome = OUTCOME_FAIL;
    result->finding = FINDING_LATE_WORK;
    snprintf(result->message, sizeof result->message,
             "the device went on working %.1f us after the stream that was passed was done: work on another "
             "stream",
             (double)late_ns / 1e3);
}

// How long the device goes on is read from the host's clock, and the host may be held up between two calls:
// only what is late every time is late. Behind a busy stream nothing is launched twice: results are looked at
// there, not times.
static int run_batch(struct kernel_instance *instance, const struct batch *batch, struct batch_time *ret,
                     struct assay_message *message) {
    int status = ASSAY_OK;
    ret->late_ns = 1;
    for (int try = 0; try < LATE_TRIES && status == ASSAY_OK && ret->late_ns; ++try) {
        *ret = (struct batch_time){0};
        status = instance->device->backend->run(instance->device, batch, ret, message);
        ++instance->launch_count;
        if (batch->is_behind) ret->late_ns = 0;
    }
    return status;
}

static bool launch(struct kernel_instance *instance, const struct batch *batch, uint64_t *ret_ns,
                   struct check_result *ret_result) {
    char text[KERNEL_MESSAGE_BYTES] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    struct batch_time time;
    const int status = run_batch(instance, batch, &time, &message);
    if (ret_ns) *ret_ns = time.duration_ns;
    if (status == ASSAY_OK && time.late_ns) fail_late(ret_result, time.late_ns);
    if (status == ASSAY_OK) return !time.late_ns;
    char name[32];
    snprintf(name, sizeof name, "launch %llu", (unsigned long long)instance->launch_count);
    fail_callback(instance->kernel, ret_result, name, status, text);
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
