# A simulated device has no counters: a gate that finds a kernel slower does not explain it unasked; with --explain it says so on every
# problem, and the exit code is the same.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
sed -i 's/base_us: 100/base_us: 130/' assay.yaml
sim_gate >out; echo "simulated: $?"
grep -c 'What moved' out
sim_gate --explain >out; code=$?
grep -E '^- no counters' out | sort -u
exit $code
