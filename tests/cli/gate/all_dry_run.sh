# A dry run of all kernels prints their plans, and why one has none; it decides nothing and writes nothing.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/^kernels:/&\n  fresh: {operator: scale, backend: sim, sim: {base_us: 90}}/' assay.yaml
sim_gate --all --dry-run 2>&1 | grep -vE '^policy|^  '; echo "exit ${PIPESTATUS[0]}"
[ "$(ls)" = assay.yaml ] && echo "nothing is written"
