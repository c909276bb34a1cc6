// SPDX-License-Identifier: Apache-2.0
//
// Tile configuration and split-KV parts that fa_sm90 and fa_sm90_fp8 choose for a problem, without a device:
// the H200's multiprocessors and the clusters that it reported (cudaOccupancyMaxActiveClusters, 2026-11-22)
// are constants here.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attention/fa_hopper_heuristics.h"
#include "attention/fa_sm90_dispatch.h"
#include "attention/fa_sm90_fp8_dispatch.h"
#include "attention/fa_sm90_fp8_table.h"
#include "attention/fa_sm90_table.h"

#define MULTIPROCESSORS 132
#define L2_BYTES        (60 << 20)

static const struct fa_hopper_tile_config half_configs[] = {FA_SM90_TILE_CONFIGS(FA_HOPPER_TILE_CONFIG)};
static const struct fa_hopper_tile_config fp8_configs[] = {FA_SM90_FP8_TILE_CONFIGS(FA_HOPPER_TILE_CONFIG)};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static int h200_clusters(void *arg, int tile_config, int splits) {
    static const struct {
        int dim, splits, clusters;
    } known[] = {{64, 2, 132}, {64, 4, 62}, {64, 8, 30}, {128, 2, 66}, {128, 4, 30}, {128, 8, 15}};
    const struct fa_hopper_tile_config *configs = arg;
    for (int i = 0; i < COUNT(known); ++i)
        if (known[i].dim == configs[tile_config].dim && known[i].splits == splits) return known[i].clusters;
    fail_msg("nobody should ask for clusters of %d", splits);
    return 0;
}

static attention_table_fn table; // of a tuning; NULL: none
static bool may_be_resident = true;

struct config_case {
    const char *name;
    int batch, heads, seq_q, seq_k, dim, mask;
    int warpgroups, splits; // expected
    int rows;               // likewise; 0: as many as the warpgroups have
};

static struct attention_args args_of(const struct config_case *of) {
    return (struct attention_args){.batch = of->batch,
                                   .heads = of->heads,
                                   .heads_kv = of->heads,
                                   .seq_q = of->seq_q,
                                   .seq_k = of->seq_k,
                                   .head_dim = of->dim,
                                   .group = 1,
                                   .mask = of->mask,
                                   .scale = 0.125f,
                                   .k = {.element_bytes = 2}};
}

static struct fa_hopper_config choose(const struct fa_hopper_tile_config *configs, int count,
                                      const struct attention_args *args, int warpgroups, int splits) {
    const struct fa_hopper_heuristic_inputs inputs = {args,   MULTIPROCESSORS, warpgroups,
                                                      splits, h200_clusters,   (void *)(uintptr_t)configs,
                                                      table,  may_be_resident};
    return fa_hopper_choose_config(configs, count, &inputs);
}

static void expect_choice(const struct fa_hopper_tile_config *configs, int count,
                          const struct config_case *of, const struct attention_args *args) {
    const int rows = of->rows ? of->rows : of->warpgroups * FA_HOPPER_WARPGROUP_ROWS;
    const struct fa_hopper_config config = choose(configs, count, args, 0, 0);
    if (config.tile_config < 0) fail_msg("%s: nothing is chosen", of->name);
    const struct fa_hopper_tile_config *tile = &configs[config.tile_config];
    if (tile->warpgroups != of->warpgroups || tile->rows != rows || config.splits != of->splits)
        fail_msg("%s: %d warpgroups, %d rows and %d thread blocks a tile", of->name, tile->warpgroups,
                 tile->rows, config.splits);
}

static void expect_choices(const struct fa_hopper_tile_config *configs, int config_count,
                           const struct config_case *cases, int count) {
    for (int i = 0; i < count; ++i) {
        const struct attention_args args = args_of(&cases[i]);
        expect_choice(configs, config_count, &cases[i], &args);
    }
}

// Problems of the suites for which all configurations were measured, and problems with few tiles: the choice
// is the fastest, or within 3 % of it.
static void test_recorded_problems(void **state) {
    (void)state;
    static const struct config_case half[] = {
        {"s128", 32, 8, 128, 128, 64, 0, 1, 1, 0},
        {"s256", 32, 8, 256, 256, 64, 0, 4, 1, 0},
        {"s512", 32, 8, 512, 512, 64, 0, 4, 1, 0},
        {"s2048", 32, 8, 2048, 2048, 64, 0, 4, 1, 0},
        {"mission", 1, 8, 512, 512, 64, 0, 2, 1, 32},
        {"small", 2, 8, 512, 512, 64, 0, 2, 1, 64},
        {"long", 2, 8, 2048, 2048, 64, 0, 4, 1, 0},
        {"s512_causal", 32, 8, 512, 512, 64, 1, 4, 1, 0},
        {"s512_d128", 32, 16, 512, 512, 128, 0, 2, 1, 0},
        {"s2048_d128", 8, 16, 2048, 2048, 128, 0, 2, 1, 0},
        {"s4096_d128", 4, 16, 4096, 4096, 128, 0, 2, 1, 0},
        {"s512_d128_causal", 32, 16, 512, 512, 128, 1, 2, 1, 0},
        {"s2048_d128_causal", 8, 16, 2048, 2048, 128, 1, 2, 1, 0},
        {"s4096_d128_causal", 4, 16, 4096, 4096, 128, 1, 2, 1, 0},
        {"s8192_d128_causal", 2, 16, 8192, 8192, 128, 1, 3, 1, 0},
        {"s16384_d128_causal", 1, 16, 16384, 16384, 128, 1, 3, 1, 0},
        {"one query", 1, 8, 1, 16384, 64, 0, 1, 8, 0},
        {"64 queries", 1, 8, 64, 8192, 128, 0, 1, 8, 0},
        {"4 heads", 1, 4, 1024, 1024, 128, 0, 1, 2, 0},
        {"8 heads", 1, 8, 1024, 1024, 64, 0, 1, 2, 0},
        {"one block of keys", 1, 8, 1, 128, 64, 0, 1, 1, 0},
        {"no keys seen", 1, 1, 64, 1, 64, 2, 1, 1, 0},
    };
    static const struct config_case fp8[] = {
        {"s512_d128", 32, 16, 512, 512, 128, 0, 3, 1, 0},
        {"s2048_d128", 8, 16, 2048, 2048, 128, 0, 3, 1, 0},
        {"s512_d128_causal", 32, 16, 512, 512, 128, 1, 2, 1, 0},
        {"s1024_d128_causal", 16, 16, 1024, 1024, 128, 1, 2, 1, 0},
        {"s2048_d128_causal", 8, 16, 2048, 2048, 128, 1, 3, 1, 0},
        {"s4096_d128_causal", 4, 16, 4096, 4096, 128, 1, 3, 1, 0},
        {"s2048_d64_causal", 8, 32, 2048, 2048, 64, 1, 4, 1, 0},
        {"s8192_d64_causal", 2, 32, 8192, 8192, 64, 1, 4, 1, 0},
        {"mission", 1, 8, 512, 512, 64, 0, 2, 1, 32},
        {"small", 2, 8, 512, 512, 64, 0, 2, 1, 64},
        {"one query of many heads", 1, 512, 1, 512, 64, 0, 1, 1, 0}, // more tiles than one wave
    };
    expect_choices(half_configs, COUNT(half_configs), half, COUNT(half));
    expect_choices(fp8_configs, COUNT(fp8_configs), fp8, COUNT(fp8));
}

// For every problem: a tile configuration of its head dimension that takes it, clusters only where it allows
// split KV, all resident.
static void expect_possible(const struct fa_hopper_tile_config *configs, int count,
                            const struct attention_args *args) {
    const struct fa_hopper_config config = choose(configs, count, args, 0, 0);
    assert_in_range(config.tile_config, 0, count - 1);
    assert_int_equal(configs[config.tile_config].dim, args->head_dim);
    assert_true(may_be_resident || !fa_hopper_is_resident(&configs[config.tile_config]));
    assert_true(fa_hopper_fits(&configs[config.tile_config], args));
    assert_true(config.splits == 1 || config.splits == 2 || config.splits == 4 || config.splits == 8);
    assert_int_equal(configs[config.tile_config].splits > 1, config.splits > 1);
    if (config.splits == 1) return;
    assert_true(fa_hopper_tile_count(&configs[config.tile_config], args) <=
                h200_clusters((void *)(uintptr_t)configs, config.tile_config, config.splits));
}

static void test_any_problem(void **state) {
    (void)state;
    static const int sizes[] = {1, 63, 64, 65, 129, 512, 1000, 4096, 16384};
    for (int dim = 64; dim <= 128; dim += 64)
        for (int q = 0; q < COUNT(sizes); ++q)
            for (int k = 0; k < COUNT(sizes); ++k)
                for (int heads = 1; heads <= 512; heads *= 8)
                    for (int mask = 0; mask <= 2; ++mask) {
                        const struct config_case of = {"", 1, heads, sizes[q], sizes[k], dim, mask, 0, 0, 0};
                        const struct attention_args args = args_of(&of);
                        for (int may = 0; may <= 1; ++may) {
                            may_be_resident = may;
                            expect_possible(half_configs, COUNT(half_configs), &args);
                            expect_possible(fp8_configs, COUNT(fp8_configs), &args);
                        }
                    }
}

// WARPGROUPS and SPLITS are obeyed, even if clusters have to queue; otherwise nothing is chosen. Both 2: only
// where the keys can be resident (test_resident).
static void test_asked_for(void **state) {
    (void)state;
    const struct config_case of = {"s2048", 32, 8, 2048, 2048, 64, 0, 0, 0, 0};
    struct attention_args args = args_of(&of);
    for (int warpgroups = 1; warpgroups <= 4; ++warpgroups)
        for (int splits = 1; splits <= 8; splits *= 2) {
            const struct fa_hopper_config config =
                choose(half_configs, COUNT(half_configs), &args, warpgroups, splits);
            assert_int_equal(config.tile_config >= 0, splits == 1 || warpgroups == 1);
            if (config.tile_config < 0) continue;
            assert_int_equal(half_configs[config.tile_config].warpgroups, warpgroups);
            assert_int_equal(config.splits, splits);
        }
    args.head_dim = 128; // it has three warpgroups at most
    const int most = choose(half_configs, COUNT(half_configs), &args, 4, 0).tile_config;
    assert_int_equal(most, choose(half_configs, COUNT(half_configs), &args, 3, 0).tile_config);
    assert_int_equal(half_configs[most].warpgroups, 3);
    assert_int_equal(choose(half_configs, COUNT(half_configs), &args, 3, 2).tile_config, -1);
}

static const char *answer;
static int answer_is_measured;
static const char *made_table(const char *kind, const long long *axes, int *is_measured) {
    assert_string_equal(kind, "attention/fp16/b*/h*/s*/d*");
    assert_true(axes[0] == 32 && axes[1] == 8 && axes[2] == 512 && axes[3] == 64);
    *is_measured = answer_is_measured;
    return answer;
}

// A table of a tuning comes before the model where the problem was measured, and behind what is asked for.
static void test_table(void **state) {
    (void)state;
    const struct config_case of = {"s512", 32, 8, 512, 512, 64, 0, 0, 0, 0};
    struct attention_args args = args_of(&of);
    args.q.dtype = ASSAY_FP16;
    table = made_table;
    static const struct {
        const char *answer;
        int is_measured, asked, warpgroups, splits; // the last two: expected
    } cases[] = {{"SPLITS=1,WARPGROUPS=2", 1, 0, 2, 1},
                 {"SPLITS=2,WARPGROUPS=1", 1, 0, 1, 2},
                 {"SPLITS=0,WARPGROUPS=3", 1, 0, 3, 1},
                 {"SPLITS=1,WARPGROUPS=2", 0, 0, 4, 1},
                 {NULL, 1, 0, 4, 1},
                 {"SPLITS=1,WARPGROUPS=2", 1, 3, 3, 1},
                 {"SPLITS=2,WARPGROUPS=2", 1, 0, 2, 1}};
    for (int i = 0; i < COUNT(cases); ++i) {
        answer = cases[i].answer;
        answer_is_measured = cases[i].is_measured;
        const struct fa_hopper_config config =
            choose(half_configs, COUNT(half_configs), &args, cases[i].asked, 0);
        assert_int_equal(half_configs[config.tile_config].warpgroups, cases[i].warpgroups);
        assert_int_equal(config.splits, cases[i].splits);
    }
    // A form that this problem may not have: what the model chooses. Asked for, nothing replaces it.
    may_be_resident = false;
    const struct config_case by_model = {"not resident", 32, 8, 512, 512, 64, 0, 4, 1, 0};
    expect_choice(half_configs, COUNT(half_configs), &by_model, &args);
    assert_int_equal(choose(half_configs, COUNT(half_configs), &args, 2, 2).tile_config, -1);
    may_be_resident = true;
    table = NULL;
}

// Two warpgroups and two parts are asked for: the form with resident keys, where they fit it.
static int resident_rows(struct attention_args *args, int64_t seq_k) {
    args->seq_k = seq_k;
    const struct fa_hopper_config half = choose(half_configs, COUNT(half_configs), args, 2, 2);
    const struct fa_hopper_config fp8 = choose(fp8_configs, COUNT(fp8_configs), args, 2, 2);
    assert_int_equal(half.tile_config < 0, fp8.tile_config < 0);
    if (half.tile_config < 0) return 0;
    const struct fa_hopper_tile_config *tile = &half_configs[half.tile_config];
    assert_true(fa_hopper_is_resident(tile) && fa_hopper_is_resident(&fp8_configs[fp8.tile_config]));
    assert_true(tile->warpgroups == 2 && half.splits == 1 && fp8.splits == 1);
    assert_int_equal(tile->rows, fp8_configs[fp8.tile_config].rows);
    return tile->rows;
}

static void test_resident(void **state) {
    (void)state;
    const struct config_case of = {"", 1, 8, 512, 512, 64, 0, 0, 0, 0};
    struct attention_args args = args_of(&of);
    assert_int_equal(resident_rows(&args, 512), 32);
    assert_int_equal(resident_rows(&args, 1), 32);
    assert_int_equal(resident_rows(&args, 513), 0);
    args.batch = 32; // many tiles
    assert_int_equal(resident_rows(&args, 512), 64);
    may_be_resident = false;
    assert_int_equal(resident_rows(&args, 512), 0);
    may_be_resident = true;
    // Heads and batches are dimensions of the grid, counted in 16 bits.
    args.batch = FA_HOPPER_GRID_YZ_MAX;
    assert_int_equal(resident_rows(&args, 512), 64);
    args.batch = FA_HOPPER_GRID_YZ_MAX + 1;
    assert_int_equal(resident_rows(&args, 512), 0);
    args.batch = 1;
    args.heads = args.heads_kv = FA_HOPPER_GRID_YZ_MAX + 1;
    assert_int_equal(resident_rows(&args, 512), 0);
    args.heads = args.heads_kv = 8;
    args.head_dim = 128;
    assert_int_equal(resident_rows(&args, 512), 0);
}

// As many heads as fit half of the L2, and a divisor of their number.
static void test_heads_at_once(void **state) {
    (void)state;
    static const struct {
        int heads, seq_k, dim, group, expected;
    } cases[] = {{512, 512, 128, 1, 64}, {1024, 512, 64, 1, 128}, {32, 16384, 64, 1, 4},
                 {7, 16384, 128, 1, 1},  {8, 512, 64, 1, 8},      {1, 1 << 24, 128, 1, 1},
                 {512, 512, 128, 4, 256}};
    for (int i = 0; i < COUNT(cases); ++i) {
        const struct config_case of = {"", 1, cases[i].heads, 64, cases[i].seq_k, cases[i].dim, 1, 0, 0, 0};
        struct attention_args args = args_of(&of);
        args.group = cases[i].group;
        assert_int_equal(fa_hopper_heads_in_l2(&args, L2_BYTES), cases[i].expected);
    }
}

// Between two measured sizes the recorded table's range spans one for which it is not the best choice.
static void test_recorded_table(void **state) {
    (void)state;
    static const struct config_case cases[] = {{"s512", 32, 8, 512, 512, 64, 0, 4, 1, 0},
                                               {"s513", 32, 8, 513, 513, 64, 0, 3, 1, 0},
                                               {"s1024", 32, 8, 1024, 1024, 64, 0, 4, 1, 0},
                                               {"mission", 1, 8, 512, 512, 64, 0, 2, 1, 32},
                                               {"small", 2, 8, 512, 512, 64, 0, 2, 1, 64}};
    // With a log-sum-exp in fp8, which the table does not know of.
    static const struct config_case not_resident = {"mission, lse", 1, 8, 512, 512, 64, 0, 1, 2, 0};
    table = fa_sm90_choose;
    for (int i = 0; i < COUNT(cases); ++i) {
        struct attention_args args = args_of(&cases[i]);
        args.q.dtype = ASSAY_FP16;
        expect_choice(half_configs, COUNT(half_configs), &cases[i], &args);
    }
    struct attention_args args = args_of(&not_resident);
    args.q.dtype = ASSAY_FP8_E4M3;
    table = fa_sm90_fp8_choose;
    may_be_resident = false;
    expect_choice(fp8_configs, COUNT(fp8_configs), &not_resident, &args);
    may_be_resident = true;
    table = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_problems), cmocka_unit_test(test_any_problem),
        cmocka_unit_test(test_asked_for),         cmocka_unit_test(test_table),
        cmocka_unit_test(test_recorded_table),    cmocka_unit_test(test_heads_at_once),
        cmocka_unit_test(test_resident),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
