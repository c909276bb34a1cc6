// SPDX-License-Identifier: Apache-2.0
//
// Loads NVML, finds devices in it, and writes its errors as sentences. CUDA and NVML number devices
// differently, so a device is found by its UUID.
#include "worker/backend/cuda/nvml.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"
#include "base/strbuf.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct nvml loaded;
static struct err load_err; // code ERR_NONE: it is loaded

static const struct {
    nvml_result code;
    const char *text;
} remedies[] = {
    {NVML_NO_PERMISSION, "root may do it"},
    {NVML_NOT_SUPPORTED, "this GPU or driver does not offer it"},
    {NVML_NOT_FOUND, "'nvidia-smi -L' lists what NVML sees; a container may see less"},
    {NVML_DRIVER_NOT_LOADED, "is the NVIDIA driver loaded? 'nvidia-smi' must work"},
    {NVML_LIBRARY_NOT_FOUND, "the driver's libraries are not complete; install the driver again"},
    {NVML_FUNCTION_NOT_FOUND, "a newer driver has it"},
    {NVML_GPU_IS_LOST, "the GPU has fallen off the bus; reboot, and see 'dmesg' for Xid"},
    {NVML_RESET_REQUIRED, "the GPU must be reset or the machine rebooted"},
};

int nvml_fail(const struct nvml *nvml, nvml_result code, struct err *err, const char *what, ...) {
    char subject[256];
    va_list args;
    va_start(args, what);
    vsnprintf(subject, sizeof subject, what, args);
    va_end(args);
    const char *words = nvml->error_string ? nvml->error_string(code) : NULL;
    const char *remedy = "'nvidia-smi' may say more";
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; ++i)
        if (remedies[i].code == code) remedy = remedies[i].text;
    return err_set(err, ERR_UNAVAILABLE, "%s: NVML says '%s' (%d); %s", subject, words ? words : "?", code,
                   remedy);
}

static void load(void) {
    const char *path = library_place_of("libnvidia-ml.so.1", "ASSAY_NVML").path;
    const char *why;
    void *library = library_open(path, &why);
    if (!library) {
        err_set(&load_err, ERR_UNAVAILABLE,
                "NVML cannot be loaded (%s), so the GPU's temperature, clocks, power and other users are not "
                "known; it comes with the driver, and a container needs the driver capability 'utility'",
                why);
        return;
    }
    const struct library_symbol wanted[] = {
        {.name = "nvmlErrorString", .member = &loaded.error_string, .is_optional = true},
#define WANTED(member_name, symbol, parameters) {.name = symbol, .member = &loaded.member_name},
        NVML_REQUIRED_FUNCTIONS(WANTED)
#undef WANTED
#define WANTED(member_name, symbol, parameters)                                                              \
    {.name = symbol, .member = &loaded.member_name, .is_optional = true},
            NVML_OPTIONAL_FUNCTIONS(WANTED)
#undef WANTED
    };
    const char *missing = library_find(library, wanted, sizeof wanted / sizeof *wanted);
    if (missing) {
        err_set(&load_err, ERR_UNAVAILABLE,
                "'%s' is no NVML that assay can use: it lacks %s; install a newer driver", path, missing);
        return;
    }
    const nvml_result code = loaded.init();
    if (code != NVML_OK) nvml_fail(&loaded, code, &load_err, "NVML cannot be initialised");
}

int nvml_get(const struct nvml **ret, struct err *err) {
    pthread_once(&once, load);
    if (load_err.code != ERR_NONE) {
        if (err) *err = load_err;
        return -(int)load_err.code;
    }
    *ret = &loaded;
    return 0;
}

void nvml_driver_version(const struct nvml *nvml, char *ret_text, size_t capacity) {
    *ret_text = 0;
    if (nvml->get_driver_version && nvml->get_driver_version(ret_text, (unsigned)capacity) != NVML_OK)
        *ret_text = 0;
}

int nvml_device_open(const char *uuid, struct nvml_device **ret, struct err *err) {
    const struct nvml *nvml;
    TRY(nvml_get(&nvml, err));
    const bool is_prefixed = str_starts(uuid, "GPU-") || str_starts(uuid, "MIG-");
    const char *digits = is_prefixed ? uuid + 4 : uuid;
    struct nvml_device device = {.nvml = nvml};
    snprintf(device.uuid, sizeof device.uuid, "GPU-%s", digits);
    const nvml_result code = nvml->get_handle_by_uuid(device.uuid, &device.handle);
    if (code != NVML_OK) {
        // CUDA gives the parts of a divided GPU UUIDs of their own, which NVML knows with another prefix.
        snprintf(device.uuid, sizeof device.uuid, "MIG-%s", digits);
        if (!nvml->get_mig_parent || nvml->get_handle_by_uuid(device.uuid, &device.mig) != NVML_OK ||
            nvml->get_mig_parent(device.mig, &device.handle) != NVML_OK)
            return nvml_fail(nvml, code, err, "the GPU %s is not found by NVML", uuid);
    }
    *ret = mem_alloc(sizeof **ret);
    **ret = device;
    return 0;
}

void nvml_device_close(struct nvml_device *device) {
    free(device);
}
