// SPDX-License-Identifier: Apache-2.0
//
// See host_memory.h. Open files are read from /proc/PID/fd or copied, and what is only mapped from
// /proc/PID/map_files, or where that needs root from the sizes in /proc/PID/maps.
#include "worker/host/host_memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "record/work_order.h"

#define LOOK_EVERY_NS   UINT64_C(1000000000) // growth may be hidden by what others have freed meanwhile
#define LOOK_SHARE      8                    // of the limit, that is worth a look
#define TMPFS_MAGIC_FS  0x01021994
#define BLOCK_BYTES     512
#define FOLDERS_AT_ONCE 8

enum { PATH_BYTES = 96, LINE_BYTES = 512, STATUS_BYTES = 8192 };

uint64_t host_memory_limit(const struct run_limits *limits) {
    const uint64_t asked_bytes = run_limits_memory_bytes(limits);
    return asked_bytes ? asked_bytes : work_default_memory_bytes();
}

// ---- when to look ----

uint64_t host_memory_of_all(void) {
    struct sysinfo info;
    return sysinfo(&info) < 0 ? 0 : (uint64_t)info.sharedram * info.mem_unit;
}

void host_memory_begin(struct host_memory *memory) {
    if (memory->limit_bytes) memory->begin_bytes = host_memory_of_all();
}

bool host_memory_end(struct host_memory *memory) {
    if (!memory->limit_bytes) return false;
    const uint64_t begin_bytes = memory->begin_bytes;
    memory->begin_bytes = host_memory_of_all();
    memory->grown_bytes += (int64_t)(memory->begin_bytes - begin_bytes);
    return memory->grown_bytes > (int64_t)(memory->limit_bytes / LOOK_SHARE) ||
           clock_ns() - memory->looked_ns > LOOK_EVERY_NS;
}

// ---- what /proc says ----

static uint64_t status_number(const char *path, const char *key) {
    char text[STATUS_BYTES];
    uint64_t number = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0) return 0;
    text[got] = '\0';
    const char *at = strstr(text, key);
    return at && sscanf(at + strlen(key), "%" SCNu64, &number) == 1 ? number : 0;
}

static uint64_t private_bytes(pid_t pid) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    return status_number(path, "\nRssAnon:") * 1024;
}

// ---- files by their numbers ----

struct file_id {
    dev_t device;
    ino_t number;
};

struct file_set {
    struct file_id *items; // owned
    size_t count, capacity;
};

static bool holds(const struct file_set *set, dev_t device, ino_t number) {
    for (size_t i = 0; i < set->count; ++i)
        if (set->items[i].device == device && set->items[i].number == number) return true;
    return false;
}

// True: it was not in the set.
static bool add(struct file_set *set, dev_t device, ino_t number) {
    if (holds(set, device, number)) return false;
    MEM_GROW(set->items, set->capacity, set->count + 1);
    set->items[set->count++] = (struct file_id){device, number};
    return true;
}

static bool is_in_memory(const char *path) {
    struct statfs about;
    return statfs(path, &about) == 0 && (unsigned long)about.f_type == TMPFS_MAGIC_FS;
}

// Calls visit with the path of each entry. False: the folder cannot be read.
static bool for_each_entry(const char *folder, void (*visit)(void *arg, const char *path, const char *name),
                           void *arg) {
    char path[PATH_BYTES + 256];
    DIR *entries = opendir(folder);
    if (!entries) return false;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (*entry->d_name == '.') continue;
        snprintf(path, sizeof path, "%.*s/%s", PATH_BYTES - 1, folder, entry->d_name);
        visit(arg, path, entry->d_name);
    }
    closedir(entries);
    return true;
}

struct look {
    struct file_set judges, seen;
    dev_t shared_device; // of memory files and shared mappings without a name
    pid_t pid;
    uint64_t bytes;
};

static void note_own(void *arg, const char *path, const char *name) {
    struct look *look = arg;
    struct stat about;
    (void)name;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode)) add(&look->judges, about.st_dev, about.st_ino);
}

static void count_once(struct look *look, const struct stat *about) {
    if (add(&look->seen, about->st_dev, about->st_ino))
        look->bytes += (uint64_t)about->st_blocks * BLOCK_BYTES;
}

// Of another one than the judge.
static bool is_others_file(const struct look *look, const struct stat *about) {
    return S_ISREG(about->st_mode) && !holds(&look->judges, about->st_dev, about->st_ino);
}

static void count_descriptor(void *arg, const char *path, const char *name) {
    struct look *look = arg;
    struct stat about;
    (void)name;
    if (stat(path, &about) < 0 || !is_others_file(look, &about)) return;
    if (about.st_dev == look->shared_device || is_in_memory(path)) count_once(look, &about);
}

static void count_copied(struct look *look, int fd) {
    struct stat about;
    struct statfs system;
    if (fstat(fd, &about) < 0 || !is_others_file(look, &about)) return;
    if (about.st_dev == look->shared_device ||
        (fstatfs(fd, &system) == 0 && (unsigned long)system.f_type == TMPFS_MAGIC_FS))
        count_once(look, &about);
}

// The folder of a process that may not be dumped is root's. Who owns its user namespace may copy its
// descriptors.
static void count_descriptors_by_number(struct look *look) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)look->pid);
    const uint64_t count = status_number(path, "\nFDSize:");
    const int process = (int)syscall(SYS_pidfd_open, look->pid, 0);
    for (unsigned number = 0; process >= 0 && number < count; ++number) {
        const int fd = (int)syscall(SYS_pidfd_getfd, process, number, 0);
        if (fd < 0 && errno != EBADF) break; // not allowed, or not known here
        if (fd < 0) continue;
        count_copied(look, fd);
        close(fd);
    }
    if (process >= 0) close(process);
}

// "55d0c0000000-55d0c0021000 rw-s 00000000 00:01 1024 /memfd:x (deleted)"
static void count_mapping(struct look *look, const char *line) {
    uint64_t first, end, number;
    unsigned device_major, device_minor;
    char flags[5] = "", path[PATH_BYTES];
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %" SCNu64, &first, &end, flags, &device_major,
               &device_minor, &number) != 6 ||
        flags[3] != 's' || makedev(device_major, device_minor) != look->shared_device ||
        holds(&look->judges, look->shared_device, (ino_t)number) ||
        holds(&look->seen, look->shared_device, (ino_t)number))
        return;
    struct stat about;
    snprintf(path, sizeof path, "/proc/%ld/map_files/%" PRIx64 "-%" PRIx64, (long)look->pid, first, end);
    if (stat(path, &about) == 0)
        count_once(look, &about);
    else if (add(&look->seen, look->shared_device, (ino_t)number))
        look->bytes += end - first;
}

static void count_mappings(struct look *look) {
    char path[PATH_BYTES], line[LINE_BYTES];
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)look->pid);
    FILE *file = fopen(path, "re");
    if (!file) return;
    while (fgets(line, sizeof line, file)) count_mapping(look, line);
    fclose(file);
}

static dev_t find_shared_device(void) {
    static dev_t device;
    struct stat about;
    if (device) return device;
    const int fd = memfd_create("assay", MFD_CLOEXEC);
    if (fd < 0) return 0;
    if (fstat(fd, &about) == 0) device = about.st_dev;
    close(fd);
    return device;
}

uint64_t host_memory_shared_bytes(pid_t pid) {
    struct look look = {.pid = pid, .shared_device = find_shared_device()};
    char path[PATH_BYTES];
    for_each_entry("/proc/self/fd", note_own, &look);
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    if (!for_each_entry(path, count_descriptor, &look)) count_descriptors_by_number(&look);
    count_mappings(&look);
    free(look.judges.items);
    free(look.seen.items);
    return look.bytes;
}

// ---- the scratch folder ----

static uint64_t scratch_bytes; // nftw has no argument

static int add_scratch_file(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)path, (void)where;
    if (kind == FTW_F) scratch_bytes += (uint64_t)about->st_blocks * BLOCK_BYTES;
    return 0;
}

static uint64_t bytes_in_scratch(const char *folder) {
    scratch_bytes = 0;
    if (folder && is_in_memory(folder))
        (void)nftw(folder, add_scratch_file, FOLDERS_AT_ONCE, FTW_PHYS | FTW_MOUNT);
    return scratch_bytes;
}

// ---- together ----

bool host_memory_is_beyond(struct host_memory *memory, const pid_t *pids, size_t count,
                           struct strbuf *ret_text) {
    uint64_t shared = bytes_in_scratch(memory->scratch_dir), own = 0;
    for (size_t i = 0; i < count; ++i) shared += host_memory_shared_bytes(pids[i]);
    memory->grown_bytes = 0;
    memory->looked_ns = clock_ns();
    if (!shared) return false; // private memory has a limit of its own
    for (size_t i = 0; i < count; ++i) own += private_bytes(pids[i]);
    if (shared + own <= memory->limit_bytes) return false;
    strbuf_addf(
        ret_text,
        "used %.3g GB of memory, %.3g GB of it in memory files and shared mappings: more than the %.3g GB "
        "of limits.memory_gb",
        (double)(shared + own) / 1e9, (double)shared / 1e9, (double)memory->limit_bytes / 1e9);
    return true;
}
