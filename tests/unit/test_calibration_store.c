// SPDX-License-Identifier: Apache-2.0
//
// Studies are stored, also by several programs at once; a broken file is an error that says what to do.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "control/flow/calibration_store.h"
#include "unit/made_result.h"

static char cache[] = "/tmp/assay-calibrations-XXXXXX";

static int set_cache(void **state) {
    (void)state;
    return mkdtemp(cache) && setenv("XDG_CACHE_HOME", cache, 1) == 0 ? 0 : -1;
}

static int drop_cache(void **state) {
    (void)state;
    return file_remove_tree(cache, NULL);
}

static int add(const char *uuid, const char *run_id, struct calibration *ret, struct err *err) {
    struct environment environment = environment_unknown();
    environment.device_uuid = uuid;
    environment.thread_count = 2;
    struct calibration_problem problem = {.name = "attention/fp32/b1/h2/s128/d64",
                                          .median_ns = 1e5,
                                          .spread_pct = 0.5,
                                          .pair_count = 20,
                                          .round_count = 20};
    struct calibration_study study = {.run_id = run_id, .problem_count = 1, .problems = &problem};
    return calibration_store_add(&environment, &study, 1, ret, err);
}

static void studies_stay(void **state) {
    (void)state;
    struct calibration calibration;
    struct err err = {0};
    assert_false(calibration_store_has_any());
    assert_int_equal(calibration_store_read("cpu-1", 2, &calibration, &err), CALIBRATION_ABSENT);
    for (int i = 0; i < 2; ++i) {
        if (add("cpu-1", i ? "b" : "a", &calibration, &err) < 0) fail_msg("%s", err.text);
        assert_int_equal(calibration.study_count, i + 1);
        calibration_fini(&calibration);
    }
    assert_true(calibration_store_has_any());
    assert_int_equal(calibration_store_read("cpu-1", 2, &calibration, &err), CALIBRATION_STORED);
    assert_int_equal(calibration.study_count, 2);
    assert_string_equal(calibration.device_uuid, "cpu-1");
    calibration_fini(&calibration);
    assert_int_equal(calibration_store_read("cpu-1", 1, &calibration, &err),
                     0); // other threads, other machine
}

static void programs_at_once_lose_nothing(void **state) {
    (void)state;
    struct calibration calibration;
    struct err err = {0};
    enum { PROGRAMS = 8, STUDIES = 5 };
    pid_t children[PROGRAMS];
    for (int p = 0; p < PROGRAMS; ++p) {
        children[p] = fork();
        assert_true(children[p] >= 0);
        if (children[p] > 0) continue;
        int failed = 0;
        for (int i = 0; i < STUDIES; ++i) {
            char run_id[32];
            snprintf(run_id, sizeof run_id, "%d-%d", p, i);
            failed |= add("cpu-many", run_id, &calibration, &err) < 0;
            calibration_fini(&calibration);
        }
        _exit(failed);
    }
    for (int p = 0; p < PROGRAMS; ++p) {
        int status = 0;
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(calibration_store_read("cpu-many", 2, &calibration, &err), CALIBRATION_STORED);
    assert_int_equal(calibration.study_count, PROGRAMS * STUDIES);
    calibration_fini(&calibration);
}

static void a_broken_file_is_an_error(void **state) {
    (void)state;
    struct calibration calibration;
    struct err err = {0};
    char *path = calibration_store_path("cpu-1", 2);
    assert_int_equal(file_write_atomic(path, "{\"kind\":", 8, &err), 0);
    assert_int_equal(calibration_store_read("cpu-1", 2, &calibration, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "delete"));
    assert_int_equal(add("cpu-1", "c", &calibration, &err), -ERR_DATA);
    assert_int_equal(file_size_bytes(path), 8); // left as it was
    free(path);
}

static void a_file_of_another_device_is_refused(void **state) {
    (void)state;
    struct calibration calibration;
    struct err err = {0};
    if (add("cpu-here", "a", &calibration, &err) < 0) fail_msg("%s", err.text);
    calibration_fini(&calibration);
    char *from = calibration_store_path("cpu-here", 2), *path = NULL, *text = NULL;
    size_t length = 0;
    assert_int_equal(file_read(from, 1 << 20, &text, &length, &err), 0);
    path = calibration_store_path("cpu-there", 2); // copied from another machine
    assert_int_equal(file_write_atomic(path, text, length, &err), 0);
    assert_int_equal(calibration_store_read("cpu-there", 2, &calibration, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "is of device 'cpu-here' with 2 threads, not of 'cpu-there' with 2"));
    assert_non_null(strstr(err.text, path));
    free(path);
    path = calibration_store_path("cpu-here", 4);
    assert_int_equal(file_write_atomic(path, text, length, &err), 0);
    assert_int_equal(calibration_store_read("cpu-here", 4, &calibration, &err), -ERR_DATA);
    free(path);
    free(text);
    free(from);
}

static void a_name_stays_in_its_folder(void **state) {
    (void)state;
    char *path = calibration_store_path("../../etc/x", 2), *folder = path_dir(path);
    assert_true(str_ends(folder, "/calibrations"));
    assert_null(strstr(path, ".."));
    free(folder);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(studies_stay),
        cmocka_unit_test(programs_at_once_lose_nothing),
        cmocka_unit_test(a_broken_file_is_an_error),
        cmocka_unit_test(a_file_of_another_device_is_refused),
        cmocka_unit_test(a_name_stays_in_its_folder),
    };
    return cmocka_run_group_tests(tests, set_cache, drop_cache);
}
