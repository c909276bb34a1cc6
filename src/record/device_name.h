// SPDX-License-Identifier: Apache-2.0
//
// What a device is called: "cpu", "cuda", "cuda:0", "sim:steady", "GPU-1a2b...", "cuda:GPU-1a2b...". The
// parent finds the kind by it (control/plan/device_kind.h), the worker the backend
// (worker/backend/backend.h), both by this grammar. Which device a name means is the backend's to say alone.
#ifndef RECORD_DEVICE_NAME_H
#define RECORD_DEVICE_NAME_H

#include <stdbool.h>

// Is this the name of one of a backend's devices? uuid_prefix: how their UUIDs begin, in capitals or not;
// NULL: they have none. *ret_which (may be NULL), into name: "0", "steady", "GPU-1a2b"; "" for the backend's
// name alone.
bool device_name_is_of(const char *name, const char *backend, const char *uuid_prefix,
                       const char **ret_which);
bool device_name_is_uuid(const char *which, const char *uuid_prefix); // uuid_prefix may be NULL

#endif
