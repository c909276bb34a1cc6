// SPDX-License-Identifier: Apache-2.0
//
// See machine_load.h.
#include "base/process/machine_load.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define BUSY_PROCESS_PCT 10 // of a processor; ticks are 10 ms, so less is not known after 100 ms

uint64_t machine_tick_ns(void) {
    const long hz = sysconf(_SC_CLK_TCK);
    return 1000000000u / (uint64_t)(hz > 0 ? hz : 100);
}

// ---- processors ----

// "cpu3 user nice system idle iowait irq softirq steal ...": the line of one processor; "cpu": of all, -1.
static bool parse_processor(const char *line, int *ret_processor, struct machine_ticks *ret) {
    if (!str_starts(line, "cpu")) return false;
    char *end;
    *ret_processor = line[3] == ' ' ? -1 : (int)strtol(line + 3, &end, 10);
    const char *at = line + strcspn(line, " ");
    uint64_t field[8] = {0};
    for (int i = 0; i < 8; ++i) {
        field[i] = strtoull(at, &end, 10);
        at = end;
    }
    ret->busy = field[0] + field[1] + field[2] + field[5] + field[6];
    ret->steal = field[7];
    return true;
}

bool machine_ticks_read_each(const int *processors, uint32_t count, struct machine_ticks *ret) {
    FILE *file = fopen("/proc/stat", "re");
    if (!file) return false;
    char line[512];
    uint32_t seen = 0;
    while (seen < count && fgets(line, sizeof line, file)) {
        int processor;
        struct machine_ticks ticks;
        if (!parse_processor(line, &processor, &ticks)) break; // the processors come first
        uint32_t i = 0;
        while (i < count && processors[i] != processor) ++i;
        if (i == count) continue;
        ret[i] = ticks;
        ++seen;
    }
    fclose(file);
    return seen == count;
}

bool machine_ticks_read(const int *processors, uint32_t count, struct machine_ticks *ret) {
    static const int all = -1;
    struct machine_ticks each[CPU_SETSIZE];
    *ret = (struct machine_ticks){0, 0};
    if (!processors) {
        processors = &all;
        count = 1;
    }
    if (count > CPU_SETSIZE || !machine_ticks_read_each(processors, count, each)) return false;
    for (uint32_t i = 0; i < count; ++i) {
        ret->busy += each[i].busy;
        ret->steal += each[i].steal;
    }
    return true;
}

// ---- processes ----

// utime and stime are fields 14 and 15 of /proc/PID/stat; the command in field 2 may contain anything, so
// fields are counted from the last ')'. ret_name may be NULL.
static uint64_t read_process(pid_t pid, struct machine_process *ret_name) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    const bool is_read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    const char *open = is_read ? strchr(text, '(') : NULL;
    const char *at = open ? strrchr(text, ')') : NULL;
    if (!at || at < open) return 0;
    if (ret_name) snprintf(ret_name->name, sizeof ret_name->name, "%.*s", (int)(at - open - 1), open + 1);
    for (int field = 2; at && field < 14; ++field) at = strchr(at + 1, ' ');
    if (!at) return 0;
    char *end;
    const uint64_t user = strtoull(at, &end, 10), system = strtoull(end, NULL, 10);
    return (user + system) * machine_tick_ns();
}

// "make\0-j2\0" becomes "make -j2". Threads of the system have no command.
static void read_command(struct machine_process *process) {
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)process->pid);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    while (length > 0 && !text[length - 1]) --length;
    text[length] = 0;
    size_t skipped = 0; // the folder of the program: its name ends here, or at a blank in a title of its own
    for (size_t i = 0; text[i] && text[i] != ' '; ++i)
        if (text[i] == '/') skipped = i + 1;
    for (size_t i = 0; i < length; ++i)
        if (!text[i]) text[i] = ' ';
    snprintf(process->command, sizeof process->command, "%.*s", (int)sizeof process->command - 1,
             text + skipped);
}

uint64_t machine_process_ns(pid_t pid) {
    return read_process(pid, NULL);
}

struct process_time {
    pid_t pid;
    uint64_t ns;
};

// The caller frees.
static struct process_time *list_processes(size_t *ret_count) {
    struct process_time *times = NULL;
    size_t capacity = 0;
    *ret_count = 0;
    DIR *folder = opendir("/proc");
    if (!folder) return NULL;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || pid == getpid()) continue;
        MEM_GROW(times, capacity, *ret_count + 1);
        times[(*ret_count)++] = (struct process_time){pid, machine_process_ns(pid)};
    }
    closedir(folder);
    return times;
}

static void keep_busiest(struct machine_load *load, const struct machine_process *process) {
    size_t at = load->process_count;
    while (at > 0 && load->processes[at - 1].pct < process->pct) --at;
    if (at == MACHINE_BUSIEST) return;
    if (load->process_count < MACHINE_BUSIEST) ++load->process_count;
    for (size_t i = load->process_count - 1; i > at; --i) load->processes[i] = load->processes[i - 1];
    load->processes[at] = *process;
}

static double share_pct(uint64_t before, uint64_t after, double capacity_ns) {
    const double share =
        100 * (double)((after > before ? after - before : 0) * machine_tick_ns()) / capacity_ns;
    return share < 100 ? share : 100;
}

bool machine_load_look(const cpu_set_t *among, uint64_t duration_ns, struct machine_load *ret) {
    int processors[CPU_SETSIZE];
    struct machine_ticks before, after;
    *ret = (struct machine_load){0};
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET((size_t)i, among)) processors[ret->processor_count++] = i;
    size_t count;
    struct process_time *times = list_processes(&count);
    const uint64_t begin_ns = clock_ns();
    bool is_known = machine_ticks_read(processors, ret->processor_count, &before);
    clock_sleep_ns(duration_ns);
    is_known = machine_ticks_read(processors, ret->processor_count, &after) && is_known;
    const double spent_ns = (double)(clock_ns() - begin_ns);
    ret->busy_pct = share_pct(before.busy, after.busy, spent_ns * ret->processor_count);
    ret->steal_pct = share_pct(before.steal, after.steal, spent_ns * ret->processor_count);
    for (size_t i = 0; i < count; ++i) {
        struct machine_process process;
        const uint64_t now_ns = read_process(times[i].pid, &process);
        process.pct = now_ns > times[i].ns ? 100 * (double)(now_ns - times[i].ns) / spent_ns : 0;
        process.pid = times[i].pid;
        if (process.pct >= BUSY_PROCESS_PCT) keep_busiest(ret, &process);
    }
    for (size_t i = 0; i < ret->process_count; ++i) read_command(&ret->processes[i]);
    free(times);
    return is_known;
}

bool machine_idlest(const cpu_set_t *among, uint32_t count, uint64_t duration_ns, cpu_set_t *ret) {
    int processors[CPU_SETSIZE];
    struct machine_ticks before[CPU_SETSIZE], after[CPU_SETSIZE];
    uint32_t available = 0;
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET((size_t)i, among)) processors[available++] = i;
    if (count > available || !machine_ticks_read_each(processors, available, before)) return false;
    clock_sleep_ns(duration_ns);
    if (!machine_ticks_read_each(processors, available, after)) return false;
    // One tick is the rounding of the counters, and a machine does always a little.
    const uint64_t idle = 1 + duration_ns / (10 * machine_tick_ns());
    CPU_ZERO(ret);
    for (uint32_t taken = 0; taken < count; ++taken) {
        uint64_t least = UINT64_MAX;
        uint32_t best = 0;
        for (uint32_t i = 0; i < available; ++i) {
            const uint64_t used = after[i].busy + after[i].steal - before[i].busy - before[i].steal;
            const uint64_t rank = used <= idle ? 0 : used;
            if (CPU_ISSET((size_t)processors[i], ret) || rank >= least) continue;
            least = rank;
            best = i;
        }
        CPU_SET((size_t)processors[best], ret);
    }
    return true;
}
