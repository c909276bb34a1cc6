# `gate --all`: every kernel of the manifest against its namesake at the revision: one unchanged, one slower, one new; one report, one
# comment.
. "$ASSAY_SOURCE/tests/cli/publish/_publish.sh"
sim_project
sed -i 's/^suites:/  second: {operator: scale, backend: sim, sim: {base_us: 50}}\n&/' assay.yaml
git commit -qam "second"
all() { report_of gate --device sim:steady --all --baseline git:HEAD --color never "$@" >../report.txt 2>../err.txt; code=$?; grep -E '^(assay|the |nothing|- |problem|[a-z]+: [ab] )' ../report.txt | grep -v calibrated; sed 's|runs/[^ ]*-all|RUN|' ../err.txt; echo "exit $code"; }
echo "== nothing changed"
all
echo "== one slower, one new"
sed -i 's/base_us: 50/base_us: 54/; s/^suites:/  third: {operator: scale, backend: sim, sim: {base_us: 10}}\n&/' assay.yaml
fake_host
github_job
all --github
said | grep -c '^comment'
published=$(dirname runs/*-all/comment.md)
ls "$published"
python3 - "$published/result.json" <<'P'
import json, sys
document = json.load(open(sys.argv[1]))
print([(case["short_name"], case["verdict"], case["p_holm"] >= case["p_raw"] if "p_raw" in case else None) for case in document["decision"]["cases"]])
P
assay report "$published/result.json" --format junit | grep -c '<failure'
echo "== refused"
assay gate --all 2>&1; echo $?
assay gate --all --baseline git:HEAD --candidate mine --device sim:steady 2>&1; echo $?
assay gate --all --baseline git:HEAD --device sim:steady --expect improvement 2>&1; echo $?
