// SPDX-License-Identifier: Apache-2.0
//
// Where the kernels of an order live: in this process, or each side's in a host. A host of compiled code on a
// processor starts in milliseconds, so every case that is timed has its own, and how it ends counts for the
// case; interpreters and GPU contexts take seconds, so theirs live as long as the worker.
#include <string.h>

#include "worker/host/host_client.h"
#include "worker/module/kernel_load.h"
#include "worker/order/work_internal.h"

// In a check the host lives through all cases, too, since a kernel may be wrong on the second problem only.
static bool has_host_a_case(const struct work *work, uint32_t side) {
    return !work->order->sides[side].python && !work->device->is_virtual &&
           !work->device->backend->is_accelerator && (work->order->kind == WORK_ROUND || work->is_last_case);
}

static int load_here(struct work *work, uint32_t side, struct err *err) {
    struct kernel_source source;
    TRY(kernel_source_of(work->order, side, &source, err));
    return kernel_load(&source, work->device, &work->kernels[side], err);
}

uint32_t work_side_in_turn(const struct work *work, uint32_t turn) {
    const uint32_t last = (uint32_t)work->order->side_count - 1;
    return work->order->is_first_side_flipped ? last - turn : turn;
}

// Whether the kernel of the side is loaded; once more where a signal from outside ended the host meanwhile.
static int complete(struct work *work, uint32_t side, struct err *err) {
    const int code = host_complete(work->hosts[side], work->device, side, err);
    if (code >= 0 || !host_was_killed(work->hosts[side])) return code;
    host_close(work->hosts[side]);
    work->hosts[side] = NULL;
    TRY(host_begin(work->order, side, &work->hosts[side], err));
    return host_complete(work->hosts[side], work->device, side, err);
}

// The hosts of `count` sides, side by side: interpreters and GPU contexts take seconds to start.
static int open_hosts(struct work *work, uint32_t first, uint32_t count, struct err *err) {
    const struct backend *backend = work->device->backend;
    int pids[WORK_SIDES_MAX];
    if (backend->adopt_hosts) backend->adopt_hosts(work->device, NULL, 0);
    for (uint32_t turn = 0; turn < count; ++turn) {
        const uint32_t side = count > 1 ? work_side_in_turn(work, turn) : first;
        TRY(host_begin(work->order, side, &work->hosts[side], err));
    }
    for (uint32_t side = first; side < first + count; ++side) {
        TRY(complete(work, side, err));
        pids[side - first] = (int)host_pid(work->hosts[side]);
    }
    if (backend->adopt_hosts) backend->adopt_hosts(work->device, pids, count);
    return 0;
}

// Where each case has new hosts all start at once, with the first that is needed.
static int open_missing(struct work *work, uint32_t side, struct err *err) {
    const struct work_order *order = work->order;
    const uint32_t count = (uint32_t)order->side_count;
    bool is_for_all = order->kind == WORK_ROUND;
    for (uint32_t i = 0; i < count; ++i) is_for_all &= !work->hosts[i];
    for (size_t c = 0; c < order->case_count; ++c)
        is_for_all &= order->cases[c].side_mask == (1u << count) - 1;
    return is_for_all ? open_hosts(work, 0, count, err) : open_hosts(work, side, 1, err);
}

int work_load_sides(struct work *work, struct err *err) {
    const struct backend *backend = work->device->backend;
    const uint32_t count = (uint32_t)work->order->side_count;
    work->is_apart = work->order->sampling.isolation == ISOLATION_PROCESS;
    work->has_open_inputs = work->is_apart && backend->is_accelerator;
    if (work->is_apart && backend->share_begin) TRY(backend->share_begin(work->device, err));
    if (work->is_apart) return open_hosts(work, 0, count, err);
    for (uint32_t side = 0; side < count; ++side) TRY(load_here(work, side, err));
    return 0;
}

int work_find_home(struct work *work, uint32_t side, struct kernel_home *ret, struct err *err) {
    struct check_result ending;
    if (work->hosts[side] && host_is_gone(work->hosts[side], &ending)) {
        host_close(work->hosts[side]);
        work->hosts[side] = NULL;
    }
    if (work->is_apart && !work->hosts[side]) TRY(open_missing(work, side, err));
    *ret = (struct kernel_home){.device = work->device,
                                .kernel = work->is_apart ? NULL : &work->kernels[side],
                                .host = work->hosts[side],
                                .side = side,
                                .is_plain = work->order->sides[side].python != NULL};
    return 0;
}

void work_leave_home(struct work *work, uint32_t side, struct check_result *result) {
    struct host *host = work->hosts[side];
    struct check_result ending = {0};
    if (!host) return;
    if (has_host_a_case(work, side)) (void)host_end(host); // host_is_gone says how
    const bool is_good = result->outcome == OUTCOME_OK || result->outcome == OUTCOME_UNSUPPORTED;
    const bool is_gone = host_is_gone(host, &ending);
    if (is_good && is_gone) {
        result->outcome = ending.outcome;
        result->finding = ending.finding;
        memcpy(result->message, ending.message, sizeof result->message);
    }
    if (!is_gone && !has_host_a_case(work, side)) return;
    host_close(host);
    work->hosts[side] = NULL;
}

int work_end_hosts(struct work *work, struct err *err) {
    int code = 0;
    for (uint32_t side = 0; side < work->order->side_count; ++side) {
        struct check_result ending;
        if (!work->hosts[side] || host_end(work->hosts[side]) != HOST_GONE || code < 0) continue;
        host_is_gone(work->hosts[side], &ending);
        code = err_set(err, ERR_DATA, "the process of side '%s' %s", work->order->sides[side].label,
                       ending.message);
    }
    return code;
}

void work_free_hosts(struct work *work) {
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) host_close(work->hosts[side]);
}
