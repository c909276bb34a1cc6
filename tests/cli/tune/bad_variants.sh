# Variants that hang, crash, lie about their clock, or do not build: each is out with its reason, and the others are searched.
. "$ASSAY_SOURCE/tests/cli/tune/_manifest.sh"
manifest "values: {A: [1, 2, 3, 4, 5]}, effects: [
    {when: {A: 2}, sim: {slower_pct: -80, crash_at_launch: 2}},
    {when: {A: 3}, sim: {slower_pct: -80, hang_at_launch: 40}},
    {when: {A: 4}, sim: {slower_pct: -20}},
    {when: {A: 5}, sim: {slower_pct: -80, crash_at_launch: 60}}]" "a: scale/fp32/n64"
sed -i '/^suites/i\  built: {operator: scale, backend: cpu, source: built.c, tune: {values: {A: [1, 2]}}}' assay.yaml
echo 'limits: {case_s: 2}' >>assay.yaml
assay tune --kernel mine --device sim:steady --problem scale/fp32/n64 --strategy exhaustive --quiet --output tune.json >/dev/null; echo "exit $?"
assay tune --kernel mine --device sim:steady --problem scale/fp32/n64 --resume last --strategy exhaustive --quiet --output again.json >/dev/null; echo "exit $?"
/usr/bin/python3 - <<'P'
import json
for name in ("tune.json", "again.json"):
    record = json.load(open(name))
    for v in record["variants"]: print(v["config"], v["fate"], v.get("reason"), "timed" if "speedup" in v else "no time")
    print([(f["config"], f["rank"]) for f in record["finalists"]])
P
{ echo '#if A == 2'; echo '#error "no such tile"'; echo '#endif'; sed -n '/^```c$/,/^```$/p' "$ASSAY_SOURCE/docs/adding.md" | sed '1d;$d'; } >built.c
sed -i 's|^ASSAY_KERNEL|static const int64_t values[] = {1, 2};\nstatic const struct assay_param params[] = {{"A", "a tile", 1, values, 2, 0}};\n&|; s|.launch = launch,|& .params = params, .param_count = 1, .param_bytes = sizeof(struct assay_param),|' built.c
assay tune --kernel built --device cpu --problem scale/fp32/n64 --iters 6 --quiet --json | /usr/bin/python3 -c '
import json, sys
for v in json.load(sys.stdin)["variants"]: print(v["config"], v["fate"], v["reason"][:29])'
assay tune --kernel mine --device sim:steady --problem scale/fp32/n64 --strategy exhaustive --variant-time 1us --quiet --json | /usr/bin/python3 -c '
import json, sys
for v in json.load(sys.stdin)["variants"]: print(v["config"], v["fate"], v["reason"])'
