# long: real processes and settling clocks are waited for
# The clocks are released when assay is killed, interrupted, hung up on, or ends with an error, and when the clock holder is
# terminated; in the last case the measurement does not count as taken at locked clocks.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
for signal in KILL INT TERM HUP; do
    rm -f nvml.log
    assay bench $long --lock-clocks base >out 2>err &
    log_becomes "lock 1500 1500"
    kill -$signal $!
    wait $! 2>/dev/null
    log_becomes $'lock 1500 1500\nreset'
done
rm -f nvml.log
assay bench $small --iters 400 --lock-clocks base >out 2>err &
log_becomes "lock 1500 1500"
guardian=$(pgrep -P $! -f "assay worker" | head -1)
kill -TERM "$guardian"
log_becomes $'lock 1500 1500\nreset'
wait $!
[ $? = 69 ] || { complain "a lock that was lost is no error"; cat out err; }
says "was ended while the run lasted"
exit $failed
