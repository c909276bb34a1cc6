// SPDX-License-Identifier: Apache-2.0
//
// Files of bare little-endian float32 next to a document (NVBench's --jsonbin): no header, no length, no
// checksum. The document gives name and count; both are checked.
#ifndef FORMAT_FLOAT_FILE_H
#define FORMAT_FLOAT_FILE_H

#include <stddef.h>

#include "base/err.h"

struct float_file {
    const char *where;  // for messages: the place in the document that names the file
    const char *folder; // folder of the document; NULL: it may name no file
    const char *name;   // relative to the folder
    size_t count;       // number of values that the file must hold
};

// *ret_values: count floats in host byte order; the caller frees them. ERR_DATA names the file: absolute
// path, "..", a link in the path, no regular file, missing, or not 4 x count bytes long.
int float_file_read(const struct float_file *file, float **ret_values, struct err *err);

#endif
