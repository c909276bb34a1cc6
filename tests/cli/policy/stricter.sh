# slow with sanitizers: gate/accepted, policy/limits and bisect/same_code take its branches
# A candidate's stricter threshold decides; the baseline's stands where the candidate's is more lenient, or is taken out.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i 's/base_us: 100/base_us: 102/; s/regression_pct: 3/regression_pct: 1/' assay.yaml
sim_gate | sed -n 2,9p
sim_gate --regression 5 | sed -n 2,9p
git commit -qam "strict"; sed -i 's/base_us: 102/base_us: 104/; s/, regression_pct: 1//' assay.yaml
sim_gate >out; sed -n 2,9p out; grep '^A regression is' out
