# `gate --all` of a change that removes or renames kernels: 3, unless --allow-removed. The comment says so, and each suite has its own.
# The same of a kernel that --candidate names.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
sim_project
sed -i 's/^suites:/  b: {operator: scale, backend: sim, sim: {base_us: 50}}\n  c: {operator: scale, backend: sim, sim: {base_us: 50}}\n  elsewhere: {operator: scale, backend: cpu, source: x.c}\n&/' assay.yaml
git commit -qam "three"
fake_host
github_job
all() {
    sim_gate --color never "$@" >../report.txt 2>../err.txt
    echo "exit $?"
    sed -n '2p' ../report.txt
    grep -E '^(- |suite )' ../report.txt
    sed 's|runs/[^ ]*-all|RUN|' ../err.txt
}
sed -i '/^  [bc]: /d' assay.yaml
echo "== removed"
all --all --github
all --all --github --suite tiny
said | grep '^comment' | cut -d'|' -f2-3
assay report last --format junit | grep -o '<testsuite .*\|<failure.*\|<error.*'
echo "== allowed"
all --all --allow-removed
echo "== renamed"
sed -i 's/^suites:/  d: {operator: scale, backend: sim, sim: {base_us: 50}}\n&/' assay.yaml
all --all
echo "== none is left"
sed -i 's/^  mine: .*/  mine: {operator: scale, backend: cpu, source: x.c}/; /^  d: /d' assay.yaml
all --all
echo "== named"
sed -i 's/^  mine: .*/  mine: {operator: scale, backend: sim, sim: {base_us: 100}}/' assay.yaml
all --candidate c --github
said | grep '^comment' | cut -d'|' -f2-3
all --candidate unheard
