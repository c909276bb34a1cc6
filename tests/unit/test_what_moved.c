// SPDX-License-Identifier: Apache-2.0
//
// What moved between two sides, on figures of known cause: each of five defects is named first, in both
// directions; every rule holds for its figure and not below its threshold; what was not counted says no
// share.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "profile/moved_rules_internal.h"
#include "profile/what_moved.h"

static struct arena arena;

// A kernel without defects: three stages, conflict-free, coalesced, no spills.
static struct profile sound(void) {
    struct profile p;
    members_forget(&profile_members, &p);
    p.kernel = p.block = p.grid = "";
    p.duration_ns = 1e5;
    p.sm_clock_hz = 1.7e9;
    p.instructions = 1e6;
    p.tensor_instructions = 1e5;
    p.tensor_pct = 40;
    p.l1_pct = 40;
    p.l2_pct = 30;
    p.dram_pct = 20;
    p.dram_bytes = 1e8;
    p.l2_bytes = 3e8;
    p.shared_bytes = 96e3;
    p.registers = 128;
    p.occupancy_max_pct = 25;
    p.local_instructions = p.local_pct = 0;
    p.bank_conflict_pct = 0.5;
    p.sectors_per_request = 16;
    p.threads_per_instruction = 32;
    for (int i = 0; i < STALL_COUNT; ++i) p.stalls_pct[i] = 1;
    p.stalls_pct[STALL_LONG_SCOREBOARD] = 20;
    p.stalls_pct[STALL_SHORT_SCOREBOARD] = 10;
    p.stalls_pct[STALL_BARRIER] = 10;
    p.stalls_pct[STALL_WAIT] = 25;
    p.stalls_pct[STALL_SELECTED] = 18;
    return p;
}

static struct explanation_case explained(const struct profile *before, const struct profile *after,
                                         double change_pct) {
    struct explanation_case ret = {.problem = "p", .change_pct = change_pct};
    const struct moved_side a = {.profile = before}, b = {.profile = after};
    what_moved(&a, &b, &arena, &ret);
    return ret;
}

// The defect is first when it comes, and when it goes.
static void expect_first(const struct profile *slow, double slower_pct, const char *metric,
                         const char *slower, const char *faster) {
    const struct profile fast = sound();
    const double faster_pct = 100 * (1 / (1 + slower_pct / 100) - 1);
    for (int is_fixed = 0; is_fixed < 2; ++is_fixed) {
        const struct explanation_case got =
            is_fixed ? explained(slow, &fast, faster_pct) : explained(&fast, slow, slower_pct);
        assert_true(got.cause_count > 0);
        const struct explanation_cause *first = &got.causes[0];
        if (!str_equal(first->metric, metric) || !strstr(first->sentence, is_fixed ? faster : slower))
            fail_msg("%s: '%s', not %s", first->metric, first->sentence, metric);
        assert_true(first->share_pct > 50 && first->share_pct <= 100);
        assert_non_null(first->look_at);
    }
}

static void test_barrier(void **state) {
    (void)state;
    struct profile slow = sound();
    slow.instructions *= 1.03;
    slow.stalls_pct[STALL_BARRIER] = 26;
    slow.stalls_pct[STALL_WAIT] = 21;
    slow.tensor_pct = 33;
    expect_first(&slow, 20, "stall_barrier_pct", "wait longer at barriers", "wait less at barriers");
}

static void test_uncoalesced(void **state) {
    (void)state;
    struct profile slow = sound();
    slow.sectors_per_request = 31;
    slow.instructions *= 1.1;
    slow.l1_pct = 70;
    slow.stalls_pct[STALL_LONG_SCOREBOARD] = 40;
    slow.stalls_pct[STALL_BARRIER] = 20;
    expect_first(&slow, 60, "sectors_per_request", "less coalesced", "better coalesced");
}

static void test_conflicts(void **state) {
    (void)state;
    struct profile slow = sound();
    slow.bank_conflict_pct = 60;
    slow.l1_pct = 75;
    slow.stalls_pct[STALL_SHORT_SCOREBOARD] = 30;
    slow.stalls_pct[STALL_MIO_THROTTLE] = 12;
    expect_first(&slow, 45, "bank_conflict_pct", "more bank conflicts", "fewer bank conflicts");
}

static void test_spills(void **state) {
    (void)state;
    struct profile slow = sound();
    slow.local_pct = 12;
    slow.instructions *= 1.2;
    slow.occupancy_max_pct = 50; // the launch bound that makes them spill
    slow.stalls_pct[STALL_LONG_SCOREBOARD] = 42;
    expect_first(&slow, 40, "local_pct", "registers spill", "fewer registers spill");
}

static void test_stages(void **state) {
    (void)state;
    struct profile slow = sound();
    slow.shared_bytes = 64e3;
    slow.stalls_pct[STALL_LONG_SCOREBOARD] = 35;
    slow.stalls_pct[STALL_BARRIER] = 14;
    slow.tensor_pct = 30;
    expect_first(&slow, 25, "shared_bytes", "fewer stages", "more stages");
}

// A figure one step beyond its threshold makes its rule hold, one within does not.
static void test_thresholds(void **state) {
    (void)state;
    size_t count = 0;
    const struct moved_rule *rules = moved_rules_of_gpu(&count);
    for (size_t i = 0; i < count; ++i)
        for (int is_beyond = 0; is_beyond < 2; ++is_beyond) {
            const struct moved_rule *rule = &rules[i];
            struct profile fast = sound(), slow = sound();
            const double margin = is_beyond ? 1.01 : 0.9;
            double value = 10;
            fast.bytes_per_sector_pct = slow.bytes_per_sector_pct = 50;
            memcpy(&value, (char *)&slow + rule->figure - 1, sizeof value);
            if (rule->trend == MOVED_RISES) value += rule->threshold * margin;
            if (rule->trend == MOVED_GROWS) value *= 1 + rule->threshold * margin;
            if (rule->trend == MOVED_FALLS) value *= 1 - rule->threshold * margin;
            memcpy((char *)&slow + rule->figure - 1, &value, sizeof value);
            const struct explanation_case got = explained(&fast, &slow, 2.5);
            bool is_named = false;
            for (size_t k = 0; k < got.cause_count; ++k)
                is_named = is_named || str_equal(got.causes[k].sentence, rule->slower);
            if (is_named != (is_beyond != 0)) fail_msg("%s: %d", rule->slower, is_beyond);
        }
}

// Shares are bounds: 3 % more instructions account for at most 3 % of the time.
static void test_shares(void **state) {
    (void)state;
    const struct profile fast = sound();
    struct profile slow = sound();
    slow.instructions *= 1.03;
    const struct explanation_case got = explained(&fast, &slow, 30);
    assert_int_equal(got.cause_count, 1);
    assert_string_equal(got.causes[0].metric, "instructions");
    assert_float_equal(got.causes[0].share_pct, 10, 1e-6);
    assert_float_equal(got.causes[0].change_pct, 3, 1e-6);
    assert_int_equal(explained(&fast, &slow, 90).cause_count, 0); // 3.3 %: no cause
    const struct explanation_case small = explained(&fast, &slow, 0.1);
    assert_true(small.cause_count == 1 && isnan(small.causes[0].share_pct));
}

static void test_nothing_counted(void **state) {
    (void)state;
    struct build_report a = build_report_unknown(), b = build_report_unknown();
    struct explanation_case ret = {.change_pct = 20};
    a.registers = 128;
    b.registers = 64;
    a.spill_bytes = 0;
    b.spill_bytes = 256;
    a.matrix_instructions = 64;
    b.matrix_instructions = 32;
    const struct moved_side before = {.build = &a}, after = {.build = &b}, unknown = {0};
    what_moved(&before, &after, &arena, &ret);
    assert_int_equal(ret.cause_count, 2);
    assert_string_equal(ret.causes[0].metric, "build.spill_bytes");
    assert_string_equal(ret.causes[1].sentence, "fewer matrix instructions in the code");
    assert_true(isnan(ret.causes[0].share_pct) && isnan(ret.causes[0].change_pct));
    assert_int_equal(ret.moved_count, 1); // fewer registers make nothing slower by themselves
    assert_string_equal(ret.moved[0].metric, "build.registers");
    what_moved(&unknown, &after, &arena, &ret);
    assert_true(ret.cause_count == 0 && ret.moved_count == 0);
    assert_false(moved_is_same_code(&before, &after) || moved_is_same_code(&unknown, &unknown));
    a.code_hash = "abc";
    b.code_hash = "abc";
    assert_true(moved_is_same_code(&before, &after));
    b.code_hash = "abd";
    assert_false(moved_is_same_code(&before, &after));
}

// Any edit moves some instructions: 4064 to 4016 bytes explains no time.
static void test_little_code(void **state) {
    (void)state;
    struct build_report a = build_report_unknown(), b = build_report_unknown();
    const struct moved_side before = {.build = &a}, after = {.build = &b};
    struct explanation_case ret = {.problem = "p", .change_pct = -55};
    a.code_bytes = 4064;
    b.code_bytes = 4016;
    what_moved(&before, &after, &arena, &ret);
    assert_int_equal(ret.cause_count + ret.moved_count, 0);
    b.code_bytes = 3900;
    what_moved(&before, &after, &arena, &ret);
    assert_int_equal(ret.cause_count, 1);
    assert_string_equal(ret.causes[0].metric, "build.code_bytes");
}

static void test_processor(void **state) {
    (void)state;
    struct cpu_profile fast, slow;
    members_forget(&cpu_profile_members, &fast);
    fast.instructions = 1e6;
    fast.instructions_per_cycle = 2;
    fast.vector_bits = 256;
    slow = fast;
    slow.instructions = 1.9e6;
    slow.vector_bits = 128;
    const struct moved_side a = {.cpu_profile = &fast}, b = {.cpu_profile = &slow};
    struct explanation_case ret = {.change_pct = 100};
    what_moved(&a, &b, &arena, &ret);
    assert_int_equal(ret.cause_count, 2);
    assert_string_equal(ret.causes[0].metric, "vector_bits");
    assert_float_equal(ret.causes[0].share_pct, 100, 1e-6);
    assert_float_equal(ret.causes[1].share_pct, 90, 1e-6);
    slow.instructions_per_cycle = 1;
    slow.instructions = 1e6;
    slow.vector_bits = 256;
    what_moved(&a, &b, &arena, &ret);
    assert_string_equal(ret.causes[0].metric, "instructions_per_cycle");
}

// Figures without a rule that holds, the largest change first; what is unchanged or unknown is left out.
static void test_moved(void **state) {
    (void)state;
    const struct profile fast = sound();
    struct profile slow = sound();
    slow.dram_pct = 40;
    slow.registers = 160;
    slow.waves = 3; // not known before
    const struct explanation_case got = explained(&fast, &slow, 1);
    assert_int_equal(got.moved_count, 2);
    assert_string_equal(got.moved[0].metric, "dram_pct");
    assert_string_equal(got.moved[1].metric, "registers");
    assert_null(got.moved[1].sentence);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_barrier),     cmocka_unit_test(test_uncoalesced),
        cmocka_unit_test(test_conflicts),   cmocka_unit_test(test_spills),
        cmocka_unit_test(test_stages),      cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_shares),      cmocka_unit_test(test_nothing_counted),
        cmocka_unit_test(test_little_code), cmocka_unit_test(test_processor),
        cmocka_unit_test(test_moved),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_fini(&arena);
    return failed;
}
