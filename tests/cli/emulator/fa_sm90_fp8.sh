# long: a minute and more of emulated threads
# The Hopper kernel for fp8, with its own widening of V and its scales: every boundary, and every tile configuration.
. "$ASSAY_SOURCE/tests/cli/emulator/_emulator.sh"
emulate fa_sm90_fp8 "$ASSAY_SOURCE/kernels" fa_sm90_fp8.so
checks fa_sm90_fp8 --suite fp8_e4m3 --boundary
for family in normal10 mixed rising; do
    echo "$family"
    checks fa_sm90_fp8 --suite fp8_e4m3 --family $family
done
for warpgroups in 1 2 3 4; do
    echo "$warpgroups warpgroups"
    EMULATED_WARPGROUPS=$warpgroups checks fa_sm90_fp8 --suite fp8_e4m3
done
echo "8 thread blocks for a tile"
EMULATED_SPLITS=8 checks fa_sm90_fp8 --problem attention/fp8_e4m3/b1/h2/sq40/sk1200/d64/lse
echo "scores of 13 bits in the log-sum-exp, and as the first shift"
checks fa_sm90_fp8 --problem attention/fp8_e4m3/b1/h4/s129/d128/lse --family equal_scores
checks fa_sm90_fp8 --problem attention/fp8_e4m3/b1/h4/s129/d64/scale1/lse --family exact
