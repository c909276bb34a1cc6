// SPDX-License-Identifier: Apache-2.0
//
// The table of groups.
#include "control/flow/doctor/doctor.h"

static void (*const groups[])(struct doctor *doctor) = {doctor_examine_devices, doctor_examine_system,
                                                        doctor_examine_tools};

void doctor_examine(struct doctor *doctor) {
    for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i) groups[i](doctor);
}
