# Clocks are locked during a run, released at its end, and recorded; results of another clock policy are not comparable.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
ends_with 0 assay bench $small --lock-clocks base --output held.json
says "locked 1500 MHz"
log_becomes $'lock 1500 1500\nreset'
grep -q '"clock_policy": "locked 1500 MHz"' held.json || complain "the policy is not in the result"
grep -q '"locked_clock_mhz": 1500' runs/*/plan.json || complain "the clock is not in the plan"
rm nvml.log
ends_with 0 assay bench $small --lock-clocks max --output max.json
log_becomes $'lock 1980 1980\nreset'
says "to be held at 1980 MHz, but 1500 MHz were seen"
rm nvml.log
ends_with 0 assay bench $small --output free.json
[ ! -e nvml.log ] || complain "clocks were touched without being asked for"
ends_with 3 assay compare held.json free.json
says "clock policy"
exit $failed
