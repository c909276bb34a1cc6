# Several input distributions: a problem once with each, told apart everywhere, and a word on whether times depend on the data.
printf 'version: 1\nkernels: {one: {operator: attention, backend: sim, sim: {}}}\n' >assay.yaml
problem=attention/fp32/b1/h1/s16/d16
assay bench --device sim:steady --kernel one --problem $problem --data all --iters 4 --output all.json |
    grep -A4 'slowest inputs over fastest' | sed -E 's/[0-9.]+x( [a-z0-9]+)?/N/; s/  +/  /; s/--+/--/'
ls runs/result_*.json
assay bench --device sim:steady --kernel one --suite quick --only q64 --distribution mixed --dry-run | grep measure
assay bench --device sim:steady --kernel one --problem $problem --distribution nan 2>&1
echo "not measured: $?"
assay bench --device sim:steady --kernel one --problem $problem --distribution nosuch 2>&1 | grep -o "unknown input distribution 'nosuch'"
# A kernel that is slower on some data is told so.
python3 - <<'P'
import json
result = json.load(open("all.json"))
for case in result["cases"]:
    for rounds in case["rounds"]:
        for samples in rounds["samples"]:
            if case["distribution"] == "normal10" and "duration_ns" in samples:
                samples["duration_ns"] = [round(ns * 1.25) for ns in samples["duration_ns"]]
json.dump(result, open("slow.json", "w"))
P
assay report slow.json | grep -o 'its time depends on the data: .* with normal10 inputs'  | sed -E 's/[0-9.]+ us/N/'
assay report slow.json --format openmetrics | grep -c '^assay_median_seconds{problem="attention'
# A gate decides each of them.
assay gate --device sim:steady --candidate one --baseline one --measure-same --no-check --problem $problem --distribution normal,rising \
    --rounds 5 --quiet --output gate.json >/dev/null
python3 -c 'import json; print([(c.get("short_name"), c["name"], c["verdict"]) for c in json.load(open("gate.json"))["decision"]["cases"]])'
