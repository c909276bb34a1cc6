// SPDX-License-Identifier: Apache-2.0
//
// See audit_run.h.
#include "control/flow/audit_run.h"

#include "base/strbuf.h"
#include "control/exec/executor.h"

#define AUDIT_DEVICE   "cpu"
#define RESULT_LIMIT_S 120.0 // for one wrong result of the largest problem

int audit_check_options(const struct fuzz_request *request, struct err *err) {
    const struct session_options *options = &request->session;
    const struct {
        const char *name;
        bool is_given;
    } others[] = {
        {"--kernel", options->kernel != NULL}, {"--module", options->module != NULL},
        {"--config", options->config != NULL}, {"--arch", options->arch != NULL},
        {"--oracle", request->oracle != NULL}, {"--repeat", request->repeat_count > 0},
        {"--resume", options->resume != NULL},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        if (others[i].is_given)
            return err_set(err, ERR_USAGE,
                           "%s does not go with --audit: it tries known wrong results on the tolerances, "
                           "and runs no kernel",
                           others[i].name);
    if (!options->is_device_default && !str_equal(options->device, AUDIT_DEVICE))
        return err_set(err, ERR_USAGE,
                       "--audit computes on the processor, not on '%s': tolerances are the same on every "
                       "device. Leave out --device, and name the suite (--suite)",
                       options->device);
    return 0;
}

struct audit_reply {
    struct audit *audit;
    audit_case_fn on_case;
    void *arg;
    bool has_case;
    uint32_t case_index; // being worked on
};

static void end_case(struct audit_reply *reply) {
    if (reply->has_case && reply->on_case) reply->on_case(reply->arg, reply->audit, reply->case_index);
    reply->has_case = false;
}

static int on_record(void *arg, const struct record *record, struct err *err) {
    struct audit_reply *reply = arg;
    if (record->kind == RECORD_BYE) end_case(reply);
    if (record->kind != RECORD_CASE && record->kind != RECORD_AUDIT) return 0;
    if (record->case_index >= reply->audit->case_count)
        return err_set(err, ERR_INTERNAL, "the worker audits case %lu of %zu",
                       (unsigned long)record->case_index, reply->audit->case_count);
    if (reply->has_case && record->case_index != reply->case_index) end_case(reply);
    reply->has_case = true;
    reply->case_index = record->case_index;
    if (record->kind == RECORD_AUDIT) audit_add(reply->audit, record->case_index, &record->audit);
    return 0;
}

int audit_run(const struct plan *plan, audit_case_fn on_case, void *arg, struct audit *ret, struct err *err) {
    *ret = (struct audit){.case_count = plan->check_count, .seed = plan->seed};
    ret->suite = arena_strdup(&ret->arena, plan->check_suite);
    ret->cases = arena_array(&ret->arena, plan->check_count, sizeof *ret->cases);
    for (size_t i = 0; i < plan->check_count; ++i) {
        const struct plan_case *item = &plan->checks[i];
        ret->cases[i] = (struct work_case){.index = (uint32_t)i,
                                           .problem = item->problem,
                                           .short_name = arena_strdup(&ret->arena, item->short_name),
                                           .distribution = arena_strdup(&ret->arena, item->distribution),
                                           .memory_layout = item->memory_layout,
                                           .tolerance = item->tolerance,
                                           .seed = item->seed};
    }
    const struct work_order order = {.kind = WORK_AUDIT,
                                     .operators = plan->operators,
                                     .device = AUDIT_DEVICE,
                                     .thread_count = plan->thread_count,
                                     .processors = plan->processors,
                                     .seed = plan->seed,
                                     .case_count = ret->case_count,
                                     .cases = ret->cases,
                                     .sampling = sampling_default()};
    struct audit_reply reply = {.audit = ret, .on_case = on_case, .arg = arg};
    return executor_query(&order, RESULT_LIMIT_S, on_record, &reply, err);
}
