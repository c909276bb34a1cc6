// SPDX-License-Identifier: Apache-2.0
//
// The key `tolerance` of a kernel or a suite: what is asked in place of the operator's rule, and why.
#include <ctype.h>
#include <math.h>

#include "base/str.h"
#include "control/plan/manifest/manifest_internal.h"

// One name for the rule's only setting: "on" is what there is without the key.
static int bind_two_x(const struct schema_reader *reader, yaml_node_t *node, const char *key, void *target) {
    struct own_tolerance *tolerance = target;
    const char *text;
    TRY(schema_text(reader, node, key, &text));
    tolerance->is_two_x_off = str_equal(text, "off");
    if (tolerance->is_two_x_off || str_equal(text, "on")) return 0;
    return schema_fail(reader, node, key, "is on or off, not '%s'", text);
}

#define NUMBER(member_, min_, max_, sample_)                                                                 \
    SCHEMA_FIELD(struct own_tolerance, member_, SCHEMA_NUMBER, min_, max_, sample_)
static const struct schema_field tolerance_fields[] = {
    NUMBER(atol, 0, OWN_TOLERANCE_ATOL_MAX, "2e-3"),
    NUMBER(rtol, 0, OWN_TOLERANCE_RTOL_MAX, "1e-3"),
    NUMBER(min_pass, OWN_TOLERANCE_MIN_PASS_MIN, 1, "0.999"),
    {.key = "two_x", .kind = SCHEMA_BOUND, .bind = bind_two_x, .example = "two_x: off"},
    SCHEMA_FIELD(struct own_tolerance, why, SCHEMA_TEXT, 0, 0, "\"V is accumulated in fp16\""),
};

static bool says_something(const char *text) {
    for (; text && *text; ++text)
        if (isgraph((unsigned char)*text) || (unsigned char)*text >= 0x80) return true;
    return false;
}

int manifest_bind_tolerance(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                            const struct own_tolerance **ret) {
    struct own_tolerance *tolerance = arena_alloc(reader->arena, sizeof *tolerance);
    *tolerance = own_tolerance_unknown();
    TRY(schema_bind(reader, node, key, tolerance_fields, sizeof tolerance_fields / sizeof *tolerance_fields,
                    tolerance));
    if (!says_something(tolerance->why))
        return schema_fail(reader, node, key,
                           "needs a reason, which every report shows: '" MANIFEST_TOLERANCE_EXAMPLE "'");
    if (!own_tolerance_asks(tolerance))
        return schema_fail(reader, node, key,
                           "has a reason and changes nothing; give atol, rtol, min_pass or 'two_x: off'");
    *ret = tolerance;
    return 0;
}
