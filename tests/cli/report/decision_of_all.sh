# What `gate --all` decides is a run like another: by its name, and as the last one. A run that is not finished is told from one that is
# not there.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
sed -i 's/^suites:/  second: {operator: scale, backend: sim, sim: {base_us: 50}}\n&/' assay.yaml
git commit -qam "second" && sed -i 's/base_us: 100/base_us: 108/; s/base_us: 50/base_us: 51/' assay.yaml
assay report last
echo "$?"
report_of gate --device sim:steady --all --baseline git:HEAD >out.txt 2>err.txt
echo "gate: $?"
all=$(basename runs/*-all)
# A run of the same second whose name sorts behind: an older file.
behind=runs/${all%-gate-*}-gate-zzzz
mkdir "$behind" && touch -d '1 minute ago' "$behind/result.json"
ls runs | sort | tail -1 | sed 's/.*-//'
for name in last "$all" "runs/$all"; do assay report "$name" --color never | sed -n 1,2p; done
assay report last --format junit | grep -c '<failure'
mkdir runs/20200101-000000-gate-0000 && touch runs/20200101-000000-gate-0000/plan.json
assay report 20200101-000000-gate-0000
echo "$?"
assay report nobody
echo "$?"
