# slow: eleven gates of the path of rerun_count, rerun_folders and rerun_unfinished
# A gate on code that has failed, once and anywhere, is a rerun ever after: fresh data, all runs in the record, its
# own exit code. Other thresholds, problems or claims change nothing about that, as long as a problem is the same; a run that
# had no failure before it, or one on a machine that was not fit, is none.
gate() { assay gate --device sim:promise --baseline sim --suite sim27 --no-check "$@" >out; echo "exit $?"; grep -o "^rerun [0-9]*: this code" out; }
seed() { grep '^seed' out; }
note() { grep -o "[0-9]* of [0-9]* earlier runs* of this code decided against it\|it asked otherwise: [^;]*" out; }
gate --candidate sim_slower5 --only p1,p2
seed
gate --candidate sim_slower5 --only p1,p2
note
seed >second
[ -s second ] && ! grep -qx "seed      42" second && echo "another seed than 42"
grep "run .* failed (p1: regression (+.*; this run has fresh data and says: .*all of them stand in the record" out |
    grep -o "this run has fresh data"
gate --candidate sim_slower5 --only p1,p2 --rounds 12
seed >third
[ -s third ] && ! cmp -s second third && echo "fresh each time"
echo "- one problem, another threshold"
gate --candidate sim_slower5 --only p1 --regression 9
note
echo "- after a pass"
gate --candidate sim_slower5 --only p1,p3 --improvement 20 --expect improvement:p1 --threads 3
note
echo "- no problem in common"
gate --candidate sim_slower5 --only p4
echo "- the whole suite"
gate --candidate sim_slower5
note
echo "- other code"
gate --candidate sim_faster15 --only p1,p2
gate --candidate sim_faster15 --only p1,p2
for i in 1 2; do assay gate --device sim:throttled --suite sim27 --only p1 --no-check --candidate sim_slower5 --baseline sim >out; done
echo "reruns: $(grep -l '"confirms"' runs/*/plan.json | wc -l) of $(ls runs/*/plan.json | wc -l)"
