# A gate on code that has failed is a confirmation: fresh data, both runs in the record, its own exit code. Another question
# (thresholds, problems), or the same one after a pass or on a machine that was not fit, is none.
gate() { assay gate --device sim:promise --baseline sim --suite sim27 --no-check "$@" >out; echo "exit $?"; grep -o "^confirmation run.*run" out; }
seed() { grep '^seed' out; }
gate --candidate sim_slower5 --only p1,p2
seed
gate --candidate sim_slower5 --only p1,p2
seed >second
[ -s second ] && ! grep -qx "seed      42" second && echo "another seed than 42"
grep "confirmation run 2: the same code failed in run .*p1: regression (+.*; this run has fresh data and says: .*both stand in the record" out |
    grep -o "the same code failed in run\|this run has fresh data"
gate --candidate sim_slower5 --only p1,p2 --rounds 12
seed >third
[ -s third ] && ! cmp -s second third && echo "fresh each time"
gate --candidate sim_slower5 --only p1
gate --candidate sim_slower5 --only p1,p2 --regression 4
gate --candidate sim_faster15 --only p1,p2
gate --candidate sim_faster15 --only p1,p2
for i in 1 2; do assay gate --device sim:throttled --suite sim27 --only p1 --no-check --candidate sim_slower5 --baseline sim >out; done
echo "confirmations: $(grep -l '"confirms"' runs/*/plan.json | wc -l) of $(ls runs/*/plan.json | wc -l)"
