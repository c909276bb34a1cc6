// SPDX-License-Identifier: Apache-2.0
//
// Ceilings of a GPU on the fake driver (tests/fakes), whose device has known rates: every figure in both
// power modes, in work per time, with the clock; which ones a chip has; errors.
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fakes/device_host.h"
#include "record/ceiling.h"
#include "worker/backend/backend.h"
#include "worker/backend/cuda/cuda_device_internal.h"

struct seen {
    size_t count;
    struct ceiling ceilings[CEILINGS_MAX];
    char details[CEILINGS_MAX][128];
};

static int on_ceiling(void *arg, const struct ceiling *ceiling, struct err *err) {
    (void)err;
    struct seen *seen = arg;
    assert_true(seen->count < CEILINGS_MAX);
    snprintf(seen->details[seen->count], sizeof seen->details[0], "%s", ceiling->detail);
    seen->ceilings[seen->count++] = *ceiling;
    return 0;
}

static int measure(const char *script, struct seen *ret, struct err *err) {
    setenv("ASSAY_CUDA_DRIVER", ASSAY_FAKES_DIR "/libfake_cuda.so", 1);
    setenv("ASSAY_NVML", ASSAY_FAKES_DIR "/libfake_nvml.so", 1);
    setenv("ASSAY_FAKE_CUDA", script, 1);
    void *library = dlopen(ASSAY_FAKES_DIR "/libfake_cuda.so", RTLD_NOW);
    assert_non_null(library);
    void (*restart)(void);
    void *found = dlsym(library, "fake_cuda_restart");
    assert_non_null(found);
    memcpy(&restart, &found, sizeof found);
    restart();
    struct device *device = NULL;
    const struct device_request request = {.device = "cuda:0", .thread_count = 1};
    memset(ret, 0, sizeof *ret);
    if (device_open(&request, &device, err) < 0) fail_msg("%s", err->text);
    device->cooldown_ratio = 0; // virtual time needs no pauses
    const int code = device->backend->measure_ceilings(device, on_ceiling, ret, err);
    device_close(device);
    return code;
}

static const struct ceiling *find(const struct seen *seen, const char *name, const char *power_mode) {
    for (size_t i = 0; i < seen->count; ++i)
        if (str_equal(seen->ceilings[i].name, name) && str_equal(seen->ceilings[i].power_mode, power_mode))
            return &seen->ceilings[i];
    return NULL;
}

static void every_figure_is_that_of_the_device(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double value;
    } wanted[] = {
        {"read_gb_per_s", DEV_HOST_BYTES_PER_NS},
        {"write_gb_per_s", DEV_HOST_BYTES_PER_NS},
        {"copy_gb_per_s", DEV_HOST_BYTES_PER_NS}, // read and written bytes
        {"l2_read_gb_per_s", DEV_HOST_CACHED_PER_NS},
        {"fp32_fma_gflop_per_s", DEV_HOST_FMA_FLOP_PER_NS},
        {"fp16_matrix_gflop_per_s", DEV_HOST_E4M3_FLOP_PER_NS / 2},
        {"bf16_matrix_gflop_per_s", DEV_HOST_E4M3_FLOP_PER_NS / 2},
        {"tf32_matrix_gflop_per_s", DEV_HOST_E4M3_FLOP_PER_NS / 4},
        {"e4m3_matrix_gflop_per_s", DEV_HOST_E4M3_FLOP_PER_NS},
    };
    enum { COUNT = sizeof wanted / sizeof *wanted };
    static const char *const modes[] = {"cool", "sustained"};
    struct seen seen;
    struct err err = {0};
    if (measure("call_ns=1000,l2_kib=64", &seen, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(seen.count, 2 * COUNT);
    for (size_t i = 0; i < COUNT; ++i) {
        assert_non_null(ceiling_kind_find(wanted[i].name));
        for (size_t m = 0; m < 2; ++m) {
            const struct ceiling *ceiling = find(&seen, wanted[i].name, modes[m]);
            assert_non_null(ceiling);
            // The start of a grid counts: 1 us of 2 ms.
            assert_true(ceiling->value <= wanted[i].value && ceiling->value > 0.999 * wanted[i].value);
            assert_true(fabs(ceiling->clock_hz / 1.5e9 - 1) < 1e-3);
        }
    }
}

// The rate of an instruction that is not the chip's widest one would be no ceiling.
static void a_chip_has_what_it_has(void **state) {
    (void)state;
    struct seen seen;
    struct err err = {0};
    if (measure("call_ns=1000,l2_kib=64,capability=80", &seen, &err) < 0) fail_msg("%s", err.text);
    assert_non_null(find(&seen, "bf16_matrix_gflop_per_s", "cool"));
    assert_null(find(&seen, "e4m3_matrix_gflop_per_s", "cool"));
    if (measure("call_ns=1000,l2_kib=64,capability=89", &seen, &err) < 0) fail_msg("%s", err.text);
    assert_non_null(find(&seen, "e4m3_matrix_gflop_per_s", "cool"));
    if (measure("call_ns=1000,l2_kib=64,capability=100", &seen, &err) < 0) fail_msg("%s", err.text);
    assert_null(find(&seen, "bf16_matrix_gflop_per_s", "sustained"));
    assert_non_null(find(&seen, "fp32_fma_gflop_per_s", "sustained"));
}

static void errors_are_sentences(void **state) {
    (void)state;
    struct seen seen;
    struct err err = {0};
    assert_int_equal(measure("call_ns=1000,l2_kib=64,fail=mem_alloc:4:2", &seen, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "measuring the bandwidth"));
    assert_int_equal(seen.count, 0);
    err = (struct err){0};
    assert_int_equal(measure("call_ns=1000,l2_kib=64,fail=module_load_data:2:218", &seen, &err),
                     -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "rejects the kernels that measure ceilings"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_is_that_of_the_device),
        cmocka_unit_test(a_chip_has_what_it_has),
        cmocka_unit_test(errors_are_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
