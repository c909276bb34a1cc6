// SPDX-License-Identifier: Apache-2.0
//
// NVML, the GPU's management library: facts about a GPU, its temperature, clocks and power, its other users,
// and locking its clocks. Loaded when a GPU is needed and never linked; the declarations are ours, after its
// documentation. A GPU is measured without it too: then nothing of its state is known.
//   nvml.c        the library, its errors, finding a device
//   nvml_read.c   facts, state, other processes
//   nvml_clock.c  locking and unlocking clocks
#ifndef WORKER_BACKEND_CUDA_NVML_H
#define WORKER_BACKEND_CUDA_NVML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "record/clock_request.h"
#include "record/device_state.h"
#include "record/gpu_facts.h"

typedef int nvml_result; // 0: success
typedef struct nvml_handle_opaque *nvml_handle;

// nvmlProcessInfo_v2_t, which versions 2 and 3 of the call fill.
struct nvml_process {
    unsigned pid;
    unsigned long long memory_bytes; // NVML_NO_VALUE: unknown
    unsigned gpu_instance, compute_instance;
};

// nvmlFieldValue_t
struct nvml_field {
    unsigned field, scope;
    long long timestamp_us, latency_us;
    int value_type;
    nvml_result result;
    union {
        double as_double;
        unsigned as_unsigned;
        unsigned long as_unsigned_long;
        unsigned long long as_u64;
        long long as_i64;
    } value;
};

#define NVML_NO_VALUE (~0ULL)

enum {
    NVML_OK = 0,
    NVML_INVALID_ARGUMENT = 2,
    NVML_NOT_SUPPORTED = 3,
    NVML_NO_PERMISSION = 4,
    NVML_NOT_FOUND = 6,
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_DRIVER_NOT_LOADED = 9,
    NVML_LIBRARY_NOT_FOUND = 12,
    NVML_FUNCTION_NOT_FOUND = 13,
    NVML_GPU_IS_LOST = 15,
    NVML_RESET_REQUIRED = 16,
    NVML_SENSOR_GPU = 0,
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEMORY = 2,
    NVML_CLOCK_ID_DEFAULT = 2, // nvmlDeviceGetClock: the applications' default
    NVML_ERRORS_UNCORRECTED = 1,
    NVML_COUNTER_VOLATILE = 0,
    NVML_FIELD_MEMORY_TEMPERATURE = 82,
    NVML_UUID_BYTES = 96,
};

// X(member, symbol, parameters): all return nvml_result. Without these nothing works.
#define NVML_REQUIRED_FUNCTIONS(X)                                                                           \
    X(init, "nvmlInit_v2", (void))                                                                           \
    X(get_handle_by_uuid, "nvmlDeviceGetHandleByUUID", (const char *uuid, nvml_handle *ret))

// Drivers have some of these and lack others: NULL if this one lacks it.
#define NVML_OPTIONAL_FUNCTIONS(X)                                                                           \
    X(get_driver_version, "nvmlSystemGetDriverVersion", (char *ret, unsigned capacity))                      \
    X(get_mig_parent, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle", (nvml_handle mig, nvml_handle * ret))  \
    X(get_temperature, "nvmlDeviceGetTemperature", (nvml_handle device, int sensor, unsigned *ret_c))        \
    X(get_fields, "nvmlDeviceGetFieldValues", (nvml_handle device, int count, struct nvml_field *fields))    \
    X(get_clock_now, "nvmlDeviceGetClockInfo", (nvml_handle device, int type, unsigned *ret_mhz))            \
    X(get_clock_max, "nvmlDeviceGetMaxClockInfo", (nvml_handle device, int type, unsigned *ret_mhz))         \
    X(get_clock_default, "nvmlDeviceGetDefaultApplicationsClock",                                            \
      (nvml_handle device, int type, unsigned *ret_mhz))                                                     \
    X(get_clock, "nvmlDeviceGetClock", (nvml_handle device, int type, int id, unsigned *ret_mhz))            \
    X(get_supported_clocks, "nvmlDeviceGetSupportedGraphicsClocks",                                          \
      (nvml_handle device, unsigned memory_mhz, unsigned *count, unsigned *ret_mhz))                         \
    X(get_power, "nvmlDeviceGetPowerUsage", (nvml_handle device, unsigned *ret_mw))                          \
    X(get_power_limit, "nvmlDeviceGetEnforcedPowerLimit", (nvml_handle device, unsigned *ret_mw))            \
    X(get_power_limits, "nvmlDeviceGetPowerManagementLimitConstraints",                                      \
      (nvml_handle device, unsigned *ret_min_mw, unsigned *ret_max_mw))                                      \
    X(get_energy, "nvmlDeviceGetTotalEnergyConsumption", (nvml_handle device, unsigned long long *ret_mj))   \
    X(get_event_reasons, "nvmlDeviceGetCurrentClocksEventReasons",                                           \
      (nvml_handle device, unsigned long long *ret_bits))                                                    \
    X(get_throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons",                                     \
      (nvml_handle device, unsigned long long *ret_bits))                                                    \
    X(get_ecc_mode, "nvmlDeviceGetEccMode", (nvml_handle device, int *ret_now, int *ret_pending))            \
    X(get_ecc_errors, "nvmlDeviceGetTotalEccErrors",                                                         \
      (nvml_handle device, int kind, int counter, unsigned long long *ret_count))                            \
    X(get_mig_mode, "nvmlDeviceGetMigMode", (nvml_handle device, unsigned *ret_now, unsigned *ret_pending))  \
    X(get_persistence, "nvmlDeviceGetPersistenceMode", (nvml_handle device, int *ret))                       \
    X(get_processes_v3, "nvmlDeviceGetComputeRunningProcesses_v3",                                           \
      (nvml_handle device, unsigned *count, struct nvml_process *ret))                                       \
    X(get_processes_v2, "nvmlDeviceGetComputeRunningProcesses_v2",                                           \
      (nvml_handle device, unsigned *count, struct nvml_process *ret))                                       \
    X(set_locked_clocks, "nvmlDeviceSetGpuLockedClocks",                                                     \
      (nvml_handle device, unsigned min_mhz, unsigned max_mhz))                                              \
    X(reset_locked_clocks, "nvmlDeviceResetGpuLockedClocks", (nvml_handle device))

struct nvml {
    const char *(*error_string)(nvml_result code); // nvmlErrorString
#define NVML_MEMBER(name, symbol, parameters) nvml_result(*name) parameters;
    NVML_REQUIRED_FUNCTIONS(NVML_MEMBER)
    NVML_OPTIONAL_FUNCTIONS(NVML_MEMBER)
#undef NVML_MEMBER
};

#define NVML_PRESENT_MAX 256
#define NVML_HOSTS_MAX   16
// Which entry of NVML's list of processes is this process. We compare the list before and after a context is
// opened, because a container may see the host's process numbers, which can equal one of its own by chance,
// or no list at all.
struct nvml_presence {
    bool is_asked;      // both lists are known; otherwise nothing else here is
    bool is_blind;      // the list is empty although we hold a context: it shows no other process either
    bool is_own_known;  // own_pid is our number in the list
    bool is_own_listed; // some entry is ours
    unsigned own_pid;
    int before_count; // entries before the context was opened; negative: unknown
    unsigned before[NVML_PRESENT_MAX];
    // Hosts: the list before the last one began, and which entries are hosts.
    int without_count; // negative: unknown
    unsigned without[NVML_PRESENT_MAX];
    unsigned host_count;                // started so far
    unsigned host_pids[NVML_HOSTS_MAX]; // the last ones; 0: none
    unsigned host_zero_count;           // hosts that are listed without a number
};

struct nvml_device {
    const struct nvml *nvml;
    nvml_handle handle; // of the whole GPU
    nvml_handle mig;    // of our part of it (MIG), whose processes are counted; NULL: not divided
    char uuid[NVML_UUID_BYTES];
    struct nvml_presence presence;
};

// The library: $ASSAY_NVML (a path; tests), else libnvidia-ml.so.1 where the loader finds it. Loaded and
// initialised once per process. ERR_UNAVAILABLE: no library, no driver, each with what to try.
int nvml_get(const struct nvml **ret, struct err *err);
// Sets err to "<what>: <NVML's words>; <what to try>". ERR_UNAVAILABLE.
__attribute__((format(printf, 4, 5))) int nvml_fail(const struct nvml *nvml, nvml_result code,
                                                    struct err *err, const char *what, ...);

// The device with CUDA's UUID ("GPU-..."). A part of a divided GPU (MIG) is found too; its values are those
// of the whole GPU. Free with nvml_device_close.
int nvml_device_open(const char *uuid, struct nvml_device **ret, struct err *err);
void nvml_device_close(struct nvml_device *device); // accepts NULL

// "580.159.04"; "" if unknown.
void nvml_driver_version(const struct nvml *nvml, char *ret_text, size_t capacity);
// Sets what NVML knows; the rest of *ret stays as it is.
void nvml_read_facts(const struct nvml_device *device, struct gpu_facts *ret);
// Sets all of *ret but energy and what is measured over a window. Our own processes (this one, its group, its
// parent) do not count as others. The calling process must use the device.
void nvml_read_state(const struct nvml_device *device, struct device_state *ret);
// List the processes before and after this process opens a context on the device. Without them getpid() is
// taken to be our number in the list.
void nvml_list_before(struct nvml_device *device);
void nvml_list_after(struct nvml_device *device);
// Before (pid_count 0) and after hosts have opened their contexts: entries that are new are theirs,
// whatever numbers they have there. pids: their numbers here, which tell if more are new than hosts.
void nvml_adopt(struct nvml_device *device, const int *pids, uint32_t pid_count);
uint64_t nvml_read_energy_mj(const struct nvml_device *device); // since the driver was loaded; 0: unknown

// The request as a clock that this GPU supports. ERR_UNAVAILABLE: it does not support it; the message says
// what it supports.
int nvml_find_clock(const struct nvml_device *device, const struct clock_request *wanted, uint32_t *ret_mhz,
                    struct err *err);
// ERR_UNAVAILABLE with NVML's words and what to run instead. Nothing is locked then, unless the message says
// so.
int nvml_lock_clocks(const struct nvml_device *device, uint32_t mhz, struct err *err);
// Tries several times. ERR_UNAVAILABLE: the clocks are still locked.
int nvml_unlock_clocks(const struct nvml_device *device, struct err *err);

#endif
