# A pull request that sets limits where the baseline sets none: each is the stricter of the limit and the default.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; sed -i '/^limits:/d' assay.yaml; git commit -qam "no limits"
sed -i 's/base_us: 100/base_us: 101/' assay.yaml
limits() { # $1: of the candidate
    echo "-- $1"
    sed -i '/^limits:/d' assay.yaml; echo "limits: {$1}" >>assay.yaml
    rm -rf runs; sim_gate >out; grep '^limits' out | sed 's/([0-9.e+]* is/(N is/; s/   */  /g'
    grep -hoE '"(case_s|gate_s|memory_gb|busy_pct)": [0-9.]*' runs/*/plan.json | tr '\n' ' '; echo
}
limits 'memory_gb: 0.5'
limits 'memory_gb: 100000'
limits 'case_s: 5'
limits 'case_s: 5000'
limits 'gate_s: 5'
limits 'gate_s: 50000'
limits 'busy_pct: 99'
