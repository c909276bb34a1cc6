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

// By Valgrind, on a processor.
static int check_callgrind(const struct plan *plan, struct err *err) {
    for (size_t i = 0; i < plan->side_count; ++i)
        if (plan->sides[i].python)
            return err_set(err, ERR_USAGE,
                           "'%s' is written in Python: the instructions of its interpreter would be counted; "
                           "measure time or call_time",
                           str_shown(plan->sides[i].label).text);
    char *program = path_find_program(COUNTER);
    const bool is_there = program != NULL;
    free(program);
    if (is_there) return 0;
    return err_set(
        err, ERR_UNAVAILABLE,
        "counting instructions needs Valgrind, which is not on PATH: install the package 'valgrind', "
        "or measure time");
}

static int check_counting(const struct plan *plan, bool is_stored, struct err *err) {
    const char *metric = metric_name(plan->sampling.metric);
    const bool is_cpu = str_equal(plan->device, "cpu");
    if (plan->sim)
        return err_set(err, ERR_USAGE, "'%s' is simulated: it has nothing to count",
                       str_shown(plan->device).text);
    if (is_cpu && plan->sampling.metric != METRIC_INSTRUCTIONS)
        return err_set(err, ERR_USAGE, "%s are counted on a GPU only, not on a processor", metric);
    if (is_stored)
        return err_set(err, ERR_USAGE, "%s are compared with a kernel or a revision, not with a stored file",
                       metric);
    if (plan->sampling.isolation != ISOLATION_NONE)
        return err_set(err, ERR_USAGE,
                       "%s in the sandbox: metric %s needs --isolation none, for kernels that you trust",
                       is_cpu ? "Valgrind cannot run" : "a GPU's counters cannot be read", metric);
    return is_cpu ? check_callgrind(plan, err) : 0;
}

int gate_metric_check(const struct plan *plan, const struct result *stored, const char *stored_path,
                      struct err *err) {
    const enum metric metric = plan->sampling.metric;
    if (metric_is_counted(metric)) TRY(check_counting(plan, stored != NULL, err));
    return stored ? check_stored(stored, stored_path, metric, err) : 0;
}
