# A gate of a calibrated kernel uses only that kernel's studies, whether others are noisier or quieter. A kernel without studies is
# judged by the noisiest one, which is named.
export XDG_CACHE_HOME=$PWD/cache
cat >assay.yaml <<'END'
version: 1
kernels:
  quiet: {operator: scale, backend: sim, sim: {base_us: 100}}
  noisy: {operator: scale, backend: sim, sim: {base_us: 101, cv_pct: 60}}
  other: {operator: scale, backend: sim, sim: {base_us: 102}}
END
gate() {
    assay gate --device sim:steady --only p0 --no-check --candidate "$1" --baseline "$1" --measure-same >"$1.out"
    echo "gate of $1: $?"
    grep -oE '(machine can detect|rounds detect [0-9]+ %|calibrated: on all).*measured with [a-z]+' "$1.out" | grep -oE 'measured with .*'
}
calibrate() { report_of calibrate --device sim:steady --only p0 --kernel "$1" >"$1.out"; echo "calibrate $1: $?"; }
calibrate noisy
calibrate quiet
grep -c '^pooled' quiet.out
gate quiet
gate noisy
gate other
grep 'calibrated:' quiet.out >before
assay calibrate --device sim:steady --only p0 --kernel quiet --iters 5 --seed 8 --json | grep -c -m1 '"spread_pct": 0\.[0-9]*[1-9]'
gate quiet >after.out; grep 'calibrated:' quiet.out >after
cmp before after && echo "pairs that the gate does not take change nothing"
