# A problem that only the baseline has, or that the candidate skips, is no success: 3, unless --allow-removed lets it pass.
# JSON says which files of which form were compared, and what the text warns of.
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/formats PYTHONDONTWRITEBYTECODE=1
python3 - <<'P' || exit 9
from _google import *
good = [100 + 0.1 * ((i * 7) % 20) for i in range(20)]
fast = [t / 2 for t in good]
write("a.json", rows("f", good) + rows("slow", good, 1))
write("gone.json", rows("f", fast))
write("skipped.json", rows("f", fast) + rows("slow", good[:1], 1, skipped=True, skip_message="too slow"))
write("slower.json", rows("f", [t * 2 for t in good]))
write("debug.json", rows("f", fast), library_build_type="debug")
write("empty.json", [])
P
try() { echo "--- $*"; assay compare "$@" >out.txt 2>&1; echo "exit $?"; sed -n '2p; /^- slow/p; /same bytes/p' out.txt; }
try a.json gone.json
try a.json gone.json --allow-removed
try a.json skipped.json
try a.json skipped.json --allow-removed
try a.json slower.json
try a.json slower.json --allow-removed
try gone.json a.json
try a.json a.json
echo "--- JSON"
assay compare a.json debug.json --json >out.json; echo "exit $?"
python3 -c 'import json; d = json.load(open("out.json")); print(d["baseline"], d["candidate"], d["format"], d["verdict"]); print(*d["warnings"], sep="\n")'
echo "--- empty"
assay compare empty.json empty.json | tail -n +9
assay compare --help | awk 'length > 99 { print "wide: " $0 }'
