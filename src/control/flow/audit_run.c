// SPDX-License-Identifier: Apache-2.0
//
// See audit_run.h.
#include "control/flow/audit_run.h"

#include "control/exec/executor.h"
#include "control/flow/run_plan.h"
#include "control/plan/suite.h"
#include "op/declared/declared.h"

#define AUDIT_DEVICE   "cpu"
#define RESULT_LIMIT_S 120.0 // for one wrong result of the largest problem
#define SMALL_BYTES    (256 * 1024.0)
#define DEFAULT_BYTES  (64 * 1024 * 1024.0)
#define OTHERS_MOST    16

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

// ---- was a kernel judged? ----

// The first is one that most others differ from in one axis: the largest that is small. Then one of each kind
// of inputs; the default problem, which takes longest, is last. 0: they are all too large for wrong results
// to be tried, which happens where an operator has no axes.
static size_t choose_cases(const struct plan *plan, struct plan_case ret[OTHERS_MOST + 2]) {
    const struct plan_case *small = NULL, *usual = NULL;
    size_t count = 1;
    for (size_t i = 0; i < plan->check_count; ++i) {
        const struct plan_case *item = &plan->checks[i];
        const double bytes = problem_bytes(&item->problem);
        if (item->memory_layout != MEMORY_LAYOUT_DENSE || bytes > DEFAULT_BYTES) continue;
        const bool is_usual = str_equal(item->distribution, OP_DISTRIBUTION_DEFAULT);
        if (is_usual && str_equal(item->problem.name, item->problem.op->example)) usual = item;
        if (bytes > SMALL_BYTES) continue;
        if (is_usual && (!small || bytes > problem_bytes(&small->problem))) small = item;
        bool is_new = !is_usual && count <= OTHERS_MOST;
        for (size_t k = 1; k < count; ++k) is_new &= !str_equal(ret[k].distribution, item->distribution);
        if (is_new) ret[count++] = *item;
    }
    if (!small && !usual && problem_bytes(&plan->checks[0].problem) > DEFAULT_BYTES) return 0;
    ret[0] = small ? *small : plan->checks[0];
    if (usual) ret[count++] = *usual;
    return count;
}

// Ignored inputs that no case has shown yet.
struct unnoticed {
    size_t count;
    const char *inputs[OP_TENSORS_MAX + OP_SCALARS_MAX];
};

static bool is_detected(const struct audit *audit, const char *input) {
    for (size_t i = 0; i < audit->entry_count; ++i)
        if (str_equal(audit->entries[i].result.ignored_input, input) &&
            audit->entries[i].result.verdict == AUDIT_DETECTED)
            return true;
    return false;
}

static void add_fault(struct audit_faults *faults, const char *sentence, const char *to_do) {
    faults->items[faults->count++] = (struct audit_fault){sentence, to_do};
}

static bool is_accepted(const struct operator_def *op) {
    return declared_of(op)->reference.accept;
}

// The first wrong result that a tolerance lets pass (the kernel's own, or its suite's), or `accept`.
static void add_passed(const struct audit *audit, struct arena *arena, struct audit_faults *ret) {
    for (size_t i = 0; i < audit->entry_count; ++i) {
        const struct audit_result *result = &audit->entries[i].result;
        if (result->verdict != AUDIT_PASSED) continue;
        const struct audit_counts all = audit_count_all(audit);
        add_fault(ret,
                  arena_format(arena, "a wrong '%s' passes on %s (%s: %s; %zu of %zu wrong results do): %s",
                               result->output, audit->cases[0].problem.name, result->mutant, result->summary,
                               all.passed, all.tried,
                               is_accepted(audit->cases[0].problem.op) ? "'accept' must refuse it"
                                                                       : "the tolerance is too wide"),
                  NULL);
        return;
    }
}

static void note_first(const struct audit *audit, struct arena *arena, struct unnoticed *ret) {
    for (size_t i = 0; i < audit->entry_count; ++i)
        if (audit_unnoticed_cases(audit, &audit->entries[i]))
            ret->inputs[ret->count++] = arena_strdup(arena, audit->entries[i].result.ignored_input);
}

static void remove_noticed(const struct audit *audit, struct unnoticed *ret) {
    size_t count = 0;
    for (size_t i = 0; i < ret->count; ++i)
        if (!is_detected(audit, ret->inputs[i])) ret->inputs[count++] = ret->inputs[i];
    ret->count = count;
}

static void add_unnoticed(const struct operator_def *op, const char *input, struct arena *arena,
                          struct audit_faults *ret) {
    const struct declared *declared = declared_of(op);
    bool is_scalar = false;
    for (size_t i = 0; i < declared->scalar_count; ++i)
        is_scalar |= str_equal(declared->scalars[i].name, input);
    add_fault(ret,
              arena_format(arena, "%s gives the same result whatever '%s' is: its inputs never let it matter",
                           op->name, input),
              is_scalar
                  ? "let the reference use it, or fill the inputs, so that results depend on it; a number on "
                    "which none can depend needs no name"
                  : "fill it otherwise (below(n), lengths(n), normal(mean, deviation), ...), so that results "
                    "depend on it; where none can, write 'ignored' behind its type");
}

// one: the plan, with the matrix of its operator as checks.
static int find_faults(struct plan *one, const struct own_tolerance *tolerance, struct arena *arena,
                       struct audit_faults *ret, struct err *err) {
    struct plan_case cases[OTHERS_MOST + 2];
    struct unnoticed inputs = {0};
    const struct operator_def *op = one->checks[0].problem.op;
    const size_t count = choose_cases(one, cases);
    for (size_t i = 0; i < count && (i == 0 || inputs.count); ++i) {
        struct audit audit;
        cases[i].tolerance = tolerance;
        one->checks = &cases[i];
        one->check_count = 1;
        const int code = audit_run(one, NULL, NULL, &audit, err);
        if (i == 0) add_passed(&audit, arena, ret);
        if (i == 0 && !(ret->count && is_accepted(op))) // who accepts anything says nothing of inputs
            note_first(&audit, arena, &inputs);
        if (i > 0) remove_noticed(&audit, &inputs);
        audit_fini(&audit);
        if (code < 0) return code;
    }
    for (size_t i = 0; i < inputs.count; ++i) add_unnoticed(op, inputs.inputs[i], arena, ret);
    return 0;
}

int audit_not_judged(const struct plan *plan, uint32_t side, struct arena *arena, struct audit_faults *ret,
                     struct err *err) {
    const struct plan_case *first = plan->checks;
    struct err why = {0};
    struct suite matrix;
    *ret = (struct audit_faults){0};
    if (!plan->check_count || plan->sim || !declared_of(first->problem.op)) return 0;
    if (declared_is_timed_only(declared_of(first->problem.op))) return 0;
    struct plan one = *plan;
    one.arena = (struct arena){0};
    one.checks = NULL;
    one.check_count = 0;
    int code = suite_boundary(first->problem.op, NULL, arena, &matrix, &why);
    if (code == 0) run_plan_add_checks(&one, &matrix);
    if (code == 0)
        code = find_faults(&one, own_tolerance_choose(NULL, plan->sides[side].tolerance, first->tolerance),
                           arena, ret, &why);
    arena_fini(&one.arena);
    if (code == -ERR_CANCELLED) return err_set(err, why.code, "%s", why.text);
    if (code < 0) add_fault(ret, arena_strdup(arena, why.text), NULL);
    return 0;
}
