assay build --kernel tiled --config "BLOCK_M=64,BLOCK_N=64" --manifest "$ASSAY_SOURCE/assay.yaml" --json >first || exit 9
assay build --kernel tiled --config "BLOCK_M=64,BLOCK_N=64" --manifest "$ASSAY_SOURCE/assay.yaml" --json >second || exit 9
assay build --kernel tiled --manifest "$ASSAY_SOURCE/assay.yaml" --json >default || exit 9
python3 - <<'P'
import json
a, b, c = (json.load(open(f))["built"][0] for f in ("first", "second", "default"))
assert a["config"] == "BLOCK_M=64,BLOCK_N=64" and a["code_hash"] == b["code_hash"] and b["is_cached"]
print("same code when cached;", c["code_hash"] is not None)
P
