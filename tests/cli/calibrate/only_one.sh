# slow
# A later study of one problem, of fewer rounds, of other samples or of another suite replaces nothing of a full study; equal
# simulated draws count as one comparison.
export XDG_CACHE_HOME=$PWD/cache
stored() { grep -o '"problem": "[^"]*"' cache/assay/calibrations/*.json | wc -l; }
study() {
    assay calibrate --device sim:drifting --json "$@" >out
    echo "$*: $(grep -m1 '"comparison_count"' out | tr -dc 0-9) compared, $(stored) stored"
}
study --only p7,p8,p9
study --only p9
study --only p7,p8,p9 --rounds 7
study --only p9 --rounds 30
study --only p9 --suite sim27
study --only p9 --iters 40
assay gate --device sim:drifting --only p7,p8,p9 --candidate sim_slower5 --baseline sim --no-check >out; echo "gate: $?"
grep -o 'than this machine can detect on 3 of 3 problems' out
