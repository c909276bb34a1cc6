// SPDX-License-Identifier: Apache-2.0
//
// The kernel of device_declared.cuh on the CPU.
#include <stdlib.h>
#include <string.h>

#include "fakes/device_host.h"
#include "op/declared/device_declared_core.h"

bool dev_host_declared(const char *entry, const void *args);
bool dev_host_declared(const char *entry, const void *args) {
    struct dev_declared_fill copy;
    if (strcmp(entry, "assay_declared_fill") != 0) return false;
    memcpy(&copy, args, sizeof copy);
    for (uint64_t i = 0; i < dev_declared_part_count(&copy); ++i) dev_declared_fill_part(&copy, i);
    return true;
}
