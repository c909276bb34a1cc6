// SPDX-License-Identifier: Apache-2.0
//
// The table of a decision: for each problem both medians, the change and its interval, the verdict and its
// reason; also the number of rounds, their spread, the smallest detectable change, and p before and after
// Holm.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/signed_figure.h"
#include "base/strbuf.h"
#include "report/result/figure_text.h"
#include "report/result/markdown_text.h"
#include "report/result/report_parts.h"
#include "verdict/decision_make.h"
#include "verdict/rounds/rounds_rule.h"

enum {
    NAME_SHOWN = 60,      // bytes of a name in a table
    NAME_ESCAPED_MAX = 80 // bytes of it in a comment, which has room for each of 300 regressions
};

// Names of other tools' benchmarks may be long and often differ only at the end: the middle is left out.
static const char *shortened(const char *name, size_t shown, struct arena *arena) {
    const size_t length = strlen(name), shown_tail = shown * 2 / 5;
    if (length <= shown) return name;
    size_t head = str_fitting(name, shown - shown_tail - 3), tail = length - shown_tail;
    while (((unsigned char)name[tail] & 0xc0) == 0x80) ++tail;
    return arena_format(arena, "%.*s...%s", (int)head, name, name + tail);
}

static size_t escaped_length(const char *text) {
    struct strbuf out = {0};
    markdown_add_text(&out, text);
    const size_t ret = out.length;
    strbuf_fini(&out);
    return ret;
}

static const char *name_cell(const struct decision_case *item, bool is_comment, struct arena *arena) {
    const char *name = figure_plain(decision_case_name(item), true, arena);
    const char *ret = shortened(name, NAME_SHOWN, arena);
    if (!is_comment) return ret;
    for (size_t shown = NAME_SHOWN - 10; shown >= 10 && escaped_length(ret) > NAME_ESCAPED_MAX; shown -= 10)
        ret = shortened(name, shown, arena);
    return ret;
}

// Of too few samples neither the rule alone nor a test says anything.
static bool lacks_samples(const struct decision_case *item) {
    return item->verdict == VERDICT_NOT_VALID && reason_lacks_samples(item->reason);
}

static const char *delta_cell(const struct decision_case *item, struct arena *arena) {
    if (!isfinite(item->cliffs_delta) || lacks_samples(item)) return "";
    return arena_strdup(arena, signed_figure(item->cliffs_delta, 2).text);
}

static const char *verdict_cell(const struct decision_case *item, struct arena *arena) {
    const char *why = reason_text(item->reason);
    const char *outlier = item->is_outlier_round ? ", rounds not alike" : "";
    bool has_hidden = item->verdict == VERDICT_NOT_VALID && item->unguarded_verdict != VERDICT_NONE &&
                      item->unguarded_verdict != VERDICT_NOT_VALID && !lacks_samples(item);
    const char *hidden =
        has_hidden ? arena_format(arena, " (the rule alone: %s)", verdict_text(item->unguarded_verdict)) : "";
    return arena_format(arena, "%s%s%s%s%s%s", verdict_text(item->verdict),
                        item->accepted ? ", accepted" : "", *why ? ": " : "", why, outlier, hidden);
}

// "" without rounds.
static const char *rounds_cell(const struct decision_case *item, struct arena *arena) {
    if (item->invalid_round_count)
        return arena_format(arena, "%" PRIu32 " (+%" PRIu32 " invalid)", item->round_count,
                            item->invalid_round_count);
    return item->round_count ? arena_format(arena, "%" PRIu32, item->round_count) : "";
}

enum column {
    COLUMN_PROBLEM,
    COLUMN_BASE,
    COLUMN_CAND,
    COLUMN_CHANGE,
    COLUMN_SPEEDUP,
    COLUMN_ROUNDS, // from here to COLUMN_DELTA: how far a verdict of rounds can be trusted
    COLUMN_SPREAD,
    COLUMN_DETECTABLE,
    COLUMN_P,
    COLUMN_P_HOLM,
    COLUMN_DELTA,
    COLUMN_P_CLASSIC,
    COLUMN_VERDICT,
    COLUMN_COUNT
};

enum table { // bits: the tables that have a column
    TABLE_CLASSIC = 1,
    TABLE_OUTCOME = 2, // a terminal and a comment are too narrow for all: the outcome ...
    TABLE_TRUST = 4,   // ... and below it how far that can be trusted
    TABLE_RESULTS = TABLE_CLASSIC | TABLE_OUTCOME
};

static const struct {
    const char *head; // NULL: a side's label
    char alignment;
    enum table tables;
} columns[COLUMN_COUNT] = {
    [COLUMN_PROBLEM] = {"problem", 'l', TABLE_RESULTS | TABLE_TRUST},
    [COLUMN_BASE] = {NULL, 'r', TABLE_RESULTS},
    [COLUMN_CAND] = {NULL, 'r', TABLE_RESULTS},
    [COLUMN_CHANGE] = {"change", 'l', TABLE_RESULTS},
    [COLUMN_SPEEDUP] = {"speed-up", 'r', TABLE_RESULTS},
    [COLUMN_ROUNDS] = {"rounds", 'r', TABLE_TRUST},
    [COLUMN_SPREAD] = {"spread", 'r', TABLE_TRUST},
    [COLUMN_DETECTABLE] = {"detectable", 'r', TABLE_TRUST},
    [COLUMN_P] = {"p", 'r', TABLE_TRUST},
    [COLUMN_P_HOLM] = {"p (Holm)", 'r', TABLE_TRUST},
    [COLUMN_DELTA] = {"delta", 'r', TABLE_TRUST | TABLE_CLASSIC},
    [COLUMN_P_CLASSIC] = {"p (U)", 'r', TABLE_CLASSIC},
    [COLUMN_VERDICT] = {"verdict", 'l', TABLE_RESULTS},
};

enum { FAILING_VERDICTS = 5 }; // a gate fails for them, or cannot say

// Where rows may be left out, in which order they go: the last first.
static int severity(const struct decision_case *item) {
    static const enum verdict order[] = {VERDICT_WRONG,       VERDICT_REGRESSION, VERDICT_NOT_VALID,
                                         VERDICT_UNDECIDABLE, VERDICT_REMOVED,    VERDICT_IMPROVEMENT};
    enum { VERDICTS = sizeof order / sizeof *order };
    int at = 0;
    while (at < VERDICTS && order[at] != item->verdict) ++at;
    return at;
}

// The slowest first among those of a verdict that is bad; others in the order of the suite.
static int by_severity(const void *a, const void *b) {
    const struct decision_case *left = *(const struct decision_case *const *)a;
    const struct decision_case *right = *(const struct decision_case *const *)b;
    const int verdicts = severity(left) - severity(right);
    if (verdicts) return verdicts;
    const bool is_slower = left->verdict == VERDICT_REGRESSION && left->change_pct != right->change_pct;
    if (is_slower) return left->change_pct > right->change_pct ? -1 : 1;
    return (left > right) - (left < right);
}

static bool is_shown(const struct decision_case *item, const struct report_options *options) {
    return !options->is_failures_only || severity(item) < FAILING_VERDICTS;
}

bool report_is_unchanged(const struct decision_case *item) {
    return item->verdict == VERDICT_MAINTAINED || item->verdict == VERDICT_SAME_CODE ||
           item->verdict == VERDICT_NO_DIFFERENCE || item->verdict == VERDICT_NONE;
}

static bool is_among(const struct decision_case *item, enum report_rows rows) {
    return rows == REPORT_ROWS_ALL || report_is_unchanged(item) == (rows == REPORT_ROWS_UNCHANGED);
}

// What the tables show, and in which order.
struct shown_cases {
    const struct decision_case **items;
    size_t count;
};

static struct shown_cases shown_cases_get(const struct decision *decision,
                                          const struct report_options *options, enum report_rows rows,
                                          const struct report_blocks *blocks) {
    struct shown_cases ret = {arena_array(blocks->arena, decision->case_count + 1, sizeof *ret.items), 0};
    for (size_t i = 0; i < decision->case_count; ++i)
        if (is_shown(&decision->cases[i], options) && is_among(&decision->cases[i], rows))
            ret.items[ret.count++] = &decision->cases[i];
    if (blocks->has_wide_tables) qsort(ret.items, ret.count, sizeof *ret.items, by_severity);
    return ret;
}

static void add_table(const struct result *result, const struct report_options *options,
                      const struct shown_cases *shown, enum table which, struct report_blocks *blocks) {
    const char *metric = result->environment.metric;
    struct arena *arena = blocks->arena;
    const char *const side_labels[2] = {report_side_label(result, options, SIDE_BASELINE, arena),
                                        report_side_label(result, options, SIDE_CANDIDATE, arena)};
    struct report_block *table = report_table_add(blocks, "", NULL);
    for (enum column c = 0; c < COLUMN_COUNT; ++c)
        if (columns[c].tables & which)
            report_column_add(table, columns[c].alignment,
                              columns[c].head ? columns[c].head : side_labels[c - COLUMN_BASE]);
    for (size_t i = 0; i < shown->count; ++i) {
        const struct decision_case *item = shown->items[i];
        if (which == TABLE_TRUST && !item->round_count && !item->invalid_round_count) continue;
        const double least = fmin(item->median_base_ns, item->median_cand_ns);
        const char *const cells[COLUMN_COUNT] = {
            [COLUMN_PROBLEM] = name_cell(item, blocks->has_wide_tables, arena),
            [COLUMN_BASE] = figure_amount_beside(metric, item->median_base_ns, least, arena),
            [COLUMN_CAND] = figure_amount_beside(metric, item->median_cand_ns, least, arena),
            [COLUMN_CHANGE] = figure_change(item, arena),
            [COLUMN_SPEEDUP] = figure_ratio(decision_case_speedup(item), arena),
            [COLUMN_ROUNDS] = rounds_cell(item, arena),
            [COLUMN_SPREAD] = figure_pct(item->spread_pct, arena),
            [COLUMN_DETECTABLE] = figure_pct(item->smallest_detectable_pct, arena),
            [COLUMN_P] = figure_p(item->p_raw, arena),
            [COLUMN_P_HOLM] = figure_p(item->p_holm, arena),
            [COLUMN_DELTA] = delta_cell(item, arena),
            [COLUMN_P_CLASSIC] = figure_p(lacks_samples(item) ? NAN : item->p_mann_whitney, arena),
            [COLUMN_VERDICT] = verdict_cell(item, arena),
        };
        struct report_row *row = report_row_add(blocks, table);
        size_t at = 0;
        row->is_kept =
            which != TABLE_TRUST && (item->verdict == VERDICT_REGRESSION || item->verdict == VERDICT_WRONG);
        for (enum column c = 0; c < COLUMN_COUNT; ++c) {
            if (!(columns[c].tables & which)) continue;
            if (c == COLUMN_VERDICT) row->style_column = at;
            if (c == COLUMN_VERDICT) row->style = report_verdict_style(item->verdict);
            row->cells[at++] = cells[c];
        }
    }
    report_table_drop_empty(table);
    report_block_drop_empty(blocks, table);
}

void report_add_not_shown(size_t count, struct report_blocks *blocks) {
    if (count)
        report_block_add(blocks, REPORT_PARAGRAPH,
                         arena_format(blocks->arena, "%zu other problem%s passed and %s not shown.", count,
                                      count == 1 ? "" : "s", count == 1 ? "is" : "are"));
}

void report_content_sentences(const struct decision *decision, const struct report_options *options,
                              struct report_blocks *blocks) {
    struct report_block *block = report_block_add(blocks, REPORT_LIST, NULL);
    for (size_t i = 0; i < decision->not_judged_count; ++i)
        report_item_addf(blocks, block, "not judged: %s", decision->not_judged[i]);
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        const char *sentence = item->guard ? item->guard : item->sentence;
        if (sentence && is_shown(item, options))
            report_item_addf(blocks, block, "%s: %s", decision_case_name(item), sentence);
    }
    report_list_fold(blocks, block);
    report_block_drop_empty(blocks, block);
}

// What verdicts of the rounds rule prove. R rounds in which a candidate was not slow say little of what
// happens in fewer than 1 - 0.05^(1/R) of its processes.
static void add_thresholds(const struct decision *decision, struct report_blocks *blocks,
                           struct report_block *block) {
    uint32_t rounds = 0;
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        if (item->verdict == VERDICT_MAINTAINED && (!rounds || item->round_count < rounds))
            rounds = item->round_count;
    }
    if (str_equal(decision->rule, "counts"))
        report_item_addf(
            blocks, block,
            "Changes are of what a launch was counted at, over all rounds: slower means more of it, and "
            "nothing is said of time.");
    if (!str_equal(decision->rule, "rounds")) {
        report_item_addf(blocks, block,
                         "A regression is more than %g %% slower, an improvement more than %g %% faster.",
                         decision->regression_pct, decision->improvement_pct);
        return;
    }
    report_item_addf(
        blocks, block,
        "A regression is estimated more than %g %% slower and proved at least %g %%, an improvement "
        "is proved more than %g %% faster.",
        decision->regression_pct, ROUNDS_SLOWER_SHARE * decision->regression_pct, decision->improvement_pct);
    if (rounds)
        report_item_addf(
            blocks, block,
            "Maintained is proved less than %g %% slower in the bulk of processes: %u rounds do not "
            "exclude what happens in fewer than %.0f %% of them.",
            decision->regression_pct, rounds, 100 * (1 - pow(0.05, 1.0 / rounds)));
}

static void add_mean(const struct decision *decision, struct report_blocks *blocks,
                     struct report_block *block) {
    struct arena *arena = blocks->arena;
    if (isfinite(decision->geomean_speedup))
        report_item_addf(blocks, block, "geometric mean speed-up %s, best %s (%s), worst %s (%s)",
                         figure_ratio(decision->geomean_speedup, arena),
                         figure_ratio(decision->best_speedup, arena), decision->best_name,
                         figure_ratio(decision->worst_speedup, arena), decision->worst_name);
}

void report_add_sureness(const struct result *result, struct report_blocks *blocks,
                         struct report_block *block) {
    const struct decision *decision = result->decision;
    const bool is_counted = metric_is_counted(metric_parse(result->environment.metric));
    double level = NAN; // of the first problem that has one
    bool has_many_rounds = false;
    for (size_t i = 0; i < decision->case_count; ++i) {
        if (!isfinite(level)) level = decision->cases[i].interval_level;
        has_many_rounds = has_many_rounds || decision->cases[i].round_count > 1;
    }
    const bool is_interim = isfinite(level) && fabs(level - 0.95) > 1e-9;
    const bool is_one_more = is_interim && fabs(level - (1 - ROUNDS_LOOK_ALPHA)) > 1e-9; // --first-look
    if (isfinite(level))
        report_item_addf(blocks, block, "Changes are of the %s, with %.4g %% confidence intervals%s.",
                         is_counted ? "count" : "time", 100 * level,
                         is_one_more  ? " (one of five interim analyses; together about 95 %)"
                         : is_interim ? " (one of four interim analyses; together about 95 %)"
                                      : "");
    if (has_many_rounds && !str_equal(decision->rule, "counts")) {
        report_item_addf(blocks, block, "Spread is of the change between rounds; p is %s.",
                         is_interim ? "of the last interim analysis, two-sided, against no change, "
                                      "and not adjusted for the earlier ones"
                                    : "two-sided, against no change");
        report_item_add(
            blocks, block,
            "Detectable: the smallest change that these rounds tell from none with 90 % probability.");
    }
    if (decision->regression_pct > 0 && isfinite(decision->improvement_pct))
        add_thresholds(decision, blocks, block);
}

void report_content_sureness(const struct result *result, struct report_blocks *blocks) {
    const bool is_comment = blocks->has_wide_tables; // which breaks long lines of a list only
    struct report_block *block = report_block_add(blocks, is_comment ? REPORT_LIST : REPORT_LINES, NULL);
    add_mean(result->decision, blocks, block);
    report_add_sureness(result, blocks, block);
    report_block_drop_empty(blocks, block);
}

static bool is_classic(const struct decision *decision) {
    return str_equal(decision->rule, "classic");
}

void report_content_outcomes(const struct result *result, const struct report_options *options,
                             enum report_rows rows, struct report_blocks *blocks) {
    const struct shown_cases shown = shown_cases_get(result->decision, options, rows, blocks);
    add_table(result, options, &shown, is_classic(result->decision) ? TABLE_CLASSIC : TABLE_OUTCOME, blocks);
}

void report_content_trust(const struct result *result, const struct report_options *options,
                          struct report_blocks *blocks) {
    const struct shown_cases shown = shown_cases_get(result->decision, options, REPORT_ROWS_ALL, blocks);
    if (!is_classic(result->decision)) add_table(result, options, &shown, TABLE_TRUST, blocks);
}

void report_content_not_shown(const struct decision *decision, const struct report_options *options,
                              struct report_blocks *blocks) {
    size_t count = 0;
    for (size_t i = 0; i < decision->case_count; ++i) count += !is_shown(&decision->cases[i], options);
    report_add_not_shown(count, blocks);
}

void report_content_decision(const struct result *result, const struct report_options *options,
                             struct report_blocks *blocks) {
    const struct decision *decision = result->decision;
    if (decision->case_count == 0) return; // nothing was compared: neither a table nor thresholds
    report_content_outcomes(result, options, REPORT_ROWS_ALL, blocks);
    const size_t trust = blocks->count;
    report_content_trust(result, options, blocks);
    if (blocks->has_wide_tables && blocks->count > trust) {
        blocks->items[trust].text = REPORT_TRUST;
        blocks->items[trust].is_folded = true;
    }
    report_content_not_shown(decision, options, blocks);
    if (blocks->has_wide_tables) report_content_plot(decision, blocks);
    report_content_sentences(decision, options, blocks);
    report_content_sureness(result, blocks);
}
