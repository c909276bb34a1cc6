// SPDX-License-Identifier: Apache-2.0
//
// See tune_run.h.
#include "control/flow/tune/tune_run.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "control/exec/executor.h"
#include "control/flow/device_lock.h"
#include "control/flow/run_plan.h"
#include "control/flow/tune/tune_final.h"
#include "control/flow/tune/tune_proposer.h"
#include "control/flow/tune/tune_stage.h"
#include "control/flow/worker_query.h"
#include "control/tune/tune_steer.h"

#define PROFILE_BYTES_MAX  ((size_t)16 << 20)
#define TUNE_FINALISTS_MAX (TUNE_HEAT_SIDES - 1) // the fastest, and specialists

// ---- opening ----

static int find_kernel(struct tune *tune, struct err *err) {
    const struct session *session = &tune->session;
    const char *name = session_default_kernel(session);
    if (!session->has_manifest)
        return err_set(err, ERR_USAGE,
                       "which kernel? A tuning needs one of a manifest: there is no assay.yaml here or "
                       "above ('assay init' writes one)");
    if (!name)
        return session_fail_unnamed(session,
                                    session->options.resume
                                        ? "which kernel is tuned? --resume takes the options that the tuning "
                                          "was begun with."
                                        : "which kernel is tuned?",
                                    "--kernel", err);
    TRY(manifest_get_kernel(&session->manifest, name, &tune->kernel, err));
    if (tune->kernel->source || tune->kernel->sim) return 0;
    return err_set(err, ERR_USAGE,
                   "kernel '%s' is not built from source by assay, so nothing can be set; name one with a "
                   "source",
                   name);
}

static int make_space(struct tune *tune, struct err *err) {
    struct session *session = &tune->session;
    struct kernel_description description;
    if (tune->kernel->sim) return tune_space_make(NULL, tune->kernel, &tune->space, err);
    TRY(session_add_side(session, SIDE_BASELINE, tune->kernel->name, NULL, err));
    TRY(session_build(session, NULL, err));
    const struct query_side query = {&session->sides[0].spec, session->options.sampling.isolation,
                                     &session->manifest.operators};
    TRY(query_kernel(&query, &tune->record.arena, &description, err));
    return tune_space_make(&description, tune->kernel, &tune->space, err);
}

static int find_dir(struct tune *tune, const char *name, struct err *err) {
    const char *root = tune->session.options.output_dir;
    tune->dir = run_dir_of(name, root, TUNE_FILE);
    char *path = path_join(tune->dir, TUNE_FILE);
    const bool is_there = file_exists(path);
    free(path);
    if (is_there) return 0;
    return err_set(err, ERR_NO_INPUT, "no tuning '%s' in '%s': there is no " TUNE_FILE, name, root);
}

static int name_run(struct tune *tune, struct err *err) {
    struct tune_record *record = &tune->record;
    const struct session_options *options = &tune->session.options;
    struct plan named = {0}; // gives a run its name
    run_plan_init(&named, &tune->session, "tune");
    record->run_id = arena_strdup(&record->arena, named.run_id);
    record->created_utc = arena_strdup(&record->arena, named.created_utc);
    plan_fini(&named);
    if (!options->resume) {
        tune->dir = path_join(options->output_dir, record->run_id);
        return 0;
    }
    TRY(find_dir(tune, options->resume, err));
    record->run_id = arena_strdup(&record->arena, path_base(tune->dir));
    return 0;
}

static int read_strategy(const char *name, enum tune_strategy *ret, struct err *err) {
    *ret = TUNE_EVOLUTIONARY;
    if (!name) return 0;
    const int value = member_value(tune_strategy_names, TUNE_STRATEGY_COUNT, name);
    if (value <= 0)
        return err_set(err, ERR_USAGE, "--strategy takes exhaustive, random or evolutionary, not '%s'", name);
    *ret = (enum tune_strategy)value;
    return 0;
}

static int check_rounds(const struct tune_request *request, struct err *err) {
    if (request->round_max < TUNE_FIRST_LOOK || request->round_max > TUNE_ROUNDS_MAX)
        return err_set(err, ERR_USAGE, "--rounds takes %d to %d", TUNE_FIRST_LOOK, TUNE_ROUNDS_MAX);
    if (request->final_rounds < TUNE_FINAL_ROUNDS_MIN || request->final_rounds > ROUNDS_LIMIT / 2)
        return err_set(err, ERR_USAGE, "--final-rounds takes %d to %d", TUNE_FINAL_ROUNDS_MIN,
                       ROUNDS_LIMIT / 2);
    return 0;
}

static int read_trial(struct tune *tune, const struct tune_request *request, struct err *err) {
    if (request->prediction && !request->trial)
        return err_set(err, ERR_USAGE, "--predict says what one variant will do: name it with --try");
    if (!request->trial) return 0;
    if (!tune_point_parse(&tune->space, request->trial, &tune->trial))
        return err_set(err, ERR_USAGE,
                       "--try '%s' is not in the space of kernel '%s'; 'assay tune --kernel %s --dry-run' "
                       "lists it",
                       request->trial, tune->kernel->name, tune->kernel->name);
    const char *rule = tune_space_find_broken(&tune->space, &tune->trial);
    if (rule) return err_set(err, ERR_USAGE, "--try '%s' breaks the rule '%s'", request->trial, rule);
    tune->is_trial = true;
    tune->record.prediction = arena_strdup(&tune->record.arena, request->prediction);
    return 0;
}

// What a profile says of the kernel: which settings come first, and what a proposer is told.
static int read_profile(struct tune *tune, const char *path, enum tune_strategy strategy, struct err *err) {
    const bool is_asked = tune->proposer.command != NULL;
    struct arena *arena = &tune->record.arena;
    struct profile_document *document = arena_alloc(arena, sizeof *document);
    struct strbuf text = {0};
    if (!path) return 0;
    if (tune->is_trial || (!is_asked && strategy != TUNE_EVOLUTIONARY))
        return err_set(
            err, ERR_USAGE,
            "--profile orders the steps of the evolutionary search, or is shown to a proposer: leave "
            "it out with --try and other strategies");
    TRY(file_read(path, PROFILE_BYTES_MAX, &text.text, &text.length, err));
    const int code = profile_document_read(&text, path, arena, document, err);
    strbuf_fini(&text);
    if (code < 0) return code;
    tune->profile = document;
    if (is_asked) return 0; // it is told, nothing is ordered
    tune->record.steered_by = tune_steer(&tune->space, document->launch.diagnosis.bottleneck, arena);
    return 0;
}

static const char *strategy_text(const struct tune *tune, enum tune_strategy strategy) {
    if (tune->is_trial) return "no";
    return tune->proposer.command ? "proposer" : tune_strategy_names[strategy];
}

int tune_open(struct tune *tune, const struct tune_request *request, struct err *err) {
    struct tune_record *record = &tune->record;
    struct session_options options = request->session;
    enum tune_strategy strategy;
    *tune = (struct tune){.variant_max = request->variant_max, .variant_limit_ns = request->variant_limit_ns};
    TRY(read_strategy(request->strategy, &strategy, err));
    TRY(check_rounds(request, err));
    options.resume = NULL; // of the tuning, not of a run
    if (request->proposer.command && !options.is_isolation_given)
        options.sampling.isolation = ISOLATION_PROCESS; // for what nobody has read
    TRY(session_open(&tune->session, &options, err));
    tune->session.options.resume = request->session.resume;
    TRY(find_kernel(tune, err));
    TRY(make_space(tune, err));
    TRY(read_trial(tune, request, err));
    TRY(tune_proposer_open(tune, &request->proposer, err));
    if (request->proposer.command && request->strategy)
        return err_set(err, ERR_USAGE,
                       "--strategy searches settings, --proposer asks a program: give one of both");
    if (!request->proposer.command) TRY(tune_space_need_knobs(&tune->space, tune->kernel->name, err));
    TRY(read_profile(tune, request->profile, strategy, err));
    TRY(name_run(tune, err));
    record->command_line = arena_strdup(&record->arena, options.command_line);
    record->kernel = tune->kernel->name;
    record->device = tune->session.options.device;
    record->strategy = strategy_text(tune, strategy);
    record->seed = options.seed;
    record->point_count = tune->space.point_count;
    record->round_max = request->round_max;
    record->final_rounds = request->final_rounds;
    if (request->budget_ns) tune->deadline_ns = clock_ns() + request->budget_ns;
    tune_contest_init(&tune->contest, &tune->space, strategy, record->seed, record->round_max);
    return 0;
}

void tune_close(struct tune *tune) {
    tune_contest_fini(&tune->contest);
    tune_record_fini(&tune->record);
    session_close(&tune->session);
    free(tune->dir);
    *tune = (struct tune){0};
}

static int save(struct tune *tune, struct err *err) {
    char *path = path_join(tune->dir, TUNE_FILE);
    const int code = tune_record_write_file(&tune->record, path, err);
    free(path);
    return code;
}

// ---- heats ----

// The next round as the heat wants it: means over the problems, NAN of who does not take all of them. Each
// problem's own sums are kept, too.
static void feed(struct tune_stage *stage, struct tune_heat *heat) {
    const size_t problem_count = stage->run.result.case_count;
    const uint32_t count = heat->round_count + 1;
    double x[TUNE_HEAT_SIDES] = {0};
    double *all = mem_alloc(problem_count * count * sizeof *all);
    for (size_t entry = 1; entry < stage->entry_count; ++entry) {
        x[entry] = NAN;
        if (stage->sides[entry] == TUNE_SIDE_NONE || tune_stage_get(stage, entry, count, all) < 0) continue;
        ++stage->round_counts[entry];
        x[entry] = 0;
        for (size_t p = 0; p < problem_count; ++p) {
            const double now = all[p * count + count - 1];
            x[entry] += now / (double)problem_count;
            stage->problem_sums[entry][p] += now;
        }
    }
    free(all);
    tune_heat_add(heat, x);
}

// Losers leave the stage, and sides that are out of the stage leave the heat. Who takes some problems only is
// no part of the heat, and is measured as long as it lasts.
static void match(struct tune_stage *stage, struct tune_heat *heat) {
    for (size_t entry = 1; entry < stage->entry_count; ++entry) {
        const bool is_partial = tune_stage_is_partial(stage, entry);
        if (is_partial || stage->sides[entry] == TUNE_SIDE_NONE) tune_heat_remove(heat, entry);
        if (heat->is_dropped[entry] && !is_partial) tune_stage_remove(stage, entry);
    }
}

// A heat ends when nothing more can be learnt of those that take all problems; the others get as many rounds
// as its first look has.
static bool goes_on(const struct tune_stage *stage, const struct tune_heat *heat) {
    if (tune_heat_goes_on(heat)) return true;
    if (heat->round_count >= TUNE_FIRST_LOOK) return false;
    for (size_t entry = 1; entry < stage->entry_count; ++entry)
        if (tune_stage_is_partial(stage, entry) && stage->sides[entry] != TUNE_SIDE_NONE) return true;
    return false;
}

static int race(struct tune *tune, struct tune_stage *stage, struct tune_heat *heat, struct err *err) {
    match(stage, heat);
    for (uint32_t round = 1; round <= heat->round_max && goes_on(stage, heat); ++round) {
        TRY(tune_stage_measure(tune, stage, round, err));
        match(stage, heat);
        if (tune_stage_rounds(stage) > heat->round_count) feed(stage, heat);
        match(stage, heat);
    }
    return 0;
}

static enum tune_fate fate_of(const struct tune_tried *tried, enum tune_fate found) {
    if (found) return found;
    if (!tried->problem_round_count) return TUNE_FATE_NO_DATA;
    if (!tried->round_count) return TUNE_FATE_PARTIAL;
    return tried->is_alive ? TUNE_FATE_ALIVE : TUNE_FATE_DROPPED;
}

// Its sums of this heat join those of its earlier ones.
static void note_problems(struct tune *tune, const struct tune_stage *stage, size_t entry,
                          struct tune_tried *tried) {
    const size_t count = stage->run.result.case_count;
    if (!tried->problem_sums)
        tried->problem_sums = arena_array(&tune->record.arena, count + 1, sizeof *tried->problem_sums);
    for (size_t p = 0; p < count; ++p) tried->problem_sums[p] += stage->problem_sums[entry][p];
    tried->problem_round_count += stage->round_counts[entry];
    tune->problem_count = count;
}

// The geometric mean of the speed-ups on the problems that a variant takes.
static double speedup_of(const struct tune_tried *tried, size_t problem_count) {
    double sum = 0;
    size_t count = 0;
    for (size_t p = 0; p < problem_count; ++p) {
        if (!isfinite(tried->problem_sums[p])) continue;
        sum += tried->problem_sums[p] / tried->problem_round_count;
        ++count;
    }
    return exp(-sum / (double)count);
}

// What the search is told of a variant whose mean is none, and what is not measured on every problem.
static void forget_mean(struct tune_tried *tried) {
    tried->log_ratio = NAN;
    tried->round_count = 0;
    tried->is_alive = false;
}

// What is known of an entry after its heat; a variant that is found wrong later loses its time.
static void note(struct tune *tune, const struct tune_stage *stage, const struct tune_entry *entries,
                 size_t entry) {
    struct tune_record *record = &tune->record;
    struct tune_tried *tried = &tune->contest.search.tried[entries[entry].place];
    const char *config = tune_point_text(&tune->space, &tried->point, &record->arena);
    struct tune_variant *variant = tune_record_find(record, config);
    if (!variant) {
        MEM_GROW(record->variants, record->variant_capacity, record->variant_count + 1);
        variant = &record->variants[record->variant_count++];
        *variant = (struct tune_variant){.config = config, .heat = tune->contest.heat_count};
        for (size_t i = 0; i < record->proposal_count; ++i)
            if (str_equal(record->proposals[i].variant, config))
                variant->prediction = record->proposals[i].prediction;
    }
    note_problems(tune, stage, entry, tried);
    if (tune_stage_is_partial(stage, entry) || stage->fates[entry] == TUNE_FATE_WRONG) forget_mean(tried);
    if (stage->fates[entry] == TUNE_FATE_WRONG) tried->problem_round_count = 0;
    variant->fate = fate_of(tried, stage->fates[entry]);
    variant->reason = stage->reasons[entry];
    variant->log = stage->logs[entry];
    variant->unsupported_count = stage->unsupported_counts[entry];
    variant->round_count = tried->problem_round_count;
    variant->speedup = tried->problem_round_count ? speedup_of(tried, tune->problem_count) : NAN;
}

static const char *heat_name(struct tune *tune, uint32_t number) {
    return arena_format(&tune->record.arena, "heat-%03u", (unsigned)number);
}

static bool is_begun(const struct tune *tune, const char *stage) {
    char *path = mem_format("%s/%s/plan.json", tune->dir, stage);
    const bool ret = file_exists(path);
    free(path);
    return ret;
}

// Of a stage that was begun. *ret is to be freed with plan_fini when 0 is returned.
static int read_plan(const struct tune *tune, const char *stage, struct plan *ret, struct err *err) {
    char *path = mem_format("%s/%s/plan.json", tune->dir, stage);
    const int code = plan_read_file(path, ret, err);
    free(path);
    return code;
}

static int run_heat(struct tune *tune, struct tune_heat *heat, struct tune_entry *entries, size_t room,
                    struct err *err) {
    struct tune_stage stage = {.number = heat->number,
                               .round_max = heat->round_max,
                               .variant_limit = (uint32_t)room,
                               .entry_count = heat->side_count};
    stage.name = heat_name(tune, heat->number);
    for (size_t i = 1; i < stage.entry_count; ++i) stage.points[i] = entries[i].point;
    int code = tune_stage_open(tune, &stage, err);
    for (size_t i = 1; code == 0 && i < stage.entry_count; ++i)
        stage.problem_sums[i] =
            arena_array(&tune->record.arena, stage.run.result.case_count + 1, sizeof(double));
    if (code == 0) code = race(tune, &stage, heat, err);
    if (code == 0) {
        tune_contest_end(&tune->contest, heat, entries);
        tune->record.heat_count = heat->number;
        for (size_t i = 1; i < stage.entry_count; ++i) note(tune, &stage, entries, i);
    }
    const int closed = tune_stage_close(&stage, code == 0 ? err : NULL);
    return code < 0 ? code : closed;
}

// How many new variants the next heat may have. What was begun before a tuning was resumed goes on: its
// heats, however late it is and whatever its limits are now, and then its final, whose variants are chosen.
static int find_room(struct tune *tune, size_t *ret, struct err *err) {
    const size_t tried = tune->record.variant_count;
    // What other programs measured meanwhile is not of the budget.
    const uint64_t used_ns = clock_ns() - device_lock_waited_ns(tune->session.options.device_lock);
    const bool is_late = tune->deadline_ns && used_ns > tune->deadline_ns;
    const char *heat = heat_name(tune, tune->contest.heat_count + 1);
    *ret = 0;
    if (is_begun(tune, heat)) {
        struct plan plan;
        TRY(read_plan(tune, heat, &plan, err));
        *ret = plan.variant_limit;
        plan_fini(&plan);
        if (*ret) return 0; // else an older assay planned it
    } else if (is_late || is_begun(tune, TUNE_FINAL_NAME)) {
        return 0;
    }
    *ret = TUNE_HEAT_SIDES;
    if (tune->variant_max) *ret = tried < tune->variant_max ? tune->variant_max - tried : 0;
    return 0;
}

// The next heat, of the search's variants or a proposer's. 0 new ones: there is none.
static int begin_heat(struct tune *tune, size_t limit, struct tune_entry *entries, struct tune_heat *heat,
                      size_t *ret_count, struct err *err) {
    struct tune_contest *contest = &tune->contest;
    struct tune_point points[TUNE_HEAT_SIDES];
    const size_t most = tune_contest_room(contest);
    *ret_count = 0;
    if (!limit) return tune->proposer.command ? tune_proposer_recall(tune, err) : 0;
    if (!tune->proposer.command) {
        *ret_count = tune_contest_begin(contest, limit, entries, heat);
        return 0;
    }
    TRY(tune_proposer_ask(tune, limit < most ? limit : most, points, ret_count, err));
    if (*ret_count) tune_contest_begin_with(contest, points, *ret_count, entries, heat);
    return 0;
}

static int run_heats(struct tune *tune, struct err *err) {
    struct tune_entry entries[TUNE_HEAT_SIDES];
    struct tune_heat heat;
    for (size_t room, count;;) {
        TRY(find_room(tune, &room, err));
        TRY(begin_heat(tune, room, entries, &heat, &count, err));
        if (!count) return 0;
        TRY(run_heat(tune, &heat, entries, room, err));
        TRY(save(tune, err));
        if (tune->callbacks.on_heat) tune->callbacks.on_heat(tune->callbacks.arg, tune);
    }
}

// ---- the end ----

static void conclude(struct tune_record *record) {
    size_t elite = 0;
    const struct tune_finalist *first = NULL;
    for (size_t i = 0; i < record->finalist_count; ++i) {
        if (record->finalists[i].rank != TUNE_RANK_ELITE) continue;
        if (!first) first = &record->finalists[i];
        ++elite;
    }
    record->exit_code = elite ? 0 : 3;
    record->sentence = "no variant is shown to be faster by 3 % or more";
    if (first)
        record->sentence =
            arena_format(&record->arena, "%s is %.2fx as fast as the baseline (95 %% %.2fx to %.2fx)",
                         first->config, first->speedup, first->speedup_low, first->speedup_high);
}

// The variant that was asked for, or the finalists of a race.
static int find_points(struct tune *tune, struct tune_point *ret, size_t *ret_count, struct err *err) {
    size_t places[TUNE_FINALISTS_MAX];
    *ret_count = 1;
    ret[0] = tune->trial;
    if (tune->is_trial) return 0;
    TRY(run_heats(tune, err));
    *ret_count = tune_contest_finalists(&tune->contest, places, TUNE_ELITE_MAX);
    *ret_count =
        tune_contest_specialists(&tune->contest, tune->problem_count, places, *ret_count, TUNE_FINALISTS_MAX);
    for (size_t i = 0; i < *ret_count; ++i) ret[i] = tune->contest.search.tried[places[i]].point;
    return 0;
}

// The variants of a final that was begun are those that the heats chose; that is so again if all heats are
// there.
static int check_final(struct tune *tune, const struct tune_point *points, size_t count, struct err *err) {
    struct plan plan;
    size_t found = 0;
    if (tune->is_trial || !is_begun(tune, TUNE_FINAL_NAME)) return 0;
    TRY(read_plan(tune, TUNE_FINAL_NAME, &plan, err));
    for (size_t i = 0; i < count; ++i) {
        const char *label = tune_point_text(&tune->space, &points[i], &tune->record.arena);
        for (size_t side = 1; side < plan.side_count; ++side)
            found += str_equal(plan.sides[side].label, label);
    }
    const bool is_same = count && found == count && plan.side_count == count + 1;
    plan_fini(&plan);
    if (is_same) return 0;
    return err_set(err, ERR_DATA,
                   "'%s/" TUNE_FINAL_NAME "' has other variants than the heats beside it lead to: heats of "
                   "this tuning are missing; remove " TUNE_FINAL_NAME "/ to measure it anew",
                   tune->dir);
}

static int run_all(struct tune *tune, struct err *err) {
    struct tune_point points[TUNE_FINALISTS_MAX];
    size_t count;
    TRY(executor_make_dir(tune->dir, err));
    TRY(save(tune, err));
    if (tune->proposer.command) TRY(tune_proposer_probe(tune, err));
    TRY(find_points(tune, points, &count, err));
    TRY(check_final(tune, points, count, err));
    if (count) TRY(tune_final_run(tune, points, count, err));
    conclude(&tune->record);
    return save(tune, err);
}

int tune_run(struct tune *tune, const struct tune_callbacks *callbacks, struct err *err) {
    tune->callbacks = *callbacks;
    const int code = run_all(tune, err);
    if (code != -ERR_CANCELLED) return code;
    return err_set(err, ERR_CANCELLED,
                   "interrupted; what was finished is kept: go on with the same command and --resume %s",
                   tune->dir);
}
