// SPDX-License-Identifier: Apache-2.0
//
// The state of the processor from /proc and /sys, and its clock by measurement. No measurement needs these
// figures: a file that is missing leaves its figure absent.
#include "worker/backend/cpu/cpu_state.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/machine_load.h"
#include "base/strbuf.h"

#define OWN_PROCESSES_MAX 16

#define CHAIN_ADDS 256 // additions per iteration; the loop's own two instructions run in parallel
#define CHAIN_RUNS 4

// First line of a small file without its newline; false when it cannot be read.
static bool read_line(const char *path, char *ret_text, size_t capacity) {
    FILE *file = fopen(path, "re");
    if (!file) return false;
    bool is_read = fgets(ret_text, (int)capacity, file) != NULL;
    fclose(file);
    if (is_read) ret_text[strcspn(ret_text, "\n")] = 0;
    return is_read;
}

static double read_number(const char *path, double unit) {
    char text[64];
    double value;
    if (!read_line(path, text, sizeof text) || str_parse_double(text, &value) < 0) return NAN;
    return value * unit;
}

bool cpu_state_cpuinfo(const char *key, char *ret_text, size_t capacity) {
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file) return false;
    char line[256];
    bool is_found = false;
    while (!is_found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || !str_starts(line, key)) continue;
        colon += strspn(colon, ": \t");
        snprintf(ret_text, capacity, "%.*s", (int)strcspn(colon, "\n"), colon);
        is_found = true;
    }
    fclose(file);
    return is_found;
}

static double read_hottest_c(const char *pattern) {
    glob_t found;
    double hottest_c = NAN;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; ++i) {
            double c = read_number(found.gl_pathv[i], 1e-3);
            // Sensors that are not there read 0 or nonsense.
            if (c > 0 && c < 150 && !(c <= hottest_c)) hottest_c = c;
        }
    globfree(&found);
    return hottest_c;
}

// The hottest sensor of the processor's hwmon driver; without such a driver, of the thermal zones.
static double read_temperature_c(void) {
    static const char *const drivers[] = {"coretemp", "k10temp", "zenpower", "cpu_thermal"};
    glob_t found;
    double hottest_c = NAN;
    if (glob("/sys/class/hwmon/hwmon*", 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; ++i) {
            char path[256], name[64];
            snprintf(path, sizeof path, "%s/name", found.gl_pathv[i]);
            if (!read_line(path, name, sizeof name)) continue;
            for (size_t k = 0; k < sizeof drivers / sizeof drivers[0]; ++k) {
                if (!str_equal(name, drivers[k])) continue;
                snprintf(path, sizeof path, "%s/temp*_input", found.gl_pathv[i]);
                double c = read_hottest_c(path);
                if (!isnan(c) && !(c <= hottest_c)) hottest_c = c;
            }
        }
    globfree(&found);
    return isnan(hottest_c) ? read_hottest_c("/sys/class/thermal/thermal_zone*/temp") : hottest_c;
}

void cpu_state_read(struct device_state *ret) {
    char text[64];
    *ret = device_state_unknown();
    // Preferred to "cpu MHz : 2596.144" in /proc/cpuinfo, which is the nominal clock on virtual machines.
    ret->clock_hz = read_number("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", 1e3);
    if (isnan(ret->clock_hz) && cpu_state_cpuinfo("cpu MHz", text, sizeof text) && strtod(text, NULL) > 0)
        ret->clock_hz = strtod(text, NULL) * 1e6;
    ret->temperature_c = read_temperature_c();
    if (!read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", ret->governor,
                   sizeof ret->governor))
        *ret->governor = 0;
    const double no_turbo = read_number("/sys/devices/system/cpu/intel_pstate/no_turbo", 1);
    const double boost = read_number("/sys/devices/system/cpu/cpufreq/boost", 1);
    ret->turbo = !isnan(no_turbo) ? no_turbo == 0 : isnan(boost) ? -1 : boost != 0;
}

// ---- load by other processes ----

static pid_t own_processes[OWN_PROCESSES_MAX]; // 0: none

static void replace_process(pid_t from, pid_t to) {
    for (size_t i = 0; i < OWN_PROCESSES_MAX; ++i)
        if (own_processes[i] == from) {
            own_processes[i] = to;
            return;
        }
    if (to) BUG("more than %d processes of our own", OWN_PROCESSES_MAX);
}

void cpu_state_own_process(pid_t pid) {
    replace_process(0, pid);
}

void cpu_state_forget_process(pid_t pid) {
    replace_process(pid, 0);
}

static uint64_t own_processes_ns(void) {
    uint64_t ns = 0;
    for (size_t i = 0; i < OWN_PROCESSES_MAX; ++i) {
        clockid_t clock;
        if (own_processes[i] && clock_getcpuclockid(own_processes[i], &clock) == 0)
            ns += clock_read_ns(clock);
    }
    return ns;
}

// CPU time of this process, its children, its hosts and its parent.
static uint64_t own_ns(void) {
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    uint64_t ns = machine_process_ns(getppid()) + own_processes_ns();
    for (size_t i = 0; i < sizeof whose / sizeof *whose; ++i) {
        struct rusage usage;
        if (getrusage(whose[i], &usage) < 0) continue;
        ns += ((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) * 1000000000u;
        ns += ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000u;
    }
    return ns;
}

void cpu_state_window_begin(const int *processors, uint32_t count, struct state_window *window) {
    memset(window, 0, sizeof *window);
    struct machine_ticks ticks = {0, 0};
    machine_ticks_read(processors, count, &ticks);
    window->begin_busy_ns = ticks.busy * machine_tick_ns();
    window->begin_steal_ns = ticks.steal * machine_tick_ns();
    window->begin_own_ns = own_ns();
    window->begin_ns = clock_ns();
}

void cpu_state_window_end(const int *processors, uint32_t count, struct state_window *window) {
    window->duration_ns = clock_ns() - window->begin_ns;
    uint64_t own = own_ns() - window->begin_own_ns;
    struct machine_ticks ticks;
    if (!machine_ticks_read(processors, count, &ticks)) return;
    uint64_t busy = ticks.busy * machine_tick_ns() - window->begin_busy_ns;
    window->others_ns = busy > own ? busy - own : 0;
    window->steal_ns = ticks.steal * machine_tick_ns() - window->begin_steal_ns;
    window->capacity_ns = window->duration_ns * count;
    // The kernel charges a whole tick to the process that runs when it occurs, and we read multiples of 10
    // ms: one tick per processor, and one more for the parent's own time.
    window->uncertainty_ns = (count + 1) * machine_tick_ns();
}

uint64_t cpu_state_steal_ns(void) {
    struct machine_ticks ticks;
    return machine_ticks_read(NULL, 0, &ticks) ? ticks.steal * machine_tick_ns() : 0;
}

// ---- threads ----

// /proc/self/stat: num_threads is field 20; the command in field 2 may contain anything.
uint64_t cpu_state_thread_count(void) {
    char text[1024];
    if (!read_line("/proc/self/stat", text, sizeof text)) return 0;
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 20; ++field) at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

// "0.20 0.18 0.12 1/80 11206": the last field.
uint64_t cpu_state_last_thread(void) {
    char text[128];
    if (!read_line("/proc/loadavg", text, sizeof text)) return 0;
    const char *at = strrchr(text, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

// ---- the clock probe ----

// A chain of register-to-register additions: some newer cores fold additions of constants.
static uint64_t spin_adds(uint64_t turns) {
    uint64_t sum = 1, step = turns | 1;
#define ADD_1                                                                                                \
    do {                                                                                                     \
        sum += step;                                                                                         \
        __asm__ volatile("" : "+r"(sum));                                                                    \
    } while (0);
#define ADD_4   ADD_1 ADD_1 ADD_1 ADD_1
#define ADD_16  ADD_4 ADD_4 ADD_4 ADD_4
#define ADD_64  ADD_16 ADD_16 ADD_16 ADD_16
#define ADD_256 ADD_64 ADD_64 ADD_64 ADD_64
    for (uint64_t i = 0; i < turns; ++i) {
        __asm__ volatile("" : "+r"(step));
        ADD_256
    }
    return sum;
}

double cpu_state_clock_probe_hz(void) {
    const uint64_t turns = 160; // about 41 000 cycles, 10 to 20 us
    double best_hz = 0;
    for (int run = 0; run < CHAIN_RUNS; ++run) {
        uint64_t start_ns = clock_ns();
        uint64_t sum = spin_adds(turns);
        __asm__ volatile("" : "+r"(sum));
        uint64_t duration_ns = clock_ns() - start_ns;
        double hz = duration_ns ? (double)(turns * CHAIN_ADDS) * 1e9 / (double)duration_ns : 0;
        if (hz > best_hz) best_hz = hz;
    }
    return best_hz;
}
