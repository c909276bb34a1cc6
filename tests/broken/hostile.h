// SPDX-License-Identifier: Apache-2.0
//
// Tools of the kernels that attack what runs them. All of them compute the right result, or fall back to it,
// where their trick finds nothing to work on. They leave real projects alone: files are touched only in a
// folder with the file .trust_target (tests/trust.py makes it), signals and writes go to our own parents
// only.
#ifndef HOSTILE_H
#define HOSTILE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // so this header comes before those of the system
#endif
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "broken.h"

#define HOSTILE_MARK "TRUST_WAS_HERE" // left behind by every attack that can; tests/trust.py looks for it
#define UNUSED       __attribute__((unused))

// Launches of one state in a check, rounded up: after them it is being timed.
#define HOSTILE_CHECKED_LAUNCHES 24

// ---- time ----

// Not by clock_gettime, which some of these kernels replace.
static inline uint64_t hostile_now_ns(void) {
    struct timespec now = {0};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// The same without a system call: tens of nanoseconds.
static inline uint64_t hostile_quick_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static UNUSED void hostile_sleep_us(long us) {
    const struct timespec pause = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&pause, NULL);
}

static UNUSED void hostile_burn_us(uint64_t us) {
    const uint64_t until_ns = hostile_now_ns() + us * 1000;
    while (hostile_now_ns() < until_ns) continue;
}

// Lets the calling thread run on every processor, whatever it has inherited.
static UNUSED void hostile_roam(void) {
    unsigned long all[16];
    memset(all, 0xff, sizeof all);
    syscall(SYS_sched_setaffinity, 0, sizeof all, all);
}

// ---- the order, where standard input still has it ----

static UNUSED const char *hostile_order(void) {
    static char text[65536];
    if (!*text) {
        const ssize_t got = pread(STDIN_FILENO, text, sizeof text - 1, 0);
        text[got > 0 ? got : 0] = 0;
    }
    return text;
}

static UNUSED int hostile_is_order(const char *kind) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"kind\":\"%s\"", kind);
    const char *order = hostile_order();
    return strstr(order, wanted) != NULL;
}

// The number behind the name's next appearance at *at, which moves behind it; fallback where there is none.
static UNUSED uint64_t hostile_order_number(const char **at, const char *name, uint64_t fallback) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "\"%s\":", name);
    const char *found = strstr(*at, wanted);
    if (!found) return fallback;
    char *end;
    const uint64_t value = strtoull(found + strlen(wanted), &end, 10);
    *at = end;
    return value;
}

// ---- processes and files ----

// Our parent, if it is assay; else 0.
static UNUSED pid_t hostile_parent(void) {
    char path[64], name[32] = "";
    const pid_t parent = getppid();
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)parent);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    if (!fgets(name, sizeof name, file)) *name = 0;
    fclose(file);
    return parent > 1 && strncmp(name, "assay", 5) == 0 ? parent : 0;
}

// A fork that no library knows of.
static UNUSED pid_t hostile_fork(unsigned long more_flags) {
    return (pid_t)syscall(SYS_clone, SIGCHLD | more_flags, NULL, NULL, NULL, NULL);
}

// For a child: becomes a process that nothing but its parents connects with us.
static UNUSED void hostile_become_sleeper(void) {
    char *const argv[] = {(char *)"sleep", (char *)"301", NULL};
    char *const envp[] = {NULL};
    setsid();
    execve("/bin/sleep", argv, envp);
    for (int i = 0; i < 301; ++i) sleep(1);
    _exit(0);
}

// Whether the folder belongs to tests/trust.py.
static UNUSED int hostile_is_target(const char *folder) {
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/.trust_target", folder);
    return access(path, F_OK) == 0;
}

// The folder that the run's project lies in: ours, or that of our parent. NULL: not found.
static UNUSED const char *hostile_project(void) {
    static char parent[64];
    if (hostile_is_target(".")) return ".";
    snprintf(parent, sizeof parent, "/proc/%ld/cwd", (long)getppid());
    return hostile_is_target(parent) ? parent : NULL;
}

static UNUSED void hostile_append(const char *path, const char *text) {
    const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0) return;
    if (write(fd, text, strlen(text)) < 0) errno = 0;
    close(fd);
}

// ---- memory ----

struct hostile_map {
    uintptr_t begin, end;
    char access[8], path[512];
};

// Calls visit for every mapping of a process ("self" or a number) until it returns non-zero.
static UNUSED int hostile_maps(const char *process, int (*visit)(void *arg, const struct hostile_map *map),
                               void *arg) {
    char name[64], line[1024];
    snprintf(name, sizeof name, "/proc/%s/maps", process);
    FILE *file = fopen(name, "re");
    int code = 0;
    while (file && !code && fgets(line, sizeof line, file)) {
        struct hostile_map map = {0};
        unsigned long begin, end;
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %511[^\n]", &begin, &end, map.access, map.path) < 3)
            continue;
        map.begin = begin;
        map.end = end;
        code = visit(arg, &map);
    }
    if (file) fclose(file);
    return code;
}

// ---- functions of others ----

struct hostile_got {
    const char *object; // part of the path; "": the program itself
    const char *symbol;
    void *replacement;
    void *before; // out: what the slot held
    int count;    // out: slots replaced
};

static inline void hostile_patch_slots(struct hostile_got *got, uintptr_t base, const ElfW(Rela) * items,
                                       size_t bytes, const ElfW(Sym) * symbols, const char *names) {
    for (size_t i = 0; items && i < bytes / sizeof *items; ++i) {
        const char *name = names + symbols[ELF64_R_SYM(items[i].r_info)].st_name;
        if (strcmp(name, got->symbol) != 0) continue;
        void **slot = (void **)(base + items[i].r_offset);
        const uintptr_t page = (uintptr_t)slot & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
        if (mprotect((void *)page, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE) < 0) continue;
        if (*slot != got->replacement) got->before = *slot;
        *slot = got->replacement;
        ++got->count;
    }
}

static UNUSED int hostile_patch_object(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size;
    struct hostile_got *got = arg;
    Dl_info self;
    const int is_wanted = *got->object ? strstr(info->dlpi_name, got->object) != NULL : !*info->dlpi_name;
    if (!is_wanted) return 0;
    if (dladdr((void *)hostile_patch_object, &self) && (uintptr_t)self.dli_fbase == info->dlpi_addr) return 0;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const ElfW(Rela) * tables[2] = {NULL, NULL};
    size_t bytes[2] = {0, 0};
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *item = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; item->d_tag != DT_NULL; ++item) { // the loader has relocated these addresses
            if (item->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym) *)item->d_un.d_ptr;
            if (item->d_tag == DT_STRTAB) names = (const char *)item->d_un.d_ptr;
            if (item->d_tag == DT_RELA) tables[0] = (const ElfW(Rela) *)item->d_un.d_ptr;
            if (item->d_tag == DT_RELASZ) bytes[0] = item->d_un.d_val;
            if (item->d_tag == DT_JMPREL) tables[1] = (const ElfW(Rela) *)item->d_un.d_ptr;
            if (item->d_tag == DT_PLTRELSZ) bytes[1] = item->d_un.d_val;
        }
    }
    for (int i = 0; i < 2 && symbols && names; ++i)
        hostile_patch_slots(got, info->dlpi_addr, tables[i], bytes[i], symbols, names);
    return 0;
}

// Replaces a function that another object imports. Returns the number of places.
static UNUSED int hostile_patch_got(struct hostile_got *got) {
    dl_iterate_phdr(hostile_patch_object, got);
    return got->count;
}

// The file of the other side's module, where it is loaded next to us. NULL: it is not.
static UNUSED int hostile_note_other(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size;
    Dl_info self;
    const char **ret = arg;
    if (!strstr(info->dlpi_name, "module.so")) return 0;
    if (dladdr((void *)hostile_note_other, &self) && (uintptr_t)self.dli_fbase == info->dlpi_addr) return 0;
    *ret = info->dlpi_name;
    return 1;
}

static UNUSED const char *hostile_other_module(void) {
    const char *path = NULL;
    dl_iterate_phdr(hostile_note_other, &path);
    return path;
}

#endif
