// SPDX-License-Identifier: Apache-2.0
//
// The processor as a device: describes it, and ties threads, guarded memory, state and clock into one
// backend.
#include "worker/backend/cpu/cpu.h"

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
#include "worker/backend/cpu/cpu_clock_probe.h"
#include "worker/backend/cpu/cpu_pool.h"
#include "worker/backend/cpu/cpu_state.h"
#include "worker/backend/host_buffer.h"

#define L2_BYTES_ASSUMED                                                                                     \
    ((uint64_t)1 << 20) // where the kernel does not say: a common size, only sizes rotations
#define LLC_BYTES_ASSUMED ((uint64_t)32 << 20) // likewise, sizes the flush of cold mode

struct cpu_device {
    struct device device; // first
    struct cpu_pool *pool;
    int *processors;
    unsigned char *flush; // allocated on first use
    size_t flush_bytes;
    uint64_t *wait_ns; // a thread: reading before the batch
    bool has_steal;    // the hypervisor has taken time before: worth asking around every batch
};

static struct cpu_device *own(struct device *device) {
    return (struct cpu_device *)device;
}

// "model name" on x86; on others the first of the lines that name the part.
static void read_model(char *ret_name, size_t capacity) {
    snprintf(ret_name, capacity, "%s", "processor");
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file) return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || (!str_starts(line, "model name") && !str_starts(line, "CPU part"))) continue;
        colon += strspn(colon, ": \t");
        snprintf(ret_name, capacity, "%.*s", (int)strcspn(colon, "\n"), colon);
        break;
    }
    fclose(file);
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

static void read_caches(struct device_info *info) {
    for (int i = 0; i < 8; ++i) {
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        uint64_t level = read_size(path); // a plain number
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        uint64_t size = level ? read_size(path) : 0;
        if (level == 2) info->l2_bytes = size;
        if (level >= 2 && size > info->llc_bytes) info->llc_bytes = size;
    }
}

// The text of a file that names a machine; NULL when there is none, or only systemd's word for none yet.
static char *read_id(const char *path) {
    char *text = NULL;
    size_t length = 0;
    if (file_read(path, 256, &text, &length, NULL) < 0) return NULL;
    if (strcspn(text, " \n") && !str_starts(text, "uninitialized")) return text;
    free(text);
    return NULL;
}

// Images without a machine id have the same empty file everywhere: these are told apart by boot and name.
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
    read_model(info->name, sizeof info->name);
    snprintf(info->isa, sizeof info->isa, "%s", simd_level());
    read_caches(info);
    identify(info);
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) info->memory_bytes = (uint64_t)pages * (uint64_t)page;
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) info->thread_count = (uint32_t)CPU_COUNT(&mask);
}

// What the kernel does not expose here, so that nobody takes an absent figure for a good one.
static void describe_missing(struct device_info *info) {
    struct device_state state;
    cpu_state_read(&state);
    struct strbuf text = {0};
    if (isnan(state.temperature_c)) strbuf_add(&text, "no temperature (neither hwmon nor thermal zones); ");
    if (!*state.governor) strbuf_add(&text, "no governor (no cpufreq); ");
    if (state.turbo < 0) strbuf_add(&text, "turbo not known; ");
    if (!info->l2_bytes) strbuf_add(&text, "cache sizes not exposed, 1 MiB of L2 assumed; ");
    if (text.length > 2) snprintf(info->detail, sizeof info->detail, "%.*s", (int)text.length - 2, text.text);
    strbuf_fini(&text);
}

static size_t cpu_list(struct device_info *ret, size_t capacity) {
    if (!capacity) return 0;
    describe_device(ret);
    describe_missing(ret);
    return 1;
}

static void format_threads(struct cpu_device *cpu) {
    struct strbuf text = {0};
    uint32_t count = cpu_pool_thread_count(cpu->pool);
    strbuf_addf(&text, "%u pinned: ", count);
    for (uint32_t i = 0; i < count; ++i) strbuf_addf(&text, "%s%d", i ? "," : "", cpu->processors[i]);
    snprintf(cpu->device.info.threads, sizeof cpu->device.info.threads, "%s", strbuf_text(&text));
    strbuf_fini(&text);
}

static void fill_device(struct cpu_device *cpu) {
    struct device *device = &cpu->device;
    uint32_t count = cpu_pool_thread_count(cpu->pool);
    device->backend = &backend_cpu;
    describe_device(&device->info);
    device->info.thread_count = count;
    format_threads(cpu);
    uint64_t l2_bytes = device->info.l2_bytes ? device->info.l2_bytes : L2_BYTES_ASSUMED;
    device->rotate_bytes = l2_bytes * count;
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
    int code = cpu_pool_open(request->thread_count, &cpu->pool, err);
    if (code < 0) {
        free(cpu);
        return code;
    }
    uint32_t count = cpu_pool_thread_count(cpu->pool);
    cpu->processors = mem_alloc(count * sizeof *cpu->processors);
    cpu->wait_ns = mem_alloc(count * sizeof *cpu->wait_ns);
    for (uint32_t i = 0; i < count; ++i) cpu->processors[i] = cpu_pool_processor(cpu->pool, i);
    cpu->has_steal = cpu_state_steal_ns() > 0;
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

typedef int (*carry_fn)(void *state, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                        struct assay_message *message);

// The sets that the batch uses, and no others: their outputs may be another side's by now.
static int carry(const struct batch *batch, carry_fn hook, void *stream, struct assay_message *message) {
    const uint32_t count = batch->launches < batch->set_count ? batch->launches : batch->set_count;
    int status = ASSAY_OK;
    for (uint32_t i = 0; i < count && status == ASSAY_OK && hook; ++i)
        status =
            hook(batch->state, &batch->sets[(batch->first_set + i) % batch->set_count], 1, stream, message);
    return status;
}

static void cpu_flush_cache(struct device *device) {
    struct cpu_device *cpu = own(device);
    if (!cpu->flush) {
        cpu->flush_bytes =
            (size_t)(2 * (device->info.llc_bytes ? device->info.llc_bytes : LLC_BYTES_ASSUMED));
        cpu->flush = mem_alloc(cpu->flush_bytes);
    }
    for (size_t i = 0; i < cpu->flush_bytes; i += 64)
        ++cpu->flush[i]; // a line of cache at a time, dirty on purpose
}

static int cpu_run(struct device *device, const struct batch *batch, struct batch_time *ret,
                   struct assay_message *message) {
    struct cpu_device *cpu = own(device);
    const uint32_t threads = device->info.thread_count;
    // What a kernel returns in memory of its own is carried into the outputs after a measurement, not inside
    // it.
    const struct batch_hooks *hooks = batch->is_timed ? batch->hooks : NULL;
    int status = hooks ? carry(batch, hooks->outputs_in, device->stream, message) : ASSAY_OK;
    if (status == ASSAY_OK && hooks && hooks->capture_begin)
        status = hooks->capture_begin(batch->state, device->stream, message);
    if (batch->is_cold) cpu_flush_cache(device);
    for (uint32_t i = 0; i < threads; ++i) cpu->wait_ns[i] = cpu_pool_wait_ns(cpu->pool, i);
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
    for (uint32_t i = 0; i < threads; ++i) {
        uint64_t wait_ns = cpu_pool_wait_ns(cpu->pool, i) - cpu->wait_ns[i];
        if (wait_ns > ret->wait_ns) ret->wait_ns = wait_ns;
    }
    if (hooks && hooks->capture_end) {
        const int ended =
            hooks->capture_end(batch->state, device->stream, status == ASSAY_OK ? message : NULL);
        if (status == ASSAY_OK) status = ended;
    }
    if (status == ASSAY_OK && hooks) status = carry(batch, hooks->outputs_out, device->stream, message);
    return status;
}

static double read_spin(struct device *device) {
    (void)device;
    return cpu_clock_probe_read_hz();
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
    .buffer_upload = host_buffer_move,
    .buffer_download = host_buffer_move,
    .buffer_is_violated = host_buffer_is_violated,
    .find_fault = host_buffer_find_fault,
    .run = cpu_run,
    .flush_cache = cpu_flush_cache,
    .read_clock_probe_hz = read_spin,
    .other_threads_ns = other_threads_ns,
    .read_state = read_state,
    .window_begin = begin_window,
    .window_end = end_window,
};
