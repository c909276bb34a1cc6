// SPDX-License-Identifier: Apache-2.0
//
// See shipped_kernel.h.
#include "control/plan/manifest/shipped_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "gen/assay_config.h"

#define SCHEMA_PATH "docs/manifest.schema.json" // below the folder of the data, and of the source

int shipped_read(struct shipped_kernels *shipped, struct err *err) {
    if (shipped->is_read) return 0;
    char *installed = path_beside_self(ASSAY_INSTALL_DATADIR_RELATIVE "/" MANIFEST_FILE_NAME);
    const char *source = ASSAY_SOURCE_DIR "/" MANIFEST_FILE_NAME;
    const char *found = file_exists(installed) ? installed : source;
    int code = 0;
    if (!file_exists(found))
        code = err_set(err, ERR_UNAVAILABLE,
                       "the kernels that come with assay are neither at %s nor at %s; install assay with its "
                       "data",
                       installed, source);
    if (code == 0) code = manifest_read(found, NULL, &shipped->manifest, err);
    shipped->is_read = code == 0;
    free(installed);
    return code;
}

int shipped_get_kernel(struct shipped_kernels *shipped, const char *name, const struct manifest_kernel **ret,
                       struct err *err) {
    TRY(shipped_read(shipped, err));
    const struct manifest *manifest = &shipped->manifest;
    const char *own = name + strlen(SHIPPED_PREFIX);
    const char **known = mem_alloc((manifest->kernel_count + 1) * sizeof *known);
    const struct manifest_kernel *found = NULL;
    struct strbuf list = {0};
    for (size_t i = 0; i < manifest->kernel_count; ++i) {
        known[i] = manifest->kernels[i].name;
        comma_addf(&list, SHIPPED_PREFIX "%s", known[i]);
        if (str_equal(known[i], own)) found = &manifest->kernels[i];
    }
    const char *nearest = str_nearest(own, known, manifest->kernel_count);
    if (!found)
        err_set(err, ERR_USAGE, "no kernel '%s' comes with assay%s%s%s there are %s", name,
                nearest ? ", did you mean '" SHIPPED_PREFIX : "", str_or(nearest, ""), nearest ? "'?" : ";",
                strbuf_text(&list));
    free(known);
    strbuf_fini(&list);
    *ret = found;
    return found ? 0 : -ERR_USAGE;
}

char *shipped_schema_path(void) {
    static const char source[] = ASSAY_SOURCE_DIR "/" SCHEMA_PATH;
    char *path = path_beside_self(ASSAY_INSTALL_DATADIR_RELATIVE "/" SCHEMA_PATH);
    if (!file_exists(path)) {
        free(path);
        path = mem_strdup(source);
    }
    if (file_exists(path)) return path;
    free(path);
    return NULL;
}

int shipped_refuse(const char *name, struct err *err) {
    if (!shipped_is_name(name)) return 0;
    return err_set(
        err, ERR_USAGE,
        "'%s' comes with assay, so no revision has one of its own; name it as the baseline, or put a "
        "kernel of the manifest on trial",
        name);
}
