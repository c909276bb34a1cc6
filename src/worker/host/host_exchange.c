// SPDX-License-Identifier: Apache-2.0
//
// Batches that a host runs: the judge's clock around them, and what it costs to ask a host for nothing.
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "stats/describe.h"
#include "stats/float_order.h"
#include "worker/host/host_client.h"
#include "worker/host/host_client_internal.h"

#define EXCHANGES       21
#define EXCHANGES_FIRST 4 // not counted: pages and caches are cold
// Where processes take turns on the device: what a turn varies by, though some exchanges should not show it.
#define TURNS_ERROR_NS 50000.0
// What an interpreter's exchange may cost beyond that of compiled code.
#define EXCESS_ERROR_NS 50000.0
// What bringing returned tensors may take beyond the judge's own copies of them, and vary by.
#define COLLECT_ERROR_NS 100000.0
#define COPIES           5

// Where processes take turns on the device: lets the host run until it waits for the next command without
// sleeping, so that the time of an exchange is not that of waking it. 0 or HOST_GONE.
static int wake(struct host *host) {
    struct host_request hello = {.command = HOST_HELLO};
    struct host_answer answer;
    host->is_awake = true;
    if (host->is_gone) return HOST_GONE;
    (void)host_client_send(host, &hello, NULL); // as in host_client_exchange
    return host_client_receive(host, NULL, &answer);
}

// Whether what surrounds the launches is asked for apart: a bridge captures and moves tensors around every
// sample, which takes longer than the sample. Of single calls it is part.
static bool is_in_parts(const struct host *host, const struct batch *batch) {
    return host->has_hooks && batch->is_timed && !batch->is_by_call;
}

static struct host_request request_of(const struct batch *batch, enum batch_part part) {
    return (struct host_request){.command = HOST_RUN,
                                 .run = {.first_index = batch->first_index,
                                         .set_count = batch->set_count,
                                         .first_set = batch->first_set,
                                         .launches = batch->launches,
                                         .is_timed = batch->is_timed,
                                         .is_by_call = batch->is_by_call,
                                         .is_behind = batch->is_behind,
                                         .is_cold = batch->is_cold,
                                         .part = part,
                                         .behind_ns = batch->behind_ns}};
}

// What the judge's clock and the device say of one exchange.
struct judged_exchange {
    uint64_t start_ns;           // clock_ns
    uint64_t raw_ns;             // until the answer; where processes take turns, until the device is done
    uint64_t others_ns, late_ns; // how long the device was busy before it, and after the answer
};

// 0, or HOST_GONE. Before it and at its end nothing of another process runs on the device, and what the judge
// has enqueued there is done.
static int judge_exchange(struct host *host, struct device *device, const struct batch *batch,
                          struct host_request *request, struct host_answer *answer,
                          struct judged_exchange *ret) {
    const struct backend *backend = device->backend;
    host_client_look_around();
    if (backend->wait_for_others && wake(host)) return HOST_GONE;
    ret->others_ns = backend->wait_for_others ? backend->wait_for_others(device) : 0;
    host_waits_begin(&host->waits);
    ret->start_ns = clock_ns();
    if (!host->is_gone) (void)host_client_send(host, request, NULL); // as in host_client_exchange
    if (host->is_gone || host_client_receive(host, batch, answer)) return HOST_GONE;
    // Stopping the host takes 50 to 700 us, and its time shall not count: what it begins before it stands is
    // found before the next batch.
    ret->late_ns = backend->wait_for_others ? backend->wait_for_others(device) : 0;
    ret->raw_ns = (backend->wait_for_others ? clock_ns() : host->answered_ns) - ret->start_ns;
    return host_client_stop(host) ? HOST_GONE : 0;
}

// 0, or HOST_GONE. Raw time of the exchange around a batch in *ret_ns.
static int run_exchange(struct host *host, struct device *device, const struct batch *batch,
                        struct host_answer *answer, struct batch_time *ret, uint64_t *ret_ns) {
    const struct backend *backend = device->backend;
    struct host_request request = request_of(batch, is_in_parts(host, batch) ? BATCH_TIMED : BATCH_WHOLE);
    struct judged_exchange judged;
    if (backend->next_blocking_ns && !host->blocking_ns) host->blocking_ns = backend->next_blocking_ns(0, 0);
    request.run.blocking_ns = batch->blocking_ns ? batch->blocking_ns : host->blocking_ns;
    if (judge_exchange(host, device, batch, &request, answer, &judged)) return HOST_GONE;
    *ret_ns = judged.raw_ns;
    *ret = answer->time;
    if (ret->start_ns < judged.start_ns || ret->start_ns > host->answered_ns) ret->start_ns = judged.start_ns;
    // The host's own figure may hide what it waited, or invent it to lose a slow sample. On an accelerator it
    // is about enqueueing, too.
    const uint64_t known_wait_ns =
        backend->wait_for_others ? host_waits_taken_ns(&host->waits) : host->answered_wait_ns;
    ret->is_wait_known = host->waits.count > 0;
    if (ret->is_wait_known && (!backend->is_accelerator || known_wait_ns > ret->wait_ns))
        ret->wait_ns = known_wait_ns;
    // What the device was busy with after the answer, and not before the batch, the host has left there.
    if (!judged.others_ns) host_client_busy = judged.late_ns ? host : NULL;
    ret->others_ns = judged.others_ns;
    if (host_client_busy == host) ret->late_ns += judged.late_ns, ret->duration_ns += judged.late_ns;
    return 0;
}

static struct batch empty_batch(const struct batch *batch) {
    struct batch empty = *batch;
    empty.launches = 0;
    empty.is_timed = true;
    empty.on_answer = NULL;
    return empty;
}

// After the judge has drawn and checked tensors, the first exchange costs twice what the next ones do (20 and
// 35 us were seen): an empty one goes first, so that the one around the batch costs what was measured. An
// accelerator's turns cost so much more that it does not matter.
static void warm_up_exchange(struct host *host, struct device *device, const struct batch *batch) {
    struct host_answer answer = {0};
    struct batch_time time;
    uint64_t raw_ns;
    const struct batch empty = empty_batch(batch);
    if (batch->is_timed && batch->launches && !device->backend->is_accelerator)
        (void)run_exchange(host, device, &empty, &answer, &time, &raw_ns);
}

// ---- the parts of a batch of a kernel with hooks ----

// The host captures the launches, and brings outputs to where they will write.
static int stage(struct host *host, const struct batch *batch, struct host_answer *answer) {
    struct host_request request = request_of(batch, BATCH_STAGE);
    return host_client_exchange(host, &request, NULL, answer);
}

// The host brings what the launches wrote to the outputs. Time beyond what that costs counts for the batch,
// which it may have been finished in: *ret_ns, 0 where it is within what such copies vary by.
static int collect(struct host *host, struct device *device, const struct batch *batch,
                   struct host_answer *answer, uint64_t *ret_ns) {
    struct host_request request = request_of(batch, BATCH_COLLECT);
    struct judged_exchange judged;
    *ret_ns = 0;
    if (judge_exchange(host, device, NULL, &request, answer, &judged)) return HOST_GONE;
    const double beyond_ns = (double)judged.raw_ns - host->collect_ns;
    if (beyond_ns > COLLECT_ERROR_NS) *ret_ns = (uint64_t)beyond_ns;
    return 0;
}

int host_run(struct host *host, struct device *device, const struct batch *batch, struct batch_time *ret,
             struct assay_message *message) {
    struct host_answer answer = {0};
    uint64_t raw_ns = 0, collect_ns = 0;
    const bool has_parts = is_in_parts(host, batch);
    int code = has_parts ? stage(host, batch, &answer) : 0;
    if (code || host_client_status(host, code, &answer, NULL) != ASSAY_OK) {
        *ret = (struct batch_time){0};
        return host_client_status(host, code, &answer, message);
    }
    warm_up_exchange(host, device, batch); // if the host ends in it, the next one says so
    const uint64_t blocking_ns = host->blocking_ns;
    code = run_exchange(host, device, batch, &answer, ret, &raw_ns);
    const uint64_t usual_wait_ns = (uint64_t)host->exchange.wait_ns;
    ret->wait_ns = ret->wait_ns > usual_wait_ns ? ret->wait_ns - usual_wait_ns : 0;
    if (!code && batch->is_timed && !batch->is_by_call && device->backend->next_blocking_ns)
        host->blocking_ns = device->backend->next_blocking_ns(blocking_ns, answer.time.enqueue_ns);
    if (!code && has_parts && host_client_status(host, code, &answer, NULL) == ASSAY_OK)
        code = collect(host, device, batch, &answer, &collect_ns);
    const double spent_ns = (double)raw_ns - host->exchange.median_ns + (double)collect_ns -
                            ((double)blocking_ns - (double)host->exchange_blocking_ns);
    ret->judge_ns = spent_ns > 1 ? (uint64_t)spent_ns : 1;
    ret->judge_error_ns = host->exchange.spread_ns;
    return host_client_status(host, code, &answer, message);
}

// ---- what an exchange costs ----

// How long the judge takes to copy the outputs of all sets, of which there is no faster way to bring them.
// 0 where it cannot.
static int copy_outputs(struct device *device, const struct batch *batch, void *scratch, struct err *err) {
    const struct device_work *work = device->backend->work;
    char byte;
    for (uint32_t k = 0; k < batch->set_count; ++k)
        for (uint32_t i = 0; i < batch->sets[k].tensor_count; ++i) {
            const struct assay_tensor *tensor = assay_tensor_at(&batch->sets[k], i);
            if (tensor->access != ASSAY_IN)
                TRY(work->copy(device, scratch, tensor->data, tensor_span_bytes(tensor), err));
        }
    return work->copy_out(device, &byte, scratch, 1, err); // waits for the copies
}

static double copy_cost_ns(struct device *device, const struct batch *batch) {
    const struct device_work *work = device->backend->work;
    size_t most = 1;
    void *scratch = NULL;
    double least_ns = INFINITY;
    for (uint32_t i = 0; i < batch->sets[0].tensor_count; ++i) {
        const size_t bytes = tensor_span_bytes(assay_tensor_at(&batch->sets[0], i));
        if (bytes > most) most = bytes;
    }
    if (!work || work->scratch_alloc(device, most, &scratch, NULL) < 0) return 0;
    for (int i = 0; i < COPIES; ++i) {
        const uint64_t start_ns = clock_ns();
        if (copy_outputs(device, batch, scratch, NULL) < 0) least_ns = 0;
        least_ns = fmin(least_ns, (double)(clock_ns() - start_ns));
    }
    work->scratch_free(device, scratch);
    return least_ns;
}

// Measures the exchange that brings outputs. What a host takes beyond the judge's own copies is its word, and
// counts only within bounds.
static bool measure_collecting(struct host *host, struct device *device, const struct batch *batch) {
    double times_ns[EXCHANGES];
    struct host_request request = request_of(batch, BATCH_COLLECT);
    for (int i = -EXCHANGES_FIRST; i < EXCHANGES; ++i) {
        struct host_answer answer = {0};
        struct judged_exchange judged;
        const int code = judge_exchange(host, device, NULL, &request, &answer, &judged);
        if (host_client_status(host, code, &answer, NULL) != ASSAY_OK) return false;
        if (i >= 0) times_ns[i] = (double)judged.raw_ns;
    }
    const double most_ns = host->exchange.median_ns + copy_cost_ns(device, batch) + COLLECT_ERROR_NS;
    host->collect_ns = fmin(describe_unsorted_median(times_ns, EXCHANGES), most_ns);
    return true;
}

bool host_measure_exchange(struct host *host, struct device *device, const struct batch *batch) {
    double times_ns[EXCHANGES], waits_ns[EXCHANGES];
    const struct batch empty = empty_batch(batch);
    for (int i = -EXCHANGES_FIRST; i < EXCHANGES; ++i) {
        struct host_answer answer = {0};
        struct batch_time time = {0};
        uint64_t raw_ns = 0;
        const int code = run_exchange(host, device, &empty, &answer, &time, &raw_ns);
        if (host_client_status(host, code, &answer, NULL) != ASSAY_OK) return false;
        if (i < 0) continue;
        times_ns[i] = (double)raw_ns;
        waits_ns[i] = (double)time.wait_ns;
    }
    float_order_sort(times_ns, EXCHANGES);
    host->exchange.wait_ns =
        device->backend->is_accelerator ? 0 : describe_unsorted_median(waits_ns, EXCHANGES);
    host->exchange.median_ns = describe_median(times_ns, EXCHANGES);
    host->exchange.spread_ns =
        describe_percentile(times_ns, EXCHANGES, 0.9) - describe_percentile(times_ns, EXCHANGES, 0.1);
    if (device->backend->wait_for_others)
        host->exchange.spread_ns = fmax(host->exchange.spread_ns, TURNS_ERROR_NS);
    host->exchange_blocking_ns = host->blocking_ns;
    return !is_in_parts(host, &empty) || measure_collecting(host, device, &empty);
}

double host_exchange_ns(const struct host *host) {
    return host->exchange.median_ns;
}

void host_limit_exchange(struct host *host, double least_ns) {
    struct host_exchange *exchange = &host->exchange;
    const double above_ns = exchange->median_ns - least_ns;
    if (!(above_ns > 0)) return;
    exchange->median_ns = least_ns;
    exchange->spread_ns += fmin(above_ns, EXCESS_ERROR_NS);
}
