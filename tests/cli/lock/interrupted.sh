# Who waits can be interrupted, and nothing is left; a wait is not of the gate's time limit.
. "$ASSAY_SOURCE/tests/cli/lock/_holder.sh"
wrong_project
printf 'limits: {gate_s: 3}\n' >>assay.yaml
git commit -qam limits
hold_lock garbage
wait_for_lock() { until grep -q waiting err; do sleep 0.05; done; }
assay gate --baseline git:HEAD~1 >out 2>err &
wait_for_lock
kill -TERM $!
wait $!
echo "exit $?"
cat err
[ -e runs ] && exit 9
assay gate --baseline git:HEAD~1 --quiet >out 2>err &
sleep 4
let_go
wait $!
echo "exit $?"
cat err out
