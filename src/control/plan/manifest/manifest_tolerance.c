// SPDX-License-Identifier: Apache-2.0
//
// The key `tolerance` of a kernel or a suite: what is asked in place of the operator's rule, and why.
#include <ctype.h>
#include <math.h>

#include "base/str.h"
#include "control/plan/manifest/manifest_internal.h"

static const char *const two_x_words[] = {"on", "off", NULL};

#define NUMBER(member_, min_, max_, ...)                                                                     \
    SCHEMA_FIELD(struct own_tolerance, member_, SCHEMA_NUMBER, min_, max_, __VA_ARGS__)
static const struct schema_field tolerance_fields[] = {
    NUMBER(atol, 0, OWN_TOLERANCE_ATOL_MAX, "2e-3", .fallback = "the operator's",
           .meaning =
               "An element passes when its error is at most `atol + rtol x reference`; for every output. "
               "With either, the operator's limit of the relative L2 error does not apply."),
    NUMBER(rtol, 0, OWN_TOLERANCE_RTOL_MAX, "1e-3", .fallback = "the operator's",
           .meaning = "The part that grows with the reference, see `atol`."),
    NUMBER(min_pass, OWN_TOLERANCE_MIN_PASS_MIN, 1, "0.999", .fallback = "the operator's",
           .meaning = "Share of the elements that must pass. The others may be off by at most 4 times the "
                      "tolerance."),
    {.key = "two_x",
     .kind = SCHEMA_SWITCH,
     .offset = offsetof(struct own_tolerance, is_two_x_off),
     .words = two_x_words,
     .example = "two_x: off",
     .fallback = "`on`",
     .meaning = "`off`: the 2 x rule does not apply."},
    SCHEMA_FIELD(
        struct own_tolerance, why, SCHEMA_TEXT, 0, 0, "\"V is accumulated in fp16\"", .fallback = "required",
        .meaning = "The reason. Every report shows it: text, Markdown, HTML and the result document."),
};
// The reason is asked for by a sentence of its own.
const struct schema_table manifest_tolerance_table =
    SCHEMA_TABLE(tolerance_fields, "tolerance",
                 .rule = "{\"allOf\": [{\"required\": [\"why\"]}, {\"anyOf\": [{\"required\": [\"atol\"]}, "
                         "{\"required\": [\"rtol\"]}, {\"required\": [\"min_pass\"]}, {\"properties\": "
                         "{\"two_x\": {\"const\": \"off\"}}, \"required\": [\"two_x\"]}]}]}");

static bool says_something(const char *text) {
    for (; text && *text; ++text)
        if (isgraph((unsigned char)*text) || (unsigned char)*text >= 0x80) return true;
    return false;
}

int manifest_bind_tolerance(const struct schema_reader *reader, yaml_node_t *node, const char *key,
                            void *target) {
    struct own_tolerance *tolerance = arena_alloc(reader->arena, sizeof *tolerance);
    *tolerance = own_tolerance_unknown();
    TRY(schema_bind(reader, node, key, &manifest_tolerance_table, tolerance));
    if (!says_something(tolerance->why))
        return schema_fail(reader, node, key,
                           "needs a reason, which every report shows: '" MANIFEST_TOLERANCE_EXAMPLE "'");
    if (!own_tolerance_asks(tolerance))
        return schema_fail(reader, node, key,
                           "has a reason and changes nothing; give atol, rtol, min_pass or 'two_x: off'");
    *(const struct own_tolerance **)target = tolerance;
    return 0;
}
