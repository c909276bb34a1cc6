# campaign: real gates, killed and resumed; sim/kill_and_resume takes the path
# kill -9 of the parent in the middle of a gate, then --resume: same plan, nothing measured twice, nobody left behind.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; slow_down
assay gate --baseline git:HEAD --quiet >first.out 2>&1 &
pid=$!
for _ in $(seq 600); do
    journal=$(ls runs/*/journal.jsonl 2>/dev/null | head -1)
    [ -n "$journal" ] && [ "$(grep -c '"kind":"samples"' "$journal")" -ge 5 ] && break
    sleep 0.05
done
kill -9 $pid && echo "killed"; wait $pid 2>/dev/null
sleep 0.7; no_workers
run=$(basename "$(dirname "$journal")")
cp "$journal" before.jsonl; cp "runs/$run/plan.json" plan.before
assay gate --resume "$run" >second.out; code=$?
cmp plan.before "runs/$run/plan.json" && echo "same plan"
python3 - "$journal" <<'P'
import json, sys
lines = open('before.jsonl').read().split('\n')
whole = [l for l in lines[:-1] if l]
after = open(sys.argv[1]).read().split('\n')[:-1]
assert after[:len(whole)] == whole, "what was journalled before the kill changed"
seen = {}
for line in after:
    r = json.loads(line)
    if r["kind"] == "samples":
        key = (r["round"], r.get("attempt", 0), r["case"], r["side"])
        seen[key] = seen.get(key, 0) + 1
twice = {k: n for k, n in seen.items() if n > 1}
# the case in flight may have one side journalled before the kill and both again afterwards
assert len({k[:3] for k in twice}) <= 1, twice
print("nothing measured twice")
P
no_workers
grep -o 'the candidate is slower: .*regression' second.out
[ $code = 1 ] || cat second.out >&2
exit $code
