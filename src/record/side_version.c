// SPDX-License-Identifier: Apache-2.0
//
// See side_version.h.
#include "record/side_version.h"

#include <string.h>

#include "base/str.h"

static bool is_shipped(const struct result_side *side) {
    return !side->module_path && !side->python_path && !side->sim && side->kernel;
}

bool side_version_is(const char *version, const char *wanted) {
    const size_t length = strlen(wanted);
    return strncmp(version, wanted, length) == 0 && (!version[length] || strchr(".+-", version[length]));
}

int side_version_take(struct result_side *side, const char *version, struct arena *arena, struct err *err) {
    if (!is_shipped(side) || !str_starts(side->label, side->kernel)) return 0;
    if (side->version && !side_version_is(version, side->version))
        return err_set(
            err, ERR_UNAVAILABLE,
            "peer '%s' is version %s here, not %s; name the library that you mean (docs/peers.md), "
            "or ask for %s@%s",
            side->kernel, version, side->version, side->kernel, version);
    // Behind the name and the version asked for may stand more: "cudnn@9 (A)".
    const char *rest = side->label + strlen(side->kernel);
    if (side->version) rest += 1 + strlen(side->version);
    side->label = arena_format(arena, "%s@%s%s", side->kernel, version, rest);
    side->version = arena_strdup(arena, version);
    return 0;
}
