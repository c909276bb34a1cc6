// SPDX-License-Identifier: Apache-2.0
//
// A backend is a kind of device that kernels run on: guarded memory, threads or a stream, timed batches of
// launches, a clock of its own, and the state of the device. It does not know what a kernel computes or
// whether the result is right. A new backend is a folder with a struct backend in it, one line in backend.c,
// and one line in the parent's table (control/plan/device_kind.c).
#ifndef WORKER_BACKEND_BACKEND_H
#define WORKER_BACKEND_BACKEND_H

#include <assay/kernel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "device/kernel_launch.h"
#include "op/far_rows.h"
#include "record/ceiling.h"
#include "record/clock_request.h"
#include "record/device_state.h"
#include "record/gpu_facts.h"
#include "record/sim_script.h"

struct device;
struct counter_request; // worker/backend/counters.h
struct host;            // worker/host/host_client.h

// One line of `assay devices`: a device, or a backend that has none.
struct device_info {
    char device[32]; // "cpu", "cuda:0"; "" when the backend has none, and detail says why
    char name[128], uuid[64], isa[32], driver[96];
    char detail[512];  // what is missing, and why; "" when nothing is
    char threads[256]; // "2 pinned: 0,1"
    uint32_t thread_count;
    uint64_t memory_bytes, l2_bytes, llc_bytes; // 0: unknown
    struct gpu_facts gpu;                       // of a GPU that is open
};

// ---- memory ----

// Memory of one tensor, between guards: unmapped or protected pages, or bytes of a known value.
struct buffer {
    const char *label; // for messages: "q", "out"; borrowed
    size_t bytes;
    void *data; // the address that kernels get
    void *host; // the host's view: == data on "cpu", else a copy that upload and download move
    size_t front_bytes, back_bytes; // bytes of known value before data and after data + bytes
    void *map;                      // mapping, owned by the backend
    size_t map_bytes;
    // Shared with other processes (buffer_spec.sharing): the memory file that data lies in; owned. An
    // imported buffer keeps no descriptor.
    bool is_shared;
    int fd;
    bool is_read_only;   // nobody who imports it can write it: a fault inside is the attempt
    struct far_rows far; // of an imported one
};

// Who else sees the memory of a buffer.
enum buffer_sharing {
    BUFFER_PRIVATE = 0, // nobody
    BUFFER_SHARED_IN,   // other processes can import it, and cannot write it
    BUFFER_SHARED_OUT,  // other processes can import and write it
};

struct buffer_spec {
    const char *label;
    size_t bytes;           // > 0
    size_t alignment;       // power of two, 16 to 4096
    bool is_barely_aligned; // the address is an odd multiple of alignment
    size_t shift_bytes;     // distance from the guard at the end (each round moves its buffers); < 4096
    enum buffer_sharing sharing;
};

// What another process needs to know to import a buffer, besides its descriptor.
struct buffer_window {
    uint64_t bytes;
    uint64_t front_bytes, back_bytes; // of the guards of known bytes; front + bytes + back fill whole pages
    uint32_t is_read_only;
    uint32_t reserved;
    struct far_rows far; // how whoever imports it maps its rows; the importer's own choice
};

enum buffer_place { BUFFER_BEFORE = 0, BUFFER_INSIDE, BUFFER_PAST_END, BUFFER_BETWEEN_ROWS };

// The place of a memory fault inside a guard, or inside a buffer that must not be written.
struct buffer_fault {
    const char *label;
    enum buffer_place place;
    // Past the end (0: the first byte after it), before the start (1: the last byte before it), or from the
    // start (also between the rows of a far tensor).
    uint64_t distance_bytes;
};

// How the checker works on tensors that lie in device memory (filling, comparing, hashing): all of it is
// ordered on the device's stream.
struct device_work {
    int (*scratch_alloc)(struct device *device, size_t bytes, void **ret_data, struct err *err);
    void (*scratch_free)(struct device *device, void *data); // accepts NULL
    // Enqueues a device kernel of assay's own.
    int (*run_program)(struct device *device, const struct kernel_launch *program, struct err *err);
    // Both wait until the copy is done.
    int (*copy_in)(struct device *device, void *data, const void *host, size_t bytes, struct err *err);
    int (*copy_out)(struct device *device, void *host, const void *data, size_t bytes, struct err *err);
    // Enqueues a copy within device memory.
    int (*copy)(struct device *device, void *to, const void *from, size_t bytes, struct err *err);
    // Enqueues a spin kernel of this duration, so that what is enqueued next starts late: work that a kernel
    // under test puts on another stream then runs too early, which shows.
    int (*delay)(struct device *device, uint64_t duration_ns, struct err *err);
};

// ---- batches of launches ----

// For kernels that return new tensors instead of writing ours (Python). Called before and after a timed
// batch, outside the timed part, with all work ordered on `stream`. Return codes and messages are those of a
// kernel's callbacks. Any member may be NULL.
struct batch_hooks {
    // Before and after the capture of the launches as a graph. Memory allocated in between belongs to the
    // graph.
    int (*capture_begin)(void *state, void *stream, struct assay_message *message);
    int (*capture_end)(void *state, void *stream, struct assay_message *message);
    // outputs_in copies our outputs to where the next launches will write, so that poison and canaries lie
    // there; outputs_out copies what the launches wrote back to our outputs.
    int (*outputs_in)(void *state, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                      struct assay_message *message);
    int (*outputs_out)(void *state, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                       struct assay_message *message);
    // Before and after launches that are timed one by one (not is_timed): what they return is copied to our
    // outputs by call_end, not inside each launch. call_end is called after a failure too. Not in a host on a
    // processor, which copies it after each of them.
    int (*call_begin)(void *state, void *stream, struct assay_message *message);
    int (*call_end)(void *state, void *stream, struct assay_message *message);
};

// Which part of a timed batch is run. Kernels with hooks have work before and after what is timed: where a
// clock of another process runs around a batch, that work is asked for apart.
enum batch_part {
    BATCH_WHOLE = 0,
    BATCH_STAGE,  // launches are captured, outputs are brought to where they will write
    BATCH_TIMED,  // what is timed
    BATCH_COLLECT // what the launches wrote is brought back to the outputs; launches may be 0
};

// late_inputs.h: inputs that come in the middle of a batch, at places that follow from the seed.
struct late_inputs {
    void *data; // NULL: in the host of the batch, if it has one
    uint64_t seed;
};

// Launches that are timed as one sample. Launch i works on set (first_set + i) % set_count.
struct batch {
    struct host *host;                 // the process that runs it (worker/host/batch_run.h); NULL: this one
    const struct assay_kernel *kernel; // this and what follows: of a kernel in this process
    void *state, *workspace;
    const struct assay_tensors *sets;
    // [set_count]: batch_set_key of each. NULL: to be computed, which reads a line of memory for each tensor.
    const uint64_t *set_keys;
    // launches 0: what surrounds the launches of a batch, without any.
    uint32_t set_count, first_set, launches;
    uint32_t first_index; // number of sets[0] among the sets of its case
    // A measurement: "cuda" replays the launches as one graph. Otherwise they are launched one by one. A host
    // on a processor is not told.
    bool is_timed;
    // With is_timed: single calls, each from call to completion by the host's clock, as a program that needs
    // every result at once would see them; duration_ns is their sum. Never replayed as a graph.
    bool is_by_call;
    // The launches are enqueued without waiting for earlier work of the stream (only without is_timed), so
    // that work on another stream runs ahead of it. duration_ns means nothing then.
    bool is_behind;
    // With is_behind, of a kernel in a host: its stream is busy that long first, and then the outputs become
    // again what they were before the batch.
    uint64_t behind_ns;
    bool is_cold; // flush_cache runs right before the timed part
    // How long a blocking kernel keeps the device busy while all of a timed batch is enqueued. 0: the backend
    // chooses. Only "cuda".
    uint64_t blocking_ns;
    const struct batch_hooks *hooks; // NULL: none
    enum batch_part part;            // but BATCH_WHOLE only of what "cuda" replays as a graph
    const struct late_inputs *late;  // NULL: none. Only of what "cuda" replays as a graph
    // In the judge, as soon as a host has answered and before it is stopped: reads what must be written by
    // then. NULL: nothing.
    void (*on_answer)(void *arg);
    void *arg;
};

// Of the addresses of a set's tensors. 0 is no special key.
uint64_t batch_set_key(const struct assay_tensors *set);

// What the launches of a simulated kernel cost, before any noise: batch_time.cost, set by run(), from which
// settle() makes the times.
struct batch_cost {
    uint64_t side_key;    // different for every side of a worker, so that each draws its own noise
    uint64_t problem_key; // different for every problem
    double nominal_ns;    // of one launch
    double overhead_ns;   // besides, of one that is called and waited for by itself
    double cv_pct;        // replaces the device's; NAN: the device's
    double slow_process_pct, slow_process_share_pct; // slower by this, in this share of the processes
    double stamp_ratio; // the kernel's own stamps, as a share of the truth; 0: true stamps
};

struct batch_time {
    uint64_t start_ns; // clock_ns
    uint64_t duration_ns;
    // Longest time that one of our threads waited for a processor; on a GPU, the time of enqueueing if it may
    // have kept the device waiting. 0 if unknown.
    uint64_t wait_ns;
    uint64_t enqueue_ns; // how long the host took to enqueue it; 0 if unknown
    uint64_t steal_ns;   // taken by the hypervisor, as far as it tells
    // How long the device was busy for another process right before it.
    uint64_t others_ns;
    // How long the device stayed busy after our stream had finished, with work on another stream; part of
    // duration_ns. 0: not longer than a synchronisation takes.
    uint64_t late_ns;
    // Tail time: how long the device stayed busy after our stream had finished, less that of an empty batch.
    // Noise can make it negative; 0 if unknown.
    double tail_ns;
    double kernel_clock_hz; // mean clock of the device during the batch; NAN or 0: unknown
    // By the clock of another process, the judge's: from its command to the answer, less the cost of an empty
    // exchange, and how much that cost varies. 0: the batch ran in this process.
    uint64_t judge_ns;
    double judge_error_ns;
    uint64_t ahead_ns; // how long the host ran before that command; part of judge_ns beyond what it costs
    // CPU time of all threads of the host from when it was continued until it was stopped. 0: not known, also
    // where the host may have started processes.
    uint64_t cpu_ns;
    bool is_wait_known;     // wait_ns is what both processes waited for a processor, as the kernel counts it
    struct batch_cost cost; // of a simulated device
};

// ---- state ----

// A window of time over which the load by other processes is measured.
struct state_window {
    uint64_t begin_ns, duration_ns;
    uint64_t begin_busy_ns, begin_steal_ns, begin_own_ns;
    // Set at the end: CPU time of other processes and of the hypervisor on our processors, the whole time of
    // these processors, and the error of these figures because the kernel counts in ticks. All 0 if unknown.
    uint64_t others_ns, steal_ns, capacity_ns, uncertainty_ns;
    uint64_t begin_energy_mj, energy_mj; // energy that the device used in the window; 0: unknown
};

// Which device to open, and for which run.
struct device_request {
    const char *device;    // "cpu", "cuda:0", "sim:steady"
    uint32_t thread_count; // 0: all
    // Seed of the run, round and attempt of the worker. Only a simulated device reads them, so that every
    // worker draws its own noise.
    uint64_t seed;
    uint32_t round, attempt;
    bool has_no_helpers; // of a process whose kernel gets no stream: without threads of parallel_for
    bool is_host;        // for a process that launches only: another one reads the state of the device
    // For a process that fills memory of its own on a GPU and does nothing else there: of struct backend only
    // `work` is there, and of our device kernels those of declared operators.
    bool is_for_fills;
    const struct sim_device *sim; // script of a simulated device; NULL: none was given
};

struct clock_hold; // defined by the backend

typedef int ceiling_fn(void *arg, const struct ceiling *ceiling, struct err *err);

// The entries of a backend. Functions return 0 or a negative ERR_ code unless the comment says otherwise.
struct backend {
    const char *name;        // "cpu"; the first part of a device's name
    const char *uuid_prefix; // device names with this prefix are UUIDs (record/device_name.h); NULL: none are
    bool is_accelerator;     // launches are queued on hardware with memory of its own (a GPU)

    // ---- devices ----

    // Lists every device, or one entry without a device whose detail says why there is none. Returns how many
    // entries were stored.
    size_t (*list)(struct device_info *ret, size_t capacity);
    // Finds the device that a name means, described as list() does. ERR_USAGE: not a device name, or it fits
    // several devices. ERR_UNAVAILABLE: no such device here. NULL: the backend has one device at most.
    int (*find)(const char *device, struct device_info *ret, struct err *err);
    int (*open)(const struct device_request *request, struct device **ret, struct err *err);
    void (*close)(struct device *device); // accepts NULL

    // ---- memory ----

    int (*buffer_alloc)(struct device *device, const struct buffer_spec *spec, struct buffer *ret,
                        struct err *err);
    void (*buffer_free)(struct device *device, struct buffer *buffer); // accepts a zeroed buffer
    // Call before hosts use the device that this process has opened. ERR_UNAVAILABLE, with what to do: the
    // device serves only one process, or cannot share its memory. NULL: nothing is in the way.
    int (*share_begin)(struct device *device, struct err *err);
    // Maps a shared buffer of another process, and closes the descriptor. NULL: the backend shares no memory.
    // window->far.count > 0: its rows at those distances. On a GPU all of it lies behind ret->data as well.
    int (*buffer_import)(struct device *device, const char *label, const struct buffer_window *window, int fd,
                         struct buffer *ret, struct err *err);
    int (*buffer_upload)(struct device *device, struct buffer *buffer, struct err *err);   // host -> data
    int (*buffer_download)(struct device *device, struct buffer *buffer, struct err *err); // data -> host
    // True if a guard byte has changed. *ret_distance is the first such byte: >= 0: bytes past the end, < 0:
    // bytes before the start.
    bool (*buffer_is_violated)(struct device *device, const struct buffer *buffer, int64_t *ret_distance);
    // Where a faulting address lies; false: in no guard and no read-only buffer of ours. Async-signal-safe.
    // NULL: faults do not arrive as signals.
    bool (*find_fault)(const void *address, struct buffer_fault *ret);
    const struct device_work *work; // NULL: data == host, and the host's threads do the work

    // ---- running kernels ----

    // Runs the batch and waits for it. Returns the status of the first launch that is not ASSAY_OK, and its
    // message.
    int (*run)(struct device *device, const struct batch *batch, struct batch_time *ret,
               struct assay_message *message);
    // Counts events of the hardware in launches (worker/backend/counters.h). ERR_UNAVAILABLE, with what to
    // do: nothing can be counted. NULL: the device counts nothing.
    int (*count)(struct device *device, const struct counter_request *request, struct err *err);
    // Where processes take turns on a device: waits until nothing of another one runs there, for 50 ms at
    // most, and returns how long that took; 0: nothing did. After share_begin. NULL: they share processors,
    // and a stopped process does nothing.
    // turn_ns, unless NULL: how much longer than usual work of ours took to begin, which is short if no other
    // process has computed there since our last work, and else at least a switch to our turn; INFINITY:
    // unknown.
    uint64_t (*wait_for_others)(struct device *device, double *turn_ns);
    // How long the next blocking kernel (batch.blocking_ns) has to be, after a batch behind this one took
    // enqueue_ns to enqueue. NULL: there are none.
    uint64_t (*next_blocking_ns)(uint64_t blocking_ns, uint64_t enqueue_ns);
    // Where time is simulated, and with it the clock of this process: turns the cost of a batch that another
    // process has run into times, and moves the clock. NULL: run() has measured them.
    void (*settle)(struct device *device, const struct batch *batch, struct batch_time *time);
    // Restores settings that all kernels share and that a kernel's callback has changed; run() restores them
    // after launches. True, with "changed ...", if there was anything to restore. NULL: kernels share no
    // settings.
    bool (*restore_shared)(struct device *device, char *ret_text, size_t capacity);
    // Drops the caches of a kernel that is being released, because the next kernel may get the same
    // addresses. NULL: nothing is cached.
    void (*forget_kernel)(struct device *device);
    // Evicts the caches by walking over twice the size of the last-level cache.
    void (*flush_cache)(struct device *device);

    // ---- clocks and state ----

    // Clock of the device in Hz, from a loop of known length in cycles. NAN: unknown.
    double (*read_clock_probe_hz)(struct device *device);
    // batch_time.tail_ns after a spin kernel of this duration, when no work is on another stream. NAN:
    // unknown. NULL: the backend never sets tail_ns.
    double (*read_tail_ns)(struct device *device, uint64_t duration_ns);
    // CPU time in ns used so far by threads of this process that are not the device's own, that is, by
    // threads that a kernel started. NULL: kernels do not run on the host's processors, or time is simulated.
    int64_t (*other_threads_ns)(struct device *device);
    // Time that the hypervisor has taken from our processors so far, where it does. NULL: not known.
    uint64_t (*read_steal_ns)(struct device *device);
    // The clock in ns by which everything on this device is timed. NULL: clock_ns. Virtual on a simulated
    // device.
    uint64_t (*now_ns)(const struct device *device);
    void (*read_state)(struct device *device, struct device_state *ret);
    // Around the start of hosts: whatever process is new on the device then is ours, and no other process
    // of read_state. pids: their numbers here; count 0: they are about to start. NULL: no processes are
    // counted.
    void (*adopt_hosts)(struct device *device, const int *pids, uint32_t count);
    void (*window_begin)(struct device *device, struct state_window *window);
    void (*window_end)(struct device *device, struct state_window *window);
    // Measures the highest rates of the device (record/ceiling.h): arithmetic and bandwidth. Every figure
    // goes to on_ceiling once; its texts live until that returns. NULL: it has none.
    int (*measure_ceilings)(struct device *device, ceiling_fn *on_ceiling, void *arg, struct err *err);
    // Locks the device's clock for every process on the machine, without opening the device; *ret_mhz is the
    // value. ERR_UNAVAILABLE, with what to do: nothing is locked. NULL: the backend cannot lock clocks.
    int (*hold_clock)(const char *device, const struct clock_request *wanted, struct clock_hold **ret,
                      uint32_t *ret_mhz, struct err *err);
    // Unlocks the clock and frees the hold. Negative: the clock is still locked.
    int (*release_clock)(struct clock_hold *hold, struct err *err);
};

// A launch can break a device for the process that made it. Nothing that follows works in this process, so
// the case is recorded as its last one.
enum device_loss {
    DEVICE_LOSS_NONE = 0, // the device works
    DEVICE_LOSS_ADDRESS,  // a kernel accessed memory that it must not access
    DEVICE_LOSS_OTHER,    // a trap, a device that fell off the bus, ...
};

struct device {
    const struct backend *backend;
    struct device_info info;
    struct assay_env env;                       // for prepare
    void *stream;                               // for launch
    const struct assay_cpu_stream *host_stream; // threads for the host's own work: filling, oracle, comparing
    // Bytes that a rotation of buffers has to cover twice. (A flush walks info.llc_bytes twice.)
    uint64_t rotate_bytes;
    double state_resolution_ns; // shortest window whose load figures mean anything
    // Batches say how long they waited for a processor: other programs cost samples, not whole windows.
    bool sees_waits;
    // Simulated: there are no threads of a kernel to wait for, and time passes only when a batch runs.
    bool is_virtual;
    // A timed batch uses every set equally often: its launches are a multiple of set_count, first_set is 0.
    bool wants_whole_rotations;
    // Cool power mode: pause after each sample, as a multiple of the sample's duration, so that the power
    // limit does not throttle the device. 0: never.
    double cooldown_ratio;
    enum device_loss loss;
    // Where a timed batch is one replay of a graph: the resolution of the event timer, and the time of a
    // replay of one empty launch. 0: batches are timed by the host.
    double timer_step_ns, replay_overhead_ns;
    double node_ns; // time that each further empty launch adds to a replay; 0: unknown
    // After flush_cache: why it may not have evicted the cache, because of an error (has_flush_failed) or by
    // what the canary says. "": no doubt.
    char flush_doubt[192];
    bool has_flush_failed;
    char state_doubt[192]; // what read_state cannot see here, to be reported once; "": nothing
};

// ERR_USAGE: unknown backend; ERR_UNAVAILABLE: the backend has no such device.
int device_open(const struct device_request *request, struct device **ret, struct err *err);
uint64_t device_now_ns(const struct device *device); // NULL: clock_ns()
void device_close(struct device *device);            // accepts NULL

const struct backend *backend_at(size_t index);                                  // NULL past the end
int backend_of(const char *device, const struct backend **ret, struct err *err); // ERR_USAGE: unknown

// Load by other processes and the hypervisor, in per cent of the window's processors, less the error by
// ticks. NAN if unknown.
double state_window_load_pct(const struct state_window *window);

#endif
