# Runs that were begun and never decided are counted separately. A plan whose thresholds, looks or earlier run are impossible
# cannot be resumed.
plan=(--device sim:promise --baseline sim --candidate sim_slower5 --suite sim27 --only p1 --no-check)
gate() { run_gate "${plan[@]}" "$@"; }
run_gate() {
    assay gate "$@" >out 2>err
    echo "exit $?"
    cut -d: -f3- err
    grep -o "^rerun [0-9]*: this code\|[0-9]* earlier runs* of this code w.*\|[0-9]* of [0-9]* earlier runs* of" out
}
export XDG_CACHE_HOME=$PWD/cache
gate
rm -r cache/assay/gates
first=$(dirname runs/*/result.json)
rm "$first/result.json"
gate
cp -r "$first" runs/20200101-000000-gate-0000
gate
echo "- plans that are impossible"
bad() {
    mkdir -p bad/x
    sed "$1" "$(grep -l confirms runs/*/plan.json | head -1)" >bad/x/plan.json
    run_gate --output-dir bad --resume x
}
bad 's/"regression_pct": 3/"regression_pct": 1e300/'
bad 's/"regression_pct": 3/"regression_pct": -200/'
bad '/"regression_pct": 3/d'
bad 's/"improvement_pct": 10/"improvement_pct": 100/'
bad 's/"confirms": ".*"/"confirms": "..\/..\/..\/..\/etc"/'
bad 's/"is_sequential": true/"is_sequential": false/'
bad '/"looks": \[/{n;d}'
exit 0
