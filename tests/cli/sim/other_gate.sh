# A manifest whose gate names a CPU kernel: on a simulated device its suites, candidate and peers are not used.
cat >assay.yaml <<'Y'
version: 1
kernels: {mine: {operator: attention, backend: cpu, source: mine.c}}
gate: {suite: cpu, check: fuzz, candidate: mine, baseline: mine}
peers: [mine]
Y
report_of gate --device sim:steady --candidate sim_slower5 --baseline sim; echo "named: $?"
report_of bench --device sim:steady --only p0; echo "bench: $?"
# Nothing named: the device's default kernel against itself, measured.
report_of gate --device sim:steady 2>&1
