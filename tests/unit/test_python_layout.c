// SPDX-License-Identifier: Apache-2.0
//
// The structs and tables that peers/assay_abi.py repeats by hand equal those of C, and an interpreter with
// others is rejected with a message.
#include <gen/assay_config.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process/proc.h"
#include "base/strbuf.h"
#include "worker/module/python_kernel.h"

static void test_python_repeats_what_c_says(void **state) {
    (void)state;
    char *python = path_find_program("python3");
    if (!python) {
        print_message("SKIPPED: no python3\n");
        skip();
    }
    // The other tables of types are no part of the layout: each has the same names.
    static const char program[] =
        "import sys; peers = '" ASSAY_SOURCE_DIR "/peers'; sys.path.insert(0, peers)\n"
        "import assay_abi, assay_results, assay_tensor\n"
        "names = {name for name, size in assay_abi.DTYPES.values()}\n"
        "for_torch = open(peers + '/assay_torch.py').read()\n"
        "assert names == set(assay_tensor.TYPESTR) == set(assay_results.TYPES)\n"
        "assert all('(\"%s\", ' % name in for_torch for name in names)\n"
        "sys.stdout.write(assay_abi.layout())\n";
    const char *const argv[] = {python, "-Bc", program, NULL};
    const struct proc_spec spec = {.argv = argv, .timeout_ns = 60000000000u};
    struct proc_status status;
    struct strbuf theirs = {0}, said = {0}, ours = {0};
    struct err err = {0};
    assert_int_equal(proc_run_split(&spec, &status, &theirs, &said, &err), 0);
    python_kernel_layout(&ours);
    assert_string_equal(strbuf_text(&said), "");
    assert_string_equal(strbuf_text(&theirs), strbuf_text(&ours));
    strbuf_fini(&theirs);
    strbuf_fini(&said);
    strbuf_fini(&ours);
    free(python);
}

// What the text holds, so that an empty one on both sides is no agreement.
static void test_layout_tells_members_and_types(void **state) {
    (void)state;
    struct strbuf ours = {0};
    python_kernel_layout(&ours);
    assert_non_null(strstr(ours.text, "assay_tensor 168, role 0 4, access 4 4, dtype 8 4, dim_count 12 4, "
                                      "shape 16 64, stride 80 64, data 144 8, name 152 8, flags 160 4, "));
    assert_non_null(strstr(ours.text, "\ntypes, 1 fp32 4, 2 fp16 2, "));
    assert_non_null(strstr(ours.text, "13 fp4_e2m1x2 1, 14 e8m0 1\n"));
    assert_non_null(strstr(ours.text, "LOAD_INCOMPLETE 102"));
    strbuf_fini(&ours);
}

static void test_another_layout_is_refused(void **state) {
    (void)state;
    struct strbuf ours = {0};
    struct err err = {0};
    python_kernel_layout(&ours);
    struct python_callbacks callbacks = {.struct_size = sizeof callbacks, .layout = ours.text};
    assert_int_equal(python_kernel_check_callbacks(&callbacks, &err), 0);
    char *sent = mem_strdup(ours.text);
    strstr(sent, "\ntypes, 1 fp32")[10] = 'k';
    callbacks.layout = sent;
    assert_int_equal(python_kernel_check_callbacks(&callbacks, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "it has 'types, 1 kp32 "));
    assert_non_null(strstr(err.text, "and here 'types, 1 fp32 "));
    callbacks.layout = "";
    assert_int_equal(python_kernel_check_callbacks(&callbacks, &err), -ERR_UNAVAILABLE);
    callbacks.layout = NULL;
    assert_int_equal(python_kernel_check_callbacks(&callbacks, &err), -ERR_UNAVAILABLE);
    callbacks = (struct python_callbacks){.struct_size = sizeof callbacks - 8, .layout = sent};
    assert_int_equal(python_kernel_check_callbacks(&callbacks, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "install assay anew"));
    assert_int_equal(python_kernel_check_callbacks(NULL, &err), -ERR_UNAVAILABLE);
    free(sent);
    strbuf_fini(&ours);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_python_repeats_what_c_says),
                                       cmocka_unit_test(test_layout_tells_members_and_types),
                                       cmocka_unit_test(test_another_layout_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
