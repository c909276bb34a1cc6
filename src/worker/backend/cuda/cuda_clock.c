// SPDX-License-Identifier: Apache-2.0
//
// The clocks of a GPU as it counts them itself: cycles of its multiprocessors over nanoseconds of its global
// timer. The spin clock is what the device gives to a kernel that needs next to no power, so it is imposed on
// whatever runs next; the clock between two stamps is what a batch earned by the power it drew.
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "device/device_kernel_args.h"
#include "worker/backend/cuda/cuda_internal.h"

#define STAMP_THREADS    32
#define SPIN_LEAST_NS    50000u   // of a reading
#define SPIN_MOST_NS     2000000u //
#define SPIN_STEPS       1000u    // steps of the timer in a reading: its ends are known to 0.1 %
#define STEP_PROBES      8
#define STEP_PROBE_NS    3333u // no multiple of a likely step
#define STAMP_SIDE_COUNT 2     // before and after

struct cuda_clocks {
    // In the host's memory, where the device writes them: no copy has to be waited for.
    struct dev_stamp_value *spin; // [2] of a reading, [2] of a spin that only keeps the stream busy
    struct dev_stamp_value *stamps[STAMP_SIDE_COUNT]; // [sm_count]
    uint64_t timer_step_ns, spin_ns;
};

static int enqueue_spin(struct cuda_device *machine, struct dev_stamp_value *stamps, uint64_t duration_ns,
                        struct err *err) {
    const struct dev_spin args = {.stamps = stamps, .duration_ns = duration_ns};
    const struct kernel_launch program = kernel_launch_make("assay_spin", 1, 1, &args, sizeof args);
    return cuda_program_run(machine, &program, err);
}

int cuda_spin(struct cuda_device *machine, uint64_t duration_ns, struct err *err) {
    return enqueue_spin(machine, machine->clocks->spin + 2, duration_ns, err);
}

static int spin_once(struct cuda_device *machine, uint64_t duration_ns, struct err *err) {
    TRY(enqueue_spin(machine, machine->clocks->spin, duration_ns, err));
    const cuda_result code = machine->driver->stream_synchronize(machine->stream);
    return code ? cuda_fail(machine->driver, code, err, "the spin clock cannot be read") : 0;
}

// All that the timer shows are multiples of its step: 32 ns on newer devices, a microsecond on some.
static int find_timer_step(struct cuda_device *machine, struct err *err) {
    struct cuda_clocks *clocks = machine->clocks;
    uint64_t origin_ns = 0, step_ns = 0;
    for (unsigned i = 0; i < STEP_PROBES; ++i) {
        TRY(spin_once(machine, STEP_PROBE_NS, err));
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

int cuda_clocks_open(struct cuda_device *machine, struct err *err) {
    struct cuda_clocks *clocks = machine->clocks = mem_alloc(sizeof *clocks);
    const size_t count = 4 + STAMP_SIDE_COUNT * (size_t)machine->sm_count;
    void *data = NULL;
    const cuda_result code = machine->driver->mem_host_alloc(&data, count * sizeof *clocks->spin, 0);
    if (code) return cuda_fail(machine->driver, code, err, "no memory for the device's clock stamps");
    clocks->spin = data;
    for (size_t i = 0; i < count; ++i) clocks->spin[i] = (struct dev_stamp_value){0};
    for (size_t which = 0; which < STAMP_SIDE_COUNT; ++which)
        clocks->stamps[which] = clocks->spin + 4 + which * machine->sm_count;
    return find_timer_step(machine, err);
}

void cuda_clocks_close(struct cuda_device *machine) {
    if (!machine->clocks) return;
    if (machine->clocks->spin) machine->driver->mem_free_host(machine->clocks->spin);
    free(machine->clocks);
    machine->clocks = NULL;
}

static double clock_hz(const struct dev_stamp_value *begin, const struct dev_stamp_value *end) {
    if (end->ns <= begin->ns || end->cycles <= begin->cycles) return NAN;
    return 1e9 * (double)(end->cycles - begin->cycles) / (double)(end->ns - begin->ns);
}

double cuda_read_clock_probe_hz(struct device *device) {
    struct cuda_device *machine = cuda_device_of(device);
    struct cuda_clocks *clocks = machine->clocks;
    if (device->loss != DEVICE_LOSS_NONE || spin_once(machine, clocks->spin_ns, NULL) < 0) return NAN;
    return clock_hz(&clocks->spin[0], &clocks->spin[1]);
}

int cuda_stamp(struct cuda_device *machine, int which, struct err *err) {
    const struct dev_stamp args = {.stamps = machine->clocks->stamps[which]};
    const struct kernel_launch program =
        kernel_launch_make("assay_stamp", machine->sm_count, STAMP_THREADS, &args, sizeof args);
    return cuda_program_run(machine, &program, err);
}

// A multiprocessor's counter says nothing about another's, so stamps are matched by the one that made them.
// One that got two blocks of a stamp counts once, one that got none in either does not count.
double cuda_stamped_hz(struct cuda_device *machine) {
    const struct cuda_clocks *clocks = machine->clocks;
    double sum_hz = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine->sm_count; ++i) {
        const struct dev_stamp_value *begin = &clocks->stamps[0][i];
        for (uint32_t k = 0; k < machine->sm_count; ++k) {
            if (clocks->stamps[1][k].sm != begin->sm) continue;
            const double hz = clock_hz(begin, &clocks->stamps[1][k]);
            if (isfinite(hz)) sum_hz += hz, ++count;
            break;
        }
    }
    return count ? sum_hz / count : NAN;
}
