// SPDX-License-Identifier: Apache-2.0
//
// The PTX of the device kernels is complete: every kernel that is launched is in it, and the assembler
// makes machine code of it that keeps everything in registers and within the shared memory that every GPU
// gives a block. Needs nvcc at build time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "assay_config.h"
#include "device/device_kernel_text.h"
#include "op/operator.h"

static const char *const entries[] = {"pattern", "hash",  "find_difference", "find_unlike",
                                      "poke",    "peek",  "compare",         "spin",
                                      "stamp",   "flush", "chase",           "declared_fill"};
#define ENTRY_COUNT (sizeof entries / sizeof *entries)
// e4m3, the last one, is not in the text for sm_80
static const char *const ceilings[] = {"read",        "write",       "copy",        "fma",
                                       "matrix_fp16", "matrix_bf16", "matrix_tf32", "matrix_e4m3"};
#define CEILING_COUNT (sizeof ceilings / sizeof *ceilings)

static void skip_without_text(void) {
    if (assay_device_kernels_ptx_bytes > 0) return;
    print_message("SKIPPED: this build found no nvcc\n");
    skip();
}

static void test_text_ends(void **state) {
    (void)state;
    assert_int_equal(strlen(assay_device_kernels_ptx), assay_device_kernels_ptx_bytes);
}

static void find_entry(const char *prefix, const char *name) {
    char wanted[96];
    snprintf(wanted, sizeof wanted, ".visible .entry %s%s(", prefix, name);
    if (!strstr(assay_device_kernels_ptx, wanted)) fail_msg("the text lacks '%s'", wanted);
}

static void test_every_entry_is_there(void **state) {
    (void)state;
    skip_without_text();
    for (size_t i = 0; i < ENTRY_COUNT; ++i) find_entry("assay_", entries[i]);
    const struct operator_def *op;
    for (size_t i = 0; (op = operator_at(&operators_compiled, i)); ++i)
        for (size_t k = 0; op->device && op->device->entries[k]; ++k) find_entry("", op->device->entries[k]);
    assert_non_null(
        strstr(assay_device_kernels_ptx, ".visible .global .align 4 .u32 assay_device_kernels_version"));
    assert_non_null(strstr(assay_device_kernels_ptx, ".target sm_80"));
}

// One line of ptxas -v; the numbers before "bytes stack frame", "bytes spill stores", "bytes spill loads".
static void check_line(const char *line, int *functions) {
    unsigned stack, stores, loads;
    if (sscanf(line, " %u bytes stack frame, %u bytes spill stores, %u bytes spill loads", &stack, &stores,
               &loads) != 3)
        return;
    ++*functions;
    if (stores || loads) fail_msg("registers are spilled: %s", line);
    if (stack) fail_msg("local memory is used: %s", line);
}

static size_t entry_count(void) {
    size_t count = ENTRY_COUNT;
    const struct operator_def *op;
    for (size_t i = 0; (op = operator_at(&operators_compiled, i)); ++i)
        for (size_t k = 0; op->device && op->device->entries[k]; ++k) ++count;
    return count;
}

static void check_architecture(const char *ptx_path, const char *architecture, size_t wanted_count) {
    char command[1024], line[1024];
    int functions = 0;
    snprintf(command, sizeof command, "PATH=$PATH:$(dirname '%s') ptxas -v -arch=%s -o /dev/null %s 2>&1",
             ASSAY_NVCC, architecture, ptx_path);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    while (fgets(line, sizeof line, output)) {
        if (strstr(line, "error")) fail_msg("%s", line);
        check_line(line, &functions);
    }
    assert_int_equal(pclose(output), 0);
    assert_int_equal(functions, wanted_count);
}

static void check_text(const char *text, const char *const *architectures, size_t wanted_count) {
    char path[] = "/tmp/assay_device_kernels_XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    for (size_t i = 0; architectures[i]; ++i) check_architecture(path, architectures[i], wanted_count);
    unlink(path);
}

static void test_machine_code_keeps_to_registers(void **state) {
    (void)state;
    skip_without_text();
    check_text(assay_device_kernels_ptx, (const char *[]){"sm_80", "sm_90", NULL}, entry_count());
    check_text(assay_ceiling_kernels_sm80, (const char *[]){"sm_80", "sm_86", NULL}, CEILING_COUNT - 1);
    check_text(assay_ceiling_kernels_sm89, (const char *[]){"sm_89", "sm_120", NULL}, CEILING_COUNT);
    check_text(assay_ceiling_kernels_sm90a, (const char *[]){"sm_90a", NULL}, CEILING_COUNT);
}

// Loads and stores of 16 bytes past the L1 cache, one matrix instruction for each pair of tiles in the loop,
// and none of them left out: the assembler keeps what is volatile.
static void test_ceilings_do_what_is_counted(void **state) {
    (void)state;
    skip_without_text();
    for (size_t i = 0; i < CEILING_COUNT; ++i) {
        char wanted[96];
        snprintf(wanted, sizeof wanted, ".visible .entry assay_ceiling_%s(", ceilings[i]);
        if (!strstr(assay_ceiling_kernels_sm89, wanted)) fail_msg("the text lacks '%s'", wanted);
    }
    const char *matrix = strstr(assay_ceiling_kernels_sm80, ".entry assay_ceiling_matrix_bf16(");
    size_t count = 0;
    for (const char *at = matrix; at && (at = strstr(at, "m16n8k16.row.col.f32.bf16")); ++at) ++count;
    assert_true(count > 0 && count % 8 == 0); // the loop may be unrolled
    assert_non_null(strstr(assay_ceiling_kernels_sm80, "ld.global.cg.v4.u32"));
    assert_null(strstr(assay_ceiling_kernels_sm80, "e4m3"));
    assert_non_null(
        strstr(assay_ceiling_kernels_sm90a, "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_ends),
        cmocka_unit_test(test_every_entry_is_there),
        cmocka_unit_test(test_machine_code_keeps_to_registers),
        cmocka_unit_test(test_ceilings_do_what_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
