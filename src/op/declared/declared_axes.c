// SPDX-License-Identifier: Apache-2.0
//
// Axes of a declaration: which are free, and the names that its expressions know.
#include <string.h>

#include "base/str.h"
#include "op/declared/declared_internal.h"

bool declared_size_is_number(const char *size, int64_t *ret) {
    long long value;
    if (str_parse_i64(size, &value) < 0) return false;
    *ret = value;
    return true;
}

ptrdiff_t declared_free_axis(const struct declared *declared, size_t number) {
    int64_t size;
    for (size_t i = 0; i < declared->axis_count; ++i)
        if (declared_size_is_number(declared->axes[i].size, &size) && number-- == 0) return (ptrdiff_t)i;
    return -1;
}

static bool find_axis(const void *context, const char *name, size_t length, int64_t *ret) {
    const struct declared_values *values = context;
    for (size_t i = 0; i < values->axis_count; ++i) {
        const char *axis = values->declared->axes[i].name;
        if (strlen(axis) != length || memcmp(axis, name, length) != 0) continue;
        *ret = values->axes[i];
        return true;
    }
    return false;
}

static const char *nearest_axis(const void *context, const char *name) {
    const struct declared_values *values = context;
    const char *names[DECLARED_AXES_MAX];
    for (size_t i = 0; i < values->axis_count; ++i) names[i] = values->declared->axes[i].name;
    return str_nearest(name, names, values->axis_count);
}

struct expression_scope declared_scope(const struct declared_values *values) {
    return (struct expression_scope){.lookup = find_axis,
                                     .context = values,
                                     .unknown = "there is no axis of that name before it",
                                     .nearest = nearest_axis,
                                     .example = "hidden // 128"};
}
