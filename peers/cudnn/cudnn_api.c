/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads cuDNN and creates its handle. */
#include "cudnn_api.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define OLDEST_VERSION 90000

static void *open_library(struct assay_message *message) {
    const char *path = getenv("ASSAY_CUDNN");
    void *library = path ? NULL : dlopen("libcudnn.so.9", RTLD_NOW | RTLD_NOLOAD);
    if (!library) library = dlopen(path ? path : "libcudnn.so.9", RTLD_NOW | RTLD_GLOBAL);
    if (library) return library;
    char text[512];
    snprintf(text, sizeof text,
             "cuDNN is not there (%s); install libcudnn9, or name the library in ASSAY_CUDNN", dlerror());
    assay_say(message, ASSAY_UNSUPPORTED, text);
    return NULL;
}

/* POSIX lets a function's address be read through an object pointer; ISO C has no cast for it. */
static bool find(void *library, const char *name, void *member, const char **ret_missing) {
    *(void **)member = dlsym(library, name);
    if (*(void **)member) return true;
    if (!*ret_missing) *ret_missing = name;
    return false;
}

static const char *find_all(void *library, struct cudnn_api *api) {
    const char *missing = NULL, *ignored = NULL;
    find(library, "cudnnGetVersion", &api->get_version, &missing);
    find(library, "cudnnGetErrorString", &api->get_error_string, &missing);
    find(library, "cudnnCreate", &api->create, &missing);
    find(library, "cudnnSetStream", &api->set_stream, &missing);
    find(library, "cudnnBackendCreateDescriptor", &api->descriptor_create, &missing);
    find(library, "cudnnBackendDestroyDescriptor", &api->descriptor_destroy, &missing);
    find(library, "cudnnBackendFinalize", &api->finalize, &missing);
    find(library, "cudnnBackendSetAttribute", &api->set_attribute, &missing);
    find(library, "cudnnBackendGetAttribute", &api->get_attribute, &missing);
    find(library, "cudnnBackendExecute", &api->execute, &missing);
    find(library, "cudnnGetLastErrorString", &api->get_last_error, &ignored);
    return missing;
}

/* Everything but the handle, which needs a device. */
static bool load(struct cudnn_api *api, struct assay_message *message) {
    char text[512] = "";
    void *library = open_library(message);
    if (!library) return false;
    const char *missing = find_all(library, api);
    if (missing)
        snprintf(text, sizeof text, "this libcudnn has no function %s; version 9 or newer is needed",
                 missing);
    else if (api->get_version() < OLDEST_VERSION)
        snprintf(text, sizeof text, "cuDNN %zu is older than 9.0.0, which is needed", api->get_version());
    if (!*text) return true;
    assay_say(message, ASSAY_UNSUPPORTED, text);
    return false;
}

static bool create_handle(struct cudnn_api *api, struct assay_message *message) {
    char text[512];
    const cudnn_status status = api->create(&api->handle);
    if (status == 0) return true;
    snprintf(text, sizeof text, "cuDNN makes no handle for this device: %s", api->get_error_string(status));
    assay_say(message, ASSAY_UNSUPPORTED, text);
    return false;
}

const struct cudnn_api *cudnn_api_get(struct assay_message *message) {
    static struct cudnn_api api; /* kernels are prepared on one thread only */
    static bool is_loaded;
    if (!is_loaded) is_loaded = load(&api, message) && create_handle(&api, message);
    return is_loaded ? &api : NULL;
}

int cudnn_find_library(struct assay_message *message) {
    struct cudnn_api api = {0};
    if (!load(&api, message)) return ASSAY_UNSUPPORTED;
    char version[32];
    cudnn_version_format(&api, version, sizeof version);
    return assay_say(message, ASSAY_OK, version);
}

void cudnn_version_format(const struct cudnn_api *api, char *ret_text, size_t capacity) {
    const size_t version = api->get_version();
    snprintf(ret_text, capacity, "%zu.%zu.%zu", version / 10000, version / 100 % 100, version % 100);
}
