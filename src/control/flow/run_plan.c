// SPDX-License-Identifier: Apache-2.0
//
// See run_plan.h.
#include "control/flow/run_plan.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/machine_load.h"
#include "base/process/priority.h"
#include "base/process/processors.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "control/flow/worker_query.h"
#include "op/declared/declared.h"
#include "record/round_count.h"

#define PROCESSORS_LOOK_NS 100000000u // ten ticks

// What was asked for, or the command's default. Not for single calls of kernels in Python on a GPU: what the
// bridge does around them takes longer than a sample, and the judge's clock would confirm none.
static enum isolation choose_isolation(const struct session *session, enum metric metric) {
    bool has_python = false;
    for (size_t i = 0; i < session->side_count; ++i) has_python |= session->sides[i].spec.python != NULL;
    if (session->kind->is_accelerator && has_python && metric == METRIC_CALL_TIME &&
        !session->options.is_isolation_given)
        return ISOLATION_NONE;
    return session->options.sampling.isolation == ISOLATION_PROCESS ? ISOLATION_PROCESS : ISOLATION_NONE;
}

void run_plan_choose_processors(struct plan *plan, const struct session_options *options) {
    cpu_set_t chosen, allowed;
    plan->processors = arena_strdup(&plan->arena, options->cpus);
    plan->thread_count = options->thread_count;
    if (plan->sim) return;
    if (options->cpus && !plan->thread_count && processors_parse(options->cpus, &chosen, NULL) >= 0)
        plan->thread_count = (uint32_t)CPU_COUNT(&chosen);
    if (options->cpus || !plan->thread_count || !str_equal(plan->device, "cpu")) return;
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0) return;
    if (plan->thread_count >= (uint32_t)CPU_COUNT(&allowed)) return;
    if (!machine_idlest(&allowed, plan->thread_count, PROCESSORS_LOOK_NS, &chosen)) return;
    struct strbuf text = {0};
    processors_format(&chosen, &text);
    plan->processors = arena_strdup(&plan->arena, strbuf_text(&text));
    strbuf_fini(&text);
}

void run_plan_leave_busy_processors(struct plan *plan) {
    const bool is_first = priority_can_raise() && plan->sampling.limits.priority == RUN_PRIORITY_HIGH;
    cpu_set_t allowed, chosen;
    struct machine_load load;
    if (plan->sim || is_first || plan->processors || plan->thread_count || !str_equal(plan->device, "cpu"))
        return;
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0) return;
    if (!machine_load_look(&allowed, PROCESSORS_LOOK_NS, &load)) return;
    const uint32_t count = load.processor_count;
    const uint32_t taken = (uint32_t)lround(load.busy_pct / 100 * count);
    const uint32_t left = taken < count ? count - taken : 1;
    if (left == count || !machine_idlest(&allowed, left, PROCESSORS_LOOK_NS, &chosen)) return;
    struct strbuf text = {0};
    processors_format(&chosen, &text);
    plan->processors = arena_strdup(&plan->arena, strbuf_text(&text));
    plan->thread_count = left;
    plan->processors_note = arena_format(
        &plan->arena,
        "%u of %u processors %s left to other programs%s%s%s: both sides run on %u thread%s, on %s; "
        "--threads %u takes all",
        count - left, count, count - left > 1 ? "are" : "is", load.process_count ? " (" : "",
        load.process_count ? load.processes[0].name : "", load.process_count ? " most of all)" : "", left,
        left > 1 ? "s" : "", strbuf_text(&text), count);
    strbuf_fini(&text);
}

// Whether two sides must not share a worker. Modules of two folders can (peers/assay_bridge.py) unless both
// register the same name in a third place; each has been imported alone before.
static bool needs_two_processes(const struct session *session) {
    const size_t count = session->side_count;
    for (size_t i = 0; i < count; ++i) {
        const struct session_side *b = &session->sides[i];
        if (b->has_unique_symbols && count > 1) return true;
        for (size_t k = 0; k < i; ++k) {
            const struct session_side *a = &session->sides[k];
            const char *left = a->spec.python_path, *right = b->spec.python_path;
            if (!a->spec.python || !b->spec.python || !left || !right || str_equal(left, right)) continue;
            if (!query_can_share_process(&session->manifest.operators, &a->spec, &b->spec)) return true;
        }
    }
    return false;
}

const char *run_created_utc(struct arena *arena) {
    char now[32];
    clock_utc_text(now, sizeof now);
    return arena_strdup(arena, now);
}

const char *run_id_make(struct arena *arena, const char *created_utc, const char *command) {
    char digits[15] = "";
    size_t count = 0;
    for (const char *p = created_utc; *p && count < 14; ++p)
        if (*p >= '0' && *p <= '9') digits[count++] = *p;
    const unsigned tail = (unsigned)(rng_u64(clock_ns(), (uint64_t)getpid(), 0) & 0xffff);
    return arena_format(arena, "%.8s-%.6s-%s-%04x", digits, digits + 8, command, tail);
}

// The manifest's, and over them what the command line gives.
static struct run_limits choose_limits(const struct session *session, const char *command) {
    const struct run_limits *given = &session->options.sampling.limits;
    struct run_limits ret = session->manifest.limits;
    if (given->busy_pct > 0) ret.busy_pct = given->busy_pct;
    if (session->options.is_priority_given) ret.priority = given->priority;
    if (!str_equal(command, "gate")) ret.gate_s = 0;
    return ret;
}

void run_plan_init(struct plan *plan, const struct session *session, const char *command) {
    *plan = (struct plan){0};
    struct arena *arena = &plan->arena;
    plan->created_utc = run_created_utc(arena);
    plan->command = arena_strdup(arena, command);
    plan->command_line = arena_strdup(arena, session->options.command_line);
    plan->run_id = run_id_make(arena, plan->created_utc, command);
    plan->device = arena_strdup(arena, session->options.device);
    plan->sim = sim_device_copy(arena, session->sim);
    plan->seed = session->options.seed;
    run_plan_choose_processors(plan, &session->options);
    plan->side_count = session->side_count;
    for (size_t i = 0; i < session->side_count; ++i) {
        plan->sides[i] = result_side_copy(arena, &session->sides[i].spec);
        plan->check_side_mask |= 1u << i;
    }
    plan->sampling = session->options.sampling;
    plan->sampling.limits = choose_limits(session, command);
    if (!session->options.is_metric_given && str_equal(command, "gate"))
        plan->sampling.metric = session->manifest.gate.metric;
    plan->sampling.isolation = choose_isolation(session, plan->sampling.metric);
    plan->needs_two_processes = plan->sampling.isolation == ISOLATION_NONE && needs_two_processes(session);
    plan->look_count = 1;
    plan->looks[0] = 1;
    plan->round_repeat_max = ROUNDS_REPEAT_MAX;
    plan->gate.spec = session->manifest.gate.spec;
    if (!session->manifest.gate.is_regression_given)
        plan->gate.spec.regression_pct = metric_regression_pct(plan->sampling.metric);
    plan->target_speedup = session->manifest.target_speedup;
    plan->cost_per_hour = session->manifest.cost_per_hour;
    plan->manifest = arena_strdup(arena, session->options.manifest);
    // Half of the limit is left for checks and for what comes around the samples.
    const uint64_t half_ns = (uint64_t)(plan->sampling.limits.case_s * 1e9 / 2);
    if (!session->options.is_case_time_given && half_ns < plan->sampling.case_budget_ns)
        plan->sampling.case_budget_ns = half_ns;
    if (plan->sampling.sample_count == SESSION_SAMPLES_DEFAULT)
        plan->sampling.sample_count = sampling_default().sample_count;
    if (!plan->sampling.sample_time_ns) plan->sampling.sample_time_ns = session->kind->sample_time_ns;
}

void run_plan_set_round_sampling(struct plan *plan, const struct session *session) {
    if (session->options.sampling.sample_count != SESSION_SAMPLES_DEFAULT) return;
    plan->sampling.sample_count = ROUND_PAIRS;
    plan->sampling.sample_count_noisy = ROUND_PAIRS_NOISY;
    plan->sampling.sample_count_noisier = ROUND_PAIRS_NOISIER;
}

// Grows by doubling inside the arena: a plan has tens of cases.
static void add_case(struct plan *plan, bool is_check, struct plan_case item) {
    struct plan_case **items = is_check ? &plan->checks : &plan->cases;
    size_t *count = is_check ? &plan->check_count : &plan->case_count;
    if ((*count & (*count - 1)) == 0) {
        struct plan_case *grown = arena_array(&plan->arena, *count ? *count * 2 : 1, sizeof **items);
        if (*count) memcpy(grown, *items, *count * sizeof **items);
        *items = grown;
    }
    (*items)[(*count)++] = item;
}

static void add_suite(struct plan *plan, const struct suite *suite, bool is_check) {
    for (size_t i = 0; i < suite->item_count; ++i) {
        const struct suite_item *item = &suite->items[i];
        declared_add(&plan->arena, &plan->operators, item->problem.op);
        if (declared_is_timed_only(declared_of(item->problem.op))) plan->not_checked = RESULT_TIMES_ONLY;
        add_case(plan, is_check,
                 (struct plan_case){.problem = item->problem,
                                    .short_name = arena_strdup(&plan->arena, item->short_name),
                                    .distribution = arena_strdup(&plan->arena, item->distribution),
                                    .memory_layout = item->memory_layout,
                                    .tolerance = own_tolerance_copy(&plan->arena, item->tolerance),
                                    .seed = plan->seed});
    }
    *(is_check ? &plan->check_suite : &plan->suite) = arena_strdup(&plan->arena, suite->name);
}

void run_plan_add_checks(struct plan *plan, const struct suite *suite) {
    add_suite(plan, suite, true);
    if (suite->left_out) plan->not_checked = arena_strdup(&plan->arena, suite->left_out);
}

int run_plan_add_cases(struct plan *plan, const struct suite *suite, struct err *err) {
    TRY(suite_check_measurable(suite, err));
    add_suite(plan, suite, false);
    return 0;
}
