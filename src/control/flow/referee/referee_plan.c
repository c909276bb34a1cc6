// SPDX-License-Identifier: Apache-2.0
//
// What a candidate is checked on. Problems that are asked for, and the smallest of them with every kind of
// inputs; where nothing is asked for, some of the operator's own matrix, drawn anew for each candidate.
#include "base/dice.h"
#include "control/flow/referee/referee_run.h"
#include "control/flow/run_plan.h"

#define MATRIX_MOST 16 // problems of the matrix

// Of a matrix, so many at random, in their order.
static int draw(struct suite *matrix, size_t most, struct err *err) {
    struct dice dice;
    size_t kept = 0, wanted = matrix->item_count < most ? matrix->item_count : most;
    TRY(dice_make_secret(&dice, err));
    for (size_t i = 0; i < matrix->item_count && wanted; ++i) {
        if (dice_below(&dice, matrix->item_count - i) >= wanted) continue;
        matrix->items[kept++] = matrix->items[i];
        --wanted;
    }
    matrix->item_count = kept;
    return 0;
}

static int get_matrix(struct referee *referee, struct suite *ret, struct err *err) {
    struct session *session = &referee->session;
    const char *name = session_suite_meant(session, &session->manifest, session_default_check(session));
    TRY(suite_resolve(&session->manifest, name, session->options.dtype, &session->arena, ret, err));
    TRY(session_draw_checks(session, ret, err));
    session_follow_kernel(session, 0, ret, &session->arena);
    return referee->request.is_thorough ? 0 : draw(ret, MATRIX_MOST, err);
}

// The problem with the fewest bytes, once with each kind of inputs that applies to it.
static struct suite smallest_in_all(const struct suite *measured, struct arena *arena) {
    struct suite ret = {.name = measured->name};
    const struct suite_item *least = &measured->items[0];
    for (size_t i = 1; i < measured->item_count; ++i)
        if (problem_bytes(&measured->items[i].problem) < problem_bytes(&least->problem))
            least = &measured->items[i];
    const char *const *names = least->problem.op->distributions;
    size_t count = 0;
    while (names && names[count]) ++count;
    ret.items = arena_array(arena, count + 1, sizeof *ret.items);
    for (size_t i = 0; i < count; ++i) {
        if (problem_check_distribution(&least->problem, names[i], NULL) < 0) continue;
        ret.items[ret.item_count] = *least;
        ret.items[ret.item_count].short_name = NULL;
        ret.items[ret.item_count++].distribution = names[i];
    }
    return ret;
}

static int get_suites(struct referee *referee, struct suite *measured, struct suite *checked,
                      struct err *err) {
    struct session *session = &referee->session;
    struct arena *arena = &session->arena;
    const struct session_options *options = &session->options;
    const struct fuzz_request *asked = &referee->request.fuzz;
    struct suite more;
    TRY(session_suite(session, session_default_suite(session), measured, err));
    if (!measured->item_count) return err_set(err, ERR_USAGE, "no problem is left to ask for");
    if (asked->distribution || asked->memory_layout) {
        *checked = suite_union(measured, &(struct suite){.name = measured->name}, arena); // a copy
        return fuzz_set_inputs(checked, asked, err);
    }
    const bool is_asked = options->problem || options->suite;
    if (is_asked && !referee->request.is_thorough)
        more = smallest_in_all(measured, arena);
    else
        TRY(get_matrix(referee, &more, err));
    *checked = suite_union(measured, &more, arena);
    return 0;
}

static void set_sampling(const struct referee *referee, struct plan *plan) {
    const struct session_options *options = &referee->session.options;
    struct sampling *sampling = &plan->sampling;
    if (options->sampling.sample_count == SESSION_SAMPLES_DEFAULT) {
        sampling->sample_count = REFEREE_PAIRS;
        sampling->sample_count_noisy = sampling->sample_count_noisier = 0;
    }
    if (sampling->warmup_count == sampling_default().warmup_count) sampling->warmup_count = REFEREE_WARMUP;
    sampling->stabilize_ns = REFEREE_STABILIZE_NS;
    sampling->limits.gate_s = (double)referee->request.limit_ns * 1e-9;
    if (sampling->limits.case_s > sampling->limits.gate_s) sampling->limits.case_s = sampling->limits.gate_s;
}

int referee_plan(struct referee *referee, struct plan *ret, struct err *err) {
    struct session *session = &referee->session;
    struct suite measured, checked;
    TRY(get_suites(referee, &measured, &checked, err));
    run_plan_init(ret, session, "referee");
    set_sampling(referee, ret);
    ret->looks[0] = referee->request.round_count;
    ret->check_side_mask = 1;
    ret->round_repeat_max = 2; // whoever asks for many candidates asks again for this one
    run_plan_add_checks(ret, &checked);
    if (referee->request.round_count) TRY(run_plan_add_cases(ret, &measured, err));
    ret->suite = arena_strdup(&ret->arena, measured.name);
    return 0;
}
