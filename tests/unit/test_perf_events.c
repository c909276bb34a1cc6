// SPDX-License-Identifier: Apache-2.0
//
// Perf events. Software events exist without counters of a processor, so that they are counted for real;
// figures of hardware events come from recorded values (perf stat of an Intel machine).
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "profile/cpu_profile.h"
#include "profile/profile_sets.h"
#include "worker/backend/cpu/perf_events.h"

static void assert_near(double value, double expected, double error) {
    if (!(fabs(value - expected) <= error)) fail_msg("%.17g instead of %.17g", value, expected);
}

#define PAGES      64
#define PAGE_BYTES 4096

// Memory that was never touched costs a fault a page.
static void *touch(void *arg) {
    char *memory = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    madvise(memory, PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; ++i) memory[i * PAGE_BYTES] = 1;
    munmap(memory, PAGES * PAGE_BYTES);
    return arg;
}

static struct perf_count *begin(const char *name) {
    struct perf_count *count = NULL;
    struct err err = {0};
    const struct perf_event *event = perf_event_find(name);
    assert_non_null(event);
    if (perf_count_begin(event, &count, &err) < 0) {
        print_message("%s\n", err.text);
        skip(); // a container may forbid the call
    }
    return count;
}

static void page_faults_are_counted(void **state) {
    (void)state;
    uint64_t faults = 0;
    struct err err = {0};
    struct perf_count *count = begin("page-faults");
    touch(NULL);
    assert_int_equal(perf_count_end(count, &faults, &err), 0);
    assert_in_range(faults, PAGES, PAGES + 32);
}

static void threads_started_meanwhile_count_too(void **state) {
    (void)state;
    uint64_t faults = 0;
    struct err err = {0};
    pthread_t thread;
    struct perf_count *count = begin("page-faults");
    assert_int_equal(pthread_create(&thread, NULL, touch, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(perf_count_end(count, &faults, &err), 0);
    assert_in_range(faults, PAGES, PAGES + 64);
}

static void names_are_perfs(void **state) {
    (void)state;
    size_t count = 0;
    const char *const *names = profile_set_of_cpu(PROFILE_SET_FULL, &count);
    for (size_t i = 0; i < count; ++i)
        if (strncmp(names[i], "fp_arith", strlen("fp_arith")) != 0)
            assert_non_null(perf_event_find(names[i]));
    assert_null(perf_event_find("cycles:u"));
    assert_null(perf_event_find(""));
}

static struct cpu_profile profile_of(const struct counter *metrics, size_t count) {
    struct counter copies[16];
    memcpy(copies, metrics, count * sizeof *metrics);
    const struct launch_counters launch = {.counter_count = count, .counters = copies};
    return cpu_profile_from(&launch);
}
#define PROFILE_OF(...)                                                                                      \
    profile_of((const struct counter[]){__VA_ARGS__},                                                        \
               sizeof((const struct counter[]){__VA_ARGS__}) / sizeof(struct counter))

static void figures_follow_from_events(void **state) {
    (void)state;
    const struct cpu_profile p = PROFILE_OF(
        {"instructions", 3e6}, {"cycles", 1e6}, {"branches", 1e5}, {"branch-misses", 50},
        {"cache-misses", 300}, {"fp_arith_inst_retired.scalar_single", 1000},
        {"fp_arith_inst_retired.128b_packed_single", 0}, {"fp_arith_inst_retired.256b_packed_single", 3000},
        {"fp_arith_inst_retired.512b_packed_single", 0});
    assert_near(p.instructions_per_cycle, 3, 1e-12);
    assert_near(p.branch_miss_pct, 0.05, 1e-12);
    assert_near(p.cache_misses_per_kilo_instr, 0.1, 1e-12);
    assert_near(p.vector_bits, 200, 1e-12);
    assert_true(p.page_faults != p.page_faults);
}

static void classes(void **state) {
    (void)state;
    const struct {
        struct cpu_profile profile;
        const char *bottleneck, *hypothesis; // NULL: none
    } cases[] = {
        {PROFILE_OF({"instructions", 3e6}, {"cycles", 1e6}), "compute_bound", NULL},
        {PROFILE_OF({"instructions", 1e6}, {"cycles", 1e6}, {"cache-misses", 1e4}), "memory_bound",
         "move fewer bytes from memory"},
        {PROFILE_OF({"instructions", 1e6}, {"cycles", 1e6}, {"cache-misses", 10}), "latency_bound",
         "shorten chains of dependent instructions"},
        {PROFILE_OF({"task-clock", 1e6}, {"page-faults", 1000}), "unknown", "allocate before the launch"},
        {PROFILE_OF({"instructions", 3e6}, {"cycles", 1e6}, {"branches", 100}, {"branch-misses", 3}),
         "compute_bound", "fewer branches that cannot be predicted"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct arena arena = {0};
        const struct diagnosis d = cpu_profile_diagnose(&cases[i].profile, &arena);
        assert_string_equal(bottleneck_name(d.bottleneck), cases[i].bottleneck);
        assert_int_equal(d.hypothesis_count, cases[i].hypothesis ? 1 : 0);
        if (cases[i].hypothesis) assert_string_equal(d.hypotheses[0].text, cases[i].hypothesis);
        arena_fini(&arena);
    }
}

static void narrow_vectors_are_named(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct cpu_profile p = PROFILE_OF(
        {"instructions", 3e6}, {"cycles", 1e6}, {"fp_arith_inst_retired.scalar_single", 10},
        {"fp_arith_inst_retired.128b_packed_single", 0}, {"fp_arith_inst_retired.256b_packed_single", 0},
        {"fp_arith_inst_retired.512b_packed_single", 0}, {"context-switches", 5});
    const struct diagnosis d = cpu_profile_diagnose(&p, &arena);
    assert_string_equal(d.hypotheses[0].text, "use wider vectors");
    assert_near(d.hypotheses[0].gain, 8, 1e-12);
    assert_non_null(strstr(d.notes[0], "5 context switches"));
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_faults_are_counted),
        cmocka_unit_test(threads_started_meanwhile_count_too),
        cmocka_unit_test(names_are_perfs),
        cmocka_unit_test(figures_follow_from_events),
        cmocka_unit_test(classes),
        cmocka_unit_test(narrow_vectors_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
