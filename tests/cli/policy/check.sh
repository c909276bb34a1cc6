# slow with sanitizers: policy/candidate and policy/suite_named take its branches
# The correctness matrix is that of both manifests; without --no-check a smaller one hides nothing.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/base_us: 100/base_us: 101/; s/{s: scale.fp32.n16, t: scale.fp32.n17}/{s: scale\/fp32\/n16}/' assay.yaml
sim_gate | grep -E '^(nothing|gate.check|- gate.check|mine)'
sim_gate --check pr | grep -E '^mine:'
sim_gate --policy candidate | grep -E '^(gate.check|mine:)'
