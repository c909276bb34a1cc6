// SPDX-License-Identifier: Apache-2.0
//
// A descriptor for each thread, summed at the end. One event at a time, so that the kernel never has to share
// a counter between events and scale what it saw.
#include "worker/backend/cpu/perf_events.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

#define THREADS_FOLDER "/proc/self/task"
enum { THREADS_MAX = 4096 };

struct perf_event {
    const char *name;
    uint32_t type;
    uint64_t config;
    bool is_intel; // a raw event: its number means something else on another make
};

#define CACHE_EVENT(cache, op, result)                                                                       \
    (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |                                        \
     PERF_COUNT_HW_CACHE_RESULT_##result << 16)
// FP_ARITH_INST_RETIRED of Intel's Software Developer's Manual: event 0xc7, a bit of the unit mask a width.
#define FP_EVENT(mask) (0xc7 | (mask) << 8)

static const struct perf_event events[] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false},
    {"L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE_EVENT(L1D, READ, ACCESS), false},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE_EVENT(L1D, READ, MISS), false},
    {"fp_arith_inst_retired.scalar_single", PERF_TYPE_RAW, FP_EVENT(0x02), true},
    {"fp_arith_inst_retired.128b_packed_single", PERF_TYPE_RAW, FP_EVENT(0x08), true},
    {"fp_arith_inst_retired.256b_packed_single", PERF_TYPE_RAW, FP_EVENT(0x20), true},
    {"fp_arith_inst_retired.512b_packed_single", PERF_TYPE_RAW, FP_EVENT(0x80), true},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, false},
};

struct perf_count {
    const struct perf_event *event;
    size_t fd_count;
    int fds[THREADS_MAX];
};

static bool is_intel(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_is("intel");
#else
    return false;
#endif
}

const struct perf_event *perf_event_find(const char *name) {
    for (size_t i = 0; i < sizeof events / sizeof *events; ++i)
        if (str_equal(events[i].name, name)) return events[i].is_intel && !is_intel() ? NULL : &events[i];
    return NULL;
}

static int refuse(int error, struct err *err) {
    const char *remedy = error == EACCES || error == EPERM
                             ? "the system forbids it: set kernel.perf_event_paranoid to 2 or less, or allow "
                               "perf_event_open in the container's seccomp profile"
                         : error == ENOSYS
                             ? "this kernel has no perf events"
                             : "this machine's processor, or its hypervisor, has no such counter";
    return err_set(err, ERR_UNAVAILABLE, "%s (%s)", remedy, strerror(error));
}

static int open_thread(const struct perf_event *event, int thread) {
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = event->type,
        .config = event->config,
        .disabled = 1,
        .inherit = 1,
        // A switch of context or a page fault happens in the kernel.
        .exclude_kernel = event->type != PERF_TYPE_SOFTWARE,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void close_all(struct perf_count *count) {
    for (size_t i = 0; i < count->fd_count; ++i) close(count->fds[i]);
    free(count);
}

static int open_threads(struct perf_count *count, struct err *err) {
    DIR *folder = opendir(THREADS_FOLDER);
    const struct dirent *entry;
    int error = 0;
    if (!folder) return err_set_errno(err, ERR_UNAVAILABLE, "%s cannot be listed", THREADS_FOLDER);
    while ((entry = readdir(folder)) && count->fd_count < THREADS_MAX) {
        const int thread = atoi(entry->d_name);
        if (thread <= 0) continue;
        const int fd = open_thread(count->event, thread);
        if (fd >= 0)
            count->fds[count->fd_count++] = fd;
        else if (errno != ESRCH) // it has ended
            error = errno;
    }
    closedir(folder);
    return error || !count->fd_count ? refuse(error ? error : ENOENT, err) : 0;
}

int perf_count_begin(const struct perf_event *event, struct perf_count **ret, struct err *err) {
    struct perf_count *count = mem_alloc(sizeof *count);
    count->event = event;
    const int code = open_threads(count, err);
    if (code < 0) {
        close_all(count);
        return code;
    }
    for (size_t i = 0; i < count->fd_count; ++i) ioctl(count->fds[i], PERF_EVENT_IOC_ENABLE, 0);
    *ret = count;
    return 0;
}

int perf_count_end(struct perf_count *count, uint64_t *ret, struct err *err) {
    int code = 0;
    *ret = 0;
    for (size_t i = 0; i < count->fd_count; ++i) ioctl(count->fds[i], PERF_EVENT_IOC_DISABLE, 0);
    for (size_t i = 0; i < count->fd_count && code == 0; ++i) {
        uint64_t value = 0;
        if (read(count->fds[i], &value, sizeof value) == sizeof value)
            *ret += value;
        else
            code =
                err_set_errno(err, ERR_UNAVAILABLE, "the counter of '%s' cannot be read", count->event->name);
    }
    close_all(count);
    return code;
}
