# The first manifest: there is none to be held to, the candidate's decides and builds the baseline, and the report says so.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; git rm -q --cached assay.yaml; git commit -qm "before assay"
sim_gate --measure-same | sed -n 2,6p; grep -A3 '"policy"' runs/*/result.json
sim_gate --measure-same --policy baseline | sed -n 4p
report_of bench --vs git:HEAD --device sim:steady; echo "bench: $?"
