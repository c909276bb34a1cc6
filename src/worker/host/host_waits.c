// SPDX-License-Identifier: Apache-2.0
//
// See host_waits.h.
#include "worker/host/host_waits.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

// "run_ns wait_ns timeslices"
static struct host_wait read_wait(int fd) {
    char text[96];
    const ssize_t length = pread(fd, text, sizeof text - 1, 0);
    if (length <= 0) return (struct host_wait){0, 0};
    text[length] = 0;
    char *end;
    const uint64_t run_ns = strtoull(text, &end, 10);
    return (struct host_wait){run_ns, strtoull(end, NULL, 10)};
}

static uint64_t process_ns(pid_t pid) {
    clockid_t clock;
    return pid > 0 && clock_getcpuclockid(pid, &clock) == 0 ? clock_read_ns(clock) : 0;
}

static uint64_t since(uint64_t begin_ns, uint64_t now_ns) {
    return now_ns > begin_ns ? now_ns - begin_ns : 0;
}

static int compare_threads(const void *a, const void *b) {
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

// The threads of a process, oldest first; the caller frees.
static long *list_threads(pid_t pid, size_t *ret_count) {
    char path[64];
    long *threads = NULL;
    size_t capacity = 0;
    *ret_count = 0;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    DIR *folder = opendir(path);
    if (!folder) return NULL;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const long thread = strtol(entry->d_name, NULL, 10);
        if (thread <= 0) continue;
        MEM_GROW(threads, capacity, *ret_count + 1);
        threads[(*ret_count)++] = thread;
    }
    closedir(folder);
    if (threads) qsort(threads, *ret_count, sizeof *threads, compare_threads);
    return threads;
}

void host_waits_open(struct host_waits *waits, pid_t pid, size_t most) {
    size_t count;
    long *threads = list_threads(pid, &count);
    host_waits_fini(waits);
    if (count > most) count = most;
    waits->fds = mem_alloc((count + 1) * sizeof *waits->fds);
    waits->begins = mem_alloc((count + 1) * sizeof *waits->begins);
    waits->pid = pid;
    for (size_t i = 0; i < count; ++i) {
        char path[96];
        snprintf(path, sizeof path, "/proc/%ld/task/%ld/schedstat", (long)pid, threads[i]);
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0) waits->fds[waits->count++] = fd;
    }
    free(threads);
}

void host_waits_begin(struct host_waits *waits) {
    for (size_t i = 0; i < waits->count; ++i) waits->begins[i] = read_wait(waits->fds[i]);
    waits->begin_process_ns = process_ns(waits->pid);
}

uint64_t host_waits_taken_ns(const struct host_waits *waits) {
    uint64_t longest_ns = 0, run_ns = 0;
    const uint64_t whole_ns = since(waits->begin_process_ns, process_ns(waits->pid));
    for (size_t i = 0; i < waits->count; ++i) {
        const struct host_wait now = read_wait(waits->fds[i]);
        const uint64_t wait_ns = since(waits->begins[i].wait_ns, now.wait_ns);
        run_ns += since(waits->begins[i].run_ns, now.run_ns);
        if (wait_ns > longest_ns) longest_ns = wait_ns;
    }
    return since(since(run_ns, whole_ns), longest_ns);
}

uint64_t host_waits_first_ns(const struct host_waits *waits) {
    return waits->count ? since(waits->begins[0].wait_ns, read_wait(waits->fds[0]).wait_ns) : 0;
}

uint64_t host_waits_own_ns(void) {
    const int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const struct host_wait wait = read_wait(fd);
    close(fd);
    return wait.wait_ns;
}

uint64_t host_waits_next(struct host_waits *waits) {
    if (!waits->count) return 0;
    const struct host_wait first = waits->begins[0];
    const uint64_t begin_ns = waits->begin_process_ns;
    host_waits_begin(waits);
    const uint64_t run_ns = since(first.run_ns, waits->begins[0].run_ns);
    const uint64_t others_ns = since(run_ns, since(begin_ns, waits->begin_process_ns));
    return since(others_ns, since(first.wait_ns, waits->begins[0].wait_ns));
}

void host_waits_fini(struct host_waits *waits) {
    for (size_t i = 0; i < waits->count; ++i) close(waits->fds[i]);
    free(waits->fds);
    free(waits->begins);
    *waits = (struct host_waits){0};
}
