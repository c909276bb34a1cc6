// SPDX-License-Identifier: Apache-2.0
//
// The measured peaks of a CPU thread are plausible rates, and a vector unit that is missing is an error.
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "worker/backend/cpu/ceilings_cpu.h"

#define BUDGET_NS 2000000

static void names_parse_back(void **state) {
    (void)state;
    for (int isa = ISA_INVALID + 1; isa < ISA_COUNT; ++isa)
        assert_int_equal(isa_parse(isa_name((enum isa)isa)), isa);
    assert_int_equal(isa_parse("sse9"), ISA_INVALID);
    assert_null(isa_name(ISA_INVALID));
    assert_null(isa_name(ISA_COUNT));
}

// An infinite rate is what a folded or empty loop would give; 1e5 GFLOP/s a thread is beyond any processor.
static void every_present_unit_has_a_peak(void **state) {
    (void)state;
    assert_true(isa_is_present(ISA_SCALAR));
    assert_true(isa_is_present(isa_widest()));
    for (int isa = ISA_INVALID + 1; isa < ISA_COUNT; ++isa) {
        double rate = 0;
        struct err err = {0};
        const int code = ceiling_cpu_fma((enum isa)isa, BUDGET_NS, &rate, &err);
        assert_int_equal(code, isa_is_present((enum isa)isa) ? 0 : -ERR_UNAVAILABLE);
        if (code < 0) {
            assert_non_null(strstr(err.text, isa_name((enum isa)isa)));
            continue;
        }
        assert_true(rate > 0.01 && rate < 1e5);
    }
    struct err err = {0};
    double rate;
    assert_int_equal(ceiling_cpu_fma(ISA_INVALID, BUDGET_NS, &rate, &err), -ERR_UNAVAILABLE);
}

static void memory_has_bandwidth(void **state) {
    (void)state;
    static alignas(64) unsigned char buffer[1 << 20];
    const size_t bytes = sizeof buffer;
    for (size_t i = 0; i < bytes / 2; ++i) buffer[i] = (unsigned char)(i * 7);
    double read = 0, copy = 0;
    assert_int_equal(ceiling_cpu_read(buffer, bytes, BUDGET_NS, &read, NULL), 0);
    assert_int_equal(ceiling_cpu_copy(buffer, bytes, BUDGET_NS, &copy, NULL), 0);
    assert_true(read > 0.001 && read < 1e5);
    assert_true(copy > 0.001 && copy < 1e5);
    assert_memory_equal(buffer, buffer + bytes / 2, bytes / 2);
    struct err err = {0};
    assert_int_equal(ceiling_cpu_read(buffer, 100, BUDGET_NS, &read, &err), -ERR_INTERNAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_parse_back),
        cmocka_unit_test(every_present_unit_has_a_peak),
        cmocka_unit_test(memory_has_bandwidth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
