// SPDX-License-Identifier: Apache-2.0
//
// A device without hardware for tests of the sampler: its times, clocks and faults come from a script.
#ifndef FAKE_SAMPLER_H
#define FAKE_SAMPLER_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "worker/measure/sampler.h"
#include "worker/measure/stabilize.h"

struct script {
    uint64_t now_ns;
    double launch_ns[WORK_SIDES_MAX]; // of each side's kernel
    double noise_ratio;               // standard deviation
    uint64_t draws;
    char order[4096]; // a letter a batch
    size_t batches;
    size_t flushes;
    size_t unflushed_at;          // batch before which the flush fails
    double clock_hz, clock_drift; // relative, a reading
    size_t clock_readings;
    size_t apart_until;       // reading up to which the second of two sides has another clock
    double apart_ratio;       // by so much
    size_t fail_at;           // batch that returns an error; SIZE_MAX: none
    size_t wait_at, steal_at; // batch that is disturbed
    size_t steal_side;        // all of whose batches are
    size_t tail_side;         // whose batches are outlasted a little
    double tail_ns, tail_of_nothing_ns;
    size_t tail_until; // batches from that number on end with their stream
    size_t controls;
    uint64_t control_ns;
    // What another process has on the device: seen in so many looks, and in batches from there on.
    size_t busy_looks, looks, others_from;
    size_t late_at, late_from;     // batch, and all batches from there, that work elsewhere outlasts,
    size_t late_until;             // before that one
    size_t untimed;                // batches launched one by one
    size_t begun, ended, stale_at; // samples; the one that has left its outputs alone
    size_t begun_side;             // of the last one
    size_t broken_from;            // samples whose outputs cannot hold canaries
    uint32_t first_set;            // of whole rotations
    uint32_t audit_first;
    // audit
    char audits[64];
    size_t audit_count;
    bool is_auditing;
    int audit_answer;
    // Another process: what it states, as a share of the judge's time; 0: there is one clock.
    double stated[WORK_SIDES_MAX], judge_error_ns;
    bool is_wait_known;
    // A counter of energy that shows what was used until energy_lag_ns ago; 0 W: there is none.
    double power_w[WORK_SIDES_MAX];
    uint64_t energy_lag_ns;
    size_t energy_count;
    struct {
        uint64_t from_ns;
        double used_j, power_w;
    } energy[4096]; // a batch each
};
static struct script script;

static void use_energy(size_t side) {
    if (!(script.power_w[0] > 0)) return;
    const size_t at = script.energy_count++;
    assert_true(at < sizeof script.energy / sizeof *script.energy);
    script.energy[at].from_ns = script.now_ns;
    script.energy[at].power_w = script.power_w[side];
    script.energy[at].used_j =
        at ? script.energy[at - 1].used_j +
                 script.energy[at - 1].power_w * (double)(script.now_ns - script.energy[at - 1].from_ns) / 1e9
           : 1;
}

static uint64_t fake_energy_mj(void) {
    const uint64_t shown_ns = script.now_ns > script.energy_lag_ns ? script.now_ns - script.energy_lag_ns : 0;
    size_t at = script.energy_count;
    while (at > 1 && script.energy[at - 1].from_ns > shown_ns) --at;
    if (!at) return 0;
    return (uint64_t)(1e3 * (script.energy[at - 1].used_j +
                             script.energy[at - 1].power_w *
                                 (double)(shown_ns - script.energy[at - 1].from_ns) / 1e9));
}

static void fake_window_begin(struct device *device, struct state_window *window) {
    (void)device;
    *window = (struct state_window){.begin_ns = script.now_ns, .begin_energy_mj = fake_energy_mj()};
}

static void fake_window_end(struct device *device, struct state_window *window) {
    (void)device;
    window->duration_ns = script.now_ns - window->begin_ns;
    if (window->begin_energy_mj) window->energy_mj = fake_energy_mj() - window->begin_energy_mj;
}

static uint64_t fake_now_ns(const struct device *device) {
    (void)device;
    return script.now_ns;
}

static int fake_run(struct device *device, const struct batch *batch, struct batch_time *ret,
                    struct assay_message *message) {
    const size_t side = (size_t)(uintptr_t)batch->state;
    if (script.batches == script.fail_at) return assay_say(message, ASSAY_FAILED, "scripted");
    const double noise = 1 + script.noise_ratio * rng_normal(1, 2, script.draws++);
    ret->start_ns = script.now_ns;
    ret->duration_ns = (uint64_t)(script.launch_ns[side] * batch->launches * (noise > 0.1 ? noise : 0.1)) + 1;
    ret->wait_ns = script.batches == script.wait_at ? ret->duration_ns / 2 + 1000000 : 0;
    ret->steal_ns = script.batches == script.steal_at || side == script.steal_side ? 10000000 : 0;
    ret->late_ns = script.batches == script.late_at ||
                           (script.batches >= script.late_from && script.batches < script.late_until)
                       ? 50000
                       : 0;
    ret->others_ns = script.batches >= script.others_from ? 20000 : 0;
    const bool has_tail = side == script.tail_side && script.batches < script.tail_until;
    ret->tail_ns = has_tail ? script.tail_ns + 1000 * rng_normal(1, 3, script.draws) : 0;
    if (script.stated[side] > 0) ret->judge_ns = (uint64_t)((double)ret->duration_ns / script.stated[side]);
    ret->judge_error_ns = script.judge_error_ns;
    ret->is_wait_known = script.is_wait_known;
    ret->kernel_clock_hz = 1e9 + (double)side;
    script.untimed += !batch->is_timed;
    script.flushes += batch->is_cold;
    device->has_flush_failed = batch->is_cold && script.batches == script.unflushed_at;
    snprintf(device->flush_doubt, sizeof device->flush_doubt, "%s",
             device->has_flush_failed ? "scripted" : "");
    if (device->wants_whole_rotations && batch->is_timed) {
        assert_int_equal(batch->first_set, script.first_set);
        assert_int_equal(batch->launches % batch->set_count, 0);
    }
    use_energy(side);
    script.now_ns += ret->duration_ns;
    if (script.batches < sizeof script.order - 1) script.order[script.batches] = (char)('A' + side);
    ++script.batches;
    return ASSAY_OK;
}

static double fake_clock_probe(struct device *device) {
    (void)device;
    const size_t reading = script.clock_readings++;
    const bool is_second = script.begun_side == 1;
    script.clock_hz *= 1 + script.clock_drift;
    return script.clock_hz * (is_second && reading < script.apart_until ? script.apart_ratio : 1);
}

static double fake_tail(struct device *device, uint64_t duration_ns) {
    (void)device;
    script.control_ns = duration_ns;
    return script.controls++ % 4 == 3 ? NAN : script.tail_of_nothing_ns;
}

static uint64_t fake_wait_for_others(struct device *device, double *turn_ns) {
    (void)device, (void)turn_ns;
    return script.looks++ < script.busy_looks ? 500000 : 0;
}

#define FAKE_BACKEND                                                                                         \
    .name = "fake", .run = fake_run, .read_clock_probe_hz = fake_clock_probe, .read_tail_ns = fake_tail,     \
    .window_begin = fake_window_begin, .window_end = fake_window_end
static const struct backend fake_backend = {FAKE_BACKEND};
// Whose clock is the script's, too.
__attribute__((unused)) static const struct backend fake_backend_clocked = {FAKE_BACKEND,
                                                                            .now_ns = fake_now_ns};
// Where processes take turns on the device.
__attribute__((unused)) static const struct backend fake_backend_shared = {
    FAKE_BACKEND, .wait_for_others = fake_wait_for_others};
static struct device fake_device = {.backend = &fake_backend};

static int sample_begin(void *arg, size_t side, const struct batch *batch, struct err *err) {
    (void)arg;
    assert_true(batch->first_set < batch->set_count);
    script.begun_side = side;
    if (script.is_auditing) assert_int_equal(batch->first_set, script.audit_first);
    assert_int_equal(script.begun++, script.ended);
    return script.begun > script.broken_from ? err_set(err, ERR_UNAVAILABLE, "no more canaries") : 0;
}

static int sample_end(void *arg, size_t side, const struct batch *batch, struct err *err) {
    (void)arg, (void)side, (void)batch, (void)err;
    return script.ended++ == script.stale_at ? SAMPLE_WRONG : SAMPLE_RIGHT;
}

static int audit_begin(void *arg, size_t side, const struct batch *batch, struct err *err) {
    (void)arg, (void)err;
    script.is_auditing = true;
    script.audit_first = batch->first_set;
    script.audits[script.audit_count++] = (char)('A' + side);
    return 0;
}

static int audit_end(void *arg, size_t side, const struct batch *batch, struct err *err) {
    (void)arg, (void)side, (void)err;
    assert_int_equal(batch->first_set, script.audit_first);
    script.is_auditing = false;
    return script.audit_answer;
}

__attribute__((unused)) static struct sampling quick(uint32_t count) {
    return (struct sampling){.sample_count = count,
                             .warmup_count = 3,
                             .sample_time_ns = 1000000,
                             .cache_mode = CACHE_ROTATE,
                             .power_mode = POWER_MODE_COOL};
}

__attribute__((unused)) static void init(struct sampler *sampler, const struct sampling *sampling,
                                         size_t sides) {
    memset(&script, 0, sizeof script);
    script.now_ns = 1000;
    script.clock_hz = 3e9;
    fake_device = (struct device){.backend = &fake_backend};
    script.unflushed_at = script.tail_side = SIZE_MAX;
    script.late_until = SIZE_MAX;
    script.late_at = script.late_from = script.broken_from = script.tail_until = SIZE_MAX;
    script.others_from = SIZE_MAX;
    script.fail_at = script.wait_at = script.steal_at = script.steal_side = script.stale_at = SIZE_MAX;
    memset(sampler, 0, sizeof *sampler);
    sampler->device = &fake_device;
    sampler->sampling = sampling;
    sampler->dice = dice_of_seed(3);
    sampler->side_count = sides;
    sampler->sample_begin = sample_begin;
    sampler->sample_end = sample_end;
    sampler->audit_begin = audit_begin;
    sampler->audit_end = audit_end;
    for (size_t i = 0; i < sides; ++i) {
        script.launch_ns[i] = 100000.0 * (double)(i + 1);
        sampler->sides[i].batch =
            (struct batch){.state = (void *)(uintptr_t)i, .set_count = 3, .launches = 1};
    }
}

// The letters of samples, without those of sampler_prepare: A and B as they were taken, audits left out.
__attribute__((unused)) static void order_of(const struct sampler *sampler, char *ret, size_t capacity) {
    size_t at[WORK_SIDES_MAX] = {0}, n = 0;
    for (;;) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < sampler->side_count; ++i) {
            const struct sampler_side *side = &sampler->sides[i];
            while (at[i] < side->count && side->items[at[i]].discard == DISCARD_AUDIT) ++at[i];
            if (at[i] >= side->count) continue;
            if (next == SIZE_MAX ||
                side->items[at[i]].start_ns < sampler->sides[next].items[at[next]].start_ns)
                next = i;
        }
        if (next == SIZE_MAX || n + 1 >= capacity) break;
        ret[n++] = (char)('A' + next);
        ++at[next];
    }
    ret[n] = 0;
}

__attribute__((unused)) static size_t count_discards(const struct sampler_side *side, enum discard discard) {
    size_t count = 0;
    for (size_t i = 0; i < side->count; ++i) count += side->items[i].discard == discard;
    return count;
}

__attribute__((unused)) static void run(struct sampler *sampler) {
    assert_int_equal(sampler_prepare(sampler, NULL), 0);
    if (sampler->failure.kind == SAMPLER_FAILURE_NONE) assert_int_equal(sampler_run(sampler, NULL), 0);
}

// Ready to be run: what a script then asks for counts from the first sample.
__attribute__((unused)) static void prepare_without_audits(struct sampler *sampler,
                                                           const struct sampling *sampling, size_t sides) {
    init(sampler, sampling, sides);
    sampler->audit_begin = NULL;
    assert_int_equal(sampler_prepare(sampler, NULL), 0);
}

#endif
