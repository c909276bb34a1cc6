// SPDX-License-Identifier: Apache-2.0
//
// The cuda backend with a driver that has no GPU (tests/fakes): unusable drivers, names of devices, guards of
// buffers, copies, messages of failures, and that everything is released, also after a lost context.
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "worker/backend/cuda/cuda_device_internal.h"

#define DRIVER  ASSAY_FAKES_DIR "/libfake_cuda.so"
#define LACKING ASSAY_FAKES_DIR "/libfake_cuda_lacking.so"

static struct err err;

// ---- the driver of the tests ----

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

static void break_context(int code) {
    void (*function)(int);
    void *found = fake_function("fake_cuda_break");
    memcpy(&function, &found, sizeof found);
    function(code);
}

static size_t used_bytes(void) {
    size_t (*function)(void);
    void *found = fake_function("fake_cuda_used_bytes");
    memcpy(&function, &found, sizeof found);
    return function();
}

static int try_open(const char *name, struct device **ret) {
    const struct device_request request = {.device = name, .thread_count = 1};
    err = (struct err){0};
    return device_open(&request, ret, &err);
}

static struct device *open_with(const char *script) {
    struct device *device = NULL;
    restart(script);
    if (try_open("cuda:0", &device) < 0) fail_msg("%s", err.text);
    return device;
}

static void assert_says(const char *part) {
    if (!strstr(err.text, part)) fail_msg("'%s' is not in '%s'", part, err.text);
}

// ---- loading; these come first: a driver that was loaded stays ----

static void assert_not_loaded(const char *path, const char *script, const char *part) {
    const struct cuda_driver *driver = NULL;
    setenv("ASSAY_CUDA_DRIVER", path, 1);
    setenv("ASSAY_FAKE_CUDA", script, 1);
    err = (struct err){0};
    assert_int_equal(cuda_driver_get(&driver, &err), -ERR_UNAVAILABLE);
    assert_null(driver);
    assert_says(part);
}

static void test_drivers_that_do_not_load(void **state) {
    (void)state;
    assert_not_loaded("/no/such/file.so", "", "/no/such/file.so");
    assert_not_loaded(LACKING, "", "lacks the function cuGraphUpload");
    assert_not_loaded(DRIVER, "version=11080", "it knows CUDA 11.8, assay needs 12.0");
    assert_not_loaded(DRIVER, "devices=0", "CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected");
    assert_not_loaded(DRIVER, "devices=0", "CUDA_VISIBLE_DEVICES");
    assert_not_loaded(DRIVER, "fail=init:0:802", "fabric manager");
    assert_not_loaded(DRIVER, "fail=init:0:777", "CUDA error 777");
    const struct cuda_driver *driver = NULL;
    setenv("ASSAY_FAKE_CUDA", "", 1);
    if (cuda_driver_get(&driver, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(driver->version, 13000);
}

// ---- names ----

static int find(const char *name) {
    const struct cuda_driver *driver = NULL;
    cuda_device_ordinal ordinal = -1;
    int index = -1;
    err = (struct err){0};
    assert_int_equal(cuda_driver_get(&driver, &err), 0);
    const int code = cuda_find_device(driver, name, &ordinal, &index, &err);
    assert_true(code < 0 || ordinal == index);
    return code < 0 ? code : index;
}

static void test_names_of_devices(void **state) {
    (void)state;
    restart("devices=3");
    assert_int_equal(find("cuda"), 0);
    assert_int_equal(find("cuda:2"), 2);
    assert_int_equal(find("GPU-fa4e0000-0000-0000-0000-000000000001"), 1);
    assert_int_equal(find("cuda:gpu-FA4E0000-0000-0000-0000-000000000002"), 2);
    assert_int_equal(find("cuda:3"), -ERR_UNAVAILABLE);
    assert_says("only cuda:0 to cuda:2");
    assert_int_equal(find("GPU-fa4e"), -ERR_USAGE);
    assert_says("3 GPUs have a UUID that begins with 'GPU-fa4e'");
    assert_int_equal(find("GPU-0"), -ERR_UNAVAILABLE);
    assert_says("GPU-fa4e0000-0000-0000-0000-000000000000");
    static const char *const no_names[] = {"cuda:x", "cuda:-1", "cuda:0x", "cuda:99999999999999999999"};
    for (size_t i = 0; i < sizeof no_names / sizeof *no_names; ++i)
        assert_int_equal(find(no_names[i]), -ERR_USAGE);
    restart("");
    assert_int_equal(find("GPU-fa"), 0); // a beginning is enough when only one has it
}

static void test_uuid_text(void **state) {
    (void)state;
    const cuda_uuid uuid = {{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0, 1, 2, 3, 4, 5, 6, 0xff}};
    char text[CUDA_UUID_TEXT_BYTES];
    cuda_uuid_format(&uuid, text);
    assert_string_equal(text, "GPU-01234567-89ab-cdef-0001-0203040506ff");
}

static void test_list(void **state) {
    (void)state;
    struct device_info infos[4];
    restart("devices=2,l2_kib=512");
    assert_int_equal(backend_cuda.list(infos, 4), 2);
    assert_string_equal(infos[1].device, "cuda:1");
    assert_string_equal(infos[1].name, "Fake GPU 1");
    assert_string_equal(infos[1].isa, "sm_90");
    assert_string_equal(infos[1].uuid, "GPU-fa4e0000-0000-0000-0000-000000000001");
    assert_int_equal(infos[0].l2_bytes, 512 << 10);
    assert_int_equal(infos[0].llc_bytes, 512 << 10);
    assert_int_equal(backend_cuda.list(infos, 1), 1);
    restart("devices=0");
    assert_int_equal(backend_cuda.list(infos, 4), 1);
    assert_string_equal(infos[0].device, "");
    assert_non_null(strstr(infos[0].detail, "finds no GPU"));
}

// ---- opening and closing ----

static void test_open(void **state) {
    (void)state;
    const size_t before = used_bytes();
    struct device *device = open_with("l2_kib=512");
    assert_string_equal(device->info.device, "cuda:0");
    assert_int_equal(device->env.device_index, 0);
    assert_int_equal(device->env.cache_bytes, 512 << 10);
    assert_int_equal(device->rotate_bytes, 512 << 10);
    assert_true(device->wants_whole_rotations);
    assert_non_null(device->stream); // never the default one
    assert_non_null(device->host_stream);
    assert_ptr_equal(device->backend->work, &cuda_work);
    assert_int_equal(device->loss, DEVICE_LOSS_NONE);
    device_close(device);
    assert_int_equal(used_bytes(), before);
}

static void test_open_fails(void **state) {
    (void)state;
    static const char *const members[] = {"primary_ctx_retain", "ctx_set_current",   "stream_create",
                                          "module_load_data",   "module_get_global", "mem_host_alloc",
                                          "event_create",       "launch_kernel"};
    const size_t before = used_bytes();
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
        char script[96];
        struct device *device = NULL;
        snprintf(script, sizeof script, "fail=%s:1:999", members[i]);
        restart(script);
        assert_int_equal(try_open("cuda:0", &device), -ERR_UNAVAILABLE);
        assert_null(device);
        assert_says("device 'cuda:0': ");
        assert_says("CUDA_ERROR_UNKNOWN: unknown error; ");
        assert_int_equal(used_bytes(), before);
    }
}

// ---- buffers ----

static struct buffer alloc_buffer(struct device *device, size_t bytes, size_t alignment, bool is_barely,
                                  size_t shift_bytes) {
    const struct buffer_spec spec = {.label = "t",
                                     .bytes = bytes,
                                     .alignment = alignment,
                                     .is_barely_aligned = is_barely,
                                     .shift_bytes = shift_bytes};
    struct buffer buffer = {0};
    if (backend_cuda.buffer_alloc(device, &spec, &buffer, &err) < 0) fail_msg("%s", err.text);
    return buffer;
}

static void test_buffers_lie_as_asked(void **state) {
    (void)state;
    struct device *device = open_with("");
    const size_t before = used_bytes();
    static const struct {
        size_t bytes, alignment, shift_bytes;
        bool is_barely;
    } cases[] = {{1, 16, 0, false},  {1000, 256, 0, false}, {4096, 256, 3840, false},
                 {777, 16, 0, true}, {777, 16, 16, true},   {64, 4096, 4095, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct buffer buffer = alloc_buffer(device, cases[i].bytes, cases[i].alignment, cases[i].is_barely,
                                            cases[i].shift_bytes);
        const uintptr_t address = (uintptr_t)buffer.data;
        assert_int_equal(address % cases[i].alignment, 0);
        if (cases[i].is_barely) assert_int_not_equal(address % (2 * cases[i].alignment), 0);
        assert_true(buffer.front_bytes >= CUDA_GUARD_BYTES + cases[i].shift_bytes);
        assert_true(buffer.back_bytes >= CUDA_GUARD_BYTES);
        assert_ptr_not_equal(buffer.host, buffer.data);
        int64_t distance;
        assert_false(backend_cuda.buffer_is_violated(device, &buffer, &distance));
        backend_cuda.buffer_free(device, &buffer);
        assert_null(buffer.data);
        assert_int_equal(used_bytes(), before);
    }
    device_close(device);
}

// The fake's device memory is ours to spoil, as a kernel would.
static void test_guards(void **state) {
    (void)state;
    struct device *device = open_with("");
    struct buffer buffer = alloc_buffer(device, 1000, 256, false, 512);
    const int64_t ends[] = {-(int64_t)buffer.front_bytes,         -1, -2, 1000, 1001,
                            1000 + (int64_t)buffer.back_bytes - 1};
    unsigned char *data = buffer.data;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        int64_t distance = 99;
        data[ends[i]] ^= 1;
        assert_true(backend_cuda.buffer_is_violated(device, &buffer, &distance));
        assert_int_equal(distance, ends[i] < 0 ? ends[i] : ends[i] - 1000);
        data[ends[i]] ^= 1;
        assert_false(backend_cuda.buffer_is_violated(device, &buffer, &distance));
    }
    int64_t distance = 0;
    data[-7] ^= 1, data[-300] ^= 1;
    assert_true(backend_cuda.buffer_is_violated(device, &buffer, &distance));
    assert_int_equal(distance, -7); // of those before, the one nearest to the data
    backend_cuda.buffer_free(device, &buffer);
    device_close(device);
}

static void test_copies(void **state) {
    (void)state;
    struct device *device = open_with("");
    struct buffer buffer = alloc_buffer(device, 70000, 256, false, 0);
    unsigned char *host = buffer.host, *data = buffer.data;
    for (size_t i = 0; i < buffer.bytes; ++i) host[i] = (unsigned char)(i * 7 + i / 256);
    assert_int_equal(backend_cuda.buffer_upload(device, &buffer, &err), 0);
    assert_memory_equal(host, data, buffer.bytes);
    memset(data, 3, buffer.bytes);
    assert_int_equal(backend_cuda.buffer_download(device, &buffer, &err), 0);
    assert_int_equal(host[0], 3);
    assert_int_equal(host[buffer.bytes - 1], 3);
    void *scratch = NULL;
    assert_int_equal(device->backend->work->scratch_alloc(device, 16, &scratch, &err), 0);
    assert_int_equal(device->backend->work->copy_in(device, scratch, "0123456789abcdef", 16, &err), 0);
    assert_int_equal(device->backend->work->copy(device, data, scratch, 16, &err), 0);
    char back[16];
    assert_int_equal(device->backend->work->copy_out(device, back, data, 16, &err), 0); // waits for the copy
    assert_memory_equal(back, "0123456789abcdef", 16);
    device->backend->work->scratch_free(device, scratch);
    device->backend->work->scratch_free(device, NULL);
    backend_cuda.buffer_free(device, &buffer);
    device_close(device);
}

static void test_out_of_memory(void **state) {
    (void)state;
    struct device *device = open_with("memory_mib=8");
    const size_t before = used_bytes();
    const struct buffer_spec large = {.label = "q", .bytes = (size_t)16 << 20, .alignment = 256};
    const struct buffer_spec none = {.label = "q", .bytes = 0, .alignment = 256};
    struct buffer buffer = {0};
    assert_int_equal(backend_cuda.buffer_alloc(device, &large, &buffer, &err), -ERR_UNAVAILABLE);
    assert_says("no memory for tensor 'q': 18.0 MiB asked for, ");
    assert_says("of 8.0 MiB free on cuda:0: CUDA_ERROR_OUT_OF_MEMORY: out of memory");
    assert_null(buffer.data);
    assert_int_equal(backend_cuda.buffer_alloc(device, &none, &buffer, &err), -ERR_DATA);
    assert_int_equal(used_bytes(), before);
    assert_int_equal(device->loss, DEVICE_LOSS_NONE); // the device is as good as before
    device_close(device);
}

// ---- launches ----

static int fault_code; // what the launch does to the context; 0: nothing
static int launch_status;

static int launch(void *kernel_state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    (void)kernel_state, (void)tensors, (void)workspace, (void)stream;
    if (fault_code) break_context(fault_code);
    return launch_status == ASSAY_OK ? ASSAY_OK : assay_say(message, launch_status, "says the kernel");
}

static int run(struct device *device, char text[512]) {
    const struct assay_kernel kernel = {.launch = launch};
    const struct assay_tensors sets[1] = {{0}};
    const struct batch batch = {.kernel = &kernel, .sets = sets, .set_count = 1, .launches = 2};
    struct assay_message message = {.capacity = 512, .text = text};
    struct batch_time time;
    *text = 0;
    return backend_cuda.run(device, &batch, &time, &message);
}

static void test_a_refused_launch_breaks_nothing(void **state) {
    (void)state;
    char text[512];
    struct device *device = open_with("");
    fault_code = 0;
    launch_status = ASSAY_FAILED;
    assert_int_equal(run(device, text), ASSAY_FAILED);
    assert_string_equal(text, "says the kernel");
    assert_int_equal(device->loss, DEVICE_LOSS_NONE);
    launch_status = ASSAY_OK;
    assert_int_equal(run(device, text), ASSAY_OK);
    device_close(device);
}

static void test_a_lost_device_says_so_again(void **state) {
    (void)state;
    static const struct {
        int code;
        enum device_loss loss;
        const char *name;
    } cases[] = {{700, DEVICE_LOSS_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was"},
                 {716, DEVICE_LOSS_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"},
                 {719, DEVICE_LOSS_OTHER, "CUDA_ERROR_LAUNCH_FAILED"},
                 {999, DEVICE_LOSS_OTHER, "CUDA_ERROR_UNKNOWN"}};
    const size_t before = used_bytes();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char first[512], second[512];
        struct device *device = open_with("");
        struct buffer buffer = alloc_buffer(device, 64, 256, false, 0);
        fault_code = cases[i].code;
        assert_int_equal(run(device, first), ASSAY_FAILED);
        assert_non_null(strstr(first, cases[i].name));
        assert_int_equal(device->loss, cases[i].loss);
        fault_code = 0;
        assert_int_equal(run(device, second), ASSAY_FAILED);
        assert_non_null(strstr(second, cases[i].name));
        assert_int_equal(backend_cuda.buffer_download(device, &buffer, &err), -ERR_UNAVAILABLE);
        assert_says("device cuda:0 was lost to this process: ");
        assert_says(cases[i].name);
        int64_t distance;
        assert_false(backend_cuda.buffer_is_violated(device, &buffer, &distance));
        backend_cuda.buffer_free(device, &buffer);
        device_close(device);
        assert_int_equal(used_bytes(), before);
    }
}

// A call of ours is told of what a kernel did on another stream.
static void test_a_loss_is_noticed_by_a_copy(void **state) {
    (void)state;
    struct device *device = open_with("");
    struct buffer buffer = alloc_buffer(device, 64, 256, false, 0);
    break_context(700);
    assert_int_equal(backend_cuda.buffer_upload(device, &buffer, &err), -ERR_UNAVAILABLE);
    assert_says("CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_int_equal(device->loss, DEVICE_LOSS_ADDRESS);
    backend_cuda.buffer_free(device, &buffer);
    device_close(device);
}

// ---- contexts ----

static const struct cuda_driver *driver;
static cuda_context other; // of the second device
static int switches;

static int leave_other_context(void) {
    ++switches;
    return driver->ctx_set_current(other) == CUDA_OK ? ASSAY_OK : ASSAY_FAILED;
}

static void put_nothing(void *arg) {
    (void)arg;
}

// Enqueues, and leaves another context current, as a library that looks for work on all devices may.
static int wandering_launch(void *kernel_state, const struct assay_tensors *tensors, void *workspace,
                            void *stream, struct assay_message *message) {
    (void)kernel_state, (void)tensors, (void)workspace, (void)message;
    int (*launch_host_func)(void *, void (*)(void *), void *);
    void *found = fake_function("cuLaunchHostFunc");
    memcpy(&launch_host_func, &found, sizeof found);
    if (driver->ctx_set_current(cuda_device_of(kernel_state)->context)) return ASSAY_FAILED;
    if (launch_host_func(stream, put_nothing, NULL)) return ASSAY_FAILED;
    return leave_other_context();
}

static int wandering_begin(void *kernel_state, void *stream, struct assay_message *message) {
    (void)kernel_state, (void)stream, (void)message;
    return leave_other_context();
}

static int wandering_outputs(void *kernel_state, const struct assay_tensors *sets, uint32_t set_count,
                             void *stream, struct assay_message *message) {
    (void)kernel_state, (void)sets, (void)set_count, (void)stream, (void)message;
    return leave_other_context();
}

static struct device *open_beside_another(void) {
    struct device *device = open_with("devices=2");
    assert_int_equal(cuda_driver_get(&driver, &err), 0);
    assert_int_equal(driver->primary_ctx_retain(&other, 1), CUDA_OK);
    return device;
}

static void close_beside_another(struct device *device) {
    assert_int_equal(driver->primary_ctx_release(1), CUDA_OK);
    device_close(device);
}

static void test_a_launch_may_leave_another_context(void **state) {
    (void)state;
    struct device *device = open_beside_another();
    const struct assay_kernel kernel = {.launch = wandering_launch};
    const struct batch_hooks hooks = {.capture_begin = wandering_begin,
                                      .capture_end = wandering_begin,
                                      .outputs_in = wandering_outputs,
                                      .outputs_out = wandering_outputs};
    const struct assay_tensors sets[1] = {{0}};
    for (int way = 0; way < 3; ++way) {
        char text[512] = "";
        struct assay_message message = {.capacity = sizeof text, .text = text};
        const struct batch batch = {.kernel = &kernel,
                                    .state = device,
                                    .sets = sets,
                                    .set_count = 1,
                                    .launches = 3,
                                    .is_timed = way > 0,
                                    .hooks = way > 1 ? &hooks : NULL};
        struct batch_time time;
        switches = 0;
        if (backend_cuda.run(device, &batch, &time, &message) != ASSAY_OK) fail_msg("way %d: %s", way, text);
        assert_int_equal(switches, way > 1 ? 8 : 3); // outputs_in is called to be captured, too
    }
    assert_int_equal(device->loss, DEVICE_LOSS_NONE);
    close_beside_another(device);
}

// prepare and release are called without the backend: whatever it is asked next begins in another context.
static void test_work_begins_in_our_context(void **state) {
    (void)state;
    struct device *device = open_beside_another();
    const struct device_work *work = device->backend->work;
    const size_t before = used_bytes();
    void *scratch = NULL;
    char bytes[16] = "0123456789abcde";
    int64_t distance;
#define FROM_ANOTHER(call)                                                                                   \
    do {                                                                                                     \
        assert_int_equal(leave_other_context(), ASSAY_OK);                                                   \
        call;                                                                                                \
    } while (0)
    struct buffer buffer;
    FROM_ANOTHER(buffer = alloc_buffer(device, 64, 256, false, 0));
    FROM_ANOTHER(assert_int_equal(backend_cuda.buffer_upload(device, &buffer, &err), 0));
    FROM_ANOTHER(assert_int_equal(backend_cuda.buffer_download(device, &buffer, &err), 0));
    ((unsigned char *)buffer.data)[64] ^= 1;
    FROM_ANOTHER(assert_true(backend_cuda.buffer_is_violated(device, &buffer, &distance)));
    FROM_ANOTHER(assert_int_equal(work->scratch_alloc(device, 16, &scratch, &err), 0));
    FROM_ANOTHER(assert_int_equal(work->copy_in(device, scratch, bytes, 16, &err), 0));
    FROM_ANOTHER(assert_int_equal(work->copy(device, buffer.data, scratch, 16, &err), 0));
    FROM_ANOTHER(assert_int_equal(work->copy_out(device, bytes, buffer.data, 16, &err), 0));
    FROM_ANOTHER(assert_int_equal(work->delay(device, 1000, &err), 0));
    FROM_ANOTHER(assert_true(backend_cuda.read_clock_probe_hz(device) > 0));
    FROM_ANOTHER(backend_cuda.flush_cache(device));
    FROM_ANOTHER(work->scratch_free(device, scratch));
    FROM_ANOTHER(backend_cuda.buffer_free(device, &buffer));
    assert_int_equal(device->loss, DEVICE_LOSS_NONE);
    FROM_ANOTHER(close_beside_another(device));
#undef FROM_ANOTHER
    assert_true(used_bytes() < before);
}

// ---- flushing ----

static void test_doubts_about_a_flush(void **state) {
    (void)state;
    struct device *device = open_with("fail=ctx_reset_persisting_l2:2:999");
    const char *doubt = device->flush_doubt;
    backend_cuda.flush_cache(device); // the canary's flush is the first
    assert_non_null(strstr(doubt, "lines pinned in the L2 cannot be released: CUDA_ERROR_UNKNOWN"));
    assert_int_equal(device->loss, DEVICE_LOSS_NONE);
    backend_cuda.flush_cache(device); // that was then; what the canary says stands
    assert_null(strstr(doubt, "lines pinned"));
    assert_non_null(strstr(doubt, "a flush of the L2 has no clear effect"));
    break_context(700);
    backend_cuda.flush_cache(device);
    assert_non_null(strstr(doubt, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    assert_int_equal(device->loss, DEVICE_LOSS_ADDRESS);
    device_close(device);
}

static void test_canary(void **state) {
    (void)state;
    static const struct {
        const char *script, *says;
    } cases[] = {
        {"miss_cycles=900", ""},
        {"miss_cycles=900,flush_pct=40",
         "takes 300 cycles before and 540 after it; from memory it takes 900"},
        {"miss_cycles=900,flush_pct=0", "takes 300 cycles before and 300 after it"},
        {"miss_cycles=350", "takes 300 cycles before and 350 after it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct device *device = open_with(cases[i].script);
        backend_cuda.flush_cache(device);
        if (!strstr(device->flush_doubt, cases[i].says) || !*cases[i].says != !*device->flush_doubt)
            fail_msg("%s: %s", cases[i].script, device->flush_doubt);
        assert_false(device->has_flush_failed);
        device_close(device);
    }
    struct device *device = open_with("miss_cycles=900,fail=ctx_reset_persisting_l2:9:999");
    for (int i = 0; i < 5; ++i) { // five flushes are the canary's
        backend_cuda.flush_cache(device);
        assert_int_equal(device->has_flush_failed, i == 3);
    }
    device_close(device);
}

// ---- what is said ----

static void test_sentences(void **state) {
    (void)state;
    char text[128];
    restart("");
    assert_int_equal(cuda_driver_get(&driver, &err), 0);
    cuda_error_text(driver, 700, text, sizeof text);
    assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered");
    cuda_error_text(driver, 12345, text, sizeof text);
    assert_string_equal(text, "CUDA error 12345");
    cuda_error_text(NULL, 2, text, sizeof text);
    assert_string_equal(text, "CUDA error 2");
    assert_int_equal(cuda_fail(driver, 46, &err, "opening %d", 7), -ERR_UNAVAILABLE);
    assert_says("opening 7: CUDA_ERROR_DEVICE_UNAVAILABLE: CUDA-capable device(s) is/are busy or "
                "unavailable; another");
    assert_int_equal(cuda_fail(driver, 214, &err, "x"), -ERR_UNAVAILABLE);
    assert_says("nvidia-smi -r");
    // One code, one line of the table: what a launch did, and what to try after a call of ours.
    const struct cuda_code *code = cuda_code_find(209);
    assert_non_null(strstr(code->meaning, "built for other architectures"));
    assert_non_null(strstr(code->remedy, "build it with --arch"));
    assert_int_equal(cuda_code_find(716)->loss, DEVICE_LOSS_ADDRESS);
    assert_null(cuda_code_find(12345));
    assert_true(cuda_code_is_of_capture(900) && cuda_code_is_of_capture(908));
    assert_false(cuda_code_is_of_capture(899) || cuda_code_is_of_capture(909));
}

int main(void) {
    setenv("ASSAY_CUDA_DRIVER", DRIVER, 1);
    setenv("ASSAY_NVML", "/no/such/libnvidia-ml.so", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drivers_that_do_not_load),
        cmocka_unit_test(test_names_of_devices),
        cmocka_unit_test(test_uuid_text),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_open_fails),
        cmocka_unit_test(test_buffers_lie_as_asked),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_a_refused_launch_breaks_nothing),
        cmocka_unit_test(test_a_lost_device_says_so_again),
        cmocka_unit_test(test_a_loss_is_noticed_by_a_copy),
        cmocka_unit_test(test_a_launch_may_leave_another_context),
        cmocka_unit_test(test_work_begins_in_our_context),
        cmocka_unit_test(test_doubts_about_a_flush),
        cmocka_unit_test(test_canary),
        cmocka_unit_test(test_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
