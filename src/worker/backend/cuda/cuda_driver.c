// SPDX-License-Identifier: Apache-2.0
//
// Loads the driver, and writes its errors as sentences.
#include "worker/backend/cuda/cuda_driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/strbuf.h"

#define LIBRARY_NAME "libcuda.so.1"
#define LIBRARY_ENV  "ASSAY_CUDA_DRIVER"
// graphs, non-blocking streams and PTX as the device kernels are built for
#define VERSION_LEAST          12000
#define VERSION_MAJOR(version) ((version) / 1000)
#define VERSION_MINOR(version) ((version) % 1000 / 10)

// ---- errors ----

void cuda_error_text(const struct cuda_driver *driver, cuda_result code, char *ret_text, size_t capacity) {
    const char *name = NULL, *words = NULL;
    if (driver && driver->get_error_name) (void)driver->get_error_name(code, &name);
    if (driver && driver->get_error_string) (void)driver->get_error_string(code, &words);
    if (name)
        snprintf(ret_text, capacity, "%s%s%s", name, words ? ": " : "", words ? words : "");
    else
        snprintf(ret_text, capacity, "CUDA error %d", code);
}

int cuda_fail(const struct cuda_driver *driver, cuda_result code, struct err *err, const char *what, ...) {
    struct strbuf text = {0};
    char words[256];
    va_list args;
    va_start(args, what);
    strbuf_addv(&text, what, args);
    va_end(args);
    cuda_error_text(driver, code, words, sizeof words);
    strbuf_addf(&text, ": %s", words);
    const struct cuda_code *known = cuda_code_find(code);
    if (known && known->remedy) strbuf_addf(&text, "; %s", known->remedy);
    err_set(err, ERR_UNAVAILABLE, "%s", strbuf_text(&text));
    strbuf_fini(&text);
    return -ERR_UNAVAILABLE;
}

// ---- loading ----

// The library, its symbols, its version, cuInit. After a failure driver->library is the caller's to close.
static int load(struct cuda_driver *driver, struct err *err) {
    const struct library_place place = library_place_of(LIBRARY_NAME, LIBRARY_ENV);
    const char *why;
    driver->library = library_open(place.path, &why);
    if (!driver->library && place.is_given)
        return err_set(err, ERR_UNAVAILABLE, "the CUDA driver of %s cannot be loaded: %s", LIBRARY_ENV, why);
    if (!driver->library)
        return err_set(
            err, ERR_UNAVAILABLE,
            "no NVIDIA driver on this machine (%s); install one, or, in a container, hand the GPU in "
            "(--gpus all)",
            why);
    const struct library_symbol wanted[] = {
#define CUDA_DRIVER_WANTED(member_name, symbol, parameters) {.name = symbol, .member = &driver->member_name},
        CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_WANTED)
#undef CUDA_DRIVER_WANTED
    };
    const char *missing = library_find(driver->library, wanted, sizeof wanted / sizeof *wanted);
    if (missing)
        return err_set(err, ERR_UNAVAILABLE,
                       "the CUDA driver '%s' lacks the function %s: it is too old or not a driver; assay "
                       "needs one for CUDA %d.0 or newer",
                       place.path, missing, VERSION_MAJOR(VERSION_LEAST));
    cuda_result code = driver->driver_get_version(&driver->version);
    if (code) return cuda_fail(driver, code, err, "the CUDA driver does not say its version");
    if (driver->version < VERSION_LEAST)
        return err_set(
            err, ERR_UNAVAILABLE,
            "the NVIDIA driver is too old: it knows CUDA %d.%d, assay needs %d.0; install a newer one",
            VERSION_MAJOR(driver->version), VERSION_MINOR(driver->version), VERSION_MAJOR(VERSION_LEAST));
    code = driver->init(0);
    return code ? cuda_fail(driver, code, err, "the CUDA driver does not start") : 0;
}

int cuda_driver_get(const struct cuda_driver **ret, struct err *err) {
    static struct cuda_driver loaded; // stays until the process ends: kernels hold addresses of it
    static bool is_loaded;
    if (!is_loaded) {
        struct cuda_driver driver = {0};
        const int code = load(&driver, err);
        if (code < 0) {
            if (driver.library) dlclose(driver.library);
            return code;
        }
        loaded = driver;
        is_loaded = true;
    }
    *ret = &loaded;
    return 0;
}
