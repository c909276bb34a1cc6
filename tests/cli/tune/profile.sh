# --profile orders the steps of the evolutionary search, or is in a proposer's question; where it does nothing it is refused.
. "$ASSAY_SOURCE/tests/cli/tune/_space.sh"
cp "$ASSAY_SOURCE/tests/fuzz/corpus/profile_document/gpu.json" profile.json
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
