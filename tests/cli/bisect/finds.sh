# The planted commit among 64 in seven gates, with its size and how sure it is.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
history 64 37
bisect good..HEAD >out; code=$?
plain <out
/usr/bin/python3 - <<'P'
import glob, json
record = json.load(open(glob.glob("runs/*/bisect.json")[0]))
assert 5 < record["steps"][0]["change_pct"] < 7 and record["probability_pct"] > 95, record
assert record["suspects"][0]["subject"] == "commit 37" and record["gate_count"] == 7, record
P
exit $code
