# long: real processes and settling clocks are waited for
# If clocks cannot be released the command fails, whatever it measured; its last line says what to run.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
refused=$'lock 1500 1500\nreset refused\nreset refused\nreset refused'
FAKE_NVML=reset=refuse:unknown ends_with 69 assay bench $small --lock-clocks base --output held.json
says "they may still be held; run 'nvidia-smi -rgc' as root"
says "could not be unlocked and are still held"
says_not "was ended while the run lasted"
[ -e held.json ] || complain "what was measured is not kept"
log_becomes "$refused"
rm nvml.log
FAKE_NVML=reset=refuse:unknown ends_with 69 assay calibrate $small --lock-clocks base --rounds 5
says "they may still be held; run 'nvidia-smi -rgc' as root"
rm nvml.log
FAKE_NVML=disobey=1,reset=refuse:unknown ends_with 69 assay bench $small --lock-clocks base
says "still runs at 1980 MHz; the clocks of GPU"
says_not "it was undone"
log_becomes "$refused"
# A guardian that is killed lets nothing go.
rm nvml.log
assay bench $small --iters 400 --lock-clocks base >out 2>err &
log_becomes "lock 1500 1500"
kill -KILL "$(pgrep -P $! -f "assay worker" | head -1)"
wait $!
[ $? = 69 ] || { complain "a guardian that was killed is no error"; cat out err; }
says "ended badly (killed by signal 9"
says "they may still be held; run 'nvidia-smi -rgc' as root"
exit $failed
