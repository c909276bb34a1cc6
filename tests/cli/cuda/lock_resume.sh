# long: clocks that settle are waited for
# A run that was interrupted goes on at the clocks that it began with.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
assay bench $small --iters 200 --rounds 4 --lock-clocks 1200 >out 2>err &
log_becomes "lock 1200 1200"
wait_until sh -c "grep -qs '\"kind\":\"round\"' runs/*/journal.jsonl"
kill -INT $!
wait $!
log_becomes $'lock 1200 1200\nreset'
rm nvml.log
ends_with 64 assay bench --device cuda:0 --resume last --lock-clocks base
says "does not go with --resume"
ends_with 0 assay bench --device cuda:0 --resume last
says "locked 1200 MHz"
log_becomes $'lock 1200 1200\nreset'
exit $failed
