# A kernel that costs more to call, and not more to run: call_time shows it, time does not; both sides alike are maintained.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/{base_us: 100}/{base_us: 100, call_overhead_us: 10}/' assay.yaml
sim_gate >time.out; echo "time: $?"
sim_gate --metric call_time >call.out; echo "call_time: $?"
grep -E '^(metric|[ab] )' call.out
git commit -qam "costly to call"
sim_gate --metric call_time --measure-same | grep -E '^(rerun|nothing|[ab] )'
sim_gate --metric cycles; echo "another metric: $?"
