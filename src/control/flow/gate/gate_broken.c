// SPDX-License-Identifier: Apache-2.0
//
// See gate_broken.h.
#include "control/flow/gate/gate_broken.h"

#include "code_host/code_host.h"
#include "control/flow/run_plan.h"
#include "verdict/decision_make.h"

static const char *const sentences[GATE_STAGE_COUNT] = {
    [GATE_STAGE_CANDIDATE_BROKEN] = "the candidate cannot be built",
    [GATE_STAGE_BASELINE_BROKEN] = "the baseline cannot be built",
    [GATE_STAGE_KERNEL_REMOVED] = "the kernel on trial was removed",
};

const char *gate_suite_name(struct gate *gate) {
    struct session *session = &gate->session;
    const struct suite *suite = &gate->policy.decides.suite;
    return suite->item_count ? suite->name
                             : session_suite_name(session, session_gate_suite(session, &session->manifest));
}

// What is known of a side, which may not have been added. named: by the command or the manifest.
static struct result_side side_of(const struct session *session, uint32_t index, enum side_role role,
                                  const char *named, struct arena *arena) {
    const struct result_side *side = index < session->side_count ? &session->sides[index].spec : NULL;
    const bool is_there = side && side->role == role;
    return (struct result_side){
        .role = role,
        .label = arena_strdup(arena, str_or(is_there ? side->label : NULL, named)),
        .kernel = arena_strdup(arena, is_there ? side->kernel : NULL),
        .revision = arena_strdup(arena, is_there ? side->revision : NULL),
        .build = build_report_unknown(),
    };
}

static struct decision *decision_of(enum gate_stage stage, const struct err *cause, int exit_code,
                                    struct arena *arena) {
    struct decision *ret = arena_alloc(arena, sizeof *ret);
    *ret = decision_empty("rounds", NULL);
    ret->exit_code = exit_code;
    ret->verdict = stage == GATE_STAGE_KERNEL_REMOVED ? VERDICT_REMOVED : VERDICT_NOT_VALID;
    ret->sentence = sentences[stage];
    decision_note_lines(ret, NULL, cause->text, arena); // behind the first: the end of a compiler's output
    return ret;
}

void gate_broken_result(struct gate *gate, const struct err *cause, int exit_code, struct result *ret) {
    const struct session *session = &gate->session;
    const struct gate_request *request = &gate->request;
    const char *candidate = str_or(request->candidate, session_default_kernel(session));
    const char *baseline = str_or(request->baseline, session->manifest.gate.baseline);
    result_init(ret);
    struct arena *arena = &ret->arena;
    ret->created_utc = run_created_utc(arena);
    ret->run_id = run_id_make(arena, ret->created_utc, "gate");
    ret->command = arena_strdup(arena, session->options.command_line);
    ret->suite = arena_strdup(arena, gate_suite_name(gate));
    ret->seed = session->options.seed;
    ret->environment.device = arena_strdup(arena, session->options.device);
    ret->side_count = 2;
    ret->sides[0] = side_of(session, gate->base_side, SIDE_BASELINE, str_or(baseline, "the baseline"), arena);
    ret->sides[1] =
        side_of(session, gate->cand_side, SIDE_CANDIDATE, str_or(candidate, "the candidate"), arena);
    ret->decision = decision_of(gate->stage, cause, exit_code, arena);
    code_host_state_job(ret);
}
