// SPDX-License-Identifier: Apache-2.0
//
// The older `integrated` form, as one form among others: means without samples, read and compared by
// control/verdict/integrated.h.
#include "control/format/format.h"

static bool is_mine(const json_t *root) {
    bool has_times = json_is_object(json_object_get(root, "performance")) ||
                     json_is_object(json_object_get(root, "metrics"));
    return has_times && !json_object_get(root, "kind") && !json_object_get(root, "schema_version");
}

const struct format format_integrated = {
    .name = "integrated",
    .title = "an older integrated result",
    .summary = "the older form with one mean (\"correctness\" and \"performance\" or \"metrics\")",
    .is_mine = is_mine,
};
