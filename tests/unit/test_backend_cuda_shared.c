// SPDX-License-Identifier: Apache-2.0
//
// Memory of a GPU that processes share, and other processes on it, with the driver of tests/fakes: a child
// process maps a buffer of ours and writes it.
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "worker/backend/cuda/cuda_device_internal.h"

#define DRIVER ASSAY_FAKES_DIR "/libfake_cuda.so"

static struct err err;

static void *fake_function(const char *symbol) {
    void *library = dlopen(DRIVER, RTLD_NOW);
    void *found = library ? dlsym(library, symbol) : NULL;
    assert_non_null(found);
    dlclose(library);
    return found;
}

static void restart(const char *script) {
    void (*function)(void);
    void *found = fake_function("fake_cuda_restart");
    memcpy(&function, &found, sizeof found);
    setenv("ASSAY_FAKE_CUDA", script, 1);
    function();
}

static void occupy(unsigned waits, unsigned us) {
    void (*function)(unsigned, unsigned);
    void *found = fake_function("fake_cuda_occupy");
    memcpy(&function, &found, sizeof found);
    function(waits, us);
}

static size_t used_bytes(void) {
    size_t (*function)(void);
    void *found = fake_function("fake_cuda_used_bytes");
    memcpy(&function, &found, sizeof found);
    return function();
}

static struct device *open_with(const char *script) {
    struct device *device = NULL;
    restart(script);
    const struct device_request request = {.device = "cuda:0", .thread_count = 1};
    err = (struct err){0};
    if (device_open(&request, &device, &err) < 0) fail_msg("%s", err.text);
    return device;
}

static void assert_says(const char *part) {
    if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
}

static struct buffer_window window_of(const struct buffer *buffer) {
    return (struct buffer_window){
        .bytes = buffer->bytes, .front_bytes = buffer->front_bytes, .back_bytes = buffer->back_bytes};
}

// What another process does with a buffer of ours: reads it, writes its data and, past_end bytes behind it, a
// guard.
static void use_in_child(struct device *device, const struct buffer *shared, size_t past_end) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct buffer_window window = window_of(shared);
        struct buffer seen = {0};
        const int fd = dup(shared->fd);
        if (backend_cuda.buffer_import(device, "t", &window, fd, &seen, &err) < 0) _exit(2);
        unsigned char *data = seen.data;
        const bool is_right = seen.data != shared->data && data[0] == 1 && data[seen.bytes - 1] == 2 &&
                              data[-1] == CUDA_GUARD_BYTE && data[seen.bytes] == CUDA_GUARD_BYTE;
        data[1] = 77;
        data[seen.bytes + past_end] = 0;
        backend_cuda.buffer_free(device, &seen);
        _exit(!is_right || fcntl(fd, F_GETFD) >= 0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_shared_buffers(void **state) {
    (void)state;
    struct device *device = open_with("");
    const size_t before = used_bytes();
    static const size_t sizes[] = {1000, (2u << 20) - 1, 5u << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        const struct buffer_spec spec = {.label = "t",
                                         .bytes = sizes[i],
                                         .alignment = 256,
                                         .shift_bytes = 512,
                                         .sharing = BUFFER_SHARED_OUT};
        struct buffer buffer = {0};
        if (backend_cuda.buffer_alloc(device, &spec, &buffer, &err) < 0) fail_msg("%s", err.text);
        assert_true(buffer.is_shared && buffer.fd >= 0);
        assert_int_equal((used_bytes() - before) % (2u << 20), 0);
        assert_int_equal((uintptr_t)buffer.data % 256, 0);
        assert_true(buffer.front_bytes >= CUDA_GUARD_BYTES && buffer.back_bytes >= CUDA_GUARD_BYTES);
        int64_t distance = 0;
        assert_false(backend_cuda.buffer_is_violated(device, &buffer, &distance));
        unsigned char *host = buffer.host;
        host[0] = 1;
        host[1] = 0;
        host[sizes[i] - 1] = 2;
        assert_int_equal(backend_cuda.buffer_upload(device, &buffer, &err), 0);
        use_in_child(device, &buffer, 300);
        assert_int_equal(backend_cuda.buffer_download(device, &buffer, &err), 0);
        assert_int_equal(host[1], 77);
        assert_true(backend_cuda.buffer_is_violated(device, &buffer, &distance));
        assert_int_equal(distance, 300);
        const int fd = buffer.fd;
        backend_cuda.buffer_free(device, &buffer);
        assert_int_equal(fcntl(fd, F_GETFD), -1);
        assert_int_equal(used_bytes(), before);
    }
    device_close(device);
}

// Rows that are mapped far apart are those of the buffer, and writing one of them there writes it.
static void test_far_rows(void **state) {
    (void)state;
    const struct far_rows far = {.count = 5, .row_bytes = 1008, .step_bytes = UINT64_C(1) << 30};
    struct device *device = open_with("");
    const size_t before = used_bytes();
    const struct buffer_spec spec = {
        .label = "t", .bytes = 5 * 1008 - 8, .alignment = 256, .sharing = BUFFER_SHARED_OUT};
    struct buffer buffer = {0}, seen = {0};
    if (backend_cuda.buffer_alloc(device, &spec, &buffer, &err) < 0) fail_msg("%s", err.text);
    struct buffer_window window = window_of(&buffer);
    window.far = far;
    unsigned char *host = buffer.host;
    for (size_t i = 0; i < buffer.bytes; ++i) host[i] = (unsigned char)(i / 1008 + 1);
    assert_int_equal(backend_cuda.buffer_upload(device, &buffer, &err), 0);
    if (backend_cuda.buffer_import(device, "t", &window, dup(buffer.fd), &seen, &err) < 0)
        fail_msg("%s", err.text);
    unsigned char *data = seen.data;
    for (size_t r = 0; r < far.count; ++r) {
        unsigned char *row = data + r * (far.step_bytes + far.row_bytes);
        assert_int_equal(row[0], r + 1);
        assert_int_equal(row[far.row_bytes - 9], r + 1);
        row[3] = (unsigned char)(100 + r);
    }
    assert_int_equal(backend_cuda.buffer_download(device, &buffer, &err), 0);
    for (size_t r = 0; r < far.count; ++r) assert_int_equal(host[r * far.row_bytes + 3], 100 + r);
    backend_cuda.buffer_free(device, &seen);
    backend_cuda.buffer_free(device, &buffer);
    assert_int_equal(used_bytes(), before);
    device_close(device);
    // the fourth window cannot be mapped (the buffer itself is the first call): nothing stays mapped
    device = open_with("fail=mem_map:5:999");
    assert_int_equal(backend_cuda.buffer_alloc(device, &spec, &buffer, &err), 0);
    assert_int_equal(backend_cuda.buffer_import(device, "t", &window, dup(buffer.fd), &seen, &err),
                     -ERR_UNAVAILABLE);
    assert_says("cannot map tensor 't'");
    backend_cuda.buffer_free(device, &buffer);
    assert_int_equal(used_bytes(), before);
    device_close(device);
}

// Each call that can fail does, and leaves nothing behind.
static void test_sharing_fails(void **state) {
    (void)state;
    static const char *const members[] = {"mem_create", "mem_export", "mem_reserve", "mem_map",
                                          "mem_set_access"};
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
        char script[64];
        snprintf(script, sizeof script, "fail=%s:1:999", members[i]);
        struct device *device = open_with(script);
        const size_t before = used_bytes();
        const struct buffer_spec spec = {
            .label = "t", .bytes = 100, .alignment = 256, .sharing = BUFFER_SHARED_IN};
        struct buffer buffer = {0};
        assert_int_equal(backend_cuda.buffer_alloc(device, &spec, &buffer, &err), -ERR_UNAVAILABLE);
        assert_says("tensor 't'");
        assert_int_equal(used_bytes(), before);
        device_close(device);
    }
    struct device *device = open_with("fail=mem_get_granularity:1:999");
    struct buffer_spec spec = {
        .label = "t", .bytes = 16u << 20, .alignment = 256, .sharing = BUFFER_SHARED_IN};
    struct buffer buffer = {0};
    assert_int_equal(backend_cuda.buffer_alloc(device, &spec, &buffer, &err), -ERR_UNAVAILABLE);
    assert_says("cannot share memory between processes by descriptor");
    spec.sharing = BUFFER_PRIVATE; // has memory of another kind
    assert_int_equal(backend_cuda.buffer_alloc(device, &spec, &buffer, &err), 0);
    backend_cuda.buffer_free(device, &buffer);
    device_close(device);
    spec.sharing = BUFFER_SHARED_IN;
    device = open_with("memory_mib=8");
    assert_int_equal(backend_cuda.buffer_alloc(device, &spec, &buffer, &err), -ERR_UNAVAILABLE);
    assert_says("no memory for tensor 't': ");
    device_close(device);
}

static void assert_share_begins(const char *script, const char *part) {
    struct device *device = open_with(script);
    const int code = backend_cuda.share_begin(device, &err);
    assert_int_equal(code, part ? -ERR_UNAVAILABLE : 0);
    if (part) assert_says(part);
    device_close(device);
}

static void test_devices_that_share_nothing(void **state) {
    (void)state;
    assert_share_begins("", NULL);
    assert_share_begins("compute_mode=3", "cuda:0 is in compute mode 'Exclusive_Process'");
    assert_share_begins("compute_mode=2", "in compute mode 'Prohibited'");
    assert_share_begins("shares=nothing", "cannot share memory between processes by descriptor");
}

// 0: at once, in one of several looks. The fake's clock of a wait is that of this machine.
static void assert_begins_after(struct device *device, double ns) {
    double turn_ns, least_ns = INFINITY;
    for (int i = 0; i < (ns > 0 ? 1 : 20); ++i) {
        (void)backend_cuda.wait_for_others(device, &turn_ns);
        least_ns = fmin(least_ns, turn_ns);
    }
    assert_true(ns > 0 ? least_ns >= ns && isfinite(least_ns) : least_ns < 1000000);
}

static void test_others_on_the_device(void **state) {
    (void)state;
    struct device *device = open_with("");
    double turn_ns;
    assert_int_equal(backend_cuda.wait_for_others(device, &turn_ns), 0); // nothing is known yet
    assert_true(turn_ns == INFINITY);
    assert_int_equal(backend_cuda.share_begin(device, &err), 0);
    uint64_t quiet_ns = 1; // this machine may be held up too
    for (int i = 0; i < 20 && quiet_ns; ++i) quiet_ns = backend_cuda.wait_for_others(device, NULL);
    assert_int_equal(quiet_ns, 0);
    assert_begins_after(device, 0);
    occupy(4, 20000);
    assert_true(backend_cuda.wait_for_others(device, NULL) >= CUDA_LONGEST_WAIT_NS);
    occupy(1, 5000);
    assert_begins_after(device, 4000000);
    uint64_t waited_ns = CUDA_LONGEST_WAIT_NS; // one turn of another process that is over
    for (int i = 0; i < 20 && waited_ns >= CUDA_LONGEST_WAIT_NS; ++i) {
        occupy(1, 5000);
        waited_ns = backend_cuda.wait_for_others(device, NULL);
    }
    assert_true(waited_ns < CUDA_LONGEST_WAIT_NS);
    occupy(0, 0);
    device_close(device);
}

int main(void) {
    setenv("ASSAY_CUDA_DRIVER", DRIVER, 1);
    setenv("ASSAY_NVML", "/no/such/libnvidia-ml.so", 1);
    const struct cuda_driver *driver; // stays loaded, which fake_function counts on
    if (cuda_driver_get(&driver, &err) < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_buffers),       cmocka_unit_test(test_far_rows),
        cmocka_unit_test(test_sharing_fails),        cmocka_unit_test(test_devices_that_share_nothing),
        cmocka_unit_test(test_others_on_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
