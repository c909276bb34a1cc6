# slow
# Enough rounds, a coarser threshold, or --ignore-calibration: the gate measures, and says what the calibration says.
export XDG_CACHE_HOME=$PWD/cache
gate() { assay gate --device sim:promise --only p0,p1 --candidate sim --baseline sim --measure-same --no-check "$@"; }
gate | grep calibrate
report_of calibrate --device sim:promise --only p0,p1 | tail -1
gate --regression 1 >refused; echo "1 %: $?"; grep -o 'nothing was measured: a threshold of 1 %' refused
gate --regression 2 --ignore-calibration | grep -o 'calibrated: whether this machine can detect 2 % is uncertain on 2 of 2'
gate --regression 1 --rounds 200 >out; echo "200 rounds: $?"; grep -E 'calibrated:' out
gate --regression 1 --ignore-calibration | grep -o 'measured all the same (--ignore-calibration): by the calibration, a threshold of 1 %'
gate --cache cold | grep -o 'none of these problems was calibrated.*cache mode'
gate | grep 'calibrated:'
