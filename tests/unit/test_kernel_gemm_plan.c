// SPDX-License-Identifier: Apache-2.0
//
// How gemm_simd cuts products: the workspace stays in proportion to A and B, and to the limit of what is
// packed at a time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gemm/gemm_simd_plan.h"

static const struct gemm_tile_shape tiles[] = {{16, 6, 64}, {8, 6, 16}, {4, 4, 8}};

static struct gemm_plan plan_of(int64_t m, int64_t n, int64_t k, struct gemm_tile_shape tile) {
    const struct gemm_args args = {.m = m, .n = n, .k = k, .dtype = ASSAY_FP32, .dtype_out = ASSAY_FP32};
    const struct assay_env env = {.struct_size = sizeof env, .thread_count = 2, .device_index = -1};
    struct gemm_plan plan = {0};
    gemm_plan_set(&plan, &args, &env, tile);
    return plan;
}

static void test_narrow_products(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; ++t)
        for (int64_t extent = 1; extent <= 600; extent += 13) {
            const struct gemm_tile_shape tile = tiles[t];
            const int64_t k = 1 << 10;
            const struct gemm_plan narrow = plan_of(64, extent, k, tile), low = plan_of(extent, 64, k, tile);
            assert_int_equal(gemm_plan_b_floats(&narrow), gemm_round_up(extent, tile.columns) * k);
            assert_int_equal(gemm_plan_a_floats(&low), gemm_round_up(extent, tile.rows) * k);
        }
}

// One panel of each, however long the sums are; as many blocks as the limit takes where there are more.
static void test_long_sums(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; ++t) {
        const struct gemm_tile_shape tile = tiles[t];
        const struct gemm_plan one = plan_of(1, 1, 1 << 24, tile), many = plan_of(4096, 4096, 1 << 14, tile);
        assert_int_equal(gemm_plan_a_floats(&one), (int64_t)tile.rows << 24);
        assert_int_equal(gemm_plan_b_floats(&one), (int64_t)tile.columns << 24);
        assert_int_equal(gemm_plan_b_floats(&many), GEMM_PACKED_FLOATS);
        assert_true(gemm_plan_a_floats(&many) <= GEMM_PACKED_FLOATS &&
                    many.rows_packed % many.block_rows == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow_products),
        cmocka_unit_test(test_long_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
