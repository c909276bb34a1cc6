# `report --format` for other tools: each file is read by a parser of its own kind, and holds the figures of the result.
cat >assay.yaml <<'Y'
version: 1
kernels:
  old: {operator: scale, backend: sim, sim: {base_us: 100}}
  new: {operator: scale, backend: sim, sim: {base_us: 108}}
suites:
  pr: {problems: {n64: scale/fp32/n64, n4k: scale/fp32/n4096}}
Y
report_of gate --device sim:steady --candidate new --baseline old --suite pr --no-check >gate.txt 2>&1
echo "gate $?"
for format in log junit csv bencher action-benchmark action-benchmark-rate google-benchmark flashinfer openmetrics; do
    assay report last --format $format --output "$format.out" || echo "$format: $?"
done
python3 - <<'P'
import csv, json, re, xml.etree.ElementTree as xml

result = json.load(open(max(__import__("glob").glob("runs/*/result.json"))))
names = {case["problem"]: case.get("short_name") for case in result["cases"]}
suite = [s for s in xml.parse("junit.out").getroot() if s.get("name") == "time: pr"][0]
print("junit:", suite.get("tests"), "tests,", suite.get("failures"), "failed:", [t.get("name") for t in suite if t.find("failure") is not None])
rows = list(csv.DictReader(open("csv.out")))
median = {row["problem"]: float(row["median_ns"]) for row in rows}
print("csv:", [(row["short_name"], row["verdict"]) for row in rows])
bencher = json.load(open("bencher.out"))
print("bencher:", all(abs(bencher[p]["latency"]["value"] - median[p]) < 1e-6 for p in names))
action = json.load(open("action-benchmark.out"))
print("action-benchmark:", all(abs(row["value"] * 1e3 - median[row["name"]]) < 1e-6 for row in action), action[0]["unit"])
rates = {row["name"]: row["value"] for row in json.load(open("action-benchmark-rate.out"))}
print("action-benchmark-rate:", all(abs(rates[p] * median[p] / (rates[q] * median[q]) / size - 1) < 1e-9 for p, q, size in [("scale/fp32/n4096", "scale/fp32/n64", 64)]))
trace = [json.loads(line) for line in open("flashinfer.out")]
print("flashinfer:", [(t["definition"], round(t["evaluation"]["performance"]["speedup_factor"], 2)) for t in trace])
metrics = dict(re.findall(r'^assay_median_seconds\{problem="([^"]*)",side="new"\} (\S+)$', open("openmetrics.out").read(), re.M))
print("openmetrics:", all(abs(float(metrics[p]) * 1e9 / median[p] - 1) < 1e-6 for p in names), open("openmetrics.out").read().endswith("# EOF\n"))
P
assay compare google-benchmark.out google-benchmark.out | grep -c 'scale/fp32'
assay report last --format nonsense
echo "unknown: $?"
sed -n 's/^## //p' log.out | tail -5
