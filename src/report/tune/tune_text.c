// SPDX-License-Identifier: Apache-2.0
//
// See tune_report.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/term.h"
#include "report/result/markdown_text.h"
#include "report/tune/tune_report.h"

static const char *const rank_texts[TUNE_RANK_COUNT] = {
    [TUNE_RANK_NONE] = "",
    [TUNE_RANK_ELITE] = "elite",
    [TUNE_RANK_SMALL_GAIN] = "gains under 3 %",
    [TUNE_RANK_UNPROVEN] = "its gain is not proved",
    [TUNE_RANK_SLOWER] = "slower on two problems or more",
    [TUNE_RANK_NO_DATA] = "no measurement that counts",
    [TUNE_RANK_NOT_BUILT] = "not built",
    [TUNE_RANK_WRONG] = "wrong result",
    [TUNE_RANK_PARTIAL] = "does not take all problems",
};

static const char *const fate_texts[TUNE_FATE_COUNT] = {
    [TUNE_FATE_NONE] = "",
    [TUNE_FATE_ALIVE] = "alive",
    [TUNE_FATE_DROPPED] = "dropped",
    [TUNE_FATE_NOT_BUILT] = "not built",
    [TUNE_FATE_WRONG] = "wrong result",
    [TUNE_FATE_NO_DATA] = "no data",
    [TUNE_FATE_TOO_SLOW] = "over its time limit",
    [TUNE_FATE_PARTIAL] = "does not take all problems",
};

static const char *const answer_texts[TUNE_ANSWER_COUNT] = {
    [TUNE_ANSWER_NONE] = "",
    [TUNE_ANSWER_TAKEN] = "taken",
    [TUNE_ANSWER_REPEATED] = "repeated",
    [TUNE_ANSWER_REFUSED] = "refused",
    [TUNE_ANSWER_TIMEOUT] = "timed out",
    [TUNE_ANSWER_FAILED] = "failed",
};

struct cell {
    char text[64];
};

static struct cell speedup_cell(double speedup) {
    struct cell ret = {""};
    if (isfinite(speedup)) snprintf(ret.text, sizeof ret.text, "%.3fx", speedup);
    return ret;
}

static struct cell claim_cell(const struct tune_finalist *finalist) {
    struct cell ret = {""};
    if (isfinite(finalist->speedup))
        snprintf(ret.text, sizeof ret.text, "%.3fx (%.3f to %.3f)", finalist->speedup, finalist->speedup_low,
                 finalist->speedup_high);
    return ret;
}

// "wrong result: FAIL on s512"
static const char *rank_cell(const struct tune_finalist *finalist, struct strbuf *buffer) {
    strbuf_clear(buffer);
    strbuf_add(buffer, rank_texts[finalist->rank]);
    if (finalist->reason) strbuf_addf(buffer, ": %s", finalist->reason);
    return strbuf_text(buffer);
}

static size_t count_fate(const struct tune_record *record, enum tune_fate fate) {
    size_t count = 0;
    for (size_t i = 0; i < record->variant_count; ++i) count += record->variants[i].fate == fate;
    return count;
}

static void add_counts(const struct tune_record *record, struct strbuf *out) {
    strbuf_addf(out, "%zu variants in %u heats:", record->variant_count, (unsigned)record->heat_count);
    const char *separator = " ";
    for (int fate = TUNE_FATE_ALIVE; fate < TUNE_FATE_COUNT; ++fate) {
        const size_t count = count_fate(record, (enum tune_fate)fate);
        if (!count) continue;
        strbuf_addf(out, "%s%zu %s", separator, count, fate_texts[fate]);
        separator = ", ";
    }
    strbuf_add_char(out, '\n');
}

// "6 proposals: 4 taken, 1 repeated, 1 timed out"
static void add_answers(const struct tune_record *record, struct strbuf *out) {
    const char *separator = " ";
    strbuf_addf(out, "%zu proposals:", record->proposal_count);
    for (int answer = TUNE_ANSWER_TAKEN; answer < TUNE_ANSWER_COUNT; ++answer) {
        size_t count = 0;
        for (size_t i = 0; i < record->proposal_count; ++i)
            count += record->proposals[i].answer == (enum tune_answer)answer;
        if (!count) continue;
        strbuf_addf(out, "%s%zu %s", separator, count, answer_texts[answer]);
        separator = ", ";
    }
    strbuf_add_char(out, '\n');
}

void tune_report_line(const struct tune_record *record, bool has_color, struct strbuf *out) {
    struct strbuf sentence = {0};
    strbuf_add_plain(&sentence, str_or(record->sentence, "not finished"), true);
    term_add(out, has_color, record->exit_code ? TERM_YELLOW : TERM_BOLD, strbuf_text(&sentence));
    strbuf_addf(out, " (exit %d)\n", record->exit_code);
    strbuf_fini(&sentence);
}

void tune_report_text(const struct tune_record *record, bool has_color, struct strbuf *out) {
    strbuf_add_linef(out, "assay tune: %s on %s, suite %s, %s search", record->kernel, record->device,
                     str_or(record->suite, "none"), record->strategy);
    tune_report_line(record, has_color, out);
    if (record->prediction) strbuf_add_linef(out, "predicted: %s", record->prediction);
    if (record->steered_by) strbuf_add_linef(out, "steered by a profile: %s", record->steered_by);
    if (record->finalist_count) {
        struct strbuf rank = {0};
        struct term_table *table = term_table_new(3, "lll");
        term_table_add(table, (const char *[]){"finalist", "speed-up, in fresh processes", ""});
        term_table_rule(table);
        for (size_t i = 0; i < record->finalist_count; ++i) {
            const struct tune_finalist *item = &record->finalists[i];
            term_table_add(table,
                           (const char *[]){item->config, claim_cell(item).text, rank_cell(item, &rank)});
        }
        strbuf_fini(&rank);
        strbuf_add_char(out, '\n');
        term_table_print(table, has_color, out);
        term_table_free(table);
    }
    if (!record->heat_count && !record->proposal_count) return; // one variant was asked for
    strbuf_add_char(out, '\n');
    add_counts(record, out);
    if (record->proposal_count) add_answers(record, out);
}

// ---- the log ----

// What a proposer or a compiler said, as text of Markdown and nothing else. The text is the buffer's.
static const char *said(const char *text, struct strbuf *buffer) {
    struct strbuf plain = {0};
    strbuf_add_plain(&plain, str_or(text, ""), true);
    strbuf_clear(buffer);
    markdown_add_text(buffer, strbuf_text(&plain));
    strbuf_fini(&plain);
    return strbuf_text(buffer);
}

static void add_finalists(const struct tune_record *record, struct strbuf *out) {
    struct strbuf rank = {0}, buffer = {0};
    strbuf_add(out, "\n## Elite\n\n");
    if (!record->finalist_count) {
        strbuf_add(out, "No variant was faster than the baseline in the race.\n");
        return;
    }
    strbuf_addf(
        out,
        "Measured again in fresh processes: %u rounds decided, as many others are what is claimed.\n\n"
        "| settings | speed-up (95 %%) | |\n| --- | --- | --- |\n",
        (unsigned)record->final_rounds);
    for (size_t i = 0; i < record->finalist_count; ++i) {
        const struct tune_finalist *item = &record->finalists[i];
        strbuf_add_linef(out, "| %s | %s | %s |", item->config, claim_cell(item).text,
                         said(rank_cell(item, &rank), &buffer));
    }
    strbuf_fini(&rank);
    strbuf_fini(&buffer);
}

static void add_variants(const struct tune_record *record, struct strbuf *out) {
    struct strbuf prediction = {0}, reason = {0};
    strbuf_add(out, "\n## Variants\n\n");
    add_counts(record, out);
    strbuf_add(out, "\nSpeed-ups are those of the race: the best of many is too good.\n\n"
                    "| settings | heat | rounds | speed-up | predicted | |\n"
                    "| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < record->variant_count; ++i) {
        const struct tune_variant *item = &record->variants[i];
        strbuf_add_linef(out, "| %s | %u | %u | %s | %s | %s%s%s |", item->config, (unsigned)item->heat,
                         (unsigned)item->round_count, speedup_cell(item->speedup).text,
                         said(item->prediction, &prediction), fate_texts[item->fate],
                         item->reason ? ": " : "", said(item->reason, &reason));
    }
    strbuf_fini(&prediction);
    strbuf_fini(&reason);
}

static bool has_sources(const struct tune_record *record) {
    for (size_t i = 0; i < record->proposal_count; ++i)
        if (record->proposals[i].source_file) return true;
    return false;
}

static void add_proposals(const struct tune_record *record, struct strbuf *out) {
    struct strbuf reason = {0};
    strbuf_add(out, "\n## Proposals\n\n");
    strbuf_add_linef(out, "By `%s`.%s", record->proposer,
                     has_sources(record) ? " Its sources were compiled in the sandbox, without ccache." : "");
    strbuf_add_char(out, '\n');
    add_answers(record, out);
    strbuf_add(out, "\n| number | answer | became | source |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < record->proposal_count; ++i) {
        const struct tune_proposal *item = &record->proposals[i];
        strbuf_add_linef(out, "| %u | %s | %s | %s |", (unsigned)item->number, answer_texts[item->answer],
                         str_or(item->variant, said(item->reason, &reason)), str_or(item->source_file, ""));
    }
    strbuf_fini(&reason);
}

// "BLOCK_M: 64, WARPS: 4", as a manifest has it.
static void add_settings(const char *config, struct strbuf *out) {
    for (const char *p = config; *p; ++p) {
        if (*p == '=')
            strbuf_add(out, ": ");
        else if (*p == ',')
            strbuf_add(out, ", ");
        else
            strbuf_add_char(out, *p);
    }
}

// The settings of a variant: all of its name, or what follows the number of a proposal. "": the baseline's.
static const char *settings_of(const char *variant) {
    if (!str_starts(variant, "proposal=")) return variant;
    const char *comma = strchr(variant, ',');
    return comma ? comma + 1 : "";
}

// What to do with the first of the elite.
static void add_taking_over(const struct tune_record *record, const char *variant, struct strbuf *out) {
    const char *settings = settings_of(variant);
    strbuf_add(out, "- ");
    for (size_t i = 0; settings != variant && i < record->proposal_count; ++i)
        if (str_equal(record->proposals[i].variant, variant))
            strbuf_addf(out, "Read the source of proposal %u, put it in place of the kernel's; then ",
                        (unsigned)strtoul(variant + strlen("proposal="), NULL, 10));
    if (*settings) {
        strbuf_add(out, settings == variant ? "Put `config: {" : "put `config: {");
        add_settings(settings, out);
        strbuf_add(out, "}` into the manifest, and ");
    }
    strbuf_add_linef(out, "gate it: `assay gate --candidate %s --baseline git:HEAD --expect improvement`.",
                     record->kernel);
}

static void add_next(const struct tune_record *record, struct strbuf *out) {
    strbuf_add(out, "\n## Next\n\n");
    for (size_t i = 0; i < record->finalist_count; ++i) {
        if (record->finalists[i].rank != TUNE_RANK_ELITE) continue;
        add_taking_over(record, record->finalists[i].config, out);
        return;
    }
    strbuf_add(out,
               "- Widen `tune.values` in the manifest, or change the kernel: these settings have no more.\n");
}

void tune_report_log(const struct tune_record *record, struct strbuf *out) {
    strbuf_add_linef(out, "# Tuning %s", record->kernel);
    strbuf_add_char(out, '\n');
    strbuf_add_linef(out, "%s", str_or(record->sentence, "Not finished."));
    if (record->prediction) {
        struct strbuf prediction = {0};
        strbuf_add_char(out, '\n');
        strbuf_add_linef(out, "Predicted: %s", said(record->prediction, &prediction));
        strbuf_fini(&prediction);
    }
    strbuf_add(out, "\n## Environment\n\n");
    strbuf_add_linef(out, "- run %s, %s", record->run_id, str_or(record->created_utc, ""));
    strbuf_add_linef(out, "- %s on %s%s%s, suite %s", record->kernel, record->device,
                     record->device_name ? ": " : "", str_or(record->device_name, ""),
                     str_or(record->suite, "none"));
    strbuf_addf(out, "- %s search, seed %llu, %llu points, at most %u rounds a heat\n", record->strategy,
                (unsigned long long)record->seed, (unsigned long long)record->point_count,
                (unsigned)record->round_max);
    if (record->steered_by) strbuf_add_linef(out, "- steered by a profile: %s", record->steered_by);
    strbuf_add(out, "- every variant was checked on the suite before it was timed, and in every round; the "
                    "journals of the heats lie beside this file\n");
    add_finalists(record, out);
    if (record->heat_count) add_variants(record, out);
    if (record->proposal_count) add_proposals(record, out);
    add_next(record, out);
}
