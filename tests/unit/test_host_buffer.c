// SPDX-License-Identifier: Apache-2.0
//
// Guarded host memory: rows of a shared buffer mapped far apart, and what a fault between them is called.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "worker/backend/host_buffer.h"

#define ROW_BYTES 1008
#define ROWS      70

static struct err err;

static struct buffer shared(enum buffer_sharing sharing) {
    const struct buffer_spec spec = {
        .label = "t", .bytes = ROWS * ROW_BYTES - 8, .alignment = 256, .sharing = sharing};
    struct buffer ret = {0};
    if (host_buffer_alloc(NULL, &spec, &ret, &err) < 0) fail_msg("%s", err.text);
    for (size_t i = 0; i < ret.bytes && sharing != BUFFER_SHARED_IN; ++i)
        ((unsigned char *)ret.data)[i] = (unsigned char)(i / ROW_BYTES + 1);
    return ret;
}

static struct buffer mapped_far(const struct buffer *buffer, const struct far_rows *far) {
    const struct buffer_window window = {.bytes = buffer->bytes,
                                         .front_bytes = buffer->front_bytes,
                                         .back_bytes = buffer->back_bytes,
                                         .is_read_only = buffer->is_read_only,
                                         .far = *far};
    struct buffer ret = {0};
    if (host_buffer_import(NULL, "t", &window, dup(buffer->fd), &ret, &err) < 0) fail_msg("%s", err.text);
    return ret;
}

static struct buffer_fault fault_at(const void *address) {
    struct buffer_fault ret = {0};
    assert_true(host_buffer_find_fault(address, &ret));
    assert_string_equal(ret.label, "t");
    return ret;
}

static void test_far_rows(void **state) {
    (void)state;
    const struct far_rows far = {ROWS, ROW_BYTES, UINT64_C(64) << 20};
    const uint64_t pitch = far.step_bytes + far.row_bytes;
    struct buffer buffer = shared(BUFFER_SHARED_OUT), seen = mapped_far(&buffer, &far);
    unsigned char *data = seen.data, *behind = buffer.data;
    assert_int_equal(seen.bytes, (ROWS - 1) * far.step_bytes + buffer.bytes);
    for (size_t r = 0; r < ROWS; ++r) {
        const size_t last = r + 1 < ROWS ? ROW_BYTES - 1 : ROW_BYTES - 9;
        assert_int_equal(data[r * pitch], r + 1);
        assert_int_equal(data[r * pitch + last], r + 1);
        data[r * pitch + 3] = (unsigned char)(100 + r);
        assert_int_equal(behind[r * ROW_BYTES + 3], 100 + r);
    }
    int64_t distance;
    assert_false(host_buffer_is_violated(NULL, &buffer, &distance));
    host_buffer_free(NULL, &seen);
    host_buffer_free(NULL, &buffer);
}

static void test_places(void **state) {
    (void)state;
    const struct far_rows far = {ROWS, ROW_BYTES, UINT64_C(64) << 20};
    const uint64_t pitch = far.step_bytes + far.row_bytes;
    struct buffer buffer = shared(BUFFER_SHARED_IN), seen = mapped_far(&buffer, &far);
    const unsigned char *data = seen.data;
    assert_int_equal(fault_at(data + 2 * pitch).place, BUFFER_INSIDE); // an input is not written
    assert_int_equal(fault_at(data + 2 * pitch + ROW_BYTES - 1).place, BUFFER_INSIDE);
    assert_int_equal(fault_at(data + 2 * pitch + ROW_BYTES).place, BUFFER_BETWEEN_ROWS);
    assert_int_equal(fault_at(data + 3 * pitch - 1).place, BUFFER_BETWEEN_ROWS);
    assert_int_equal(fault_at(data + 3 * pitch - 1).distance_bytes, 3 * pitch - 1);
    assert_int_equal(fault_at(data - 1).place, BUFFER_BEFORE);
    assert_int_equal(fault_at(data + seen.bytes).place, BUFFER_PAST_END);
    assert_int_equal(fault_at(data + seen.bytes).distance_bytes, 0);
    host_buffer_free(NULL, &seen);
    host_buffer_free(NULL, &buffer);
    struct buffer_fault none;
    assert_false(host_buffer_find_fault(data, &none));
}

static size_t memory_of(size_t bytes) {
    const struct buffer_spec spec = {
        .label = "t", .bytes = bytes, .alignment = 256, .sharing = BUFFER_SHARED_OUT};
    struct buffer buffer = {0};
    struct stat stat;
    if (host_buffer_alloc(NULL, &spec, &buffer, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(fstat(buffer.fd, &stat), 0);
    host_buffer_free(NULL, &buffer);
    return (size_t)stat.st_blocks * 512;
}

// Small ones have all of their pages at once, large ones those of the known bytes around the data.
static void test_large_ones_stay_empty(void **state) {
    (void)state;
    const size_t around = 2 * (size_t)sysconf(_SC_PAGESIZE);
    assert_true(memory_of(HOST_BUFFER_POPULATED_MAX - around) >= HOST_BUFFER_POPULATED_MAX - around);
    assert_true(memory_of(HOST_BUFFER_POPULATED_MAX) <= 2 * around);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_rows),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_large_ones_stay_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
