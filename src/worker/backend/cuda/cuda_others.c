// SPDX-License-Identifier: Apache-2.0
//
// Whether the device works for another process. Processes take turns on a GPU, a millisecond or two each, so
// a tiny kernel of ours waits for a turn as long as another process has work there, and takes microseconds
// otherwise. The first kernel after another process's turn may wait for the switch alone: the second tells.
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "stats/describe.h"
#include "worker/backend/cuda/cuda_device_internal.h"

#define SPIN_NS     2000u
#define USUAL_TRIES 31
#define USUAL_FIRST 4      // not counted
#define LIMIT_RATIO 5.0    // of the usual time, and at least
#define LIMIT_ABOVE 100000 // ns above it: a host that is held up is no other process

struct cuda_others {
    double usual_ns, limit_ns; // of one tiny kernel, from enqueueing it to its end
};

// NAN when the device is lost: the next call of another kind says so.
static double time_kernel(struct cuda_device *cuda) {
    const uint64_t begin_ns = clock_ns();
    if (cuda_enter(cuda, NULL) < 0 || cuda_spin(cuda, SPIN_NS, NULL) < 0) return NAN;
    if (cuda->driver->stream_synchronize(cuda->stream) != CUDA_OK) return NAN;
    return (double)(clock_ns() - begin_ns);
}

int cuda_share_begin(struct device *device, struct err *err) {
    struct cuda_device *cuda = cuda_device_of(device);
    double times_ns[USUAL_TRIES];
    TRY(cuda_can_share(cuda, err));
    if (!cuda->others) cuda->others = mem_alloc(sizeof *cuda->others);
    for (int i = -USUAL_FIRST; i < USUAL_TRIES; ++i) {
        const double ns = time_kernel(cuda);
        if (isnan(ns)) return err_set(err, ERR_UNAVAILABLE, "device %s runs no kernel", device->info.device);
        if (i >= 0) times_ns[i] = ns;
    }
    const double usual_ns = describe_unsorted_median(times_ns, USUAL_TRIES);
    cuda->others->usual_ns = usual_ns;
    cuda->others->limit_ns = fmax(LIMIT_RATIO * usual_ns, usual_ns + LIMIT_ABOVE);
    return 0;
}

void cuda_others_close(struct cuda_device *cuda) {
    free(cuda->others);
    cuda->others = NULL;
}

uint64_t cuda_wait_for_others(struct device *device, double *turn_ns) {
    struct cuda_device *cuda = cuda_device_of(device);
    const struct cuda_others *others = cuda->others;
    if (turn_ns) *turn_ns = INFINITY;
    if (!others || device->loss != DEVICE_LOSS_NONE) return 0;
    const uint64_t begin_ns = clock_ns();
    const double first_ns = time_kernel(cuda);
    if (turn_ns && !isnan(first_ns)) *turn_ns = first_ns - others->usual_ns;
    for (bool is_first = true;; is_first = false) {
        const uint64_t before_ns = clock_ns();
        const double ns = time_kernel(cuda);
        if (!(ns > others->limit_ns)) return is_first ? 0 : before_ns - begin_ns;
        if (clock_ns() - begin_ns > CUDA_LONGEST_WAIT_NS) return clock_ns() - begin_ns;
    }
}
