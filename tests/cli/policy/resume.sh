# The plan keeps the policy: a resumed gate decides as the one that was begun, whatever the manifest says by then.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/base_us: 100/base_us: 300/; s/regression_pct: 3/regression_pct: 900/' assay.yaml
sim_gate >whole; echo "whole: $?"
rm runs/*/result.json runs/*/report.md; : >"$(echo runs/*/journal.jsonl)"
sed -i 's/regression_pct: 900/regression_pct: 500/' assay.yaml; git commit -qam "another policy"
report_of gate --resume last >resumed; echo "resumed: $?"
sed -n 2,8p resumed
assay gate --resume last --policy candidate; echo "another policy: $?"
rm -r runs "$XDG_CACHE_HOME/assay/gates"; sed -i 's/regression_pct: 500/regression_pct: 900/; s/base_us: 300/base_us: 500/' assay.yaml
sim_gate --policy candidate >/dev/null; echo "by request: $?"
rm runs/*/result.json
report_of gate --resume last | sed -n 2,8p
