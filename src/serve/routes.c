// SPDX-License-Identifier: Apache-2.0
//
// See routes.h.
#include "serve/routes.h"

#include <string.h>

#include "serve/api_handlers.h"
#include "serve/page_files.h"

// The scripts and styles of pages are files of this server; nothing comes from elsewhere.
#define PAGE_POLICY                                                                                          \
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "    \
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
enum { STATUS_OK = 200, STATUS_NOT_FOUND = 404, STATUS_BAD_METHOD = 405 };

static int answer_file(struct serve_call *call, const char *name, struct err *err) {
    const struct page_file *file = page_file_find(name);
    if (!file) return err_set(err, ERR_NO_INPUT, "there is no file '%s' here", str_shown(name).text);
    call->type = page_file_type(file);
    call->policy = PAGE_POLICY;
    call->fixed = file->bytes;
    call->fixed_length = (size_t)(file->end - file->bytes);
    return 0;
}

static int answer_page(struct serve_call *call, struct err *err) {
    return answer_file(call, PAGE_FRAME, err);
}

static int answer_asset(struct serve_call *call, struct err *err) {
    return answer_file(call, call->item, err);
}

static const struct route routes[] = {
    {"GET", "/", answer_page, LANE_NONE, false, false, false},
    {"GET", "/problems", answer_page, LANE_NONE, false, false, false},
    {"GET", "/history", answer_page, LANE_NONE, false, false, false},
    {"GET", "/run", answer_page, LANE_NONE, false, false, false},
    {"GET", "/compare", answer_page, LANE_NONE, false, false, false},
    {"GET", "/live", answer_page, LANE_NONE, false, false, false},
    {"GET", "/profile", answer_page, LANE_NONE, false, false, false},
    {"GET", "/tuning", answer_page, LANE_NONE, false, false, false},
    {"GET", "/leaderboard", answer_page, LANE_NONE, false, false, false},
    {"GET", "/assets/*", answer_asset, LANE_NONE, false, false, false},
    {"GET", "/api/v1/changes", api_changes, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/problems", api_problems, LANE_HEAVY, true, false, false},
    {"GET", "/api/v1/history", api_history, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/runs", api_runs, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/runs/*", api_run, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/runs/*/document", api_run_document, LANE_HEAVY, true, false, false},
    {"GET", "/api/v1/runs/*/report", api_run_report, LANE_HEAVY, true, false, false},
    {"GET", "/api/v1/compare", api_compare, LANE_HEAVY, true, false, false},
    {"GET", "/api/v1/compare/report", api_compare_report, LANE_HEAVY, true, false, false},
    {"GET", "/api/v1/profiles", api_profiles, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/profiles/*", api_profile, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/profiles/*/document", api_profile_document, LANE_HEAVY, true, false, false},
    {"GET", "/api/v1/profiles/*/roofline", api_profile_roofline, LANE_HEAVY, true, false, false},
    {"GET", "/api/v1/tunings", api_tunings, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/tunings/*", api_tuning, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/tunings/*/document", api_tuning_document, LANE_HEAVY, true, false, false},
    {"GET", "/api/v1/tunings/*/log", api_tuning_log, LANE_HEAVY, true, false, false},
    {"GET", "/api/v1/answers", api_answers, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/answers/*", api_answer, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/answers/*/document", api_answer_document, LANE_HEAVY, true, false, false},
    {"GET", "/api/v1/leaderboard", api_leaderboard, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/baselines", api_baselines, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/facets", api_facets, LANE_LIGHT, true, false, false},
    {"GET", "/api/v1/live", api_live, LANE_LIGHT, false, false, false},
    {"PUT", "/api/v1/results", api_upload, LANE_UPLOAD, true, true, true},
    {"GET", "/metrics", api_metrics, LANE_HEAVY, true, false, false},
};

static bool path_fits(const char *path, const struct request_target *target, const char **ret_item) {
    for (size_t i = 0; i < target->segment_count; ++i) {
        const char *segment = target->segments[i];
        if (*path != '/') return false;
        const size_t length = strcspn(++path, "/");
        if (length == 1 && *path == '*' && *segment)
            *ret_item = segment;
        else if (strlen(segment) != length || strncmp(segment, path, length) != 0)
            return false;
        path += length;
    }
    return !*path;
}

// HEAD is GET without its body, which the carrier leaves out.
static bool method_fits(const struct route *route, const char *method) {
    return str_equal(route->method, method) || (str_equal(method, "HEAD") && str_equal(route->method, "GET"));
}

const struct route *route_find(struct serve_call *call, const char *method, struct err *err) {
    const struct route *other = NULL;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; ++i) {
        if (!path_fits(routes[i].path, &call->target, &call->item)) continue;
        if (method_fits(&routes[i], method)) return &routes[i];
        other = &routes[i];
    }
    call->status = other ? STATUS_BAD_METHOD : STATUS_NOT_FOUND;
    if (other) {
        call->allowed_methods = str_equal(other->method, "GET") ? "GET, HEAD" : other->method;
        err_set(err, ERR_NO_INPUT, "this takes %s only", call->allowed_methods);
    } else {
        err_set(err, ERR_NO_INPUT, "there is nothing here: docs/serve.md lists what there is");
    }
    return NULL;
}

// What a visitor of the problems asks first. With a filter, or with more rows, it may look at every run.
static bool is_first_page(const struct request_target *target) {
    const char *limit = request_parameter(target, "limit");
    unsigned long long rows = 0;
    size_t plain_count = limit ? 1 : 0;
    if (request_parameter(target, "offset")) ++plain_count;
    return target->parameter_count == plain_count &&
           (!limit || (str_parse_u64(limit, &rows) == 0 && rows <= CALL_ROWS_DEFAULT));
}

enum lane route_lane(const struct route *route, const struct request_target *target) {
    return route->answer == api_problems && is_first_page(target) ? LANE_LIGHT : route->lane;
}

static unsigned status_of(int code) {
    switch (-code) {
    case ERR_USAGE: return 400;
    case ERR_NO_INPUT: return STATUS_NOT_FOUND;
    case ERR_DATA: return 422;
    case ERR_UNAVAILABLE: return 503;
    default: return 500;
    }
}

void route_refuse(struct serve_call *call, int code, const struct err *err) {
    if (call->status < 400) call->status = status_of(code);
    call_set_error(call, err);
}

void route_answer(const struct route *route, struct serve_call *call, struct err *err) {
    int code = route->needs_store ? store_pool_take(call->serve->stores, &call->store, err) : 0;
    if (code == 0) code = route->answer(call, err);
    store_pool_give(call->serve->stores, call->store, code == -ERR_UNAVAILABLE);
    call->store = NULL;
    if (code < 0)
        route_refuse(call, code, err);
    else if (!call->status)
        call->status = STATUS_OK;
}
