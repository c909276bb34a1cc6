// SPDX-License-Identifier: Apache-2.0
//
// The system around a gate. Limits are those of the code that a finding speaks of: perf_event_paranoid of
// worker/backend/cpu/perf_events.c, the busy machine of executor_notice.c.
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/address.h"
#include "base/file.h"
#include "base/process/machine_load.h"
#include "base/process/priority.h"
#include "base/process/processors.h"
#include "base/strbuf.h"
#include "control/flow/doctor/doctor.h"

#define LOOK_NS         500000000u
#define BUSY_PCT        20.0
#define DISK_LEAST      ((double)2e9) // bytes: a few hundred runs, and the modules of a few revisions
#define PARANOID_MOST   2
#define SYSFS_TEXT_MOST 256

// ---- files of /proc and /sys ----

// The first line of a file below root; NULL: there is none.
static const char *line_of(const struct doctor *doctor, const char *path) {
    const char *full = arena_format(doctor->arena, "%s%s", doctor->root, path);
    char *text = NULL;
    size_t length = 0;
    struct err err = {0};
    if (file_read(full, SYSFS_TEXT_MOST * 64, &text, &length, &err) < 0) return NULL;
    const char *line = arena_strndup(doctor->arena, text, strcspn(text, "\n"));
    free(text);
    return line;
}

static void examine_governor(struct doctor *doctor) {
    const char *governor = line_of(doctor, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    if (!governor)
        doctor_add(doctor, DOCTOR_OK, "governor", NULL, "not told, as in most virtual machines");
    else if (str_equal(governor, "performance"))
        doctor_add(doctor, DOCTOR_OK, "governor", NULL, "performance");
    else
        doctor_add(doctor, DOCTOR_NOTE, "governor", "sudo cpupower frequency-set -g performance",
                   "%s: the clock follows the load, and samples vary with it", governor);
}

// no_turbo counts the other way round than boost.
static void examine_turbo(struct doctor *doctor) {
    const char *no_turbo = line_of(doctor, "/sys/devices/system/cpu/intel_pstate/no_turbo");
    const char *boost = line_of(doctor, "/sys/devices/system/cpu/cpufreq/boost");
    const bool is_on = no_turbo ? str_equal(no_turbo, "0") : boost && str_equal(boost, "1");
    if (is_on)
        doctor_add(doctor, DOCTOR_NOTE, "turbo",
                   no_turbo ? "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
                            : "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost",
                   "on: clocks follow the heat and what the other processors do");
    else if (no_turbo || boost)
        doctor_add(doctor, DOCTOR_OK, "turbo", NULL, "off");
}

static void examine_counters(struct doctor *doctor) {
    const char *paranoid = line_of(doctor, "/proc/sys/kernel/perf_event_paranoid");
    long long value = 0;
    if (paranoid && str_parse_i64(paranoid, &value) == 0) {
        if (value <= PARANOID_MOST)
            doctor_add(doctor, DOCTOR_OK, "perf events", NULL, "perf_event_paranoid is %lld", value);
        else
            doctor_add(doctor, DOCTOR_NOTE, "perf events", "sudo sysctl kernel.perf_event_paranoid=2",
                       "perf_event_paranoid is %lld: nothing is counted on the processor but by root", value);
    }
    const char *full = arena_format(doctor->arena, "%s/proc/driver/nvidia/params", doctor->root);
    char *text = NULL;
    size_t length = 0;
    struct err err = {0};
    if (file_read(full, SYSFS_TEXT_MOST * 64, &text, &length, &err) < 0) return; // no driver of NVIDIA's
    if (strstr(text, "RmProfilingAdminOnly: 1"))
        doctor_add(doctor, DOCTOR_NOTE, "GPU counters",
                   "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee "
                   "/etc/modprobe.d/assay.conf # then restart",
                   "for administrators only: profile and counted gates need root");
    else
        doctor_add(doctor, DOCTOR_OK, "GPU counters", NULL, "for every user");
    free(text);
}

static void examine_sandbox(struct doctor *doctor) {
    if (line_of(doctor, "/proc/sys/kernel/seccomp/actions_avail"))
        doctor_add(doctor, DOCTOR_OK, "sandbox", NULL, "the system filters calls (seccomp)");
    else
        doctor_add(doctor, DOCTOR_NOTE, "sandbox", NULL,
                   "no seccomp here: kernels of strangers are not to be run (docs/sandbox.md)");
}

void doctor_examine_files(struct doctor *doctor) {
    examine_governor(doctor);
    examine_turbo(doctor);
    examine_counters(doctor);
    examine_sandbox(doctor);
}

// ---- the rest ----

static void examine_priority(struct doctor *doctor) {
    if (priority_can_raise())
        doctor_add(doctor, DOCTOR_OK, "priority", NULL, "what is timed runs above other programs");
    else
        doctor_add(doctor, DOCTOR_NOTE, "priority", "# LimitNICE=-20 in the runner's systemd unit",
                   "normal: others on this machine take processors from what is timed");
}

// A permission is not enough: most virtual machines show no counters of the processor, and containers forbid
// the call.
static void examine_hardware_counters(struct doctor *doctor) {
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) {
        doctor_add(
            doctor, DOCTOR_NOTE, "hardware counters", NULL,
            "the processor counts no instructions here (%s): profiles of its kernels lack most figures",
            strerror(errno));
        return;
    }
    close(fd);
    doctor_add(doctor, DOCTOR_OK, "hardware counters", NULL, "the processor counts instructions");
}

// The culprits by number and command: several may have one name.
static void examine_load(struct doctor *doctor) {
    struct machine_load load;
    struct strbuf names = {0};
    cpu_set_t among;
    if (processors_parse(NULL, &among, NULL) < 0 || !machine_load_look(&among, LOOK_NS, &load)) return;
    for (size_t i = 0; i < load.process_count; ++i) {
        const struct machine_process *process = &load.processes[i];
        char *command = address_shown(*process->command ? process->command : process->name);
        strbuf_addf(&names, "%s%ld (", i ? ", " : ": ", (long)process->pid);
        strbuf_add_plain(&names, command, true);
        strbuf_addf(&names, ") %.0f %%", process->pct);
        free(command);
    }
    const double taken_pct = load.busy_pct + load.steal_pct;
    doctor_add(doctor, taken_pct < BUSY_PCT ? DOCTOR_OK : DOCTOR_NOTE, "load now",
               taken_pct < BUSY_PCT ? NULL : "# docs/noisy-machines.md",
               "others take %.0f %% of %u processors, the hypervisor %.0f %%%s", load.busy_pct,
               (unsigned)load.processor_count, load.steal_pct, strbuf_text(&names));
    strbuf_fini(&names);
}

static void examine_disk(struct doctor *doctor) {
    struct statvfs disk;
    char *cache = path_cache_dir();
    const char *const folders[] = {".", cache};
    for (size_t i = 0; i < 2; ++i) {
        // The cache may not be there yet; then its file system is that of the folder above.
        char *folder = path_absolute(folders[i]);
        while (statvfs(folder, &disk) != 0 && strcmp(folder, "/")) {
            char *up = path_dir(folder);
            free(folder);
            folder = up;
        }
        const double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
        doctor_add(
            doctor, free_bytes < DISK_LEAST ? DOCTOR_NOTE : DOCTOR_OK, i ? "disk, cache" : "disk, here",
            free_bytes < DISK_LEAST ? "# assay history prune --before DATE, and remove runs of old gates"
                                    : NULL,
            "%.1f GB free at %s", free_bytes / 1e9, folder);
        free(folder);
    }
    free(cache);
}

static void examine_clock(struct doctor *doctor) {
    struct timex clock = {0};
    const int state = adjtimex(&clock);
    if (state < 0) return;
    if (state == TIME_ERROR || (clock.status & STA_UNSYNC))
        doctor_add(doctor, DOCTOR_NOTE, "clock", "sudo timedatectl set-ntp true",
                   "not synchronized: the times of runs in the history drift against other machines'");
    else
        doctor_add(doctor, DOCTOR_OK, "clock", NULL, "synchronized");
}

void doctor_examine_system(struct doctor *doctor) {
    examine_priority(doctor);
    examine_load(doctor);
    doctor_examine_files(doctor);
    examine_hardware_counters(doctor);
    examine_disk(doctor);
    examine_clock(doctor);
}
