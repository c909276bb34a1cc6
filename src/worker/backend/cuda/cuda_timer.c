// SPDX-License-Identifier: Apache-2.0
//
// What timing by events costs and resolves on this device, measured when it is opened: the step of the event
// timer, and what a replay of a graph reads that does nothing, and what a launch of nothing takes among
// others. None is subtracted from a sample: samples are long enough (docs/measuring.md).
#include <math.h>
#include <stdlib.h>

#include "device/device_kernel_args.h"
#include "worker/backend/cuda/cuda_internal.h"

#define PROBES        24
#define NODES         1000 // further launches, of which each takes its share
#define NODE_PROBES   5u
#define PROBE_SPIN_NS 1000u
#define PROBE_STEP_NS 37u // so that readings differ by all kinds of steps

struct probe {
    cuda_event start, stop;
};

uint64_t cuda_common_step(uint64_t a_ns, uint64_t b_ns) {
    while (b_ns) {
        const uint64_t tail_ns = a_ns % b_ns;
        a_ns = b_ns;
        b_ns = tail_ns;
    }
    return a_ns;
}

static int time_spin(struct cuda_device *machine, const struct probe *probe, uint64_t spin_ns,
                     uint64_t *ret_ns, struct err *err) {
    const struct cuda_driver *driver = machine->driver;
    float ms = 0;
    cuda_result code = driver->event_record(probe->start, machine->stream);
    TRY(cuda_spin(machine, spin_ns, err));
    if (code == CUDA_OK) code = driver->event_record(probe->stop, machine->stream);
    if (code == CUDA_OK) code = driver->stream_synchronize(machine->stream);
    if (code == CUDA_OK) code = driver->event_elapsed_ms(&ms, probe->start, probe->stop);
    if (code) return cuda_fail(driver, code, err, "the step of the event timer cannot be measured");
    *ret_ns = (uint64_t)llround(1e6 * (double)ms);
    return 0;
}

// Every reading is a multiple of the step.
static int find_step(struct cuda_device *machine, const struct probe *probe, struct err *err) {
    uint64_t step_ns = 0;
    for (unsigned i = 0; i < PROBES; ++i) {
        uint64_t time_ns = 0;
        TRY(time_spin(machine, probe, PROBE_SPIN_NS + i * PROBE_STEP_NS, &time_ns, err));
        step_ns = cuda_common_step(step_ns, time_ns);
    }
    machine->device.timer_step_ns = (double)step_ns;
    return 0;
}

static int measure_step(struct cuda_device *machine, struct err *err) {
    const struct cuda_driver *driver = machine->driver;
    struct probe probe = {NULL, NULL};
    cuda_result code = driver->event_create(&probe.start, CUDA_EVENT_DEFAULT_FLAG);
    if (code == CUDA_OK) code = driver->event_create(&probe.stop, CUDA_EVENT_DEFAULT_FLAG);
    const int found =
        code ? cuda_fail(driver, code, err, "no events to time with") : find_step(machine, &probe, err);
    if (probe.start) driver->event_destroy(probe.start);
    if (probe.stop) driver->event_destroy(probe.stop);
    return found;
}

static int launch_nothing(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                          struct assay_message *message) {
    (void)tensors, (void)workspace, (void)stream;
    const struct dev_pattern args = {.bytes = 0};
    const struct kernel_launch program = kernel_launch_make("assay_pattern", 1, 32, &args, sizeof args);
    struct err err = {0};
    return cuda_program_run(state, &program, &err) < 0 ? assay_say(message, ASSAY_FAILED, err.text)
                                                       : ASSAY_OK;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

// Medians of replays of a graph with so many empty launches.
static int time_nothing(struct cuda_device *machine, uint32_t launches, unsigned probes, double *ret_ns,
                        double *ret_tail_ns, struct err *err) {
    static const struct assay_kernel nothing = {.name = "nothing", .launch = launch_nothing};
    const struct assay_tensors none = {.struct_size = sizeof none};
    const struct batch batch = {.kernel = &nothing,
                                .state = machine,
                                .sets = &none,
                                .set_count = 1,
                                .launches = launches,
                                .is_timed = true};
    char text[512] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    double times_ns[PROBES], tails_ns[PROBES];
    // Once by itself: a function that is loaded by its first launch may not be captured.
    if (launch_nothing(machine, &none, NULL, machine->stream, &message) != ASSAY_OK)
        return err_set(err, ERR_UNAVAILABLE, "an empty launch cannot be made here: %s", text);
    for (unsigned i = 0; i < probes; ++i) {
        struct batch_time time;
        if (cuda_graph_run(machine, &batch, &time, &message) != ASSAY_OK)
            return err_set(err, ERR_UNAVAILABLE, "an empty graph cannot be replayed here: %s", text);
        times_ns[i] = (double)(time.duration_ns - time.late_ns);
        tails_ns[i] = time.tail_ns;
    }
    *ret_ns = median(times_ns, probes);
    *ret_tail_ns = median(tails_ns, probes);
    return 0;
}

// What nothing takes, and what one more launch of nothing adds.
static int measure_nothing(struct cuda_device *machine, struct err *err) {
    double many_ns = 0, tail_ns = 0, tail_of_many_ns = 0;
    TRY(time_nothing(machine, 1, PROBES, &machine->device.replay_overhead_ns, &tail_ns, err));
    TRY(time_nothing(machine, 1 + NODES, NODE_PROBES, &many_ns, &tail_of_many_ns, err));
    machine->tail_of_nothing_ns = tail_ns > tail_of_many_ns ? tail_ns : tail_of_many_ns;
    const double node_ns = (many_ns - machine->device.replay_overhead_ns) / NODES;
    machine->device.node_ns = node_ns > 0 ? node_ns : 0;
    return 0;
}

double cuda_read_tail_ns(struct device *device, uint64_t duration_ns) {
    struct cuda_device *machine = cuda_device_of(device);
    const struct cuda_driver *driver = machine->driver;
    struct batch_time time = {.tail_ns = NAN};
    if (device->loss != DEVICE_LOSS_NONE || driver->ctx_synchronize() != CUDA_OK) return NAN;
    if (cuda_spin(machine, duration_ns, NULL) < 0) return NAN;
    if (driver->stream_synchronize(machine->stream) != CUDA_OK) return NAN;
    return cuda_wait_for_tail(machine, &time) == CUDA_OK ? time.tail_ns : NAN;
}

int cuda_timer_measure(struct cuda_device *machine, struct err *err) {
    TRY(measure_step(machine, err));
    TRY(measure_nothing(machine, err));
    cuda_graphs_forget(machine);
    return 0;
}
