# Kernels that end their worker or never return are wrong, whatever device they are on.
cat >assay.yaml <<'Y'
version: 1
suites: {tiny: {from: sim, only: [p0]}}
gate: {suite: tiny, check: tiny}
limits: {case_s: 0.5}
Y
report_of gate --device sim:steady --candidate sim_crashing --baseline sim; echo "crashing: $?"
report_of gate --device sim:steady --candidate sim_hanging --baseline sim; echo "hanging: $?"
