// SPDX-License-Identifier: Apache-2.0
//
// Another tool's benchmark as a case of a result: names, times as integers, reasons not to compare a case.
#include "control/format/external_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "record/case_index.h"

#define TEXT_SHOWN_BYTES 512
#define HASH_SUFFIX      17   // "~" and 16 digits
#define DURATION_NS_MAX  4e18 // fits an int64_t
#define ROUNDING_MIN_NS  1e6  // half a nanosecond is less than one millionth of this
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

int external_end(const char *where, const struct result *result, struct err *err) {
    struct case_index index = case_index_make(result->cases, result->case_count);
    const struct result_case *twice = case_index_duplicate(&index);
    case_index_fini(&index);
    if (!twice) return 0;
    return err_set(err, ERR_DATA, "%s: the benchmark '%s' is there twice; names must be unique", where,
                   str_shown(result_case_name(twice)).text);
}
