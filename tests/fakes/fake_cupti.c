// SPDX-License-Identifier: Apache-2.0
//
// libfake_cupti.so: CUPTI as far as assay uses it, in memory. A launch "runs" the functions of the script,
// and each metric's value is a hundred times its place from the end of the list. It refuses calls out of
// order. FAKE_CUPTI, a list: "fail=start:35" makes that call return the code, "passes=3", "functions=2",
// "outlier=2" (in that round of passes everything is a hundredfold), "later=1" (functions counted beyond
// those recorded), "lacks=dram" (metrics whose names hold the word are unknown), "more=fake_kernel_is_honest"
// (5 % more of everything in a process that has loaded a library with that symbol).
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/backend/cuda/cupti.h"

#define INVALID_OPERATION 7
#define INVALID_NAME      17

// Declares and defines a function under NVIDIA's name, because NVIDIA's header is not used.
#define API(type, name, parameters)                                                                          \
    __attribute__((visibility("default"))) type name parameters;                                             \
    type name parameters

static struct {
    bool is_initialized, is_started, is_configured, is_recording, has_metrics;
    size_t passes, rounds, metric_count;
    void (*need)(uint8_t **buffer, size_t *bytes, size_t *record_count);
    void (*done)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes);
} fake;

static const char *setting(const char *name) {
    const char *script = getenv("FAKE_CUPTI"), *at = script ? strstr(script, name) : NULL;
    return at ? at + strlen(name) : NULL;
}

static size_t number(const char *name, size_t fallback) {
    const char *at = setting(name);
    return at ? strtoul(at, NULL, 10) : fallback;
}

// The code that the script has for this call.
static int failing(const char *call) {
    const char *at = setting("fail=");
    const size_t length = strlen(call);
    return at && strncmp(at, call, length) == 0 && at[length] == ':' ? atoi(at + length + 1) : CUPTI_OK;
}

API(int, cuptiGetResultString, (int code, const char **ret)) {
    *ret = code == CUPTI_NO_PRIVILEGE ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR_OF_THE_FAKE";
    return CUPTI_OK;
}

API(int, cuptiProfilerInitialize, (struct cupti_plain * params)) {
    (void)params;
    fake.is_initialized = true;
    return failing("initialize");
}

API(int, cuptiProfilerDeInitialize, (struct cupti_plain * params)) {
    (void)params;
    return CUPTI_OK;
}

API(int, cuptiDeviceGetChipName, (struct cupti_chip_name * params)) {
    params->ret_name = "FAKE100";
    return failing("chip");
}

API(int, cuptiProfilerGetCounterAvailability, (struct cupti_availability * params)) {
    if (!fake.is_initialized || !params->context) return INVALID_OPERATION;
    if (params->image) memset(params->image, 1, params->image_bytes);
    params->image_bytes = 16;
    return failing("availability");
}

API(int, cuptiProfilerHostInitialize, (struct cupti_host_open * params)) {
    if (!params->availability || params->availability[0] != 1) return INVALID_OPERATION;
    params->ret_host = (cupti_host)(void *)&fake;
    return failing("host");
}

API(int, cuptiProfilerHostDeinitialize, (struct cupti_host_only * params)) {
    (void)params;
    fake.has_metrics = false;
    return CUPTI_OK;
}

API(int, cuptiProfilerHostGetMetricProperties, (struct cupti_metric_properties * params)) {
    char word[64] = "";
    const char *at = setting("lacks=");
    if (at) snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
    return *word && strstr(params->name, word) ? INVALID_NAME : CUPTI_OK;
}

API(int, cuptiProfilerHostConfigAddMetrics, (struct cupti_add_metrics * params)) {
    fake.has_metrics = true;
    fake.metric_count = params->count;
    return failing("add");
}

API(int, cuptiProfilerHostGetConfigImageSize, (struct cupti_config_size * params)) {
    params->ret_bytes = 8;
    return fake.has_metrics ? CUPTI_OK : INVALID_OPERATION;
}

API(int, cuptiProfilerHostGetConfigImage, (struct cupti_config_image * params)) {
    memset(params->image, 2, params->image_bytes);
    return CUPTI_OK;
}

API(int, cuptiProfilerHostGetNumOfPasses, (struct cupti_pass_count * params)) {
    params->ret_count = number("passes=", 1);
    return params->image[0] == 2 ? CUPTI_OK : INVALID_OPERATION;
}

API(int, cuptiRangeProfilerEnable, (struct cupti_ranges_enable * params)) {
    params->ret_ranges = (cupti_ranges)(void *)&fake;
    return failing("enable");
}

API(int, cuptiRangeProfilerDisable, (struct cupti_ranges_only * params)) {
    (void)params;
    fake.is_configured = false;
    return CUPTI_OK;
}

API(int, cuptiRangeProfilerGetCounterDataSize, (struct cupti_data_size * params)) {
    params->ret_bytes = 8;
    return params->count == fake.metric_count ? CUPTI_OK : INVALID_OPERATION;
}

API(int, cuptiRangeProfilerCounterDataImageInitialize, (struct cupti_data_init * params)) {
    memset(params->data, 3, params->data_bytes);
    return CUPTI_OK;
}

API(int, cuptiRangeProfilerSetConfig, (struct cupti_set_config * params)) {
    const bool is_right = params->range_mode == CUPTI_RANGE_PER_LAUNCH &&
                          params->replay_mode == CUPTI_REPLAY_BY_CALLER && params->data[0] == 3;
    fake.is_configured = is_right;
    fake.passes = 0;
    ++fake.rounds;
    return is_right ? failing("config") : INVALID_OPERATION;
}

API(int, cuptiRangeProfilerStart, (struct cupti_ranges_only * params)) {
    (void)params;
    if (!fake.is_configured || fake.is_started) return INVALID_OPERATION;
    fake.is_started = true;
    return failing("start");
}

API(int, cuptiRangeProfilerStop, (struct cupti_ranges_stop * params)) {
    if (!fake.is_started) return INVALID_OPERATION;
    fake.is_started = false;
    params->ret_is_complete = ++fake.passes >= number("passes=", 1);
    return failing("stop");
}

API(int, cuptiRangeProfilerDecodeData, (struct cupti_decode * params)) {
    params->ret_dropped = number("later=", 0);
    return failing("decode");
}

API(int, cuptiRangeProfilerGetCounterDataInfo, (struct cupti_range_count * params)) {
    params->ret_count = number("functions=", 1);
    return CUPTI_OK;
}

static int has_symbol(struct dl_phdr_info *info, size_t bytes, void *symbol) {
    void *library = *info->dlpi_name ? dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    const int is_found = library && dlsym(library, symbol);
    (void)bytes;
    if (library) dlclose(library);
    return is_found;
}

static double scale(void) {
    char symbol[64];
    if (fake.rounds == number("outlier=", 0)) return 100;
    const char *at = setting("more=");
    snprintf(symbol, sizeof symbol, "%.*s", at ? (int)strcspn(at, ",") : 0, at ? at : "");
    return *symbol && dl_iterate_phdr(has_symbol, symbol) ? 1.05 : 1;
}

API(int, cuptiProfilerHostEvaluateToGpuValues, (struct cupti_evaluate * params)) {
    for (size_t i = 0; i < params->count; ++i)
        params->values[i] =
            scale() * (100 * (double)(params->count - i) + 10000 * (double)params->range_index);
    return failing("evaluate");
}

API(int, cuptiActivityRegisterCallbacks,
    (void (*need)(uint8_t **buffer, size_t *bytes, size_t *record_count),
     void (*done)(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes))) {
    fake.need = need;
    fake.done = done;
    return failing("records");
}

API(int, cuptiActivityEnable, (int kind)) {
    fake.is_recording = kind == CUPTI_RECORD_OF_LAUNCH;
    return CUPTI_OK;
}

API(int, cuptiActivityDisable, (int kind)) {
    (void)kind;
    fake.is_recording = false;
    return CUPTI_OK;
}

static const struct cupti_launch *record_of(size_t index) {
    static const char *const names[] = {"_Z10short_ringPf", "assay_fill", "_Z4mainILi4EEvPKfPf", "other"};
    static struct cupti_launch records[4];
    struct cupti_launch *record = &records[index % 4];
    *record = (struct cupti_launch){.kind = CUPTI_RECORD_OF_LAUNCH,
                                    .registers = 64,
                                    .start_ns = 1000 * (index + 1),
                                    .end_ns = 1000 * (index + 1) + 100 * (index + 1),
                                    .grid = {264, 1, 1},
                                    .block = {128, 1, 1},
                                    .dynamic_shared_bytes = 1024,
                                    .function = names[index % 4]};
    return record;
}

static size_t next;

API(int, cuptiActivityGetNextRecord,
    (uint8_t * buffer, size_t valid_bytes, const struct cupti_launch **ret)) {
    (void)buffer, (void)valid_bytes;
    const size_t count = number("functions=", 1);
    if (next == count) return CUPTI_END_OF_LIST;
    *ret = record_of(count - 1 - next++); // as they ended, not as they began
    return CUPTI_OK;
}

API(int, cuptiActivityFlushAll, (uint32_t flag)) {
    uint8_t *buffer = NULL;
    size_t bytes = 0, record_count = 0;
    if (!fake.is_recording || flag != CUPTI_FLUSH_ALL) return INVALID_OPERATION;
    next = 0;
    fake.need(&buffer, &bytes, &record_count);
    fake.done(NULL, 0, buffer, bytes, bytes);
    return failing("flush");
}
