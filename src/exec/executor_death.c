// SPDX-License-Identifier: Apache-2.0
//
// What does it mean that a worker ended without a goodbye? Before its first case it is an error of the run; in a case it
// is that case's outcome; between cases it is a warning. And what does the user hear when a run cannot go on?
#include "exec/errand.h"

#include <stdio.h>

#include "base/clock.h"

int executor_fail(struct executor *executor, int code, struct err *err) {
    const struct plan *plan = executor->plan;
    if (code >= 0) return code;
    if (executor->state) executor->state->has_failed = true;
    if (code != -ERR_CANCELLED) return code;
    return err_set(err, ERR_CANCELLED,
                   "interrupted; what was finished is kept: go on with 'assay %s --resume %s'",
                   plan->command ? plan->command : "run", executor->run_dir);
}

static int run_is_over(struct executor *executor, struct err *err) {
    const struct plan *plan = executor->plan;
    executor->is_over_limit = true;
    return err_set(err, ERR_UNAVAILABLE,
                   "the time limit of the run (%g s) has passed; what was finished is kept: go on with "
                   "'assay %s --resume %s', or raise limits.gate_s",
                   plan->run_limit_s, plan->command ? plan->command : "run", executor->run_dir);
}

static int keep_warning(struct errand *errand, struct err *err) {
    struct strbuf text = {0};
    struct record record = {.kind = RECORD_WARNING, .time_ns = clock_ns()};
    strbuf_add(&text, "a worker ended between two cases: it ");
    if (errand->end.garbage)
        strbuf_addf(&text, "wrote something that is no record (%.200s)", errand->end.garbage);
    else
        proc_status_format(&errand->end.status, &text);
    record.text = text.text;
    int code = executor_keep(errand->executor, &record, false, err);
    strbuf_fini(&text);
    return code;
}

int executor_judge_end(struct errand *errand, struct err *err) {
    const struct worker_end *end = &errand->end;
    if (end->is_run_over) return run_is_over(errand->executor, err);
    if (end->has_said_bye && !end->garbage) return 0;
    if (!errand->has_begun) return worker_end_error(end, errand->order, err);
    if (errand->bad_mask)
        return 0; // it said what was wrong before it died: a fault in a guard page ends a worker so
    if (errand->is_in_case) return 1;
    return keep_warning(errand, err);
}

int executor_keep_death(struct errand *errand, uint32_t side, const char *when, struct err *err) {
    const struct worker_end *end = &errand->end;
    const bool is_timeout = end->status.end == PROC_TIMEOUT && !end->garbage;
    struct record record = {
        .kind = RECORD_CHECK,
        .phase = errand->order->kind == WORK_CHECK ? PHASE_CHECK : PHASE_ROUND,
        .round = errand->order->round,
        .attempt = errand->order->attempt,
        .case_index = errand->case_index,
        .side = side,
        .time_ns = clock_ns(),
        .check = {.outcome = is_timeout ? OUTCOME_TIMEOUT : OUTCOME_CRASHED},
    };
    struct strbuf text = {0};
    strbuf_add(&text, when);
    worker_end_format(end, &text);
    snprintf(record.check.message, sizeof record.check.message, "%s", text.text);
    strbuf_fini(&text);
    return executor_keep(errand->executor, &record, false, err);
}
