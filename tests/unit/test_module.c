// SPDX-License-Identifier: Apache-2.0
//
// Checks of a module's description: other sizes and versions, impossible values, files that are not a
// library.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process/proc.h"
#include "base/strbuf.h"
#include "gen/assay_config.h"
#include "worker/module/builtin.h"
#include "worker/module/module.h"

static char work_dir[] = "/tmp/assay_module_XXXXXX";

static int supports(const struct assay_problem *problem, struct assay_message *message) {
    (void)problem, (void)message;
    return ASSAY_OK;
}

static int launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    (void)state, (void)tensors, (void)workspace, (void)stream, (void)message;
    return ASSAY_OK;
}

static const int64_t block_values[] = {32, 64};
static const struct assay_param block_param = {
    .name = "BLOCK_M", .help = "rows", .value = 64, .values = block_values, .value_count = 2};

static struct assay_kernel good_kernel(const char *name) {
    return (struct assay_kernel){.struct_size = sizeof(struct assay_kernel),
                                 .abi_version = ASSAY_ABI_VERSION,
                                 .name = name,
                                 .op = "attention",
                                 .backend = "cpu",
                                 .supports = supports,
                                 .launch = launch,
                                 .params = &block_param,
                                 .param_count = 1,
                                 .param_bytes = sizeof(struct assay_param)};
}

static struct assay_module module_of(const struct assay_kernel *kernels, uint32_t count) {
    return (struct assay_module){.struct_size = sizeof(struct assay_module),
                                 .abi_version = ASSAY_ABI_VERSION,
                                 .kernel_count = count,
                                 .kernel_bytes = sizeof(struct assay_kernel),
                                 .kernels = kernels};
}

static void expect_refused(const struct assay_module *described, const char *words) {
    struct module *module = NULL;
    struct err err = {0};
    assert_int_equal(module_adopt(described, "m.so", &module, &err), -ERR_DATA);
    assert_null(module);
    if (!strstr(err.text, words)) fail_msg("'%s' does not say '%s'", err.text, words);
}

static void test_good(void **state) {
    (void)state;
    const struct assay_kernel kernels[] = {good_kernel("one"), good_kernel("two")};
    const struct assay_module described = module_of(kernels, 2);
    struct module *module;
    struct err err;
    assert_int_equal(module_adopt(&described, "m.so", &module, &err), 0);
    assert_int_equal(module_kernel_count(module), 2);
    assert_string_equal(module_find(module, "two", &err)->name, "two");
    assert_int_equal(module_kernel_at(module, 0)->params[0].value_count, 2);
    assert_null(module_kernel_at(module, 2));
    assert_null(module_find(module, NULL, &err)); // which of the two?
    assert_int_equal(err.code, ERR_USAGE);
    assert_null(module_find(module, "twi", &err));
    assert_non_null(strstr(err.text, "did you mean 'two'"));
    module_close(module);
    module_close(NULL);
}

// Since version 3 a kernel need not answer supports.
static void test_declares(void **state) {
    (void)state;
    struct assay_kernel kernel = good_kernel("one");
    const struct assay_module described = module_of(&kernel, 1);
    struct module *module;
    kernel.supports = NULL;
    assert_int_equal(module_adopt(&described, "m.so", &module, NULL), 0);
    module_close(module);
}

// What a module of an earlier header looks like: descriptors end after launch, the rest of the memory is
// another's.
static void test_smaller_structs(void **state) {
    (void)state;
    enum { SMALL = offsetof(struct assay_kernel, prepare) };
    unsigned char memory[2 * SMALL];
    memset(memory, 0xee, sizeof memory);
    for (size_t i = 0; i < 2; ++i) {
        struct assay_kernel kernel = good_kernel(i ? "b" : "a");
        kernel.struct_size = SMALL;
        memcpy(memory + i * SMALL, &kernel, SMALL);
    }
    struct assay_module described = module_of((const struct assay_kernel *)(const void *)memory, 2);
    described.kernel_bytes = SMALL;
    struct module *module;
    assert_int_equal(module_adopt(&described, "m.so", &module, NULL), 0);
    const struct assay_kernel *b = module_find(module, "b", NULL);
    assert_non_null(b);
    assert_null(b->prepare);
    assert_null(b->release);
    assert_int_equal(b->param_count, 0);
    assert_null(b->features); // so it is never given a problem with any
    assert_null(b->check_config);
    assert_ptr_equal(b->launch, launch);
    module_close(module);
}

// What a module of a later header looks like: more members at the end.
static void test_larger_structs(void **state) {
    (void)state;
    enum { LARGE = sizeof(struct assay_kernel) + 64 };
    _Alignas(16) unsigned char memory[2 * LARGE];
    memset(memory, 0xee, sizeof memory);
    for (size_t i = 0; i < 2; ++i) {
        struct assay_kernel kernel = good_kernel(i ? "b" : "a");
        kernel.struct_size = LARGE;
        memcpy(memory + i * LARGE, &kernel, sizeof kernel);
    }
    struct assay_module described = module_of((const struct assay_kernel *)(const void *)memory, 2);
    described.kernel_bytes = LARGE;
    struct module *module;
    assert_int_equal(module_adopt(&described, "m.so", &module, NULL), 0);
    assert_non_null(module_find(module, "b", NULL));
    assert_int_equal(module_find(module, "b", NULL)->struct_size, sizeof(struct assay_kernel));
    module_close(module);
}

static void test_nonsense(void **state) {
    (void)state;
    struct assay_kernel kernels[2] = {good_kernel("one"), good_kernel("one")};
    struct assay_module m = module_of(kernels, 2);
    expect_refused(&m, "two kernels are called 'one'");
    expect_refused(NULL, "null pointer");
    m = module_of(kernels, 1);
    m.abi_version = ASSAY_ABI_VERSION + 1;
    expect_refused(&m, "ABI version");
    m = module_of(kernels, 1);
    m.struct_size = 4;
    expect_refused(&m, "4 bytes");
    m = module_of(kernels, 0);
    expect_refused(&m, "0 kernels");
    m = module_of(kernels, 1000000);
    expect_refused(&m, "1000000 kernels");
    m = module_of(NULL, 1);
    expect_refused(&m, "null pointer");
    m = module_of(kernels, 1);
    m.kernel_bytes = 12;
    expect_refused(&m, "12 bytes");
}

static void test_nonsense_kernels(void **state) {
    (void)state;
    struct assay_kernel kernel = good_kernel("one");
    const struct assay_module m = module_of(&kernel, 1);
    kernel.name = NULL;
    expect_refused(&m, "lacks its name");
    kernel = good_kernel("one");
    kernel.launch = NULL;
    expect_refused(&m, "lacks launch()");
    kernel = good_kernel("one");
    kernel.supports = NULL;
    kernel.abi_version = 2;
    expect_refused(&m, "lacks supports()"); // optional since version 3
    kernel = good_kernel("one");
    kernel.abi_version = 0;
    expect_refused(&m, "ABI version 0");
    kernel = good_kernel("one");
    kernel.struct_size = (uint32_t)sizeof kernel + 8;
    expect_refused(&m, "the module's are");
    kernel = good_kernel("one");
    kernel.param_count = 100;
    expect_refused(&m, "100 parameters");
    kernel = good_kernel("one");
    struct assay_param param = block_param;
    kernel.params = &param;
    param.name = "BLOCK M";
    expect_refused(&m, "not an identifier");
    param = block_param;
    param.value_count = 1000;
    expect_refused(&m, "1000 values");
}

static void test_linked_in(void **state) {
    (void)state;
    struct err err = {0};
    assert_non_null(builtin_at(0));
    assert_non_null(builtin_find("naive", &err));
    assert_null(builtin_find("nothing", &err));
    assert_int_equal(err.code, ERR_USAGE);
}

// ---- files ----

static char *compile(const char *name, const char *compiler, const char *source) {
    char *from = mem_format("%s/%s", work_dir, name);
    char *to = mem_format("%s/%s.so", work_dir, name);
    assert_int_equal(file_write_atomic(from, source, strlen(source), NULL), 0);
    const char *const argv[] = {compiler, "-shared", "-fPIC", "-I" ASSAY_SOURCE_DIR "/include",
                                "-o",     to,        from,    NULL};
    struct proc_spec spec = {.argv = argv, .timeout_ns = 60000000000u};
    struct proc_status status;
    struct strbuf output = {0};
    assert_int_equal(proc_run(&spec, &status, &output, NULL), 0);
    if (status.end != PROC_EXITED || status.exit_code) fail_msg("%s", strbuf_text(&output));
    strbuf_fini(&output);
    free(from);
    return to;
}

static void expect_not_opened(const char *path, enum err_code code, const char *words) {
    struct module *module = NULL;
    struct err err = {0};
    assert_int_equal(module_open(path, &module, &err), -(int)code);
    if (!strstr(err.text, words)) fail_msg("'%s' does not say '%s'", err.text, words);
}

static void test_files(void **state) {
    (void)state;
    expect_not_opened("/nowhere/at/all.so", ERR_NO_INPUT, "no such file");
    char *text = mem_format("%s/text.so", work_dir);
    assert_int_equal(file_write_atomic(text, "hello", 5, NULL), 0);
    expect_not_opened(text, ERR_DATA, "cannot load");
    char *without = compile("without.c", ASSAY_CC, "int nothing(void) { return 0; }");
    expect_not_opened(without, ERR_DATA, "does not export 'assay_module'");
    char *later =
        compile("later.c", ASSAY_CC,
                "#include <assay/kernel.h>\n"
                "static const struct assay_kernel k[] = {{.struct_size = sizeof k[0], .abi_version = 9}};\n"
                "const struct assay_module *assay_module(void) {\n"
                "  static const struct assay_module m = {sizeof m, 9, 1, sizeof k[0], k};\n"
                "  return &m; }\n");
    expect_not_opened(later, ERR_DATA, "ABI version 9");
    free(text);
    free(without);
    free(later);
}

static int make_dir(void **state) {
    (void)state;
    return mkdtemp(work_dir) ? 0 : -1;
}

static int remove_dir(void **state) {
    (void)state;
    return file_remove_tree(work_dir, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_declares),
        cmocka_unit_test(test_smaller_structs),
        cmocka_unit_test(test_larger_structs),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_nonsense_kernels),
        cmocka_unit_test(test_linked_in),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
