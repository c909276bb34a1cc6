// SPDX-License-Identifier: Apache-2.0
//
// Drawing inputs between samples, and what is checked after each.
#include "worker/order/work_redraw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "worker/check/case_samples.h"

#define REDRAW_COST        0.3 // drawing may take this share of a sample's time on the average
#define REDRAW_TRIES       3   // of measuring what drawing a set costs
#define AUDIT_DRAWS        4   // at most, of inputs for the 2 x rule
#define AUDIT_ROWS_A_GROUP 6   // for it

static bool is_redrawing(const struct timing *timing) {
    const struct device *device = timing->work->device;
    return !device->is_virtual && !device->backend->is_accelerator &&
           timing->sampler.sampling->cache_mode == CACHE_ROTATE;
}

// Whether no set is used twice in a sample: new inputs, or what an in-out tensor holds, are for one launch.
static bool has_set_a_launch(const struct timing *timing) {
    return is_redrawing(timing) || timing->run->buffers.has_in_out;
}

// Launches of a sample in which no set is used twice; a replayed one uses all of them.
static uint32_t limit_launches(const struct timing *timing, uint32_t launches) {
    const uint32_t most = timing->sets.count;
    return launches > most || timing->work->device->wants_whole_rotations ? most : launches;
}

// ---- sets ----

static int measure_fill(struct timing *timing, struct err *err) {
    timing->fill_ns = UINT64_MAX;
    for (int try = 0; try < REDRAW_TRIES; ++try) {
        const uint64_t start_ns = clock_ns();
        TRY(work_sets_refill(&timing->sets, 0, timing->sets.seeds[0], err));
        const uint64_t ns = clock_ns() - start_ns;
        if (ns < timing->fill_ns) timing->fill_ns = ns;
    }
    return work_sets_refill_own(&timing->sets, 0, err);
}

// Drawing this share of the sets of a batch takes REDRAW_COST of its time.
static double affordable_share(const struct timing *timing, uint64_t batch_ns, uint32_t launches) {
    return fmin(1, REDRAW_COST * (double)batch_ns / ((double)timing->fill_ns * launches + 1));
}

// Draws the inputs of set k, unseen by any launch.
static int redraw_set(struct timing *timing, uint32_t k, struct err *err) {
    timing->fresh_seeds[k] = dice_u64(&timing->run->dice);
    for (size_t side = 0; side < timing->sampler.side_count; ++side) timing->has_used[side][k] = false;
    return work_sets_refill(&timing->sets, k, timing->fresh_seeds[k], err);
}

int redraw_range(struct timing *timing, size_t side, struct batch *batch, struct err *err) {
    struct work_sets *sets = &timing->sets;
    if (!has_set_a_launch(timing)) return 0;
    TRY(work_sets_grow(sets, work_sets_a_sample(&timing->run->buffers, batch->launches), err));
    for (size_t i = 0; i < timing->sampler.side_count; ++i)
        timing->sampler.sides[i].batch.set_count = sets->count;
    batch->set_count = sets->count;
    batch->launches = limit_launches(timing, batch->launches);
    TRY(work_sets_show_side(sets, timing->sides[side], err));
    if (is_redrawing(timing) && !timing->fill_ns) TRY(measure_fill(timing, err));
    const double share = affordable_share(timing, timing->sampler.sampling->sample_time_ns, batch->launches);
    for (uint32_t i = 0; i < batch->launches; ++i) {
        const uint32_t k = (batch->first_set + i) % sets->count;
        if (is_redrawing(timing) && dice_uniform(&timing->run->dice) < share) TRY(redraw_set(timing, k, err));
        TRY(case_buffers_poison(sets->items[k], POISON_OUTPUT, err));
    }
    return 0;
}

static int find_share(struct timing *timing, struct err *err) {
    uint64_t sample_ns = UINT64_MAX;
    uint32_t launches = 1;
    TRY(measure_fill(timing, err));
    for (size_t i = 0; i < timing->sampler.side_count; ++i) {
        const struct sampler_side *side = &timing->sampler.sides[i];
        if (side->sample_ns < sample_ns) sample_ns = side->sample_ns;
        if (side->batch.launches > launches) launches = side->batch.launches;
    }
    timing->redraw_share = affordable_share(timing, sample_ns, launches);
    return 0;
}

int redraw_prepare(struct timing *timing, size_t *ret_side, struct err *err) {
    struct sampler *sampler = &timing->sampler;
    timing->redraw_share = 0;
    if (!has_set_a_launch(timing)) return SAMPLE_RIGHT;
    if (is_redrawing(timing)) sampler->audit_begin = NULL; // every sample is one
    TRY(work_sets_restore(&timing->sets, err));
    for (size_t i = 0; i < sampler->side_count; ++i) {
        struct sampler_side *side = &sampler->sides[i];
        side->batch.launches = limit_launches(timing, side->batch.launches);
        if (timing->sets.learnt[timing->sides[i]] == timing->sets.count) continue;
        *ret_side = i;
        if (sampler->on_side) sampler->on_side(sampler->arg, i);
        const uint32_t batch = timing->work->device->backend->is_accelerator ? 1 : side->batch.launches;
        const int code = work_sets_learn(&timing->sets, timing->sides[i], batch, timing->wrong, err);
        if (code) return code;
    }
    if (is_redrawing(timing)) TRY(find_share(timing, err));
    return SAMPLE_RIGHT;
}

// ---- around a sample ----

int redraw_sample(struct timing *timing, size_t side, const struct batch *batch, struct err *err) {
    const uint32_t number = timing->sides[side];
    if (!is_redrawing(timing))
        return work_sets_restore_in_out(&timing->sets, number, batch->first_set, batch->launches, err);
    for (uint32_t i = 0; i < batch->launches; ++i) {
        const uint32_t k = (batch->first_set + i) % batch->set_count;
        if (!(dice_uniform(&timing->run->dice) < timing->redraw_share)) continue;
        TRY(redraw_set(timing, k, err));
    }
    TRY(work_sets_spoil(&timing->sets, number, batch->first_set, batch->launches, err));
    return work_sets_restore_in_out(&timing->sets, number, batch->first_set, batch->launches, err);
}

// Where the launch of a sample that was verified is kept; NULL: nowhere. Early and late samples alike: the
// more are kept, the rarer the next. Of a declared operator what is kept is all that is compared with its
// reference, so that as many as fit are kept, each sample as likely (Vitter 1985, algorithm R).
static struct kept_launch *place_to_keep(struct timing *timing, size_t side) {
    struct dice *dice = &timing->run->dice;
    uint32_t *count = &timing->kept_count[side];
    const uint64_t seen = ++timing->fresh_count[side];
    if (timing->run->buffers.problem.op->oracle) {
        if (*count == KEPT_LAUNCHES || !(dice_uniform(dice) < 1.0 / (2 << *count))) return NULL;
        return &timing->kept[side][(*count)++];
    }
    if (*count < KEPT_LAUNCHES) return &timing->kept[side][(*count)++];
    const uint64_t place = dice_below(dice, seen);
    return place < KEPT_LAUNCHES ? &timing->kept[side][place] : NULL;
}

// Keeps the outputs of set k as the sample left them.
static int keep_launch(struct timing *timing, struct kept_launch *kept, uint32_t k, struct err *err) {
    struct case_buffers *buffers = timing->sets.items[k];
    TRY(buffers->checker->keep_outputs(buffers, &kept->outputs, err));
    kept->set = k;
    kept->seed = timing->fresh_seeds[k];
    return 0;
}

// Checks a drawn launch of the batch, on set *ret_set.
static int verify_launch(struct timing *timing, size_t side, const struct batch *batch, uint32_t *ret_set,
                         struct err *err) {
    const uint64_t drawn = dice_below(&timing->run->dice, batch->launches);
    *ret_set = (uint32_t)(batch->first_set + drawn) % batch->set_count;
    const struct set_range one = {.side = timing->sides[side], .first = *ret_set, .count = 1};
    return work_sets_verify(&timing->sets, &one, timing->wrong, err);
}

int redraw_range_verify(struct timing *timing, size_t side, const struct batch *batch, struct err *err) {
    uint32_t k;
    // Without new inputs what is right is learnt when it is known how many sets there are.
    return is_redrawing(timing) ? verify_launch(timing, side, batch, &k, err) : SAMPLE_RIGHT;
}

int redraw_verify(struct timing *timing, size_t side, const struct batch *batch, struct err *err) {
    if (!has_set_a_launch(timing)) return SAMPLE_RIGHT;
    uint32_t k;
    const int code = verify_launch(timing, side, batch, &k, err);
    if (code != SAMPLE_RIGHT) return code;
    if (!timing->sets.is_fresh[k]) return SAMPLE_RIGHT;
    const struct operator_def *op = timing->run->buffers.problem.op;
    if (op->is_order_free && op->oracle) return SAMPLE_RIGHT; // no bits to compare with
    struct kept_launch *kept = place_to_keep(timing, side);
    return kept ? keep_launch(timing, kept, k, err) : SAMPLE_RIGHT;
}

// ---- audits ----

static uint32_t used_sets(const struct batch *batch) {
    return batch->launches < batch->set_count ? batch->launches : batch->set_count;
}

int redraw_audit(struct timing *timing, const struct batch *batch, struct err *err) {
    const uint64_t place = dice_below(&timing->run->dice, used_sets(batch));
    timing->audited_set = (uint32_t)((batch->first_set + place) % batch->set_count);
    return redraw_set(timing, timing->audited_set, err);
}

// The 2 x rule on the drawn set: a kernel may be precise for as long as it is checked. A few rows are a
// little beyond the limit by chance, so another sample on other data has to be so too.
static int judge_audit(struct timing *timing, size_t side, const struct batch *batch, struct err *err) {
    const uint32_t number = timing->sides[side], k = timing->audited_set;
    const struct check_request request = {.buffers = timing->sets.items[k],
                                          .instance = &timing->run->instances[number],
                                          .on_progress = work_on_progress,
                                          .arg = timing->work};
    if (timing->work->device->is_virtual) return SAMPLE_RIGHT;
    for (int draw = 0; draw < AUDIT_DRAWS; ++draw) {
        bool is_far_off;
        if (draw) {
            TRY(work_sets_refill(&timing->sets, k, dice_u64(&timing->run->dice), err));
            TRY(work_sets_restore_in_out(&timing->sets, number, batch->first_set, used_sets(batch), err));
            if (!sampler_launch(&timing->sampler, side, batch->first_set, batch->launches))
                return SAMPLE_RIGHT; // the sampler knows why
            TRY(case_buffers_make_visible(request.buffers, true, err));
        }
        const int code = case_check_left(&request, AUDIT_ROWS_A_GROUP, timing->wrong, &is_far_off, err);
        TRY(code);
        if (code == CHECK_NOT_FOUND) {
            memset(timing->wrong, 0, sizeof *timing->wrong);
            return SAMPLE_RIGHT;
        }
        if (is_far_off) break;
    }
    return SAMPLE_WRONG;
}

static int keep_audit(struct timing *timing, size_t side, struct err *err) {
    struct kept_launch *kept = place_to_keep(timing, side);
    return kept ? keep_launch(timing, kept, timing->audited_set, err) : SAMPLE_RIGHT;
}

int redraw_audit_verify(struct timing *timing, size_t side, const struct batch *batch, struct err *err) {
    const struct operator_def *op = timing->run->buffers.problem.op;
    const bool is_kept = !op->oracle && !timing->work->device->is_virtual;
    const struct set_range used = {
        .side = timing->sides[side], .first = batch->first_set, .count = used_sets(batch)};
    int code = SAMPLE_RIGHT;
    if (timing->sampler.failure.kind == SAMPLER_FAILURE_NONE) // else the sample itself has gone wrong
        code = work_sets_verify(&timing->sets, &used, timing->wrong, err);
    if (code == SAMPLE_RIGHT && timing->sampler.failure.kind == SAMPLER_FAILURE_NONE)
        code = is_kept ? keep_audit(timing, side, err) : judge_audit(timing, side, batch, err);
    TRY(code);
    TRY(work_sets_restore(&timing->sets, err));
    return code;
}

// ---- after the last sample ----

static int repeat_launch(struct timing *timing, size_t side, const struct kept_launch *kept,
                         struct err *err) {
    struct case_buffers *buffers = timing->sets.items[kept->set];
    const uint32_t number = timing->sides[side];
    struct kernel_instance *instance = &timing->run->instances[number];
    struct tensor_hashes hashes;
    uint32_t output;
    int64_t offset;
    TRY(work_sets_refill(&timing->sets, kept->set, kept->seed, err));
    TRY(case_buffers_select(buffers, number, err));
    if (buffers->problem.op->is_order_free) { // another launch says nothing of this one
        TRY(buffers->checker->restore_outputs(buffers, &kept->outputs, err));
        return work_sets_check_kept(&timing->sets, number, kept->set, timing->wrong, err);
    }
    TRY(case_buffers_poison(buffers, POISON_OUTPUT, err));
    if (!kernel_instance_launch(instance, buffers, NULL, timing->wrong)) return SAMPLE_WRONG;
    TRY(case_buffers_make_visible(buffers, true, err));
    TRY(buffers->checker->hash(&buffers, 1, HASHED_INPUTS, &hashes, err)); // what a reference reads
    if (!case_check_memory(buffers, POISON_OUTPUT, instance, &hashes, timing->wrong)) return SAMPLE_WRONG;
    const int code = buffers->checker->find_difference(buffers, &kept->outputs, &output, &offset, err);
    if (code < 0) return code;
    if (code == CHECK_NOT_FOUND)
        return work_sets_check_kept(&timing->sets, number, kept->set, timing->wrong, err);
    timing->wrong->outcome = OUTCOME_FAIL;
    timing->wrong->finding = FINDING_STALE;
    snprintf(
        timing->wrong->message, sizeof timing->wrong->message,
        "right when checked, but a timed launch on data that it had not seen before gave other bits of '%s' "
        "than an untimed one on the same data",
        case_buffers_host_output(buffers, output)->name);
    return SAMPLE_WRONG;
}

// A sampler could stop drawing once it has been checked.
static int sample_again(struct timing *timing, size_t side, struct err *err) {
    const uint32_t number = timing->sides[side];
    const struct check_request request = {.buffers = &timing->run->buffers,
                                          .reference = &timing->run->reference,
                                          .instance = &timing->run->instances[number],
                                          .on_progress = work_on_progress,
                                          .arg = timing->work};
    TRY(case_buffers_select(request.buffers, number, err));
    const int code = case_samples_check(&request, timing->wrong, err);
    return code == CHECK_STEP_FAILED ? SAMPLE_WRONG : code < 0 ? code : SAMPLE_RIGHT;
}

int redraw_repeat(struct timing *timing, size_t side, struct err *err) {
    int code = SAMPLE_RIGHT;
    for (uint32_t i = 0; i < timing->kept_count[side] && code == SAMPLE_RIGHT; ++i)
        code = repeat_launch(timing, side, &timing->kept[side][i], err);
    TRY(code);
    TRY(work_sets_restore(&timing->sets, err));
    return code == SAMPLE_RIGHT ? sample_again(timing, side, err) : code;
}

void redraw_fini(struct timing *timing) {
    for (size_t side = 0; side < WORK_SIDES_MAX; ++side)
        for (size_t i = 0; i < KEPT_LAUNCHES; ++i) {
            struct kept_outputs *outputs = &timing->kept[side][i].outputs;
            if (timing->sets.items && outputs->data[0])
                timing->sets.items[0]->checker->drop_outputs(timing->sets.items[0], outputs);
        }
    memset(timing->kept, 0, sizeof timing->kept);
    memset(timing->kept_count, 0, sizeof timing->kept_count);
    memset(timing->fresh_count, 0, sizeof timing->fresh_count);
}
