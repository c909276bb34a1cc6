// SPDX-License-Identifier: Apache-2.0
//
// The processor as a device: describes it, and makes one backend of threads, guarded memory and state.
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "worker/backend/cpu/ceilings_threads.h"
#include "worker/backend/cpu/cpu_count.h"
#include "worker/backend/cpu/cpu_pool.h"
#include "worker/backend/cpu/cpu_state.h"
#include "worker/backend/host_buffer.h"

// Common sizes, for machines that expose none: for the rotation of buffers, and for the flush of cold mode.
#define L2_BYTES_ASSUMED  ((uint64_t)1 << 20)
#define LLC_BYTES_ASSUMED ((uint64_t)32 << 20)

// In a host: launches, mostly one a batch, in which a kernel may start the threads that it keeps.
#define FREE_BATCHES 2u

extern const struct backend backend_cpu; // below

struct cpu_device {
    struct device device; // first
    struct cpu_pool *pool;
    int *processors;
    unsigned char *flush; // allocated on first use
    size_t flush_bytes;
    uint64_t *wait_ns; // [thread_count] cpu_pool_wait_ns before the batch
    bool is_host;
    // In a host: batches with launches since the kernel was prepared, up to FREE_BATCHES; then the thread
    // that launches stays where it may run.
    uint32_t batch_count;
    bool has_steal; // the hypervisor has taken time before, so it is read around every batch
};

static struct cpu_device *own(struct device *device) {
    return (struct cpu_device *)device;
}

static const char *simd_level(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return "avx512";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
    return "sse2";
#elif defined(__aarch64__)
    return "neon";
#else
    return "";
#endif
}

// "1024K", "32M"
static uint64_t read_size(const char *path) {
    char *text = NULL;
    size_t length;
    if (file_read(path, 64, &text, &length, NULL) < 0) return 0;
    char *end;
    uint64_t size = strtoull(text, &end, 10);
    if (*end == 'K') size <<= 10;
    if (*end == 'M') size <<= 20;
    free(text);
    return size;
}

// The text of a file that identifies a machine; NULL if there is none, or only systemd's placeholder.
static char *read_id(const char *path) {
    char *text = NULL;
    size_t length = 0;
    if (file_read(path, 256, &text, &length, NULL) < 0) return NULL;
    if (strcspn(text, " \n") && !str_starts(text, "uninitialized")) return text;
    free(text);
    return NULL;
}

// Images without a machine id all have the same empty file: the boot and the host name tell them apart.
static void identify(struct device_info *info) {
    char *id = read_id("/etc/machine-id");
    struct hash_state *hash = hash_new();
    if (!id) {
        char host[128] = "";
        gethostname(host, sizeof host - 1);
        hash_add_text(hash, host);
        id = read_id("/proc/sys/kernel/random/boot_id");
    }
    if (id) hash_add_text(hash, id);
    hash_add_text(hash, info->name);
    char hex[HASH_HEX_BYTES];
    hash_take_hex(hash, hex);
    free(id);
    snprintf(info->uuid, sizeof info->uuid, "cpu-%s", hex);
    struct utsname name;
    if (uname(&name) == 0)
        snprintf(info->driver, sizeof info->driver, "%.32s %.60s", name.sysname, name.release);
}

static void describe_device(struct device_info *info) {
    memset(info, 0, sizeof *info);
    snprintf(info->device, sizeof info->device, "cpu");
    // x86 has "model name"; others name the part.
    if (!cpu_state_cpuinfo("model name", info->name, sizeof info->name) &&
        !cpu_state_cpuinfo("CPU part", info->name, sizeof info->name))
        snprintf(info->name, sizeof info->name, "processor");
    snprintf(info->isa, sizeof info->isa, "%s", simd_level());
    for (int i = 0; i < 8; ++i) {
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        const uint64_t level = read_size(path); // a plain number
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        const uint64_t size = level ? read_size(path) : 0;
        if (level == 2) info->l2_bytes = size;
        if (level >= 2 && size > info->llc_bytes) info->llc_bytes = size;
    }
    identify(info);
    info->memory_bytes = mem_machine_bytes();
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) info->thread_count = (uint32_t)CPU_COUNT(&mask);
}

static size_t cpu_list(struct device_info *ret, size_t capacity) {
    if (!capacity) return 0;
    describe_device(ret);
    // Names the figures that the kernel does not expose, so that nobody mistakes an absent figure for a
    // good one.
    struct device_state state;
    cpu_state_read(&state);
    struct strbuf text = {0};
    if (isnan(state.temperature_c)) strbuf_add(&text, "no temperature (neither hwmon nor thermal zones); ");
    if (!*state.governor) strbuf_add(&text, "no governor (no cpufreq); ");
    if (state.turbo < 0) strbuf_add(&text, "turbo not known; ");
    if (!ret->l2_bytes) strbuf_add(&text, "cache sizes not exposed, 1 MiB of L2 assumed; ");
    if (text.length > 2) snprintf(ret->detail, sizeof ret->detail, "%.*s", (int)text.length - 2, text.text);
    strbuf_fini(&text);
    return 1;
}

static void fill_device(struct cpu_device *cpu) {
    struct device *device = &cpu->device;
    uint32_t count = cpu_pool_thread_count(cpu->pool);
    device->backend = &backend_cpu;
    describe_device(&device->info);
    device->info.thread_count = count;
    struct strbuf text = {0};
    strbuf_addf(&text, "%u pinned: ", count);
    for (uint32_t i = 0; i < count; ++i) strbuf_addf(&text, "%s%d", i ? "," : "", cpu->processors[i]);
    snprintf(device->info.threads, sizeof device->info.threads, "%s", strbuf_text(&text));
    strbuf_fini(&text);
    uint64_t l2_bytes = device->info.l2_bytes ? device->info.l2_bytes : L2_BYTES_ASSUMED;
    device->rotate_bytes = l2_bytes * count;
    device->sees_waits = cpu_pool_sees_waits(cpu->pool);
    device->state_resolution_ns = 5e8; // 2 % of two processors over half a second is two ticks of /proc/stat
    device->env = (struct assay_env){.struct_size = sizeof device->env,
                                     .thread_count = count,
                                     .device_index = -1,
                                     .cache_bytes = device->info.l2_bytes};
    device->host_stream = cpu_pool_stream(cpu->pool);
    device->stream = (void *)(uintptr_t)device->host_stream; // the ABI passes it without const
}

static int cpu_open(const struct device_request *request, struct device **ret, struct err *err) {
    const char *name = request->device;
    if (!str_equal(name, "cpu"))
        return err_set(err, ERR_UNAVAILABLE, "device '%s' does not exist: the processor is one device, 'cpu'",
                       name);
    struct cpu_device *cpu = mem_alloc(sizeof *cpu);
    int code = cpu_pool_open(request->thread_count, !request->has_no_helpers, &cpu->pool, err);
    if (code < 0) {
        free(cpu);
        return code;
    }
    uint32_t count = cpu_pool_thread_count(cpu->pool);
    cpu->processors = mem_alloc(count * sizeof *cpu->processors);
    cpu->wait_ns = mem_alloc(count * sizeof *cpu->wait_ns);
    for (uint32_t i = 0; i < count; ++i) cpu->processors[i] = cpu_pool_processor(cpu->pool, i);
    cpu->is_host = request->is_host;
    if (cpu->is_host) cpu_pool_pin_caller(cpu->pool, false);
    cpu->has_steal = !cpu->is_host && cpu_state_steal_ns() > 0;
    fill_device(cpu);
    *ret = &cpu->device;
    return 0;
}

static void cpu_close(struct device *device) {
    if (!device) return;
    struct cpu_device *cpu = own(device);
    cpu_pool_close(cpu->pool);
    free(cpu->processors);
    free(cpu->wait_ns);
    free(cpu->flush);
    free(cpu);
}

typedef int (*outputs_fn)(void *state, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                          struct assay_message *message);

// Only the sets that the batch uses: the outputs of others may belong to another side by now.
static int copy_outputs(const struct batch *batch, outputs_fn hook, void *stream,
                        struct assay_message *message) {
    const uint32_t count = batch->launches < batch->set_count ? batch->launches : batch->set_count;
    const uint32_t first = batch->first_set % batch->set_count, behind = batch->set_count - first;
    const uint32_t until_end = count < behind ? count : behind;
    if (!hook || !count) return ASSAY_OK;
    const int status = hook(batch->state, &batch->sets[first], until_end, stream, message);
    if (status != ASSAY_OK || count == until_end) return status;
    return hook(batch->state, batch->sets, count - until_end, stream, message);
}

// Before the launches, and after them. Both add to *ret_ns how long they took. hooks: or NULL.
static int begin_hooks(const struct batch *batch, const struct batch_hooks *hooks, void *stream,
                       uint64_t *ret_ns, struct assay_message *message) {
    const uint64_t start_ns = clock_ns();
    int status = hooks ? copy_outputs(batch, hooks->outputs_in, stream, message) : ASSAY_OK;
    if (status == ASSAY_OK && hooks && hooks->capture_begin)
        status = hooks->capture_begin(batch->state, stream, message);
    *ret_ns += clock_ns() - start_ns;
    return status;
}

static int end_hooks(const struct batch *batch, const struct batch_hooks *hooks, int status, void *stream,
                     uint64_t *ret_ns, struct assay_message *message) {
    const uint64_t start_ns = clock_ns();
    if (hooks && hooks->capture_end) {
        const int ended = hooks->capture_end(batch->state, stream, status == ASSAY_OK ? message : NULL);
        if (status == ASSAY_OK) status = ended;
    }
    if (status == ASSAY_OK && hooks) status = copy_outputs(batch, hooks->outputs_out, stream, message);
    *ret_ns += clock_ns() - start_ns;
    return status;
}

static void cpu_flush_cache(struct device *device) {
    struct cpu_device *cpu = own(device);
    if (!cpu->flush) {
        cpu->flush_bytes =
            (size_t)(2 * (device->info.llc_bytes ? device->info.llc_bytes : LLC_BYTES_ASSUMED));
        cpu->flush = mem_alloc(cpu->flush_bytes);
    }
    for (size_t i = 0; i < cpu->flush_bytes; i += 64) ++cpu->flush[i]; // dirties every cache line
}

// The last number that was given to a thread of this process; 0: not known, since only the first process of a
// namespace has that counter to itself.
static uint64_t last_thread(void) {
    return getpid() == 1 ? cpu_state_last_thread() : 0;
}

// After a launch in a host: whether the kernel starts threads in every launch. One that keeps its threads
// started none in this one, which is not its first.
static bool starts_threads(const struct cpu_device *cpu, uint64_t last_before) {
    const uint32_t own = cpu_pool_running_count(cpu->pool);
    return last_before ? cpu_state_last_thread() > last_before : cpu_state_thread_count() > own;
}

// A kernel's own threads inherit where the thread that launches may run. So it is free while a kernel is
// prepared and in its first launches, where it makes its threads. From then on it is pinned, in checks as in
// samples, since a kernel can ask for it; but it stays free if each launch starts threads. Pinned, times
// repeat, and the judge, which shares its processor, has its answer at once.
static void place_caller(struct cpu_device *cpu, uint64_t last_before) {
    if (++cpu->batch_count == FREE_BATCHES && !starts_threads(cpu, last_before))
        cpu_pool_pin_caller(cpu->pool, true);
}

// The next kernel is prepared by a thread that may run everywhere.
static void cpu_forget_kernel(struct device *device) {
    struct cpu_device *cpu = own(device);
    if (!cpu->is_host) return;
    cpu_pool_pin_caller(cpu->pool, false);
    cpu->batch_count = 0;
}

static int cpu_run(struct device *device, const struct batch *batch, struct batch_time *ret,
                   struct assay_message *message) {
    struct cpu_device *cpu = own(device);
    const uint32_t threads = device->info.thread_count;
    const bool is_first = cpu->is_host && batch->launches && cpu->batch_count < FREE_BATCHES;
    const uint64_t last_before = is_first ? last_thread() : 0;
    // Results that a kernel returns in memory of its own are copied to the outputs after a measurement,
    // not during it. A host does not know what is measured, and its copies are part of its time: by the
    // judge's clock they could be launches.
    const struct batch_hooks *hooks = batch->is_timed || cpu->is_host ? batch->hooks : NULL;
    uint64_t around_ns = 0;
    int status = begin_hooks(batch, hooks, device->stream, &around_ns, message);
    if (batch->is_cold) cpu_flush_cache(device);
    for (uint32_t i = 0; i < threads && !cpu->is_host; ++i) cpu->wait_ns[i] = cpu_pool_wait_ns(cpu->pool, i);
    const int64_t others_ns = cpu->is_host ? 0 : cpu_pool_other_threads_ns(cpu->pool);
    const uint64_t steal_ns = cpu->has_steal ? cpu_state_steal_ns() : 0;
    uint32_t set = batch->first_set % batch->set_count;
    uint64_t start_ns = clock_ns();
    for (uint32_t i = 0; i < batch->launches && status == ASSAY_OK; ++i) {
        status =
            batch->kernel->launch(batch->state, &batch->sets[set], batch->workspace, device->stream, message);
        if (++set == batch->set_count) set = 0;
    }
    uint64_t end_ns = clock_ns();
    ret->start_ns = start_ns;
    ret->duration_ns = end_ns > start_ns ? end_ns - start_ns : 1;
    ret->steal_ns = cpu->has_steal ? cpu_state_steal_ns() - steal_ns : 0;
    ret->wait_ns = 0;
    for (uint32_t i = 0; i < threads && !cpu->is_host; ++i) {
        uint64_t wait_ns = cpu_pool_wait_ns(cpu->pool, i) - cpu->wait_ns[i];
        if (wait_ns > ret->wait_ns) ret->wait_ns = wait_ns;
    }
    // Threads that the kernel has started may be what ours waited for: that is its own doing.
    const int64_t own_ns = cpu->is_host ? 0 : cpu_pool_other_threads_ns(cpu->pool) - others_ns;
    if (own_ns > 0) ret->wait_ns = ret->wait_ns > (uint64_t)own_ns ? ret->wait_ns - (uint64_t)own_ns : 0;
    if (is_first) place_caller(cpu, last_before);
    status = end_hooks(batch, hooks, status, device->stream, &around_ns, message);
    if (cpu->is_host) ret->duration_ns += around_ns;
    return status;
}

static uint64_t read_steal_ns(struct device *device) {
    return own(device)->has_steal ? cpu_state_steal_ns() : 0;
}

static double read_clock_probe_hz(struct device *device) {
    (void)device;
    return cpu_state_clock_probe_hz();
}

static void read_state(struct device *device, struct device_state *ret) {
    (void)device;
    cpu_state_read(ret);
}

static int64_t other_threads_ns(struct device *device) {
    return cpu_pool_other_threads_ns(own(device)->pool);
}

static void begin_window(struct device *device, struct state_window *window) {
    cpu_state_window_begin(own(device)->processors, device->info.thread_count, window);
}

static void end_window(struct device *device, struct state_window *window) {
    cpu_state_window_end(own(device)->processors, device->info.thread_count, window);
}

const struct backend backend_cpu = {
    .name = "cpu",
    .list = cpu_list,
    .open = cpu_open,
    .close = cpu_close,
    .buffer_alloc = host_buffer_alloc,
    .buffer_free = host_buffer_free,
    .buffer_import = host_buffer_import,
    .buffer_upload = host_buffer_move,
    .buffer_download = host_buffer_move,
    .buffer_is_violated = host_buffer_is_violated,
    .find_fault = host_buffer_find_fault,
    .run = cpu_run,
    .count = cpu_count,
    .forget_kernel = cpu_forget_kernel,
    .flush_cache = cpu_flush_cache,
    .read_clock_probe_hz = read_clock_probe_hz,
    .other_threads_ns = other_threads_ns,
    .read_steal_ns = read_steal_ns,
    .read_state = read_state,
    .window_begin = begin_window,
    .window_end = end_window,
    .measure_ceilings = cpu_measure_ceilings,
};
