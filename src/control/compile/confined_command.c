// SPDX-License-Identifier: Apache-2.0
//
// See confined_command.h.
#include "control/compile/confined_command.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "control/compile/tool/build_tool.h"

#define SECOND_NS UINT64_C(1000000000)

const char *const *confined_command(const struct confinement *confinement, const char *const *program,
                                    struct arena *arena) {
    const char **words = NULL;
    size_t count = 0;
    char *self = path_self();
    words_add(arena, &words, &count, arena_strdup(arena, self));
    free(self);
    words_add(arena, &words, &count, "confined");
    words_add(arena, &words, &count, confinement->scratch_dir);
    if (confinement->has_network) words_add(arena, &words, &count, "network");
    if (confinement->memory_limit_bytes)
        words_add(arena, &words, &count,
                  arena_format(arena, "memory=%" PRIu64, confinement->memory_limit_bytes));
    if (confinement->limit_ns)
        words_add(
            arena, &words, &count,
            arena_format(arena, "seconds=%" PRIu64, (confinement->limit_ns + SECOND_NS - 1) / SECOND_NS));
    for (size_t i = 0; i < confinement->read_path_count; ++i)
        words_add(arena, &words, &count, confinement->read_paths[i]);
    words_add(arena, &words, &count, "--");
    for (; *program; ++program) words_add(arena, &words, &count, *program);
    return words;
}
