# A baseline's manifest that cannot be read: one sentence with the place in the repository, and what to do.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/regression_pct: 3/regresion_pct: 3/' assay.yaml; git commit -qam broken
sed -i 's/regresion_pct: 3/regression_pct: 3/' assay.yaml
sim_gate; code=$?
sim_gate --policy candidate; echo "candidate: $?"
exit $code
