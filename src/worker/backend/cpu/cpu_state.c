// SPDX-License-Identifier: Apache-2.0
//
// Reads /proc and /sys. Nothing here is needed for a measurement to run: a file that is missing leaves its
// figure absent.
#include "worker/backend/cpu/cpu_state.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"

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

// "cpu MHz : 2596.144": what the kernel last saw; on virtual machines the nominal clock, so cpufreq comes
// first.
static double read_cpuinfo_hz(void) {
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file) return NAN;
    char line[256];
    double hz = NAN;
    while (isnan(hz) && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || !str_starts(line, "cpu MHz")) continue;
        double mhz = strtod(colon + 1, NULL);
        if (mhz > 0) hz = mhz * 1e6;
    }
    fclose(file);
    return hz;
}

static double read_hottest_c(const char *pattern) {
    glob_t found;
    double hottest_c = NAN;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; ++i) {
            double c = read_number(found.gl_pathv[i], 1e-3);
            if (c > 0 && c < 150 && !(c <= hottest_c))
                hottest_c = c; // sensors that are not there read 0 or nonsense
        }
    globfree(&found);
    return hottest_c;
}

// hwmon of the processor by its driver's name; thermal zones where there is no such driver.
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

static int read_turbo(void) {
    double no_turbo = read_number("/sys/devices/system/cpu/intel_pstate/no_turbo", 1);
    if (!isnan(no_turbo)) return no_turbo == 0;
    double boost = read_number("/sys/devices/system/cpu/cpufreq/boost", 1);
    return isnan(boost) ? -1 : boost != 0;
}

void cpu_state_read(struct device_state *ret) {
    *ret = device_state_unknown();
    ret->clock_hz = read_number("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", 1e3);
    if (isnan(ret->clock_hz)) ret->clock_hz = read_cpuinfo_hz();
    ret->temperature_c = read_temperature_c();
    char governor[sizeof ret->governor];
    if (read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, sizeof governor))
        snprintf(ret->governor, sizeof ret->governor, "%s", governor);
    ret->turbo = read_turbo();
}

struct stat_ticks {
    uint64_t busy, steal;
};

// "cpu3 user nice system idle iowait irq softirq steal ...": the line of one processor.
static bool parse_stat_line(const char *line, int *ret_processor, struct stat_ticks *ret) {
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

static bool has_processor(const int *processors, uint32_t count, int processor) {
    for (uint32_t i = 0; i < count; ++i)
        if (processors[i] == processor) return true;
    return false;
}

static bool read_stat(const int *processors, uint32_t count, struct stat_ticks *ret) {
    FILE *file = fopen("/proc/stat", "re");
    if (!file) return false;
    char line[512];
    *ret = (struct stat_ticks){0, 0};
    uint32_t seen = 0;
    while (fgets(line, sizeof line, file)) {
        int processor;
        struct stat_ticks ticks;
        if (!parse_stat_line(line, &processor, &ticks)) break; // the processors come first
        if (!has_processor(processors, count, processor)) continue;
        ret->busy += ticks.busy;
        ret->steal += ticks.steal;
        ++seen;
    }
    fclose(file);
    return seen == count;
}

static uint64_t tick_ns(void) {
    long hz = sysconf(_SC_CLK_TCK);
    return 1000000000u / (uint64_t)(hz > 0 ? hz : 100);
}

static uint64_t usage_ns(int who) {
    struct rusage usage;
    if (getrusage(who, &usage) < 0) return 0;
    uint64_t s = (uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec;
    return s * 1000000000u + ((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000u;
}

// utime and stime are fields 14 and 15 of /proc/<pid>/stat; the command in field 2 may hold anything, so
// count from the last ')'.
static uint64_t parent_ns(void) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)getppid());
    if (!read_line(path, text, sizeof text)) return 0;
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 14; ++field) at = strchr(at + 1, ' ');
    if (!at) return 0;
    char *end;
    uint64_t user = strtoull(at, &end, 10), system = strtoull(end, NULL, 10);
    return (user + system) * tick_ns();
}

static uint64_t own_ns(void) {
    return usage_ns(RUSAGE_SELF) + usage_ns(RUSAGE_CHILDREN) + parent_ns();
}

void cpu_state_window_begin(const int *processors, uint32_t count, struct state_window *window) {
    memset(window, 0, sizeof *window);
    struct stat_ticks ticks = {0, 0};
    read_stat(processors, count, &ticks);
    window->begin_busy_ns = ticks.busy * tick_ns();
    window->begin_steal_ns = ticks.steal * tick_ns();
    window->begin_own_ns = own_ns();
    window->begin_ns = clock_ns();
}

void cpu_state_window_end(const int *processors, uint32_t count, struct state_window *window) {
    window->duration_ns = clock_ns() - window->begin_ns;
    uint64_t own = own_ns() - window->begin_own_ns;
    struct stat_ticks ticks;
    if (!read_stat(processors, count, &ticks)) return;
    uint64_t busy = ticks.busy * tick_ns() - window->begin_busy_ns;
    window->others_ns = busy > own ? busy - own : 0;
    window->steal_ns = ticks.steal * tick_ns() - window->begin_steal_ns;
    window->capacity_ns = window->duration_ns * count;
    // The kernel charges whole ticks to whoever runs when they strike and we read them cut to 10 ms: one a
    // processor, and one more for the parent's own time.
    window->uncertainty_ns = (count + 1) * tick_ns();
}

uint64_t cpu_state_steal_ns(void) {
    char line[512];
    int processor;
    struct stat_ticks ticks;
    if (!read_line("/proc/stat", line, sizeof line) || !parse_stat_line(line, &processor, &ticks)) return 0;
    return ticks.steal * tick_ns();
}
