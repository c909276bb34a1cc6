// SPDX-License-Identifier: Apache-2.0
//
// Batches that a host runs: the judge's clock around them, and what it costs to ask a host for nothing.
#include <math.h>

#include "base/clock.h"
#include "stats/describe.h"
#include "stats/float_order.h"
#include "worker/host/host_client.h"
#include "worker/host/host_client_internal.h"
#include "worker/host/host_process.h"

// Threads of OpenMP spin for up to 1 ms before they sleep, longer beside programs that want their processor.
#define RESTLESS_NS     50000.0
#define SETTLE_LOOK_NS  100000u
#define SETTLE_MOST_NS  5000000u
#define EXCHANGES       21
#define EXCHANGES_FIRST 4 // not counted: pages and caches are cold
// What the exchange ahead of a sample may cost, by what it costs in a row of them (6 us): 12 to 17 us were
// seen on the caches that drawing leaves, 20 to 40 beside programs that load every processor.
#define AHEAD_RATIO 3.0
// What an exchange with compiled code on a processor costs at most, if no other side says that it costs less.
#define ALONE_MOST_NS 30000.0
// Where processes take turns on the device: what a turn varies by, though some exchanges should not show it.
#define TURNS_ERROR_NS 50000.0
// Waking a process with a driver's threads takes 30 to 340 us on an H200's host, from sample to sample. So
// much is not held against it while the device shows that nothing was computed there.
#define WAKING_MOST_NS 500000.0
// What an interpreter's exchange may cost beyond that of compiled code.
#define EXCESS_ERROR_NS 50000.0
// What bringing returned tensors may take beyond the judge's own copies of them, and vary by.
#define COLLECT_ERROR_NS 100000.0
#define COPIES           5

// Whether what surrounds the launches is asked for apart: a bridge captures and moves tensors around every
// sample, which takes longer than the sample. Of single calls it is part.
static bool is_in_parts(const struct host *host, const struct batch *batch) {
    return host->has_hooks && batch->is_timed && !batch->is_by_call;
}

// A kernel can read what its process is asked. So a request to a processor's host does not tell a check or a
// single call from a batch of the samples but by the number of launches: it does not say what is timed, and
// names no other sets than those that it launches on. What is flushed (is_cold) the host has to know.
static void hide_purpose(struct host_run *run) {
    const uint32_t first = run->first_set % run->set_count;
    run->is_timed = run->is_by_call = false;
    if (!run->launches || run->launches > run->set_count - first) return; // all sets, in turn
    run->first_index += first;
    run->first_set = 0;
    run->set_count = run->launches;
}

static struct host_request request_of(const struct device *device, const struct batch *batch,
                                      enum batch_part part) {
    struct host_request ret = {.command = HOST_RUN,
                               .run = {.first_index = batch->first_index,
                                       .set_count = batch->set_count,
                                       .first_set = batch->first_set,
                                       .launches = batch->launches,
                                       .is_timed = batch->is_timed,
                                       .is_by_call = batch->is_by_call,
                                       .is_behind = batch->is_behind,
                                       .is_cold = batch->is_cold,
                                       .part = part,
                                       .has_late = batch->late != NULL,
                                       .late_seed = batch->late ? batch->late->seed : 0,
                                       .behind_ns = batch->behind_ns}};
    if (!device->backend->is_accelerator && !device->is_virtual) hide_purpose(&ret.run);
    return ret;
}

// ---- the time that a host runs for a batch ----

static bool takes_turns(const struct device *device) {
    return device->backend->wait_for_others != NULL;
}

static uint64_t wait_for_others(struct device *device, double *turn_ns) {
    return takes_turns(device) ? device->backend->wait_for_others(device, turn_ns) : 0;
}

// The status of the answer; the host goes on running.
static int ask(struct host *host, const struct batch *batch, struct host_request *request,
               struct host_answer *answer) {
    (void)host_client_send(host, request, NULL); // as in host_client_exchange
    return host_client_status(host, host_client_receive(host, batch, answer), answer, NULL);
}

// The first exchange after the judge has drawn and checked tensors costs twice what the next ones do (20 and
// 35 us were seen), so one for nothing goes ahead: of every batch, so that none is told from a sample by it.
// Where processes take turns on the device, the host then waits for the next command without sleeping, so
// that no exchange is the time of waking it.
static int go_ahead(struct host *host, struct device *device, struct host_answer *answer,
                    struct host_window *window) {
    struct host_request request = {.command = HOST_HELLO};
    const uint64_t begin_ns = clock_ns();
    host->is_awake |= takes_turns(device);
    const int status = ask(host, NULL, &request, answer);
    if (status != ASSAY_OK) return status;
    window->others_ns = wait_for_others(device, &window->ahead_turn_ns);
    const uint64_t wait_ns = host_waits_next(&host->waits);
    if (!host->may_fork) window->ahead_wait_ns = wait_ns;
    window->ahead_ns = clock_ns() - begin_ns;
    return status;
}

// A kernel with hooks captures its launches, and brings outputs to where they will write: once the host is
// awake, since waking a process takes hundreds of microseconds that vary, and only an idle device shows that
// nothing was computed in them.
static int stage(struct host *host, struct device *device, const struct batch *batch,
                 struct host_answer *answer, struct host_window *window) {
    struct host_request request = request_of(device, batch, BATCH_STAGE);
    const uint64_t begin_ns = clock_ns();
    const int status = ask(host, NULL, &request, answer);
    if (status != ASSAY_OK) return status;
    window->others_ns += wait_for_others(device, NULL);
    (void)host_waits_next(&host->waits);
    window->stage_ns = clock_ns() - begin_ns;
    return status;
}

static int collect(struct host *host, struct device *device, const struct batch *batch,
                   struct host_answer *answer, struct host_window *window) {
    struct host_request request = request_of(device, batch, BATCH_COLLECT);
    const uint64_t start_ns = clock_ns();
    const int status = ask(host, NULL, &request, answer);
    (void)wait_for_others(device, NULL);
    window->collect_ns = clock_ns() - start_ns;
    return status;
}

static int run_launches(struct host *host, struct device *device, const struct batch *batch,
                        struct host_answer *answer, struct host_window *ret) {
    const bool has_parts = is_in_parts(host, batch), has_turns = takes_turns(device);
    struct host_request request = request_of(device, batch, has_parts ? BATCH_TIMED : BATCH_WHOLE);
    request.run.blocking_ns = batch->blocking_ns ? batch->blocking_ns : host->blocking_ns;
    ret->start_ns = clock_ns();
    int status = ask(host, has_turns ? NULL : batch, &request, answer);
    if (host->is_gone) return status;
    ret->raw_ns = host->answered_ns - ret->start_ns;
    ret->wait_ns = host->answered_wait_ns;
    if (has_turns) {
        ret->late_ns = wait_for_others(device, &ret->turn_ns);
        ret->raw_ns = clock_ns() - ret->start_ns;
        ret->wait_ns = host_waits_taken_ns(&host->waits);
    }
    struct host_answer collected = {0};
    if (status == ASSAY_OK && has_parts) status = collect(host, device, batch, &collected, ret);
    if (status != ASSAY_OK && collected.kind) *answer = collected;
    // Stopping a host with threads of a driver takes 50 to 700 us: what is not written by now is missing.
    if (has_turns && batch->on_answer && !host->is_gone) batch->on_answer(batch->arg);
    return status;
}

// While a thread runs, its time is counted up to the last tick only, so the host has to be stopped. Its
// children have clocks of their own.
static uint64_t stopped_cpu_ns(const struct host *host) {
    return host->may_fork ? 0 : host_cpu_ns(host);
}

// The first status that is not ASSAY_OK. When the launches are asked for, nothing of another process runs on
// the device, and what the judge has enqueued there is done.
static int run_window(struct host *host, struct device *device, const struct batch *batch,
                      struct host_answer *answer, struct host_window *ret) {
    *ret = (struct host_window){0};
    host_client_look_around();
    if (host->is_gone) return host_client_status(host, HOST_GONE, answer, NULL);
    // Where time is simulated nothing that a host does between batches is time, and its kernel is a script:
    // it is not stopped, which would be half of what a gate there costs.
    if (device->is_virtual) return run_launches(host, device, batch, answer, ret);
    host_waits_begin(&host->waits);
    const uint64_t cpu_ns = stopped_cpu_ns(host);
    int status = go_ahead(host, device, answer, ret);
    if (status == ASSAY_OK && is_in_parts(host, batch)) status = stage(host, device, batch, answer, ret);
    if (status == ASSAY_OK) status = run_launches(host, device, batch, answer, ret);
    if (!host->is_gone && host_client_stop(host)) status = host_client_status(host, HOST_GONE, answer, NULL);
    if (host->is_gone) return status;
    ret->cpu_ns = stopped_cpu_ns(host) - cpu_ns;
    return status;
}

// Without judge_ns.
static void take_times(const struct host *host, const struct device *device, const struct host_answer *answer,
                       const struct host_window *window, struct batch_time *ret) {
    const struct batch_time *said = &answer->time;
    const uint64_t end_ns = window->start_ns + window->raw_ns;
    *ret = *said;
    if (said->start_ns < window->start_ns || said->start_ns > end_ns) ret->start_ns = window->start_ns;
    // The host's own figure may hide what it waited, or invent it to lose a slow sample. On an accelerator it
    // is about enqueueing, too.
    ret->is_wait_known = host->waits.count > 0;
    if (ret->is_wait_known && (!device->backend->is_accelerator || window->wait_ns > said->wait_ns))
        ret->wait_ns = window->wait_ns;
    const uint64_t usual_wait_ns = (uint64_t)host->exchange.wait_ns;
    ret->wait_ns = ret->wait_ns > usual_wait_ns ? ret->wait_ns - usual_wait_ns : 0;
    // What the device was busy with after the answer, and not before the batch, the host has left there.
    if (!window->others_ns) host_client_busy = window->late_ns ? host : NULL;
    ret->others_ns = window->others_ns;
    if (host_client_busy == host) ret->late_ns += window->late_ns, ret->duration_ns += window->late_ns;
    ret->ahead_ns = window->ahead_ns + window->stage_ns;
    ret->cpu_ns = window->cpu_ns;
}

// Whether the device has computed nothing for the host between the continuing of it and the command: the
// judge's turn there goes on, and a switch would have cost more. A host can make a switch look long, by work
// that it leaves behind when nothing is asked for: hence not more than a turn varies by.
static bool was_idle_ahead(const struct host_exchange *exchange, double ahead_turn_ns) {
    return ahead_turn_ns < fmin(exchange->turn_ns / 2, TURNS_ERROR_NS);
}

double host_known_ahead_ns(const struct host_exchange *exchange, bool has_turns, double ahead_turn_ns) {
    if (!has_turns) return AHEAD_RATIO * exchange->ahead_ns;
    return exchange->ahead_ns + (was_idle_ahead(exchange, ahead_turn_ns) ? WAKING_MOST_NS : TURNS_ERROR_NS);
}

double host_excess_ns(const struct host_exchange *exchange, bool has_turns,
                      const struct host_window *window) {
    const double known_ns = host_known_ahead_ns(exchange, has_turns, window->ahead_turn_ns);
    const double ahead_ns = (double)window->ahead_ns - (double)window->ahead_wait_ns - known_ns;
    const double stage_ns = (double)window->stage_ns - exchange->collect_ns - COLLECT_ERROR_NS;
    const double collect_ns = (double)window->collect_ns - exchange->collect_ns;
    return fmax(ahead_ns, 0) + fmax(stage_ns, 0) + (collect_ns > COLLECT_ERROR_NS ? collect_ns : 0);
}

// A single thread has nobody to wait for, and what an exchange ahead costs must be known.
static bool has_spun(const struct host *host, const struct device *device, double beyond_ns) {
    return beyond_ns > RESTLESS_NS && host->exchange.ahead_ns > 0 && !takes_turns(device) &&
           host_process_thread_count(host_pid(host)) > 1;
}

bool host_is_restless(const struct host *host) {
    return host->is_restless;
}

void host_settle(struct host *host) {
    if (!host_idle_begin(host)) return;
    const uint64_t until_ns = clock_ns() + SETTLE_MOST_NS;
    do clock_sleep_ns(SETTLE_LOOK_NS);
    while (host_process_runnable_threads(host_pid(host)) && clock_ns() < until_ns);
    host_idle_end(host);
}

int host_run(struct host *host, struct device *device, const struct batch *batch, struct batch_time *ret,
             struct assay_message *message) {
    const struct backend *backend = device->backend;
    struct host_answer answer = {0};
    struct host_window window;
    if (backend->next_blocking_ns && !host->blocking_ns) host->blocking_ns = backend->next_blocking_ns(0, 0);
    const uint64_t blocking_ns = host->blocking_ns;
    *ret = (struct batch_time){0};
    (void)run_window(host, device, batch, &answer, &window); // the answer says it, or the host's end
    if (window.raw_ns && !host->is_gone) take_times(host, device, &answer, &window, ret);
    if (window.raw_ns && batch->is_timed && !batch->is_by_call && backend->next_blocking_ns)
        host->blocking_ns = backend->next_blocking_ns(blocking_ns, answer.time.enqueue_ns);
    const double beyond_ns = host_excess_ns(&host->exchange, takes_turns(device), &window);
    if (has_spun(host, device, beyond_ns)) host->is_restless = true;
    const double spent_ns = (double)window.raw_ns - host->exchange.median_ns + beyond_ns -
                            ((double)blocking_ns - (double)host->exchange_blocking_ns);
    ret->judge_ns = spent_ns > 1 ? (uint64_t)spent_ns : 1;
    ret->judge_error_ns = host->exchange.spread_ns;
    return host_client_status(host, host->is_gone ? HOST_GONE : 0, &answer, message);
}

// ---- commands in a row ----

void host_hold(struct host *host) {
    host->is_held = true;
}

void host_let_go(struct host *host) {
    host->is_held = false;
    if (host->is_running && !host->is_gone) (void)host_client_stop(host); // the next command finds out
}

// One launch, and how long it took from the command to the answer.
static int run_one(struct host *host, const struct device *device, const struct batch *batch,
                   struct host_answer *answer, double *ret_ns) {
    struct host_request request = request_of(device, batch, BATCH_WHOLE);
    const uint64_t start_ns = clock_ns();
    const int status = ask(host, NULL, &request, answer);
    *ret_ns = (double)(host->answered_ns - start_ns) - host->exchange.median_ns;
    return status;
}

int host_run_row(struct host *host, struct device *device, const struct batch *batch, const uint32_t *sets,
                 struct host_row *ret, struct assay_message *message) {
    struct host_answer answer = {0};
    struct batch one = *batch;
    int status = ASSAY_OK;
    *ret = (struct host_row){0};
    one.launches = 1;
    host_client_look_around();
    if (host->is_gone) return host_client_status(host, HOST_GONE, &answer, message);
    host_waits_begin(&host->waits);
    const uint64_t cpu_ns = stopped_cpu_ns(host), own_ns = host_waits_own_ns();
    for (uint32_t i = 0; i < batch->launches && status == ASSAY_OK && !host->is_gone; ++i) {
        double ns;
        one.first_set = sets[i];
        status = run_one(host, device, &one, &answer, &ns);
        ret->launches_ns += ns > 1 ? (uint64_t)ns : 1;
    }
    const double usual_ns = host->exchange.wait_ns * batch->launches;
    const double first_ns = (double)host_waits_first_ns(&host->waits);
    ret->wait_ns = host_waits_own_ns() - own_ns + (uint64_t)fmax(first_ns - usual_ns, 0);
    if (!host->is_gone && host_client_stop(host) == 0) ret->cpu_ns = stopped_cpu_ns(host) - cpu_ns;
    return host_client_status(host, host->is_gone ? HOST_GONE : 0, &answer, message);
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

// What a host takes to bring outputs beyond the judge's own copies is its word, and counts only within
// bounds.
static double limited_collect_ns(const struct host *host, struct device *device, const struct batch *batch,
                                 double median_ns) {
    return fmin(median_ns, host->exchange.median_ns + copy_cost_ns(device, batch) + COLLECT_ERROR_NS);
}

bool host_measure_exchange(struct host *host, struct device *device, const struct batch *batch) {
    const struct backend *backend = device->backend;
    double times_ns[EXCHANGES], waits_ns[EXCHANGES], aheads_ns[EXCHANGES], collects_ns[EXCHANGES];
    double turns_ns[EXCHANGES];
    struct batch empty = *batch;
    empty.launches = 0;
    empty.is_timed = true;
    empty.on_answer = NULL;
    if (backend->next_blocking_ns && !host->blocking_ns) host->blocking_ns = backend->next_blocking_ns(0, 0);
    host->is_restless = false;
    for (int i = -EXCHANGES_FIRST; i < EXCHANGES; ++i) {
        struct host_answer answer = {0};
        struct host_window window;
        if (run_window(host, device, &empty, &answer, &window) != ASSAY_OK) return false;
        if (i < 0) continue;
        times_ns[i] = (double)window.raw_ns;
        waits_ns[i] = (double)window.wait_ns;
        aheads_ns[i] = (double)window.ahead_ns - (double)window.ahead_wait_ns;
        collects_ns[i] = (double)window.collect_ns;
        turns_ns[i] = window.turn_ns;
    }
    float_order_sort(times_ns, EXCHANGES);
    struct host_exchange *exchange = &host->exchange;
    exchange->wait_ns = backend->is_accelerator ? 0 : describe_unsorted_median(waits_ns, EXCHANGES);
    exchange->median_ns = describe_median(times_ns, EXCHANGES);
    exchange->ahead_ns = describe_unsorted_median(aheads_ns, EXCHANGES);
    exchange->turn_ns = describe_unsorted_median(turns_ns, EXCHANGES);
    exchange->spread_ns =
        describe_percentile(times_ns, EXCHANGES, 0.9) - describe_percentile(times_ns, EXCHANGES, 0.1);
    if (takes_turns(device)) exchange->spread_ns = fmax(exchange->spread_ns, TURNS_ERROR_NS);
    host->exchange_blocking_ns = host->blocking_ns;
    const struct host_cost most = {.exchange_ns = ALONE_MOST_NS, .ahead_ns = ALONE_MOST_NS};
    if (!host->may_fork && !takes_turns(device)) host_limit_cost(host, &most);
    if (is_in_parts(host, &empty))
        exchange->collect_ns =
            limited_collect_ns(host, device, &empty, describe_unsorted_median(collects_ns, EXCHANGES));
    return true;
}

struct host_cost host_cost(const struct host *host) {
    const struct host_exchange *exchange = &host->exchange;
    return (struct host_cost){.exchange_ns = exchange->median_ns - (double)host->exchange_blocking_ns,
                              .ahead_ns = exchange->ahead_ns,
                              .turn_ns = exchange->turn_ns};
}

void host_limit_cost(struct host *host, const struct host_cost *least) {
    struct host_exchange *exchange = &host->exchange;
    const double most_ns = least->exchange_ns + (double)host->exchange_blocking_ns;
    const double above_ns = exchange->median_ns - most_ns;
    exchange->ahead_ns = fmin(exchange->ahead_ns, least->ahead_ns);
    exchange->turn_ns = fmin(exchange->turn_ns, least->turn_ns);
    if (!(above_ns > 0)) return;
    exchange->median_ns = most_ns;
    exchange->spread_ns += fmin(above_ns, EXCESS_ERROR_NS);
}
