// SPDX-License-Identifier: Apache-2.0
//
// A tensor of a safetensors file: eight bytes with the length of a JSON header, the header with type,
// shape and place of each tensor, then their bytes. The file is a stranger's: every number in it is
// checked against the file's size before it is used.
#ifndef CONTROL_PLAN_DATASET_SAFETENSORS_H
#define CONTROL_PLAN_DATASET_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SAFETENSORS_BYTES_MAX ((size_t)4 << 30)

// What the tensor must be. dtype: of ASSAY_DTYPES.
struct safetensors_want {
    const char *key;
    int32_t dtype;
    uint32_t dim_count;
    const int64_t *shape;
};

struct safetensors_bytes {
    const char *bytes;
    size_t count;
};

// Finds the tensor in a file's bytes; *ret are some of them. ERR_DATA: the file is malformed, lacks the
// tensor, or has it in another type or shape. where: the file, for messages.
int safetensors_find(const struct safetensors_bytes *file, const char *where,
                     const struct safetensors_want *want, struct safetensors_bytes *ret, struct err *err);

#endif
