// SPDX-License-Identifier: Apache-2.0
//
// See tune_stage.h.
#include "control/flow/tune/tune_stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "control/compile/variant.h"
#include "control/flow/run_plan.h"
#include "control/flow/tune/tune_question.h"
#include "verdict/round_medians.h"

#define BASELINE_LABEL "baseline"

// ---- sides ----

static const char *label_of(struct tune *tune, const struct tune_stage *stage, size_t entry) {
    if (!entry) return BASELINE_LABEL;
    return tune_point_text(&tune->space, &stage->points[entry], &tune->record.arena);
}

// A variant of a real kernel: a source that was proposed, settings, or both.
static void set_source(struct tune *tune, const struct tune_point *point, struct session_variant *variant) {
    struct arena *arena = &tune->record.arena;
    struct tune_point start = tune_space_start(&tune->space);
    char *path = tune_source_path(tune, point->source);
    start.source = point->source;
    variant->source = arena_strdup(arena, path);
    if (path) variant->limits = &tune->proposer.build_limits;
    // A proposed source may lack settings that nobody asks of it.
    if (!point->source || !tune_point_is_equal(point, &start))
        variant->config = tune_point_config(&tune->space, point, arena);
    free(path);
}

static int add_side(struct tune *tune, struct tune_stage *stage, size_t entry, struct err *err) {
    const struct tune_point start = tune_space_start(&tune->space);
    const struct tune_point *point = entry ? &stage->points[entry] : &start;
    const struct sim_kernel *own = tune->kernel->sim;
    struct session_variant variant = {.label = label_of(tune, stage, entry)};
    if (own)
        variant.script = tune_space_script(&tune->space, own, point, &tune->record.arena);
    else if (entry)
        set_source(tune, point, &variant);
    return session_add_variant(&stage->session, entry ? SIDE_PEER : SIDE_BASELINE, tune->kernel->name,
                               &variant, err);
}

static void put_out(struct tune *tune, struct tune_stage *stage, size_t entry, enum tune_fate fate,
                    const char *reason) {
    stage->fates[entry] = fate;
    stage->reasons[entry] = arena_strndup(&tune->record.arena, reason, strcspn(reason, "\n"));
    stage->logs[entry] = arena_strdup(&tune->record.arena, reason);
    tune_stage_remove(stage, entry);
}

// Whether a variant that cannot be built is out. Of what a proposer wrote nothing else is expected: it may
// crash when it is loaded. Only what is not its fault ends the tuning.
static bool is_own_fault(const struct tune_point *point, int code) {
    if (code == -ERR_BUILD || code == -ERR_USAGE) return true;
    return point->source && code != -ERR_CANCELLED && code != -ERR_IO && code != -ERR_CREATE;
}

// Why a side that was built is out nevertheless; NULL: it is not.
static const char *find_objection(struct tune *tune, const struct tune_stage *stage, size_t side) {
    const struct result_side *built = &stage->session.sides[side].spec;
    const struct result_side *baseline = &stage->session.sides[0].spec;
    if (!str_equal(built->op, baseline->op))
        return arena_format(&tune->record.arena, "it is a kernel of the operator '%s'",
                            str_or(built->op, "none"));
    return tune_space_find_exceeded(&tune->space, &built->build, &tune->record.arena);
}

// Compiles all variants at once into the cache, where they are found when they are built one by one. What
// fails here fails there again, with its reason.
static void compile_ahead(struct tune *tune, struct tune_stage *stage) {
    struct session *session = &stage->session;
    struct variant_request requests[TUNE_HEAT_SIDES];
    struct variant compiled[TUNE_HEAT_SIDES];
    struct err ignored = {0};
    const size_t first = session->side_count;
    size_t count = 0;
    for (size_t entry = first; entry < stage->entry_count; ++entry) {
        if (add_side(tune, stage, entry, &ignored) < 0) break;
        const struct session_side *side = &session->sides[session->side_count - 1];
        if (side->is_built) continue; // a script
        requests[count++] =
            (struct variant_request){.kernel = side->kernel,
                                     .dir = side->dir,
                                     .source_dir = side->source_dir,
                                     .config = side->config,
                                     .limits = side->limits,
                                     .arch = str_or(session->options.arch, session->device_target)};
    }
    while (session->side_count > first) session_remove_side(session, session->side_count - 1);
    if (count > 1) variant_build(requests, count, &session->arena, compiled, &ignored);
}

// Adds and builds one entry after the other, so that one that cannot be built leaves the others.
static int build_sides(struct tune *tune, struct tune_stage *stage, struct err *err) {
    struct session *session = &stage->session;
    for (size_t entry = 0; entry < stage->entry_count; ++entry) {
        const size_t side = session->side_count;
        struct err why = {0};
        TRY(add_side(tune, stage, entry, err));
        const int code = session_build(session, NULL, &why);
        if (code < 0 && (entry == 0 || !is_own_fault(&stage->points[entry], code)))
            return err_set(err, why.code, "%s", why.text);
        const char *objection = code < 0 ? why.text : find_objection(tune, stage, side);
        if (entry == 0) compile_ahead(tune, stage);
        if (entry == 0 || !objection) continue;
        session_remove_side(session, side);
        put_out(tune, stage, entry, TUNE_FATE_NOT_BUILT, objection);
    }
    return 0;
}

// ---- opening ----

static int make_plan(struct tune_stage *stage, struct plan *ret, struct err *err) {
    struct suite suite;
    TRY(session_suite(&stage->session, session_default_suite(&stage->session), &suite, err));
    run_plan_init(ret, &stage->session, "tune");
    run_plan_set_round_sampling(ret, &stage->session);
    ret->run_id = arena_strdup(&ret->arena, stage->name);
    ret->looks[0] = stage->round_max;
    ret->variant_limit = stage->variant_limit;
    run_plan_add_checks(ret, &suite);
    return run_plan_add_cases(ret, &suite, err);
}

// A begun stage knows its sides by their labels; those that it lacks could not be built.
static void find_sides(struct tune *tune, struct tune_stage *stage) {
    const struct plan *plan = &stage->run.plan;
    for (size_t entry = 0; entry < stage->entry_count; ++entry) {
        const char *label = label_of(tune, stage, entry);
        stage->sides[entry] = TUNE_SIDE_NONE;
        for (uint32_t side = 0; side < plan->side_count; ++side)
            if (str_equal(plan->sides[side].label, label)) stage->sides[entry] = side;
        if (stage->sides[entry] == TUNE_SIDE_NONE && !stage->fates[entry])
            put_out(tune, stage, entry, TUNE_FATE_NOT_BUILT,
                    "it did not build before the tuning was resumed");
    }
}

// The problem of a check or a round is not taken by this entry. Said once of each problem.
static void note_unsupported(struct tune *tune, struct tune_stage *stage, size_t entry,
                             const struct result_case *item) {
    const struct result *result = &stage->run.result;
    struct arena *arena = &tune->record.arena;
    char buffer[PROBLEM_KEY_BYTES], other[PROBLEM_KEY_BYTES];
    const char *key = result_case_key(item, buffer);
    size_t at = 0;
    while (at < result->case_count && !str_equal(result_case_key(&result->cases[at], other), key)) ++at;
    if (at == result->case_count || stage->is_unsupported[entry][at]) return;
    stage->is_unsupported[entry][at] = true;
    const uint32_t count = ++stage->unsupported_counts[entry];
    const char *said = item->checks[stage->sides[entry]].message;
    stage->reasons[entry] =
        arena_format(arena, "UNSUPPORTED on %u of %zu, such as %s%s%s", (unsigned)count, result->case_count,
                     result_case_name(item), said ? ": " : "", str_or(said, ""));
    if (count == result->case_count) put_out(tune, stage, entry, TUNE_FATE_PARTIAL, stage->reasons[entry]);
}

// Takes out whom the worker found wrong, and notes which problems are not taken. ERR_UNAVAILABLE: by the
// baseline.
static int note_outcomes(struct tune *tune, struct tune_stage *stage, const struct result_case *cases,
                         size_t count, struct err *err) {
    for (size_t i = 0; i < count; ++i)
        for (size_t entry = 0; entry < stage->entry_count; ++entry) {
            const uint32_t side = stage->sides[entry];
            const enum outcome outcome =
                side == TUNE_SIDE_NONE ? OUTCOME_OK : result_case_outcome(&cases[i], side);
            if (!outcome_is_wrong(outcome) && outcome != OUTCOME_UNSUPPORTED) continue;
            const char *name = result_case_name(&cases[i]);
            if (!entry)
                return err_set(
                    err, ERR_UNAVAILABLE,
                    "the baseline is %s on %s, so there is nothing to tune; see 'assay fuzz --kernel %s'",
                    outcome_name(outcome), name, tune->kernel->name);
            if (outcome == OUTCOME_UNSUPPORTED)
                note_unsupported(tune, stage, entry, &cases[i]);
            else
                put_out(tune, stage, entry, TUNE_FATE_WRONG,
                        arena_format(&tune->record.arena, "%s on %s", outcome_name(outcome), name));
        }
    return 0;
}

// How long checks and samples of a side took so far, by the records.
static uint64_t time_of(const struct result *result, uint32_t side) {
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < result->check_count; ++i) sum_ns += result->checks[i].checks[side].duration_ns;
    for (size_t i = 0; i < result->case_count; ++i)
        for (size_t r = 0; r < result->cases[i].round_count; ++r) {
            const struct samples *samples = &result->cases[i].rounds[r].samples[side];
            for (size_t k = 0; k < samples->count; ++k) sum_ns += samples->items[k].duration_ns;
        }
    return sum_ns;
}

// Of a heat: who is in the final is measured to its end.
static void remove_slow(struct tune *tune, struct tune_stage *stage) {
    if (!tune->variant_limit_ns || !stage->number) return;
    for (size_t entry = 1; entry < stage->entry_count; ++entry) {
        if (stage->sides[entry] == TUNE_SIDE_NONE) continue;
        if (time_of(&stage->run.result, stage->sides[entry]) <= tune->variant_limit_ns) continue;
        put_out(tune, stage, entry, TUNE_FATE_TOO_SLOW,
                "its checks and samples took longer than --variant-time");
    }
}

// Who is wrong, too slow, or takes no problem leaves the stage.
static int remove_bad(struct tune *tune, struct tune_stage *stage, const struct result_case *cases,
                      size_t count, struct err *err) {
    TRY(note_outcomes(tune, stage, cases, count, err));
    remove_slow(tune, stage);
    return 0;
}

int tune_stage_open(struct tune *tune, struct tune_stage *stage, struct err *err) {
    struct session_options options = tune->session.options;
    struct plan plan = {0};
    char *dir = path_join(tune->dir, stage->name), *path = path_join(dir, "plan.json");
    options.output_dir = tune->dir;
    options.resume = file_exists(path) ? arena_strdup(&tune->record.arena, dir) : NULL;
    options.seed = rng_u64(options.seed, rng_stream("tune stage"), stage->number);
    free(dir);
    free(path);
    TRY(session_open(&stage->session, &options, err));
    if (!options.resume) {
        TRY(build_sides(tune, stage, err));
        TRY(make_plan(stage, &plan, err));
    }
    TRY(run_open(&stage->run, &stage->session, &plan, &tune->callbacks.run, err));
    tune->record.suite = arena_strdup(&tune->record.arena, stage->run.plan.suite);
    for (size_t entry = 0; entry < stage->entry_count; ++entry)
        stage->is_unsupported[entry] =
            arena_array(&tune->record.arena, stage->run.result.case_count + 1, sizeof(bool));
    find_sides(tune, stage);
    TRY(executor_run_checks(&stage->run.executor, err));
    tune->record.device_name = arena_strdup(&tune->record.arena, stage->run.result.environment.device_name);
    return remove_bad(tune, stage, stage->run.result.checks, stage->run.result.check_count, err);
}

int tune_stage_close(struct tune_stage *stage, struct err *err) {
    const int code = run_close(&stage->run, err);
    session_close(&stage->session);
    return code;
}

// ---- measuring ----

void tune_stage_remove(struct tune_stage *stage, size_t entry) {
    if (stage->sides[entry] == TUNE_SIDE_NONE) return;
    stage->run.executor.closed_side_mask |= 1u << stage->sides[entry];
    stage->sides[entry] = TUNE_SIDE_NONE;
}

int tune_stage_measure(struct tune *tune, struct tune_stage *stage, uint32_t up_to, struct err *err) {
    TRY(executor_run_rounds(&stage->run.executor, up_to, err));
    return remove_bad(tune, stage, stage->run.result.cases, stage->run.result.case_count, err);
}

uint32_t tune_stage_rounds(const struct tune_stage *stage) {
    const struct result *result = &stage->run.result;
    size_t least = ROUNDS_LIMIT;
    for (size_t entry = 1; entry < stage->entry_count; ++entry)
        for (size_t i = 0; stage->sides[entry] != TUNE_SIDE_NONE && i < result->case_count; ++i) {
            struct round_medians medians;
            if (stage->is_unsupported[entry][i]) continue;
            if (round_medians_get(&result->cases[i], stage->sides[0], stage->sides[entry], &medians) < 0)
                return 0;
            if (medians.round_count < least) least = medians.round_count;
            round_medians_fini(&medians);
        }
    return (uint32_t)least;
}

int tune_stage_get(const struct tune_stage *stage, size_t entry, uint32_t round_count, double *ret_x) {
    const struct result *result = &stage->run.result;
    for (size_t i = 0; i < result->case_count; ++i) {
        struct round_medians medians;
        if (stage->is_unsupported[entry][i]) {
            for (uint32_t r = 0; r < round_count; ++r) ret_x[i * round_count + r] = NAN;
            continue;
        }
        if (round_medians_get(&result->cases[i], stage->sides[0], stage->sides[entry], &medians) < 0)
            return -1;
        const bool is_enough = medians.round_count >= round_count;
        if (is_enough) memcpy(ret_x + i * round_count, medians.log_ratios, round_count * sizeof *ret_x);
        round_medians_fini(&medians);
        if (!is_enough) return -1;
    }
    return 0;
}
