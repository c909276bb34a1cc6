# slow with sanitizers
# The shipped kernel `tiled` from the space to the elite. No time is expected of a shared machine: whoever is in the elite is right, by
# `assay fuzz` with its settings, and the flow ends with a decision.
cat >assay.yaml <<Y
version: 1
kernels:
  tiled: {operator: attention, backend: cpu, source: tiled/attention/tiled.c, flags: [-Itiled], tune: {values: {BLOCK_M: [8, 64], BLOCK_N: [64, 256], UNROLL_KEYS: [4]}, rules: [BLOCK_M * BLOCK_N <= 8192]}}
suites:
  small: {problems: {a: attention/fp32/b1/h2/s64/d32, b: attention/fp32/b1/h2/s96/d32/causal}}
Y
mkdir tiled && cp -r "$ASSAY_SOURCE"/kernels/attention "$ASSAY_SOURCE"/kernels/common tiled/
report_of tune --kernel tiled --suite small --strategy exhaustive --rounds 2 --final-rounds 3 --iters 6 --output tune.json >out; code=$?
[ $code = 0 ] || [ $code = 3 ] || { cat out; exit $code; }
/usr/bin/python3 - <<'P' >configs || exit 1
import json
record = json.load(open("tune.json"))
assert len(record["variants"]) == 2, record["variants"] # three allowed points, one of them the baseline
assert all(v["fate"] in ("alive", "dropped", "no_data") for v in record["variants"]), record["variants"]
for f in record["finalists"]: print(f["config"])
P
while read -r config; do assay fuzz --kernel tiled --config "$config" --suite small --quiet >/dev/null || echo "$config is wrong"; done <configs
echo "tuned"
