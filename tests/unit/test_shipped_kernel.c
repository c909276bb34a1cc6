// SPDX-License-Identifier: Apache-2.0
//
// "assay:NAME" is a kernel of assay's own manifest; a wrong name says which there are.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "control/plan/manifest/shipped_kernel.h"

static void test_names(void **state) {
    (void)state;
    assert_true(shipped_is_name("assay:simd"));
    assert_false(shipped_is_name("simd"));
    assert_false(shipped_is_name("torch:flash"));
    assert_false(shipped_is_name(NULL));
}

static void test_lookup(void **state) {
    (void)state;
    struct shipped_kernels shipped = {0};
    struct err err = {0};
    const struct manifest_kernel *kernel = NULL;
    assert_int_equal(shipped_get_kernel(&shipped, "assay:simd", &kernel, &err), 0);
    assert_string_equal(kernel->source, "kernels/attention/simd.c");
    assert_string_equal(shipped.manifest.dir, ASSAY_SOURCE_DIR); // what this test was built from
    assert_int_equal(shipped_get_kernel(&shipped, "assay:fa_sm90", &kernel, &err), 0);
    assert_string_equal(kernel->backend, "cuda");
    assert_int_equal(shipped_get_kernel(&shipped, "assay:simdd", &kernel, &err), -ERR_USAGE);
    assert_null(kernel);
    assert_non_null(strstr(err.text, "no kernel 'assay:simdd' comes with assay, did you mean 'assay:simd'?"));
    assert_non_null(strstr(err.text, "assay:tiled"));
    assert_int_equal(shipped_get_kernel(&shipped, "assay:", &kernel, NULL), -ERR_USAGE);
    manifest_fini(&shipped.manifest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_lookup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
