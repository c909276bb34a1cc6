# Problems of the check that the baseline supports and the candidate refuses are removed, like problems that are timed: against a revision, a
# kernel and a stored result. Every report names them. Of a stored baseline that says nothing of them that is said.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
sed -i 's|^  tiny: .*|  tiny: {problems: {t: attention/fp32/b1/h2/s33/d16, p: {problem: attention/fp32/b1/h2/s33/d16, memory_layout: padded}, f: {problem: attention/fp32/b1/h2/s33/d16, distribution: very_negative}, u: attention/fp32/b1/h2/s40/d16, long: attention/fp32/b1/h1/sq8/sk1032/d16}}|' assay.yaml
sed -i 's|^  mine: .*|&\n  before: {operator: attention, backend: cpu, source: csrc/before.c}|' assay.yaml
sed 's/\.name = "mine"/.name = "before"/' csrc/mine.c >csrc/before.c
git add -A && git commit -qm "a check of five problems"
# Five rounds of ten samples, a threshold far out: nothing is wanted but what is said of the check.
said() { grep -E 'removed: not|of the check|does not support' "$1" | sed 's/   */  /'; }
gate() { report_of gate --only a --rounds 5 --iters 10 --sample-time 0.1ms --regression 80 --color never "$@" >../report.txt 2>&1; code=$?; said ../report.txt; echo "$(grep -c 'removed: not' ../report.txt) removed"; echo "exit $code"; }
decision() { # what the document has of those that are removed
    python3 - <<'P'
import glob, json, os
decision = json.load(open(sorted(glob.glob("runs/*/result.json"), key=os.path.getmtime)[-1]))["decision"]
for case in decision["cases"]:
    if case["verdict"] == "removed":
        print(case["name"], case["reason"], case.get("let_through", "-"))
P
}
echo "== nothing is refused that was not refused before"
gate --baseline before --measure-same | grep -v exit
cp "$(ls -t runs/*/result.json | head -1)" ../stored.json
sed -i '0,/return ASSAY_OK;/s||if ((long)assay_problem_get(problem, "seq_q") % 8) return assay_say(message, ASSAY_UNSUPPORTED, "multiples of 8");\n    &|' csrc/mine.c
echo "== a revision"
gate --baseline git:HEAD
decision
for format in text junit markdown sarif html; do
    printf '%s ' "$format"; assay report last --format "$format" | grep -c 'which the baseline supports'
done
echo "== a kernel, and it is meant"
gate --baseline before --allow-removed | grep -v 'exit\|assay gate'
decision
echo "== a stored result that has the check"
gate --baseline ../stored.json
echo "== one that has not"
assay baseline set --kernel before --suite pr --only a --rounds 6 --iters 10 --sample-time 0.1ms --output ../bare.json >/dev/null 2>&1
gate --baseline ../bare.json | grep -v exit
