# slow with sanitizers
# The table that fa_sm90 includes: what a tuning of a script with its settings emits, asked by the kernel's own heuristics. It decides on
# problems that were measured; elsewhere the clocks do.
cat >assay.yaml <<'Y'
version: 1
kernels:
  fa_sm90:
    operator: attention
    backend: sim
    sim: {base_us: 100}
    tune:
      values: {WARPGROUPS: [0, 1, 2], SPLITS: [0, 2]}
      rules: [WARPGROUPS / 2 * (SPLITS / 2) == 0]
      effects:
        - {when: {WARPGROUPS: 2}, sim: {slower_pct: -20}}
        - {when: {WARPGROUPS: 1, SPLITS: 2}, sim: {slower_pct: -50, slower_on: attention/fp16/b1/h2/s16/d64}}
suites:
  pr: {problems: {s16: attention/fp16/b1/h1/s16/d64, s32: attention/fp16/b1/h1/s32/d64, h2: attention/fp16/b1/h2/s16/d64, mixed: {problem: attention/fp16/b1/h1/s16/d64, distribution: mixed}}}
Y
assay tune --kernel fa_sm90 --device sim:promise --suite pr --strategy exhaustive --rounds 3 --final-rounds 5 --quiet --emit fa_sm90_table.h --output tune.json >/dev/null; echo "exit $?"
/usr/bin/python3 -c '
import json
print([c["problem"] for c in json.load(open("tune.json"))["choices"]])' # distributions apart, which a table cannot tell
grep -o '^    {"[^"]*"' fa_sm90_table.h | sort -u
cat >main.c <<'C'
#include "fa_sm90_table.h"
#include "attention/fa_hopper_heuristics.h"
#include "attention/fa_sm90_dispatch.h"
static int clusters(void *arg, int tile_config, int splits) { (void)arg, (void)tile_config, (void)splits; return 132; }
static const struct fa_hopper_tile_config tiles[] = {FA_SM90_TILE_CONFIGS(FA_HOPPER_TILE_CONFIG)};
static void say(int heads, int length, int dim, attention_table_fn table) {
    const struct attention_args args = {.batch = 1, .heads = heads, .heads_kv = heads, .seq_q = length, .seq_k = length, .head_dim = dim,
                                        .group = 1, .q = {.dtype = ASSAY_FP16}};
    const struct fa_hopper_heuristic_inputs inputs = {&args, 132, 0, 0, clusters, 0, table, true};
    const struct fa_hopper_config config = fa_hopper_choose_config(tiles, sizeof tiles / sizeof *tiles, &inputs);
    const struct fa_hopper_tile_config *tile = &tiles[config.tile_config];
    printf("h%d s%d d%d: %d rows, %d warpgroups, %d splits\n", heads, length, dim, tile->rows, tile->warpgroups, config.splits);
}
int main(void) {
    attention_table_fn tables[] = {NULL, fa_sm90_choose};
    for (int i = 0; i < 2; ++i) {
        puts(i ? "with the table" : "without");
        say(1, 16, 64, tables[i]), say(1, 24, 64, tables[i]), say(2, 16, 64, tables[i]);
        say(1, 256, 64, tables[i]), say(1, 16, 128, tables[i]);
    }
    return 0;
}
C
cc -std=gnu11 -Wall -Wextra -Werror -I"$ASSAY_SOURCE/include" -I"$ASSAY_SOURCE/kernels" -o main main.c -lm && ./main
c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -x c++ fa_sm90_table.h && echo "C++ reads it, too"
