// SPDX-License-Identifier: Apache-2.0
//
// What became of a candidate, from the outcomes of its checks to one sentence.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "control/flow/fuzz_failure.h"
#include "control/flow/operator_source.h"
#include "control/flow/referee/referee_run.h"
#include "report/result/case_lines.h"

// ---- checks ----

// What only a kernel does that knows when it is watched, or hides its work from the clock.
static bool is_dishonest(enum finding finding) {
    return finding == FINDING_STALE || finding == FINDING_FALSE_CLOCK || finding == FINDING_LATE_WORK;
}

static enum referee_verdict verdict_of(const struct check_result *check) {
    if (strstr(check->message, "limits.memory_gb")) return REFEREE_OUT_OF_MEMORY;
    switch (check->outcome) {
    case OUTCOME_FAIL: return is_dishonest(check->finding) ? REFEREE_DISHONEST : REFEREE_WRONG;
    case OUTCOME_CRASHED: return REFEREE_CRASHED;
    case OUTCOME_TIMEOUT: return REFEREE_TIMED_OUT;
    default: return REFEREE_NONE;
    }
}

// The first that fails. Who is plainly wrong somewhere is no cheat: with inputs of 0 or 1 a wrong kernel,
// too, may be right for the first ones.
static const struct result_case *find_failure(const struct result *result) {
    const struct result_case *ret = NULL;
    for (size_t i = 0; i < result->check_count + result->case_count; ++i) {
        const struct result_case *item =
            i < result->check_count ? &result->checks[i] : &result->cases[i - result->check_count];
        const enum referee_verdict verdict = verdict_of(&item->checks[0]);
        if (verdict && verdict != REFEREE_DISHONEST) return item;
        if (verdict && !ret) ret = item;
    }
    return ret;
}

static const char *repeat_command(const struct referee *referee, const struct result_case *item,
                                  const char *problem, struct arena *arena) {
    const struct referee_request *request = &referee->request;
    const struct session_options *options = &referee->session.options;
    struct strbuf out = {0};
    const char *const words[][2] = {{"--problem", problem},
                                    {"--kernel", options->kernel},
                                    {"--device", str_equal(options->device, "cpu") ? NULL : options->device},
                                    {"--manifest", options->manifest},
                                    {"--distribution", item->distribution},
                                    {"--memory-layout", item->memory_layout == MEMORY_LAYOUT_DENSE
                                                            ? NULL
                                                            : memory_layout_name(item->memory_layout)}};
    strbuf_add(&out, "assay referee ");
    operator_source_add_words(options, &out);
    if (!operator_source_is_given(options)) {
        strbuf_add_shell_word(&out, request->operator_or_file);
        strbuf_add_char(&out, ' ');
    }
    strbuf_add_shell_word(&out, request->candidate);
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (!words[i][1]) continue;
        strbuf_addf(&out, " %s ", words[i][0]);
        strbuf_add_shell_word(&out, words[i][1]);
    }
    strbuf_addf(&out, " --seed %" PRIu64, item->seed ? item->seed : referee->run.result.seed);
    const char *ret = arena_strdup(arena, strbuf_text(&out));
    strbuf_fini(&out);
    return ret;
}

static void add_smallest(struct referee *referee, const struct result_case *item) {
    struct referee_record *record = &referee->record;
    struct problem smallest;
    struct check_result check;
    struct err ignored = {0};
    if (referee->request.fuzz.is_not_shrunk || referee->run.plan.sim) return;
    if (fuzz_shrink(&referee->run, 0, item, &smallest, &check, &ignored) <= 0) return;
    record->smallest_problem = arena_strdup(&record->arena, smallest.name);
    record->smallest_message = arena_strdup(&record->arena, check_text(&check, &record->arena));
    record->repeat = repeat_command(referee, item, smallest.name, &record->arena);
}

static bool is_unsupported(struct referee *referee) {
    const struct result *result = &referee->run.result;
    struct referee_record *record = &referee->record;
    size_t taken = 0;
    // The asked problems are the first of the checks.
    const size_t asked = result->case_count ? result->case_count : result->check_count;
    const struct result_case *first = NULL;
    for (size_t i = 0; i < asked && i < result->check_count; ++i) {
        const struct result_case *item = &result->checks[i];
        if (item->checks[0].outcome == OUTCOME_OK) ++taken;
        if (item->checks[0].outcome == OUTCOME_UNSUPPORTED && !first) first = item;
    }
    if (!first) return false;
    record->verdict = REFEREE_UNSUPPORTED;
    record->problem = arena_strdup(&record->arena, first->problem.name);
    record->message = arena_strdup(&record->arena, first->checks[0].message);
    return true;
}

bool referee_judge_checks(struct referee *referee) {
    const struct result *result = &referee->run.result;
    struct referee_record *record = &referee->record;
    const struct check_counts counts = check_counts_get(result, 0, true);
    record->checked_count = (uint32_t)(counts.total - counts.open - counts.unsupported);
    record->passed_count = (uint32_t)counts.passed;
    const struct result_case *item = find_failure(result);
    if (!item) return is_unsupported(referee);
    const struct check_result *check = &item->checks[0];
    char key[PROBLEM_KEY_BYTES];
    record->verdict = verdict_of(check);
    record->finding = check->finding;
    record->problem = arena_strdup(&record->arena, result_case_key(item, key));
    record->message = arena_strdup(&record->arena, check_text(check, &record->arena));
    record->repeat = repeat_command(referee, item, item->problem.name, &record->arena);
    if (item >= result->checks && item < result->checks + result->check_count && counts.total > 1)
        add_smallest(referee, item);
    return true;
}

// ---- the end ----

static void add_speed(const struct referee_ratio *ratio, struct strbuf *out) {
    if (!ratio->speed) {
        strbuf_addf(out, "; not measured against %s", ratio->name);
        return;
    }
    strbuf_addf(out, "; %.3fx as fast as %s (95 %% %.3fx to %.3fx)%s", ratio->speedup, ratio->name,
                ratio->speedup_low, ratio->speedup_high,
                ratio->speed == SPEED_NO_DIFFERENCE ? ", which is no difference"
                : ratio->speed == SPEED_SLOWER      ? ", slower"
                                                    : "");
}

// Its first line, and without what a compiler says of lines around it.
static void add_first_line(const char *text, struct strbuf *out) {
    if (text) strbuf_add_bytes(out, text, strcspn(text, "\n"));
}

static void add_failure(const struct referee_record *record, const char *what, struct strbuf *out) {
    strbuf_addf(out, "%s on %s", what,
                str_or(record->smallest_problem, str_or(record->problem, "a problem")));
    const char *message = str_or(record->smallest_message, record->message);
    if (!message || !*message) return;
    strbuf_add(out, ": ");
    add_first_line(message, out);
}

static void add_verdict(const struct referee_record *record, struct strbuf *out) {
    switch (record->verdict) {
    case REFEREE_WRONG: add_failure(record, "wrong", out); break;
    case REFEREE_DISHONEST: add_failure(record, "dishonest", out); break;
    case REFEREE_CRASHED: add_failure(record, "crashed", out); break;
    case REFEREE_TIMED_OUT: add_failure(record, "out of time", out); break;
    case REFEREE_OUT_OF_MEMORY: add_failure(record, "out of memory", out); break;
    case REFEREE_UNSUPPORTED: add_failure(record, "not supported", out); break;
    case REFEREE_DOES_NOT_COMPILE:
    case REFEREE_DOES_NOT_LOAD:
        strbuf_add(out, record->verdict == REFEREE_DOES_NOT_LOAD ? "does not load: " : "does not compile: ");
        add_first_line(record->message, out);
        break;
    case REFEREE_NOT_JUDGED:
        strbuf_add(out, "not judged: ");
        add_first_line(record->message, out);
        break;
    default:
        strbuf_addf(out, "right on %u check%s", (unsigned)record->passed_count,
                    record->passed_count == 1 ? "" : "s");
        if (record->verdict == REFEREE_NOT_MEASURED) strbuf_add(out, "; no measurement of it counts");
        for (size_t i = 0; i < record->against_count; ++i) add_speed(&record->against[i], out);
    }
}

static int exit_code_of(const struct referee *referee) {
    const struct referee_record *record = &referee->record;
    const struct referee_ratio *first = record->against_count ? &record->against[0] : NULL;
    switch (record->verdict) {
    case REFEREE_RIGHT:
        if (!referee->request.baseline || !referee->request.round_count || !first) return 0;
        return first->speed == SPEED_SLOWER ? 1 : first->speed ? 0 : 3;
    case REFEREE_NOT_JUDGED: return 2;
    case REFEREE_UNSUPPORTED:
    case REFEREE_NOT_MEASURED: return 3;
    default: return 1;
    }
}

void referee_conclude(struct referee *referee) {
    struct referee_record *record = &referee->record;
    struct strbuf text = {0};
    add_verdict(record, &text);
    record->sentence = arena_strdup(&record->arena, strbuf_text(&text));
    strbuf_fini(&text);
    record->exit_code = exit_code_of(referee);
}
