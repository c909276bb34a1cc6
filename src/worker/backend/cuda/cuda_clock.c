// SPDX-License-Identifier: Apache-2.0
//
// The clocks of a GPU, by its own counters: cycles of its multiprocessors over nanoseconds of its global
// timer. The clock probe is the clock during a spin kernel, which draws next to no power: whatever runs next
// gets it too. The clock between two stamps is the one during a batch, and depends on the power that the
// batch drew.
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "device/device_kernel_args.h"
#include "worker/backend/cuda/cuda_device_internal.h"

#define STAMP_THREADS 32
#define BLOCK_THREADS 512      // divides what a multiprocessor holds: 1024, 1536 or 2048
#define SPIN_LEAST_NS 50000u   // of a reading
#define SPIN_MOST_NS  2000000u //
#define SPIN_STEPS    1000u    // timer steps in a reading: its ends are known to 0.1 %
#define STEP_PROBES   8
#define STEP_PROBE_NS 3333u // not a multiple of a likely step
#define STAMP_COUNT   2     // before and after a batch

struct cuda_clocks {
    // In the host's memory, where the device writes them: no copy is needed.
    struct dev_stamp_value *spin; // [2] of a reading, [2] of a spin kernel that only keeps the stream busy
    struct dev_stamp_value *stamps[STAMP_COUNT]; // [sm_count]
    uint64_t timer_step_ns, spin_ns;
};

static int enqueue_spin(struct cuda_device *cuda, struct dev_stamp_value *stamps, uint64_t duration_ns,
                        struct err *err) {
    const struct dev_spin args = {.stamps = stamps, .duration_ns = duration_ns};
    const struct kernel_launch program = kernel_launch_make("assay_spin", 1, 1, &args, sizeof args);
    return cuda_program_run(cuda, &program, err);
}

int cuda_spin(struct cuda_device *cuda, uint64_t duration_ns, struct err *err) {
    return enqueue_spin(cuda, cuda->clocks->spin + 2, duration_ns, err);
}

int cuda_block(struct cuda_device *cuda, uint64_t duration_ns, struct err *err) {
    const struct dev_spin args = {.stamps = cuda->clocks->spin + 2, .duration_ns = duration_ns};
    const uint32_t blocks = cuda->sm_count * (cuda->threads_per_sm / BLOCK_THREADS);
    const struct kernel_launch program =
        kernel_launch_make("assay_spin", blocks ? blocks : 1, BLOCK_THREADS, &args, sizeof args);
    return cuda_program_run(cuda, &program, err);
}

static int spin_once(struct cuda_device *cuda, uint64_t duration_ns, struct err *err) {
    TRY(enqueue_spin(cuda, cuda->clocks->spin, duration_ns, err));
    const cuda_result code = cuda->driver->stream_synchronize(cuda->stream);
    return code ? cuda_fail(cuda->driver, code, err, "the clock probe cannot be read") : 0;
}

uint64_t cuda_common_step(uint64_t a_ns, uint64_t b_ns) {
    while (b_ns) {
        const uint64_t remainder_ns = a_ns % b_ns;
        a_ns = b_ns;
        b_ns = remainder_ns;
    }
    return a_ns;
}

int cuda_clocks_open(struct cuda_device *cuda, struct err *err) {
    struct cuda_clocks *clocks = cuda->clocks = mem_alloc(sizeof *clocks);
    const size_t count = 4 + STAMP_COUNT * (size_t)cuda->sm_count;
    void *data = NULL;
    const cuda_result code = cuda->driver->mem_host_alloc(&data, count * sizeof *clocks->spin, 0);
    if (code) return cuda_fail(cuda->driver, code, err, "no memory for the device's clock stamps");
    clocks->spin = data;
    for (size_t i = 0; i < count; ++i) clocks->spin[i] = (struct dev_stamp_value){0};
    for (size_t which = 0; which < STAMP_COUNT; ++which)
        clocks->stamps[which] = clocks->spin + 4 + which * cuda->sm_count;
    // All readings of the timer are multiples of its step: 32 ns on newer devices, a microsecond on some.
    uint64_t origin_ns = 0, step_ns = 0;
    for (unsigned i = 0; i < STEP_PROBES; ++i) {
        TRY(spin_once(cuda, STEP_PROBE_NS, err));
        if (i == 0) origin_ns = clocks->spin[0].ns;
        for (unsigned k = 0; k < 2; ++k)
            if (clocks->spin[k].ns > origin_ns)
                step_ns = cuda_common_step(step_ns, clocks->spin[k].ns - origin_ns);
    }
    clocks->timer_step_ns = step_ns ? step_ns : 1;
    clocks->spin_ns = SPIN_STEPS * clocks->timer_step_ns;
    if (clocks->spin_ns < SPIN_LEAST_NS) clocks->spin_ns = SPIN_LEAST_NS;
    if (clocks->spin_ns > SPIN_MOST_NS) clocks->spin_ns = SPIN_MOST_NS;
    return 0;
}

void cuda_clocks_close(struct cuda_device *cuda) {
    if (!cuda->clocks) return;
    if (cuda->clocks->spin) cuda->driver->mem_free_host(cuda->clocks->spin);
    free(cuda->clocks);
    cuda->clocks = NULL;
}

static double clock_hz(const struct dev_stamp_value *begin, const struct dev_stamp_value *end) {
    if (end->ns <= begin->ns || end->cycles <= begin->cycles) return NAN;
    return 1e9 * (double)(end->cycles - begin->cycles) / (double)(end->ns - begin->ns);
}

double cuda_read_clock_probe_hz(struct device *device) {
    struct cuda_device *cuda = cuda_device_of(device);
    const struct cuda_clocks *clocks = cuda->clocks;
    if (device->loss != DEVICE_LOSS_NONE || spin_once(cuda, clocks->spin_ns, NULL) < 0) return NAN;
    return clock_hz(&clocks->spin[0], &clocks->spin[1]);
}

int cuda_stamp(struct cuda_device *cuda, int which, struct err *err) {
    const struct dev_stamp args = {.stamps = cuda->clocks->stamps[which]};
    const struct kernel_launch program =
        kernel_launch_make("assay_stamp", cuda->sm_count, STAMP_THREADS, &args, sizeof args);
    return cuda_program_run(cuda, &program, err);
}

// The counters of two multiprocessors are not comparable, so stamps are matched by the multiprocessor that
// wrote them. One that ran two blocks of a stamp counts once; one that ran no block of either stamp does not
// count.
double cuda_stamped_hz(struct cuda_device *cuda) {
    const struct cuda_clocks *clocks = cuda->clocks;
    double sum_hz = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cuda->sm_count; ++i) {
        const struct dev_stamp_value *begin = &clocks->stamps[0][i];
        for (uint32_t k = 0; k < cuda->sm_count; ++k) {
            if (clocks->stamps[1][k].sm != begin->sm) continue;
            const double hz = clock_hz(begin, &clocks->stamps[1][k]);
            if (isfinite(hz)) sum_hz += hz, ++count;
            break;
        }
    }
    return count ? sum_hz / count : NAN;
}
