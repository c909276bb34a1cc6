// SPDX-License-Identifier: Apache-2.0
//
// The order of a report, and its first and last parts: title and verdict, warnings and notes, commands. A
// comment has an order of its own (report_comment.c).
#include <math.h>

#include "base/term.h"
#include "report/result/case_lines.h"
#include "report/result/report_parts.h"
#include "verdict/summary.h"

struct report_options report_options_default(void) {
    return (struct report_options){.target_ratio = NAN, .has_utf8 = term_has_utf8()};
}

const char *report_title(const struct result *result, const struct report_options *options,
                         struct arena *arena) {
    if (!result->decision) return str_or(result->suite, "measured");
    return arena_format(arena, "%s against %s",
                        str_or(options->cand_file, report_side_label(result, options, SIDE_CANDIDATE, arena)),
                        str_or(options->base_file, report_side_label(result, options, SIDE_BASELINE, arena)));
}

const char *report_verdict_line(const struct decision *decision, struct arena *arena) {
    return arena_format(arena, "%s (exit %d)", str_or(decision->sentence, verdict_text(decision->verdict)),
                        decision->exit_code);
}

void report_content_title(const struct result *result, const struct report_options *options,
                          struct report_blocks *blocks) {
    struct arena *arena = blocks->arena;
    const struct decision *decision = result->decision;
    report_block_add(blocks, REPORT_HEADING,
                     arena_format(arena, "assay: %s", report_title(result, options, arena)));
    if (!decision) return;
    struct report_block *block =
        report_block_add(blocks, REPORT_VERDICT, report_verdict_line(decision, arena));
    block->style = report_exit_style(decision->exit_code);
}

int report_content_warnings(const struct result *result, const char *told, struct report_blocks *blocks) {
    struct warning_list warnings;
    if (warnings_get(result, blocks->arena, &warnings) < 0) return -1;
    const struct decision *decision = result->decision;
    struct report_block *block = report_block_add(blocks, REPORT_LIST, REPORT_WARNINGS);
    for (size_t i = 0; i < warnings.count; ++i)
        if (!str_equal(warnings.texts[i], told)) report_item_add(blocks, block, warnings.texts[i]);
    report_list_fold_numbers(blocks, block);
    report_block_drop_empty(blocks, block);
    block = report_block_add(blocks, REPORT_LIST, "Notes");
    for (size_t i = 0; decision && i < decision->note_count; ++i)
        report_item_add(blocks, block, decision->notes[i]);
    report_list_fold(blocks, block);
    report_block_drop_empty(blocks, block);
    return 0;
}

void report_content_commands(const struct result *result, struct report_blocks *blocks) {
    struct report_block *block = report_block_add(blocks, REPORT_COMMANDS, "To repeat");
    const char *command = report_repeat_command(result, blocks->arena);
    if (command) report_item_add(blocks, block, command);
    for (size_t i = 0; i < result->check_count; ++i)
        for (uint32_t side = 0; side < result->side_count; ++side)
            if (outcome_is_wrong(result->checks[i].checks[side].outcome))
                report_item_add(blocks, block,
                                check_command(result, &result->checks[i], side, blocks->arena));
    report_block_drop_empty(blocks, block);
}

// What was decided comes first, and the environment, which is the same every time, behind it; what a reader
// may have to do stands at the end, next to the prompt.
int report_content_build(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks) {
    report_content_title(result, options, blocks);
    report_content_policy(result, blocks);
    if (result->decision)
        report_content_decision(result, options, blocks);
    else if (report_content_bench(result, options, blocks) < 0)
        return -1;
    if (report_content_data(result, blocks) < 0) return -1;
    if (report_content_energy(result, blocks) < 0) return -1;
    report_content_explanation(result, blocks);
    report_content_unexplained(result, blocks);
    report_content_ratchets(result, options, blocks);
    report_content_builds(result, options, blocks);
    report_content_checks(result, blocks);
    report_content_head(result, options, blocks);
    if (report_content_warnings(result, NULL, blocks) < 0) return -1;
    report_content_commands(result, blocks);
    return 0;
}
