# `report --roofline`: as text, drawn, and as JSON; with counted pages; without ceilings. The figures of an earlier report, "178 % of
# peak" (FLOP of tensor cores over the fp32 pipe's rate) and a ridge point of 0.8 FLOP/byte (TFLOP over GB), are refused.
python3 - <<'P'
import json

def write(name, gflop_per_s, ceilings):
    flop, side = 4 * 32 * 8 * 512 * 512 * 64, {"side": 0, "launches": 100}
    side["duration_ns"] = [round(100 * flop / gflop_per_s) + 10 * i for i in range(20)]
    case = {"problem": "attention/fp16/b32/h8/s512/d64", "short_name": "s512", "rounds": [{"round": 0, "samples": [side]}]}
    environment = {"device": "cuda:0", "device_name": "NVIDIA H200", "device_uuid": "GPU-made", "is_accelerator": True,
                   "cache_mode": "rotate"} | ceilings
    json.dump({"kind": "assay.result", "schema_version": 1, "environment": environment,
               "sides": [{"role": "candidate", "label": "fa"}], "cases": [case]}, open(name, "w"))

write("good.json", 357000, {"ceiling_gflop_per_s": 790000, "ceiling_gb_per_s": 4300})
write("none.json", 357000, {})
write("peak.json", 119300, {"ceiling_gflop_per_s": 67000, "ceiling_gb_per_s": 4800})
write("units.json", 119.3, {"ceiling_gflop_per_s": 3958, "ceiling_gb_per_s": 4800})
P
mkdir pages && cp "$ASSAY_SOURCE/tests/golden/nsight/sm90_s512.raw.csv" pages/s512.csv
COLUMNS=72 assay report good.json --roofline --profile pages
for name in none peak units; do echo "== $name"; assay report $name.json --roofline | sed -n '/^   problem/,$p'; done
echo "== drawn"
for name in good none peak units; do
    assay report $name.json --format svg --output $name.svg || echo "no drawing of $name"
    python3 - $name.svg <<'P'
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
space = "{http://www.w3.org/2000/svg}"
words = [t.text for t in root.iter(space + "text")]
marks = [p.get("class") for p in root.iter(space + "path")]
print(sys.argv[1], root.tag == space + "svg", "s512" in words, sum("bad" in m for m in marks), "script" in open(sys.argv[1]).read())
P
done
assay report good.json --roofline --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["kind"], r["points"][0]["diagnosis"]["bottleneck"], r["thresholds"]["accounting_pct"])'
echo "== refused"
for words in "--roofline --format markdown" "--roofline --samples" "--profile pages" "--roofline --side nobody" "--roofline --profile ." "--roofline --only s512"; do
    assay report good.json $words 2>&1 | cut -c 1-90; echo "code ${PIPESTATUS[0]}"
done
