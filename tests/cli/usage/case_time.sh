# Half of limits.case_s is the limit of sampling where --case-time is not given, also where that is the default's value.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
sed -i 's/case_s: 60/case_s: 10/' assay.yaml
try() { assay bench --device sim:steady --only a --kernel mine --suite pr --quiet "$@" >/dev/null; echo "${*:-not given}: $?, $(sed -nE 's/.*"case_budget_ns": ([0-9]+).*/\1/p' runs/*/plan.json)"; rm -r runs; }
try
try --case-time 29s
try --case-time 30s
try --case-time=31s
