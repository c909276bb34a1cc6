# A manifest in a nearer folder does not hide the baseline's: it is searched there from the same folder upwards.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; mkdir sub; touch sub/file; git add -A; git commit -qm sub
sed 's/base_us: 100/base_us: 300/; s/regression_pct: 3/regression_pct: 900/' assay.yaml >sub/assay.yaml
cd sub; sim_gate >out; code=$?; sed -n 2,9p out
exit $code
