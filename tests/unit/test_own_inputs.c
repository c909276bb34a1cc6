// SPDX-License-Identifier: Apache-2.0
//
// What rotation sets find between samples: their own inputs again, and outputs whose signs are changed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "op/dtype.h"
#include "worker/backend/backend.h"
#include "worker/check/case_buffers.h"
#include "worker/check/tensor_rows.h"
#include "worker/order/own_inputs.h"

static struct device *device;

static int open_device(void **state) {
    (void)state;
    struct err err;
    return device_open(&(struct device_request){.device = "cpu"}, &device, &err);
}

static int close_device(void **state) {
    (void)state;
    device_close(device);
    return 0;
}

// Every element's sign and no gap, of rows that are no whole words.
static void test_negate(void **state) {
    (void)state;
    static const int32_t dtypes[] = {ASSAY_FP16, ASSAY_FP32, ASSAY_FP64, ASSAY_INT8};
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; ++t) {
        const size_t step = dtype_bytes(dtypes[t]);
        unsigned char data[3 * 8 * 8], wanted[sizeof data];
        for (size_t i = 0; i < sizeof data; ++i) wanted[i] = data[i] = (unsigned char)(3 * i);
        for (size_t row = 0; row < 3; ++row)
            for (size_t i = 0; i < 5; ++i) wanted[(row * 7 + i) * step + step - 1] ^= 0x80;
        const struct assay_tensor tensor = {
            .dtype = dtypes[t], .dim_count = 2, .shape = {3, 5}, .stride = {7, 1}, .data = data};
        tensor_negate(&tensor);
        assert_memory_equal(data, wanted, sizeof data);
    }
}

static struct case_buffers *filled(const char *name, enum memory_layout memory_layout, uint64_t seed) {
    struct problem problem;
    struct err err;
    if (problem_parse(&operators_compiled, name, &problem, &err) < 0) fail_msg("%s", err.text);
    struct case_buffers *buffers = mem_alloc(sizeof *buffers);
    assert_int_equal(case_buffers_init(buffers, device, &problem,
                                       &(struct case_memory){.memory_layout = memory_layout}, &err),
                     0);
    if (case_buffers_fill(buffers, "normal", seed, &err) < 0) fail_msg("%s", err.text);
    return buffers;
}

static void release(struct case_buffers *buffers) {
    case_buffers_fini(buffers);
    free(buffers);
}

// A set that had fresh inputs has its own again, bit by bit and by its hashes, as if drawn from its seed.
// Where a kernel could have written to them nothing is kept.
static void test_own_inputs(void **state) {
    (void)state;
    struct own_inputs own = {0};
    struct err err = {0};
    struct case_buffers *buffers = filled("attention/fp32/b1/h1/s16/d16", MEMORY_LAYOUT_DENSE, 7);
    own_inputs_keep(&own, 2, buffers);
    assert_false(own_inputs_restore(&own, 2, buffers, 7));
    buffers->is_apart = true; // its tensors stay where they are
    own_inputs_keep(&own, 2, buffers);
    char hash[HASH_HEX_BYTES];
    memcpy(hash, buffers->input_hash[1], sizeof hash);
    assert_int_equal(case_buffers_fill(buffers, "normal", 8, &err), 0);
    assert_memory_not_equal(hash, buffers->input_hash[1], sizeof hash);
    own_inputs_keep(&own, 2, buffers); // it has been
    assert_false(own_inputs_restore(&own, 1, buffers, 7));
    assert_true(own_inputs_restore(&own, 2, buffers, 7));
    struct case_buffers *drawn = filled("attention/fp32/b1/h1/s16/d16", MEMORY_LAYOUT_DENSE, 7);
    assert_int_equal(buffers->seed, 7);
    for (uint32_t i = 0; i < drawn->input_count; ++i) {
        assert_memory_equal(buffers->host[i].data, drawn->host[i].data,
                            (size_t)tensor_span_bytes(&drawn->host[i]));
        assert_memory_equal(buffers->input_hash[i], drawn->input_hash[i], sizeof hash);
    }
    own_inputs_fini(&own);
    release(drawn);
    release(buffers);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_negate), cmocka_unit_test(test_own_inputs)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
