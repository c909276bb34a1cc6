# A regression that somebody accepts, by a trailer of a commit or by --accept, stays one and fails no gate; the reason is in every report.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
slower() { sed -i 's/base_us: 1[0-9]*/base_us: 108/' assay.yaml; git add -A; }
said() { grep -E "^(assay|rerun|the |- (the reg|'x'|'a'))" ../report.txt | sed 's/(commit .......)/(commit ID)/; s/git:[0-9a-f]*/git:BASE/; s/commit [0-9a-f]\{7\}:/commit ID:/'; }
base=$(git rev-parse HEAD)
gate() { report_of gate --device sim:steady --baseline "git:$base" --color never "$@" >../report.txt 2>&1; code=$?; said; echo "exit $code"; }
slower
git commit -qm "Offsets of 64 bits

Accept-regression: a tensors beyond 2^31 elements
Accept-regression: b"
echo "== a trailer for a; that for b has no reason"
gate
git commit -q --allow-empty -m "Second

Accept-regression: scale/fp32/n65 the same
Accept-regression: x never slower"
echo "== both, by short name and by name; x did not get worse"
gate
echo "== the claim is not met all the same"
gate --expect improvement | tail -1
echo "== JUnit has the claim alone, and the document"
assay report last --format junit | grep -c '<failure'
python3 - <<'P'
import glob, json, os
decision = json.load(open(sorted(glob.glob("runs/*/result.json"), key=os.path.getmtime)[-2]))["decision"]
print(decision["verdict"], decision["exit_code"], [(case["short_name"], case["accepted"].split(": ")[1]) for case in decision["cases"]])
P
git reset -q --hard HEAD~2
slower
echo "== --accept takes on all"
gate --accept "label perf-accepted"
