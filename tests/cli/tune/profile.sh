# --profile orders the steps of the evolutionary search, or is in a proposer's question; where it does nothing it is refused.
. "$ASSAY_SOURCE/tests/cli/tune/_space.sh"
/usr/bin/python3 - "$ASSAY_SOURCE/tests/fuzz/corpus/profile_document/gpu.json" <<'P'
import json, sys
document = json.load(open(sys.argv[1])) # whose figures are no shares
profile = document["launches"][0]["profile"]
for name in profile:
    if name.endswith("_pct"): profile[name] /= 100
profile.update(dram_pct=95, local_pct=0, local_instructions=0, duration_ns=100000)
json.dump(document, open("profile.json", "w"))
P
for words in "--strategy random" "--strategy exhaustive" "--try WARPS=2"; do
    # shellcheck disable=SC2086
    tune --profile profile.json $words 2>&1; echo "exit $?"
done
cat >asks.py <<'P'
import json, sys
print("// assay: predict", json.load(sys.stdin)["profile"]["profile"]["kernel"])
print("// assay: config BLOCK_M=64")
P
tune --profile profile.json --max-variants 1 --quiet --json >searched.json; echo "exit $?"
tune --profile profile.json --max-variants 1 --quiet --json --proposer "python3 asks.py" >asked.json; echo "exit $?"
/usr/bin/python3 -c '
import json
print(json.load(open("searched.json"))["steered_by"])
asked = json.load(open("asked.json"))
print("steered_by" in asked, asked["proposals"][0]["prediction"])'
