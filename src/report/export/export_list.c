// SPDX-License-Identifier: Apache-2.0
//
// Which problems and sides are exported, and under which names.
#include <math.h>
#include <string.h>

#include "report/export/export.h"

static bool is_wanted(const struct result *result, size_t side) {
    return !result->decision || result->sides[side].role == SIDE_CANDIDATE;
}

size_t export_list(const struct result *result, struct arena *arena, const struct exported **ret) {
    struct exported *list = arena_array(arena, result->case_count * result->side_count + 1, sizeof *list);
    size_t count = 0, sides = 0;
    for (size_t side = 0; side < result->side_count; ++side) sides += is_wanted(result, side);
    for (size_t i = 0; i < result->case_count; ++i) {
        const struct result_case *item = &result->cases[i];
        for (size_t side = 0; side < result->side_count; ++side) {
            if (!is_wanted(result, side) || !item->summaries[side].is_set) continue;
            char buffer[PROBLEM_KEY_BYTES];
            const char *problem = arena_strdup(arena, result_case_key(item, buffer));
            list[count++] = (struct exported){
                .item = item,
                .problem = problem,
                .side = &result->sides[side],
                .figures = &item->summaries[side],
                .decision = result->decision ? decision_find_case(result->decision, problem) : NULL,
                .name = sides < 2
                            ? problem
                            : arena_format(arena, "%s @ %s", problem, result_side_name(result, side, arena)),
            };
        }
    }
    *ret = list;
    return count;
}

// Whether a spreadsheet takes a text for a formula: it would run what a name says.
static bool is_formula(const char *text) {
    double number;
    return *text && strchr("=+-@", *text) && str_parse_double(text, &number) < 0;
}

void export_csv_text(struct strbuf *out, const char *text) {
    struct strbuf plain = {0};
    strbuf_add_plain(&plain, str_or(text, ""), true);
    strbuf_add_char(out, '"');
    if (is_formula(strbuf_text(&plain))) strbuf_add_char(out, '\'');
    for (const char *at = strbuf_text(&plain); *at; ++at) strbuf_addf(out, *at == '"' ? "\"\"" : "%c", *at);
    strbuf_add_char(out, '"');
    strbuf_fini(&plain);
}

void export_csv_double(struct strbuf *out, double value) {
    strbuf_add_char(out, ',');
    if (isfinite(value)) strbuf_addf(out, "%.17g", value);
}
