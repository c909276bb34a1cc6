// SPDX-License-Identifier: Apache-2.0
//
// See bisect_report.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "base/term.h"
#include "report/bisect/bisect_report.h"

#define REASON_BYTES_MAX 60 // of a reason in the table

static const char *const answer_texts[BISECT_ANSWER_COUNT] = {
    [BISECT_ANSWER_NONE] = "not tried",      [BISECT_ANSWER_CHANGED] = "changed",
    [BISECT_ANSWER_UNCHANGED] = "unchanged", [BISECT_ANSWER_UNCLEAR] = "unclear",
    [BISECT_ANSWER_SAME_CODE] = "same code", [BISECT_ANSWER_KNOWN] = "known",
    [BISECT_ANSWER_NOT_BUILT] = "not built", [BISECT_ANSWER_WRONG] = "wrong result",
    [BISECT_ANSWER_NO_DATA] = "no data",
};

struct short_id {
    char text[BISECT_SHORT_ID + 1];
};

static struct short_id shorten(const char *commit) {
    struct short_id ret;
    snprintf(ret.text, sizeof ret.text, "%s", commit);
    return ret;
}

// "6.1 % slower (5.8 to 6.4)"; "" where nothing was measured.
static void add_change(const struct bisect_step *step, struct strbuf *out) {
    if (!isfinite(step->change_pct)) return;
    const double sign = step->change_pct < 0 ? -1 : 1;
    strbuf_addf(out, "%.1f %% %s", sign * step->change_pct, sign < 0 ? "faster" : "slower");
    if (!isfinite(step->change_low_pct) || !isfinite(step->change_high_pct)) return;
    const double ends[] = {sign * step->change_low_pct, sign * step->change_high_pct};
    strbuf_addf(out, " (%.1f to %.1f)", fmin(ends[0], ends[1]), fmax(ends[0], ends[1]));
}

// What a step says besides its figures; its beginning, as a whole it is in the record.
static void add_reason(const struct bisect_step *step, struct strbuf *out) {
    struct strbuf reason = {0};
    if (step->same_as)
        strbuf_addf(out, "as %s", shorten(step->same_as).text);
    else if (!bisect_step_is_measured(step) || step->answer == BISECT_ANSWER_KNOWN)
        strbuf_add_plain(&reason, str_or(step->reason, ""), false);
    strbuf_addf(out, "%.*s%s", REASON_BYTES_MAX, strbuf_text(&reason),
                reason.length > REASON_BYTES_MAX ? "..." : "");
    strbuf_fini(&reason);
}

void bisect_step_text(const struct bisect_step *step, struct strbuf *out) {
    struct strbuf reason = {0};
    strbuf_add(out, answer_texts[step->answer]);
    if (isfinite(step->change_pct)) strbuf_add(out, ": ");
    add_change(step, out);
    if (step->round_count) strbuf_addf(out, ", %u rounds", (unsigned)step->round_count);
    add_reason(step, &reason);
    if (reason.length) strbuf_addf(out, ": %s", strbuf_text(&reason));
    strbuf_fini(&reason);
}

// ---- the page ----

static void add_suspects(const struct bisect_record *record, struct strbuf *out) {
    if (!record->suspect_count) return;
    strbuf_add_char(out, '\n');
    struct term_table *table = term_table_new(4, "llll");
    for (size_t i = 0; i < record->suspect_count; ++i) {
        const struct bisect_suspect *suspect = &record->suspects[i];
        const char *subject = str_or(suspect->subject, "");
        term_table_add(table, (const char *[]){shorten(suspect->commit).text, str_or(suspect->date, ""),
                                               str_or(suspect->author, ""), subject});
    }
    term_table_print(table, false, out);
    term_table_free(table);
    for (size_t i = 0; i < record->suspect_count; ++i)
        if (record->suspects[i].reason)
            strbuf_add_linef(out, "%s was not measured: %s", shorten(record->suspects[i].commit).text,
                             record->suspects[i].reason);
}

static enum term_style style_of(enum bisect_answer answer) {
    switch (answer) {
    case BISECT_ANSWER_CHANGED: return TERM_RED;
    case BISECT_ANSWER_UNCHANGED: return TERM_GREEN;
    case BISECT_ANSWER_SAME_CODE: return TERM_DIM;
    default: return TERM_YELLOW;
    }
}

static void add_step(const struct bisect_step *step, struct term_table *table) {
    struct strbuf said = {0};
    char rounds[16] = "", taken[48] = "";
    add_change(step, &said);
    if (!said.length) add_reason(step, &said);
    if (step->round_count) snprintf(rounds, sizeof rounds, "%u", (unsigned)step->round_count);
    if (isfinite(step->seconds)) progress_duration_format(step->seconds, taken, sizeof taken);
    term_table_add(table, (const char *[]){shorten(step->commit).text, answer_texts[step->answer],
                                           strbuf_text(&said), rounds, taken, str_or(step->subject, "")});
    term_table_style(table, 1, style_of(step->answer));
    strbuf_fini(&said);
}

static void add_steps(const struct bisect_record *record, bool has_color, struct strbuf *out) {
    if (!record->step_count) return;
    struct term_table *table = term_table_new(6, "lllrrl");
    term_table_add(table, (const char *[]){"commit", "answer", "against GOOD", "rounds", "time", "subject"});
    term_table_rule(table);
    for (size_t i = 0; i < record->step_count; ++i) add_step(&record->steps[i], table);
    strbuf_add_char(out, '\n');
    term_table_print(table, has_color, out);
    term_table_free(table);
}

static double seconds_of(const struct bisect_record *record) {
    double sum = 0;
    for (size_t i = 0; i < record->step_count; ++i)
        if (isfinite(record->steps[i].seconds)) sum += record->steps[i].seconds;
    return sum;
}

void bisect_report_line(const struct bisect_record *record, bool has_color, struct strbuf *out) {
    struct strbuf sentence = {0};
    strbuf_add_plain(&sentence, str_or(record->sentence, "not decided yet"), true);
    term_add(out, has_color, record->exit_code ? TERM_YELLOW : TERM_BOLD, strbuf_text(&sentence));
    strbuf_addf(out, " (exit %d)\n", record->exit_code);
    strbuf_fini(&sentence);
}

void bisect_report_text(const struct bisect_record *record, bool has_color, struct strbuf *out) {
    char taken[48];
    strbuf_add_linef(out, "assay bisect: %s..%s, %u commits, %s on %s",
                     str_or(record->good_name, record->good), str_or(record->bad_name, record->bad),
                     (unsigned)record->commit_count, record->kernel, record->device);
    bisect_report_line(record, has_color, out);
    if (record->note) strbuf_add_linef(out, "note: %s", record->note);
    add_suspects(record, out);
    add_steps(record, has_color, out);
    progress_duration_format(seconds_of(record), taken, sizeof taken);
    strbuf_addf(out, "\n%u gate%s, %s\n", (unsigned)record->gate_count, record->gate_count == 1 ? "" : "s",
                taken);
    if (record->outcome == BISECT_OUTCOME_FOUND)
        strbuf_add_linef(out, "see it: git show %s", shorten(record->suspects[0].commit).text);
}
