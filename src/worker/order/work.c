// SPDX-License-Identifier: Apache-2.0
//
// Dispatch by the order's kind; loading the sides; writing records.
#include "worker/order/work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "gen/assay_config.h"
#include "worker/module/builtin.h"
#include "worker/module/python_kernel.h"
#include "worker/module/sim_kernel.h"
#include "worker/order/work_lock.h"
#include "worker/order/work_state.h"

_Static_assert(WORK_SIDES_MAX <= SIM_KERNELS_MAX, "every side may be a simulated kernel");

struct record work_record(const struct work *work, enum record_kind kind) {
    struct record record = {.kind = kind,
                            .phase = work->phase,
                            .round = work->order->round,
                            .attempt = work->order->attempt,
                            .time_ns = device_now_ns(work->device),
                            .state = device_state_unknown(),
                            .environment = environment_unknown()};
    return record;
}

int work_write(struct work *work, const struct record *record, struct err *err) {
    strbuf_clear(&work->line);
    record_write(record, &work->line);
    size_t done = 0;
    while (done < work->line.length) { // a pipe takes long lines in pieces
        ssize_t written = write(work->fd, work->line.text + done, work->line.length - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            return err_set_errno(err, ERR_IO, "the worker cannot write records to descriptor %d", work->fd);
        done += (size_t)written;
    }
    return 0;
}

int work_warn(struct work *work, const char *text, struct err *err) {
    struct record record = work_record(work, RECORD_WARNING);
    record.text = text;
    return work_write(work, &record, err);
}

static const char *cache_text(const struct work_order *order) {
    return order->kind == WORK_ROUND ? cache_mode_name(order->sampling.cache_mode) : NULL;
}

// "Debian GNU/Linux 12 (bookworm)": PRETTY_NAME of os-release. NULL when there is none.
static const char *read_os(char *ret_name, size_t capacity) {
    char *text = NULL;
    size_t length;
    if (file_read("/etc/os-release", 65536, &text, &length, NULL) < 0) return NULL;
    static const char key[] = "PRETTY_NAME=";
    const char *at = str_starts(text, key) ? text : strstr(text, "\nPRETTY_NAME=");
    if (at) {
        at = strchr(at, '=') + 1;
        at += *at == '"';
        snprintf(ret_name, capacity, "%.*s", (int)strcspn(at, "\"\n"), at);
    }
    free(text);
    return at ? ret_name : NULL;
}

// The bridge sets these before a kernel is loaded (peers/assay_torch.py).
static bool has_python_side(const struct work_order *order) {
    for (size_t i = 0; i < order->side_count; ++i)
        if (order->sides[i].python) return true;
    return false;
}

// Held by another process for the whole run (work_lock.c), or measured and not imposed.
static const char *clock_policy(const struct work_order *order, char *ret_text, size_t capacity) {
    if (!order->sampling.locked_clock_mhz) return "unlocked";
    snprintf(ret_text, capacity, "locked %u MHz", (unsigned)order->sampling.locked_clock_mhz);
    return ret_text;
}

int work_hello(struct work *work, struct err *err) {
    struct record record = work_record(work, RECORD_HELLO);
    char pid[24], host[128] = "", os[128], policy[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    gethostname(host, sizeof host - 1);
    record.text = pid;
    struct environment *environment = &record.environment;
    environment->assay_version = ASSAY_VERSION;
    environment->host = host;
    if (work->device) {
        const struct device_info *info = &work->device->info;
        environment->os = read_os(os, sizeof os);
        environment->driver = info->driver;
        environment->device = work->order->device;
        environment->device_name = info->name;
        environment->device_uuid = info->uuid;
        environment->isa = info->isa;
        environment->clock_policy = clock_policy(work->order, policy, sizeof policy);
        environment->power_mode =
            work->order->kind == WORK_ROUND ? power_mode_name(work->order->sampling.power_mode) : NULL;
        environment->cache_mode = cache_text(work->order);
        environment->threads = info->threads;
        environment->lock =
            has_python_side(work->order)
                ? "bitwise repeatable kernels; seeded inputs; fixed threads; in Python: TF32 off, "
                  "deterministic algorithms, gradients off"
                : "bitwise repeatable kernels; seeded inputs; fixed threads";
        environment->thread_count = info->thread_count;
        environment->memory_bytes = (int64_t)info->memory_bytes;
        environment->is_accelerator = work->device->backend->is_accelerator;
    }
    return work_write(work, &record, err);
}

// A simulated or a Python kernel can be any operator's: it is that of the cases.
const char *work_op_of_cases(const struct work_order *order) {
    return order->case_count ? order->cases[0].problem.op->name : operator_at(0)->name;
}

static int load_side(struct work *work, size_t index, struct err *err) {
    const struct work_side *side = &work->order->sides[index];
    if (side->sim) {
        work->kernels[index] =
            sim_kernel_make(side->sim, work_op_of_cases(work->order), side->label, (uint32_t)index);
        return 0;
    }
    if (side->python) {
        work->kernels[index] =
            python_kernel_make(side->python, side->python_path, work_op_of_cases(work->order),
                               work->device->backend->name, (uint32_t)index, err);
        return work->kernels[index] ? 0 : -(int)err->code;
    }
    if (!side->module_path) {
        work->kernels[index] = builtin_find(side->kernel_name, err);
        return work->kernels[index] ? 0 : -ERR_USAGE;
    }
    TRY(module_open(side->module_path, &work->modules[index], err));
    work->kernels[index] = module_find(work->modules[index], side->kernel_name, err);
    return work->kernels[index] ? 0 : -ERR_USAGE;
}

int work_load_sides(struct work *work, struct err *err) {
    for (size_t i = 0; i < work->order->side_count; ++i) {
        TRY(load_side(work, i, err));
        const char *backend = work->kernels[i]->backend;
        if (strcmp(backend, work->device->backend->name) != 0)
            return err_set(err, ERR_USAGE,
                           "kernel '%s' is for backend '%s', the device is '%s'; choose another --device",
                           work->kernels[i]->name, backend, work->order->device);
    }
    return 0;
}

// Check and round: kernels on a device.
static int run_on_device(struct work *work, struct err *err) {
    const struct work_order *order = work->order;
    const struct device_request request = {.device = order->device ? order->device : "cpu",
                                           .thread_count = order->thread_count,
                                           .seed = order->seed,
                                           .round = order->round,
                                           .attempt = order->attempt,
                                           .sim = order->sim};
    TRY(device_open(&request, &work->device, err));
    work->start_ns = device_now_ns(work->device);
    TRY(work_hello(work, err));
    if (order->kind == WORK_CEILINGS) return work_ceilings(work, err);
    TRY(work_load_sides(work, err));
    return order->kind == WORK_CHECK ? work_check(work, err) : work_round(work, err);
}

static int dispatch(struct work *work, struct err *err) {
    switch (work->order->kind) {
    case WORK_LOCK: return work_lock(work, err);
    case WORK_DESCRIBE: TRY(work_hello(work, err)); return work_describe(work, err);
    case WORK_DEVICES: TRY(work_hello(work, err)); return work_devices(work, err);
    case WORK_CEILINGS:
    case WORK_CHECK:
    case WORK_ROUND: return run_on_device(work, err);
    default: return err_set(err, ERR_DATA, "the work order names no kind of work");
    }
}

int work_run(const struct work_order *order, int fd, struct err *err) {
    struct work work = {.order = order, .fd = fd, .start_ns = clock_ns()};
    work.phase = order->kind == WORK_CHECK   ? PHASE_CHECK
                 : order->kind == WORK_ROUND ? PHASE_ROUND
                                             : PHASE_QUERY;
    int code = dispatch(&work, err);
    if (code >= 0 && order->kind != WORK_LOCK) { // that one ends when nobody listens any more
        struct record bye = work_record(&work, RECORD_BYE);
        code = work_write(&work, &bye, err);
    }
    for (size_t i = 0; i < order->side_count; ++i) module_close(work.modules[i]);
    device_close(work.device);
    strbuf_fini(&work.line);
    return code < 0 ? code : 0;
}
