// SPDX-License-Identifier: Apache-2.0
//
// Which file what a gate holds against a kernel belongs to: the kernel's, at its first line that differs from
// the baseline's revision.
#include <stdlib.h>

#include "control/compile/revision.h"
#include "control/compile/revision_change.h"
#include "control/flow/gate/gate_internal.h"
#include "control/flow/gate/gate_run.h"

// NULL: the kernel is no file of the manifest's (a library, a function in Python, one of assay's own).
static const char *source_of(const struct manifest *manifest, const char *kernel) {
    for (size_t i = 0; i < manifest->kernel_count; ++i)
        if (str_equal(manifest->kernels[i].name, kernel)) return manifest->kernels[i].source;
    return NULL;
}

static struct source_place find_place(const struct gate *gate, struct arena *arena) {
    const struct manifest *manifest = &gate->session.manifest;
    const struct result *result = &gate->run.result;
    const char *source = source_of(manifest, result->sides[gate->cand_side].kernel);
    const char *revision = gate->is_stored_baseline ? NULL : result->sides[gate->base_side].revision;
    char *prefix = source ? revision_prefix(manifest->dir) : NULL;
    if (!prefix) return (struct source_place){0}; // no file, or no repository that could name it
    struct source_place place = {.path = arena_format(arena, "%s%s", prefix, source)};
    if (revision) place.line = revision_first_change(manifest->dir, revision, source);
    free(prefix);
    return place;
}

void gate_source_add(const struct gate *gate, struct arena *arena, struct decision *decision) {
    const struct source_place place =
        gate->session.has_manifest ? find_place(gate, arena) : (struct source_place){0};
    for (size_t i = 0; i < decision->case_count; ++i)
        if (decision_case_severity(&decision->cases[i]) != SEVERITY_NONE) decision->cases[i].place = place;
    for (size_t i = 0; i < decision->ratchet_count; ++i)
        if (decision_ratchet_severity(&decision->ratchets[i]) != SEVERITY_NONE)
            decision->ratchets[i].place = place;
    if (decision->unmet) decision->place = place;
}
