// SPDX-License-Identifier: Apache-2.0
//
// Lines for the person who waits: how busy the machine is before anything is measured, the first measurement
// that did not count, and that no further one is tried. They say early what the report says at the end.
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/process/machine_load.h"
#include "base/process/processors.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "control/exec/executor_internal.h"

#define LOOK_NS  100000000u
#define BUSY_PCT 20 // of our processors, from which it is worth a line

// So few samples count, of those that must: the next measurement cannot have enough while this lasts.
#define HOPELESS_SHARE    0.3
#define HOPELESS_IN_A_ROW 3
#define HOPELESS_NS       UINT64_C(30000000000) // shorter ones, such as a compiler's, are waited for

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

// What others take right now, among our processors. False: it cannot be read, or the device is simulated.
static bool look_at_load(const struct executor *executor, struct machine_load *ret) {
    cpu_set_t among;
    if (executor->plan->sim) return false;
    // What cannot be read here a worker complains of.
    return processors_parse(executor->plan->processors, &among, NULL) == 0 &&
           machine_load_look(&among, LOOK_NS, ret);
}

static void add_load(const struct executor *executor, struct strbuf *text) {
    struct machine_load load;
    if (!look_at_load(executor, &load) || !load.process_count) return;
    strbuf_add(text, "; others take now");
    add_processes(&load, text);
}

void executor_notice_load(struct executor *executor) {
    struct machine_load load;
    if (executor->state->has_looked || executor->plan->sim) return;
    executor->state->has_looked = true;
    if (executor->plan->processors_note) {
        result_add_warning(executor->result, executor->plan->processors_note);
        say(executor, executor->plan->processors_note);
    }
    if (!look_at_load(executor, &load)) return;
    const double taken_pct = fmin(load.busy_pct + load.steal_pct, 100);
    if (!(taken_pct >= BUSY_PCT)) return;
    struct strbuf text = {0};
    strbuf_addf(&text, "%u %s that we may use %s %.0f %% busy before anything was measured",
                (unsigned)load.processor_count, load.processor_count > 1 ? "processors" : "processor",
                load.processor_count > 1 ? "are" : "is", taken_pct);
    if (load.steal_pct >= 1) strbuf_addf(&text, ", %.0f %% of it by the hypervisor", load.steal_pct);
    add_processes(&load, &text);
    result_add_warning(executor->result, strbuf_text(&text));
    strbuf_add(&text, ": it takes longer, or there is no verdict");
    executor->state->is_busy = true;
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
    if (state->invalid_cause == INVALID_CAUSE_TOO_FEW_SAMPLES) add_load(executor, &text);
    say(executor, strbuf_text(&text));
    strbuf_fini(&text);
}

void executor_notice_duration(struct executor *executor, const struct measurement *measurement) {
    struct executor_state *state = executor->state;
    const uint32_t index = measurement->state.case_index;
    if (!state->is_busy || state->has_said_duration || measurement->state.kind == RECORD_INVALID) return;
    state->has_said_duration = true;
    const double took_s = (double)(clock_ns() - state->rounds_since_ns) / 1e9;
    const double least_s = plan_first_look_s(executor->plan, index, took_s),
                 most_s = least_s * (1 + executor->plan->round_repeat_max);
    char took[32], least[32], most[32], text[256];
    progress_duration_format(took_s, took, sizeof took);
    progress_duration_format(least_s, least, sizeof least);
    progress_duration_format(most_s, most, sizeof most);
    snprintf(text, sizeof text,
             "the first measurement took %s: expect %s until the first look, up to %s if measurements do not "
             "count and are repeated",
             took, least, most);
    say(executor, text);
}

static bool is_hopeless(const struct measurement *measurement, uint32_t sample_count) {
    const struct record *state = &measurement->state;
    return !state->is_valid && state->invalid_cause == INVALID_CAUSE_TOO_FEW_SAMPLES &&
           (double)measurement_clean_count(measurement) <= HOPELESS_SHARE * sample_count / 2;
}

void executor_notice_hopeless(struct executor *executor, const struct measurement *measurement,
                              uint32_t sample_count) {
    struct executor_state *state = executor->state;
    const uint64_t now_ns = measurement->state.time_ns;
    if (measurement->state.kind == RECORD_INVALID || executor->is_hopeless) return;
    if (!is_hopeless(measurement, sample_count)) {
        state->hopeless_count = 0;
        return;
    }
    if (state->hopeless_count++ == 0) state->hopeless_since_ns = now_ns;
    const uint64_t span_ns = now_ns > state->hopeless_since_ns ? now_ns - state->hopeless_since_ns : 0;
    if (state->hopeless_count < HOPELESS_IN_A_ROW || span_ns < HOPELESS_NS) return;
    executor->is_hopeless = true;
    struct strbuf text = {0};
    strbuf_addf(
        &text,
        "ended early: in the last %zu measurements at most %zu of %u samples of a side count, where half "
        "must, so another one could not succeed",
        state->hopeless_count, (size_t)(HOPELESS_SHARE * sample_count / 2), (unsigned)sample_count);
    add_load(executor, &text);
    result_add_warning(executor->result, strbuf_text(&text));
    say(executor, strbuf_text(&text));
    strbuf_fini(&text);
}
