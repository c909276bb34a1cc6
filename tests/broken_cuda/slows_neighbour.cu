// SPDX-License-Identifier: Apache-2.0
//
// After each of its samples a few milliseconds of work, late: the other side's sample that follows shares
// the device with it.
#define NEIGHBOUR_SPINS   2u
#define NEIGHBOUR_SPIN_NS 2000000ull
#include "neighbour.cuh"

BROKEN_KERNEL(neighbour_launch)
