# long: a minute and more of emulated threads
# The Hopper kernel on emulated tensor cores, copies and barriers: every boundary, and every tile configuration of a problem.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
emulate fa_sm90 "$ASSAY_SOURCE/kernels" fa_sm90.so
checks fa_sm90 --suite fp16 --boundary
checks fa_sm90 --suite bf16
for distribution in normal10 mixed rising sharp; do # shifts move, without scores that are computed again
    echo "$distribution"
    checks fa_sm90 --suite fp16 --distribution $distribution
done
checks fa_sm90 --suite bf16 --distribution rising
for warpgroups in 1 4; do # the clocks choose two and three
    echo "$warpgroups warpgroups"
    EMULATED_WARPGROUPS=$warpgroups checks fa_sm90 --suite fp16
done
for splits in 2 4; do
    echo "$splits thread blocks for a tile"
    EMULATED_SPLITS=$splits checks fa_sm90 --suite fp16
done
echo "8 thread blocks for a tile"
for dim in d64 d128/causal_br; do
    EMULATED_SPLITS=8 checks fa_sm90 --problem attention/fp16/b1/h2/sq40/sk1200/$dim/lse
done
echo "two warpgroups for a tile: 32 rows, then 64"
resident() { EMULATED_WARPGROUPS=2 EMULATED_SPLITS=2 checks fa_sm90 --problem "attention/$1" "${@:2}"; }
for problem in b1/h1/s100/d64/lse b1/h2/sq1/sk512/d64 b1/h2/sq33/sk1/d64/causal_br/lse b2/h3/s300/d64 b2/h4/hkv2/sq300/sk510/d64/causal_br; do
    resident fp16/$problem
done
resident bf16/b1/h1/sq100/sk400/d64/causal/lse
for distribution in normal10 nan inf; do # special values are in one of four heads each, in the middle of the keys
    echo "$distribution"
    for lengths in s32 sq40/sk512; do resident fp16/b1/h4/$lengths/d64/causal --distribution $distribution; done
done
