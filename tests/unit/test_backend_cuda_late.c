// SPDX-License-Identifier: Apache-2.0
//
// Inputs that come in the middle of a timed batch (late_inputs.h), with a driver that has no GPU.
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "worker/backend/backend.h"
#include "worker/backend/cuda/cuda_device_internal.h"
#include "worker/backend/late_inputs.h"

#define SETS     3
#define LAUNCHES 6
#define VALUE    99.0f // of the inputs that come late
#define RUNS     (8 * LAUNCHES)

static struct device *device;
static float *inputs, *outputs; // [SETS], in memory of the device
static struct assay_tensor items[SETS][2];
static struct assay_tensors sets[SETS];
static float seen[RUNS]; // by every launch, in order
static uint32_t run_count;

// On the "device": notes what the set holds, and leaves the number of the run, from 1.
static void run_on_device(void *arg) {
    const float *input = arg;
    seen[run_count++ % RUNS] = *input;
    outputs[input - inputs] = (float)run_count;
}

static int launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    (void)state, (void)workspace, (void)message;
    int (*launch_host_func)(void *stream, void (*function)(void *arg), void *arg);
    void *found = dlsym(cuda_device_of(device)->driver->library, "cuLaunchHostFunc");
    memcpy(&launch_host_func, &found, sizeof found);
    return launch_host_func(stream, run_on_device, tensors->items[0].data) ? ASSAY_FAILED : ASSAY_OK;
}

static const struct assay_kernel kernel = {.name = "scripted", .launch = launch};

static int open_device(void **state) {
    (void)state;
    setenv("ASSAY_CUDA_DRIVER", ASSAY_FAKES_DIR "/libfake_cuda.so", 1);
    const struct device_request request = {.device = "cuda:0"};
    void *memory;
    if (device_open(&request, &device, NULL) < 0 ||
        device->backend->work->scratch_alloc(device, 2 * SETS * sizeof *inputs, &memory, NULL) < 0)
        return -1;
    inputs = memory;
    outputs = inputs + SETS;
    for (size_t k = 0; k < SETS; ++k) {
        for (size_t i = 0; i < 2; ++i)
            items[k][i] = (struct assay_tensor){.data = i ? &outputs[k] : &inputs[k],
                                                .dtype = ASSAY_FP32,
                                                .access = i ? ASSAY_OUT : ASSAY_IN,
                                                .dim_count = 1,
                                                .shape = {1},
                                                .stride = {1}};
        sets[k] = (struct assay_tensors){.struct_size = sizeof sets[k],
                                         .tensor_count = 2,
                                         .tensor_bytes = sizeof items[k][0],
                                         .items = items[k]};
    }
    return 0;
}

static int close_device(void **state) {
    (void)state;
    device->backend->work->scratch_free(device, inputs);
    device_close(device);
    return 0;
}

static void test_places(void **state) {
    (void)state;
    bool is_kept[LATE_PLACES_MAX] = {false};
    for (uint64_t seed = 0; seed < 400; ++seed) {
        const struct late_inputs late = {.seed = seed};
        const struct late_places few = late_inputs_places(&late, 8, 5),
                                 whole = late_inputs_places(&late, 8, 40),
                                 many = late_inputs_places(&late, 1, 1000);
        assert_int_equal(few.count, 1);
        assert_in_range(few.items[0], 0, 4);
        assert_int_equal(whole.count, 5); // one a rotation
        for (uint32_t i = 0; i < 5; ++i) assert_in_range(whole.items[i], 8 * i, 8 * i + 7);
        assert_int_equal(many.count, LATE_PLACES_MAX);
        assert_in_range(many.items[many.count - 1], 900, 999);
        is_kept[many.kept] = true;
        assert_int_equal(late_inputs_places(&late, 2, 32).count, 16);
        assert_int_equal(late_inputs_places(&late, 2, 34).count, 9); // in every second of 17
    }
    for (uint32_t i = 0; i < LATE_PLACES_MAX; ++i) assert_true(is_kept[i]);
}

// Runs a batch in which VALUE comes late, and checks what every launch has read, and whose output is left.
static void run_late(const struct batch *batch) {
    const struct late_places places = late_inputs_places(batch->late, SETS, LAUNCHES);
    const uint32_t before = run_count, kept = places.items[places.kept];
    struct batch_time time;
    float value[SETS] = {0, 1, 2};
    memcpy(inputs, value, sizeof value);
    assert_int_equal(device->backend->run(device, batch, &time, NULL), ASSAY_OK);
    for (uint32_t i = 0, k = 0; i < LAUNCHES; ++i) {
        if (k < places.count && places.items[k] == i) value[i % SETS] = VALUE, ++k;
        assert_true(seen[(before + i) % RUNS] == value[i % SETS]);
    }
    for (uint32_t k = 0; k < SETS; ++k) {
        const uint32_t last = LAUNCHES - SETS + k;
        assert_true(outputs[k] == (float)(before + 1 + (k == kept % SETS ? kept : last)));
    }
}

static void test_inputs_come(void **state) {
    (void)state;
    struct late_inputs late = {0};
    const struct batch batch = {.kernel = &kernel,
                                .sets = sets,
                                .set_count = SETS,
                                .launches = LAUNCHES,
                                .is_timed = true,
                                .late = &late};
    inputs[0] = VALUE;
    assert_int_equal(late_inputs_keep(device, &sets[0], &late, NULL), 0);
    for (late.seed = 1; late.seed < 9; ++late.seed) run_late(&batch); // captured anew for each
    const struct late_places places = late_inputs_places(&late, SETS, LAUNCHES);
    assert_int_equal(late_inputs_copies(&sets[0], &places), 2 + 2);
    assert_int_equal(late_inputs_moved_bytes(&sets[0], &places), (2 + 2) * 2 * sizeof *inputs);
    late_inputs_drop(device, &late);
    assert_null(late.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test_setup_teardown(test_inputs_come, open_device, close_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
