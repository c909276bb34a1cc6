# Kernels that end their worker or never return are wrong, whatever device they are on.
cat >assay.yaml <<'Y'
version: 1
suites: {tiny: {from: sim, only: [p0]}}
gate: {suite: tiny, check: tiny}
limits: {case_s: 0.5}
Y
assay gate --device sim:steady --candidate sim_crashing --baseline sim --quiet; echo "crashing: $?"
assay gate --device sim:steady --candidate sim_hanging --baseline sim --quiet; echo "hanging: $?"
