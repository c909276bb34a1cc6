// SPDX-License-Identifier: Apache-2.0
//
// See gate_metric.h.
#include "control/flow/gate/gate_metric.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/strbuf.h"

#define COUNTER "valgrind" // worker/measure/callgrind.h

// Times of launches and of calls are not comparable: better said before anything is measured.
static int check_stored(const struct result *stored, const char *path, enum metric metric, struct err *err) {
    const char *before = str_or(stored->environment.metric, metric_name(METRIC_TIME));
    if (str_equal(before, metric_name(metric))) return 0;
    return err_set(
        err, ERR_USAGE,
        "%s was measured with metric %s, and this gate measures %s; give --metric %s, or measure a "
        "new baseline",
        path, before, metric_name(metric), before);
}

static int check_counting(const struct plan *plan, bool is_stored, struct err *err) {
    if (!str_equal(plan->device, "cpu"))
        return err_set(err, ERR_USAGE,
                       "instructions are counted on a processor only, not on %s; metric call_time measures "
                       "there what a launch costs",
                       str_shown(plan->device).text);
    for (size_t i = 0; i < plan->side_count; ++i)
        if (plan->sides[i].python)
            return err_set(err, ERR_USAGE,
                           "'%s' is written in Python: the instructions of its interpreter would be counted; "
                           "measure time or call_time",
                           str_shown(plan->sides[i].label).text);
    if (is_stored)
        return err_set(err, ERR_USAGE,
                       "instructions are compared with a kernel or a revision, not with a stored file");
    if (plan->sampling.isolation != ISOLATION_NONE)
        return err_set(err, ERR_USAGE,
                       "Valgrind cannot run in the sandbox: metric instructions needs --isolation none, for "
                       "kernels that you trust");
    char *program = path_find_program(COUNTER);
    const bool is_there = program != NULL;
    free(program);
    if (is_there) return 0;
    return err_set(
        err, ERR_UNAVAILABLE,
        "counting instructions needs Valgrind, which is not on PATH: install the package 'valgrind', "
        "or measure time");
}

int gate_metric_check(const struct plan *plan, const struct result *stored, const char *stored_path,
                      struct err *err) {
    const enum metric metric = plan->sampling.metric;
    if (metric == METRIC_INSTRUCTIONS) TRY(check_counting(plan, stored != NULL, err));
    return stored ? check_stored(stored, stored_path, metric, err) : 0;
}
