# A manifest that says the same is not mentioned, but the result says whose policy it was. Comments and kernels are no policy.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/base_us: 100/base_us: 101/; s/^suites:/# ours\nsuites:/; s/^  mine:/  more: {operator: scale, backend: sim, sim: {}}\n&/' assay.yaml
sim_gate | sed -n 2,4p
grep -A3 '"policy"' runs/*/result.json
