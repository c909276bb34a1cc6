# slow with sanitizers: others take its branches, most of them gate/accepted, policy/resume and metric/call_time
# What is measured is the baseline's choice: a pull request cannot choose a metric that does not see what it did.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/regression_pct: 3/metric: call_time/' assay.yaml; git commit -qam "metric"
sed -i 's/metric: call_time/metric: time/; s/{base_us: 100}/{base_us: 100, call_overhead_us: 10}/' assay.yaml
sim_gate | grep -E '^(the|gate.metric|metric)'
sim_gate --policy candidate | grep -E '^(rerun|gate.metric|metric)'
sim_gate --metric time | grep -E '^(rerun|gate.metric)'
grep -h '"metric"' runs/*/plan.json | sort | uniq -c | sed 's/^ *//'
