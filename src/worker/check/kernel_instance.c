// SPDX-License-Identifier: Apache-2.0
//
// Calls a kernel's supports, prepare, launch and release, in that order, and turns their statuses into
// results.
#include "worker/check/kernel_instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "worker/check/device_scratch.h"
#include "worker/host/batch_run.h"
#include "worker/host/host_process.h"
#include "worker/host/sandbox.h"
#include "worker/module/kernel_load.h"

#define WORKSPACE_ALIGNMENT 256 // what the ABI promises
#define NO_REASON           "the kernel gives no reason"
#define LATE_TRIES          16
#define LATE_IDLE_TRIES     4           // of them with nothing on the device before
#define LATE_DRAIN_NS       2000000000u // for work that a launch has left to end before the next
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
static void fail_callback(const struct kernel_home *home, struct check_result *result, const char *callback,
                          int status, const char *text) {
    char line[sizeof result->message - 80]; // room for the text before it
    if (home->host && host_is_gone(home->host, result)) return;
    fold_lines(text, line, sizeof line);
    if (*line && status == ASSAY_FAILED && home->is_plain)
        fail(result, FINDING_LAUNCH_FAILED, "%s: %s", callback, line);
    else
        fail(result, FINDING_LAUNCH_FAILED, "%s returned %s (%d)%s%s", callback, status_name(status), status,
             *line ? ": " : "", line);
}

// What a kernel cannot have may be what the sandbox refuses. Which call it was nobody knows here: a filter
// gives the caller an error number, which other calls give too.
static void add_hint(const struct kernel_home *home, struct check_result *result) {
    const size_t used = strlen(result->message);
    if (home->host && !home->is_plain && !host_is_gone(home->host, result))
        snprintf(result->message + used, sizeof result->message - used,
                 "; if it needs what the sandbox refuses (files to write, file locks, child processes, "
                 "sockets, System V memory and semaphores, timers that signal; all in docs/sandbox.md), "
                 "use --isolation none");
}

// supports or prepare did not return ASSAY_OK.
static void end_unready(const struct kernel_home *home, struct check_result *result,
                        const struct kernel_prepared *prepared) {
    if (prepared->callback == KERNEL_SETTINGS) {
        fail(result, FINDING_LAUNCH_FAILED, "prepare %.300s", prepared->text);
    } else if (prepared->status != ASSAY_UNSUPPORTED) {
        fail_callback(home, result, prepared->callback == KERNEL_SUPPORTS ? "supports" : "prepare",
                      prepared->status, prepared->text);
        add_hint(home, result);
    } else {
        result->outcome = OUTCOME_UNSUPPORTED;
        fold_lines(*prepared->text ? prepared->text : NO_REASON, result->message, sizeof result->message);
    }
}

static int open_workspace(struct kernel_instance *instance, struct err *err) {
    struct device *device = instance->home.device;
    struct buffer_spec spec = {.label = "workspace",
                               .bytes = instance->workspace_bytes,
                               .alignment = WORKSPACE_ALIGNMENT,
                               .sharing = instance->home.host ? BUFFER_SHARED_OUT : BUFFER_PRIVATE};
    TRY(device->backend->buffer_alloc(device, &spec, &instance->workspace, err));
    // NaN of every float type: contents are undefined
    if (device->backend->work) {
        TRY(device_step_pattern(device, instance->workspace.data, instance->workspace_bytes, UINT64_MAX,
                                err));
    } else {
        memset(instance->workspace.host, 0xff, instance->workspace_bytes);
        TRY(device->backend->buffer_upload(device, &instance->workspace, err));
    }
    // A host that has ended says so at the next launch.
    const int code =
        instance->home.host ? host_map_workspace(instance->home.host, &instance->workspace, err) : 0;
    return code < 0 ? code : 0;
}

// "@9.19.0 cuDNN ...": keeps the version and returns the rest; a text without one is returned whole.
static const char *keep_version(const char *text, struct check_result *result) {
    static const char allowed[] = "0123456789.+-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const size_t length = *text == CHECK_NOTE_VERSION ? strspn(text + 1, allowed) : 0;
    const char *rest = text + 1 + length;
    if (!length || length >= sizeof result->version || (*rest && *rest != ' ')) return text;
    memcpy(result->version, text + 1, length);
    result->version[length] = 0;
    return rest + (*rest == ' ');
}

// The note is cut after a complete character.
static void keep_note(const char *text, struct check_result *result) {
    text = keep_version(text, result);
    size_t length = strlen(text);
    if (length >= sizeof result->note) length = sizeof result->note - 1;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) --length;
    memcpy(result->note, text, length);
    result->note[length] = 0;
}

// The most that a workspace may take: what the device has. It is filled, so more would end the machine.
static uint64_t workspace_bytes_max(const struct device *device) {
    return device->info.memory_bytes ? device->info.memory_bytes / 2 : WORKSPACE_BYTES_MAX;
}

// Rows are mapped far apart in a process of the kernel's own, where nothing else of the judge's is.
static bool can_map(const struct kernel_home *home, const struct work_case *wanted,
                    struct check_result *ret_result) {
    if (!wanted || wanted->memory_layout != MEMORY_LAYOUT_FAR) return true;
    const bool is_small = problem_can_be_far(&wanted->problem);
    if (home->host && is_small) return true;
    ret_result->outcome = OUTCOME_UNSUPPORTED;
    if (is_small)
        snprintf(ret_result->message, sizeof ret_result->message,
                 "memory layout far needs a kernel in a process of its own (--isolation process)");
    else
        snprintf(ret_result->message, sizeof ret_result->message,
                 "memory layout far takes tensors of at most %d rows and %llu MiB", FAR_ROWS_MAX,
                 (unsigned long long)(FAR_BYTES_MAX >> 20));
    return false;
}

int kernel_instance_prepare(const struct kernel_home *home, const struct work_case *wanted,
                            const struct assay_problem *problem, struct kernel_instance *ret,
                            struct check_result *ret_result, struct err *err) {
    memset(ret, 0, sizeof *ret);
    ret->home = *home;
    if (!can_map(home, wanted, ret_result)) return 0;
    struct kernel_prepared prepared;
    if (home->host) {
        const int code = host_prepare(home->host, wanted, &prepared, err);
        if (code < 0) return code;
        if (code == HOST_GONE) {
            host_is_gone(home->host, ret_result);
            return 0;
        }
    } else {
        kernel_prepare(home->device, home->kernel, problem, &prepared);
        ret->state = prepared.state;
        ret->release = prepared.release;
    }
    ret->is_prepared = prepared.has_state;
    if (prepared.status != ASSAY_OK) {
        end_unready(home, ret_result, &prepared);
        return 0;
    }
    keep_note(prepared.text, ret_result);
    ret_result->workspace_bytes = ret->workspace_bytes = prepared.workspace_bytes;
    const uint64_t most = workspace_bytes_max(home->device);
    if (ret->workspace_bytes > most) {
        fail(
            ret_result, FINDING_LAUNCH_FAILED,
            "prepare asks for a workspace of %zu bytes; half of the device's memory (%llu bytes) is the most",
            ret->workspace_bytes, (unsigned long long)most);
        ret->workspace_bytes = 0;
    }
    return 0;
}

int kernel_instance_open(const struct kernel_home *home, const struct work_case *wanted,
                         const struct assay_problem *problem, struct kernel_instance *ret,
                         struct check_result *ret_result, struct err *err) {
    TRY(kernel_instance_prepare(home, wanted, problem, ret, ret_result, err));
    const int code = ret->workspace_bytes ? open_workspace(ret, err) : 0;
    if (code < 0) kernel_instance_close(ret);
    return code;
}

int kernel_instance_renew_workspace(struct kernel_instance *instance, struct err *err) {
    if (!instance->workspace_bytes) return 0;
    instance->home.device->backend->buffer_free(instance->home.device, &instance->workspace);
    return open_workspace(instance, err);
}

void kernel_instance_close(struct kernel_instance *instance) {
    const struct kernel_home *home = &instance->home;
    if (home->host) {
        host_release(home->host);
    } else if (instance->is_prepared) {
        if (home->device->backend->forget_kernel) home->device->backend->forget_kernel(home->device);
        if (instance->release) instance->release(instance->state);
    }
    if (home->device) home->device->backend->buffer_free(home->device, &instance->workspace);
    free(instance->mapped);
    memset(instance, 0, sizeof *instance);
}

int kernel_instance_show(struct kernel_instance *instance, struct case_buffers *buffers, struct err *err) {
    TRY(case_buffers_select(buffers, instance->home.side, err));
    if (!instance->home.host) return 0;
    while (instance->mapped_count <= buffers->number) {
        MEM_GROW(instance->mapped, instance->mapped_capacity, instance->mapped_count + 1);
        instance->mapped[instance->mapped_count++] = 0;
    }
    if (instance->mapped[buffers->number] == buffers->generation) return 0;
    const struct buffer *shown[OP_TENSORS_MAX];
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) shown[i] = &buffers->buffers[i];
    const int code = host_map_set(instance->home.host, buffers->number, shown, buffers->tensor_count, err);
    if (code < 0) return code;
    instance->mapped[buffers->number] = buffers->generation;
    return 0; // a host that has ended says so at the next launch
}

struct batch kernel_instance_batch(struct kernel_instance *instance, const struct assay_tensors *sets,
                                   uint32_t set_count) {
    const struct kernel_home *home = &instance->home;
    return (struct batch){.host = home->host,
                          .kernel = home->kernel ? home->kernel->abi : NULL,
                          .state = instance->state,
                          .workspace = instance->workspace.data,
                          .hooks = kernel_hooks(home->kernel),
                          .sets = sets,
                          .set_count = set_count,
                          .launches = 1};
}

static bool fail_error(struct check_result *ret_result, const struct err *why) {
    fail(ret_result, FINDING_LAUNCH_FAILED, "%.500s", why->text);
    return false;
}

// An in-out tensor is for one launch.
static int restore(struct case_buffers *buffers, struct err *err) {
    const bool is_poisoned = buffers->has_in_out && buffers->poison != POISON_INVALID;
    return is_poisoned ? case_buffers_poison(buffers, buffers->poison, err) : 0;
}

// Waits until nothing runs on the device, where processes take turns on it.
static void let_drain(struct device *device, uint64_t until_ns) {
    const struct backend *backend = device->backend;
    while (backend->wait_for_others && backend->wait_for_others(device, NULL) && clock_ns() < until_ns) {
    }
}

static bool fail_launch(const struct kernel_instance *instance, int status, const char *text,
                        struct check_result *ret_result) {
    char name[32];
    snprintf(name, sizeof name, "launch %llu", (unsigned long long)instance->launch_count);
    fail_callback(&instance->home, ret_result, name, status, text);
    if (!*text || strstr(text, SANDBOX_REFUSAL)) add_hint(&instance->home, ret_result);
    return false;
}

static bool launch(struct kernel_instance *instance, struct case_buffers *buffers, bool is_behind,
                   uint64_t behind_ns, uint64_t *ret_ns, struct check_result *ret_result) {
    char text[MODULE_MESSAGE_BYTES] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    struct batch_time time = {.late_ns = 1};
    struct err err = {0};
    int status = ASSAY_OK;
    if (kernel_instance_show(instance, buffers, &err) < 0) return fail_error(ret_result, &err);
    struct batch batch = kernel_instance_batch(instance, &buffers->list, 1);
    batch.first_index = buffers->number;
    batch.is_behind = is_behind;
    batch.behind_ns = behind_ns;
    // The tail is timed by the host's clock. The host may be held up between two calls, and the device by
    // other processes' work: so only work that is late in every try counts, some of which must have begun
    // on an idle device. Behind a busy stream there is only one launch, because results matter there, not
    // times.
    const uint64_t drained_ns = clock_ns() + LATE_DRAIN_NS;
    int idle_tries = 0;
    for (int try = 0; try < LATE_TRIES && status == ASSAY_OK && time.late_ns; ++try) {
        if (try) let_drain(instance->home.device, drained_ns);
        if (try && restore(buffers, &err) < 0) return fail_error(ret_result, &err);
        time = (struct batch_time){0};
        status = batch_run(instance->home.device, &batch, &time, &message);
        ++instance->launch_count;
        idle_tries += !time.others_ns;
        if (is_behind) time.late_ns = 0;
    }
    if (ret_ns) *ret_ns = time.duration_ns;
    if (status != ASSAY_OK) return fail_launch(instance, status, text, ret_result);
    if (!time.late_ns || idle_tries < LATE_IDLE_TRIES) return true;
    // On the CPU late work is found by waiting (case_check.c); here the device reports it.
    fail(ret_result, FINDING_LATE_WORK,
         "the device went on working %.1f us after the stream that was passed was done: work on another "
         "stream",
         (double)time.late_ns / 1e3);
    return false;
}

bool kernel_instance_launch(struct kernel_instance *instance, struct case_buffers *buffers, uint64_t *ret_ns,
                            struct check_result *ret_result) {
    return launch(instance, buffers, false, 0, ret_ns, ret_result);
}

bool kernel_instance_launch_sets(struct kernel_instance *instance, struct case_buffers *const *items,
                                 const struct assay_tensors *sets, uint32_t count,
                                 struct check_result *ret_result) {
    char text[MODULE_MESSAGE_BYTES] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    struct batch batch = kernel_instance_batch(instance, sets, count);
    struct batch_time time;
    if (count == 1) return kernel_instance_launch(instance, items[0], NULL, ret_result);
    batch.first_index = items[0]->number;
    batch.launches = count;
    const int status = batch_run(instance->home.device, &batch, &time, &message);
    instance->launch_count += count;
    return status == ASSAY_OK || fail_launch(instance, status, text, ret_result);
}

bool kernel_instance_launch_behind(struct kernel_instance *instance, struct case_buffers *buffers,
                                   uint64_t behind_ns, struct check_result *ret_result) {
    return launch(instance, buffers, true, behind_ns, NULL, ret_result);
}

// ---- work after the launch ----

static int64_t used_ns(const struct kernel_instance *instance) {
    struct device *device = instance->home.device;
    const struct host *host = instance->home.host;
    return host ? (int64_t)host_cpu_ns(host) : device->backend->other_threads_ns(device);
}

static size_t count_runnable(const struct kernel_instance *instance) {
    if (instance->home.host) return host_process_runnable_threads(host_pid(instance->home.host));
    const size_t count = host_process_runnable_threads(getpid());
    return count ? count - 1 : 0; // without the thread that asks
}

// On a loaded machine a thread that works may get no processor while it is watched. It still wants one then,
// and is watched until it has had one longer than it may spin and work, or sleeps. watched_ns: what all
// threads had used by then, so that what others spun before does not count.
static int64_t watch_held_up(const struct kernel_instance *instance, const struct idle_watch *watch,
                             int64_t watched_ns) {
    int64_t ret = 0;
    for (uint64_t waited_ns = 0; waited_ns < watch->held_up_ns; waited_ns += watch->watch_ns) {
        const size_t count = count_runnable(instance);
        if (!count || ret > (int64_t)watch->busy_ns) break;
        clock_sleep_ns(watch->watch_ns);
        ret = used_ns(instance) - watched_ns - (int64_t)(count * watch->park_ns);
    }
    return ret;
}

// A host goes on only for this wait: each of its threads takes a processor for an instant then, however
// soundly it sleeps (8192 of them 16 ms, measured on two processors).
#define WAKE_NS 5000u // of one thread, with room

static uint64_t wake_ns(const struct host *host) {
    return host ? host_process_thread_count(host_pid(host)) * WAKE_NS : 0;
}

int64_t kernel_instance_idle(struct kernel_instance *instance, const struct idle_watch *watch) {
    struct host *host = instance->home.host;
    if (!instance->home.device->backend->other_threads_ns) return -1;
    const bool is_alone = host && host_process_thread_count(host_pid(host)) == 1;
    if (host && !host_idle_begin(host)) return 0;
    if (!is_alone) clock_sleep_ns(watch->park_ns + wake_ns(host));
    const int64_t parked_ns = used_ns(instance);
    clock_sleep_ns(is_alone ? watch->alone_ns : watch->watch_ns);
    const int64_t watched_ns = used_ns(instance);
    int64_t ret = watched_ns - parked_ns;
    if (ret <= (int64_t)watch->busy_ns) {
        const int64_t held_up_ns = watch_held_up(instance, watch, watched_ns);
        if (held_up_ns > ret) ret = held_up_ns;
    }
    if (host) host_idle_end(host);
    return ret;
}
