// SPDX-License-Identifier: Apache-2.0
//
// A backend: where kernels run. It gives guarded memory, threads or a stream, timed batches of launches, a
// clock of its own and the state of the device. What a kernel computes, and whether it is right, is not its
// business. One backend is one file with a struct backend, one line in backend.c's table, and one in the
// parent's (control/plan/device_kind.c).
#ifndef WORKER_BACKEND_BACKEND_H
#define WORKER_BACKEND_BACKEND_H

#include <assay/kernel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "device/kernel_launch.h"
#include "record/clock_request.h"
#include "record/device_state.h"
#include "record/gpu_facts.h"
#include "record/sim_script.h"

struct device;

// What `assay devices` says of one device, or of a backend that has none.
struct device_info {
    char device[32]; // "cpu", "cuda:0"; "" when the backend has none, and detail says why
    char name[128], uuid[64], isa[32], driver[96];
    char detail[512];  // what is missing, and why; "" when nothing is
    char threads[256]; // "2 pinned: 0,1"
    uint32_t thread_count;
    uint64_t memory_bytes, l2_bytes, llc_bytes; // 0: not known
    struct gpu_facts gpu;                       // of a GPU that is open
};

// Memory of one tensor: unmapped or protected guards around it, known bytes in what lies between.
struct buffer {
    const char *label; // for messages: "q", "out"; borrowed
    size_t bytes;
    void *data; // the address that kernels get
    // The same bytes as the host sees them: == data on "cpu", else a copy that upload / download move.
    void *host;
    size_t front_bytes, back_bytes; // known bytes before data and behind data + bytes
    void *map;                      // the backend's
    size_t map_bytes;
};

struct buffer_spec {
    const char *label;
    size_t bytes;           // > 0
    size_t alignment;       // power of two, 16 to 4096
    bool is_barely_aligned; // the address is an odd multiple of alignment
    size_t shift_bytes;     // moved this far away from the guard behind it (rounds move buffers); < 4096
};

// Where a memory fault happened, when it hit a guard.
struct buffer_fault {
    const char *label;
    // Past the end (0: the first byte behind it), or before the start (1: the last byte before).
    uint64_t distance_bytes;
    bool is_past_end;
};

// For kernels that return new tensors instead of writing ours (Python): called around a timed batch, outside
// what is timed, all work ordered on `stream`. Codes and messages as a kernel's callbacks. Any may be NULL.
struct batch_hooks {
    // Around the capture of the batch's launches as a graph. What is allocated in between belongs to the
    // graph.
    int (*capture_begin)(void *state, void *stream, struct assay_message *message);
    int (*capture_end)(void *state, void *stream, struct assay_message *message);
    // Carries the bytes of our outputs to where the next launches will write, so that poison and canaries lie
    // there; and what the launches wrote back into our outputs.
    int (*outputs_in)(void *state, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                      struct assay_message *message);
    int (*outputs_out)(void *state, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                       struct assay_message *message);
    // Around launches that are timed one by one (not is_timed): what they return goes into our outputs at
    // call_end, not inside each of them. call_end follows a failure too.
    int (*call_begin)(void *state, void *stream, struct assay_message *message);
    int (*call_end)(void *state, void *stream, struct assay_message *message);
};

// Launches to be timed as one: sets are taken in turn, so that launch i works on set (first_set + i) %
// set_count.
struct batch {
    const struct assay_kernel *kernel;
    void *state, *workspace;
    const struct assay_tensors *sets;
    uint32_t set_count, first_set, launches;
    // a measurement: "cuda" replays the launches as one graph; else they are launched one by one
    bool is_timed;
    // Launched behind what its stream still has to do, instead of waiting for that first (only without
    // is_timed): work that a kernel puts elsewhere runs ahead. duration_ns means nothing then.
    bool is_behind;
    // The cache is emptied (flush_cache) before what is timed, once all that comes first is done.
    bool is_cold;
    const struct batch_hooks *hooks; // NULL: none
};

struct batch_time {
    uint64_t start_ns; // clock_ns
    uint64_t duration_ns;
    uint64_t wait_ns;  // longest that one of our threads waited for a processor meanwhile; 0 where not known
    uint64_t steal_ns; // taken by the hypervisor meanwhile, as far as it tells
    // The device went on working for so long after our stream was done: work on another stream. It is inside
    // duration_ns.
    uint64_t late_ns;
    // The same as it was read, little as it may be, less what it is after nothing; off by chance, and
    // negative then. 0: not known.
    double tail_ns;
    double kernel_clock_hz; // mean clock of the device while the batch ran; NAN or 0: not known
};

// A window over which the load of others is judged.
struct state_window {
    uint64_t begin_ns, duration_ns;
    uint64_t begin_busy_ns, begin_steal_ns, begin_own_ns;
    // After the end: CPU time of others and of the hypervisor on the processors that we use, the whole time
    // of these processors, and how far the figures may be off because the kernel counts in ticks. All 0 where
    // not known.
    uint64_t others_ns, steal_ns, capacity_ns, uncertainty_ns;
    uint64_t begin_energy_mj, energy_mj; // what the device used in between; 0: not known
};

// Which device is opened, for what.
struct device_request {
    const char *device;    // "cpu", "cuda:0", "sim:steady"
    uint32_t thread_count; // 0: all
    // Of the run and the worker: only a simulated device asks, so that what it draws is its own in every
    // worker.
    uint64_t seed;
    uint32_t round, attempt;
    const struct sim_device *sim; // script of a simulated device; NULL: none was given
};

// Where data is not the host's memory: how the host's own work on tensors (filling, oracle, comparing:
// check/) is done where they lie. All of it is ordered on the device's stream; copies wait until they are
// done.
struct device_work {
    int (*scratch_alloc)(struct device *device, size_t bytes, void **ret_data, struct err *err);
    void (*scratch_free)(struct device *device, void *data); // accepts NULL
    int (*run_program)(struct device *device, const struct kernel_launch *program,
                       struct err *err); // enqueues
    int (*copy_in)(struct device *device, void *data, const void *host, size_t bytes, struct err *err);
    int (*copy_out)(struct device *device, void *host, const void *data, size_t bytes, struct err *err);
    int (*copy)(struct device *device, void *to, const void *from, size_t bytes, struct err *err); // enqueues
    // Keeps the stream busy for about so long from now on, so that what is enqueued next begins late: work
    // that a kernel puts elsewhere runs ahead of it, and is found out. Enqueues.
    int (*delay)(struct device *device, uint64_t duration_ns, struct err *err);
};

struct clock_hold; // a backend's

struct backend {
    const char *name; // "cpu"; the first part of a device's name
    // A name that begins so is a device's UUID (record/device_name.h); NULL: none does.
    const char *uuid_prefix;
    // Launches are queued on hardware with memory of its own, and the host's processors are free meanwhile: a
    // GPU.
    bool is_accelerator;
    // Every device of this backend, or one entry without a device that says why. Returns how many were
    // stored.
    size_t (*list)(struct device_info *ret, size_t capacity);
    // The one that a name means, as list() describes it. ERR_USAGE: no name, or several are meant.
    // ERR_UNAVAILABLE: it is not there. NULL where there is one at most.
    int (*find)(const char *device, struct device_info *ret, struct err *err);
    int (*open)(const struct device_request *request, struct device **ret, struct err *err);
    void (*close)(struct device *device); // accepts NULL

    int (*buffer_alloc)(struct device *device, const struct buffer_spec *spec, struct buffer *ret,
                        struct err *err);
    void (*buffer_free)(struct device *device, struct buffer *buffer); // accepts a zeroed one
    int (*buffer_upload)(struct device *device, struct buffer *buffer, struct err *err);   // host -> data
    int (*buffer_download)(struct device *device, struct buffer *buffer, struct err *err); // data -> host
    // The first known byte that has changed: *ret_distance < 0: before the start, >= 0: bytes past the end.
    // True if any.
    bool (*buffer_is_violated)(struct device *device, const struct buffer *buffer, int64_t *ret_distance);
    // Async-signal-safe. NULL when faults do not arrive as signals. False: not one of our guards.
    bool (*find_fault)(const void *address, struct buffer_fault *ret);

    // Runs the batch and waits for it. The status of the first launch that is not ASSAY_OK, with its message.
    int (*run)(struct device *device, const struct batch *batch, struct batch_time *ret,
               struct assay_message *message);
    // After callbacks of a kernel: puts back what all sides share and it has changed. True when there was
    // any, with "changed ...". run() does so by itself. NULL: nothing is shared.
    bool (*restore_shared)(struct device *device, char *ret_text, size_t capacity);
    // A kernel is released: what is kept of it goes, for the next one may come to lie at its addresses. NULL:
    // nothing is kept.
    void (*forget_kernel)(struct device *device);
    void (*flush_cache)(struct device *device); // walks twice the last cache
    const struct device_work *work;             // NULL: data == host, the host's threads do it
    // Cycles over nanoseconds of a loop of known length; NAN: none.
    double (*read_clock_probe_hz)(struct device *device);
    // batch_time.tail_ns after the device has been busy for so long with nothing but its stream: what a
    // host's clock reads where no work is elsewhere. NAN: not known. NULL: tail_ns never is.
    double (*read_tail_ns)(struct device *device, uint64_t duration_ns);
    // CPU time that threads of this process have used so far which are not the device's own: a kernel's.
    // NULL: of no account, for kernels run elsewhere (a GPU) or nothing really happens (a simulated device).
    int64_t (*other_threads_ns)(struct device *device);
    void (*read_state)(struct device *device, struct device_state *ret);
    // The clock that everything on this device is timed and awaited by; NULL: clock_ns. Virtual on a
    // simulated device.
    uint64_t (*now_ns)(const struct device *device);
    void (*window_begin)(struct device *device, struct state_window *window);
    void (*window_end)(struct device *device, struct state_window *window);

    // Holds a device's clock at one value, for everybody on the machine, without opening the device.
    // ERR_UNAVAILABLE with what to do where it is refused: nothing is held then. NULL: this backend cannot.
    int (*hold_clock)(const char *device, const struct clock_request *wanted, struct clock_hold **ret,
                      uint32_t *ret_mhz, struct err *err);
    int (*release_clock)(struct clock_hold *hold, struct err *err); // frees; negative: it is still held
};

// A launch can break a device for the process that made it: then nothing that follows works here, and the
// case goes on record as this process' last.
enum device_loss {
    DEVICE_LOSS_NONE = 0, // sound
    DEVICE_LOSS_ADDRESS,  // a kernel touched memory that it must not touch
    DEVICE_LOSS_OTHER,    // a trap, a device that fell off the bus, ...
};

struct device {
    const struct backend *backend;
    struct device_info info;
    struct assay_env env;                       // for prepare
    void *stream;                               // for launch
    const struct assay_cpu_stream *host_stream; // threads for the host's own work: filling, oracle, comparing
    uint64_t rotate_bytes; // what a rotation of buffers has to cover twice; flush walks info.llc_bytes twice
    double state_resolution_ns; // shortest window whose load figures mean anything
    // Nothing really happens here: no threads of a kernel to wait for, no time that passes by itself.
    bool is_virtual;
    // A timed batch takes every set equally often: its launches are a multiple of set_count, first_set is 0.
    bool wants_whole_rotations;
    // Cool power mode: after each sample the device rests this many times the sample's duration, so that its
    // power limit does not bite. 0: never.
    double cooldown_ratio;
    enum device_loss loss;
    // Where a timed batch is one replay: the step of the timer, and what a replay of one empty launch reads.
    // 0: of no account.
    double timer_step_ns, replay_overhead_ns;
    double node_ns; // what an empty launch takes among others in a replay; 0: not known
    char flush_doubt
        [192]; // after a flush_cache: why it may not have emptied the cache; "": nothing speaks against it
    char state_doubt[192]; // what read_state cannot see here, to be said once; "": nothing
    bool has_flush_failed; // by an error, which flush_doubt says; else it is a doubt
};

// ERR_USAGE for an unknown backend, ERR_UNAVAILABLE for one without that device.
int device_open(const struct device_request *request, struct device **ret, struct err *err);
uint64_t device_now_ns(const struct device *device); // NULL: clock_ns()
void device_close(struct device *device);            // accepts NULL

const struct backend *backend_at(size_t index);                                  // NULL past the end
int backend_of(const char *device, const struct backend **ret, struct err *err); // ERR_USAGE: unknown

// (foreign + steal) in per cent of the window's processors, less what the ticks leave open; NAN where not
// known.
double state_window_load_pct(const struct state_window *window);

#endif
