// SPDX-License-Identifier: Apache-2.0
//
// Lists what a candidate gives up without being measured for it: problems that only the baseline's suite has,
// and those of the check that it does not support.

#include "base/comma.h"
#include "control/flow/gate/gate_internal.h"
#include "control/flow/gate/gate_run.h"
#include "control/flow/worker_query.h"
#include "verdict/decision_make.h"
#include "verdict/removed_checks.h"

void gate_add_removed(struct decision *decision, const char *removed_problems, struct arena *arena) {
    if (!removed_problems || !*removed_problems) return;
    struct comma_item name;
    decision_reserve(decision, comma_count(removed_problems), arena);
    for (const char *at = removed_problems; comma_next(&at, &name);)
        decision_add_removed(decision, arena_strndup(arena, name.text, name.length), REASON_NOTHING_IN_COMMON,
                             "only the baseline's suite has it");
}

// Its supports, and nothing is launched. Returns why it is not known, where the answer is not.
static const char *ask_baseline(struct gate *gate, const struct removed_checks *refused, enum outcome *ret) {
    struct run *run = &gate->run;
    struct arena *arena = &run->result.arena;
    struct query_support query = {.side = &run->plan.sides[gate->base_side],
                                  .isolation = run->plan.sampling.isolation,
                                  .operators = run->plan.operators,
                                  .device = run->plan.device,
                                  .sim = run->plan.sim,
                                  .thread_count = run->plan.thread_count,
                                  .case_count = refused->count,
                                  .cases = arena_array(arena, refused->count, sizeof *query.cases)};
    struct err err = {0};
    for (size_t k = 0; k < refused->count; ++k) {
        const struct result_case *item = &run->result.checks[refused->indices[k]];
        query.cases[k] = (struct work_case){.index = (uint32_t)k,
                                            .problem = item->problem,
                                            .distribution = item->distribution,
                                            .memory_layout = item->memory_layout,
                                            .side_mask = 1};
    }
    if (query_supported(&query, ret, refused->count, &err) < 0)
        return arena_format(arena, "it could not be asked: %s", err.text);
    return "it failed when it was asked";
}

void gate_add_removed_checks(struct gate *gate, struct decision *decision) {
    const struct result *result = &gate->run.result;
    struct arena *arena = &gate->run.result.arena;
    size_t *indices = arena_array(arena, result->check_count + 1, sizeof *indices);
    const size_t count = removed_checks_find(result, gate->cand_side, indices);
    if (!count) return;
    enum outcome *baseline = arena_array(arena, count, sizeof *baseline);
    struct removed_checks removed = {.result = result,
                                     .cand_side = gate->cand_side,
                                     .count = count,
                                     .indices = indices,
                                     .baseline = baseline};
    if (gate->is_stored_baseline) {
        removed.unknown_reason = arena_format(arena, "%s says nothing of it", gate->stored_path);
        for (size_t k = 0; k < count; ++k)
            baseline[k] = removed_checks_stored(&gate->stored, gate->base_side, &result->checks[indices[k]]);
    } else {
        removed.unknown_reason = ask_baseline(gate, &removed, baseline);
    }
    removed_checks_add(&removed, arena, decision);
}
