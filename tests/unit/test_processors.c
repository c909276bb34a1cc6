// SPDX-License-Identifier: Apache-2.0
//
// Lists of processors, and the choice of the idlest.
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/process/machine_load.h"
#include "base/process/processors.h"

#define LOOK_NS 300000000u

static cpu_set_t allowed;
static int lowest; // of them

static int setup(void **state) {
    (void)state;
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0) return -1;
    while (!CPU_ISSET((size_t)lowest, &allowed)) ++lowest;
    return 0;
}

static void assert_format(const cpu_set_t *processors, const char *expected) {
    struct strbuf text = {0};
    processors_format(processors, &text);
    assert_string_equal(strbuf_text(&text), expected);
    strbuf_fini(&text);
}

static void test_format(void **state) {
    (void)state;
    cpu_set_t set;
    CPU_ZERO(&set);
    assert_format(&set, "");
    CPU_SET(3, &set);
    assert_format(&set, "3");
    CPU_SET(0, &set);
    CPU_SET(4, &set);
    CPU_SET(5, &set);
    assert_format(&set, "0,3-5");
    CPU_SET(CPU_SETSIZE - 1, &set);
    assert_format(&set, "0,3-5,1023");
}

static void test_parse(void **state) {
    (void)state;
    cpu_set_t set;
    struct err err;
    assert_int_equal(processors_parse(NULL, &set, &err), 0);
    assert_true(CPU_EQUAL(&set, &allowed));
    char list[64];
    struct strbuf all = {0};
    processors_format(&allowed, &all);
    assert_int_equal(processors_parse(strbuf_text(&all), &set, &err), 0);
    assert_true(CPU_EQUAL(&set, &allowed));
    strbuf_fini(&all);
    snprintf(list, sizeof list, " %d , %d-%d", lowest, lowest, lowest);
    assert_int_equal(processors_parse(list, &set, &err), 0);
    assert_int_equal(CPU_COUNT(&set), 1);
    assert_true(CPU_ISSET((size_t)lowest, &set));
}

static void test_what_is_no_list_is_refused(void **state) {
    (void)state;
    static const char *const lists[] = {"",    "a",  "-1",   "1-",   "3-1",       "0 1",         "0,,1",
                                        "0,x", "0x", "0--1", "1024", "0-1000000", "99999999999", "0-1-2"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        cpu_set_t set;
        struct err err = {0};
        assert_int_equal(processors_parse(lists[i], &set, &err), -ERR_USAGE);
        assert_non_null(strstr(err.text, "0-3,6"));
    }
    int missing = CPU_SETSIZE - 1;
    while (CPU_ISSET((size_t)missing, &allowed)) --missing;
    char list[16], expected[32];
    snprintf(list, sizeof list, "%d", missing);
    snprintf(expected, sizeof expected, "processor %d is not", missing);
    cpu_set_t set;
    struct err err = {0};
    assert_int_equal(processors_parse(list, &set, &err), -ERR_USAGE);
    assert_non_null(strstr(err.text, expected));
}

static void test_allow(void **state) {
    (void)state;
    char list[16];
    snprintf(list, sizeof list, "%d", lowest);
    struct err err = {0};
    cpu_set_t now;
    assert_int_equal(processors_allow(list, &err), 0);
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_format(&now, list);
    assert_int_equal(sched_setaffinity(0, sizeof allowed, &allowed), 0);
    assert_int_equal(processors_allow("nothing", &err), -ERR_USAGE);
}

// A child that spins on the lowest processor: another one is idler, if there is one.
static void test_the_idlest(void **state) {
    (void)state;
    cpu_set_t set;
    const uint32_t count = (uint32_t)CPU_COUNT(&allowed);
    assert_true(machine_idlest(&allowed, count, LOOK_NS / 10, &set));
    assert_true(CPU_EQUAL(&set, &allowed));
    assert_false(machine_idlest(&allowed, count + 1, LOOK_NS / 10, &set));
    if (count < 2) skip();
    cpu_set_t two, one;
    CPU_ZERO(&two);
    CPU_ZERO(&one);
    CPU_SET((size_t)lowest, &two);
    CPU_SET((size_t)lowest, &one);
    int other = lowest + 1;
    while (!CPU_ISSET((size_t)other, &allowed)) ++other;
    CPU_SET((size_t)other, &two);
    const pid_t pid = fork();
    if (pid == 0) {
        sched_setaffinity(0, sizeof one, &one);
        for (;;) {
        }
    }
    assert_true(pid > 0);
    struct machine_ticks before[2], after[2];
    const int processors[2] = {other, lowest}; // in any order
    const bool is_read = machine_ticks_read_each(processors, 2, before);
    const bool is_known = machine_idlest(&two, 1, LOOK_NS, &set);
    const bool is_read_again = machine_ticks_read_each(processors, 2, after);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_true(is_read && is_known && is_read_again);
    const uint64_t idler = after[0].busy + after[0].steal - before[0].busy - before[0].steal;
    const uint64_t spun = after[1].busy + after[1].steal - before[1].busy - before[1].steal;
    if (idler + 5 > spun) skip(); // others keep both processors busy
    assert_int_equal(CPU_COUNT(&set), 1);
    assert_true(CPU_ISSET((size_t)other, &set));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_what_is_no_list_is_refused),
        cmocka_unit_test(test_allow),
        cmocka_unit_test(test_the_idlest),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
