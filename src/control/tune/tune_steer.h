// SPDX-License-Identifier: Apache-2.0
//
// A profile's bottleneck decides which settings are tried first: of a memory-bound kernel the stages before
// the tiles. It changes the order of a search and nothing else.
#ifndef CONTROL_TUNE_TUNE_STEER_H
#define CONTROL_TUNE_TUNE_STEER_H

#include "base/arena.h"
#include "control/tune/tune_space.h"
#include "profile/profile.h"

// Sets the priorities of the knobs by their names. Returns what was put first, as "memory_bound: STAGES, VEC
// first"; NULL: nothing, as for a bottleneck that names no setting. `arena` owns it.
const char *tune_steer(struct tune_space *space, enum bottleneck bottleneck, struct arena *arena);

#endif
