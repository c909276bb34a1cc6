# slow with sanitizers: profile/collect and unit tests of the store take the path
# A profile is kept with the run beside it; so is each side of a gate that explains. They are listed, shown as they were printed, found
# by problem, side and device; --no-store keeps none.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
. "$ASSAY_SOURCE/tests/cli/history/_store.sh"
if assay history 2>&1 | grep -q "built without a store"; then echo "SKIPPED: this assay was built without a store"; exit 0; fi
export ASSAY_CUPTI=$fakes/libfake_cupti.so FAKE_CUPTI=''
[ -e "$ASSAY_CUPTI" ] || { echo "SKIPPED: $ASSAY_CUPTI is not built"; exit 0; }
cp "$kernel" other.so && echo "other bytes" >>other.so
cat >assay.yaml <<Y
version: 1
kernels:
  mine: {operator: attention, backend: cuda, library: $kernel}
  other: {operator: attention, backend: cuda, library: other.so}
suites:
  s: {problems: {a: attention/fp32/b1/h1/s32/d16}}
gate: {suite: s, check: s, candidate: mine}
Y
problem=attention/fp32/b1/h2/s96/d32
profile() { assay profile --device cuda:0 --profiler cupti --kernel mine --problem "$@"; }
rows() { assay history profiles "$@" | grep -c '20..-..-..T'; }
profile $problem --no-store --iters 0 >out 2>err || complain "the profile failed: $(cat err)"
assay history profiles 2>err; [ $? = 66 ] || complain "--no-store keeps a profile"
profile $problem >printed 2>err || complain "the profile failed: $(cat err)"
[ -s err ] && complain "keeping a profile printed something: $(cat err)"
[ "$(rows)" = 1 ] || complain "not one profile"
profile attention/fp32/b1/h1/s32/d16 --iters 0 >out 2>err || complain "the profile failed: $(cat err)"
[ "$(rows)" = 2 ] || complain "not two profiles"
[ "$(rows --problem $problem)" = 1 ] || complain "the problem finds others"
[ "$(rows --side mine)" = 2 ] || complain "the side does not find both"
[ "$(rows --on 'Fake GPU 0')" = 1 ] || complain "the device finds others"
[ "$(rows --limit 1)" = 1 ] || complain "the limit does not hold"
assay history profiles --side none | grep -q "no profile fits" || complain "no profile, and nothing is said"
id=$(assay history profiles --problem $problem --json | grep -o '"id": [0-9]*' | tr -dc 0-9)
assay history profiles "$id" >shown
# what was printed, but for the functions of the launch
grep -v '^->\|^   *[0-9.]* us' printed | diff - shown >differs || complain "shown otherwise than printed: $(cat differs)"
assay history profiles "$id" --json | python3 -c 'import json, sys; d = json.load(sys.stdin); assert len(d["launches"]) == 1 and len(d["roofline"]["points"]) == 2' ||
    complain "the document"
run=$(assay history profiles --problem $problem --json | grep -o '"run_id": "[^"]*"' | cut -d'"' -f4)
assay history show "$run" | grep -q "$problem" || complain "the run beside the profile is not kept: $run"
assay history profiles 999 2>err; [ $? = 66 ] || complain "no such profile: not 66"
assay history profiles some 2>err; [ $? = 64 ] || complain "no number: not 64"
grep -q "history profiles takes the id of one, not 'some'" err || complain "not said: $(cat err)"

# both sides of a gate, under its run; the verdict is another matter
ASSAY_FAKE_CUDA=l2_kib=64,call_ns=20000 report_of gate --isolation none --device cuda:0 --candidate mine --baseline other --explain >out 2>err
grep -q "What moved\|counted by CUPTI" out || complain "the gate explains nothing: $(cat out err)"
gate=$(assay history --json | grep -o '"run_id": "[^"]*gate[^"]*"' | cut -d'"' -f4)
assay history profiles --json | python3 -c '
import json, sys
gate = sys.argv[1]
of_gate = [p for p in json.load(sys.stdin)["profiles"] if p["run_id"] == gate]
assert sorted(p["side"] for p in of_gate) == ["mine", "other"], of_gate
assert all(p["problem"] == "attention/fp32/b1/h1/s32/d16" and p["suite"] == "s" and p["bottleneck"] for p in of_gate), of_gate
' "$gate" || complain "the profiles of the gate"
assay history prune --before 2100-01-01 >/dev/null || complain "prune"
assay history profiles | grep -q "no profile fits" || complain "profiles outlive their runs"
# a store that cannot be written costs a warning
is_file || exit $failed
rm -rf .assay; echo "no folder" >.assay
profile $problem --iters 0 >out 2>err || complain "a store that cannot be made changed the exit code"
grep -q "warning: this profile is not in the history" err || complain "not warned: $(cat err)"
exit $failed
