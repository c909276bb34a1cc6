// SPDX-License-Identifier: Apache-2.0
//
// Private to the files cuda*.c of backend/: one GPU as this process holds it. Who does what:
//   cuda.c          the backend's table: listing, opening, closing
//   cuda_memory.c   guarded buffers, scratch memory, copies, delay (struct device_work)
//   cuda_program.c  the device kernels' program text, launching them
//   cuda_launch.c   kernels under test: one by one; which way a batch goes; what a failed launch is called
//   cuda_graph.c    timed batches: capture, replay, events, stamps; cuda_clock.c  clock probe and clock under
//                   kernels
//   cuda_context_state.c   limits of the context and attributes of the stream, which all sides share
//   cuda_serialization.c    launches of a captured batch run one behind another
//   cuda_timer.c    what timing by events costs
//   cuda_cache.c    flushing the L2, and proving that it was flushed
//   cuda_state.c    state of the device, from NVML (nvml.c)
//   cuda_clock_lock.c  holding the clocks, without a machine
#ifndef WORKER_BACKEND_CUDA_CUDA_INTERNAL_H
#define WORKER_BACKEND_CUDA_CUDA_INTERNAL_H

#include "worker/backend/backend.h"
#include "worker/backend/cuda/cuda_driver.h"

struct cuda_graphs;         // cuda_graph.c
struct cuda_clocks;         // cuda_clock.c
struct cuda_cache;          // cuda_cache.c
struct nvml_device;         // nvml.h
struct cuda_device_kernels; // cuda_program.c
struct cuda_memory;         // cuda_memory.c
struct cpu_pool;            // cpu_pool.h

#define CUDA_SHARED_LIMITS 2
// What all kernels share: cuda_context_state.c.
struct cuda_context_state {
    size_t limits[CUDA_SHARED_LIMITS]; // of the context, as it was opened
    bool is_known[CUDA_SHARED_LIMITS];
    const struct assay_kernel *kernel; // that ran last, and its state
    void *state;
};

struct cuda_device {
    struct device device; // first: a struct device * is this
    const struct cuda_driver *driver;
    cuda_device_ordinal ordinal;
    cuda_context context; // the primary one; cuda_enter makes it current on this thread
    // device.stream: non-blocking, so that work on the legacy stream is not ordered with it
    cuda_stream stream;
    uint32_t sm_count;
    struct cuda_context_state shared;
    double tail_of_nothing_ns; // batch_time.tail_ns after a batch that does nothing
    struct cuda_memory *memory;
    struct cpu_pool *pool; // threads of the host's own work
    struct cuda_device_kernels *device_kernels;
    struct cuda_graphs *graphs;
    struct cuda_clocks *clocks;
    struct cuda_cache *cache;
    struct nvml_device *nvml; // NULL: no NVML here; then no state is known, and info.detail says why
    // Once a launch has broken the context every later call fails: the first sentence is kept and said again.
    // "": sound. device.loss says what kind.
    char lost[256];
};

static inline struct cuda_device *cuda_device_of(struct device *device) {
    return (struct cuda_device *)(void *)device;
}

// ---- cuda_memory.c ----
int cuda_memory_open(struct cuda_device *machine, struct err *err); // after the device kernels
void cuda_memory_close(struct cuda_device *machine);
#define CUDA_GUARD_BYTES                                                                                     \
    65536u // known bytes on either side of every tensor: a tile too far is seen and named
#define CUDA_GUARD_BYTE 0xa5u
int cuda_buffer_alloc(struct device *device, const struct buffer_spec *spec, struct buffer *ret,
                      struct err *err);
void cuda_buffer_free(struct device *device, struct buffer *buffer);
int cuda_buffer_upload(struct device *device, struct buffer *buffer, struct err *err);
int cuda_buffer_download(struct device *device, struct buffer *buffer, struct err *err);
bool cuda_buffer_is_violated(struct device *device, const struct buffer *buffer, int64_t *ret_distance);
extern const struct device_work cuda_work;

// ---- cuda_program.c ---- ERR_UNAVAILABLE: this assay was built without them, or the driver refuses the text
// (its log is in the sentence).
int cuda_device_kernels_open(struct cuda_device *machine, struct err *err);
void cuda_device_kernels_close(struct cuda_device *machine);
bool cuda_device_kernels_are_built_in(void);
// Built in, or brought by the driver itself: that of the tests runs them on the processor (tests/fakes/).
bool cuda_device_kernels_are_there(const struct cuda_driver *driver);
// Enqueues on the machine's stream.
int cuda_program_run(struct cuda_device *machine, const struct kernel_launch *program, struct err *err);

// ---- cuda_launch.c ----
int cuda_run(struct device *device, const struct batch *batch, struct batch_time *ret,
             struct assay_message *message);
// A CUDA error during or after a launch of a kernel under test, as the kernel's message: what the driver
// says, and what that usually means (an address outside of all tensors, a trap, too many resources). Marks
// the machine lost where it is.
int cuda_launch_fail(struct cuda_device *machine, cuda_result code, const char *what,
                     struct assay_message *message);
// After a call of ours failed: asks the driver whether the context still works, and marks the machine lost
// where not.
void cuda_note_loss(struct cuda_device *machine, cuda_result code);
// Before all work of ours: a kernel's callbacks, or a library that they use, may have left another context
// current on this thread. ERR_UNAVAILABLE with the first sentence, once the machine is lost.
int cuda_enter(struct cuda_device *machine, struct err *err);
// The same where code under test was called within a batch, as the batch's message.
int cuda_take_back(struct cuda_device *machine, struct assay_message *message);
// Every launch of the batch, enqueued. Our context is current afterwards. The status of the first that is not
// ASSAY_OK.
int cuda_launch_all(struct cuda_device *machine, const struct batch *batch, struct assay_message *message);

// Work that goes on for longer than this once our stream is done was put on another one: a synchronisation of
// a device that has nothing left to do is done sooner.
#define CUDA_LATE_NS 20000u
// The stream is done: how long does the rest of the device go on? late_ns is 0 where that is not longer than
// CUDA_LATE_NS beyond what a synchronisation takes by itself, here and now (a debugger or a sanitizer makes
// it slow); tail_ns is it all.
cuda_result cuda_wait_for_tail(struct cuda_device *machine, struct batch_time *ret);

// ---- cuda_graph.c: a timed batch ----
int cuda_graphs_open(struct cuda_device *machine, struct err *err); // after device kernels and clocks
void cuda_graphs_close(struct cuda_device *machine);
int cuda_graph_run(struct cuda_device *machine, const struct batch *batch, struct batch_time *ret,
                   struct assay_message *message);
void cuda_forget_kernel(struct device *device);
// Drops all graphs. Before memory that they may use goes: what comes next at the same addresses is another
// problem's.
void cuda_graphs_forget(struct cuda_device *machine);

// ---- cuda_context_state.c ----
void cuda_context_state_open(struct cuda_device *machine); // once the context is there
// Puts back what callbacks have changed. True when there was any: "changed ... from ... to ...".
bool cuda_context_state_restore(struct device *device, char *ret_text, size_t capacity);
// Before a batch: what the last one left on the stream and in the cache goes.
void cuda_context_state_begin(struct cuda_device *machine, const struct batch *batch);

// ---- cuda_serialization.c: the launches of a captured batch run one behind another ----
struct cuda_serialization *cuda_serialization_new(void);
void cuda_serialization_free(struct cuda_serialization *order); // accepts NULL
void cuda_serialization_note(struct cuda_device *machine,
                             struct cuda_serialization *order); // after every launch, capturing
// The status of a kernel under test, with a sentence where a launch may run beside another one.
int cuda_serialization_check(struct cuda_device *machine, const struct cuda_serialization *order,
                             cuda_graph graph, struct assay_message *message);

// ---- cuda_timer.c ----
int cuda_timer_measure(struct cuda_device *machine,
                       struct err *err); // device.timer_step_ns, replay_overhead_ns
// Readings of a timer are multiples of its step: the largest step that both are multiples of. 0: nothing read
// yet.
uint64_t cuda_common_step(uint64_t a_ns, uint64_t b_ns);

// ---- cuda_clock.c ----
int cuda_clocks_open(struct cuda_device *machine, struct err *err);
void cuda_clocks_close(struct cuda_device *machine);
double cuda_read_clock_probe_hz(struct device *device);
double cuda_read_tail_ns(struct device *device, uint64_t duration_ns);
// Keeps the stream busy with one thread for duration_ns, so that what follows is enqueued before it begins.
// Enqueued.
int cuda_spin(struct cuda_device *machine, uint64_t duration_ns, struct err *err);
// Stamps every multiprocessor, enqueued; read after a synchronisation. which: 0 before, 1 after a batch.
int cuda_stamp(struct cuda_device *machine, int which, struct err *err);
double cuda_stamped_hz(
    struct cuda_device *machine); // cycles over ns between the two, mean over multiprocessors; NAN

// ---- cuda_cache.c ----
int cuda_cache_open(struct cuda_device *machine, struct err *err);
void cuda_cache_close(struct cuda_device *machine);
void cuda_flush_cache(struct device *device);

// ---- cuda_state.c ----
void cuda_state_open(struct cuda_device *machine); // finds the NVML device of the same UUID
void cuda_state_note_context(
    struct cuda_device *machine); // after the context was opened, after cuda_state_open
void cuda_state_close(struct cuda_device *machine);
void cuda_read_state(struct device *device, struct device_state *ret);
void cuda_window_begin(struct device *device, struct state_window *window);
void cuda_window_end(struct device *device, struct state_window *window);

#endif
