// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a manifest: it is read, or refused with a sentence that names the file.
#include <stdlib.h>
#include <string.h>

#include "control/plan/manifest/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct manifest manifest;
    struct err err = {0};
    const int result = manifest_parse(&(struct manifest_text){(const char *)bytes, count, "assay.yaml"}, NULL,
                                      &manifest, &err);
    if (result == 0)
        manifest_fini(&manifest);
    else if (!strstr(err.text, "assay.yaml"))
        abort();
    return 0;
}
