// SPDX-License-Identifier: Apache-2.0
//
// The document forms that assay reads. Their content tells them apart; the first that knows a document as its
// own reads it.
#include <stddef.h>

#include "control/format/format.h"

const struct format *const format_table[] = {
    &format_assay, &format_integrated, &format_nvbench, &format_google_benchmark, NULL,
};
