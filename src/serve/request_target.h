// SPDX-License-Identifier: Apache-2.0
//
// What a request asks for, "/api/v1/runs/a%2Fb?limit=5": segments of the path and parameters, decoded. A
// segment is decoded after the path is split, so an encoded slash never makes two of one.
#ifndef SERVE_REQUEST_TARGET_H
#define SERVE_REQUEST_TARGET_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

#define TARGET_BYTES_MAX 8192
enum { TARGET_SEGMENTS_MAX = 8, TARGET_PARAMETERS_MAX = 32 };

struct request_parameter {
    const char *name, *value;
};

struct request_target {
    size_t segment_count;
    const char *segments[TARGET_SEGMENTS_MAX]; // "/": one, which is empty
    size_t parameter_count;
    struct request_parameter parameters[TARGET_PARAMETERS_MAX];
};

// ERR_USAGE: not a path of this server's, a damaged escape, an escaped zero, no UTF-8, too long, a parameter
// given twice. Texts live in the arena.
int request_target_parse(const char *text, struct arena *arena, struct request_target *ret, struct err *err);
const char *request_parameter(const struct request_target *target, const char *name); // NULL: none, or empty

#endif
