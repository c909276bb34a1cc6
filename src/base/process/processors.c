// SPDX-License-Identifier: Apache-2.0
//
// See processors.h.
#include "base/process/processors.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/comma.h"

// "3": *at moves behind it.
static bool read_number(const char **at, const char *end, int *ret) {
    int number = 0;
    const char *first = *at;
    for (; *at < end && isdigit((unsigned char)**at); ++*at) {
        number = number * 10 + (**at - '0');
        if (number >= CPU_SETSIZE) return false;
    }
    *ret = number;
    return *at > first;
}

// "3" or "0-3".
static bool read_range(struct comma_item item, int *ret_first, int *ret_last) {
    const char *at = item.text, *end = item.text + item.length;
    if (!read_number(&at, end, ret_first)) return false;
    *ret_last = *ret_first;
    if (at == end) return true;
    if (*at++ != '-' || !read_number(&at, end, ret_last)) return false;
    return at == end && *ret_first <= *ret_last;
}

void processors_format(const cpu_set_t *processors, struct strbuf *out) {
    bool is_empty = true;
    for (int first = 0; first < CPU_SETSIZE; ++first) {
        if (!CPU_ISSET((size_t)first, processors)) continue;
        int last = first;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, processors)) ++last;
        strbuf_addf(out, "%s%d", is_empty ? "" : ",", first);
        if (last > first) strbuf_addf(out, "-%d", last);
        is_empty = false;
        first = last;
    }
}

static int refuse_processor(int processor, const cpu_set_t *allowed, struct err *err) {
    struct strbuf text = {0};
    processors_format(allowed, &text);
    const int code = err_set(err, ERR_USAGE, "processor %d is not one that this process may use: %s",
                             processor, strbuf_text(&text));
    strbuf_fini(&text);
    return code;
}

int processors_parse(const char *list, cpu_set_t *ret, struct err *err) {
    cpu_set_t allowed;
    struct comma_item item;
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot ask which processors we may use");
    if (!list) *ret = allowed;
    if (!list) return 0;
    CPU_ZERO(ret);
    for (const char *at = list; comma_next(&at, &item);) {
        int first, last;
        if (!read_range(item, &first, &last))
            return err_set(err, ERR_USAGE, "'%.*s' is no processor; a list of them is 0-3,6",
                           (int)(item.length < 40 ? item.length : 40), item.text);
        for (int i = first; i <= last; ++i) {
            if (!CPU_ISSET((size_t)i, &allowed)) return refuse_processor(i, &allowed, err);
            CPU_SET((size_t)i, ret);
        }
    }
    return 0;
}

int processors_allow(const char *list, struct err *err) {
    cpu_set_t processors;
    TRY(processors_parse(list, &processors, err));
    if (sched_setaffinity(0, sizeof processors, &processors) == 0) return 0;
    return err_set_errno(err, ERR_UNAVAILABLE, "the system does not let us run on processors %s only", list);
}
