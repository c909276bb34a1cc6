# The suite that --suite names is the baseline's too, also where the candidate no longer has it; a new one is the candidate's.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
sed -i 's/base_us: 100/base_us: 101/; /^  tiny:/d; s/check: tiny/check: pr/; /^suites/a\  new: {problems: {x: scale/fp32/n80}}' assay.yaml
sim_gate --suite tiny | grep -E '^(nothing|s |t )'
sim_gate --suite new | grep -E '^(nothing|gate|x )'
sim_gate --suite nosuch; exit $?
