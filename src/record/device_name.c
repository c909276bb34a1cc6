// SPDX-License-Identifier: Apache-2.0
//
// See device_name.h.
#include "record/device_name.h"

#include <string.h>
#include <strings.h>

bool device_name_is_uuid(const char *which, const char *uuid_prefix) {
    return uuid_prefix && strncasecmp(which, uuid_prefix, strlen(uuid_prefix)) == 0;
}

bool device_name_is_of(const char *name, const char *backend, const char *uuid_prefix,
                       const char **ret_which) {
    const size_t length = strlen(backend);
    const char *which = name;
    if (!device_name_is_uuid(name, uuid_prefix)) {
        if (strncmp(name, backend, length) != 0 || (name[length] && name[length] != ':')) return false;
        which = name + length + (name[length] == ':');
    }
    if (ret_which) *ret_which = which;
    return true;
}
