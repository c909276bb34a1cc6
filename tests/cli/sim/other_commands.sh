# fuzz, bench, run and baseline play scripts too; a stored simulated baseline is compared by the classic rule.
assay fuzz --device sim:steady; echo "fuzz: $?"
assay fuzz --device sim:steady --kernel sim_crashing; echo "crashing: $?"
report_of bench --device sim:steady --kernel sim_slower5 --vs sim --only p0; echo "bench: $?"
report_of run quick --device sim:steady; echo "run: $?"
report_of baseline set --device sim:steady --output stored.json --only p0; echo "set: $?"
report_of baseline check stored.json --device sim:steady --only p0; echo "check: $?"
report_of gate --device sim:steady --candidate sim_slower5 --baseline stored.json --only p0; echo "gate: $?"
