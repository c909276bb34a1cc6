# The smallest document of docs/result-format.md states no settings: none are shown, and none are written. A device without a
# name is shown as it was asked for.
small() { # $1: more members, $2: file
    cat >"$2" <<J
{"kind": "assay.result", "schema_version": 1, $1
 "sides": [{"role": "candidate", "label": "mine"}],
 "cases": [{"problem": "attention/fp32/b1/h8/s512/d64",
            "rounds": [{"samples": [{"side": 0, "launches": 10, "duration_ns": [481200, 480900, 482300]}]}]}]}
J
}
settings='"seed": 7, "sampling": {"sample_count": 100, "warmup_count": 20, "sample_time_ns": 1000000},'
small "" plain.json
small '"environment": {"device": "cpu"}, "sampling": {"cache_mode": "cold"},' device.json
small "$settings"' "environment": {"device": "cpu", "device_name": "Made Processor"},' full.json
head_of() { grep -E '^(device|samples|seed) ' || echo "no device, no samples, no seed"; }
for file in plain device full; do
    echo "--- $file"
    assay report $file.json | head_of
    assay compare $file.json $file.json | head_of
    assay report $file.json --json >again.json
    python3 -c 'import json; d = json.load(open("again.json")); print(sorted({"seed", "sampling"} & set(d)), "seed" in d["cases"][0])'
done
