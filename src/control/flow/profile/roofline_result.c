// SPDX-License-Identifier: Apache-2.0
//
// See roofline_result.h.
#include "control/flow/profile/roofline_result.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "control/flow/ceilings.h"
#include "control/flow/profile/profile_files.h"
#include "verdict/summary.h"

enum { DATE_CHARACTERS = 10 }; // of "2026-11-21T12:00:00Z"

// ---- roofs ----

// Which problems reach a rate. On a GPU fp32 multiply-adds limit problems in fp32 alone; a processor converts
// other types to fp32.
static const char *dtype_of(const struct ceiling_kind *kind, bool is_accelerator) {
    if (!is_accelerator || ceiling_is_of_bytes(kind)) return NULL;
    if (kind->limit == CEILING_OF_ARITHMETIC) return "fp32";
    return str_or(kind->dtype, kind->key); // a matrix rate that no type of ours has
}

static size_t add_ceilings(const struct ceiling *ceilings, size_t count, bool is_accelerator,
                           struct roof *roofs, struct arena *arena) {
    size_t added = 0;
    for (size_t i = 0; i < count; ++i) {
        const struct ceiling_kind *kind = ceiling_kind_find(ceilings[i].name);
        const char *date = ceilings[i].measured_utc;
        if (!kind) continue;
        roofs[added++] = (struct roof){
            .name = kind->label,
            .is_bandwidth = ceiling_is_of_bytes(kind),
            .level = kind->limit == CEILING_OF_CACHE ? LEVEL_L2 : LEVEL_DRAM,
            .value = ceilings[i].value,
            .dtype = dtype_of(kind, is_accelerator),
            .measured = date ? arena_strndup(arena, date, strnlen(date, DATE_CHARACTERS)) : NULL};
    }
    return added;
}

// Of a result that has two figures instead of a list.
static size_t add_figures(const struct environment *environment, struct roof *roofs) {
    size_t count = 0;
    if (environment->ceiling_gflop_per_s > 0)
        roofs[count++] = (struct roof){.name = "arithmetic", .value = environment->ceiling_gflop_per_s};
    if (environment->ceiling_gb_per_s > 0)
        roofs[count++] =
            (struct roof){.name = "DRAM", .is_bandwidth = true, .value = environment->ceiling_gb_per_s};
    return count;
}

// Those that the result was checked against, else what is stored for its device by now.
void roofline_add_roofs(struct roofline *roofline, const struct result *result, struct arena *arena) {
    const struct environment *environment = &result->environment;
    const struct ceiling *ceilings = environment->ceilings;
    size_t ceiling_count = environment->ceiling_count;
    // The UUID of a foreign file names no other file.
    if (!ceiling_count && environment->device_uuid && !strchr(environment->device_uuid, '/'))
        ceilings = ceilings_find(environment, arena, &ceiling_count);
    struct roof *roofs = arena_array(arena, ceiling_count + 2, sizeof *roofs);
    size_t count = add_ceilings(ceilings, ceiling_count, environment->is_accelerator, roofs, arena);
    if (count == 0) count = add_figures(environment, roofs);
    roofline->device = arena_strdup(arena, environment->device_name);
    roofline->roofs = roofs;
    roofline->roof_count = count;
}

// ---- points ----

// -1: no memory. *ret_is_measured false: nothing to draw.
static int point_of(const struct result *result, const struct result_case *item, uint32_t side,
                    const struct profile *profile, struct roofline_point *ret, bool *ret_is_measured) {
    struct summary summary;
    if (summary_get(result, item, side, &summary) < 0) return -1;
    const double flop = item->work.flop_count, time_ns = summary.figures.median_ns;
    *ret_is_measured = summary.figures.is_set && isfinite(flop) && isfinite(summary.figures.gflop_per_s);
    if (!*ret_is_measured) return 0;
    *ret = profile ? roofline_point_counted(profile, flop, time_ns)
                   : roofline_point_modelled(flop, item->work.compulsory_bytes, time_ns);
    if (!profile) ret->has_byte_ceiling = summary_has_byte_ceiling(&result->environment);
    ret->problem = result_case_name(item);
    ret->kernel = result->sides[side].label;
    ret->dtype = item->work.dtype;
    return 0;
}

int roofline_of_case(const struct result *result, const struct result_case *item, uint32_t side,
                     const struct profile *profile, struct arena *arena, struct roofline *ret) {
    const struct profile *const profiles[] = {NULL, profile};
    struct roofline_point *points = arena_array(arena, 2, sizeof *points);
    *ret = (struct roofline){.points = points};
    for (size_t i = 0; i < (profile ? 2 : 1); ++i) {
        bool is_measured = false;
        if (point_of(result, item, side, profiles[i], &points[ret->point_count], &is_measured) < 0) return -1;
        ret->point_count += is_measured;
    }
    roofline_add_roofs(ret, result, arena);
    return 0;
}

int roofline_place_case(const struct result *result, const struct result_case *item, uint32_t side,
                        const struct profile *profile, struct arena *arena, struct roofline_place *ret) {
    struct roofline roofline = {0};
    struct roofline_point point;
    bool is_measured = false;
    if (point_of(result, item, side, profile, &point, &is_measured) < 0) return -1;
    *ret = (struct roofline_place){.flop_per_byte = NAN, .efficiency_pct = NAN};
    if (!is_measured) return 0;
    roofline_add_roofs(&roofline, result, arena);
    *ret = roofline_place(&roofline, &point, arena);
    return 0;
}

// ---- a result ----

struct gathering {
    const struct result *result;
    const struct roofline_request *request;
    struct arena *arena;
    struct roofline_point *points;
    size_t count, page_count;
    bool has_side[WORK_SIDES_MAX];
};

static int gather_point(struct gathering *g, const struct result_case *item, uint32_t side,
                        const struct profile *profile, struct err *err) {
    bool is_measured = false;
    if (point_of(g->result, item, side, profile, &g->points[g->count], &is_measured) < 0)
        return err_set(err, ERR_INTERNAL, "no memory for the figures of %s", item->problem.name);
    g->count += is_measured;
    return 0;
}

static const char *file_name_of(const struct result_case *item, struct arena *arena) {
    char key[PROBLEM_KEY_BYTES];
    return profile_file_name(item->short_name, result_case_key(item, key), arena);
}

// The page of a case, if the folder has one.
static int gather_counted(struct gathering *g, const struct result_case *item, uint32_t side,
                          struct err *err) {
    const char *path =
        arena_format(g->arena, "%s/%s.csv", g->request->profile_folder, file_name_of(item, g->arena));
    struct profile *profile = arena_alloc(g->arena, sizeof *profile);
    struct nsight_report report;
    if (!file_exists(path)) return 0;
    TRY(nsight_csv_read(path, g->arena, &report, err));
    *profile = profile_from_nsight(&report.launches[0]);
    ++g->page_count;
    return gather_point(g, item, side, profile, err);
}

static int choose_sides(struct gathering *g, struct err *err) {
    const char *name = g->request->side;
    size_t count = 0;
    for (uint32_t i = 0; i < g->result->side_count; ++i) {
        const struct result_side *side = &g->result->sides[i];
        g->has_side[i] = !name || str_equal(name, side->label) || str_equal(name, side->kernel) ||
                         str_equal(name, side_role_name(side->role));
        count += g->has_side[i];
    }
    if (count == 0) return err_set(err, ERR_USAGE, "no side is called '%s'", str_shown(name).text);
    if (count > 1 && g->request->profile_folder)
        return err_set(err, ERR_USAGE,
                       "a profile is of one kernel, and the result has %zu: name it with --side", count);
    return 0;
}

int roofline_from_result(const struct result *result, const struct roofline_request *request,
                         struct arena *arena, struct roofline *ret, struct err *err) {
    struct gathering g = {.result = result, .request = request, .arena = arena};
    const char *folder = request->profile_folder;
    g.points = arena_array(arena, 2 * result->case_count * result->side_count + 1, sizeof *g.points);
    TRY(choose_sides(&g, err));
    for (size_t i = 0; i < result->case_count; ++i)
        for (uint32_t side = 0; side < result->side_count; ++side) {
            if (!g.has_side[side]) continue;
            TRY(gather_point(&g, &result->cases[i], side, NULL, err));
            if (folder) TRY(gather_counted(&g, &result->cases[i], side, err));
        }
    if (folder && !g.page_count)
        return err_set(
            err, ERR_NO_INPUT,
            "%s has no page of a problem of this result, such as %s.csv: 'assay profile' writes them", folder,
            result->case_count ? file_name_of(&result->cases[0], arena) : "s512");
    if (!g.count)
        return err_set(
            err, ERR_DATA,
            "nothing in this result has a time and FLOP of an operator: there is no point to draw");
    *ret = (struct roofline){.points = g.points, .point_count = g.count};
    roofline_add_roofs(ret, result, arena);
    return 0;
}
