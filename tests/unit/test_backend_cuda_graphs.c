// SPDX-License-Identifier: Apache-2.0
//
// Which batches of the cuda backend share a captured graph, with a driver that has no GPU (tests/fakes): a
// launch is called while its graph is captured, and not when that is replayed.
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "worker/backend/cuda/cuda_device_internal.h"

#define DRIVER ASSAY_FAKES_DIR "/libfake_cuda.so"

static struct device *device;
static uint32_t launch_calls;

static void put_nothing(void *arg) {
    (void)arg;
}

static int launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    (void)state, (void)tensors, (void)workspace, (void)message;
    int (*launch_host_func)(void *, void (*)(void *), void *);
    void *library = dlopen(DRIVER, RTLD_NOW);
    void *found = library ? dlsym(library, "cuLaunchHostFunc") : NULL;
    if (!found) return ASSAY_FAILED;
    memcpy(&launch_host_func, &found, sizeof found);
    ++launch_calls;
    const int code = launch_host_func(stream, put_nothing, NULL);
    dlclose(library);
    return code ? ASSAY_FAILED : ASSAY_OK;
}

static uint32_t captured_launches(const struct batch *batch) {
    struct batch_time time;
    launch_calls = 0;
    assert_int_equal(backend_cuda.run(device, batch, &time, NULL), ASSAY_OK);
    return launch_calls;
}

// Sets are told apart by the addresses of their tensors, whether or not somebody has made keys of them.
static void test_sets(void **state) {
    (void)state;
    const struct assay_kernel kernel = {.launch = launch};
    char data[2];
    struct assay_tensor tensors[2] = {{.data = &data[0]}, {.data = &data[0]}};
    struct assay_tensors sets[2];
    uint64_t keys[2];
    for (int k = 0; k < 2; ++k) {
        sets[k] =
            (struct assay_tensors){.tensor_count = 1, .tensor_bytes = sizeof *tensors, .items = &tensors[k]};
        keys[k] = batch_set_key(&sets[k]);
    }
    assert_true(keys[0] == keys[1]);
    struct batch batch = {.kernel = &kernel, .sets = sets, .set_count = 2, .launches = 3, .is_timed = true};
    assert_int_equal(captured_launches(&batch), 3);
    batch.set_keys = keys;
    assert_int_equal(captured_launches(&batch), 0);
    tensors[1].data = &data[1]; // mapped anew
    keys[1] = batch_set_key(&sets[1]);
    assert_true(keys[0] != keys[1]);
    assert_int_equal(captured_launches(&batch), 3);
    batch.set_keys = NULL;
    assert_int_equal(captured_launches(&batch), 0);
    batch.set_keys = (const uint64_t[]){keys[1], keys[0]}; // the other way round
    assert_int_equal(captured_launches(&batch), 3);
}

static int begin(void **state) {
    (void)state;
    const struct device_request request = {.device = "cuda:0", .thread_count = 1};
    struct err err = {0};
    setenv("ASSAY_CUDA_DRIVER", DRIVER, 1);
    if (device_open(&request, &device, &err) < 0) fail_msg("%s", err.text);
    return 0;
}

static int end(void **state) {
    (void)state;
    device_close(device);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sets)};
    return cmocka_run_group_tests(tests, begin, end);
}
