// SPDX-License-Identifier: Apache-2.0
//
// Loads CUPTI, and writes its errors as sentences.
#include "worker/backend/cuda/cupti.h"

#include <dlfcn.h>

#include "base/library.h"

#define LIBRARY_ENV "ASSAY_CUPTI"

// By the loader's search, which finds the one that another library of this process has loaded, then where
// CUDA's toolkit puts it.
static const char *const places[] = {
    "libcupti.so.13",
    "libcupti.so.12",
    "/usr/local/cuda/lib64/libcupti.so",
    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
    "/usr/local/cuda/lib/libcupti.so",
};

static const struct {
    cupti_result code;
    const char *remedy;
} remedies[] = {
    {CUPTI_HARDWARE_BUSY, "another collector holds the counters, such as DCGM: stop it, or pause it with "
                          "'dcgmi profiling --pause'"},
    {CUPTI_NO_PRIVILEGE,
     "reading counters is for root: run as root or with CAP_SYS_ADMIN, or load the driver with "
     "NVreg_RestrictProfilingToAdminUsers=0; timing still works"},
    {CUPTI_VIRTUAL_NO_PRIVILEGE,
     "the hypervisor keeps the counters from this virtual machine: profiling must be enabled for the vGPU"},
    {CUPTI_CONFIDENTIAL, "a GPU in confidential computing mode gives no counters"},
    {CUPTI_MIG, "a MIG slice gives no counters to CUPTI: profile on a whole GPU"},
    {CUPTI_CHIP_UNKNOWN, "this CUPTI is older than the GPU: install the CUPTI of a newer CUDA"},
};

int cupti_fail(const struct cupti *cupti, cupti_result code, const char *what, struct err *err) {
    const char *words = NULL, *remedy = "timing still works";
    if (cupti->get_result_string) (void)cupti->get_result_string(code, &words);
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; ++i)
        if (remedies[i].code == code) remedy = remedies[i].remedy;
    return err_set(err, ERR_UNAVAILABLE, "%s: CUPTI says '%s' (%d); %s", what, words ? words : "?", code,
                   remedy);
}

static int open_library(void **ret, const char **ret_path, struct err *err) {
    const struct library_place given = library_place_of(places[0], LIBRARY_ENV);
    const char *why = NULL;
    if (given.is_given) {
        *ret_path = given.path;
        *ret = library_open(given.path, &why);
        return *ret ? 0
                    : err_set(err, ERR_UNAVAILABLE, "the CUPTI of " LIBRARY_ENV " cannot be loaded: %s", why);
    }
    *ret = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !*ret; ++i) {
        *ret_path = places[i];
        *ret = library_open(places[i], &why);
    }
    return *ret ? 0
                : err_set(err, ERR_UNAVAILABLE,
                          "CUPTI is missing: neither the loader nor /usr/local/cuda has libcupti.so; install "
                          "cuda-cupti of your CUDA version, or set " LIBRARY_ENV " to its path");
}

static int load(struct cupti *cupti, struct err *err) {
    void *library = NULL;
    const char *path = NULL;
    TRY(open_library(&library, &path, err));
    const struct library_symbol wanted[] = {
#define CUPTI_WANTED(member_name, symbol, parameters) {.name = symbol, .member = &cupti->member_name},
        CUPTI_FUNCTIONS(CUPTI_WANTED)
#undef CUPTI_WANTED
    };
    const char *missing = library_find(library, wanted, sizeof wanted / sizeof *wanted);
    if (!missing) return 0;
    err_set(err, ERR_UNAVAILABLE, "'%s' lacks the function %s: assay needs the CUPTI of CUDA 12.6 or newer",
            path, missing);
    dlclose(library);
    return -ERR_UNAVAILABLE;
}

int cupti_get(const struct cupti **ret, struct err *err) {
    static struct cupti loaded; // stays until the process ends
    static bool is_loaded;
    if (!is_loaded) {
        struct cupti cupti = {0};
        TRY(load(&cupti, err));
        loaded = cupti;
        is_loaded = true;
    }
    *ret = &loaded;
    return 0;
}
