# A run that counted is no time: its figures have their unit in every list, its series is its own, the bars of both have a scale each.
. "$ASSAY_SOURCE/tests/cli/history/_store.sh"
printf 'version: 1\nkernels: {}\n' >assay.yaml
if assay history 2>&1 | grep -q "built without a store"; then echo "SKIPPED: this assay was built without a store"; exit 0; fi
problem=scale/fp32/n64
assay bench --device sim:steady --kernel sim --problem $problem --quiet --iters 20 >/dev/null 2>&1 || complain "the bench failed"
# The same samples as time and, later, as counts a hundred times as large: twelve runs of each.
python3 - <<'P'
import glob, json, os
run = json.load(open(glob.glob("runs/*/result.json")[0]))
run["environment"]["device_name"] = "a device whose name has more than sixty-four bytes, which no list may cut off"
for i in range(24):
    counts = i >= 12
    run.update(run_id=f"made-{i:02}", created_utc=f"2026-01-{i + 1:02}T00:00:00Z")
    if counts: run["environment"]["metric"] = "instructions"
    if i == 12:
        for samples in (s for case in run["cases"] for round in case["rounds"] for s in round["samples"]):
            samples["duration_ns"] = [100 * ns for ns in samples["duration_ns"]]
    os.makedirs(f"made/{run['run_id']}")
    json.dump(run, open(f"made/{run['run_id']}/result.json", "w"))
P
assay history prune --before 2100-01-01 >/dev/null
assay history import made | grep -qx "24 new, 0 already there" || complain "import"
[ "$(assay history | grep -c 'which no list may cut off')" = 20 ] || complain "the device is cut: $(assay history)"
assay history problems | grep -q "M instr" || complain "problems: $(assay history problems)"
assay history plot --problem $problem >plotted
[ "$(grep -c '[0-9] us ' plotted)" = 12 ] && [ "$(grep -c ' M instr ' plotted)" = 12 ] || complain "plot: $(cat plotted)"
[ "$(grep -o '[#█]*' plotted | awk '{print length($0)}' | sort -u | wc -l)" = 1 ] || complain "the bars have one scale: $(cat plotted)"
assay history changes | grep -qx "no change point in 24 results" || complain "another metric is a change: $(assay history changes)"
assay history export >out.csv
head -1 out.csv | grep -q ',metric$' || complain "export: no metric"
[ "$(grep -c ',"instructions"$' out.csv)" = 12 ] && [ "$(grep -c ',"time"$' out.csv)" = 12 ] || complain "export: $(cat out.csv)"
[ "$(assay history export --json | grep -c '"metric": "instructions"')" = 12 ] || complain "export as JSON"
[ "$(assay history --json | grep -c '"metric": "instructions"')" = 12 ] || complain "list as JSON"
exit $failed
