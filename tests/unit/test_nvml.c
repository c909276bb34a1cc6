// SPDX-License-Identifier: Apache-2.0
//
// NVML with a library that plays scripts (tests/fakes/fake_nvml.c): what is read, absent figures, which
// processes count as others, errors with NVML's words, which clocks can be requested.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "record/gpu_facts.h"
#include "worker/backend/cuda/nvml.h"

#define UUID "GPU-01234567-89ab-cdef-0123-456789abcdef"

static struct nvml_device *open_with(const char *script) {
    struct nvml_device *device = NULL;
    struct err err = {0};
    setenv("FAKE_NVML", script, 1);
    if (nvml_device_open(UUID, &device, &err) < 0) fail_msg("%s", err.text);
    return device;
}

static struct device_state state_with(const char *script) {
    struct nvml_device *device = open_with(script);
    struct device_state state;
    nvml_read_state(device, &state);
    nvml_device_close(device);
    return state;
}

static void test_reads_state(void **unused) {
    (void)unused;
    const struct device_state state = state_with("temperature=81,clock=1755,memory_clock=3201,power=690");
    assert_float_equal(state.temperature_c, 81, 0);
    assert_float_equal(state.clock_hz, 1755e6, 0);
    assert_float_equal(state.memory_clock_hz, 3201e6, 0);
    assert_float_equal(state.power_w, 690, 1e-9);
    assert_string_equal(state.throttle, "none");
    assert_int_equal(state.other_process_count, 0);
    assert_true(isnan(state.energy_j));
}

static void test_absent_is_absent(void **unused) {
    (void)unused;
    const struct device_state state =
        state_with("temperature=not_supported,clock=unknown,power=no_permission,reasons=not_supported");
    assert_true(isnan(state.temperature_c) && isnan(state.clock_hz) && isnan(state.power_w));
    assert_string_equal(state.throttle, "");
    struct nvml_device *device =
        open_with("energy_step=not_supported,ecc=not_supported,clock_base=not_supported");
    struct gpu_facts facts = {0};
    nvml_read_facts(device, &facts);
    assert_int_equal(facts.ecc, GPU_MODE_UNKNOWN);
    assert_false(facts.has_ecc_count);
    assert_float_equal(facts.clock_base_hz, 0, 0);
    nvml_device_close(device);
}

static void test_reasons(void **unused) {
    (void)unused;
    static const struct {
        const char *script, *words;
    } cases[] = {
        {"reasons=gpu_idle", "none"},
        {"reasons=gpu_idle+sw_power_cap", "sw_power_cap"},
        {"reasons=hw_thermal_slowdown+hw_slowdown", "hw_slowdown,hw_thermal_slowdown"},
        {"reasons=sw_thermal_slowdown", "sw_thermal_slowdown"},
        {"reasons=hw_power_brake_slowdown", "hw_power_brake_slowdown"},
        {"reasons=application_clocks+sync_boost+display_clocks",
         "sync_boost,application_clocks,display_clocks"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        assert_string_equal(state_with(cases[i].script).throttle, cases[i].words);
}

static void test_external_processes(void **unused) {
    (void)unused;
    static const struct {
        const char *script;
        int count;
    } cases[] = {
        {"", 0},
        {"processes=1", 1},
        {"processes=2,unseen=1", 3},
        {"leaving=3", 0},              // without memory
        {"own=0", 0},                  // our own entry has no number of ours
        {"own=0,unseen=1", 1},         // one of the two is us
        {"own=0,processes=1", 1},      //
        {"own=hidden,processes=1", 1}, // that one can be seen, so it is not us
        {"processes=200", 200},        // longer than the first list
        {"own=hidden", 0},             //
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const int count = state_with(cases[i].script).other_process_count;
        if (count != cases[i].count) fail_msg("'%s': %d", cases[i].script, count);
    }
}

// Opening a context adds us to the list: under our number, under the host's, or not at all.
static void test_what_a_context_adds(void **unused) {
    (void)unused;
    static const struct {
        const char *before, *after, *now;
        int count;
    } cases[] = {
        {"own=hidden", "", "", 0},
        {"own=hidden", "", "processes=1", 1},
        {"own=hidden", "own=hidden", "own=hidden", -1},            // shows nothing, of others neither
        {"own=hidden", "own=hidden", "own=hidden,processes=1", 1}, // but what it shows is there
        {"own=hidden", "own=0", "own=0", 0},                       // no numbers
        {"own=hidden", "own=0", "own=0,unseen=1", 1},              //
        {"own=hidden", "own=host", "own=host", 0},                 // the host's
        {"own=hidden", "own=host", "own=host,unseen=1", 1},        //
        {"own=hidden,unseen=1", "own=hidden,unseen=1", "own=hidden,unseen=1", 1}, // it was there before us
        {"own=hidden,unseen=1", "own=host,unseen=1", "own=host,unseen=1", 1},     //
        {"", "own=twin", "own=twin", 1}, // the host's number of another process is ours by chance
        {"", "", "", 0},                 // a library had a context before
        {"own=hidden", "own=host,unseen=1", "own=host,unseen=1", 1}, // another came meanwhile: one of the two
        {"own=hidden,unseen=1", "own=0,unseen=1", "own=0,unseen=1", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct nvml_device *device = open_with(cases[i].before);
        struct device_state state;
        nvml_list_before(device);
        setenv("FAKE_NVML", cases[i].after, 1);
        nvml_list_after(device);
        setenv("FAKE_NVML", cases[i].now, 1);
        nvml_read_state(device, &state);
        if (state.other_process_count != cases[i].count)
            fail_msg("%zu: '%s': %d", i, cases[i].now, state.other_process_count);
        nvml_device_close(device);
    }
}

// What a host's context adds is ours too.
static void test_hosts_are_ours(void **unused) {
    (void)unused;
    static const struct {
        uint32_t host_count;
        const char *own, *without, *with, *now;
        int count;
    } cases[] = {
        {1, "", "", "hosts=1", "hosts=1", 0},
        {1, "own=host", "own=host", "own=host,hosts=1", "own=host,hosts=1", 0},
        {1, "own=host", "own=host", "own=host,hosts=1", "own=host,hosts=1,unseen=1", 1},
        {1, "own=host", "own=host", "own=host,hosts=1", "own=host,hosts=2", 1},
        {2, "own=host", "own=host", "own=host,hosts=2", "own=host,hosts=2", 0}, // both at once
        {2, "own=host", "own=host", "own=host,hosts=2", "own=host,hosts=2,unseen=1", 1},
        {2, "own=host", "own=host", "own=host,hosts=1", "own=host,hosts=1", 1}, // which of them is it?
        {1, "own=0", "own=0", "own=0,unseen=1", "own=0,unseen=1", 0},           // no numbers
        {1, "own=0", "own=0", "own=0,unseen=1", "own=0,unseen=2", 1},
        {2, "own=0", "own=0", "own=0,unseen=2", "own=0,unseen=2", 0},
        {1, "own=0", "own=0,unseen=1", "own=0,unseen=2", "own=0,unseen=2", 1}, // one was there before
        {1, "own=host", "own=host", "own=host", "own=host,unseen=1", 1},       // it is not shown
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct nvml_device *device = open_with("own=hidden");
        struct device_state state;
        nvml_list_before(device);
        setenv("FAKE_NVML", cases[i].own, 1);
        nvml_list_after(device);
        setenv("FAKE_NVML", cases[i].without, 1);
        nvml_adopt(device, NULL, 0);
        setenv("FAKE_NVML", cases[i].with, 1);
        nvml_adopt(device, (const int[]){4194000, 4194001}, cases[i].host_count);
        setenv("FAKE_NVML", cases[i].now, 1);
        nvml_read_state(device, &state);
        if (state.other_process_count != cases[i].count)
            fail_msg("%zu: '%s': %d", i, cases[i].now, state.other_process_count);
        nvml_device_close(device);
    }
}

static void test_our_family_is_not_external(void **unused) {
    (void)unused;
    const pid_t child = fork();
    if (child == 0) {
        // The parent's list holds its child, and the child's list its parent: neither counts as another
        // process.
        setpgid(0, 0);
        const struct device_state state = state_with("processes=1");
        _exit(state.other_process_count == 1 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_facts(void **unused) {
    (void)unused;
    struct nvml_device *device =
        open_with("clock_base=1500,clock_max=1980,ecc_errors=2,persistence=0,power_limit=650");
    struct gpu_facts facts = {0};
    nvml_read_facts(device, &facts);
    assert_float_equal(facts.clock_base_hz, 1500e6, 0);
    assert_float_equal(facts.clock_max_hz, 1980e6, 0);
    assert_float_equal(facts.power_limit_w, 650, 1e-9);
    assert_float_equal(facts.power_limit_min_w, 200, 1e-9);
    assert_float_equal(facts.power_limit_max_w, 700, 1e-9);
    assert_float_equal(facts.memory_temperature_c, 52, 0);
    assert_int_equal(facts.ecc, GPU_MODE_ON);
    assert_int_equal(facts.ecc_uncorrected_count, 2);
    assert_int_equal(facts.mig, GPU_MODE_OFF);
    assert_int_equal(facts.persistence, GPU_MODE_OFF);
    char version[64];
    nvml_driver_version(device->nvml, version, sizeof version);
    assert_string_equal(version, "580.159.04");
    const uint64_t before_mj = nvml_read_energy_mj(device);
    assert_int_equal(nvml_read_energy_mj(device) - before_mj, 10000);
    nvml_device_close(device);
}

static void test_part_of_a_divided_gpu(void **unused) {
    (void)unused;
    struct nvml_device *device = open_with("mig=on");
    assert_non_null(device->mig);
    assert_string_equal(device->uuid, "MIG-01234567-89ab-cdef-0123-456789abcdef");
    struct err err = {0};
    assert_true(nvml_lock_clocks(device, 1500, &err) < 0);
    assert_non_null(strstr(err.text, "part of a divided GPU (MIG)"));
    nvml_device_close(device);
}

static void test_not_found(void **unused) {
    (void)unused;
    struct nvml_device *device = NULL;
    struct err err = {0};
    setenv("FAKE_NVML", "uuid=GPU-another", 1);
    assert_int_equal(nvml_device_open(UUID, &device, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, UUID));
    assert_non_null(strstr(err.text, "NVML says 'Not Found' (6)"));
    assert_non_null(strstr(err.text, "nvidia-smi -L"));
}

// ---- clocks ----

static struct clock_request request_of(const char *text) {
    struct clock_request request;
    struct err err = {0};
    if (clock_request_parse(text, &request, &err) < 0) fail_msg("%s", err.text);
    return request;
}

// The parent and the worker read it by this.
static void test_clocks_that_can_be_asked_for(void **unused) {
    (void)unused;
    static const char *const wrong[] = {"",         "0",       "fast", "-5",    "1.5GHz",
                                        "1500 W",   "1234567", "Base", "1500M", "1500  MHz",
                                        "1500MHz ", "1500 ",   "MHz",  "+5"};
    assert_int_equal(request_of("base").kind, CLOCK_REQUEST_BASE);
    assert_int_equal(request_of("max").kind, CLOCK_REQUEST_MAX);
    static const char *const right[] = {"1500", "1500MHz", "1500 MHz"};
    for (size_t i = 0; i < sizeof right / sizeof *right; ++i) {
        assert_int_equal(request_of(right[i]).kind, CLOCK_REQUEST_MHZ);
        assert_int_equal(request_of(right[i]).mhz, 1500);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        struct clock_request request;
        struct err err = {0};
        if (clock_request_parse(wrong[i], &request, &err) != -ERR_USAGE) fail_msg("'%s' was taken", wrong[i]);
        assert_non_null(strstr(err.text, "takes base, max or a number of MHz"));
    }
}

static void test_find_clock(void **unused) {
    (void)unused;
    static const struct {
        const char *wanted, *error;
        uint32_t mhz;
    } cases[] = {
        {"base", NULL, 1500},       {"max", NULL, 1980},
        {"1200", NULL, 1200},       {"1200 MHz", NULL, 1200},
        {"1200MHz", NULL, 1200},    {"1210", "next to it are 1200 and 1215 MHz", 0},
        {"3000", "345 to 1980", 0}, {"100", "345 to 1980", 0},
    };
    struct nvml_device *device = open_with("");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct err err = {0};
        uint32_t mhz = 0;
        const struct clock_request wanted = request_of(cases[i].wanted);
        const int code = nvml_find_clock(device, &wanted, &mhz, &err);
        if (cases[i].error && (code != -ERR_UNAVAILABLE || !strstr(err.text, cases[i].error)))
            fail_msg("%s: %s", cases[i].wanted, err.text);
        if (!cases[i].error && (code < 0 || mhz != cases[i].mhz))
            fail_msg("%s: %s", cases[i].wanted, err.text);
    }
    nvml_device_close(device);
    device = open_with("clock_base=not_supported");
    struct err err = {0};
    uint32_t mhz;
    const struct clock_request base = request_of("base");
    assert_int_equal(nvml_find_clock(device, &base, &mhz, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "give a number of MHz"));
    nvml_device_close(device);
}

static void assert_log(const char *path, const char *wanted) {
    char *text = NULL;
    assert_int_equal(file_read(path, 4096, &text, NULL, NULL), 0);
    assert_string_equal(text, wanted);
    free(text);
    unlink(path);
}

static void test_lock_and_unlock(void **unused) {
    (void)unused;
    char path[] = "/tmp/assay_nvml_XXXXXX";
    close(mkstemp(path));
    setenv("FAKE_NVML_LOG", path, 1);
    struct nvml_device *device = open_with("");
    struct err err = {0};
    assert_int_equal(nvml_lock_clocks(device, 1500, &err), 0);
    struct device_state state;
    nvml_read_state(device, &state);
    assert_float_equal(state.clock_hz, 1500e6, 0);
    assert_int_equal(nvml_unlock_clocks(device, &err), 0);
    nvml_read_state(device, &state);
    assert_float_equal(state.clock_hz, 1980e6, 0);
    assert_log(path, "lock 1500 1500\nreset\n");
    setenv("FAKE_NVML", "lock=refuse:no_permission", 1);
    assert_int_equal(nvml_lock_clocks(device, 1500, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "Insufficient Permissions"));
    assert_non_null(strstr(err.text, "-lgc 1500,1500"));
    assert_log(path, "lock 1500 1500 refused\n");
    setenv("FAKE_NVML", "disobey=1", 1);
    assert_int_equal(nvml_lock_clocks(device, 1500, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "still runs at 1980 MHz; it was undone"));
    assert_log(path, "lock 1500 1500\nreset\n");
    setenv("FAKE_NVML", "disobey=1,reset=refuse:gpu_is_lost", 1);
    assert_int_equal(nvml_lock_clocks(device, 1500, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "still runs at 1980 MHz; the clocks of GPU"));
    assert_non_null(strstr(err.text, "are still held; run 'sudo nvidia-smi -rgc'"));
    assert_null(strstr(err.text, "undone"));
    assert_log(path, "lock 1500 1500\nreset refused\nreset refused\nreset refused\n");
    assert_int_equal(nvml_unlock_clocks(device, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "still held"));
    nvml_device_close(device);
    unlink(path);
    unsetenv("FAKE_NVML_LOG");
}

// ---- libraries: each in a process of its own, for one is loaded once ----

static void assert_in_child(void (*test)(void)) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        test();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                          \
            _exit(1);                                                                                        \
        }                                                                                                    \
    } while (0)

static void old_driver(void) {
    struct nvml_device *device = NULL;
    struct device_state state;
    setenv("ASSAY_NVML", ASSAY_FAKES_DIR "/libfake_nvml_old.so", 1);
    setenv("FAKE_NVML", "reasons=hw_slowdown,processes=1", 1);
    CHECK(nvml_device_open(UUID, &device, NULL) == 0);
    CHECK(!device->nvml->get_event_reasons && !device->nvml->get_processes_v3);
    nvml_read_state(device, &state);
    CHECK(strcmp(state.throttle, "hw_slowdown") == 0);
    CHECK(state.other_process_count == 1);
    nvml_device_close(device);
}

static void no_library(void) {
    const struct nvml *nvml;
    struct err err = {0};
    setenv("ASSAY_NVML", "/no/such/libnvidia-ml.so", 1);
    CHECK(nvml_get(&nvml, &err) == -ERR_UNAVAILABLE);
    CHECK(strstr(err.text, "/no/such/libnvidia-ml.so") && strstr(err.text, "utility"));
    CHECK(nvml_get(&nvml, &err) == -ERR_UNAVAILABLE); // and is not tried again
}

static void another_library(void) {
    const struct nvml *nvml;
    struct err err = {0};
    setenv("ASSAY_NVML", "libm.so.6", 1);
    CHECK(nvml_get(&nvml, &err) == -ERR_UNAVAILABLE);
    CHECK(strstr(err.text, "it lacks nvmlInit_v2"));
}

static void no_driver(void) {
    const struct nvml *nvml;
    struct err err = {0};
    setenv("ASSAY_NVML", ASSAY_FAKES_DIR "/libfake_nvml.so", 1);
    setenv("FAKE_NVML", "init=refuse:driver_not_loaded", 1);
    CHECK(nvml_get(&nvml, &err) == -ERR_UNAVAILABLE);
    CHECK(strstr(err.text, "Driver Not Loaded") && strstr(err.text, "'nvidia-smi' must work"));
}

static void test_libraries(void **unused) {
    (void)unused;
    assert_in_child(old_driver);
    assert_in_child(no_library);
    assert_in_child(another_library);
    assert_in_child(no_driver);
}

// ---- facts as a document ----

static void test_facts_written_and_read(void **unused) {
    (void)unused;
    const struct gpu_facts facts = {.sm_count = 132,
                                    .clock_max_hz = 1980e6,
                                    .power_limit_w = 700,
                                    .ecc = GPU_MODE_ON,
                                    .persistence = GPU_MODE_OFF,
                                    .has_ecc_count = true};
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    members_write_object(&w, NULL, &gpu_facts_members, &facts, NULL);
    assert_string_equal(text.text, "{\"sm_count\":132,\"clock_max_hz\":1980000000,\"power_limit_w\":700,"
                                   "\"ecc\":\"on\",\"persistence\":\"off\",\"ecc_uncorrected_count\":0}");
    json_t *root = NULL;
    struct err err = {0};
    assert_int_equal(json_read_text(text.text, text.length, "facts", &root, &err), 0);
    const struct json_at at = {root, "facts"};
    struct gpu_facts read = {0};
    assert_int_equal(members_read(&at, &gpu_facts_members, NULL, &read, NULL, &err), 0);
    assert_int_equal(read.sm_count, 132);
    assert_float_equal(read.clock_max_hz, 1980e6, 0);
    assert_int_equal(read.ecc, GPU_MODE_ON);
    assert_int_equal(read.mig, GPU_MODE_UNKNOWN);
    assert_true(read.has_ecc_count && gpu_facts_are_known(&read));
    assert_false(gpu_facts_are_known(&(struct gpu_facts){0}));
    json_decref(root);
    strbuf_fini(&text);
    assert_int_equal(json_read_text("{\"ecc\":\"maybe\"}", 15, "facts", &root, &err), 0);
    const struct json_at wrong = {root, "facts"};
    assert_int_equal(members_read(&wrong, &gpu_facts_members, NULL, &read, NULL, &err), -ERR_DATA);
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_reads_state),
        cmocka_unit_test(test_absent_is_absent),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_external_processes),
        cmocka_unit_test(test_what_a_context_adds),
        cmocka_unit_test(test_hosts_are_ours),
        cmocka_unit_test(test_our_family_is_not_external),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_part_of_a_divided_gpu),
        cmocka_unit_test(test_not_found),
        cmocka_unit_test(test_clocks_that_can_be_asked_for),
        cmocka_unit_test(test_find_clock),
        cmocka_unit_test(test_lock_and_unlock),
        cmocka_unit_test(test_facts_written_and_read),
    };
    setenv("ASSAY_NVML", ASSAY_FAKES_DIR "/libfake_nvml.so", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
