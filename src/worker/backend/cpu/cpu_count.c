// SPDX-License-Identifier: Apache-2.0
//
// Counts perf events over launches: one launch for each event.
#include "worker/backend/cpu/cpu_count.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/comma.h"
#include "base/mem.h"
#include "base/str.h"
#include "worker/backend/counters.h"
#include "worker/backend/cpu/perf_events.h"

enum { REASONS_MAX = 8 };

// Events that were not counted, by reason.
struct uncounted {
    size_t count;
    struct {
        char reason[sizeof((struct err *)0)->text];
        struct strbuf names;
    } items[REASONS_MAX];
};

static void uncounted_add(struct uncounted *uncounted, const char *reason, const char *name) {
    size_t at = 0;
    while (at < uncounted->count && !str_equal(uncounted->items[at].reason, reason)) ++at;
    if (at == REASONS_MAX) --at;
    if (at == uncounted->count) {
        snprintf(uncounted->items[at].reason, sizeof uncounted->items[at].reason, "%s", reason);
        ++uncounted->count;
    }
    comma_add(&uncounted->items[at].names, name);
}

static int uncounted_note(const struct uncounted *uncounted, const struct counter_request *request,
                          struct err *err) {
    struct strbuf text = {0};
    int code = 0;
    for (size_t i = 0; i < uncounted->count && code == 0; ++i) {
        strbuf_clear(&text);
        strbuf_addf(&text, "not counted: %s: %s", strbuf_text(&uncounted->items[i].names),
                    uncounted->items[i].reason);
        code = request->on_note(request->arg, strbuf_text(&text), err);
    }
    strbuf_fini(&text);
    return code;
}

static int count_one(const struct counter_request *request, const char *name, struct counter *ret,
                     struct err *err) {
    const struct perf_event *event = perf_event_find(name);
    struct perf_count *count = NULL;
    uint64_t value = 0;
    if (!event) return err_set(err, ERR_UNAVAILABLE, "this make of processor has no such event");
    TRY(perf_count_begin(event, &count, err));
    const int code = request->launch(request->arg, err);
    TRY(perf_count_end(count, &value, code < 0 ? NULL : err));
    *ret = (struct counter){name, (double)value};
    return code;
}

static int count_all(const struct counter_request *request, struct launch_counters *counted,
                     struct uncounted *uncounted, struct err *err) {
    TRY(request->launch(request->arg, err)); // touches what is touched first
    for (size_t i = 0; i < request->name_count; ++i) {
        struct err why = {0};
        const int code =
            count_one(request, request->names[i], &counted->counters[counted->counter_count], &why);
        if (code == 0)
            ++counted->counter_count;
        else if (code == -ERR_UNAVAILABLE)
            uncounted_add(uncounted, why.text, request->names[i]);
        else
            return err_set(err, why.code, "%s", why.text);
    }
    TRY(uncounted_note(uncounted, request, err));
    return counted->counter_count ? 0
                                  : err_set(err, ERR_UNAVAILABLE,
                                            "this machine counts none of the events: %s; timing still works",
                                            uncounted->items[0].reason);
}

int cpu_count(struct device *device, const struct counter_request *request, struct err *err) {
    struct uncounted *uncounted = mem_alloc(sizeof *uncounted);
    struct launch_counters counted = {.counters =
                                          mem_alloc((request->name_count + 1) * sizeof *counted.counters)};
    (void)device;
    int code = count_all(request, &counted, uncounted, err);
    if (code == 0) code = request->on_counted(request->arg, &counted, err);
    for (size_t i = 0; i < uncounted->count; ++i) strbuf_fini(&uncounted->items[i].names);
    free(uncounted);
    free(counted.counters);
    return code;
}
