// SPDX-License-Identifier: Apache-2.0
//
// Whose manifest decided a gate against a revision: nothing where both manifests say the same and the
// baseline's decided; else right below the verdict, with every setting that differs.
#include "base/comma.h"
#include "base/strbuf.h"
#include "report/result/report_parts.h"

enum { CELL_BYTES_MAX = 40, NAMES_SHOWN_MAX = 6 };

// A value of a cell's width; the script of a device is longer.
static const char *value_cell(const char *value, struct arena *arena) {
    if (!value) return "none";
    const size_t fitting = str_fitting(value, CELL_BYTES_MAX);
    return value[fitting] ? arena_format(arena, "%.*s...", (int)fitting, value) : value;
}

static const char *sentence(const struct policy *policy, struct arena *arena) {
    const char *revision = str_or(policy->revision, "the baseline");
    const bool is_changed = policy->change_count > 0;
    switch (policy->source) {
    case POLICY_BASELINE:
        return is_changed
                   ? arena_format(arena,
                                  "The candidate's manifest changes what this gate is decided by. That of "
                                  "%s decides, or the stricter value of the two; --policy candidate "
                                  "takes the candidate's alone.",
                                  revision)
                   : NULL;
    case POLICY_REQUESTED:
        return arena_format(
            arena, "The candidate's manifest decides, as --policy candidate asks for; it %s that of %s.",
            is_changed ? "differs from" : "asks the same as", revision);
    case POLICY_FIRST:
        return arena_format(
            arena, "%s has no manifest: the candidate's decides, and says how the baseline is built.",
            revision);
    case POLICY_NONE:
    case POLICY_SOURCE_COUNT: break;
    }
    return NULL;
}

static void add_names(const struct policy_names *names, const char *whose, const char *setting,
                      struct report_blocks *blocks, struct report_block *block) {
    if (!names->count) return;
    struct strbuf list = {0};
    for (size_t i = 0; i < names->count && i < NAMES_SHOWN_MAX; ++i) comma_add(&list, names->items[i]);
    if (names->count > NAMES_SHOWN_MAX) strbuf_addf(&list, " and %zu more", names->count - NAMES_SHOWN_MAX);
    report_item_addf(blocks, block, "%s: only the %s has %s", setting, whose, strbuf_text(&list));
    strbuf_fini(&list);
}

void report_content_policy(const struct result *result, struct report_blocks *blocks) {
    static const char *const head[] = {"policy", "baseline", "candidate", "decides"};
    const struct policy *policy = result->policy;
    const char *text = policy ? sentence(policy, blocks->arena) : NULL;
    if (!text) return;
    report_block_add(blocks, REPORT_PARAGRAPH, text);
    struct report_block *block = report_table_add(blocks, "llll", head);
    for (size_t i = 0; i < policy->change_count; ++i) {
        const struct policy_change *change = &policy->changes[i];
        struct report_row *row = report_row_add(blocks, block);
        row->cells[0] = change->setting;
        row->cells[1] = value_cell(change->baseline, blocks->arena);
        row->cells[2] = value_cell(change->candidate, blocks->arena);
        row->cells[3] = value_cell(change->used, blocks->arena);
    }
    report_block_drop_empty(blocks, block);
    block = report_block_add(blocks, REPORT_LIST, NULL);
    for (size_t i = 0; i < policy->change_count; ++i) {
        const struct policy_change *change = &policy->changes[i];
        add_names(&change->only_baseline, "baseline", change->setting, blocks, block);
        add_names(&change->only_candidate, "candidate", change->setting, blocks, block);
    }
    report_block_drop_empty(blocks, block);
}
