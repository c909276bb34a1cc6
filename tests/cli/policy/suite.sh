# slow with sanitizers: others take its branches, most of them notify/once, gate/suite_changes and sim/undecided_warn
# A problem that the candidate takes out of its suite is measured, and the report names it; a new one is measured too.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
sed -i 's/base_us: 100/base_us: 100, slower_pct: 20, slower_on: scale\/fp32\/n65/; s/b: scale.fp32.n65/b: scale\/fp32\/n66/' assay.yaml
sim_gate >out; code=$?
sed -n 2,11p out; grep -E '^(a|b|scale/[^ ]*) .* (us|maintained|regression)' out
sim_gate --only b | grep -o '^b .*regression'
sim_gate --allow-removed | sed -n 2p
sim_gate --policy candidate | sed -n 2p
exit $code
