# fuzz, bench, run and baseline play scripts too; a stored simulated baseline is compared by the classic rule.
assay fuzz --device sim:steady; echo "fuzz: $?"
assay fuzz --device sim:steady --kernel sim_crashing; echo "crashing: $?"
assay bench --device sim:steady --kernel sim_slower5 --vs sim --only p0 --quiet; echo "bench: $?"
assay run quick --device sim:steady --quiet; echo "run: $?"
assay baseline set --device sim:steady --output stored.json --only p0 --quiet; echo "set: $?"
assay baseline check stored.json --device sim:steady --only p0 --quiet; echo "check: $?"
assay gate --device sim:steady --candidate sim_slower5 --baseline stored.json --only p0 --quiet; echo "gate: $?"
