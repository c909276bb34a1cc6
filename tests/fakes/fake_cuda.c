// SPDX-License-Identifier: Apache-2.0
//
// The fake driver: its script, errors, devices and contexts.
#include "fake_cuda.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_host.h"

#define DEVICES_MAX 16
#define MEMBERS_MAX 64
#define FAILS_MAX   8

// The fake needs no PTX of the device kernels: cuda_program.c loads this text instead, and
// fake_cuda_launch.c knows the kernels by name.
FAKE_EXPORT const char assay_device_kernels_brought[] = "device kernels on the processor";

static struct {
    struct fake_script script;
    bool is_read, is_initialised;
    size_t fail_count;
    struct {
        char member[48];
        long call; // the first is 1; 0: every one
        cuda_result code;
    } fails[FAILS_MAX];
    size_t member_count;
    struct {
        const char *member;
        long calls;
    } members[MEMBERS_MAX];
    cuda_result broken;
    struct cuda_context_opaque contexts[DEVICES_MAX];
    cuda_context current; // of the thread: tests use one
} fake;

// ---- the script ----

static void read_fail(const char *text) {
    if (fake.fail_count == FAILS_MAX) abort();
    char member[48];
    long call;
    int code;
    if (sscanf(text, "%47[a-z0-9_]:%ld:%d", member, &call, &code) != 3) {
        fprintf(stderr, "ASSAY_FAKE_CUDA: 'fail=%s' is not <member>:<call>:<code>\n", text);
        abort();
    }
    memcpy(fake.fails[fake.fail_count].member, member, sizeof member);
    fake.fails[fake.fail_count].call = call;
    fake.fails[fake.fail_count++].code = code;
}

static void read_setting(char *text) {
    struct fake_script *script = &fake.script;
    char *value = strchr(text, '=');
    if (!value) abort();
    *value++ = 0;
    if (strcmp(text, "devices") == 0)
        script->device_count = atoi(value);
    else if (strcmp(text, "version") == 0)
        script->version = atoi(value);
    else if (strcmp(text, "memory_mib") == 0)
        script->memory_bytes = strtoull(value, NULL, 10) << 20;
    else if (strcmp(text, "l2_kib") == 0)
        script->l2_bytes = strtoull(value, NULL, 10) << 10;
    else if (strcmp(text, "capability") == 0)
        script->capability = atoi(value);
    else if (strcmp(text, "call_ns") == 0)
        script->call_ns = strtoull(value, NULL, 10);
    else if (strcmp(text, "miss_cycles") == 0)
        dev_host_miss_cycles = strtoull(value, NULL, 10);
    else if (strcmp(text, "flush_pct") == 0)
        dev_host_flush_share = strtod(value, NULL) / 100;
    else if (strcmp(text, "late_us") == 0)
        script->late_us = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(text, "late_waits") == 0)
        script->late_waits = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(text, "compute_mode") == 0)
        script->compute_mode = atoi(value);
    else if (strcmp(text, "real_us") == 0) {
        script->spins_wait = true;
        script->least_ns = 1000 * strtoull(value, NULL, 10);
    } else if (strcmp(text, "shares") == 0)
        script->shares_nothing = strcmp(value, "nothing") == 0;
    else if (strcmp(text, "lost") == 0)
        snprintf(script->lost_file, sizeof script->lost_file, "%s", value);
    else if (strcmp(text, "copies") == 0)
        snprintf(script->copies_file, sizeof script->copies_file, "%s", value);
    else if (strcmp(text, "fail") == 0)
        read_fail(value);
    else {
        fprintf(stderr, "ASSAY_FAKE_CUDA: no setting '%s'\n", text);
        abort();
    }
}

const struct fake_script *fake_script(void) {
    if (fake.is_read) return &fake.script;
    fake.is_read = true;
    dev_host_miss_cycles = dev_host_chase_cycles;
    dev_host_flush_share = 1;
    fake.script = (struct fake_script){.device_count = 1,
                                       .version = 13000,
                                       .capability = 90,
                                       .memory_bytes = (size_t)4 << 30,
                                       .l2_bytes = 1 << 20};
    char text[1024];
    const char *given = getenv("ASSAY_FAKE_CUDA");
    snprintf(text, sizeof text, "%s", given ? given : "");
    char *rest = NULL;
    for (char *at = strtok_r(text, ",", &rest); at; at = strtok_r(NULL, ",", &rest)) read_setting(at);
    return &fake.script;
}

// Resets the driver as if the process had been restarted, for tests that script several devices one after
// the other.
FAKE_EXPORT void fake_cuda_restart(void);
FAKE_EXPORT void fake_cuda_restart(void) {
    const bool is_initialised = fake.is_initialised;
    memset(&fake, 0, sizeof fake);
    fake.is_initialised = is_initialised;
}

static long count_call(const char *member) {
    for (size_t i = 0; i < fake.member_count; ++i)
        if (strcmp(fake.members[i].member, member) == 0) return ++fake.members[i].calls;
    if (fake.member_count == MEMBERS_MAX) abort();
    fake.members[fake.member_count].member = member;
    return fake.members[fake.member_count++].calls = 1;
}

cuda_result fake_enter_always(const char *member) {
    (void)fake_script();
    const long call = count_call(member);
    for (size_t i = 0; i < fake.fail_count; ++i) {
        if (strcmp(fake.fails[i].member, member) != 0) continue;
        if (!fake.fails[i].call || fake.fails[i].call == call) return fake.fails[i].code;
    }
    return 0;
}

cuda_result fake_enter(const char *member) {
    cuda_result code = fake_enter_always(member);
    if (code) return code;
    if (!fake.is_initialised) return FAKE_NOT_INITIALIZED;
    return fake.broken;
}

// ---- errors ----

void fake_break(cuda_result code) {
    if (!fake.broken) fake.broken = code;
    const char *file = fake_script()->lost_file;
    if (*file) close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
}

cuda_result fake_broken(void) {
    return fake.broken;
}

// For kernels of tests: breaks the context as if the present launch had done so.
FAKE_EXPORT void fake_cuda_break(int code);
FAKE_EXPORT void fake_cuda_break(int code) {
    fake_break(code);
}

// The driver's names and descriptions of errors.
static const struct {
    cuda_result code;
    const char *name, *words;
} errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static size_t find_error(cuda_result code) {
    size_t i = 0;
    while (i < sizeof errors / sizeof *errors && errors[i].code != code) ++i;
    return i;
}

FAKE_EXPORT cuda_result cuGetErrorName(cuda_result code, const char **ret) {
    const size_t i = find_error(code);
    *ret = i < sizeof errors / sizeof *errors ? errors[i].name : NULL;
    return *ret ? 0 : FAKE_INVALID_VALUE;
}

FAKE_EXPORT cuda_result cuGetErrorString(cuda_result code, const char **ret) {
    const size_t i = find_error(code);
    *ret = i < sizeof errors / sizeof *errors ? errors[i].words : NULL;
    return *ret ? 0 : FAKE_INVALID_VALUE;
}

// ---- devices ----

FAKE_EXPORT cuda_result cuInit(unsigned flags) {
    cuda_result code = fake_enter_always("init");
    if (code) return code;
    if (flags) return FAKE_INVALID_VALUE;
    const struct fake_script *script = fake_script();
    if (script->device_count == 0) return CUDA_ERROR_NO_DEVICE_CODE;
    if (*script->lost_file && access(script->lost_file, F_OK) == 0) return CUDA_ERROR_NO_DEVICE_CODE;
    fake.is_initialised = true;
    return 0;
}

FAKE_EXPORT cuda_result cuDriverGetVersion(int *ret) {
    *ret = fake_script()->version;
    return fake_enter_always("driver_get_version");
}

FAKE_EXPORT cuda_result cuDeviceGetCount(int *ret) {
    FAKE_ENTER(device_get_count);
    *ret = fake_script()->device_count;
    return 0;
}

static bool is_device(cuda_device_ordinal device) {
    return device >= 0 && device < fake_script()->device_count && device < DEVICES_MAX;
}

FAKE_EXPORT cuda_result cuDeviceGet(cuda_device_ordinal *ret, int index) {
    FAKE_ENTER(device_get);
    if (!is_device(index)) return FAKE_INVALID_DEVICE;
    *ret = index;
    return 0;
}

FAKE_EXPORT cuda_result cuDeviceGetName(char *ret, int capacity, cuda_device_ordinal device) {
    FAKE_ENTER(device_get_name);
    if (!is_device(device)) return FAKE_INVALID_DEVICE;
    snprintf(ret, (size_t)capacity, "Fake GPU %d", device);
    return 0;
}

// GPU-fa4e0000-0000-0000-0000-00000000000N
FAKE_EXPORT cuda_result cuDeviceGetUuid_v2(cuda_uuid *ret, cuda_device_ordinal device) {
    FAKE_ENTER(device_get_uuid);
    if (!is_device(device)) return FAKE_INVALID_DEVICE;
    *ret = (cuda_uuid){{0xfa, 0x4e}};
    ret->bytes[15] = (unsigned char)device;
    return 0;
}

FAKE_EXPORT cuda_result cuDeviceGetAttribute(int *ret, int attribute, cuda_device_ordinal device) {
    FAKE_ENTER(device_get_attribute);
    if (!is_device(device)) return FAKE_INVALID_DEVICE;
    switch (attribute) {
    case CUDA_ATTRIBUTE_SM_COUNT: *ret = 4; return 0;
    case CUDA_ATTRIBUTE_CLOCK_RATE_KHZ: *ret = 1980000; return 0;
    case CUDA_ATTRIBUTE_MEMORY_CLOCK_RATE_KHZ: *ret = 3201000; return 0;
    case CUDA_ATTRIBUTE_L2_BYTES: *ret = (int)fake_script()->l2_bytes; return 0;
    case CUDA_ATTRIBUTE_CAPABILITY_MAJOR: *ret = fake_script()->capability / 10; return 0;
    case CUDA_ATTRIBUTE_CAPABILITY_MINOR: *ret = fake_script()->capability % 10; return 0;
    case CUDA_ATTRIBUTE_SHARED_BYTES_OPTIN: *ret = 232448; return 0;
    case CUDA_ATTRIBUTE_COMPUTE_MODE: *ret = fake_script()->compute_mode; return 0;
    case CUDA_ATTRIBUTE_VIRTUAL_MEMORY:
    case CUDA_ATTRIBUTE_DESCRIPTOR_HANDLES: *ret = !fake_script()->shares_nothing; return 0;
    default: return FAKE_INVALID_VALUE;
    }
}

FAKE_EXPORT cuda_result cuDeviceTotalMem_v2(size_t *ret, cuda_device_ordinal device) {
    FAKE_ENTER(device_total_mem);
    if (!is_device(device)) return FAKE_INVALID_DEVICE;
    *ret = fake_script()->memory_bytes;
    return 0;
}

// ---- contexts ----

FAKE_EXPORT cuda_result cuDevicePrimaryCtxRetain(cuda_context *ret, cuda_device_ordinal device) {
    FAKE_ENTER(primary_ctx_retain);
    if (!is_device(device)) return FAKE_INVALID_DEVICE;
    *ret = &fake.contexts[device];
    (*ret)->ordinal = device;
    ++(*ret)->retain_count;
    return 0;
}

FAKE_EXPORT cuda_result cuDevicePrimaryCtxRelease_v2(cuda_device_ordinal device) {
    FAKE_ENTER(primary_ctx_release);
    if (!is_device(device) || !fake.contexts[device].retain_count) return FAKE_INVALID_CONTEXT;
    --fake.contexts[device].retain_count;
    return 0;
}

FAKE_EXPORT cuda_result cuCtxSetCurrent(cuda_context context) {
    FAKE_ENTER(ctx_set_current);
    if (context && !context->retain_count) return FAKE_INVALID_CONTEXT;
    fake.current = context;
    return 0;
}

cuda_context fake_current(void) {
    return fake.current;
}

FAKE_EXPORT cuda_result cuCtxSynchronize(void) {
    FAKE_ENTER(ctx_synchronize);
    if (!fake.current) return FAKE_INVALID_CONTEXT;
    if (fake_is_capturing()) return FAKE_CAPTURE_UNSUPPORTED;
    fake_drain_context();
    if (fake_broken()) return fake_broken();
    static unsigned waits;
    const struct fake_script *script = fake_script();
    if (!fake_take_work() || !script->late_us) return 0;
    if (!script->late_waits || waits++ % (script->late_waits + 1) < script->late_waits)
        usleep(script->late_us);
    return 0;
}

FAKE_EXPORT cuda_result cuCtxGetLimit(size_t *ret, int limit) {
    FAKE_ENTER(ctx_get_limit);
    if (!fake.current) return FAKE_INVALID_CONTEXT;
    if (limit < 0 || limit >= FAKE_LIMITS) return FAKE_INVALID_VALUE;
    *ret = fake.current->limits[limit];
    return 0;
}

FAKE_EXPORT cuda_result cuCtxSetLimit(int limit, size_t value) {
    FAKE_ENTER(ctx_set_limit);
    if (!fake.current) return FAKE_INVALID_CONTEXT;
    if (limit < 0 || limit >= FAKE_LIMITS) return FAKE_INVALID_VALUE;
    fake.current->limits[limit] = value;
    return 0;
}

// How often pinned lines were released so far.
static int reset_count;
FAKE_EXPORT int fake_cuda_reset_count(void);
FAKE_EXPORT int fake_cuda_reset_count(void) {
    return reset_count;
}

FAKE_EXPORT cuda_result cuCtxResetPersistingL2Cache(void) {
    FAKE_ENTER(ctx_reset_persisting_l2);
    ++reset_count;
    return fake.current ? 0 : FAKE_INVALID_CONTEXT;
}
