// SPDX-License-Identifier: Apache-2.0
//
// The rounds of one problem: their medians, a column a side, and for two sides the change within the round.
#include <math.h>

#include "base/arena.h"
#include "base/signed_figure.h"
#include "base/term.h"
#include "report/result/figure_text.h"
#include "report/samples/sample_internal.h"

#define ROUNDS_SHOWN_MAX 40
#define STEPS_SHOWN      1000 // decimals divide a median into 1000 steps

struct rounds_table {
    const struct sample_set *sets;
    size_t set_count;
    size_t cand; // of two sets: the candidate
    const struct sample_report_options *options;
    struct arena *arena;
    struct term_table *table;
};

static void add_round(struct rounds_table *rounds, size_t at) {
    const struct result_round *round = &rounds->sets[0].item->rounds[at];
    struct arena *arena = rounds->arena;
    const char *cells[WORK_SIDES_MAX + 4] = {"  "};
    size_t column = 1;
    cells[column++] = round->attempt ? arena_format(arena, "%u, repetition %u", round->round, round->attempt)
                                     : arena_format(arena, "%u", round->round);
    for (size_t i = 0; i < rounds->set_count; ++i) {
        const struct sample_set *set = &rounds->sets[i];
        const double ns = set->round_median_ns[at];
        const double like_ns = set->n ? set->summary.describe.median : ns;
        cells[column++] = isfinite(ns) ? figure_time_like(ns, like_ns, like_ns / STEPS_SHOWN, arena) : "-";
    }
    if (rounds->set_count == 2) {
        const struct sample_set *cand = &rounds->sets[rounds->cand], *base = &rounds->sets[1 - rounds->cand];
        const double change = describe_change_pct(base->round_median_ns[at], cand->round_median_ns[at]);
        cells[column++] =
            isfinite(change) ? arena_format(arena, "%s %%", signed_figure(change, 2).text) : "-";
    }
    const char *reason = str_or(round->invalid_reason, "no reason given");
    if (!round->is_valid)
        cells[column] =
            arena_format(arena, "not valid: %s", figure_plain(reason, rounds->options->has_utf8, arena));
    term_table_add(rounds->table, cells);
    if (!round->is_valid) term_table_style(rounds->table, column, TERM_YELLOW);
}

// The head: a column for each side and, for two sides, "simd against tiled": the candidate first, whatever
// its place in the result.
static void add_head(struct rounds_table *rounds, const struct result *result) {
    const char *names[WORK_SIDES_MAX], *head[WORK_SIDES_MAX + 4] = {"  ", "round"};
    char alignment[WORK_SIDES_MAX + 5] = "ll";
    size_t column = 2;
    for (size_t i = 0; i < rounds->set_count; ++i) {
        const char *name = result_side_name(result, rounds->sets[i].side, rounds->arena);
        names[i] = figure_plain(name, rounds->options->has_utf8, rounds->arena);
        alignment[column] = 'r';
        head[column++] = names[i];
    }
    if (rounds->set_count == 2) {
        const struct result_side *first = &result->sides[rounds->sets[0].side];
        const struct result_side *second = &result->sides[rounds->sets[1].side];
        rounds->cand = first->role == SIDE_CANDIDATE && second->role != SIDE_CANDIDATE ? 0 : 1;
        alignment[column] = 'r';
        head[column++] =
            arena_format(rounds->arena, "%s against %s", names[rounds->cand], names[1 - rounds->cand]);
    }
    alignment[column++] = 'l'; // why it is not valid
    rounds->table = term_table_new(column, alignment);
    term_table_add(rounds->table, head);
    term_table_head(rounds->table);
    for (size_t i = 0; i < column; ++i) term_table_style(rounds->table, i, TERM_DIM);
}

void sample_rounds_print(const struct result *result, const struct sample_set *sets, size_t set_count,
                         const struct sample_report_options *options, struct strbuf *out) {
    const struct result_case *item = sets[0].item;
    bool is_one = item->round_count == 1 && item->rounds[0].is_valid;
    if (item->round_count == 0 || is_one) return;
    struct arena arena = {0};
    struct rounds_table rounds = {.sets = sets, .set_count = set_count, .options = options, .arena = &arena};
    add_head(&rounds, result);
    for (size_t r = 0; r < item->round_count && r < ROUNDS_SHOWN_MAX; ++r) add_round(&rounds, r);
    term_add(out, options->has_color, TERM_BOLD, "  medians of the rounds");
    strbuf_add_char(out, '\n');
    term_table_print(rounds.table, options->has_color, out);
    if (item->round_count > ROUNDS_SHOWN_MAX)
        strbuf_addf(out, "    and %zu more; --json has them all\n", item->round_count - ROUNDS_SHOWN_MAX);
    strbuf_add_char(out, '\n');
    term_table_free(rounds.table);
    arena_fini(&arena);
}
