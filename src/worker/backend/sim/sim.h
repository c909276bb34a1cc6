// SPDX-License-Identifier: Apache-2.0
//
// A simulated device, "sim:NAME": its memory is the host's, its time is virtual and made by a script
// (record/sim_script.h). Launches give right results and take no longer than computing them; what they are
// said to take is drawn. No real measurement comes from here: it is how assay's own statistics are tested.
#ifndef WORKER_BACKEND_SIM_SIM_H
#define WORKER_BACKEND_SIM_SIM_H

#include "worker/backend/backend.h"

extern const struct backend backend_sim;

#endif
