// SPDX-License-Identifier: Apache-2.0
//
// Rounds are grouped by what was chosen in them; the largest group are "the others".
#include "verdict/choices.h"

#include <string.h>

#include "base/strbuf.h"

enum { GROUPS_SHOWN_MAX = 4, ROUNDS_SHOWN_MAX = 5 };

static bool counts(const struct result_case *item, const struct result_choice *choice, uint32_t side) {
    const struct result_round *round = result_case_find_round(item, choice->round, choice->attempt);
    return choice->side == side && round && round->is_valid;
}

static size_t count_like(const struct result_case *item, uint32_t side, const char *text) {
    size_t count = 0;
    for (size_t i = 0; i < item->choice_count; ++i)
        count += counts(item, &item->choices[i], side) && strcmp(item->choices[i].text, text) == 0;
    return count;
}

// The choice that most rounds made, the first of several. NULL: none counts.
static const char *find_usual(const struct result_case *item, uint32_t side) {
    const char *usual = NULL;
    size_t most = 0;
    for (size_t i = 0; i < item->choice_count; ++i) {
        const struct result_choice *choice = &item->choices[i];
        const size_t count = counts(item, choice, side) ? count_like(item, side, choice->text) : 0;
        if (count <= most) continue;
        most = count;
        usual = choice->text;
    }
    return usual;
}

static bool is_first_of_group(const struct result_case *item, size_t index, uint32_t side) {
    const char *text = item->choices[index].text;
    for (size_t i = 0; i < index; ++i)
        if (counts(item, &item->choices[i], side) && strcmp(item->choices[i].text, text) == 0) return false;
    return counts(item, &item->choices[index], side);
}

// "rounds 3, 5 chose ..."
static void add_group(const struct result_case *item, uint32_t side, const char *text, struct strbuf *out) {
    const size_t total = count_like(item, side, text);
    size_t shown = 0;
    strbuf_add(out, total == 1 ? "round " : "rounds ");
    for (size_t i = 0; i < item->choice_count && shown < ROUNDS_SHOWN_MAX; ++i) {
        const struct result_choice *choice = &item->choices[i];
        if (!counts(item, choice, side) || strcmp(choice->text, text) != 0) continue;
        strbuf_addf(out, "%s%lu", shown++ ? ", " : "", (unsigned long)choice->round + 1);
    }
    if (total > shown) strbuf_addf(out, " and %zu more", total - shown);
    strbuf_addf(out, " chose %s, ", text);
}

const char *choices_sentence(const struct result_case *item, uint32_t side, struct arena *arena) {
    const char *usual = find_usual(item, side);
    if (!usual) return NULL;
    struct strbuf text = {0};
    size_t groups = 0;
    for (size_t i = 0; i < item->choice_count; ++i) {
        const char *chosen = item->choices[i].text;
        if (strcmp(chosen, usual) == 0 || !is_first_of_group(item, i, side)) continue;
        if (++groups <= GROUPS_SHOWN_MAX) add_group(item, side, chosen, &text);
    }
    const bool is_one = count_like(item, side, usual) == 1;
    const char *sentence = groups
                               ? arena_format(arena, "the autotuner did not choose alike: %s%s %s",
                                              strbuf_text(&text), is_one ? "the other" : "the others", usual)
                               : NULL;
    if (groups > GROUPS_SHOWN_MAX)
        sentence = arena_format(arena, "%s; %zu more choices were made once or more", sentence,
                                groups - GROUPS_SHOWN_MAX);
    strbuf_fini(&text);
    return sentence;
}
