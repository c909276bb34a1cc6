// SPDX-License-Identifier: Apache-2.0
//
// The parent's table of device kinds agrees with the worker's table of backends, and a kind is found only by
// names of its devices.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/plan/device_kind.h"
#include "control/plan/manifest/manifest.h"
#include "control/plan/suite.h"
#include "worker/backend/backend.h"

static void test_tables_agree(void **state) {
    (void)state;
    const struct backend *backend;
    size_t kind_count = 0, backend_count = 0;
    while (device_kind_at(kind_count)) ++kind_count;
    for (; (backend = backend_at(backend_count)); ++backend_count) {
        const struct device_kind *kind = device_kind_find(backend->name);
        assert_non_null(kind);
        assert_true(kind->is_accelerator == backend->is_accelerator);
        assert_true(kind->has_clock_lock == (backend->hold_clock != NULL));
        // Both take the same names: one that begins a UUID, or none.
        assert_true(!kind->uuid_prefix == !backend->uuid_prefix);
        if (kind->uuid_prefix) assert_string_equal(kind->uuid_prefix, backend->uuid_prefix);
    }
    assert_int_equal(kind_count, backend_count);
}

static void test_suites_exist(void **state) {
    (void)state;
    struct manifest none;
    const struct device_kind *kind;
    manifest_empty(&none);
    for (size_t i = 0; (kind = device_kind_at(i)); ++i) {
        const char *names[] = {kind->suite, kind->check_suite};
        for (size_t k = 0; k < 2; ++k) {
            struct suite suite;
            struct arena arena = {0};
            struct err err = {0};
            if (suite_resolve(&none, names[k], NULL, &arena, &suite, &err) < 0) fail_msg("%s", err.text);
            arena_fini(&arena);
        }
    }
    manifest_fini(&none);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(device_kind_of("cpu")->backend, "cpu");
    assert_string_equal(device_kind_of("cuda")->backend, "cuda");
    assert_string_equal(device_kind_of("cuda:0")->backend, "cuda");
    assert_string_equal(device_kind_of("cuda:GPU-1a2b")->backend, "cuda");
    assert_string_equal(device_kind_of("GPU-1a2b3c4d")->backend, "cuda");
    assert_string_equal(device_kind_of("gpu-1A2B3C4D")->backend, "cuda");
    assert_string_equal(device_kind_of("cuda:gpu-1a2b")->backend, "cuda");
    assert_string_equal(device_kind_of("sim:steady")->backend, "sim");
    assert_true(device_kind_of("sim:steady")->takes_scripts);
    static const char *const unknown[] = {"", ":", "cpu:7", "cpu7", "cp", "abacus:0", "GPU", "gpu_1"};
    const struct backend *backend = NULL;
    struct err err = {0};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i) {
        assert_null(device_kind_of(unknown[i]));
        if (!strstr(unknown[i], "cpu:")) assert_int_equal(backend_of(unknown[i], &backend, &err), -ERR_USAGE);
    }
    static const char *const known[] = {"cpu", "cuda:0", "gpu-1A2B", "GPU-1a2b", "cuda:gpu-1", "sim:steady"};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        assert_int_equal(backend_of(known[i], &backend, &err), 0);
        assert_string_equal(backend->name, device_kind_of(known[i])->backend);
    }
    assert_null(device_kind_find("sim:steady"));
    char names[64];
    device_kind_format_names(names, sizeof names);
    assert_string_equal(names, "cpu, cuda, sim");
    device_kind_format_names(names, 6); // cut, and ended
    assert_string_equal(names, "cpu, ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_agree),
        cmocka_unit_test(test_suites_exist),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
