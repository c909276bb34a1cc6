// SPDX-License-Identifier: Apache-2.0
//
// Files of bare little-endian float32 next to a document (NVBench's --jsonbin): no header, no length, no
// checksum. The document says the name and the count, and neither is believed.
#ifndef CONTROL_FORMAT_FLOAT_FILE_H
#define CONTROL_FORMAT_FLOAT_FILE_H

#include <stddef.h>

#include "base/err.h"

struct float_file {
    const char *where;  // for messages: the place in the document that names the file
    const char *folder; // the document's; NULL: it may name no file
    const char *name;   // relative to the folder
    size_t count;       // values that must be in it
};

// *ret_values: count floats, on any host; free() them. ERR_DATA with the file's name: an absolute name, "..",
// a link on the way, no regular file, missing, or not 4 x count bytes long.
int float_file_read(const struct float_file *file, float **ret_values, struct err *err);

#endif
