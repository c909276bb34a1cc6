// SPDX-License-Identifier: Apache-2.0
//
// Private to the files of this folder (and their tests): one GPU as this process holds it. From bottom to
// top:
//   cuda_driver.c         loads the driver; cuda_codes.c says what its error codes mean
//   cuda_context.c        the context: whether it is lost, and the settings that all kernels share
//   cuda_program.c        assay's own device kernels: their module, launching them
//   cuda_clock.c          spin kernels, clock probe, clock of the device during a batch
//   cuda_cache.c          flushing the L2, and proof that a flush works
//   cuda_serialization.c  checks that the launches of a captured batch run one after the other
//   cuda_launch.c         enqueues kernels under test, waits for the device
//   cuda_graph.c          timed batches: capture, replay, events
//   cuda_timer.c          what timing by events costs and resolves
//   cuda_vmm.c         memory that other processes can map; whether the device allows that
//   cuda_memory.c         guarded buffers, scratch memory, copies (struct device_work)
//   cuda_others.c         whether the device works for another process
//   cuda_occupancy.c      how many blocks a multiprocessor holds
//   cuda_count.c          counts events of the hardware, through CUPTI (cupti.c)
//   cuda_run.c            runs a batch: one by one, or as a graph
//   ceilings_cuda.c       the highest rates: arithmetic, matrix products, bandwidth
//   cuda_state.c          state of the device, from NVML (nvml.c)
//   cuda.c                the backend's table: listing, finding, opening, holding the clocks
#ifndef WORKER_BACKEND_CUDA_CUDA_DEVICE_INTERNAL_H
#define WORKER_BACKEND_CUDA_CUDA_DEVICE_INTERNAL_H

#include "worker/backend/backend.h"
#include "worker/backend/cuda/cuda_driver.h"

struct cuda_graphs;         // cuda_graph.c
struct cuda_clocks;         // cuda_clock.c
struct cuda_cache;          // cuda_cache.c
struct nvml_device;         // nvml.h
struct cuda_device_kernels; // cuda_program.c
struct cuda_memory;         // cuda_memory.c
struct cuda_others;         // cuda_others.c
struct cpu_pool;            // cpu_pool.h

#define CUDA_CONTEXT_LIMITS 2
// State besides memory that all kernels of the process share: limits of the context, attributes of the
// stream, and the lines that the last kernel has pinned in the L2.
struct cuda_context_state {
    size_t limits[CUDA_CONTEXT_LIMITS]; // of the context, as it was opened
    bool is_known[CUDA_CONTEXT_LIMITS];
    const struct assay_kernel *kernel; // the kernel that ran last, and its state
    void *state;
};

struct cuda_device {
    struct device device; // first: a struct device * is this
    const struct cuda_driver *driver;
    cuda_device_ordinal ordinal;
    cuda_context context; // the primary one; cuda_enter makes it current on this thread
    cuda_stream stream;   // non-blocking, so that work on the legacy stream is not ordered with it
    uint32_t sm_count, threads_per_sm;
    bool is_host, is_for_fills; // as it was opened (device_request)
    struct cuda_context_state context_state;
    double empty_tail_ns; // tail of a batch of empty launches: the baseline of batch_time.tail_ns
    struct cuda_memory *memory;
    struct cpu_pool *pool; // threads of the host's own work
    struct cuda_device_kernels *device_kernels;
    struct cuda_graphs *graphs;
    struct cuda_clocks *clocks;
    struct cuda_cache *cache;
    size_t vmm_step_bytes;      // cuda_vmm_step_bytes
    struct cuda_others *others; // NULL: cuda_share_begin was not called
    struct nvml_device *nvml;   // NULL: no NVML here; then no state is known, and info.detail says why
    // Once a launch has broken the context every later call fails: the first message is kept and repeated.
    // "": the context works. device.loss says what broke it.
    char lost[256];
};

static inline struct cuda_device *cuda_device_of(struct device *device) {
    return (struct cuda_device *)(void *)device;
}

// ---- cuda_context.c ----

// Context and stream, and the limits that cuda_context_state_restore restores.
int cuda_context_open(struct cuda_device *cuda, struct err *err);
// Call before all work of ours: a kernel's callbacks, or a library that they use, may have left another
// context current on this thread. ERR_UNAVAILABLE with the first message, once the device is lost.
int cuda_enter(struct cuda_device *cuda, struct err *err);
// The same after code under test was called inside a batch; a failure is the batch's message.
int cuda_reenter(struct cuda_device *cuda, struct assay_message *message);
// A CUDA error during or after a launch of a kernel under test, as the kernel's message: the driver's words,
// and what the error usually means (an invalid address, a trap, too many resources). Marks the device lost if
// it is.
int cuda_launch_fail(struct cuda_device *cuda, cuda_result code, const char *what,
                     struct assay_message *message);
// A call of ours failed: marks the device lost if it is, and sets err as cuda_fail does.
__attribute__((format(printf, 4, 5))) int cuda_call_fail(struct cuda_device *cuda, cuda_result code,
                                                         struct err *err, const char *what, ...);
// An allocation failed: what was asked for, and what there is.
int cuda_memory_fail(struct cuda_device *cuda, cuda_result code, const char *label, size_t bytes,
                     struct err *err);
// Restores what callbacks have changed. True if there was anything: "changed ... from ... to ...".
bool cuda_context_state_restore(struct device *device, char *ret_text, size_t capacity);
// Before a batch: removes what the previous kernel left on the stream and in the cache.
void cuda_context_state_begin(struct cuda_device *cuda, const struct batch *batch);

// ---- cuda_program.c ----

// ERR_UNAVAILABLE: assay was built without device kernels, or the driver rejects them (its log is in the
// message).
int cuda_device_kernels_open(struct cuda_device *cuda, struct err *err);
void cuda_device_kernels_close(struct cuda_device *cuda);
// Whether device kernels can run: built in, or exported by the driver (the fake driver of tests/fakes/
// runs them on the CPU).
bool cuda_device_kernels_are_there(const struct cuda_driver *driver);
// What is loaded in place of an image built into this program: the image, or what the driver exports.
const char *cuda_kernel_image(const struct cuda_driver *driver, const char *built);
// Enqueues a device kernel.
int cuda_program_run(struct cuda_device *cuda, const struct kernel_launch *program, struct err *err);
// The same, of another module.
int cuda_function_run(struct cuda_device *cuda, cuda_function function, const struct kernel_launch *program,
                      struct err *err);

// ---- cuda_clock.c ----

int cuda_clocks_open(struct cuda_device *cuda, struct err *err);
void cuda_clocks_close(struct cuda_device *cuda);
double cuda_read_clock_probe_hz(struct device *device);
// Enqueues a spin kernel of one thread: what follows on the stream is enqueued before it begins.
int cuda_spin(struct cuda_device *cuda, uint64_t duration_ns, struct err *err);
// Enqueues a kernel that keeps the whole device busy: as many threads as it holds, of which a few spin, so
// that no work on another stream begins before it ends.
int cuda_block(struct cuda_device *cuda, uint64_t duration_ns, struct err *err);
// Enqueues a stamp of every multiprocessor. which: 0 before, 1 after a batch.
int cuda_stamp(struct cuda_device *cuda, int which, struct err *err);
// Cycles over nanoseconds between the two stamps, mean over multiprocessors; NAN: unknown. After a
// synchronisation.
double cuda_stamped_hz(struct cuda_device *cuda);
// Readings of a timer are multiples of its step: the largest step that fits both. 0: nothing was read yet.
uint64_t cuda_common_step(uint64_t a_ns, uint64_t b_ns);

// ---- cuda_cache.c ----

void cuda_cache_open(struct cuda_device *cuda);
void cuda_cache_close(struct cuda_device *cuda);
void cuda_flush_cache(struct device *device);

// ---- cuda_serialization.c ----

struct cuda_serialization *cuda_serialization_new(void);
void cuda_serialization_free(struct cuda_serialization *order); // accepts NULL
// After every launch during a capture: records where the launch ended on our stream.
void cuda_serialization_add(struct cuda_device *cuda, struct cuda_serialization *order);
// ASSAY_FAILED, with a message, if two launches may run at the same time.
int cuda_serialization_check(struct cuda_device *cuda, const struct cuda_serialization *order,
                             cuda_graph graph, struct assay_message *message);

// ---- cuda_launch.c ----

// Enqueues every launch of the batch. Our context is current afterwards. Returns the status of the first
// launch that is not ASSAY_OK.
int cuda_launch_all(struct cuda_device *cuda, const struct batch *batch, struct assay_message *message);
// A tail beyond this is work on another stream: synchronising an idle device takes less.
#define CUDA_LATE_NS 20000u
// Measures the tail: device work outside our stream after it has finished. late_ns is 0 unless the tail
// exceeds an idle synchronisation by CUDA_LATE_NS; tail_ns is always set. (The idle synchronisation is timed
// each time: a debugger or a sanitizer slows it down.)
cuda_result cuda_wait_for_tail(struct cuda_device *cuda, struct batch_time *ret);

// ---- cuda_graph.c ----

int cuda_graphs_open(struct cuda_device *cuda, struct err *err); // after device kernels and clocks
void cuda_graphs_close(struct cuda_device *cuda);
int cuda_graph_run(struct cuda_device *cuda, const struct batch *batch, struct batch_time *ret,
                   struct assay_message *message);
// How long the next blocking kernel has to be, after a batch took that long to enqueue behind this one.
uint64_t cuda_next_blocking_ns(uint64_t blocking_ns, uint64_t enqueue_ns);
// Drops all graphs. Call it before memory that they may use is freed: the same addresses may then belong to
// another problem.
void cuda_graphs_forget(struct cuda_device *cuda);

// ---- cuda_timer.c ----

// Sets device.timer_step_ns, replay_overhead_ns, node_ns and empty_tail_ns.
int cuda_timer_measure(struct cuda_device *cuda, struct err *err);
double cuda_read_tail_ns(struct device *device, uint64_t duration_ns);

// ---- cuda_memory.c ----

// Bytes of known value on either side of every tensor: wide enough that a kernel that writes one tile too
// far hits them.
#define CUDA_GUARD_BYTES 65536u
#define CUDA_GUARD_BYTE  0xa5u
int cuda_memory_open(struct cuda_device *cuda, struct err *err); // after the device kernels
void cuda_memory_close(struct cuda_device *cuda);
int cuda_buffer_alloc(struct device *device, const struct buffer_spec *spec, struct buffer *ret,
                      struct err *err);
void cuda_buffer_free(struct device *device, struct buffer *buffer);
int cuda_buffer_upload(struct device *device, struct buffer *buffer, struct err *err);
int cuda_buffer_download(struct device *device, struct buffer *buffer, struct err *err);
bool cuda_buffer_is_violated(struct device *device, const struct buffer *buffer, int64_t *ret_distance);
extern const struct device_work cuda_work;

int cuda_buffer_import(struct device *device, const char *label, const struct buffer_window *window, int fd,
                       struct buffer *ret, struct err *err);

// ---- cuda_vmm.c ----

// Memory of at least that many bytes at an address of its own; *ret_fd (may be NULL): a descriptor that
// stands for it.
int cuda_vmm_alloc(struct cuda_device *cuda, const char *label, size_t bytes, cuda_address *ret, int *ret_fd,
                   struct err *err);
// The same memory of another process; the descriptor stays the caller's. buffer: its label, sizes and far
// rows. Memory can only be mapped whole, so each far row has a window of its own on all of it.
int cuda_vmm_import(struct cuda_device *cuda, const struct buffer *buffer, int fd, cuda_address *ret,
                    struct err *err);
// bytes: of the memory, far rows in it or not.
void cuda_vmm_free(struct cuda_device *cuda, cuda_address address, size_t bytes, const struct far_rows *far);
// The steps in which such memory comes; 0: the device or its driver has none.
size_t cuda_vmm_step_bytes(const struct cuda_device *cuda);
// ERR_UNAVAILABLE, with what to do: other processes cannot use this device, or not its memory.
int cuda_can_share(struct cuda_device *cuda, struct err *err);

// ---- cuda_others.c ----

#define CUDA_LONGEST_WAIT_NS UINT64_C(50000000) // for the turns of other processes

int cuda_share_begin(struct device *device, struct err *err);
void cuda_others_close(struct cuda_device *cuda);
uint64_t cuda_wait_for_others(struct device *device, double *turn_ns);

// ---- cuda_run.c ----

int cuda_run(struct device *device, const struct batch *batch, struct batch_time *ret,
             struct assay_message *message);

// ---- cuda_occupancy.c ----

struct cuda_sm_limits { // of a multiprocessor; 0: unknown
    uint32_t threads, blocks, registers, shared_bytes;
    uint32_t reserved_shared_bytes; // that the system takes of each block's
};
struct cuda_block {
    uint32_t threads, registers, shared_bytes; // registers: of a thread
};
// Blocks of a multiprocessor as each resource limits them.
enum cuda_occupancy {
    CUDA_OCCUPANCY_WARPS,
    CUDA_OCCUPANCY_BLOCKS,
    CUDA_OCCUPANCY_REGISTERS,
    CUDA_OCCUPANCY_SHARED,
    CUDA_OCCUPANCY_COUNT
};
// UINT32_MAX: not limited, or not known.
void cuda_occupancy(const struct cuda_sm_limits *limits, const struct cuda_block *block,
                    uint32_t ret[CUDA_OCCUPANCY_COUNT]);
// The least of these. 0: not known, or the block fits no multiprocessor.
uint32_t cuda_blocks_per_sm(const uint32_t limits[CUDA_OCCUPANCY_COUNT]);

// ---- cuda_count.c ----

int cuda_count(struct device *device, const struct counter_request *request, struct err *err);

// ---- ceilings_cuda.c ----

// Loads the kernels that measure ceilings, those of the device's widest matrix instruction.
int cuda_ceiling_kernels_load(struct cuda_device *cuda, cuda_module *ret, struct err *err);
int cuda_measure_ceilings(struct device *device, ceiling_fn *on_ceiling, void *arg, struct err *err);

// ---- cuda_state.c ----

// Finds the NVML device with info.uuid, and lists its processes. A host does without.
void cuda_state_open(struct cuda_device *cuda);
// Once the context is open: finds out which of the processes is this one.
void cuda_state_find_own_process(struct cuda_device *cuda);
void cuda_state_close(struct cuda_device *cuda);
void cuda_read_state(struct device *device, struct device_state *ret);
void cuda_adopt_hosts(struct device *device, const int *pids, uint32_t count);
void cuda_window_begin(struct device *device, struct state_window *window);
void cuda_window_end(struct device *device, struct state_window *window);

// ---- cuda.c ----

// NVIDIA GPUs: "cuda", "cuda:0", or by UUID as nvidia-smi prints it ("GPU-1a2b...", a prefix is enough if it
// is unique). The primary context is used, on a non-blocking stream of our own.
extern const struct backend backend_cuda;

#define CUDA_UUID_PREFIX     "GPU-" // how a UUID begins, and a device's name that is one
#define CUDA_UUID_TEXT_BYTES 48
void cuda_uuid_format(const cuda_uuid *uuid, char ret_text[CUDA_UUID_TEXT_BYTES]); // "GPU-1a2b3c4d-..."

// The ordinal of the device that a name means. ERR_USAGE: not a device name, or it fits several devices.
// ERR_UNAVAILABLE: no such device; the message lists those that are there.
int cuda_find_device(const struct cuda_driver *driver, const char *name, cuda_device_ordinal *ret,
                     int *ret_index, struct err *err);

#endif
