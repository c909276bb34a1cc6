// SPDX-License-Identifier: Apache-2.0
//
// Draws noise, and adds up episodes. Every kind of noise has a random stream of its own, so that adding one
// to a script leaves the others as they were.
#include "worker/backend/sim/sim_noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "record/throttle.h"

struct sim_sequence {
    uint64_t side_key, problem_key;
    uint64_t stream; // of its draws
    uint64_t count;  // batches so far
    double normal;   // of the last batch, standard normal
    double offset;   // of the process, logarithm
};

static uint64_t worker_seed(const struct sim_noise_state *noise, uint32_t round, uint32_t attempt) {
    return rng_u64(noise->device_seed, rng_stream("sim worker"), ((uint64_t)round << 32) | attempt);
}

void sim_noise_init(struct sim_noise_state *noise, const struct sim_device *script, uint64_t run_seed,
                    uint32_t round, uint32_t attempt) {
    memset(noise, 0, sizeof *noise);
    noise->script = script;
    noise->device_seed = rng_u64(run_seed, rng_stream("sim device"), script->seed);
    noise->round = round;
    noise->seed = worker_seed(noise, round, attempt);
    noise->round_offset =
        script->noise.round_pct / 100 * rng_normal(noise->seed, rng_stream("sim round offset"), 0);
    noise->mode.is_on =
        rng_uniform(noise->seed, rng_stream("sim first mode"), 0) * 100 < script->noise.mode_share_pct;
    noise->others.is_on =
        rng_uniform(noise->seed, rng_stream("sim foreign first"), 0) * 100 < script->noise.others_share_pct;
}

void sim_noise_fini(struct sim_noise_state *noise) {
    free(noise->sequences);
    memset(noise, 0, sizeof *noise);
}

// ---- modes ----

static double exponential(uint64_t seed, uint64_t stream, uint64_t index) {
    return -log(1 - rng_uniform(seed, stream, index));
}

// How often something is there, and for how long.
struct presence {
    double share_pct, dwell_ms;    // dwell 0: drawn anew for every batch
    uint64_t dwell_stream, stream; // of what is drawn
};

static bool is_there_still(const struct sim_noise_state *noise, struct sim_toggle *toggle,
                           const struct presence *presence, double virtual_ns) {
    const double share = presence->share_pct / 100;
    // The first pass only draws the end of the first stay.
    while (!toggle->change_count || virtual_ns >= toggle->until_ns) {
        if (toggle->change_count) toggle->is_on = !toggle->is_on;
        // The rarer state lasts shorter than the script's mean and the other longer, in proportion to their
        // shares; with a share of a half both last that long.
        const double mean_ns = 2e6 * presence->dwell_ms * (toggle->is_on ? share : 1 - share);
        toggle->until_ns +=
            mean_ns * exponential(noise->seed, presence->dwell_stream, toggle->change_count++);
    }
    return toggle->is_on;
}

static bool is_there(const struct sim_noise_state *noise, struct sim_toggle *toggle,
                     const struct presence *presence, uint64_t virtual_ns) {
    if (presence->share_pct <= 0) return false;
    if (presence->share_pct >= 100) return true;
    if (presence->dwell_ms > 0) return is_there_still(noise, toggle, presence, (double)virtual_ns);
    return rng_uniform(noise->seed, presence->stream, noise->batch_count) * 100 < presence->share_pct;
}

bool sim_noise_is_slow(struct sim_noise_state *noise, uint64_t virtual_ns) {
    const struct sim_noise *script = &noise->script->noise;
    const struct presence mode = {.share_pct = script->mode_slower_pct > 0 ? script->mode_share_pct : 0,
                                  .dwell_ms = script->mode_dwell_ms,
                                  .dwell_stream = rng_stream("sim mode dwell"),
                                  .stream = rng_stream("sim mode")};
    return is_there(noise, &noise->mode, &mode, virtual_ns);
}

// ---- others ----

static bool is_drawn(const struct sim_noise_state *noise, const char *stream, double share_pct) {
    return share_pct > 0 &&
           rng_uniform(noise->seed, rng_stream(stream), noise->batch_count) * 100 < share_pct;
}

static uint64_t time_drawn_ns(const struct sim_noise_state *noise, const char *stream, double mean_us) {
    return (uint64_t)(1e3 * mean_us * exponential(noise->seed, rng_stream(stream), noise->batch_count));
}

struct sim_disturbance sim_noise_disturb(struct sim_noise_state *noise, uint64_t virtual_ns) {
    const struct sim_noise *script = &noise->script->noise;
    struct sim_disturbance ret = {.slower_ratio = 1};
    const struct presence others = {.share_pct = script->others_share_pct,
                                    .dwell_ms = script->others_dwell_ms,
                                    .dwell_stream = rng_stream("sim foreign dwell"),
                                    .stream = rng_stream("sim foreign")};
    if (is_there(noise, &noise->others, &others, virtual_ns)) {
        ret.slower_ratio += script->others_slower_pct / 100;
        if (is_drawn(noise, "sim foreign waits", script->others_wait_share_pct))
            ret.wait_ns = time_drawn_ns(noise, "sim foreign wait", script->others_wait_us);
    }
    if (is_drawn(noise, "sim steals", script->steal_share_pct))
        ret.steal_ns = time_drawn_ns(noise, "sim steal", script->steal_us);
    return ret;
}

// ---- one batch ----

// Standard normal, and from round to round an AR(1): the rounds before are those of first attempts.
static double process_normal(const struct sim_noise_state *noise, uint64_t stream) {
    const double ar1 = noise->script->noise.process_ar1;
    double normal = 0;
    for (uint32_t round = ar1 == 0 ? noise->round : 0; round <= noise->round; ++round) {
        const uint64_t seed = round == noise->round ? noise->seed : worker_seed(noise, round, 0);
        const double fresh = rng_normal(seed ^ rng_stream("process"), stream, 0);
        normal = round && ar1 != 0 ? ar1 * normal + sqrt(1 - ar1 * ar1) * fresh : fresh;
    }
    return normal;
}

// ln of what this process is slower by: the device's, where exactly one of two sides is, and the kernel's
// own.
static double slow_log(const struct sim_noise_state *noise, const struct batch_cost *spend, bool is_first) {
    const bool is_first_slow = rng_uniform(noise->seed, rng_stream("sim slow side"), 0) < 0.5;
    const bool is_kernel_slow =
        rng_uniform(noise->seed, rng_stream("sim slow process"), spend->side_key) * 100 <
        spend->slow_process_share_pct;
    return (is_first == is_first_slow ? log1p(noise->script->noise.either_slower_pct / 100) : 0) +
           (is_kernel_slow ? log1p(spend->slow_process_pct / 100) : 0);
}

// Searches from the newest: problems come one after the other.
static struct sim_sequence *sequence_at(struct sim_noise_state *noise, const struct batch_cost *spend) {
    for (size_t i = noise->sequence_count; i-- > 0;) {
        struct sim_sequence *sequence = &noise->sequences[i];
        if (sequence->side_key == spend->side_key && sequence->problem_key == spend->problem_key)
            return sequence;
    }
    MEM_GROW(noise->sequences, noise->sequence_capacity, noise->sequence_count + 1);
    struct sim_sequence *sequence = &noise->sequences[noise->sequence_count++];
    *sequence = (struct sim_sequence){.side_key = spend->side_key, .problem_key = spend->problem_key};
    sequence->stream = rng_u64(spend->side_key, rng_stream("sim sequence"), spend->problem_key);
    // sqrt(2), so that the difference of two sides has the script's spread.
    const double sigma = noise->script->noise.process_pct / 100 / sqrt(2.0);
    const bool is_first = noise->sequences[0].side_key == spend->side_key;
    sequence->offset = sigma * process_normal(noise, sequence->stream) + slow_log(noise, spend, is_first);
    return sequence;
}

double sim_noise_next(struct sim_noise_state *noise, const struct batch_cost *spend, uint64_t virtual_ns) {
    const struct sim_noise *script = &noise->script->noise;
    struct sim_sequence *sequence = sequence_at(noise, spend);
    const uint64_t stream = sequence->stream, index = sequence->count;
    // AR(1), stationary: every value is standard normal, whatever ar1 is.
    const double fresh = rng_normal(noise->seed ^ rng_stream("sample"), stream, index);
    sequence->normal =
        index ? script->ar1 * sequence->normal + sqrt(1 - script->ar1 * script->ar1) * fresh : fresh;
    const double cv_pct = isnan(spend->cv_pct) ? script->cv_pct : spend->cv_pct;
    double ratio = exp(cv_pct / 100 * sequence->normal + sequence->offset + noise->round_offset);
    if (rng_uniform(noise->seed ^ rng_stream("tail share"), stream, index) * 100 < script->tail_share_pct)
        ratio *= 1 + script->tail_pct / 100 * exponential(noise->seed ^ rng_stream("tail"), stream, index);
    if (sim_noise_is_slow(noise, virtual_ns)) ratio *= 1 + script->mode_slower_pct / 100;
    ratio *= 1 + script->drift_pct_per_s / 100 * ((double)virtual_ns / 1e9);
    ++sequence->count;
    ++noise->batch_count;
    return ratio;
}

// ---- episodes ----

struct sim_condition sim_condition_at(const struct sim_device *script, uint32_t round, uint32_t attempt) {
    struct sim_condition condition = {
        .slower_ratio = 1, .clock_ratio = 1, .temperature_c = script->temperature_c};
    for (size_t i = 0; i < script->episode_count; ++i) {
        const struct sim_episode *episode = &script->episodes[i];
        if (round < episode->from_round || round > episode->to_round) continue;
        if (episode->attempt_count && attempt >= episode->attempt_count) continue;
        const double ratio = 1 + episode->slower_pct / 100;
        uint32_t bits = THROTTLE_NONE;
        if (episode->throttle) throttle_parse(episode->throttle, &bits); // checked when the script was read
        condition.throttle |= bits;
        condition.slower_ratio *= ratio;
        if (bits) condition.clock_ratio /= ratio;
        if (isfinite(episode->temperature_c)) // fmax ignores an unknown temperature of the device
            condition.temperature_c = fmax(condition.temperature_c, episode->temperature_c);
        condition.others_pct = fmin(100, condition.others_pct + episode->others_pct);
        condition.other_process_count += episode->other_process_count;
    }
    return condition;
}
