# long: a minute and more of emulated threads
# The Hopper kernel for fp8, with its own widening of V and its scales: every tile configuration. Its boundaries: emulator/fp8_boundary.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
emulate fa_sm90_fp8 "$ASSAY_SOURCE/kernels" fa_sm90_fp8.so
checks fa_sm90_fp8 --suite fp8_e4m3
for distribution in normal10 mixed rising; do
    echo "$distribution"
    checks fa_sm90_fp8 --suite fp8_e4m3 --distribution $distribution
done
for warpgroups in 1 2 3 4; do
    echo "$warpgroups warpgroups"
    EMULATED_WARPGROUPS=$warpgroups checks fa_sm90_fp8 --suite fp8_e4m3
done
echo "8 thread blocks for a tile"
EMULATED_SPLITS=8 checks fa_sm90_fp8 --problem attention/fp8_e4m3/b1/h2/sq40/sk1200/d64/lse
echo "scores of 13 bits in the log-sum-exp, and as the first shift"
checks fa_sm90_fp8 --problem attention/fp8_e4m3/b1/h4/s129/d128/lse --distribution equal_scores
checks fa_sm90_fp8 --problem attention/fp8_e4m3/b1/h4/s129/d64/scale1/lse --distribution exact
echo "two warpgroups for a tile: 32 rows, then 64"
resident() { EMULATED_WARPGROUPS=2 EMULATED_SPLITS=2 checks "$1" --problem "attention/fp8_e4m3/$2" "${@:3}"; }
for problem in b1/h1/s100/d64 b1/h2/sq1/sk512/d64 b1/h2/sq33/sk1/d64/causal_br b2/h3/s300/d64 b2/h4/hkv2/sq300/sk510/d64/causal_br; do
    resident fa_sm90_fp8 $problem
done
for distribution in normal10 nan; do # NaN is in one of four heads each, in the middle of the keys
    echo "$distribution"
    for lengths in s32 sq40/sk512; do resident fa_sm90_fp8 b1/h4/$lengths/d64/causal --distribution $distribution; done
done
echo "not with the log-sum-exp: where the table has this form, another one"
resident fa_sm90_fp8 b1/h1/s100/d64/lse
for length in s64 s512; do checks fa_sm90_fp8 --problem attention/fp8_e4m3/b1/h8/$length/d64/lse; done
echo "a factor of the scores below 0, which no inputs have"
cp -r "$ASSAY_SOURCE/kernels" negative
sed -i 's/scale_log2 = fa_hopper_score_scale(/scale_log2 = -fa_hopper_score_scale(/' negative/attention/fa_hopper_resident.cuh
emulate fa_sm90_fp8 negative negative.so
! cmp -s {"$ASSAY_SOURCE/kernels",negative}/attention/fa_hopper_resident.cuh && resident negative b1/h2/sq40/sk200/d64
