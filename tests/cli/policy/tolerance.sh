# slow with sanitizers: others take its branches, most of them gate/suite_changes, policy/candidate and sim/baseline_distributions
# The baseline's tolerance decides: a pull request does not widen what its own kernel, or its suite, is compared by.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
sed -i 's/sim: {base_us: 100}/&, tolerance: {atol: 1e-6, why: known}/' assay.yaml; git commit -qam "own"
sed -i 's/atol: 1e-6, why: known/atol: 1000, why: wide/; s/base_us: 100/base_us: 101/; s/t: scale.fp32.n17}/&, tolerance: {rtol: 0.5, why: wide too}/' assay.yaml
for policy in baseline candidate; do
    rm -rf runs; sim_gate --policy $policy >out; echo "exit $?"; grep -E '^(tolerance|gate.check.tolerance)' out
    python3 - runs/*/plan.json <<'P'
import json, sys
plan = json.load(open(sys.argv[1]))
print([side["tolerance"]["atol"] for side in plan["sides"]], [case.get("tolerance") for case in plan["checks"]])
P
done
