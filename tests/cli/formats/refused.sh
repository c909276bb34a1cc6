# Refused documents: of no known form, of two forms, too large, with an unknown --format; a problem twice in assay's own form.
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/formats PYTHONDONTWRITEBYTECODE=1
python3 -c 'from _google import *; write("g.json", rows("f", [100 + 0.1 * i for i in range(20)]))' || exit 9
echo '{"results": []}' >unknown.json
echo '{"performance": {"mean_time_ms": 1.5}, "correctness": {"passed": true}}' >old.json
truncate -s 65M large.json
try() { echo "--- $1"; shift; "$@" 2>&1 | sed 's/^assay: error: //'; echo "exit ${PIPESTATUS[0]}"; }
try unknown assay compare g.json unknown.json
try mixed assay compare g.json old.json
try large assay compare large.json g.json
try 'format overrides' assay compare g.json g.json --format nvbench
try 'no samples' assay compare g.json g.json --format integrated
try 'format unknown' assay compare g.json g.json --format junit
assay compare g.json g.json --format google-benchmark >/dev/null; echo "named: $?"
sed 's/\]}$/, NaN/' g.json >cut.json
try 'cut, with NaN' assay compare cut.json cut.json
printf '{"kind": "assay.result", "value": NaN}' >own.json
try 'NaN in a result of assay' assay compare own.json own.json
case='{"problem": "attention/fp32/b1/h1/s16/d16", "rounds": [{"samples": [{"side": 0, "duration_ns": [1, 2, 3, 4, 5, 6]}]}]}'
printf '{"kind": "assay.result", "schema_version": 1, "sides": [{"role": "candidate", "label": "k"}], "cases": [%s, %s]}' \
    "$case" "$case" >twice.json
try 'twice in a result of assay' assay compare twice.json twice.json
