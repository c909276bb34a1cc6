// SPDX-License-Identifier: Apache-2.0
//
// Lines for the person who waits: how busy the machine is before anything is measured, and the first
// measurement that did not count. Both say early what the report says at the end.
#include <math.h>

#include "base/process/machine_load.h"
#include "base/process/processors.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "control/exec/executor_internal.h"

#define LOOK_NS       100000000u
#define BUSY_PCT      20 // of our processors, from which it is worth a line
#define SLOWDOWN_MOST 6  // as many times as wanted a round takes samples at most (worker/measure/sampler.h)

static void say(const struct executor *executor, const char *text) {
    if (!executor->on_notice) return;
    if (executor->progress) progress_hide(executor->progress);
    executor->on_notice(executor->arg, text);
}

// "python3 100 %, cc1plus 42 % of a processor"
static void add_processes(const struct machine_load *load, struct strbuf *out) {
    for (size_t i = 0; i < load->process_count; ++i) {
        strbuf_add(out, i ? ", " : " (");
        strbuf_add_plain(out, load->processes[i].name, true);
        strbuf_addf(out, " %.0f %%", load->processes[i].pct);
    }
    if (load->process_count) strbuf_add(out, " of a processor)");
}

void executor_notice_load(struct executor *executor) {
    struct machine_load load;
    cpu_set_t among;
    if (executor->state->has_looked || executor->plan->sim) return;
    executor->state->has_looked = true;
    if (executor->plan->processors_note) {
        result_add_warning(executor->result, executor->plan->processors_note);
        say(executor, executor->plan->processors_note);
    }
    // What cannot be read here a worker complains of.
    if (processors_parse(executor->plan->processors, &among, NULL) < 0) return;
    if (!machine_load_look(&among, LOOK_NS, &load)) return;
    const double taken_pct = fmin(load.busy_pct + load.steal_pct, 100);
    if (!(taken_pct >= BUSY_PCT)) return;
    struct strbuf text = {0};
    strbuf_addf(&text, "%u %s that we may use %s %.0f %% busy before anything was measured",
                (unsigned)load.processor_count, load.processor_count > 1 ? "processors" : "processor",
                load.processor_count > 1 ? "are" : "is", taken_pct);
    if (load.steal_pct >= 1) strbuf_addf(&text, ", %.0f %% of it by the hypervisor", load.steal_pct);
    add_processes(&load, &text);
    result_add_warning(executor->result, strbuf_text(&text));
    const double slowdown = fmin(1 / fmax(1 - taken_pct / 100, 1e-3), SLOWDOWN_MOST);
    char duration[32];
    progress_duration_format(plan_expected_s(executor->plan) * slowdown, duration, sizeof duration);
    strbuf_addf(&text, ": expect about %s for the first look, or no verdict", duration);
    say(executor, strbuf_text(&text));
    strbuf_fini(&text);
}

void executor_notice_invalid(struct executor *executor, const struct measurement *measurement) {
    const struct record *state = &measurement->state;
    if (state->kind == RECORD_INVALID || state->is_valid || executor->state->has_said_invalid) return;
    executor->state->has_said_invalid = true;
    const struct plan_case *item = &executor->plan->cases[state->case_index];
    struct strbuf text = {0};
    strbuf_addf(&text, "round %u of %s does not count and is measured again after the others: ",
                (unsigned)state->round + 1, str_or(item->short_name, item->problem.name));
    strbuf_add_plain(&text, str_or(state->text, invalid_cause_name(state->invalid_cause)), true);
    say(executor, strbuf_text(&text));
    strbuf_fini(&text);
}
