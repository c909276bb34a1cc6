// SPDX-License-Identifier: Apache-2.0
//
// What a gate is told to accept: --accept REASON takes on all regressions, a trailer "Accept-regression:
// PROBLEM REASON" of a commit since the baseline's revision one.
#include <stdlib.h>
#include <string.h>

#include "control/compile/revision_change.h"
#include "control/flow/gate/gate_internal.h"
#include "control/flow/gate/gate_run.h"

#define TRAILER      "Accept-regression"
#define TRAILERS_MAX 256

// "a1b2c3d s512 64-bit offsets": commit, what, and why. False: a trailer without a reason accepts nothing.
static bool read_trailer(char *line, struct arena *arena, struct acceptance *ret) {
    char *rest = NULL;
    const char *commit = strtok_r(line, " ", &rest), *what = strtok_r(NULL, " ", &rest);
    const char *reason = rest ? rest + strspn(rest, " ") : "";
    if (!commit || !what || !*reason) return false;
    ret->what = str_equal(what, "all") ? NULL : arena_strdup(arena, what);
    ret->reason = arena_format(arena, "commit %s: %s", commit, reason);
    return true;
}

static void add_trailers(const struct gate *gate, const char *commit, struct arena *arena,
                         struct acceptance *items, size_t *count) {
    char *lines = revision_trailers(gate->session.manifest.dir, commit, TRAILER), *rest = NULL;
    for (char *line = lines ? strtok_r(lines, "\n", &rest) : NULL; line && *count < TRAILERS_MAX;
         line = strtok_r(NULL, "\n", &rest))
        *count += read_trailer(line, arena, &items[*count]);
    free(lines);
}

struct acceptances gate_acceptances(const struct gate *gate, struct arena *arena) {
    struct acceptance *items = arena_array(arena, TRAILERS_MAX + 1, sizeof *items);
    const struct result_side *baseline =
        gate->is_stored_baseline ? NULL : &gate->run.result.sides[gate->base_side];
    size_t count = 0;
    if (baseline && baseline->revision && gate->session.has_manifest)
        add_trailers(gate, baseline->revision, arena, items, &count);
    if (gate->request.accepted)
        items[count++] = (struct acceptance){.reason = arena_strdup(arena, gate->request.accepted)};
    return (struct acceptances){count, items};
}
