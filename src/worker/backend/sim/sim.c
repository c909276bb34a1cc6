// SPDX-License-Identifier: Apache-2.0
//
// A simulated device, "sim:NAME": its memory is the host's, its time is virtual. Every batch, reading and
// flush moves one clock forward by the duration that the script (record/sim_script.h) gives it, times what
// sim_noise.c draws. Launches give right results and take no more real time than computing them. No real
// measurement comes from here: this device tests assay's own statistics.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "gen/assay_config.h"
#include "worker/backend/backend.h"
#include "worker/backend/host_buffer.h"
#include "worker/backend/sim/sim_noise.h"
#include "worker/backend/sim/sim_stream.h"

// Virtual time of everything but launches; the order of magnitude is a processor's.
#define GAP_NS          5000u  // between two batches
#define SPIN_NS         20000u // one reading of the clock probe
#define FLUSH_NS        100000u
#define SPIN_JITTER_PCT 0.05 // largest error of a reading
#define BATCH_NS_MAX    1e15 // a batch takes no longer: the clock must not overflow
#define L2_BYTES        ((uint64_t)1 << 20)

extern const struct backend backend_sim; // below

struct simulated_device {
    struct device device; // first
    const struct sim_device *script;
    struct sim_stream stream;
    struct sim_noise_state noise;
    struct sim_condition condition;
    uint64_t seed;
    uint64_t opened_ns; // real time: virtual time starts here, so that it never runs backwards for the parent
    uint64_t virtual_ns; // since opening
    uint64_t spin_count;
    uint64_t others_ns, stolen_ns; // of batches, since opening
};

static struct simulated_device *own(struct device *device) {
    return (struct simulated_device *)device;
}

// The host's own work (filling, oracle, comparing) is done on the calling thread: most simulated problems are
// tiny.
static void run_serial(const struct assay_cpu_stream *stream, int64_t count,
                       void (*body)(void *arg, int64_t index, uint32_t thread), void *arg) {
    (void)stream;
    for (int64_t i = 0; i < count; ++i) body(arg, i, 0);
}

static size_t sim_list(struct device_info *ret, size_t capacity) {
    (void)ret, (void)capacity; // scripts are a manifest's, not the machine's
    return 0;
}

static int sim_open(const struct device_request *request, struct device **ret, struct err *err) {
    const struct sim_device *script = request->sim;
    if (!script || !str_equal(script->name, request->device))
        return err_set(err, ERR_UNAVAILABLE,
                       "device '%s' has no script here: a simulated device exists only within a run whose "
                       "manifest or table of devices describes it",
                       request->device);
    TRY(sim_device_check(script, request->device, err));
    struct simulated_device *sim = mem_alloc(sizeof *sim);
    struct device *device = &sim->device;
    sim->script = script;
    sim->seed =
        rng_u64(request->seed, rng_stream("sim spin"), ((uint64_t)request->round << 32) | request->attempt);
    sim->condition = sim_condition_at(script, request->round, request->attempt);
    sim_noise_init(&sim->noise, script, request->seed, request->round, request->attempt);
    sim->opened_ns = clock_ns();
    sim->stream.host = (struct assay_cpu_stream){
        .struct_size = sizeof sim->stream.host, .thread_count = 1, .parallel_for = run_serial};
    device->backend = &backend_sim;
    struct device_info *info = &device->info;
    snprintf(info->device, sizeof info->device, "%s", script->name);
    snprintf(info->name, sizeof info->name, "simulated: %s",
             script->summary ? script->summary : script->name);
    sim_device_uuid(script, info->uuid);
    snprintf(info->driver, sizeof info->driver, "assay %s", ASSAY_VERSION);
    snprintf(info->threads, sizeof info->threads, "1 simulated");
    info->thread_count = 1;
    info->l2_bytes = info->llc_bytes = L2_BYTES;
    device->env = (struct assay_env){
        .struct_size = sizeof device->env, .thread_count = 1, .device_index = -1, .cache_bytes = L2_BYTES};
    device->stream = &sim->stream;
    device->host_stream = &sim->stream.host;
    device->rotate_bytes = 1; // no cache: the smallest number of sets suffices
    device->is_virtual = true;
    device->sees_waits = sim_noise_is_disturbed(&script->noise);
    device->timer_step_ns = fmax(script->timer_step_ns, 1);
    *ret = device;
    return 0;
}

static void sim_close(struct device *device) {
    if (!device) return;
    sim_noise_fini(&own(device)->noise);
    free(device);
}

// ---- time ----

static uint64_t sim_now(const struct device *device) {
    const struct simulated_device *sim = (const struct simulated_device *)device;
    return sim->opened_ns + sim->virtual_ns;
}

static void sim_flush_cache(struct device *device) {
    own(device)->virtual_ns += FLUSH_NS;
}

// Launches only: they take no time until sim_settle.
static int sim_launch(struct device *device, const struct batch *batch, struct batch_time *ret,
                      struct assay_message *message) {
    struct simulated_device *sim = own(device);
    // Every set is computed once; the last call stands for all launches that are left.
    const uint32_t calls = batch->launches < batch->set_count ? batch->launches : batch->set_count;
    int status = ASSAY_OK;
    for (uint32_t i = 0; i < calls && status == ASSAY_OK; ++i) {
        sim->stream.launches = i + 1 < calls ? 1 : batch->launches - i;
        status = batch->kernel->launch(batch->state, &batch->sets[(batch->first_set + i) % batch->set_count],
                                       batch->workspace, &sim->stream, message);
    }
    ret->cost = sim->stream.spend;
    return status;
}

static void sim_settle(struct device *device, const struct batch *batch, struct batch_time *time) {
    struct simulated_device *sim = own(device);
    const struct batch_cost *cost = &time->cost;
    if (batch->is_cold) sim_flush_cache(device);
    const struct sim_disturbance others = sim_noise_disturb(&sim->noise, sim->virtual_ns);
    const double ratio = sim->condition.slower_ratio * others.slower_ratio *
                         sim_noise_next(&sim->noise, cost, sim->virtual_ns);
    const double launch_ns = cost->nominal_ns + (batch->is_by_call ? cost->overhead_ns : 0);
    const double true_ns = fmin(
        launch_ns * batch->launches * ratio + (double)others.wait_ns + (double)others.steal_ns, BATCH_NS_MAX);
    const double step_ns = device->timer_step_ns;
    time->start_ns = sim_now(device);
    time->duration_ns =
        true_ns >= step_ns ? (uint64_t)llround(step_ns * round(true_ns / step_ns)) : (uint64_t)step_ns;
    sim->virtual_ns += time->duration_ns + GAP_NS;
    sim->others_ns += others.wait_ns;
    sim->stolen_ns += others.steal_ns;
    time->wait_ns = others.wait_ns;
    time->steal_ns = others.steal_ns;
    if (!time->judge_ns) return; // in one process there is one clock
    time->judge_ns = time->duration_ns;
    time->judge_error_ns = 0;
    time->is_wait_known = true;
    if (cost->stamp_ratio > 0)
        time->duration_ns = 1 + (uint64_t)(cost->stamp_ratio * (double)time->duration_ns);
}

static int sim_run(struct device *device, const struct batch *batch, struct batch_time *ret,
                   struct assay_message *message) {
    *ret = (struct batch_time){0};
    const int status = sim_launch(device, batch, ret, message);
    sim_settle(device, batch, ret);
    return status;
}

// ---- state ----

static double clock_hz(struct simulated_device *sim) {
    const struct sim_noise *noise = &sim->script->noise;
    double hz = sim->script->clock_mhz * 1e6 * sim->condition.clock_ratio;
    if (noise->is_mode_a_clock && sim_noise_is_slow(&sim->noise, sim->virtual_ns))
        hz /= 1 + noise->mode_slower_pct / 100;
    return hz;
}

// The clock of the next batch.
static double read_clock_probe_hz(struct device *device) {
    struct simulated_device *sim = own(device);
    sim->virtual_ns += SPIN_NS;
    const double jitter = 2 * rng_uniform(sim->seed, rng_stream("sim jitter"), sim->spin_count++) - 1;
    return round(clock_hz(sim) * (1 + SPIN_JITTER_PCT / 100 * jitter)); // whole Hz: short in the journal
}

static void read_state(struct device *device, struct device_state *ret) {
    struct simulated_device *sim = own(device);
    *ret = device_state_unknown();
    ret->temperature_c = sim->condition.temperature_c;
    ret->clock_hz = clock_hz(sim);
    ret->power_w = sim->script->power_w;
    throttle_format(sim->condition.throttle, ret->throttle);
    ret->other_process_count = (int)sim->condition.other_process_count;
}

static void begin_window(struct device *device, struct state_window *window) {
    const struct simulated_device *sim = own(device);
    *window = (struct state_window){
        .begin_ns = sim_now(device), .begin_busy_ns = sim->others_ns, .begin_steal_ns = sim->stolen_ns};
}

static void end_window(struct device *device, struct state_window *window) {
    const struct simulated_device *sim = own(device);
    window->duration_ns = sim_now(device) - window->begin_ns;
    window->capacity_ns = window->duration_ns;
    window->others_ns = (uint64_t)(sim->condition.others_pct / 100 * (double)window->capacity_ns) +
                        sim->others_ns - window->begin_busy_ns;
    window->steal_ns = sim->stolen_ns - window->begin_steal_ns;
}

const struct backend backend_sim = {
    .name = "sim",
    .list = sim_list,
    .open = sim_open,
    .close = sim_close,
    .buffer_alloc = host_buffer_alloc,
    .buffer_free = host_buffer_free,
    .buffer_import = host_buffer_import,
    .buffer_upload = host_buffer_move,
    .buffer_download = host_buffer_move,
    .buffer_is_violated = host_buffer_is_violated,
    .find_fault = host_buffer_find_fault,
    .run = sim_run,
    .settle = sim_settle,
    .flush_cache = sim_flush_cache,
    .read_clock_probe_hz = read_clock_probe_hz,
    .read_state = read_state,
    .now_ns = sim_now,
    .window_begin = begin_window,
    .window_end = end_window,
};
