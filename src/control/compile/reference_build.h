// SPDX-License-Identifier: Apache-2.0
//
// Builds the reference of a declared operator: its source as it is, and with fp32 in place of fp64
// (include/assay/reference_single.h).
#ifndef CONTROL_COMPILE_REFERENCE_BUILD_H
#define CONTROL_COMPILE_REFERENCE_BUILD_H

#include "base/progress.h"
#include "control/plan/manifest/manifest.h"

// Fills the modules of declared->reference; texts live in the arena. ERR_DATA: it does not compile as it is.
int reference_build(struct declared *declared, struct progress *progress, struct arena *arena,
                    struct err *err);

#endif
