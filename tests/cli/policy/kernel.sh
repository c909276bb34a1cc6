# Which kernel is on trial is the baseline's to say: a candidate cannot point at another one, nor rename it unseen.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/base_us: 100/base_us: 120/; s/candidate: mine/candidate: other/; s/^  mine:/  other: {operator: scale, backend: sim, sim: {base_us: 100}}\n&/' assay.yaml
sim_gate >out; code=$?
sed -n 1,8p out
sed -i '/^  mine:/d' assay.yaml; sim_gate; echo "renamed: $?"
sim_gate --policy candidate; echo "not there before: $?"
exit $code
