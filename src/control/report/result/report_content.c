// SPDX-License-Identifier: Apache-2.0
//
// The order of a report, and its first and last parts: title and verdict, warnings and notes, commands.
#include "control/report/result/report_content.h"

#include <math.h>

#include "base/term.h"
#include "control/report/result/case_lines.h"
#include "control/report/result/figure_text.h"
#include "control/verdict/summary.h"

struct report_options report_options_default(void) {
    return (struct report_options){.target_ratio = NAN, .has_utf8 = term_has_utf8()};
}

const char *report_side_label(const struct result *result, const struct report_options *options,
                              enum side_role role, struct arena *arena) {
    const char *given = role == SIDE_BASELINE ? options->base_label : options->cand_label;
    if (given) return given;
    for (size_t i = 0; i < result->side_count; ++i)
        if (result->sides[i].role == role && result->sides[i].label)
            return result_side_name(result, i, arena);
    return side_role_name(role);
}

enum term_style report_verdict_style(enum verdict verdict) {
    switch (verdict) {
    case VERDICT_IMPROVEMENT:
    case VERDICT_MAINTAINED:
    case VERDICT_SAME_CODE: return TERM_GREEN;
    case VERDICT_REGRESSION:
    case VERDICT_WRONG: return TERM_RED;
    case VERDICT_NO_DIFFERENCE:
    case VERDICT_UNDECIDABLE:
    case VERDICT_NOT_VALID:
    case VERDICT_REMOVED: return TERM_YELLOW;
    default: return TERM_PLAIN;
    }
}

static enum term_style exit_style(int exit_code) {
    return exit_code == 0 ? TERM_GREEN : exit_code == 1 ? TERM_RED : TERM_YELLOW;
}

static const char *title_name(const struct result *result, const struct report_options *options,
                              enum side_role role, struct arena *arena) {
    const char *file = role == SIDE_BASELINE ? options->base_file : options->cand_file;
    return file ? file : report_side_label(result, options, role, arena);
}

static void add_title(const struct result *result, const struct report_options *options,
                      struct report_blocks *blocks) {
    const struct decision *decision = result->decision;
    if (!decision) {
        report_block_add(
            blocks, REPORT_HEADING,
            arena_format(blocks->arena, "assay: %s", result->suite ? result->suite : "measured"));
        return;
    }
    report_block_add(blocks, REPORT_HEADING,
                     arena_format(blocks->arena, "assay: %s against %s",
                                  title_name(result, options, SIDE_CANDIDATE, blocks->arena),
                                  title_name(result, options, SIDE_BASELINE, blocks->arena)));
    struct report_block *block = report_block_add(
        blocks, REPORT_VERDICT,
        arena_format(blocks->arena, "%s (exit %d)",
                     decision->sentence ? decision->sentence : verdict_text(decision->verdict),
                     decision->exit_code));
    block->style = exit_style(decision->exit_code);
}

static int add_warnings(const struct result *result, struct report_blocks *blocks) {
    struct warning_list warnings;
    if (warnings_get(result, blocks->arena, &warnings) < 0) return -1;
    const struct decision *decision = result->decision;
    if (warnings.count) {
        struct report_block *block = report_block_add(blocks, REPORT_LIST, "Warnings");
        for (size_t i = 0; i < warnings.count; ++i) report_item_add(blocks, block, warnings.texts[i]);
    }
    if (decision && decision->note_count) {
        struct report_block *block = report_block_add(blocks, REPORT_LIST, "Notes");
        for (size_t i = 0; i < decision->note_count; ++i) report_item_add(blocks, block, decision->notes[i]);
    }
    return 0;
}

static void add_commands(const struct result *result, struct report_blocks *blocks) {
    struct report_block *block = report_block_add(blocks, REPORT_COMMANDS, "To repeat");
    if (result->command) report_item_add(blocks, block, result->command);
    for (size_t i = 0; i < result->check_count; ++i) {
        for (uint32_t side = 0; side < result->side_count; ++side) {
            if (outcome_is_wrong(result->checks[i].checks[side].outcome))
                report_item_add(blocks, block,
                                check_command(result, &result->checks[i], side, blocks->arena));
        }
    }
    if (block->row_count == 0) --blocks->count;
}

int report_content_build(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks) {
    add_title(result, options, blocks);
    report_content_head(result, options, blocks);
    report_content_checks(result, blocks);
    if (result->decision)
        report_content_decision(result, options, blocks);
    else if (report_content_bench(result, options, blocks) < 0)
        return -1;
    if (blocks->has_wide_tables && report_content_figures(result, blocks) < 0) return -1;
    report_content_builds(result, options, blocks);
    if (add_warnings(result, blocks) < 0) return -1;
    add_commands(result, blocks);
    return 0;
}
