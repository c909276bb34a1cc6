// SPDX-License-Identifier: Apache-2.0
//
// The parts of a report as the comment of a pull request: what was decided about which commits, the problems
// that changed, and all else folded away.
#include <ctype.h>
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "report/result/report_parts.h"
#include "verdict/decision_check.h"

enum { HASH_SHOWN = 7, HASH_MAX = 40, SENTENCES_SHOWN_MAX = 5 };

// ---- the heading ----

// Seen while scrolling past forty comments: a sign, and a word for where it is not shown.
static const char *sign_of(const struct decision *decision) {
    return decision->exit_code == 0   ? "\xe2\x9c\x85"
           : decision->exit_code == 1 ? "\xe2\x9d\x8c"
                                      : "\xe2\x9d\x93";
}

static const char *word_of(const struct decision *decision) {
    const enum verdict verdict = decision->verdict;
    const bool is_bad =
        verdict == VERDICT_REGRESSION || verdict == VERDICT_WRONG || verdict == VERDICT_WORSE_BUILD;
    if (decision->exit_code == 0 && is_bad) return "slower, and accepted";
    if (decision->exit_code == 1 && decision->unmet && !is_bad) return "the claim is not proved";
    return verdict == VERDICT_NONE ? "not decided" : verdict_text(verdict);
}

// Characters of the commit at the start of a side's revision; 0: none, as where a stranger's file has another
// text there.
static size_t hash_length(const struct result_side *side) {
    const char *revision = side ? str_or(side->revision, "") : "";
    const size_t length = report_hash_length(revision);
    const bool is_whole = !revision[length] || str_equal(revision + length, "-dirty");
    return length <= HASH_MAX && is_whole ? length : 0;
}

static bool is_same_commit(const struct result_side *a, const struct result_side *b) {
    const size_t length = hash_length(a) < hash_length(b) ? hash_length(a) : hash_length(b);
    return length && strncmp(a->revision, b->revision, length) == 0 &&
           str_equal(a->revision + hash_length(a), b->revision + hash_length(b));
}

// A text, and the commit of a side behind it; side NULL: none.
static void add_span(const struct report_options *options, struct report_blocks *blocks,
                     struct report_block *heading, const char *text, const struct result_side *side) {
    struct report_row *row = report_row_add(blocks, heading);
    const size_t length = hash_length(side);
    row->cells[0] = text;
    if (!length) return;
    row->cells[1] =
        arena_format(blocks->arena, "%.*s%s", HASH_SHOWN, side->revision, side->revision + length);
    if (options->commit_url)
        row->cells[2] =
            arena_format(blocks->arena, "%s%.*s", options->commit_url, (int)length, side->revision);
}

// "mine `d34db33` against `e82b208` (git:merge-base)": of a kernel against a revision, whose label names the
// kernel once more.
static void add_against_revision(const struct result *result, const struct report_options *options,
                                 const char *begin, struct report_blocks *blocks,
                                 struct report_block *heading) {
    const struct result_side *base = report_side_of(result, SIDE_BASELINE),
                             *cand = report_side_of(result, SIDE_CANDIDATE);
    const char *mark = strstr(base->label, REPORT_OF_REVISION);
    const char *spec = mark ? mark + strlen(REPORT_OF_REVISION) : base->label;
    const char *kernel = report_side_label(result, options, SIDE_CANDIDATE, blocks->arena);
    const bool is_other = mark && (strncmp(base->label, kernel, (size_t)(mark - base->label)) != 0 ||
                                   kernel[mark - base->label]);
    const bool is_hash = str_starts(spec, "git:") && spec[4] && str_starts(base->revision, spec + 4);
    add_span(options, blocks, heading, arena_format(blocks->arena, "%s%s ", begin, kernel), cand);
    add_span(options, blocks, heading,
             is_other ? arena_format(blocks->arena, "%sagainst %.*s ", hash_length(cand) ? " " : "",
                                     (int)(mark - base->label), base->label)
                      : arena_format(blocks->arena, "%sagainst ", hash_length(cand) ? " " : ""),
             base);
    if (!is_hash) add_span(options, blocks, heading, arena_format(blocks->arena, " (%s)", spec), NULL);
}

// Two kernels of the same commit, or of two that are known; else their names alone.
static void add_against_kernel(const struct result *result, const struct report_options *options,
                               const char *begin, struct report_blocks *blocks,
                               struct report_block *heading) {
    struct arena *arena = blocks->arena;
    const struct result_side *base = report_side_of(result, SIDE_BASELINE),
                             *cand = report_side_of(result, SIDE_CANDIDATE);
    const bool has_files = options->cand_file || options->base_file;
    const bool is_same = !has_files && is_same_commit(base, cand);
    const bool is_known = !has_files && !is_same && hash_length(base) && hash_length(cand);
    if (!is_known) {
        add_span(options, blocks, heading,
                 arena_format(arena, "%s%s%s", begin, report_title(result, options, arena),
                              is_same ? ", both at " : ""),
                 is_same ? cand : NULL);
        return;
    }
    add_span(options, blocks, heading,
             arena_format(arena, "%s%s ", begin, report_side_label(result, options, SIDE_CANDIDATE, arena)),
             cand);
    add_span(options, blocks, heading,
             arena_format(arena, " against %s ", report_side_label(result, options, SIDE_BASELINE, arena)),
             base);
}

static bool is_against_revision(const struct result *result, const struct report_options *options) {
    const struct result_side *base = report_side_of(result, SIDE_BASELINE);
    if (options->base_file || options->cand_file || !report_side_of(result, SIDE_CANDIDATE)) return false;
    return hash_length(base) && report_is_of_revision(base);
}

static void add_title(const struct result *result, const struct report_options *options,
                      struct report_blocks *blocks) {
    const struct decision *decision = result->decision;
    const size_t at = blocks->count;
    report_content_title(result, options, blocks);
    if (!decision) return;
    const char *begin = arena_format(blocks->arena, "%s assay: %s - ", sign_of(decision), word_of(decision));
    struct report_block *heading = &blocks->items[at];
    if (is_against_revision(result, options))
        add_against_revision(result, options, begin, blocks, heading);
    else
        add_against_kernel(result, options, begin, blocks, heading);
}

// ---- what changed ----

// "25 maintained, 2 same machine code"
static const char *unchanged_text(const struct decision *decision, struct arena *arena) {
    struct strbuf list = {0};
    for (int v = 0; v < VERDICT_COUNT; ++v) {
        size_t count = 0;
        for (size_t i = 0; i < decision->case_count; ++i)
            count +=
                decision->cases[i].verdict == (enum verdict)v && report_is_unchanged(&decision->cases[i]);
        if (count)
            comma_addf(&list, "%zu %s", count,
                       v == VERDICT_NONE ? "left out" : verdict_text_of(count, (enum verdict)v));
    }
    const char *ret = arena_format(arena, "Unchanged: %s", strbuf_text(&list));
    strbuf_fini(&list);
    return ret;
}

static void add_unchanged(const struct result *result, const struct report_options *options,
                          struct report_blocks *blocks) {
    const size_t at = blocks->count;
    report_content_outcomes(result, options, REPORT_ROWS_UNCHANGED, blocks);
    if (blocks->count == at) return;
    blocks->items[at].text = unchanged_text(result->decision, blocks->arena);
    blocks->items[at].is_folded = true;
}

// Many of them are more than a reader looks at before the rest.
static void add_sentences(const struct decision *decision, const struct report_options *options,
                          struct report_blocks *blocks) {
    const size_t at = blocks->count;
    report_content_sentences(decision, options, blocks);
    if (blocks->count == at || blocks->items[at].row_count <= SENTENCES_SHOWN_MAX) return;
    blocks->items[at].text = "Why, problem by problem";
    blocks->items[at].is_folded = true;
}

static void add_outcomes(const struct result *result, const struct report_options *options,
                         struct report_blocks *blocks) {
    const struct decision *decision = result->decision;
    if (decision->case_count == 0) return;
    report_content_outcomes(result, options, REPORT_ROWS_CHANGED, blocks);
    add_unchanged(result, options, blocks);
    report_content_not_shown(decision, options, blocks);
    add_sentences(decision, options, blocks);
}

// ---- what is folded away ----

// A file that somebody changed may say what it likes: that is not folded.
static int add_contradiction(const struct result *result, struct report_blocks *blocks,
                             const char **ret_told) {
    if (decision_check(result, blocks->arena, ret_told) < 0) return -1;
    struct report_block *block = report_block_add(blocks, REPORT_LIST, "Warning");
    if (*ret_told) report_item_add(blocks, block, *ret_told);
    report_block_drop_empty(blocks, block);
    return 0;
}

static void add_moved(const struct result *result, struct report_blocks *blocks) {
    const size_t at = blocks->count;
    report_block_add(blocks, REPORT_FOLD, "What moved");
    report_content_explanation(result, blocks);
    if (blocks->count == at + 1)
        blocks->count = at;
    else
        report_block_add(blocks, REPORT_FOLD_END, NULL);
}

// "How far that can be trusted: 2 warnings"
static const char *trust_title(const struct report_blocks *blocks, size_t from) {
    for (size_t i = from; i < blocks->count; ++i) {
        const struct report_block *block = &blocks->items[i];
        if (block->kind == REPORT_LIST && str_equal(block->text, REPORT_WARNINGS))
            return arena_format(blocks->arena, REPORT_TRUST ": %zu warning%s", block->row_count,
                                block->row_count == 1 ? "" : "s");
    }
    return REPORT_TRUST;
}

// told: a warning that stands above; NULL: none.
static int add_trust(const struct result *result, const struct report_options *options, const char *told,
                     struct report_blocks *blocks) {
    const struct decision *decision = result->decision;
    const size_t at = blocks->count;
    report_block_add(blocks, REPORT_FOLD, NULL);
    if (decision && decision->case_count) {
        report_content_trust(result, options, blocks);
        report_content_plot(decision, blocks);
        report_content_sureness(result, blocks);
    }
    if (!report_has_failures(result)) report_content_checks(result, blocks);
    report_content_builds(result, options, blocks);
    report_content_unexplained(result, blocks);
    if (report_content_warnings(result, told, blocks) < 0) return -1;
    if (blocks->count == at + 1) {
        blocks->count = at;
        return 0;
    }
    blocks->items[at].text = trust_title(blocks, at);
    report_block_add(blocks, REPORT_FOLD_END, NULL);
    return 0;
}

// Where the title says which commits they are, the tables need not say it in each head.
static struct report_options options_below(const struct result *result,
                                           const struct report_options *options) {
    struct report_options ret = *options;
    if (ret.base_label || !result->decision || !is_against_revision(result, options)) return ret;
    ret.base_label = "baseline";
    ret.cand_label = "candidate";
    return ret;
}

int report_comment_build(const struct result *result, const struct report_options *given,
                         struct report_blocks *blocks) {
    const struct report_options below = options_below(result, given), *options = &below;
    add_title(result, given, blocks);
    const char *told = NULL;
    if (add_contradiction(result, blocks, &told) < 0) return -1;
    report_content_policy(result, blocks);
    if (result->decision)
        add_outcomes(result, options, blocks);
    else if (report_content_bench(result, options, blocks) < 0)
        return -1;
    if (report_has_failures(result)) report_content_checks(result, blocks);
    report_content_ratchets(result, options, blocks);
    if (report_content_data(result, blocks) < 0) return -1;
    if (report_content_energy(result, blocks) < 0) return -1;
    add_moved(result, blocks);
    if (add_trust(result, options, told, blocks) < 0) return -1;
    if (report_content_figures(result, blocks) < 0) return -1;
    report_content_head(result, options, blocks);
    report_content_commands(result, blocks);
    return 0;
}
