# campaign: a hundred builds and heats on the real processor
# Tuning `tiled` (block sizes, unrolling): what an evolutionary search finds is no worse, by a gate, than the best of all settings.
mkdir tiled && cp -r "$ASSAY_SOURCE"/kernels/attention "$ASSAY_SOURCE"/kernels/common tiled/
manifest() { # $1: settings of the best of all, $2: of the one that was found
    cat >assay.yaml <<Y
version: 1
kernels:
  tiled: {operator: attention, backend: cpu, source: tiled/attention/tiled.c, flags: [-Itiled], config: {BLOCK_M: 8, BLOCK_N: 16, UNROLL_KEYS: 1}, tune: {values: {BLOCK_M: [8, 32, 128], BLOCK_N: [16, 64], UNROLL_KEYS: [1, 4, 8]}}}
  best: {operator: attention, backend: cpu, source: tiled/attention/tiled.c, flags: [-Itiled], config: {$1}}
  found: {operator: attention, backend: cpu, source: tiled/attention/tiled.c, flags: [-Itiled], config: {$2}}
suites:
  pr: {problems: {a: attention/fp32/b1/h2/s128/d64, b: attention/fp32/b1/h2/s192/d64/causal}}
Y
}
search() { report_of tune --kernel tiled --suite pr --iters 20 --output "$1.json" "${@:2}" >said || { cat said; exit 1; }; }
settings() { /usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["finalists"][0]["config"].replace("=", ": ").replace(",", ", "))' "$1.json"; }
manifest "BLOCK_M: 8" "BLOCK_M: 8"
search all --strategy exhaustive
search found --max-variants 12
manifest "$(settings all)" "$(settings found)"
report_of gate --candidate found --baseline best --suite pr --check pr >said; code=$?
[ $code = 0 ] || { settings all; settings found; cat said; }
echo "gate: exit $code"
/usr/bin/python3 -c '
import json
for name in ("all", "found"):
    record = json.load(open(f"{name}.json"))
    assert record["finalists"][0]["rank"] == "elite", record["finalists"]
    assert name == "all" or len(record["variants"]) <= 12, len(record["variants"])'
