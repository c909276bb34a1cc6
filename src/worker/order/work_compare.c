// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of times that no right kernel fails, and one that keeps results, skips repeated launches or
// computes ahead does.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/describe.h"
#include "worker/backend/late_inputs.h"
#include "worker/host/batch_run.h"
#include "worker/order/work_timing_internal.h"

#define COMPARE_TRIES   8  // undisturbed batches, all of them beyond the limit,
#define COMPARE_BATCHES 24 // of at most this many
#define COMPARE_MOST_NS 1000000000u
#define FRESH_SETS      4 // launched on fresh data in one batch of few, by events
#define FRESH_MOST_NS   20e6
// Limits of launches on fresh data relative to launches on data seen before: a greater slowdown means that
// results are cached by content. CPU threads may have to wake up here, so their limit is wider.
static const struct time_limit fresh_on_threads = {2.0, 20000}, fresh_redrawn = {2.0, 5000};
// The same of batches as long as a sample, in which waking up does not matter, near what they vary by. A
// GPU's use a set several times, of which the first one alone can be slower.
static const struct time_limit fresh_in_samples = {1.15, 5000}, fresh_by_events = {1.05, 100};
// Few launches, each on a set of its own.
static const struct time_limit fresh_few_by_events = {1.3, 3000};
// Limits of launches that are the first in their batch to use a set, relative to all launches of the
// samples. Threads are awake here. A batch of one launch includes loading the kernel's code onto the
// device (only_by_events).
static const struct time_limit first_on_threads = {2.0, 10000}, first_by_events = {1.25, 1500},
                               only_by_events = {1.5, 3000};
// What copies within a graph take, at most: that time each, and 500 GB/s.
#define COPY_NS      4000.0
#define COPY_BYTE_NS 2e-3

// ---- times ----

bool timing_has_real_times(const struct timing *timing) {
    return !timing->work->device->is_virtual;
}

bool timing_is_by_events(const struct timing *timing) {
    return timing->work->device->wants_whole_rotations && timing->work->order->sampling.metric == METRIC_TIME;
}

// Time per launch of a batch, without the overhead of a replay.
static double launch_ns(const struct timing *timing, double batch_ns, uint32_t launches) {
    const double overhead_ns = timing_is_by_events(timing) ? timing->work->device->replay_overhead_ns : 0;
    return fmax(batch_ns - overhead_ns, 1) / launches;
}

bool timing_is_apart(const struct timing *timing, const struct time_limit *limit, double usual_ns,
                     double ns) {
    return timing_has_real_times(timing) && ns > limit->ratio * usual_ns && ns - usual_ns > limit->apart_ns;
}

int timing_stale(struct timing *timing, const char *text) {
    timing->wrong->outcome = OUTCOME_FAIL;
    timing->wrong->finding = FINDING_STALE;
    snprintf(timing->wrong->message, sizeof timing->wrong->message, "%s", text);
    return SAMPLE_WRONG;
}

// The shortest time per launch over the batches that count.
struct shortest {
    double ns;
    // Disturbed batches count too, by the slower clock. A launch whose result is only copied may be too short
    // for any batch of it to be undisturbed.
    bool is_upper_bound;
    uint32_t count;
    double all_ns[2 * COMPARE_BATCHES]; // [count]
    uint64_t spent_ns;
};

static bool is_known(const struct shortest *shortest) {
    return shortest->count >= COMPARE_TRIES;
}

// True after too many disturbed batches: the comparison is given up, and no side is rejected.
static bool is_given_up(const struct shortest *shortest, int batches) {
    return batches > COMPARE_BATCHES || (!shortest->count && shortest->spent_ns > COMPARE_MOST_NS);
}

// A batch whose time is compared, and the sets that it uses.
struct comparison {
    struct set_range used;
    uint32_t launches;
    // Inputs that come late (NULL: none) at these places, made from input_seed, and what bringing them may
    // take.
    const struct late_inputs *late;
    struct late_places places;
    uint64_t input_seed;
    double bringing_ns;
};

static uint32_t late_set(const struct timing *timing, const struct comparison *comparison, uint32_t place) {
    return (comparison->used.first + place) % timing->sets.count;
}

// Inputs that came late are written once more, the same, so that the records of their sets say so.
static int note_late(struct timing *timing, const struct comparison *comparison, struct err *err) {
    const struct late_places *places = &comparison->places;
    for (uint32_t i = 0; i < places->count; ++i)
        TRY(work_sets_refill(&timing->sets, late_set(timing, comparison, places->items[i]),
                             comparison->input_seed, err));
    return 0;
}

// Writes canaries to these sets, times a batch, and checks that it has overwritten them.
static int time_with_canaries(struct timing *timing, size_t side, const struct comparison *comparison,
                              struct shortest *shortest, struct err *err) {
    const uint32_t first = comparison->used.first, launches = comparison->launches;
    struct sampler_duration batch;
    TRY(work_sets_restore_in_out(&timing->sets, timing->sides[side], first, comparison->used.count, err));
    TRY(work_sets_set_canaries(&timing->sets, timing->sides[side], first, launches, err));
    if (!sampler_time(&timing->sampler, side, first % timing->sets.count, launches, comparison->late, &batch))
        return SAMPLE_WRONG;
    shortest->spent_ns += batch.ns;
    if (!batch.is_disturbed || shortest->is_upper_bound) {
        // The judge's clock runs while launches are captured, as always where inputs come late.
        const uint64_t ns = shortest->is_upper_bound && !comparison->late ? batch.at_most_ns : batch.ns;
        const double each_ns = launch_ns(timing, (double)ns - comparison->bringing_ns, launches);
        shortest->ns = fmin(shortest->ns, each_ns);
        shortest->all_ns[shortest->count++] = each_ns;
    }
    if (comparison->late) TRY(note_late(timing, comparison, err));
    return work_sets_find_canary(&timing->sets, timing->sides[side], timing->wrong, err);
}

// ---- fresh data ----

// Every set of the range gets its own inputs, or new ones. only_fresh: those that have other inputs.
static int refill(struct timing *timing, const struct set_range *used, bool is_fresh, bool only_fresh,
                  struct err *err) {
    for (uint32_t i = 0; i < used->count; ++i) {
        const uint32_t k = (used->first + i) % timing->sets.count;
        if (only_fresh && !timing->sets.is_fresh[k]) continue;
        TRY(is_fresh ? work_sets_refill_alike(&timing->sets, k, dice_u64(&timing->run->dice), err)
                     : work_sets_refill_own(&timing->sets, k, err));
    }
    return 0;
}

// Times a batch on known data, then one on fresh data. On either side of the comparison the sets were
// launched on with known data and then written, so that caches, clocks and threads are alike. Before a batch
// of one launch another set is used last.
static int time_both(struct timing *timing, size_t side, const struct comparison *comparison,
                     struct shortest ret[2], struct err *err) {
    const struct set_range *used = &comparison->used;
    const uint32_t sets = timing->sets.count, first = used->first % sets;
    TRY(refill(timing, used, false, true, err));
    if (!sampler_launch(&timing->sampler, side, first, comparison->launches)) return SAMPLE_WRONG;
    for (int is_fresh = 0; is_fresh < 2; ++is_fresh) {
        TRY(refill(timing, used, is_fresh, false, err));
        if (comparison->launches == 1 && sets > 1 &&
            !sampler_launch(&timing->sampler, side, (first + 1) % sets, 1))
            return SAMPLE_WRONG;
        const int code = time_with_canaries(timing, side, comparison, &ret[is_fresh], err);
        if (code != SAMPLE_RIGHT) return code;
    }
    return SAMPLE_RIGHT;
}

// The forms of batches whose times are compared. The launches of a sample and all their sets, since a batch
// that looks otherwise would be told from one; and few launches, in which one that computes is not lost among
// those that follow on the same data: on a processor one, on a GPU one on each of up to FRESH_SETS sets.
enum form { FORM_SAMPLE, FORM_FEW, FORM_COUNT };

static uint32_t launches_of(const struct timing *timing, size_t side, enum form form) {
    const struct sampler_side *sampled = &timing->sampler.sides[side];
    const uint32_t sets = timing->sets.count, most = sets < FRESH_SETS ? sets : FRESH_SETS;
    if (form == FORM_SAMPLE) return sampled->batch.launches;
    return timing_is_by_events(timing) && sampler_launch_ns(sampled) * most < FRESH_MOST_NS ? most : 1;
}

static struct comparison comparison_of(const struct timing *timing, size_t side, enum form form) {
    const uint32_t sets = timing->sets.count, launches = launches_of(timing, side, form);
    return (struct comparison){.used = {.side = timing->sides[side],
                                        .first = timing->sampler.sides[side].next_set,
                                        .count = launches < sets ? launches : sets},
                               .launches = launches};
}

// Where every sample has new inputs, nothing is gained by keeping results; else what is gained must show
// here.
static const struct time_limit *fresh_limit(const struct timing *timing, enum form form) {
    if (timing_is_by_events(timing)) return form == FORM_SAMPLE ? &fresh_by_events : &fresh_few_by_events;
    if (form == FORM_SAMPLE && timing->redraw_share < 1) return &fresh_in_samples;
    return timing->redraw_share > 0 ? &fresh_redrawn : &fresh_on_threads;
}

static int verify_drawn_set(struct timing *timing, const struct set_range *used, struct err *err) {
    const uint64_t drawn = dice_below(&timing->run->dice, used->count);
    const struct set_range one = {
        .side = used->side, .first = (uint32_t)(used->first + drawn) % timing->sets.count, .count = 1};
    return work_sets_verify(&timing->sets, &one, timing->wrong, err);
}

static void init_shortest(struct shortest ret[2]) {
    // Fresh data too: what disturbs a batch makes it longer, never shorter.
    ret[0] = ret[1] = (struct shortest){.ns = INFINITY, .is_upper_bound = true};
}

// Kept results are quick every time; teams of OpenMP, and any kernel on a busy machine, are so by chance: of
// COMPARE_TRIES batches the second longest.
static double upper_ns(struct shortest *known) {
    return describe_unsorted_percentile(known->all_ns, known->count,
                                        (COMPARE_TRIES - 2.0) / (COMPARE_TRIES - 1));
}

// They are right, and fast on all data except fresh data. Of each form of batch the shortest ones are
// compared. *ret_known_ns: of a launch of a sample on known data; NAN: not known.
static int find_kept(struct timing *timing, size_t side, double *ret_known_ns, struct err *err) {
    struct shortest both[FORM_COUNT][2]; // [form][is fresh]
    bool is_cleared[FORM_COUNT] = {false};
    for (int form = 0; form < FORM_COUNT; ++form) init_shortest(both[form]);
    for (int batches = 1; !is_cleared[FORM_SAMPLE] || !is_cleared[FORM_FEW]; ++batches) {
        const enum form form = batches % FORM_COUNT ? FORM_SAMPLE : FORM_FEW;
        if (is_cleared[form]) continue;
        const struct comparison comparison = comparison_of(timing, side, form);
        struct shortest *known = &both[form][0], *fresh = &both[form][1];
        int code = time_both(timing, side, &comparison, both[form], err);
        if (code == SAMPLE_RIGHT && batches == 1) code = verify_drawn_set(timing, &comparison.used, err);
        if (code != SAMPLE_RIGHT) return code;
        const struct time_limit *limit = fresh_limit(timing, form);
        const double known_ns = upper_ns(known);
        is_cleared[form] =
            (known->count && fresh->count && !timing_is_apart(timing, limit, known_ns, fresh->ns)) ||
            is_given_up(fresh, batches / FORM_COUNT);
        if (is_cleared[form] || !is_known(known) || !is_known(fresh)) continue;
        char text[256];
        snprintf(text, sizeof text,
                 "right, but a launch on data launched before takes %.1f us and one on fresh data %.1f us: "
                 "results are cached by the content of the inputs",
                 known_ns / 1e3, fresh->ns / 1e3);
        return timing_stale(timing, text);
    }
    struct shortest *known = &both[FORM_SAMPLE][0];
    *ret_known_ns = known->count ? upper_ns(known) : NAN;
    return SAMPLE_RIGHT;
}

// ---- inputs that come late ----

// Draws new inputs and where they will come, and keeps them. The set that they were made in has its own
// again.
static int draw_late(struct timing *timing, size_t side, struct comparison *comparison,
                     struct late_inputs *late, struct err *err) {
    struct dice *dice = &timing->run->dice;
    const struct batch *batch = &timing->sampler.sides[side].batch;
    const struct assay_tensors *set = &batch->sets[0];
    comparison->input_seed = dice_u64(dice);
    TRY(work_sets_refill(&timing->sets, 0, comparison->input_seed, err));
    TRY(work_sets_restore_in_out(&timing->sets, timing->sides[side], 0, 1, err));
    TRY(batch_keep_inputs(timing->work->device, batch, 0, late, err));
    late->seed = dice_u64(dice);
    comparison->late = late;
    comparison->places = late_inputs_places(late, timing->sets.count, comparison->launches);
    comparison->bringing_ns = COPY_NS * late_inputs_copies(set, &comparison->places) +
                              COPY_BYTE_NS * (double)late_inputs_moved_bytes(set, &comparison->places);
    return work_sets_refill_own(&timing->sets, 0, err);
}

static int time_late(struct timing *timing, size_t side, struct shortest *shortest, struct err *err) {
    struct comparison comparison = comparison_of(timing, side, FORM_SAMPLE);
    struct late_inputs late = {0};
    int code = draw_late(timing, side, &comparison, &late, err);
    if (code == 0) code = time_with_canaries(timing, side, &comparison, shortest, err);
    batch_drop_inputs(timing->work->device, &timing->sampler.sides[side].batch, &late);
    if (code != SAMPLE_RIGHT) return code;
    const uint32_t kept = comparison.places.items[comparison.places.kept];
    const struct set_range one = {
        .side = timing->sides[side], .first = late_set(timing, &comparison, kept), .count = 1};
    code = work_sets_verify(&timing->sets, &one, timing->wrong, err);
    if (code == SAMPLE_RIGHT) TRY(work_sets_restore(&timing->sets, err));
    if (code != SAMPLE_WRONG || timing->wrong->finding != FINDING_STALE) return code;
    return timing_stale(timing,
                        "right when checked, but a timed launch gave results of other inputs than those "
                        "that were written right before it: it is computed ahead of its time");
}

// Work that is done ahead of its launch (the launches of a batch side by side, or the first ones before the
// clock starts) does not know inputs that come right before the launch: results are wrong, or the time of
// such a batch shows what the launches take one after the other. usual_ns: of a launch of a sample.
static int find_ahead(struct timing *timing, size_t side, double usual_ns, struct err *err) {
    struct shortest late = {.ns = INFINITY, .is_upper_bound = true};
    if (!timing_is_by_events(timing) || !timing_has_real_times(timing)) return SAMPLE_RIGHT;
    for (int batches = 1; !is_known(&late); ++batches) {
        const int code = time_late(timing, side, &late, err);
        if (code != SAMPLE_RIGHT) return code;
        const bool is_usual = late.count && !timing_is_apart(timing, &fresh_by_events, usual_ns, late.ns);
        if (isnan(usual_ns) || is_usual || is_given_up(&late, batches)) return SAMPLE_RIGHT;
    }
    char text[256];
    snprintf(text, sizeof text,
             "right, but a launch takes %.1f us in a sample and %.1f us where some inputs are written within "
             "the sample: launches are computed ahead of their time, or repeated ones are skipped",
             usual_ns / 1e3, late.ns / 1e3);
    return timing_stale(timing, text);
}

// ---- repeated launches ----

int timing_compare_first(struct timing *timing, size_t side, struct err *err) {
    const struct sampler_side *sampled = &timing->sampler.sides[side];
    const uint32_t launches = sampled->batch.launches, sets = timing->sets.count;
    const double median_ns = sampler_launch_ns(sampled);
    if (launches <= sets || !isfinite(median_ns)) return SAMPLE_RIGHT; // too few samples count: no times
    const double usual_ns = launch_ns(timing, median_ns * launches, launches);
    const struct time_limit *limit = !timing_is_by_events(timing) ? &first_on_threads
                                     : sets > 1                   ? &first_by_events
                                                                  : &only_by_events;
    // Threads are woken by a launch that is not timed, on a set of its own if there are at least two.
    const bool is_waking = !timing_is_by_events(timing);
    const struct set_range used = {.side = timing->sides[side],
                                   .first = sampled->next_set,
                                   .count = is_waking && sets > 1 ? sets - 1 : sets};
    struct shortest first = {.ns = INFINITY};
    for (int batches = 1; !is_known(&first); ++batches) {
        if (is_waking && !sampler_launch(&timing->sampler, side, (used.first + sets - 1) % sets, 1))
            return SAMPLE_WRONG;
        const struct comparison comparison = {.used = used, .launches = used.count};
        const int code = time_with_canaries(timing, side, &comparison, &first, err);
        if (code != SAMPLE_RIGHT) return code;
        const bool is_usual = first.count && !timing_is_apart(timing, limit, usual_ns, first.ns);
        if (is_usual || is_given_up(&first, batches))
            return work_sets_verify(&timing->sets, &used, timing->wrong, err);
    }
    char text[256];
    snprintf(
        text, sizeof text,
        "right, but a launch takes %.1f us when it has to write its outputs and %.1f us when they hold its "
        "results already: repeated launches are skipped",
        first.ns / 1e3, usual_ns / 1e3);
    return timing_stale(timing, text);
}

// ---- all of it ----

int timing_compare(struct timing *timing, size_t side, struct err *err) {
    double known_ns;
    int code = find_kept(timing, side, &known_ns, err);
    if (code == SAMPLE_RIGHT) code = find_ahead(timing, side, known_ns, err);
    TRY(code);
    // Sets that samples had given new inputs get their own too, so that no side's outputs there belong to
    // them.
    for (size_t i = 0; i < timing->sampler.side_count; ++i)
        if (i == side || timing->redraw_share > 0) memset(timing->has_used[i], 0, sizeof timing->has_used[i]);
    TRY(work_sets_restore(&timing->sets, err));
    return code;
}
