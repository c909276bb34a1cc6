# A baseline file of several input distributions, and of a suite with a tolerance of its own, is checked with the same; a check takes its
# rounds from the file.
cat >assay.yaml <<'Y'
version: 1
kernels:
  mine: {operator: attention, backend: sim, sim: {base_us: 100}}
suites:
  pr: {problems: {a: attention/fp32/b1/h1/s16/d16}, distributions: [normal, mixed], tolerance: {rtol: 1e-3, why: a test}}
Y
assay baseline set --device sim:steady --kernel mine --suite pr --output base.json --quiet >/dev/null; echo "set: $?"
assay baseline check base.json --output again.json >out.txt; echo "check: $?"; tail -1 out.txt
/usr/bin/python3 - <<'P'
import json
for name in "base.json", "again.json":
    print([(case.get("distribution"), case["tolerance"]["why"], len(case["rounds"])) for case in json.load(open(name))["cases"]])
P
assay baseline check base.json --rounds 5 2>&1; echo "rounds: $?"
