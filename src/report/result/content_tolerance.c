// SPDX-License-Identifier: Apache-2.0
//
// The tolerances of one's own that a run was checked by: of kernels, then of suites.
#include "base/strbuf.h"
#include "report/result/report_parts.h"

static bool has_text(const char *const *lines, size_t count, const char *text) {
    for (size_t i = 0; i < count; ++i)
        if (str_equal(lines[i], text)) return true;
    return false;
}

static void add_suite(const struct result *result, bool is_matrix, struct report_tolerances *ret,
                      struct arena *arena) {
    const size_t count = is_matrix ? result->check_count : result->case_count;
    const char *suite = is_matrix ? result->check_suite : result->suite;
    for (size_t i = 0; i < count && ret->count < REPORT_TOLERANCES_MAX; ++i) {
        const struct result_case *item = is_matrix ? &result->checks[i] : &result->cases[i];
        if (!item->tolerance) continue;
        const char *text = arena_format(arena, "suite %s: %s", str_or(suite, "of one problem"),
                                        own_tolerance_text(item->tolerance, arena));
        if (!has_text(ret->lines, ret->count, text)) ret->lines[ret->count++] = text;
    }
}

struct report_tolerances report_tolerances_get(const struct result *result, struct arena *arena) {
    struct report_tolerances ret = {0};
    for (size_t i = 0; i < result->side_count && ret.count < REPORT_TOLERANCES_MAX; ++i) {
        const char *text = own_tolerance_text(result->sides[i].tolerance, arena);
        if (text)
            ret.lines[ret.count++] = arena_format(arena, "%s: %s", result_side_name(result, i, arena), text);
    }
    add_suite(result, true, &ret, arena);
    add_suite(result, false, &ret, arena);
    return ret;
}
