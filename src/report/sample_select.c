// SPDX-License-Identifier: Apache-2.0
//
// Which problems and sides does a reader mean?
#include "report/sample_select.h"

#include "base/arena.h"
#include "base/mem.h"
#include "report/figure_text.h"

#include <stdlib.h>
#include <string.h>

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
    while (length && from[length - 1] == ' ') length--;
    return (struct word){from, length};
}

static bool is_word(const struct word *word, const char *name) {
    return name && strlen(name) == word->length && memcmp(name, word->text, word->length) == 0;
}

static int refuse_case(const struct result *result, const struct word *word, struct err *err) {
    struct strbuf names = {0};
    struct arena arena = {0};
    for (size_t i = 0; i < result->case_count && i < NAMES_LISTED_MAX; i++) {
        const struct result_case *item = &result->cases[i];
        strbuf_addf(&names, " %s", result_case_name(item));
    }
    if (result->case_count > NAMES_LISTED_MAX) strbuf_add(&names, " ...");
    int status = err_set(err, ERR_USAGE, "no problem '%.*s' was measured; there are:%s", (int)word->length,
                         word->text, figure_plain(strbuf_text(&names), true, &arena));
    arena_fini(&arena);
    strbuf_fini(&names);
    return status;
}

static int select_cases(const struct result *result, const char *only, bool *has_case, struct err *err) {
    while (*only) {
        struct word word = next_word(&only);
        bool is_found = false;
        for (size_t i = 0; i < result->case_count; i++) {
            const struct result_case *item = &result->cases[i];
            if (!is_word(&word, item->short_name) && !is_word(&word, item->problem.name)) continue;
            has_case[i] = is_found = true;
        }
        if (!is_found) return refuse_case(result, &word, err);
    }
    return 0;
}

static bool is_side(const struct result *result, uint32_t side, const char *name, struct arena *arena) {
    const struct result_side *it = &result->sides[side];
    return str_equal(name, result_side_name(result, side, arena)) || str_equal(name, it->label) ||
           str_equal(name, it->kernel) || str_equal(name, side_role_name(it->role));
}

// All sides of that name: two of one kernel are both meant unless '#2' tells them apart.
static int select_sides(const struct result *result, const char *name, struct sample_selection *ret,
                        struct err *err) {
    struct arena arena = {0};
    struct strbuf names = {0};
    for (uint32_t i = 0; i < result->side_count; i++) {
        strbuf_addf(&names, " %s", result_side_name(result, i, &arena));
        if (!name || is_side(result, i, name, &arena)) ret->sides[ret->side_count++] = i;
    }
    int status = 0;
    if (ret->side_count == 0)
        status = err_set(err, ERR_USAGE, "no side is called '%s'; there are:%s", name ? name : "",
                         figure_plain(strbuf_text(&names), true, &arena));
    strbuf_fini(&names);
    arena_fini(&arena);
    return status;
}

int sample_select(const struct result *result, const struct sample_report_options *options,
                  struct sample_selection *ret, struct err *err) {
    struct sample_selection selection = {.has_case = mem_try_array(result->case_count + 1, sizeof(bool))};
    if (!selection.has_case) return err_set(err, ERR_INTERNAL, "no memory for a selection of problems");
    for (size_t i = 0; i < result->case_count && !options->only; i++) selection.has_case[i] = true;
    int status = options->only ? select_cases(result, options->only, selection.has_case, err) : 0;
    if (status == 0) status = select_sides(result, options->side, &selection, err);
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
