# `report` reads what `compare` writes, by --json and by --output, and prints it as compare does; formats of a run are refused.
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/formats PYTHONDONTWRITEBYTECODE=1
python3 - <<'P' || exit 9
from _google import *
good = [100 + 0.1 * ((i * 7) % 20) for i in range(20)]
write("a.json", rows("f", good) + rows("g|<b>", good, 1) + rows("gone", good, 2))
write("b.json", rows("f", [t * 1.1 for t in good]) + rows("g|<b>", [t / 2 for t in good], 1), library_build_type="debug")
P
assay compare a.json b.json --output by_output.json >text; echo "compare: $?"
assay compare a.json b.json --json >by_json.json
cmp by_output.json by_json.json && echo "--json and --output: one document"
assay report by_json.json --json | cmp - by_json.json && echo "as JSON: the same document"
assay report by_json.json; echo "report: $?"
tables() { sed -n '/^assay: /p; /^problem/,/^$/p; /^- /p' "$1"; }
assay report by_json.json >again; diff <(tables text) <(tables again) && echo "titles, tables and sentences are those of compare"
assay report by_json.json --quiet
assay report by_json.json --format markdown | grep -E '^(##|\*\*|\||<details>)'
for format in line summary html junit sarif; do
    assay report by_json.json --format $format >out 2>err; echo "$format: $?, $(grep -c 'improvement\|regression' out | sed 's/^[1-9][0-9]*$/has the verdicts/')"
done
for format in log csv bencher action-benchmark action-benchmark-rate google-benchmark flashinfer openmetrics; do
    assay report by_json.json --format $format >out 2>err; echo "$format: $?"
done
cat err
assay report by_json.json --samples 2>&1; echo "samples: $?"
assay report by_json.json --roofline 2>&1; echo "roofline: $?"
echo "- the verdict was changed: the exit code does not fit it"
sed 's/"exit_code": [0-9]*/"exit_code": 0/' by_json.json >changed.json
assay report changed.json | grep 'recorded exit code'
assay report changed.json --format markdown | grep -c 'recorded exit code'
echo "- broken ones"
sed 's/"cases": \[/"cases": [3, /' by_json.json >broken.json; assay report broken.json 2>&1; echo "$?"
echo '{"baseline": "a", "candidate": "b", "verdict": "regression", "cases": [], "warnings": [7]}' >broken.json; assay report broken.json 2>&1; echo "$?"
