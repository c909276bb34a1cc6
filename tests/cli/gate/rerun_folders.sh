# Neither another --output-dir nor a deleted run folder hides a failure: the gate log in the cache remembers it. Without the log, a
# resumed rerun stays a rerun. A broken gate log gives a note.
export XDG_CACHE_HOME=$PWD/cache
plan=(--device sim:promise --baseline sim --candidate sim_slower5 --suite sim27 --only p1 --no-check)
gate() { run_gate "${plan[@]}" "$@"; }
run_gate() {
    assay gate "$@" >out 2>err
    echo "exit $?"
    cat err
    grep -o "^rerun [0-9]*: \(this code\|the\|nothing\)" out
    grep -o "decided against it; [^(]*(/[^)]*) failed\|decided against it; the newest of them, run [^ ]* failed\|the result of [^(]* cannot be read\|log of earlier gates cannot be read completely.*line 1:\|delete .*/gates" out |
        sed -E "s#[0-9]{8}-[0-9]{6}-gate-[0-9a-f]{4}#ID#g; s#$PWD#PWD#g"
}
gate --output-dir first
gate --output-dir second
echo "- the first folder is gone"
rm -r first
gate --output-dir third
echo "- the gate log as well"
rm -r cache/assay/gates second
run_gate --output-dir third --resume last
echo "- a new gate log, which someone then breaks"
ls cache/assay/gates | grep -c jsonl
printf 'not a line\n{"schema_version": 1, "run_id": "../../etc", "thread_count": 1, "decision": {}}\n' >"$(ls cache/assay/gates/*.jsonl)"
gate --output-dir fourth
gate --output-dir fourth
tail -n +3 cache/assay/gates/*.jsonl | wc -l
