// SPDX-License-Identifier: Apache-2.0
//
// Selects the problems and sides of --only and --side.
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/comma.h"
#include "base/mem.h"
#include "report/result/figure_text.h"
#include "report/samples/sample_internal.h"

#define NAMES_LISTED_MAX 20 // in a message

// Lists one name a line, since names may contain blanks and commas.
static int refuse_case(const struct result *result, struct comma_item word, bool has_utf8, struct err *err) {
    struct strbuf names = {0};
    struct arena arena = {0};
    for (size_t i = 0; i < result->case_count && i < NAMES_LISTED_MAX; ++i) {
        strbuf_add(&names, "  ");
        strbuf_add_plain(&names, result_case_name(&result->cases[i]), has_utf8);
        strbuf_add_char(&names, '\n');
    }
    if (result->case_count > NAMES_LISTED_MAX)
        strbuf_addf(&names, "  and %zu more\n", result->case_count - NAMES_LISTED_MAX);
    const char *wanted = figure_plain(arena_strndup(&arena, word.text, word.length), has_utf8, &arena);
    int status = err_set(err, ERR_USAGE, "no problem '%s' was measured; there are:", wanted);
    err_add_lines(err, strbuf_text(&names));
    arena_fini(&arena);
    strbuf_fini(&names);
    return status;
}

static bool select_word(const struct result *result, struct comma_item word, bool *has_case) {
    bool is_found = false;
    for (size_t i = 0; i < result->case_count; ++i) {
        const struct result_case *item = &result->cases[i];
        const bool is_named = comma_item_is(word, item->problem.name) ||
                              (item->short_name && comma_item_is(word, item->short_name));
        has_case[i] = has_case[i] || is_named;
        is_found = is_found || is_named;
    }
    return is_found;
}

// Takes the text as one name if there is such a name, since names may contain commas ("BM<int, float>/8");
// else as a list.
static int select_cases(const struct result *result, const struct sample_report_options *options,
                        bool *has_case, struct err *err) {
    const char *rest = options->only;
    struct comma_item word = {.text = rest, .length = strlen(rest)};
    size_t count = 0;
    if (select_word(result, word, has_case)) return 0;
    while (comma_next(&rest, &word)) {
        if (word.length == 0) continue;
        if (!select_word(result, word, has_case)) return refuse_case(result, word, options->has_utf8, err);
        ++count;
    }
    return count ? 0 : err_set(err, ERR_USAGE, "--only names no problem; leave it out for all of them");
}

// Selects all sides of that name: both, if two sides are one kernel, unless '#2' tells them apart.
static int select_sides(const struct result *result, const struct sample_report_options *options,
                        struct sample_selection *ret, struct err *err) {
    const char *name = options->side;
    struct arena arena = {0};
    struct strbuf names = {0};
    for (uint32_t i = 0; i < result->side_count; ++i) {
        const struct result_side *side = &result->sides[i];
        const char *full = result_side_name(result, i, &arena);
        strbuf_add(&names, "  ");
        strbuf_add_plain(&names, full, options->has_utf8);
        strbuf_add_char(&names, '\n');
        if (!name || str_equal(name, full) || str_equal(name, side->label) || str_equal(name, side->kernel) ||
            str_equal(name, side_role_name(side->role)))
            ret->sides[ret->side_count++] = i;
    }
    int status = 0;
    if (ret->side_count == 0) {
        status = err_set(err, ERR_USAGE,
                         "no side is called '%s'; there are:", figure_plain(name, options->has_utf8, &arena));
        err_add_lines(err, strbuf_text(&names));
    }
    strbuf_fini(&names);
    arena_fini(&arena);
    return status;
}

int sample_select(const struct result *result, const struct sample_report_options *options,
                  struct sample_selection *ret, struct err *err) {
    if (metric_is_counted(metric_parse(result->environment.metric)))
        return err_set(err, ERR_USAGE,
                       "this result counts %s: it has no samples of time to show; leave --samples out",
                       result->environment.metric);
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
