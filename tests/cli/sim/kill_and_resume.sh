# long: the path of policy/resume and bisect/resume, with 27 problems
# kill -9 in the middle, then --resume: samples and verdicts are those of an unbroken run.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
gate="assay gate --device sim:steady --candidate sim_slower5 --baseline sim --suite sim27 --quiet --output-dir"
$gate whole >whole.out; echo "whole: $?"
rm -r "$XDG_CACHE_HOME/assay/gates" # else the next one is a rerun, on fresh data
$gate broken >broken.out 2>&1 &
pid=$!
for _ in $(seq 2000); do
    journal=$(ls broken/*/journal.jsonl 2>/dev/null | head -1)
    [ -n "$journal" ] && [ "$(grep -c '"kind":"case_state"' "$journal")" -ge 30 ] && break
    sleep 0.002
done
kill -9 $pid && echo "killed"; wait $pid 2>/dev/null
[ ! -e "$(dirname "$journal")/result.json" ] && echo "in the middle"
no_workers && echo "nobody is left behind"
report_of gate --resume last --output-dir broken >resumed.out; echo "resumed: $?"
python3 - <<'P'
import glob, json
def facts(folder):
    result = json.load(open(glob.glob(folder + "/*/result.json")[0]))
    samples = {(c["problem"], r["round"], s["side"]): s["duration_ns"]
               for c in result["cases"] for r in c["rounds"] for s in r["samples"] if r["is_valid"]}
    return samples, [(c["name"], c["verdict"], c["round_count"]) for c in result["decision"]["cases"]]
whole, broken = facts("whole"), facts("broken")
assert whole[0].keys() == broken[0].keys()
# The case in flight is measured anew, as the first one of its worker, which settles on it.
others = {key[:2] for key in whole[0] if whole[0][key] != broken[0][key]}
print("samples:", "the same" if len(others) <= 1 else others)
print("verdicts:", "the same" if whole[1] == broken[1] else "others")
P
