# --policy candidate takes the candidate's alone, and the report says that it was asked for; other words and baselines are refused.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/base_us: 100/base_us: 300/' assay.yaml
sim_gate --policy candidate | sed -n 2,4p
sed -i 's/regression_pct: 3/regression_pct: 900/' assay.yaml
sim_gate --policy candidate >out; code=$?
sed -n 2,8p out
sim_gate --policy candidate --dry-run | grep -A1 policy
sim_gate --policy mine; echo "another word: $?"
assay gate --device sim:steady --baseline sim --policy baseline; echo "no revision: $?"
exit $code
