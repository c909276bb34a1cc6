// SPDX-License-Identifier: Apache-2.0
//
// Timing on a GPU with a driver that has none (tests/fakes): what is captured, when again, the messages of
// failures, the order of a Python kernel's callbacks, clocks, flushing. Durations are not asserted.
#include <dlfcn.h>
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

#include "worker/backend/backend.h"
#include "worker/backend/cuda/cuda_device_internal.h"

#define SETS 3

typedef int (*launch_host_func_fn)(void *stream, void (*function)(void *arg), void *arg);

enum manner {
    MANNER_RIGHT,
    MANNER_NOTHING,
    MANNER_SYNCHRONISES,
    MANNER_REFUSES,
    MANNER_FAULTS,
    MANNER_FORKS,        // half of every launch on a stream of its own, joined
    MANNER_FORKS_FIRST,  // the same, but every launch begins where the first one did
    MANNER_JOINS_LAST,   // what a launch puts on its own stream is joined by the last one
    MANNER_PROGRAMMATIC, // a launch may begin before the previous one has finished
    MANNER_LIMIT,        // a launch changes a limit of the context
    MANNER_WINDOW,       // and an attribute of the stream
    MANNER_ONCE,         // only the first launch does anything
};
static struct {
    enum manner manner;
    uint32_t launches;                // of a batch
    uint32_t launch_count, run_count; // by the host; by the device
    uint64_t spin_ns;                 // device time of a launch; 0: none
    char used[64];                    // a letter a run: the set
    char hooks[256], brought[16];
    bool brings;            // the hooks enqueue something
    size_t window_bytes;    // on the stream when the last launch began
    uint64_t flushed_by_in; // when a kernel's outputs are carried in
} script;

static struct device *device;
static float data[SETS][4];
static struct assay_tensor items[SETS];
static struct assay_tensors sets[SETS];

static void *driver_function(const char *symbol) {
    void *found = dlsym(cuda_device_of(device)->driver->library, symbol);
    assert_non_null(found);
    return found;
}

static void run_on_device(void *arg) {
    const size_t set = (size_t)((float(*)[4])arg - data);
    if (script.run_count < sizeof script.used - 1) script.used[script.run_count] = (char)('0' + set);
    ++script.run_count;
    if (script.manner != MANNER_FAULTS) return;
    void (*break_context)(int code);
    void *found = driver_function("fake_cuda_break");
    memcpy(&break_context, &found, sizeof found);
    break_context(CUDA_ERROR_ILLEGAL_ADDRESS_CODE);
}

static void bring(void *arg) {
    const size_t length = strlen(script.brought);
    if (length + 1 < sizeof script.brought) script.brought[length] = (char)(uintptr_t)arg;
}

static int enqueue(void *stream, void (*function)(void *arg), void *arg) {
    launch_host_func_fn launch_host_func;
    void *found = driver_function("cuLaunchHostFunc");
    memcpy(&launch_host_func, &found, sizeof found);
    return launch_host_func(stream, function, arg) ? ASSAY_FAILED : ASSAY_OK;
}

static int put(void *stream, const struct assay_tensors *tensors) {
    return enqueue(stream, run_on_device, tensors->items[0].data);
}

static void wait_for(void *stream, cuda_event event) {
    int (*stream_wait_event)(void *stream, cuda_event event, unsigned flags);
    void *found = driver_function("cuStreamWaitEvent");
    memcpy(&stream_wait_event, &found, sizeof found);
    assert_int_equal(stream_wait_event(stream, event, 0), 0);
}

static size_t window_bytes(cuda_stream stream) {
    size_t (*bytes)(cuda_stream stream);
    void *found = driver_function("fake_cuda_window_bytes");
    memcpy(&bytes, &found, sizeof found);
    return bytes(stream);
}

static int reset_count(void) {
    int (*count)(void);
    void *found = driver_function("fake_cuda_reset_count");
    memcpy(&count, &found, sizeof found);
    return count();
}

static void begin_before_the_end(int is_on) {
    void (*launch_programmatic)(int is_on);
    void *found = driver_function("fake_cuda_launch_programmatic");
    memcpy(&launch_programmatic, &found, sizeof found);
    launch_programmatic(is_on);
}

#define LAUNCHES_MAX 8
// Of a kernel with streams of its own; one a launch.
static struct {
    cuda_stream streams[LAUNCHES_MAX];
    cuda_event fork, joins[LAUNCHES_MAX];
} own;

static int launch_forked(void *stream, const struct assay_tensors *tensors, uint32_t number) {
    const struct cuda_driver *driver = cuda_device_of(device)->driver;
    const bool is_first = number == 0, is_last = number + 1 == script.launches;
    for (size_t i = 0; i < LAUNCHES_MAX && !own.streams[i]; ++i) {
        assert_int_equal(driver->stream_create(&own.streams[i], CUDA_STREAM_NON_BLOCKING_FLAG), 0);
        assert_int_equal(driver->event_create(&own.joins[i], 0), 0);
        if (!own.fork) assert_int_equal(driver->event_create(&own.fork, 0), 0);
    }
    if (is_first || script.manner == MANNER_FORKS) driver->event_record(own.fork, stream);
    wait_for(own.streams[number], own.fork);
    if (put(own.streams[number], tensors) != ASSAY_OK) return ASSAY_FAILED;
    driver->event_record(own.joins[number], own.streams[number]);
    if (script.manner != MANNER_FORKS_FIRST && put(stream, tensors) != ASSAY_OK) return ASSAY_FAILED;
    if (script.manner != MANNER_JOINS_LAST) wait_for(stream, own.joins[number]);
    for (uint32_t i = 0; script.manner == MANNER_JOINS_LAST && is_last && i <= number; ++i)
        wait_for(stream, own.joins[i]);
    return ASSAY_OK;
}

static int launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    (void)state, (void)workspace;
    struct cuda_device *cuda = cuda_device_of(device);
    ++script.launch_count;
    if (script.manner == MANNER_NOTHING) return ASSAY_OK;
    if (script.manner == MANNER_REFUSES) return assay_say(message, ASSAY_FAILED, "not today");
    if (script.manner == MANNER_SYNCHRONISES) cuda->driver->stream_synchronize(stream);
    if (script.spin_ns && cuda_spin(cuda, script.spin_ns, NULL) < 0) return ASSAY_FAILED;
    if (script.manner == MANNER_LIMIT) cuda->driver->ctx_set_limit(6, 4096);
    script.window_bytes = window_bytes(stream);
    const size_t window[8] = {0, 512};
    if (script.manner == MANNER_WINDOW) cuda->driver->stream_set_attribute(stream, 1, window);
    if (script.manner == MANNER_ONCE && script.launch_count > 1) return ASSAY_OK;
    if (script.manner >= MANNER_FORKS && script.manner <= MANNER_JOINS_LAST)
        return launch_forked(stream, tensors, script.launch_count - 1);
    begin_before_the_end(script.manner == MANNER_PROGRAMMATIC);
    const int status = put(stream, tensors);
    begin_before_the_end(0);
    return status;
}

static const struct assay_kernel kernel = {.name = "scripted", .launch = launch};

static int open_device(void) {
    setenv("ASSAY_CUDA_DRIVER", ASSAY_FAKES_DIR "/libfake_cuda.so", 1);
    struct err err = {0};
    const struct device_request request = {.device = "cuda:0"};
    if (device_open(&request, &device, &err) == 0) return 0;
    fprintf(stderr, "%s\n", err.text);
    return -1;
}

static struct batch batch_of(uint32_t launches) {
    for (size_t k = 0; k < SETS; ++k) {
        items[k] = (struct assay_tensor){.data = data[k]};
        sets[k] = (struct assay_tensors){.struct_size = sizeof sets[k],
                                         .tensor_count = 1,
                                         .tensor_bytes = sizeof items[k],
                                         .items = &items[k]};
    }
    memset(&script, 0, sizeof script);
    script.launches = launches;
    return (struct batch){
        .kernel = &kernel, .sets = sets, .set_count = SETS, .launches = launches, .is_timed = true};
}

static char said[512];
static int run(const struct batch *batch, struct batch_time *ret) {
    struct assay_message message = {.capacity = sizeof said, .text = said};
    said[0] = 0;
    return device->backend->run(device, batch, ret, &message);
}

// ---- what is captured ----

static void test_captured_once(void **state) {
    (void)state;
    struct batch_time time;
    struct batch batch = batch_of(6);
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_true(time.duration_ns > 0);
    assert_string_equal(script.used, "012012");
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_int_equal(script.launch_count, 6); // by the host once, by the device twice
    assert_int_equal(script.run_count, 12);
    batch.first_set = 2; // another graph
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_int_equal(script.launch_count, 12);
    assert_string_equal(script.used + 12, "201201");
    batch.is_timed = false; // one by one
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_int_equal(script.launch_count, 18);
    assert_int_equal(script.run_count, 24);
}

static void test_captured_again(void **state) {
    (void)state;
    static float elsewhere[4];
    struct batch_time time;
    struct batch batch = batch_of(3);
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    items[1].data = elsewhere; // the same set at another address
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_int_equal(script.launch_count, 6);
    cuda_graphs_forget(cuda_device_of(device));
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_int_equal(script.launch_count, 9);
    int other_state;
    batch.state = &other_state;
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_int_equal(script.launch_count, 12);
}

static void test_buffers_forget(void **state) {
    (void)state;
    struct batch_time time;
    const struct batch batch = batch_of(3);
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    const struct buffer_spec spec = {.label = "q", .bytes = 256, .alignment = 256};
    struct buffer buffer = {0};
    assert_int_equal(device->backend->buffer_alloc(device, &spec, &buffer, NULL), 0);
    device->backend->buffer_free(device, &buffer); // what comes next may lie there, and be another problem's
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_int_equal(script.launch_count, 6);
}

static void test_many_graphs(void **state) {
    (void)state;
    struct batch_time time;
    struct batch batch = batch_of(1);
    for (uint32_t launches = 1; launches <= 40; ++launches) {
        batch.launches = launches;
        assert_int_equal(run(&batch, &time), ASSAY_OK);
    }
    const uint32_t before = script.launch_count;
    assert_int_equal(run(&batch, &time), ASSAY_OK); // the last one is still there
    assert_int_equal(script.launch_count, before);
    batch.launches = 1; // the first is not
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_int_equal(script.launch_count, before + 1);
}

// ---- what cannot be captured ----

static void test_failures(void **state) {
    (void)state;
    const struct {
        enum manner manner;
        const char *says;
    } cases[] = {
        {MANNER_NOTHING, "launch enqueued nothing on the stream it was given"},
        {MANNER_REFUSES, "not today"},
        {MANNER_SYNCHRONISES,
         "launch cannot be captured into a graph: it synchronises, allocates, or uses another "
         "stream (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct batch_time time;
        const struct batch batch = batch_of(2);
        script.manner = cases[i].manner;
        cuda_graphs_forget(cuda_device_of(device));
        assert_int_not_equal(run(&batch, &time), ASSAY_OK);
        if (!strstr(said, cases[i].says)) fail_msg("%s", said);
        script.manner = MANNER_RIGHT; // and the stream is sound
        assert_int_equal(run(&batch, &time), ASSAY_OK);
    }
}

// A capture that is joined at its end is valid and right, whatever runs beside what in between.
static void test_launches_side_by_side(void **state) {
    (void)state;
    static const struct {
        enum manner manner;
        const char *says; // NULL: nothing
    } cases[] = {
        {MANNER_FORKS, NULL},
        {MANNER_FORKS_FIRST, "work that ends in launch 2 of a batch may run at the same time as launch 1;"},
        {MANNER_JOINS_LAST, "work that ends in launch 6 of a batch may run at the same time as launch 1;"},
        {MANNER_PROGRAMMATIC, "they use programmatic dependent launch"},
        {MANNER_ONCE, "launch enqueued nothing on the stream it was given"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct batch_time time;
        const struct batch batch = batch_of(6);
        script.manner = cases[i].manner;
        cuda_graphs_forget(cuda_device_of(device));
        assert_int_equal(run(&batch, &time), cases[i].says ? ASSAY_FAILED : ASSAY_OK);
        if (cases[i].says && !strstr(said, cases[i].says)) fail_msg("%zu: %s", i, said);
        if (!cases[i].says) assert_int_equal(script.run_count, 12);
        if (script.manner == MANNER_FORKS_FIRST)
            assert_non_null(strstr(said, "its launches are not ordered one after the other: "));
    }
    for (size_t i = 0; i < LAUNCHES_MAX; ++i) {
        cuda_device_of(device)->driver->stream_destroy(own.streams[i]);
        cuda_device_of(device)->driver->event_destroy(own.joins[i]);
    }
    cuda_device_of(device)->driver->event_destroy(own.fork);
    memset(&own, 0, sizeof own);
    cuda_graphs_forget(cuda_device_of(device));
}

static void test_what_sides_share(void **state) {
    (void)state;
    struct cuda_device *cuda = cuda_device_of(device);
    struct batch_time time;
    for (int timed = 0; timed < 2; ++timed) {
        struct batch batch = batch_of(1);
        batch.is_timed = timed;
        script.manner = MANNER_LIMIT;
        cuda_graphs_forget(cuda);
        assert_int_equal(run(&batch, &time), ASSAY_FAILED);
        if (strncmp(said,
                    "launch changed the part of the L2 for persisting accesses from 0 to 4096 bytes: ", 80))
            fail_msg("%s", said);
        size_t bytes = 1;
        assert_int_equal(cuda->driver->ctx_get_limit(&bytes, 6), 0);
        assert_int_equal(bytes, 0);
        script.manner = MANNER_WINDOW;
        cuda_graphs_forget(cuda);
        assert_int_equal(run(&batch, &time), ASSAY_OK);
        assert_int_equal(window_bytes(device->stream), 512); // its own launches' business
        script.manner = MANNER_RIGHT;
        cuda_graphs_forget(cuda);
        assert_int_equal(run(&batch, &time), ASSAY_OK);
        assert_int_equal(script.window_bytes, 0);
        const int before = reset_count();
        assert_int_equal(run(&batch, &time), ASSAY_OK);
        assert_int_equal(reset_count(), before);
        int other_state;
        batch.state = &other_state; // another side
        assert_int_equal(run(&batch, &time), ASSAY_OK);
        assert_int_equal(reset_count(), before + 1);
    }
    char text[256];
    cuda->driver->ctx_set_limit(5, 64); // as prepare might
    assert_true(device->backend->restore_shared(device, text, sizeof text));
    assert_int_equal(strncmp(text, "changed the L2's fetch granularity from 0 to 64 bytes: ", 55), 0);
    assert_false(device->backend->restore_shared(device, text, sizeof text));
}

static void test_a_kernel_is_forgotten(void **state) {
    (void)state;
    struct batch_time time;
    const struct batch batch = batch_of(3);
    cuda_graphs_forget(cuda_device_of(device));
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    device->backend->forget_kernel(device); // the next one may have the same addresses and no workspace
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_int_equal(script.launch_count, 6);
}

// ---- a kernel that returns tensors ----

static uint64_t flushed_bytes(void) {
    uint64_t (*flushed)(void);
    void *found = driver_function("fake_cuda_flushed_bytes");
    memcpy(&flushed, &found, sizeof found);
    return flushed();
}

static int note(const char *what) {
    const size_t length = strlen(script.hooks);
    snprintf(script.hooks + length, sizeof script.hooks - length, "%s(%u,%u) ", what, script.launch_count,
             script.run_count);
    return ASSAY_OK;
}
static int note_bringing(const char *what, void *stream) {
    return note(what) == ASSAY_OK && script.brings ? enqueue(stream, bring, (void *)(uintptr_t)*what)
                                                   : ASSAY_OK;
}
static int on_capture_begin(void *state, void *stream, struct assay_message *message) {
    (void)state, (void)message;
    assert_ptr_equal(stream, device->stream);
    return note("begin");
}
static int on_capture_end(void *state, void *stream, struct assay_message *message) {
    (void)state, (void)stream, (void)message;
    return note("end");
}
static int on_outputs_in(void *state, const struct assay_tensors *of, uint32_t set_count, void *stream,
                         struct assay_message *message) {
    (void)state, (void)message;
    assert_ptr_equal(of, sets);
    assert_int_equal(set_count, SETS);
    script.flushed_by_in = flushed_bytes();
    return note_bringing("in", stream);
}
static int on_outputs_out(void *state, const struct assay_tensors *of, uint32_t set_count, void *stream,
                          struct assay_message *message) {
    (void)state, (void)message, (void)of, (void)set_count;
    return note_bringing("out", stream);
}

static const struct batch_hooks noting_hooks = {.capture_begin = on_capture_begin,
                                                .capture_end = on_capture_end,
                                                .outputs_in = on_outputs_in,
                                                .outputs_out = on_outputs_out};

static void test_hooks(void **state) {
    (void)state;
    struct batch_time time;
    struct batch batch = batch_of(2);
    batch.hooks = &noting_hooks;
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_string_equal(script.hooks, "begin(0,0) end(2,0) in(2,0) in(2,0) out(2,2) ");
    script.hooks[0] = 0;
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_string_equal(script.hooks, "in(2,2) out(2,4) ");
    batch.launches = 1; // one graph at a time: it writes where the last capture said
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    batch.launches = 2;
    script.hooks[0] = 0;
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_int_equal(strncmp(script.hooks, "begin", 5), 0);
}

// Copies that hooks enqueue are captured with the launches: the hooks are not called around each sample.
static void test_bringing_is_captured(void **state) {
    (void)state;
    struct batch_time time;
    struct batch batch = batch_of(2);
    batch.hooks = &noting_hooks;
    script.brings = true;
    cuda_graphs_forget(cuda_device_of(device));
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    batch.part = BATCH_STAGE;
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    batch.part = BATCH_COLLECT;
    batch.launches = 0; // what the last capture returned
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_string_equal(script.hooks, "begin(0,0) end(2,0) in(2,0) out(2,0) ");
    assert_string_equal(script.brought, "ioioio");
    cuda_graphs_forget(cuda_device_of(device));
    assert_int_equal(run(&batch, &time), ASSAY_OK); // nothing is captured: the hook is called
    assert_string_equal(script.brought, "ioioioo");
}

// ---- clocks, cache, what timing costs ----

static void test_clocks(void **state) {
    (void)state;
    struct batch_time time;
    const struct batch batch = batch_of(4);
    const double spin_hz = device->backend->read_clock_probe_hz(device);
    assert_true(spin_hz > 1e8);
    script.spin_ns = 1000000;
    assert_int_equal(run(&batch, &time), ASSAY_OK);
    assert_true(fabs(time.kernel_clock_hz / spin_hz - 1) < 1e-3);
    assert_true(device->timer_step_ns > 0);
    assert_true(device->replay_overhead_ns > 0);

    assert_true(device->node_ns > 0);
    assert_true(isfinite(time.tail_ns));
    assert_true(isfinite(device->backend->read_tail_ns(device, 3000000)));
}

// Multiprocessors are matched by their number, whichever block ran on them; one without a partner says
// nothing.
static void test_stamps_are_matched(void **state) {
    (void)state;
    struct cuda_device *cuda = cuda_device_of(device);
    assert_int_equal(cuda_stamp(cuda, 0, NULL), 0);
    assert_int_equal(cuda_spin(cuda, 500000, NULL), 0);
    assert_int_equal(cuda_stamp(cuda, 1, NULL), 0);
    assert_int_equal(cuda->driver->stream_synchronize(cuda->stream), 0);
    const double hz = cuda_stamped_hz(cuda);
    assert_true(hz > 1e8);
    assert_int_equal(cuda_spin(cuda, 500000, NULL), 0);
    assert_int_equal(cuda_stamp(cuda, 0, NULL), 0); // after the second: nothing is known
    assert_int_equal(cuda->driver->stream_synchronize(cuda->stream), 0);
    assert_true(isnan(cuda_stamped_hz(cuda)));
}

static void test_flush(void **state) {
    (void)state;
    assert_string_equal(device->flush_doubt, "");
    device->backend->flush_cache(device); // here a load takes as long as ever
    assert_non_null(strstr(device->flush_doubt, "a load takes 300 cycles before and 300 after it"));
    device->backend->flush_cache(device);
}

// What the callbacks do to the cache is done before it is emptied.
static void test_cold_hooks(void **state) {
    (void)state;
    struct batch_time time;
    struct batch batch = batch_of(2);
    batch.hooks = &noting_hooks;
    batch.is_cold = true;
    cuda_graphs_forget(cuda_device_of(device));
    assert_int_equal(run(&batch, &time), ASSAY_OK); // takes memory, asks the canary
    for (int timed = 1; timed >= 0; --timed) {
        batch.is_timed = timed;
        const uint64_t before = flushed_bytes();
        script.flushed_by_in = 0;
        assert_int_equal(run(&batch, &time), ASSAY_OK);
        assert_int_equal(flushed_bytes() - before, 64u << 20);
        if (timed) assert_int_equal(script.flushed_by_in, before); // not yet
        batch.is_cold = false;
        assert_int_equal(run(&batch, &time), ASSAY_OK);
        assert_int_equal(flushed_bytes() - before, 64u << 20);
        batch.is_cold = true;
    }
}

static void test_fault(void **state) {
    (void)state;
    struct batch_time time;
    const struct batch batch = batch_of(2);
    script.manner = MANNER_FAULTS;
    assert_int_not_equal(run(&batch, &time), ASSAY_OK);
    assert_non_null(strstr(said, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    assert_int_equal(device->loss, DEVICE_LOSS_ADDRESS);
    assert_true(isnan(device->backend->read_clock_probe_hz(device)));
    assert_true(isnan(device->backend->read_tail_ns(device, 1000)));
    device->backend->flush_cache(device);
}

// In a process of its own: the driver reads its script once. 0: as it should be.
static int look_at_late_work(void) {
    setenv("ASSAY_FAKE_CUDA", "late_us=3000", 1);
    if (open_device() < 0) return 1;
    struct batch_time time;
    const struct batch batch = batch_of(2);
    if (run(&batch, &time) != ASSAY_OK) return 2;
    if (time.late_ns < 2000000) return 3; // less what a synchronisation takes by itself
    if (time.duration_ns < time.late_ns) return 4;
    device_close(device);
    return 0;
}

static void test_late_work(void **state) {
    (void)state;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(look_at_late_work());
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int setup(void **state) {
    (void)state;
    return open_device();
}

static int teardown(void **state) {
    (void)state;
    device_close(device);
    return 0;
}

int main(void) {
    const struct CMUnitTest alone[] = {cmocka_unit_test(test_late_work)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_captured_once),
        cmocka_unit_test(test_captured_again),
        cmocka_unit_test(test_buffers_forget),
        cmocka_unit_test(test_many_graphs),
        cmocka_unit_test(test_launches_side_by_side),
        cmocka_unit_test(test_what_sides_share),
        cmocka_unit_test(test_a_kernel_is_forgotten),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_hooks),
        cmocka_unit_test(test_bringing_is_captured),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_stamps_are_matched),
        cmocka_unit_test(test_flush),
        cmocka_unit_test(test_cold_hooks),
        cmocka_unit_test(test_fault), // last: the device is lost to this process
    };
    const int failed = cmocka_run_group_tests_name("late", alone, NULL, NULL);
    return failed + cmocka_run_group_tests_name("time", tests, setup, teardown);
}
