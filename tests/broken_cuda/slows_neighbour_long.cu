// SPDX-License-Identifier: Apache-2.0
//
// After each of its samples a fifth of a second of work, late: it outlasts every wait for a quiet device,
// and the other side's checks of whom the noise belongs to run beside it.
#define NEIGHBOUR_SPINS   100u
#define NEIGHBOUR_SPIN_NS 2000000ull
#include "neighbour.cuh"

BROKEN_KERNEL(neighbour_launch)
