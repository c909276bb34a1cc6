// SPDX-License-Identifier: Apache-2.0
#include "control/flow/publish_result.h"

#include <stdlib.h>

#include "control/compile/revision.h"
#include "control/compile/revision_change.h"

static const struct result_side *side_of(const struct result *result, enum side_role role) {
    for (size_t i = 0; i < result->side_count; ++i)
        if (result->sides[i].role == role) return &result->sides[i];
    return NULL;
}

static const char *source_of(const struct manifest *manifest, const struct result_side *side) {
    for (size_t i = 0; side && i < manifest->kernel_count; ++i)
        if (str_equal(manifest->kernels[i].name, side->kernel)) return manifest->kernels[i].source;
    return NULL;
}

// The candidate's file, as the repository names it, and its first changed line.
static void find_source(const struct session *session, struct arena *arena, struct publication *what) {
    const struct manifest *manifest = &session->manifest;
    const struct result_side *baseline = side_of(what->result, SIDE_BASELINE);
    const char *source = source_of(manifest, side_of(what->result, SIDE_CANDIDATE));
    char *prefix = source ? revision_prefix(manifest->dir) : NULL;
    if (!prefix) return;
    what->source = arena_format(arena, "%s%s", prefix, source);
    if (baseline && baseline->revision)
        what->line = revision_first_change(manifest->dir, baseline->revision, source);
    free(prefix);
}

int publish_result(const struct session *session, const struct publish_request *request,
                   const struct result *result, struct arena *arena, struct published *ret, struct err *err) {
    struct publication what = {.result = result};
    if (session && session->has_manifest) find_source(session, arena, &what);
    return code_host_publish(request, &what, arena, ret, err);
}
