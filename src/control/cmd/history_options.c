// SPDX-License-Identifier: Apache-2.0
//
// See history_options.h.
#include "control/cmd/history_options.h"

#include "base/strbuf.h"

static const struct {
    unsigned bit;
    const char *name;
} options[] = {
    {READS_SUITE, "suite"}, {READS_COMMIT, "commit"}, {READS_BRANCH, "branch"},
    {READS_ON, "on"},       {READS_SINCE, "since"},   {READS_PROBLEM, "problem"},
    {READS_SIDE, "side"},   {READS_LIMIT, "limit"},   {READS_FORMAT, "format"},
    {READS_JSON, "json"},   {READS_BEFORE, "before"}, {READS_DRY_RUN, "dry-run"},
};

static unsigned given(const struct history_request *request) {
    const struct store_filter *filter = &request->filter;
    return (filter->suite ? READS_SUITE : 0u) | (filter->commit ? READS_COMMIT : 0u) |
           (filter->branch ? READS_BRANCH : 0u) | (filter->device ? READS_ON : 0u) |
           (filter->since_utc ? READS_SINCE : 0u) | (filter->problem ? READS_PROBLEM : 0u) |
           (filter->side ? READS_SIDE : 0u) | (filter->limit ? READS_LIMIT : 0u) |
           (request->format ? READS_FORMAT : 0u) | (request->is_json ? READS_JSON : 0u) |
           (request->before ? READS_BEFORE : 0u) | (request->is_dry_run ? READS_DRY_RUN : 0u);
}

static bool fits(const struct history_action *action, size_t word_count) {
    return word_count >= action->word_min && word_count <= action->word_max;
}

size_t history_action_find(const struct history_action *actions, size_t count, const char *name,
                           size_t word_count) {
    size_t first = count;
    for (size_t i = 0; i < count; ++i) {
        if (!str_equal(actions[i].name, name)) continue;
        if (fits(&actions[i], word_count)) return i;
        if (first == count) first = i;
    }
    return first;
}

// "profiles ID" has options that "profiles" has not.
static const char *shown_name(const struct history_action *action, const struct history_action *actions,
                              size_t count, struct arena *arena) {
    bool is_other = false;
    for (size_t i = 0; i < count && &actions[i] != action; ++i)
        is_other = is_other || str_equal(actions[i].name, action->name);
    return is_other ? arena_format(arena, "%s ID", action->name) : action->name;
}

static int refuse_option(const struct history_action *action, const struct history_action *actions,
                         size_t count, size_t option, struct err *err) {
    struct arena arena = {0};
    struct strbuf readers = {0};
    for (size_t i = 0; i < count; ++i)
        if (actions[i].reads & options[option].bit)
            strbuf_addf(&readers, "%s%s", readers.length ? ", " : "",
                        shown_name(&actions[i], actions, count, &arena));
    const int code =
        err_set(err, ERR_USAGE, "history %s does not read --%s; it goes with: %s",
                shown_name(action, actions, count, &arena), options[option].name, strbuf_text(&readers));
    strbuf_fini(&readers);
    arena_fini(&arena);
    return code;
}

static int check_words(const struct history_request *request, const struct history_action *action,
                       struct err *err) {
    if (fits(action, request->word_count)) return 0;
    if (action->takes) return err_set(err, ERR_USAGE, "history %s takes %s", action->name, action->takes);
    return err_set(err, ERR_USAGE, "history %s takes options only, and '%s' is none", action->name,
                   str_shown(request->words[0]).text);
}

static int read_date(const char *option, const char *text, char ret_utc[CLOCK_UTC_BYTES], struct err *err) {
    if (clock_utc_complete(text, ret_utc)) return 0;
    return err_set(err, ERR_USAGE,
                   "--%s takes a date or a time in UTC, 2026-01-31 or 2026-01-31T12:00:00Z, not '%s'", option,
                   str_shown(text).text);
}

int history_request_check(struct history_request *request, const struct history_action *action,
                          const struct history_action *actions, size_t count, struct err *err) {
    const unsigned without_effect = given(request) & ~action->reads;
    TRY(check_words(request, action, err));
    for (size_t i = 0; i < sizeof options / sizeof *options; ++i)
        if (without_effect & options[i].bit) return refuse_option(action, actions, count, i, err);
    if (request->is_json && request->format && !str_equal(request->format, "json"))
        return err_set(err, ERR_USAGE, "--json and --format %s are two forms: give one of them",
                       str_shown(request->format).text);
    if (request->filter.since_utc) {
        TRY(read_date("since", request->filter.since_utc, request->since_utc, err));
        request->filter.since_utc = request->since_utc;
    }
    return request->before ? read_date("before", request->before, request->before_utc, err) : 0;
}
