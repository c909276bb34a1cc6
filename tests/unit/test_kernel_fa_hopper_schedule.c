// SPDX-License-Identifier: Apache-2.0
//
// The schedule of tiles under a causal mask: complete, in an order that keeps few heads in use, and level.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "attention/fa_hopper_schedule.h"

#define BLOCKS   132 // multiprocessors of an H200
#define L2_BYTES (60 << 20)

static const struct fa_hopper_tile_config d64 = {64, 4, 64, 1, 1490, 1490, 4340};
static const struct fa_hopper_tile_config d128 = {128, 2, 128, 1, 2520, 2520, 2580};

static struct attention_args args_of(int batch, int heads, int seq, int dim) {
    return (struct attention_args){.batch = batch,
                                   .heads = heads,
                                   .heads_kv = heads,
                                   .seq_q = seq,
                                   .seq_k = seq,
                                   .head_dim = dim,
                                   .group = 1,
                                   .mask = ATTENTION_MASK_TOP_LEFT,
                                   .k = {.element_bytes = 2}};
}

static struct fa_hopper_tile_order order_of(const struct attention_args *args,
                                            const struct fa_hopper_tile_config *config) {
    const double tiles = fa_hopper_tile_count(config, args);
    const uint32_t heads = (uint32_t)(args->batch * args->heads);
    return fa_hopper_tile_order_make(heads, fa_hopper_heads_in_l2(args, L2_BYTES), (uint32_t)tiles / heads);
}

struct made {
    struct fa_hopper_tile_order order;
    struct fa_hopper_schedule schedule;
    double longest_clk, mean_clk;
    uint32_t tile_count;
};

// Makes a schedule and adds it up; every block's entries end with FA_HOPPER_NO_TILE, every tile is there
// once.
static struct made make(const struct attention_args *args, const struct fa_hopper_tile_config *config) {
    struct made ret = {.order = order_of(args, config)};
    assert_true(fa_hopper_schedule_make(args, config, &ret.order, BLOCKS, &ret.schedule));
    char *seen = calloc(ret.order.heads, ret.order.tiles_per_head);
    for (uint32_t block = 0; block < BLOCKS; ++block) {
        double clk = 0.0;
        uint32_t at = block;
        for (; ret.schedule.entries[at] != FA_HOPPER_NO_TILE; at += BLOCKS, ++ret.tile_count) {
            const struct fa_hopper_tile tile = fa_hopper_tile_of_entry(&ret.order, ret.schedule.entries[at]);
            assert_true(tile.head < ret.order.heads && tile.row_tile < ret.order.tiles_per_head);
            char *one = &seen[tile.head * ret.order.tiles_per_head + tile.row_tile];
            assert_int_equal((*one)++, 0);
            clk += fa_hopper_tile_clk(args, config, tile.row_tile);
        }
        assert_true(at < ret.schedule.round_count * BLOCKS);
        ret.mean_clk += clk / BLOCKS;
        if (clk > ret.longest_clk) ret.longest_clk = clk;
    }
    assert_int_equal(ret.tile_count, ret.order.heads * ret.order.tiles_per_head);
    free(seen);
    return ret;
}

static void first_round_is_in_order(void **state) {
    (void)state;
    const struct attention_args args = args_of(8, 16, 2048, 128);
    const struct made made = make(&args, &d128);
    for (uint32_t block = 0; block < BLOCKS; ++block) {
        const struct fa_hopper_tile want = fa_hopper_tile_at(&made.order, block),
                                    is = fa_hopper_tile_of_entry(&made.order, made.schedule.entries[block]);
        assert_true(want.head == is.head && want.row_tile == is.row_tile);
    }
    free(made.schedule.entries);
}

// Every 132nd tile for each block would leave 1.031 of the mean for the longest on the first four.
static void blocks_end_together(void **state) {
    (void)state;
    static const struct {
        int batch, heads, seq, dim;
        double most;
    } cases[] = {{32, 16, 512, 128, 1.02}, {16, 16, 1024, 128, 1.01}, {8, 16, 2048, 128, 1.01},
                 {4, 32, 4096, 64, 1.01},  {4, 16, 4096, 128, 1.01},  {1, 16, 16384, 128, 1.01}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct attention_args args =
            args_of(cases[i].batch, cases[i].heads, cases[i].seq, cases[i].dim);
        const struct made made = make(&args, cases[i].dim == 64 ? &d64 : &d128);
        assert_true(made.longest_clk <= cases[i].most * made.mean_clk);
        free(made.schedule.entries);
    }
}

// The heads that the L2 holds together, their longest tiles first; the group before that the other way round.
static void groups_of_heads_alternate(void **state) {
    (void)state;
    const struct fa_hopper_tile_order order = fa_hopper_tile_order_make(6, 3, 4);
    static const uint32_t heads[] = {0, 1, 2, 0}, last_heads[] = {3, 4, 5, 3};
    static const uint32_t tiles[] = {0, 0, 0, 1}, last_tiles[] = {3, 3, 3, 2};
    for (uint32_t n = 0; n < 4; ++n) {
        const struct fa_hopper_tile tile = fa_hopper_tile_at(&order, n),
                                    last = fa_hopper_tile_at(&order, 12 + n);
        assert_true(tile.head == heads[n] && tile.row_tile == tiles[n]);
        assert_true(last.head == last_heads[n] && last.row_tile == last_tiles[n]);
    }
    assert_int_equal(order.row_tile_bits, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_round_is_in_order),
                                       cmocka_unit_test(blocks_end_together),
                                       cmocka_unit_test(groups_of_heads_alternate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
