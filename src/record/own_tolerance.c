// SPDX-License-Identifier: Apache-2.0
//
// See own_tolerance.h.
#include "record/own_tolerance.h"

#include <math.h>

#include "base/comma.h"
#include "base/strbuf.h"

// Of elements that may fail, none may be further off than this many times the tolerance, so that they cannot
// be a row that was never written. The same as where an operator lets a share fail.
#define FAR_FACTOR 4

static int tolerance_check(const struct json_at *at, const void *object, struct err *err) {
    if (own_tolerance_asks(object)) return 0;
    return err_set(err, ERR_DATA,
                   "%s: a tolerance without atol, rtol, min_pass and is_two_x_off changes nothing",
                   at->where);
}

#define OWN(m, ...) MEMBER(struct own_tolerance, #m, m, __VA_ARGS__)
static const struct member members[] = {
    OWN(atol, "Absolute tolerance; absent: the operator's.", 0, MEMBER_FROM_TO(0, OWN_TOLERANCE_ATOL_MAX)),
    OWN(rtol, "Relative tolerance; absent: the operator's.", 0, MEMBER_FROM_TO(0, OWN_TOLERANCE_RTOL_MAX)),
    OWN(min_pass, "Share of the elements that must pass; absent: the operator's.", 0,
        MEMBER_FROM_TO(OWN_TOLERANCE_MIN_PASS_MIN, 1)),
    OWN(max_error, "Most error of any element; absent: no limit.", 0,
        MEMBER_FROM_TO(0, OWN_TOLERANCE_ATOL_MAX)),
    OWN(is_two_x_off, "The 2 x rule was left out."),
    OWN(why, "The reason that the manifest gives.", MEMBER_REQUIRED),
};
const struct member_table own_tolerance_members =
    MEMBER_TABLE(struct own_tolerance, "own_tolerance", members, .check = tolerance_check,
                 .sentence = "What the manifest asks in place of the operator's tolerance, and why.");

struct own_tolerance own_tolerance_unknown(void) {
    return (struct own_tolerance){.atol = NAN, .rtol = NAN, .min_pass = NAN, .max_error = NAN};
}

bool own_tolerance_asks(const struct own_tolerance *tolerance) {
    return isfinite(tolerance->atol) || isfinite(tolerance->rtol) || isfinite(tolerance->min_pass) ||
           isfinite(tolerance->max_error) || tolerance->is_two_x_off;
}

const struct own_tolerance *own_tolerance_copy(struct arena *arena, const struct own_tolerance *tolerance) {
    if (!tolerance) return NULL;
    struct own_tolerance *copy = arena_alloc(arena, sizeof *copy);
    *copy = *tolerance;
    members_own(&own_tolerance_members, arena, copy);
    return copy;
}

const struct own_tolerance *own_tolerance_choose(const struct own_tolerance *const *policy,
                                                 const struct own_tolerance *own,
                                                 const struct own_tolerance *suite) {
    if (policy) own = *policy;
    return own ? own : suite;
}

void own_tolerance_apply(const struct own_tolerance *own, struct op_tolerance *tolerance) {
    if (!own) return;
    if (isfinite(own->atol)) tolerance->atol = own->atol;
    if (isfinite(own->rtol)) tolerance->rtol = own->rtol;
    // The limit of the relative L2 error belongs to the operator's own two numbers.
    if (isfinite(own->atol) || isfinite(own->rtol)) tolerance->rel_l2_max = INFINITY;
    if (isfinite(own->min_pass)) {
        tolerance->min_pass_fraction = own->min_pass;
        tolerance->far_factor = FAR_FACTOR;
    }
    if (isfinite(own->max_error)) tolerance->max_error = own->max_error;
    if (own->is_two_x_off) tolerance->is_two_x_gated = false;
}

const char *own_tolerance_text(const struct own_tolerance *tolerance, struct arena *arena) {
    if (!tolerance) return NULL;
    struct strbuf text = {0};
    if (isfinite(tolerance->atol)) comma_addf(&text, "atol %.6g", tolerance->atol);
    if (isfinite(tolerance->rtol)) comma_addf(&text, "rtol %.6g", tolerance->rtol);
    if (isfinite(tolerance->min_pass)) comma_addf(&text, "%.6g %% must pass", 100 * tolerance->min_pass);
    if (isfinite(tolerance->max_error)) comma_addf(&text, "no error above %.6g", tolerance->max_error);
    if (tolerance->is_two_x_off) comma_add(&text, "no 2 x rule");
    const char *ret = arena_format(arena, "%s: %s", strbuf_text(&text), tolerance->why);
    strbuf_fini(&text);
    return ret;
}
