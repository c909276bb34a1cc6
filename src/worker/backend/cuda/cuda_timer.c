// SPDX-License-Identifier: Apache-2.0
//
// What timing by events costs and resolves on this device, measured when it is opened: the step of the event
// timer, the time of a replay of an empty graph, and the time that one more empty launch adds. None of them
// is subtracted from a sample: samples are long enough (docs/measuring.md).
#include <math.h>

#include "device/device_kernel_args.h"
#include "stats/describe.h"
#include "worker/backend/cuda/cuda_device_internal.h"

#define PROBES        24
#define NODES         1000 // further launches
#define NODE_PROBES   5u
#define PROBE_SPIN_NS 1000u
#define PROBE_STEP_NS 37u // readings differ by all kinds of steps

struct probe {
    cuda_event start, stop;
};

static int time_spin(struct cuda_device *cuda, const struct probe *probe, uint64_t spin_ns, uint64_t *ret_ns,
                     struct err *err) {
    const struct cuda_driver *driver = cuda->driver;
    float ms = 0;
    cuda_result code = driver->event_record(probe->start, cuda->stream);
    TRY(cuda_spin(cuda, spin_ns, err));
    if (code == CUDA_OK) code = driver->event_record(probe->stop, cuda->stream);
    if (code == CUDA_OK) code = driver->stream_synchronize(cuda->stream);
    if (code == CUDA_OK) code = driver->event_elapsed_ms(&ms, probe->start, probe->stop);
    if (code) return cuda_fail(driver, code, err, "the step of the event timer cannot be measured");
    *ret_ns = (uint64_t)llround(1e6 * (double)ms);
    return 0;
}

// Every reading is a multiple of the step.
static int measure_step(struct cuda_device *cuda, struct err *err) {
    const struct cuda_driver *driver = cuda->driver;
    struct probe probe = {NULL, NULL};
    uint64_t step_ns = 0;
    int status = 0;
    cuda_result code = driver->event_create(&probe.start, CUDA_EVENT_DEFAULT_FLAG);
    if (code == CUDA_OK) code = driver->event_create(&probe.stop, CUDA_EVENT_DEFAULT_FLAG);
    if (code) status = cuda_fail(driver, code, err, "no events to time with");
    for (unsigned i = 0; i < PROBES && status == 0; ++i) {
        uint64_t time_ns = 0;
        status = time_spin(cuda, &probe, PROBE_SPIN_NS + i * PROBE_STEP_NS, &time_ns, err);
        step_ns = cuda_common_step(step_ns, time_ns);
    }
    cuda->device.timer_step_ns = (double)step_ns;
    if (probe.start) driver->event_destroy(probe.start);
    if (probe.stop) driver->event_destroy(probe.stop);
    return status;
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

// Medians over replays of a graph of empty launches.
static int time_empty_launches(struct cuda_device *cuda, uint32_t launches, unsigned probes, double *ret_ns,
                               double *ret_tail_ns, struct err *err) {
    static const struct assay_kernel nothing = {.name = "nothing", .launch = launch_nothing};
    const struct assay_tensors none = {.struct_size = sizeof none};
    const struct batch batch = {.kernel = &nothing,
                                .state = cuda,
                                .sets = &none,
                                .set_count = 1,
                                .launches = launches,
                                .is_timed = true};
    char text[512] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    double times_ns[PROBES], tails_ns[PROBES];
    // Once outside the graph: the first launch of a function may load it, which must not be captured.
    if (launch_nothing(cuda, &none, NULL, cuda->stream, &message) != ASSAY_OK)
        return err_set(err, ERR_UNAVAILABLE, "an empty launch cannot be made here: %s", text);
    for (unsigned i = 0; i < probes; ++i) {
        struct batch_time time;
        if (cuda_graph_run(cuda, &batch, &time, &message) != ASSAY_OK)
            return err_set(err, ERR_UNAVAILABLE, "an empty graph cannot be replayed here: %s", text);
        times_ns[i] = (double)(time.duration_ns - time.late_ns);
        tails_ns[i] = time.tail_ns;
    }
    *ret_ns = describe_unsorted_median(times_ns, probes);
    *ret_tail_ns = describe_unsorted_median(tails_ns, probes);
    return 0;
}

double cuda_read_tail_ns(struct device *device, uint64_t duration_ns) {
    struct cuda_device *cuda = cuda_device_of(device);
    const struct cuda_driver *driver = cuda->driver;
    struct batch_time time = {.tail_ns = NAN};
    if (device->loss != DEVICE_LOSS_NONE || driver->ctx_synchronize() != CUDA_OK) return NAN;
    if (cuda_spin(cuda, duration_ns, NULL) < 0) return NAN;
    if (driver->stream_synchronize(cuda->stream) != CUDA_OK) return NAN;
    return cuda_wait_for_tail(cuda, &time) == CUDA_OK ? time.tail_ns : NAN;
}

int cuda_timer_measure(struct cuda_device *cuda, struct err *err) {
    struct device *device = &cuda->device;
    double one_tail_ns = 0, many_ns = 0, many_tail_ns = 0;
    TRY(measure_step(cuda, err));
    TRY(time_empty_launches(cuda, 1, PROBES, &device->replay_overhead_ns, &one_tail_ns, err));
    TRY(time_empty_launches(cuda, 1 + NODES, NODE_PROBES, &many_ns, &many_tail_ns, err));
    cuda->empty_tail_ns = one_tail_ns > many_tail_ns ? one_tail_ns : many_tail_ns;
    const double node_ns = (many_ns - device->replay_overhead_ns) / NODES;
    device->node_ns = node_ns > 0 ? node_ns : 0;
    cuda_graphs_forget(cuda);
    return 0;
}
