# Names that would control a terminal (escape sequences, new lines) or fill it appear in no message and no table.
export PYTHONPATH=$ASSAY_SOURCE/tests/cli:$ASSAY_SOURCE/tests/cli/formats PYTHONDONTWRITEBYTECODE=1
python3 - <<'P' || exit 9
import json
import _nvbench as nvbench
from _google import *
good = [100 + 0.1 * ((i * 7) % 20) for i in range(20)]
bad = "\u001b[31mred\u001b]0;title\u0007\nassay: error: all is well"
write("name.json", rows("f/" + bad, good) + rows("f/" + bad, good, 1))
write("unit.json", rows("f/1", good, time_unit=bad))
write("type.json", rows("f/1", good, run_type=bad))
write("table.json", rows("f/" + bad, good))
whole = nvbench.document("file.json", [nvbench.state("S=1", nvbench.times(1e-3))])
data = [s for s in whole["benchmarks"][0]["states"][0]["summaries"] if s["tag"].startswith("nv/json/bin")][0]["data"]
data[0]["value"] = bad
json.dump(whole, open("file.json", "w"))
data[0]["value"] = "\u00e9" * 600
json.dump(whole, open("long.json", "w"))
P
for file in name unit type file long table; do
    echo "--- $file"
    assay compare $file.json $file.json >out.txt 2>err.txt; echo "exit $?"
    cat err.txt
    [ "$(wc -l <err.txt)" -le 1 ] || echo "more than one line"
    LC_ALL=C grep -q "$(printf '[\033\007]')" out.txt err.txt && echo "control characters"
done
grep -o '^f/.*~[0-9a-f]*' out.txt
assay compare unit.json unit.json --json 2>/dev/null
touch "$(printf 'e\033[31m.json')"
assay compare "$(printf 'e\033[31m.json')" table.json 2>&1
echo "exit $?"
