// SPDX-License-Identifier: Apache-2.0
//
// The worker's life: it reads the order, opens the device, loads the sides and dispatches by the kind of
// order.
#include "worker/order/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/priority.h"
#include "base/process/processors.h"
#include "gen/assay_config.h"
#include "worker/check/declared_process.h"
#include "worker/host/host_fork.h"
#include "worker/module/python_kernel.h"
#include "worker/order/work_internal.h"

#define ORDER_BYTES_MAX ((size_t)64 << 20)
#define KEPT_BYTES_MAX  (256 << 20) // of memory that a worker has freed and will ask for again

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

static int say_hello(struct work *work, struct err *err) {
    const struct work_order *order = work->order;
    const bool is_round = order->kind == WORK_ROUND;
    struct record record = work_record(work, RECORD_HELLO);
    char pid[24], host[128] = "", os[128], policy[32] = "unlocked", priority[16], limit[32];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    gethostname(host, sizeof host - 1);
    record.text = pid;
    struct environment *environment = &record.environment;
    environment->assay_version = ASSAY_VERSION;
    environment->host = host;
    if (!work->device) return work_write(work, &record, err);
    const struct device_info *info = &work->device->info;
    environment->os = read_os(os, sizeof os);
    environment->driver = info->driver;
    environment->device = order->device;
    environment->device_name = info->name;
    environment->device_uuid = info->uuid;
    environment->isa = info->isa;
    // Clocks are locked by another process for the whole run (work_lock.c), or not locked, only measured.
    if (order->sampling.locked_clock_mhz)
        snprintf(policy, sizeof policy, "locked %u MHz", (unsigned)order->sampling.locked_clock_mhz);
    environment->clock_policy = policy;
    environment->power_mode = is_round ? power_mode_name(order->sampling.power_mode) : NULL;
    environment->cache_mode = is_round ? cache_mode_name(order->sampling.cache_mode) : NULL;
    environment->threads = info->threads;
    if (is_round && order->sampling.metric != METRIC_TIME)
        environment->metric = metric_name(order->sampling.metric);
    if (is_round && !work->device->is_virtual) {
        snprintf(priority, sizeof priority, "nice %d", getpriority(PRIO_PROCESS, 0));
        environment->priority = priority;
    }
    if (order->sampling.limits.busy_pct > 0) {
        snprintf(limit, sizeof limit, "%g %%", order->sampling.limits.busy_pct);
        environment->busy_limit = limit;
    }
    environment->lock = "bitwise repeatable kernels; seeded inputs; fixed threads";
    for (size_t i = 0; i < order->side_count; ++i)
        if (order->sides[i].python) // the bridge sets these before a kernel is loaded (peers/assay_torch.py)
            environment->lock = "bitwise repeatable kernels; seeded inputs; fixed threads; in Python: TF32 "
                                "off, deterministic algorithms, gradients off";
    environment->thread_count = info->thread_count;
    environment->memory_bytes = (int64_t)info->memory_bytes;
    environment->is_accelerator = work->device->backend->is_accelerator;
    if (info->gpu.power_limit_w > 0) environment->power_limit_w = info->gpu.power_limit_w;
    return work_write(work, &record, err);
}

// compute-sanitizer and Nsight Compute set it in all processes that they follow, and wait for those that use
// a GPU. From within the sandbox none can answer them.
#define FOLLOWED_BY_TOOL "NVIDIA-PROCESS-TRACKING-CONFIGURATION"

static int refuse_tool(const struct work_order *order, const char *device, struct err *err) {
    const struct backend *backend;
    if (order->sampling.isolation != ISOLATION_PROCESS || !getenv(FOLLOWED_BY_TOOL)) return 0;
    TRY(backend_of(device, &backend, err));
    if (!backend->is_accelerator) return 0;
    return err_set(err, ERR_UNAVAILABLE,
                   "compute-sanitizer and ncu cannot follow a kernel into its sandbox: add --isolation none, "
                   "for kernels that you trust");
}

// A simulated run repeats sample by sample; a real one does not anyway.
static int roll_dice(struct work *work, struct err *err) {
    const struct work_order *order = work->order;
    if (!work->device->is_virtual) return dice_make_secret(&work->dice, err);
    const struct dice run = dice_of_seed(order->seed);
    work->dice = dice_child(&run, "worker", ((uint64_t)order->round << 32) + order->attempt);
    return 0;
}

static int carry_out(struct work *work, struct err *err) {
    const struct work_order *order = work->order;
    switch (order->kind) {
    case WORK_LOCK: return work_lock(work, err);
    case WORK_DESCRIBE: TRY(say_hello(work, err)); return work_describe(work, err);
    case WORK_DEVICES: TRY(say_hello(work, err)); return work_devices(work, err);
    case WORK_CEILINGS:
    case WORK_AUDIT:
    case WORK_CHECK:
    case WORK_COUNT:
    case WORK_PROFILE:
    case WORK_SUPPORTS:
    case WORK_REFERENCE:
    case WORK_ROUND: break;
    default: return err_set(err, ERR_DATA, "the work order names no kind of work");
    }
    const struct device_request request = {.device = order->device ? order->device : "cpu",
                                           .thread_count = order->thread_count,
                                           .seed = order->seed,
                                           .round = order->round,
                                           .attempt = order->attempt,
                                           .sim = order->sim};
    // Before the device starts threads, which have our priority.
    if (order->kind == WORK_ROUND && !order->sim && order->sampling.limits.priority == RUN_PRIORITY_HIGH)
        priority_raise_session(getpid(), priority_raise());
    TRY(refuse_tool(order, request.device, err));
    TRY(device_open(&request, &work->device, err));
    work->start_ns = device_now_ns(work->device);
    TRY(roll_dice(work, err));
    TRY(say_hello(work, err));
    if (order->kind == WORK_CEILINGS) return work_ceilings(work, err);
    if (order->kind == WORK_AUDIT) return work_audit(work, err);
    if (order->kind == WORK_REFERENCE || order->kind == WORK_CHECK) TRY(work_reference(work, err));
    if (order->kind == WORK_REFERENCE) return 0;
    work_watch_begin(work);
    TRY(work_load_sides(work, err));
    TRY(order->kind == WORK_CHECK      ? work_check(work, err)
        : order->kind == WORK_COUNT    ? work_count(work, err)
        : order->kind == WORK_PROFILE  ? work_profile(work, err)
        : order->kind == WORK_SUPPORTS ? work_supports(work, err)
                                       : work_round(work, err));
    return work_end_hosts(work, err);
}

// All hosts have ended: no kernel learns the key while its draws matter. A simulated run has its seed.
static int say_bye(struct work *work, struct err *err) {
    struct record bye = work_record(work, RECORD_BYE);
    char key[DICE_HEX_BYTES];
    if (work->phase != PHASE_QUERY && !work->device->is_virtual) {
        dice_key_hex(&work->dice, key);
        bye.draws_key = key;
    }
    return work_write(work, &bye, err);
}

static int run_order(const struct work_order *order, struct err *err) {
    struct work work = {.order = order, .fd = WORK_RECORD_FD, .start_ns = clock_ns()};
    work.phase = order->kind == WORK_CHECK   ? PHASE_CHECK
                 : order->kind == WORK_ROUND ? PHASE_ROUND
                                             : PHASE_QUERY;
    int code = declared_process_end_all(carry_out(&work, err), err);
    if (code >= 0 && order->kind != WORK_LOCK) code = say_bye(&work, err); // a lock order has no reader left
    for (size_t i = 0; i < order->side_count; ++i) kernel_fini(&work.kernels[i]);
    work_free_hosts(&work);
    device_close(work.device);
    strbuf_fini(&work.line);
    return code;
}

static int read_order(struct strbuf *out, struct err *err) {
    char chunk[65536];
    for (;;) {
        ssize_t got = read(STDIN_FILENO, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return err_set_errno(err, ERR_IO, "the worker cannot read its order from standard input");
        if (got == 0) return 0;
        strbuf_add_bytes(out, chunk, (size_t)got);
        if (out->length > ORDER_BYTES_MAX)
            return err_set(err, ERR_DATA, "the work order is larger than 64 MiB");
    }
}

int work_main(void) {
    struct err err = {0};
    struct strbuf text = {0};
    struct arena arena = {0};
    struct work_order order;
    int code = 0;
    if (fcntl(WORK_RECORD_FD, F_GETFD) < 0)
        code = err_set(&err, ERR_USAGE, "a worker is started by assay itself: descriptor 3 is not open");
    if (code >= 0) code = read_order(&text, &err);
    if (code >= 0) code = work_order_parse(strbuf_text(&text), text.length, &arena, &order, &err);
    // Before anything is started: threads and hosts may run where this process may.
    if (code >= 0 && order.processors) code = processors_allow(order.processors, &err);
    // A declared operator's reference has a process of its own, too.
    const bool has_hosts =
        code >= 0 && (order.sampling.isolation == ISOLATION_PROCESS || order.operators.declared_count);
    // Each case has hundreds of sets of buffers: what the last one had is for the next.
    if (has_hosts) mem_keep_freed(KEPT_BYTES_MAX);
    host_fork_open();
    if (has_hosts) code = host_client_init(&err);
    if (code >= 0) code = run_order(&order, &err);
    if (code < 0) fprintf(stderr, "assay: error: %s\n", err.text);
    arena_fini(&arena);
    strbuf_fini(&text);
    return code < 0 ? err_exit_code(err.code) : 0;
}

int assay_python_worker_main(const struct python_callbacks *callbacks) {
    struct err err = {0};
    if (python_kernel_check_callbacks(callbacks, &err) < 0) {
        fprintf(stderr, "assay: error: %s\n", err.text);
        return err_exit_code(err.code);
    }
    python_kernel_set_callbacks(callbacks);
    return work_main();
}
