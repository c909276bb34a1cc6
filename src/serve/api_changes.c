// SPDX-License-Identifier: Apache-2.0
//
// What changed: the change points of all problems and sides, the newest first.
#include <string.h>

#include "serve/api_handlers.h"
#include "serve/change_members.h"
#include "serve/kept_changes.h"

enum direction { DIRECTION_ANY, DIRECTION_SLOWER, DIRECTION_FASTER };

struct change_filter {
    struct call_filter call;
    enum direction direction;
};

static int read_direction(const struct serve_call *call, enum direction *ret, struct err *err) {
    const char *text = request_parameter(&call->target, "direction");
    *ret = DIRECTION_ANY;
    if (!text) return 0;
    if (!str_equal(text, "slower") && !str_equal(text, "faster"))
        return err_set(err, ERR_USAGE, "direction is slower or faster, not '%s'", str_shown(text).text);
    *ret = str_equal(text, "slower") ? DIRECTION_SLOWER : DIRECTION_FASTER;
    return 0;
}

static int read_filter(struct serve_call *call, struct change_filter *ret, struct err *err) {
    TRY(call_filter_read(call, &ret->call, err));
    TRY(read_direction(call, &ret->direction, err));
    ret->call.store.metric = request_parameter(&call->target, "metric");
    if (ret->call.verdict)
        return err_set(err, ERR_USAGE, "a change has no verdict: direction=slower or direction=faster");
    return 0;
}

static bool is_or_any(const char *wanted, const char *value) {
    return !wanted || str_equal(wanted, value);
}

// Branch, suite and time are those of the first run at the new level.
static bool run_fits(const struct stored_run *run, const struct store_filter *filter) {
    return is_or_any(filter->branch, run->branch) && is_or_any(filter->suite, run->suite) &&
           is_or_any(filter->metric, run->metric) &&
           (is_or_any(filter->device, run->device_uuid) || is_or_any(filter->device, run->device)) &&
           (!filter->since_utc || strcmp(run->created_utc, filter->since_utc) >= 0);
}

static bool fits(const struct stored_change *change, const struct change_filter *filter) {
    const bool is_slower = change->step.change_pct > 0;
    if (filter->direction == DIRECTION_SLOWER && !is_slower) return false;
    if (filter->direction == DIRECTION_FASTER && is_slower) return false;
    if (filter->call.text && !strstr(change->problem, filter->call.text)) return false;
    const char *side = filter->call.store.side;
    return (is_or_any(side, change->side) || is_or_any(side, change->kernel)) &&
           run_fits(change->after, &filter->call.store);
}

// Those that fit, in their order.
struct chosen {
    const struct stored_change **items;
    size_t count, slower_count;
};

static struct chosen choose(struct serve_call *call, const struct store_changes *changes,
                            const struct change_filter *filter) {
    struct chosen chosen = {.items = arena_array(&call->arena, changes->count + 1, sizeof *chosen.items)};
    for (size_t i = 0; i < changes->count; ++i) {
        if (!fits(&changes->items[i], filter)) continue;
        chosen.items[chosen.count++] = &changes->items[i];
        chosen.slower_count += changes->items[i].step.change_pct > 0;
    }
    return chosen;
}

static bool is_between_same(const struct stored_change *a, const struct stored_change *b) {
    return a->before == b->before && a->after == b->after;
}

// How many of them lie between the same two runs: they are neighbours.
static size_t count_step(const struct chosen *chosen, size_t place) {
    size_t begin = place, end = place + 1;
    while (begin > 0 && is_between_same(chosen->items[begin - 1], chosen->items[place])) --begin;
    while (end < chosen->count && is_between_same(chosen->items[end], chosen->items[place])) ++end;
    return end - begin;
}

static void write_change(const struct stored_change *change, size_t step_count, struct json_writer *w) {
    const struct stored_run *after = change->after;
    json_object_begin(w, NULL);
    json_write_string(w, "problem", change->problem);
    json_write_string(w, "side", change->side);
    json_write_string(w, "kernel", change->kernel);
    json_write_string(w, "metric", after->metric);
    json_write_string(w, "suite", after->suite);
    json_write_string(w, "branch", after->branch);
    json_write_string(w, "device_uuid", after->device_uuid);
    json_write_string(w, "device", after->device);
    json_write_string(w, "driver", after->driver);
    change_write_runs(change->before, after, w);
    change_write_size(&change->step, w);
    json_write_u64(w, "result_count", change->result_count);
    json_write_u64(w, "step_count", step_count);
    json_object_end(w);
}

static void write_chosen(const struct chosen *chosen, const struct call_filter *filter,
                         struct json_writer *w) {
    size_t step_count = 0;
    json_array_begin(w, "changes");
    for (size_t i = filter->offset; i < chosen->count && i - filter->offset < filter->limit; ++i) {
        const bool is_next = i == filter->offset || !is_between_same(chosen->items[i - 1], chosen->items[i]);
        if (is_next) step_count = count_step(chosen, i);
        write_change(chosen->items[i], step_count, w);
    }
    json_array_end(w);
    json_write_u64(w, "total", chosen->count);
    json_write_u64(w, "slower_count", chosen->slower_count);
    json_write_u64(w, "faster_count", chosen->count - chosen->slower_count);
}

int api_changes(struct serve_call *call, struct err *err) {
    struct change_filter filter;
    const struct store_changes *changes = NULL;
    TRY(read_filter(call, &filter, err));
    TRY(kept_changes_take(call->serve->changes, call->store, &changes, err));
    const struct chosen chosen = choose(call, changes, &filter);
    struct json_writer w = call_json_begin(call);
    write_chosen(&chosen, &filter.call, &w);
    json_write_u64(&w, "side_count", changes->side_count);
    call_json_end(call, &w);
    kept_changes_give(call->serve->changes, changes);
    return 0;
}
