// SPDX-License-Identifier: Apache-2.0
//
// Grammar of device names: "cpu", "cuda", "cuda:0", "sim:steady", "GPU-1a2b...", "cuda:GPU-1a2b...".
// Control derives the device's kind from the name (control/plan/device_kind.h), the worker its backend
// (worker/backend/backend.h). Only the backend knows which device a name means.
#ifndef RECORD_DEVICE_NAME_H
#define RECORD_DEVICE_NAME_H

#include <stdbool.h>

// Whether `name` names a device of this backend. uuid_prefix: how its devices' UUIDs begin, in either
// case; NULL: they have none. *ret_which (may be NULL) points into name at the device part: "0", "steady",
// "GPU-1a2b", or "" when the name is the backend's alone.
bool device_name_is_of(const char *name, const char *backend, const char *uuid_prefix,
                       const char **ret_which);
bool device_name_is_uuid(const char *which, const char *uuid_prefix); // uuid_prefix may be NULL

#endif
