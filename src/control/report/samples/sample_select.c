// SPDX-License-Identifier: Apache-2.0
//
// Which problems and sides does a reader mean?
#include "control/report/samples/sample_select.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "control/report/result/figure_text.h"

#define NAMES_LISTED_MAX 20 // in a message

// A word between commas, without the blanks around it.
struct word {
    const char *text;
    size_t length;
};

static struct word next_word(const char **list) {
    const char *from = *list + strspn(*list, " ");
    size_t length = strcspn(from, ",");
    *list = from + length + (from[length] == ',');
    while (length && from[length - 1] == ' ') --length;
    return (struct word){from, length};
}

static bool is_word(const struct word *word, const char *name) {
    return name && strlen(name) == word->length && memcmp(name, word->text, word->length) == 0;
}

static bool is_case(const struct word *word, const struct result_case *item) {
    return is_word(word, item->short_name) || is_word(word, item->problem.name);
}

// A name a line: names may hold blanks and commas.
static int refuse_case(const struct result *result, const struct word *word, bool has_utf8, struct err *err) {
    struct strbuf names = {0};
    struct arena arena = {0};
    for (size_t i = 0; i < result->case_count && i < NAMES_LISTED_MAX; ++i) {
        strbuf_add(&names, "\n  ");
        strbuf_add_plain(&names, result_case_name(&result->cases[i]), has_utf8);
    }
    if (result->case_count > NAMES_LISTED_MAX)
        strbuf_addf(&names, "\n  and %zu more", result->case_count - NAMES_LISTED_MAX);
    const char *wanted = figure_plain(arena_strndup(&arena, word->text, word->length), has_utf8, &arena);
    int status =
        err_set(err, ERR_USAGE, "no problem '%s' was measured; there are:%s", wanted, strbuf_text(&names));
    arena_fini(&arena);
    strbuf_fini(&names);
    return status;
}

static bool select_word(const struct result *result, const struct word *word, bool *has_case) {
    bool is_found = false;
    for (size_t i = 0; i < result->case_count; ++i) {
        if (!is_case(word, &result->cases[i])) continue;
        has_case[i] = is_found = true;
    }
    return is_found;
}

// One name as it is, since names may hold commas ("BM<int, float>/8"); else a list of names.
static int select_cases(const struct result *result, const struct sample_report_options *options,
                        bool *has_case, struct err *err) {
    const char *rest = options->only;
    size_t count = 0;
    if (select_word(result, &(struct word){rest, strlen(rest)}, has_case)) return 0;
    while (*rest) {
        struct word word = next_word(&rest);
        if (word.length == 0) continue;
        if (!select_word(result, &word, has_case)) return refuse_case(result, &word, options->has_utf8, err);
        ++count;
    }
    return count ? 0 : err_set(err, ERR_USAGE, "--only names no problem; leave it out for all of them");
}

static bool is_side(const struct result *result, uint32_t side, const char *name, struct arena *arena) {
    const struct result_side *it = &result->sides[side];
    return str_equal(name, result_side_name(result, side, arena)) || str_equal(name, it->label) ||
           str_equal(name, it->kernel) || str_equal(name, side_role_name(it->role));
}

// All sides of that name: two of one kernel are both meant unless '#2' tells them apart.
static int select_sides(const struct result *result, const struct sample_report_options *options,
                        struct sample_selection *ret, struct err *err) {
    const char *name = options->side;
    struct arena arena = {0};
    struct strbuf names = {0};
    for (uint32_t i = 0; i < result->side_count; ++i) {
        strbuf_add(&names, "\n  ");
        strbuf_add_plain(&names, result_side_name(result, i, &arena), options->has_utf8);
        if (!name || is_side(result, i, name, &arena)) ret->sides[ret->side_count++] = i;
    }
    int status = 0;
    if (ret->side_count == 0)
        status = err_set(err, ERR_USAGE, "no side is called '%s'; there are:%s",
                         figure_plain(name, options->has_utf8, &arena), strbuf_text(&names));
    strbuf_fini(&names);
    arena_fini(&arena);
    return status;
}

int sample_select(const struct result *result, const struct sample_report_options *options,
                  struct sample_selection *ret, struct err *err) {
    struct sample_selection selection = {.has_case = mem_try_array(result->case_count + 1, sizeof(bool))};
    if (!selection.has_case) return err_set(err, ERR_INTERNAL, "no memory for a selection of problems");
    for (size_t i = 0; i < result->case_count && !options->only; ++i) selection.has_case[i] = true;
    int status = options->only ? select_cases(result, options, selection.has_case, err) : 0;
    if (status == 0) status = select_sides(result, options, &selection, err);
    if (status < 0)
        sample_select_fini(&selection);
    else
        *ret = selection;
    return status;
}

void sample_select_fini(struct sample_selection *selection) {
    free(selection->has_case);
    *selection = (struct sample_selection){0};
}
