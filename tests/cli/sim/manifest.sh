# Devices and kernels of a manifest; one of a shipped name stands in place of the shipped one. Slower on one problem only.
cat >assay.yaml <<'Y'
version: 1
devices:
  "sim:mine": {summary: as our machine, clock_mhz: 1980, noise: {cv_pct: 1, ar1: 0.5, process_pct: 0.5}}
  "sim:hot": {summary: cooled by now}
kernels:
  before: {operator: scale, backend: sim, sim: {base_us: 20}}
  after: {operator: scale, backend: sim, sim: {base_us: 20, slower_pct: 8, slower_on: scale/fp32/n66}}
gate: {candidate: after, baseline: before}
Y
report_of gate --device sim:mine; echo "gate: $?"
report_of bench --device sim:hot --only p0
assay list --device sim:mine
assay devices --json | python3 -c '
import json, sys
for d in json.load(sys.stdin)["simulated"][:3]: print(d["device"], "|", d["summary"])'
