# A variant that is slower on most problems and twice as fast on one: it is no elite, but the dispatch table has it for that problem.
. "$ASSAY_SOURCE/tests/cli/tune/_manifest.sh"
manifest "values: {A: [1, 2, 3]}, effects: [{when: {A: 2}, sim: {base_us: 130, slower_pct: -60, slower_on: scale/fp32/n256}}]" \
    "a: scale/fp32/n64, b: scale/fp32/n128, c: scale/fp32/n256, d: scale/fp32/n512"
assay tune --kernel mine --device sim:promise --suite pr --strategy exhaustive --quiet --emit mine.h --output tune.json >/dev/null; echo "exit $?"
/usr/bin/python3 -c '
import json
record = json.load(open("tune.json"))
print([(f["config"], f["rank"]) for f in record["finalists"] if f["config"] == "A=2"])
print([(c["problem"], c.get("config", "as before")) for c in record["choices"]])'
sed -n '/^static const .* mine_ranges/,/^};/p' mine.h | grep -B1 measured
