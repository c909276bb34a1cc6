// SPDX-License-Identifier: Apache-2.0
//
// Findings of the system, on made trees of /proc and /sys: each file that matters, as it should be and as it
// should not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "control/flow/doctor/doctor.h"

struct made_file {
    const char *path, *text;
};

static const char *made_tree(const struct made_file *files, size_t count, struct arena *arena) {
    char *root = arena_strdup(arena, "/tmp/assay-doctor-XXXXXX");
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < count; ++i) {
        struct err err = {0};
        const char *path = arena_format(arena, "%s%s", root, files[i].path);
        char *folder = path_dir(path);
        assert_int_equal(file_make_dirs(folder, &err), 0);
        free(folder);
        assert_int_equal(file_write_atomic(path, files[i].text, strlen(files[i].text), &err), 0);
    }
    return root;
}

static const struct doctor_finding *find(const struct doctor *doctor, const char *topic) {
    for (size_t i = 0; i < doctor->count; ++i)
        if (!strcmp(doctor->findings[i].topic, topic)) return &doctor->findings[i];
    return NULL;
}

static void expect(const struct doctor *doctor, const char *topic, enum doctor_level level, bool has_remedy) {
    const struct doctor_finding *finding = find(doctor, topic);
    if (!finding) fail_msg("nothing is said of %s", topic);
    assert_int_equal(finding->level, level);
    assert_int_equal(finding->remedy != NULL, has_remedy);
}

static struct doctor examined(const struct made_file *files, size_t count, struct arena *arena) {
    struct doctor doctor = {.arena = arena, .root = made_tree(files, count, arena)};
    doctor_examine_files(&doctor);
    return doctor;
}

static void a_machine_as_it_should_be(void **state) {
    (void)state;
    struct arena arena = {0};
    static const struct made_file files[] = {
        {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"},
        {"/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"},
        {"/proc/sys/kernel/perf_event_paranoid", "-1\n"},
        {"/proc/driver/nvidia/params", "EnableMSI: 1\nRmProfilingAdminOnly: 0\n"},
        {"/proc/sys/kernel/seccomp/actions_avail", "kill_process errno allow\n"},
    };
    const struct doctor doctor = examined(files, sizeof files / sizeof *files, &arena);
    static const char *const topics[] = {"governor", "turbo", "perf events", "GPU counters", "sandbox"};
    for (size_t i = 0; i < sizeof topics / sizeof *topics; ++i) expect(&doctor, topics[i], DOCTOR_OK, false);
    assert_int_equal(doctor_worst(&doctor), DOCTOR_OK);
    arena_fini(&arena);
}

static void a_machine_that_needs_mending(void **state) {
    (void)state;
    struct arena arena = {0};
    static const struct made_file files[] = {
        {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n"},
        {"/sys/devices/system/cpu/cpufreq/boost", "1\n"},
        {"/proc/sys/kernel/perf_event_paranoid", "3\n"},
        {"/proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\n"},
    };
    const struct doctor doctor = examined(files, sizeof files / sizeof *files, &arena);
    static const char *const topics[] = {"governor", "turbo", "perf events", "GPU counters"};
    for (size_t i = 0; i < sizeof topics / sizeof *topics; ++i) expect(&doctor, topics[i], DOCTOR_NOTE, true);
    expect(&doctor, "sandbox", DOCTOR_NOTE, false);
    assert_non_null(strstr(find(&doctor, "governor")->text, "schedutil"));
    assert_non_null(strstr(find(&doctor, "turbo")->remedy, "cpufreq/boost"));
    assert_int_equal(doctor_worst(&doctor), DOCTOR_NOTE);
    arena_fini(&arena);
}

// A virtual machine shows little; that is no fault of it, and what is not there is not guessed.
static void what_is_not_told_is_not_guessed(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct doctor doctor = examined(NULL, 0, &arena);
    expect(&doctor, "governor", DOCTOR_OK, false);
    assert_null(find(&doctor, "turbo"));
    assert_null(find(&doctor, "perf events"));
    assert_null(find(&doctor, "GPU counters"));
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_as_it_should_be),
        cmocka_unit_test(a_machine_that_needs_mending),
        cmocka_unit_test(what_is_not_told_is_not_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
