// SPDX-License-Identifier: Apache-2.0
//
// Lock, wait, unlock. Signals are blocked but while it waits, so that none comes between locking and knowing that it is locked.
#include "worker/work_lock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "backend/cuda.h"
#include "backend/nvml.h"

static const int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM};
enum { SIGNAL_COUNT = sizeof ending_signals / sizeof *ending_signals, UNLOCK_TRIES = 3 };

static volatile sig_atomic_t is_asked_to_end;

static void on_signal(int number) {
    (void)number;
    is_asked_to_end = 1;
}

// Blocks what would end us; *ret_waiting is the mask to wait with. A pipe that nobody reads is an error of write, no signal.
static void hold_signals(sigset_t *ret_waiting) {
    sigset_t blocked;
    const struct sigaction ending = {.sa_handler = on_signal}, ignored = {.sa_handler = SIG_IGN};
    sigemptyset(&blocked);
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        sigaddset(&blocked, ending_signals[i]);
        sigaction(ending_signals[i], &ending, NULL);
    }
    sigaction(SIGPIPE, &ignored, NULL);
    sigprocmask(SIG_BLOCK, &blocked, ret_waiting);
    for (int i = 0; i < SIGNAL_COUNT; i++) sigdelset(ret_waiting, ending_signals[i]);
}

// ---- which GPU ----

// Its UUID: CUDA's number of a device is not NVML's. Asking takes no context.
static int find_uuid(const char *device, char ret_uuid[CUDA_UUID_TEXT_BYTES], struct err *err) {
    const struct cuda_driver *driver = NULL;
    cuda_device_ordinal ordinal = 0;
    cuda_uuid uuid = {{0}};
    int index = 0;
    TRY(cuda_driver_get(&driver, err));
    TRY(cuda_find_device(driver, device, &ordinal, &index, err));
    const cuda_result code = driver->device_get_uuid(&uuid, ordinal);
    if (code) return cuda_fail(driver, code, err, "device %s does not say its UUID", device);
    cuda_uuid_format(&uuid, ret_uuid);
    return 0;
}

static int lock(const struct work_order *order, struct nvml_device **ret, uint32_t *ret_mhz,
                struct err *err) {
    char uuid[CUDA_UUID_TEXT_BYTES];
    TRY(find_uuid(order->device ? order->device : "cuda:0", uuid, err));
    TRY(nvml_device_open(uuid, ret, err));
    TRY(nvml_find_clock(*ret, order->lock_clocks ? order->lock_clocks : "", ret_mhz, err));
    return nvml_lock_clocks(*ret, *ret_mhz, err);
}

static int unlock(const struct nvml_device *device, struct err *err) {
    int code = -ERR_UNAVAILABLE;
    for (int i = 0; i < UNLOCK_TRIES && code < 0; i++) code = nvml_unlock_clocks(device, err);
    return code;
}

// Nothing is ever written here again: only the end of the other side is looked for.
static void wait_for_end(int fd, const sigset_t *waiting) {
    struct pollfd polled = {.fd = fd};
    while (!is_asked_to_end) {
        const int ready = ppoll(&polled, 1, NULL, waiting);
        if (ready > 0 || (ready < 0 && errno != EINTR)) return;
    }
}

int work_lock(struct work *work, struct err *err) {
    sigset_t waiting;
    struct nvml_device *device = NULL;
    struct err why = {0};
    hold_signals(&waiting);
    struct record record = work_record(work, RECORD_LOCK);
    record.is_valid = lock(work->order, &device, &record.locked_clock_mhz, &why) == 0;
    if (!record.is_valid) {
        record.text = why.text;
        record.locked_clock_mhz = 0;
    }
    int code = 0;
    const bool is_told = work_write(work, &record, NULL) == 0;
    if (record.is_valid) {
        if (is_told) wait_for_end(work->fd, &waiting);
        code = unlock(device, err);
    }
    nvml_device_close(device);
    return code;
}
