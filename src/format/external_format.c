// SPDX-License-Identifier: Apache-2.0
//
// Another tool's benchmark as a case of a result: names, times as integers, reasons not to compare a case.
#include "format/external_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "format/format.h"
#include "record/case_index.h"
#include "record/field.h"

#define TEXT_SHOWN_BYTES 512
#define HASH_SUFFIX      17   // "~" and 16 digits
#define DURATION_NS_MAX  4e18 // fits an int64_t
#define ROUNDING_MIN_NS  1e6  // half a nanosecond is less than one millionth of this
#define ITERATIONS_MAX   1e15
#define TIME_NS_MAX      1e17 // three years for one launch: not a time

void external_begin(const char *format_name, struct result *ret) {
    result_init(ret);
    ret->external_format = format_name;
    ret->lacks_sampling = ret->lacks_seed = true;
    ret->side_count = 1;
    ret->sides[0] =
        (struct result_side){.role = SIDE_CANDIDATE, .label = format_name, .build = build_report_unknown()};
}

int external_reserve(const char *where, size_t case_max, struct result *result, struct err *err) {
    if (case_max > RESULT_CASES_MAX)
        return err_set(err, ERR_DATA, "%s: %zu benchmarks; the limit is %d", where, case_max,
                       RESULT_CASES_MAX);
    result->cases = arena_array(&result->arena, case_max, sizeof *result->cases);
    return 0;
}

// Replaces control characters (also the C1 ones of UTF-8) in place. Returns whether there were any.
static bool clean(char *text) {
    bool is_changed = false;
    for (unsigned char *at = (unsigned char *)text; *at; ++at) {
        bool is_c1 = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;
        if (*at >= 0x20 && *at != 0x7f && !is_c1) continue;
        *at = '?';
        if (is_c1) at[1] = '?';
        is_changed = true;
    }
    return is_changed;
}

const char *external_text(struct arena *arena, const char *text) {
    if (!text) return NULL;
    char *ret = arena_strndup(arena, text, str_fitting(text, TEXT_SHOWN_BYTES));
    clean(ret);
    return ret;
}

void external_name(const char *name, char ret[PROBLEM_NAME_BYTES]) {
    size_t length = str_fitting(name, PROBLEM_NAME_BYTES - 1);
    memcpy(ret, name, length);
    ret[length] = 0;
    if (!clean(ret) && !name[length]) return;
    length = str_fitting(ret, PROBLEM_NAME_BYTES - 1 - HASH_SUFFIX);
    snprintf(ret + length, PROBLEM_NAME_BYTES - length, "~%016" PRIx64, hash_text_u64(name));
}

struct result_case *external_case_add(struct result *result, const char *name, size_t sample_max) {
    struct result_case *item = &result->cases[result->case_count];
    item->index = (uint32_t)result->case_count++;
    external_name(name, item->problem.name);
    item->work = case_work_of(&item->problem); // not known
    struct result_round *round = result_case_add_round(result, item, 0, 0);
    round->is_valid = true;
    round->samples[0].items = arena_array(&result->arena, sample_max, sizeof *round->samples[0].items);
    return item;
}

bool external_sample_add(struct result_case *item, double time_ns, uint64_t launches, double clock_hz) {
    if (!(isfinite(time_ns) && time_ns > 0 && time_ns < TIME_NS_MAX)) return false;
    double count = fmax((double)launches, ceil(ROUNDING_MIN_NS / time_ns));
    count = fmin(fmin(count, (double)UINT32_MAX), fmax(floor(DURATION_NS_MAX / time_ns), 1));
    double duration_ns = round(time_ns * count);
    if (!(duration_ns >= 1)) return false;
    struct samples *samples = &item->rounds[0].samples[0];
    samples->items[samples->count++] = (struct sample){
        .duration_ns = (uint64_t)duration_ns, .launches = (uint32_t)count, .clock_hz = clock_hz};
    return true;
}

void external_case_refuse(struct result_case *item, enum reason reason, const char *words) {
    if (item->unusable_reason != REASON_NONE) return;
    item->unusable_reason = reason;
    item->unusable_text = words;
}

void external_case_skip(struct result_case *item, const char *message) {
    struct check_result *check = &item->checks[0];
    check->outcome = OUTCOME_UNSUPPORTED;
    size_t length = message ? str_fitting(message, TEXT_SHOWN_BYTES) : 0;
    if (length) memcpy(check->message, message, length);
    check->message[length] = 0;
    clean(check->message);
}

void external_mean_add(struct result_case *item, double time_ns, double iterations, const char *words) {
    const bool is_count = iterations >= 1 && iterations < ITERATIONS_MAX;
    if (is_count && external_sample_add(item, time_ns, (uint64_t)iterations, NAN)) return;
    ++item->left_out_count;
    external_case_refuse(item, REASON_BAD_TIMES, words);
}

void external_machine_set(struct result *result, const char *stated) {
    if (!stated || !*stated) return;
    result->environment.device_uuid = result->environment.device_name = external_text(&result->arena, stated);
}

int external_times_add(struct result *result, const char *where, const char *name, const json_t *times,
                       double unit_ns, struct err *err) {
    const size_t count = json_array_size(times);
    if (count > EXTERNAL_TIMES_MAX)
        return err_set(err, ERR_DATA, "%s: '%s' has %zu times; the limit is %zu", where, str_shown(name).text,
                       count, EXTERNAL_TIMES_MAX);
    struct result_case *item = external_case_add(result, name, count);
    for (size_t i = 0; i < count; ++i) {
        const json_t *time = json_array_get(times, i);
        const double value = json_is_number(time) ? json_number_value(time) : NAN;
        if (external_sample_add(item, value * unit_ns, 1, NAN)) continue;
        ++item->left_out_count;
        external_case_refuse(item, REASON_BAD_TIMES, "one of its times is not finite and positive");
    }
    return 0;
}

void external_summary_add(struct result *result, const char *name, double time_ns) {
    struct result_case *item = external_case_add(result, name, 1);
    if (!external_sample_add(item, time_ns, 1, NAN)) {
        ++item->left_out_count;
        external_case_refuse(item, REASON_BAD_TIMES, "its time is not finite and positive");
    }
    external_case_refuse(item, REASON_SUMMARIES_ONLY,
                         "a summary without samples: nothing can be proved from it");
}

int external_end(const char *where, const struct result *result, struct err *err) {
    struct case_index index = case_index_make(result->cases, result->case_count);
    const struct result_case *twice = case_index_duplicate(&index);
    case_index_fini(&index);
    if (!twice) return 0;
    return err_set(err, ERR_DATA, "%s: the benchmark '%s' is there twice; names must be unique", where,
                   str_shown(result_case_name(twice)).text);
}

static int read_items(const struct json_at *at, const char *key,
                      int (*parse)(const struct json_at *at, struct result *result, struct err *err),
                      struct result *result, struct err *err) {
    const json_t *items = NULL;
    size_t count = 0;
    TRY(field_get_items(at, key, RESULT_CASES_MAX, &items, &count, err));
    TRY(external_reserve(at->where, count, result, err));
    for (size_t i = 0; i < count; ++i) {
        struct field_place place;
        field_enter_item(&place, at, key, i, json_array_get(items, i));
        TRY(parse(&place.at, result, err));
    }
    return 0;
}

int external_read(const char *format_name, const struct format_source *source, const char *key,
                  int (*parse)(const struct json_at *at, struct result *result, struct err *err),
                  struct result *ret, struct err *err) {
    const struct json_at at = {source->root, source->where};
    external_begin(format_name, ret);
    int code = key ? read_items(&at, key, parse, ret, err) : external_reserve(source->where, 1, ret, err);
    if (code == 0 && !key) code = parse(&at, ret, err);
    ret->run_id = arena_strdup(&ret->arena, source->where);
    ret->suite = format_name;
    if (code == 0) code = external_end(source->where, ret, err);
    if (code < 0) result_fini(ret);
    return code;
}
