# A candidate that is 3 x slower and sets its own threshold is refused, and the report says so before anything else.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/base_us: 100/base_us: 300/; s/regression_pct: 3/regression_pct: 900/' assay.yaml
sim_gate >out; code=$?
head -8 out
sed -n 3,9p runs/*/report.md
exit $code
