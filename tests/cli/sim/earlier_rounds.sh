# A state of the device that outlives processes: ten rounds rarely show it, those of earlier gates in the store do.
export XDG_CACHE_HOME=$PWD/cache ASSAY_STORE=$PWD/history.db
cat >assay.yaml <<'Y'
version: 1
devices:
  "sim:sticky": {clock_mhz: 1500, noise: {cv_pct: 0.5, process_pct: 1.5, process_ar1: 0.8}}
Y
gate() { # $1: the seed, $2...: more
    local seed=$1
    shift
    assay gate --device sim:sticky --candidate sim --baseline sim --measure-same --no-check --seed "$seed" --json "$@" >gate.json
}
over() { grep -oE 'over [0-9]+ gates on this device' gate.json | head -1; }
for seed in 1 2 3 4 5 6; do gate $seed --rounds 10; done
gate 7
echo "with six earlier gates: $(over)"
gate 7 --no-store
echo "without them: $(over)"
# What the store has of another device says nothing of this one.
sed -i 's/sim:sticky/sim:other/; s/process_ar1: 0.8/process_ar1: 0/' assay.yaml
assay gate --device sim:other --candidate sim --baseline sim --measure-same --no-check --seed 7 --json >gate.json
echo "on another device: $(over)"
# A store that cannot be read is said, and decides nothing.
echo "no database" >"$ASSAY_STORE"
assay gate --device sim:other --candidate sim --baseline sim --measure-same --no-check --seed 8 --json >gate.json 2>/dev/null
echo "exit $?: $(grep -oE 'the rounds of earlier gates cannot be read' gate.json | head -1)"
