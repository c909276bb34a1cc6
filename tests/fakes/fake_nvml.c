// SPDX-License-Identifier: Apache-2.0
//
// An NVML that plays a script, for tests on machines without a GPU ($ASSAY_NVML names the library).
// $FAKE_NVML is a list of words "temperature=85,reasons=hw_thermal_slowdown+sw_power_cap,processes=1"; the
// functions below say which there are. Calls that change clocks are appended to the file $FAKE_NVML_LOG:
// "lock 1500 1500", "reset", followed by "refused" if they failed; the clock follows the last line, across
// processes. Built with FAKE_NVML_OLD it is the library of an old driver.
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fake_device *fake_handle;

#define PID_OF_HOST 4194999u // not in our PID namespace: numbers end at 4194304

struct fake_process {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
};

struct fake_field {
    unsigned field, scope;
    long long timestamp_us, latency_us;
    int value_type, result;
    union {
        unsigned as_unsigned;
        unsigned long long as_u64;
    } value;
};

enum { OK = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, UNKNOWN = 999 };

static const struct {
    int code;
    const char *name, *words;
} errors[] = {
    {0, "success", "The operation was successful"},
    {2, "invalid_argument", "Invalid Argument"},
    {3, "not_supported", "Not Supported"},
    {4, "no_permission", "Insufficient Permissions"},
    {6, "not_found", "Not Found"},
    {7, "insufficient_size", "Insufficient Size"},
    {9, "driver_not_loaded", "Driver Not Loaded"},
    {15, "gpu_is_lost", "GPU is lost"},
    {999, "unknown", "Unknown Error"},
};
enum { ERROR_COUNT = sizeof errors / sizeof *errors };

static const char *const reason_names[] = {
    "gpu_idle",      "application_clocks",  "sw_power_cap",        "hw_slowdown",
    "sync_boost",    "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown",
    "display_clocks"};

// ---- the script ----

// The word after "key="; false: the script has none.
static int find_word(const char *key, char *ret, size_t capacity) {
    const char *at = getenv("FAKE_NVML");
    const size_t length = strlen(key);
    while (at && *at) {
        const size_t word = strcspn(at, ",");
        if (word > length && strncmp(at, key, length) == 0 && at[length] == '=') {
            snprintf(ret, capacity, "%.*s", (int)(word - length - 1), at + length + 1);
            return 1;
        }
        at += word + (at[word] == ',');
    }
    return 0;
}

static unsigned number(const char *key, unsigned otherwise) {
    char word[64];
    return find_word(key, word, sizeof word) ? (unsigned)strtoul(word, NULL, 10) : otherwise;
}

// "not_supported" instead of a number: the call fails with that error.
static int give(const char *key, unsigned otherwise, unsigned *ret) {
    char word[64];
    if (find_word(key, word, sizeof word))
        for (int i = 0; i < ERROR_COUNT; ++i)
            if (strcmp(word, errors[i].name) == 0) return errors[i].code;
    *ret = number(key, otherwise);
    return OK;
}

// "lock=refuse:no_permission" or "init=refuse:driver_not_loaded".
static int refusal(const char *key) {
    char word[64];
    if (!find_word(key, word, sizeof word) || strncmp(word, "refuse", 6) != 0) return OK;
    for (int i = 0; i < ERROR_COUNT; ++i)
        if (word[6] == ':' && strcmp(word + 7, errors[i].name) == 0) return errors[i].code;
    return UNKNOWN;
}

// ---- locked clocks, across processes ----

static void log_call(const char *call, int code) {
    const char *path = getenv("FAKE_NVML_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    fprintf(file, "%s%s\n", call, code == OK ? "" : " refused");
    fclose(file);
}

static unsigned locked_mhz(void) {
    const char *path = getenv("FAKE_NVML_LOG");
    FILE *file = path ? fopen(path, "r") : NULL;
    unsigned mhz = 0, low, high;
    char line[128];
    while (file && fgets(line, sizeof line, file)) {
        if (strstr(line, "refused")) continue;
        mhz = sscanf(line, "lock %u %u", &low, &high) == 2 ? high : 0;
    }
    if (file) fclose(file);
    return mhz;
}

// ---- NVML's calls ----

#define API __attribute__((visibility("default")))

API int nvmlInit_v2(void);
API const char *nvmlErrorString(int code);
API int nvmlSystemGetDriverVersion(char *ret, unsigned capacity);
API int nvmlDeviceGetHandleByUUID(const char *uuid, fake_handle *ret);
API int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(fake_handle mig, fake_handle *ret);
API int nvmlDeviceGetTemperature(fake_handle device, int sensor, unsigned *ret);
API int nvmlDeviceGetFieldValues(fake_handle device, int count, struct fake_field *fields);
API int nvmlDeviceGetClockInfo(fake_handle device, int type, unsigned *ret);
API int nvmlDeviceGetMaxClockInfo(fake_handle device, int type, unsigned *ret);
API int nvmlDeviceGetDefaultApplicationsClock(fake_handle device, int type, unsigned *ret);
API int nvmlDeviceGetSupportedGraphicsClocks(fake_handle device, unsigned memory, unsigned *count,
                                             unsigned *ret);
API int nvmlDeviceGetPowerUsage(fake_handle device, unsigned *ret);
API int nvmlDeviceGetEnforcedPowerLimit(fake_handle device, unsigned *ret);
API int nvmlDeviceGetPowerManagementLimitConstraints(fake_handle device, unsigned *low, unsigned *high);
API int nvmlDeviceGetTotalEnergyConsumption(fake_handle device, unsigned long long *ret);
API int nvmlDeviceGetCurrentClocksEventReasons(fake_handle device, unsigned long long *ret);
API int nvmlDeviceGetCurrentClocksThrottleReasons(fake_handle device, unsigned long long *ret);
API int nvmlDeviceGetEccMode(fake_handle device, int *now, int *pending);
API int nvmlDeviceGetTotalEccErrors(fake_handle device, int kind, int counter, unsigned long long *ret);
API int nvmlDeviceGetMigMode(fake_handle device, unsigned *now, unsigned *pending);
API int nvmlDeviceGetPersistenceMode(fake_handle device, int *ret);
API int nvmlDeviceGetComputeRunningProcesses_v3(fake_handle device, unsigned *count,
                                                struct fake_process *ret);
API int nvmlDeviceGetComputeRunningProcesses_v2(fake_handle device, unsigned *count,
                                                struct fake_process *ret);
API int nvmlDeviceSetGpuLockedClocks(fake_handle device, unsigned low, unsigned high);
API int nvmlDeviceResetGpuLockedClocks(fake_handle device);

int nvmlInit_v2(void) {
    return refusal("init");
}

const char *nvmlErrorString(int code) {
    for (int i = 0; i < ERROR_COUNT; ++i)
        if (errors[i].code == code) return errors[i].words;
    return "Unknown Error";
}

int nvmlSystemGetDriverVersion(char *ret, unsigned capacity) {
    if (!find_word("driver", ret, capacity)) snprintf(ret, capacity, "580.159.04");
    return OK;
}

// "uuid=...": the only device; without that word every UUID exists. "mig=on": parts of a divided GPU.
int nvmlDeviceGetHandleByUUID(const char *uuid, fake_handle *ret) {
    static char device;
    char only[96], mig[8] = "";
    find_word("mig", mig, sizeof mig);
    const int is_part = strncmp(uuid, "MIG-", 4) == 0;
    if (is_part != (strcmp(mig, "on") == 0)) return NOT_FOUND;
    if (find_word("uuid", only, sizeof only) && strcmp(only, uuid) != 0) return NOT_FOUND;
    *ret = (fake_handle)(void *)&device;
    return OK;
}

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(fake_handle mig, fake_handle *ret) {
    *ret = mig;
    return OK;
}

int nvmlDeviceGetTemperature(fake_handle device, int sensor, unsigned *ret) {
    (void)device, (void)sensor;
    return give("temperature", 45, ret);
}

int nvmlDeviceGetFieldValues(fake_handle device, int count, struct fake_field *fields) {
    (void)device;
    for (int i = 0; i < count; ++i) {
        fields[i].result = NOT_SUPPORTED;
        if (fields[i].field == 82)
            fields[i].result = give("memory_temperature", 52, &fields[i].value.as_unsigned);
    }
    return OK;
}

int nvmlDeviceGetClockInfo(fake_handle device, int type, unsigned *ret) {
    (void)device;
    if (type == 2) return give("memory_clock", 3201, ret);
    const int code = give("clock", 1980, ret);
    const unsigned held_mhz = number("disobey", 0) ? 0 : locked_mhz();
    if (held_mhz && *ret > held_mhz) *ret = held_mhz;
    return code;
}

int nvmlDeviceGetMaxClockInfo(fake_handle device, int type, unsigned *ret) {
    (void)device;
    return type == 2 ? give("memory_clock_max", 3201, ret) : give("clock_max", 1980, ret);
}

int nvmlDeviceGetDefaultApplicationsClock(fake_handle device, int type, unsigned *ret) {
    (void)device;
    return type == 2 ? NOT_SUPPORTED : give("clock_base", 1500, ret);
}

// From the highest clock down to 345 MHz, in steps of 15 MHz.
int nvmlDeviceGetSupportedGraphicsClocks(fake_handle device, unsigned memory, unsigned *count,
                                         unsigned *ret) {
    unsigned highest = 0, used = 0;
    (void)device, (void)memory;
    if (give("clock_max", 1980, &highest) != OK) return NOT_SUPPORTED;
    for (unsigned mhz = highest; mhz >= 345; mhz -= 15) {
        if (used >= *count) return INSUFFICIENT_SIZE;
        ret[used++] = mhz;
    }
    *count = used;
    return OK;
}

static int give_watts(const char *key, unsigned otherwise, unsigned *ret_mw) {
    const int code = give(key, otherwise, ret_mw);
    *ret_mw *= 1000;
    return code;
}

int nvmlDeviceGetPowerUsage(fake_handle device, unsigned *ret) {
    (void)device;
    return give_watts("power", 120, ret);
}

int nvmlDeviceGetEnforcedPowerLimit(fake_handle device, unsigned *ret) {
    (void)device;
    return give_watts("power_limit", 700, ret);
}

int nvmlDeviceGetPowerManagementLimitConstraints(fake_handle device, unsigned *low, unsigned *high) {
    (void)device;
    *high = 700000;
    return give_watts("power_limit_min", 200, low);
}

// Every call adds 10 J.
int nvmlDeviceGetTotalEnergyConsumption(fake_handle device, unsigned long long *ret) {
    static unsigned long long mj = 1000000;
    unsigned step = 0;
    (void)device;
    const int code = give("energy_step", 10, &step);
    *ret = mj += step * 1000ULL;
    return code;
}

static int give_reasons(unsigned long long *ret) {
    char words[256];
    *ret = 0;
    if (!find_word("reasons", words, sizeof words)) return OK;
    if (strcmp(words, "not_supported") == 0) return NOT_SUPPORTED;
    char *rest = NULL;
    for (char *word = strtok_r(words, "+", &rest); word; word = strtok_r(NULL, "+", &rest))
        for (size_t bit = 0; bit < sizeof reason_names / sizeof *reason_names; ++bit)
            if (strcmp(word, reason_names[bit]) == 0) *ret |= 1ULL << bit;
    return OK;
}

#ifndef FAKE_NVML_OLD
int nvmlDeviceGetCurrentClocksEventReasons(fake_handle device, unsigned long long *ret) {
    (void)device;
    return give_reasons(ret);
}
#endif

int nvmlDeviceGetCurrentClocksThrottleReasons(fake_handle device, unsigned long long *ret) {
    (void)device;
    return give_reasons(ret);
}

int nvmlDeviceGetEccMode(fake_handle device, int *now, int *pending) {
    unsigned ecc = 0;
    (void)device;
    const int code = give("ecc", 1, &ecc);
    *now = *pending = (int)ecc;
    return code;
}

int nvmlDeviceGetTotalEccErrors(fake_handle device, int kind, int counter, unsigned long long *ret) {
    unsigned count = 0;
    (void)device;
    if (kind != 1 || counter != 0) return INVALID_ARGUMENT;
    const int code = give("ecc_errors", 0, &count);
    *ret = count;
    return code;
}

int nvmlDeviceGetMigMode(fake_handle device, unsigned *now, unsigned *pending) {
    char mig[8] = "";
    (void)device;
    find_word("mig", mig, sizeof mig);
    *now = *pending = strcmp(mig, "on") == 0;
    return OK;
}

int nvmlDeviceGetPersistenceMode(fake_handle device, int *ret) {
    unsigned persistence = 0;
    (void)device;
    const int code = give("persistence", 1, &persistence);
    *ret = (int)persistence;
    return code;
}

static size_t read_of_process(const char *pid, const char *file, char *ret, size_t capacity) {
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/%s", pid, file);
    FILE *stream = fopen(path, "r");
    const size_t length = stream ? fread(ret, 1, capacity - 1, stream) : 0;
    if (stream) fclose(stream);
    ret[length] = 0;
    return length;
}

// A child of the calling process whose command line names `word`; 0: there is none.
static unsigned find_child(const char *word) {
    char stat[512], command[4096];
    unsigned found = 0;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && !found && (entry = readdir(processes));) {
        const unsigned pid = (unsigned)strtoul(entry->d_name, NULL, 10);
        if (!pid || !read_of_process(entry->d_name, "stat", stat, sizeof stat)) continue;
        const char *behind = strrchr(stat, ')'); // ") S 123 ..."
        if (!behind || strtol(behind + 4, NULL, 10) != getpid()) continue;
        const size_t length = read_of_process(entry->d_name, "cmdline", command, sizeof command);
        for (size_t i = 0; i < length; ++i)
            if (!command[i]) command[i] = ' ';
        if (strstr(command, word)) found = pid;
    }
    if (processes) closedir(processes);
    return found;
}

// The calling process is listed under its own pid, or as a container lists it ("own=0", "own=hidden",
// "own=host": the host's number, "own=twin": the host's number, and another process that has ours).
// "processes": others that are visible (as the first process of the machine); "unseen": others that are not;
// "leaving": others whose memory is freed; "hosts": that many more with numbers of the host; "child": while
// there is one, a child with that word in its command line.
static int list_processes(unsigned *count, struct fake_process *ret) {
    char own[16] = "", word[64];
    find_word("own", own, sizeof own);
    const unsigned child = find_word("child", word, sizeof word) ? find_child(word) : 0;
    const unsigned seen = number("processes", 0), unseen = number("unseen", 0),
                   leaving = number("leaving", 0), hosts = number("hosts", 0);
    const bool is_twin = strcmp(own, "twin") == 0, is_host = is_twin || strcmp(own, "host") == 0;
    const unsigned self = (strcmp(own, "hidden") != 0 ? 1u : 0u) + (is_twin ? 1u : 0u),
                   needed = self + seen + unseen + leaving + hosts + (child ? 1u : 0u);
    const unsigned capacity = *count;
    *count = needed;
    if (needed > capacity) return INSUFFICIENT_SIZE;
    unsigned used = 0;
    if (is_twin) ret[used++] = (struct fake_process){.pid = (unsigned)getpid(), .memory_bytes = 1 << 20};
    const unsigned known = *own ? 0 : (unsigned)getpid();
    if (self)
        ret[used++] = (struct fake_process){.pid = is_host ? PID_OF_HOST : known, .memory_bytes = 1 << 20};
    if (child) ret[used++] = (struct fake_process){.pid = child, .memory_bytes = 1 << 20};
    for (unsigned i = 0; i < seen; ++i)
        ret[used++] = (struct fake_process){.pid = 1, .memory_bytes = 1 << 20};
    for (unsigned i = 0; i < unseen; ++i)
        ret[used++] = (struct fake_process){.pid = 0, .memory_bytes = ~0ULL};
    for (unsigned i = 0; i < hosts; ++i)
        ret[used++] = (struct fake_process){.pid = PID_OF_HOST + 1 + i, .memory_bytes = 1 << 20};
    for (unsigned i = 0; i < leaving; ++i) ret[used++] = (struct fake_process){.pid = 1};
    return OK;
}

#ifndef FAKE_NVML_OLD
int nvmlDeviceGetComputeRunningProcesses_v3(fake_handle device, unsigned *count, struct fake_process *ret) {
    (void)device;
    return list_processes(count, ret);
}
#endif

int nvmlDeviceGetComputeRunningProcesses_v2(fake_handle device, unsigned *count, struct fake_process *ret) {
    (void)device;
    return list_processes(count, ret);
}

int nvmlDeviceSetGpuLockedClocks(fake_handle device, unsigned low, unsigned high) {
    char call[64];
    (void)device;
    const int code = refusal("lock");
    snprintf(call, sizeof call, "lock %u %u", low, high);
    log_call(call, code);
    return code;
}

int nvmlDeviceResetGpuLockedClocks(fake_handle device) {
    (void)device;
    const int code = refusal("reset");
    log_call("reset", code);
    return code;
}
