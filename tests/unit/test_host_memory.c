// SPDX-License-Identifier: Apache-2.0
//
// Shared memory of another process, seen from outside: what counts, what is the judge's, and the limit.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "worker/host/host_memory.h"

#define MIB ((size_t)1 << 20)
enum { FILLED_MIB = 24, UNIT_MIB = 1 }; // UNIT_MIB: what else a process may have

static int judges_file;

static int filled_file(size_t mib) {
    static char block[MIB];
    const int fd = memfd_create("x", 0);
    memset(block, 1, sizeof block);
    for (size_t i = 0; i < mib; ++i)
        if (write(fd, block, sizeof block) != (ssize_t)sizeof block) _exit(3);
    return fd;
}

static void hold_open(void) {
    (void)filled_file(FILLED_MIB);
}

static void hold_twice(void) { // one file has one size
    (void)dup(filled_file(FILLED_MIB));
}

static void hold_mapped(void) {
    const int fd = filled_file(FILLED_MIB);
    if (mmap(NULL, FILLED_MIB * MIB, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED) _exit(3);
    close(fd);
}

static void hold_shared(void) {
    char *memory = mmap(NULL, FILLED_MIB * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) _exit(3);
    memset(memory, 1, FILLED_MIB * MIB);
}

static void hold_judges(void) { // a tensor: open in the judge too
    char *memory = mmap(NULL, FILLED_MIB * MIB, PROT_READ, MAP_SHARED, judges_file, 0);
    if (memory == MAP_FAILED) _exit(3);
    close(judges_file);
}

static void hold_private(void) {
    char *memory = malloc(FILLED_MIB * MIB);
    if (!memory) _exit(3);
    memset(memory, 1, FILLED_MIB * MIB);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

static void hold_nothing(void) {}

static pid_t start(void (*hold)(void)) {
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        hold();
        if (write(ends[1], "x", 1) != 1) _exit(3);
        for (;;) pause();
    }
    assert_true(pid > 0);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return pid;
}

static void end(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void test_what_counts(void **state) {
    (void)state;
    static const struct {
        void (*hold)(void);
        size_t mib;
    } cases[] = {{hold_nothing, 0},        {hold_private, 0},        {hold_judges, 0},
                 {hold_open, FILLED_MIB},  {hold_twice, FILLED_MIB}, {hold_mapped, FILLED_MIB},
                 {hold_shared, FILLED_MIB}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const pid_t pid = start(cases[i].hold);
        const uint64_t bytes = host_memory_shared_bytes(pid);
        end(pid);
        if (bytes / MIB < cases[i].mib || bytes / MIB > cases[i].mib + UNIT_MIB)
            fail_msg("case %zu: %zu MiB", i, (size_t)(bytes / MIB));
    }
}

// Private and shared memory together, but only where there is shared memory: the other has a limit of its
// own.
static void test_limit(void **state) {
    (void)state;
    static const struct {
        void (*hold)(void);
        size_t limit_mib;
        bool is_beyond;
    } cases[] = {
        {hold_open, FILLED_MIB - 1, true}, {hold_open, 2 * FILLED_MIB, false}, {hold_private, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct host_memory memory = {.limit_bytes = cases[i].limit_mib * MIB};
        struct strbuf text = {0};
        const pid_t pid = start(cases[i].hold);
        const bool is_beyond = host_memory_is_beyond(&memory, &pid, 1, &text);
        end(pid);
        assert_int_equal(is_beyond, cases[i].is_beyond);
        if (is_beyond) assert_non_null(strstr(text.text, "of limits.memory_gb"));
        assert_int_equal(text.length > 0, is_beyond);
        strbuf_fini(&text);
    }
}

// A look is due after an eighth of the limit has been taken, and otherwise once a second.
static void test_when(void **state) {
    (void)state;
    struct host_memory memory = {.limit_bytes = 4 * FILLED_MIB * MIB}, none = {0};
    struct strbuf text = {0};
    const pid_t nobody = start(hold_nothing);
    assert_true(host_memory_of_all() > 0);
    (void)host_memory_is_beyond(&memory, &nobody, 1, &text); // looked just now
    host_memory_begin(&memory);
    host_memory_begin(&none);
    assert_false(host_memory_end(&memory));
    const pid_t pid = start(hold_open);
    assert_true(host_memory_end(&memory));
    assert_false(host_memory_end(&none)); // there is no limit
    end(pid);
    (void)host_memory_is_beyond(&memory, &nobody, 1, &text);
    usleep(1050000);
    assert_true(host_memory_end(&memory));
    end(nobody);
    strbuf_fini(&text);
}

int main(void) {
    judges_file = memfd_create("judge", 0);
    if (judges_file < 0 || ftruncate(judges_file, FILLED_MIB * (off_t)MIB) < 0) return 1;
    void *memory = mmap(NULL, FILLED_MIB * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, judges_file, 0);
    if (memory == MAP_FAILED) return 1;
    memset(memory, 1, FILLED_MIB * MIB);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_counts),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
