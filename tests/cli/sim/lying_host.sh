# A kernel's process that lies, in every way that a script knows, against an honest baseline, which is never accused.
cat >assay.yaml <<'M'
version: 1
suites: {tiny: {from: sim, only: [p0]}}
kernels:
  honest: {operator: scale, backend: sim, sim: {}}
  states_40: {operator: scale, backend: sim, sim: {stamps_pct: 40}}
  hides_slower: {operator: scale, backend: sim, sim: {slower_pct: 12, stamps_pct: 89}}
  states_97: {operator: scale, backend: sim, sim: {stamps_pct: 97}}
  states_98_5: {operator: scale, backend: sim, sim: {stamps_pct: 98.5}}
  states_too_much: {operator: scale, backend: sim, sim: {slower_pct: -20, stamps_pct: 101.5}}
  skips_all: {operator: scale, backend: sim, sim: {skips_work_at_launch: 1}}
  skips_timed: {operator: scale, backend: sim, sim: {skips_work_at_launch: 100}}
  writes_first: {operator: scale, backend: sim, sim: {writes_inputs_at_launch: 1}}
  writes_timed: {operator: scale, backend: sim, sim: {writes_inputs_at_launch: 1000}}
  ends_first: {operator: scale, backend: sim, sim: {ends_at_launch: 1}}
  ends_timed: {operator: scale, backend: sim, sim: {ends_at_launch: 1000}}
  nonsense_first: {operator: scale, backend: sim, sim: {answers_nonsense_at_launch: 1}}
  nonsense_timed: {operator: scale, backend: sim, sim: {answers_nonsense_at_launch: 1000}}
gate: {suite: tiny, check: tiny, regression_pct: 1, improvement_pct: 1}
M
for kernel in honest states_40 hides_slower states_97 states_98_5 states_too_much skips_all skips_timed writes_first writes_timed \
    ends_first ends_timed nonsense_first nonsense_timed; do
    XDG_CACHE_HOME=$PWD/cache-$kernel report_of gate --device sim:steady --candidate $kernel --baseline honest --measure-same \
        --output-dir $kernel >/dev/null
    python3 - $kernel $? <<'P'
import glob, json, sys
result = json.load(open(glob.glob(sys.argv[1] + "/*/result.json")[0]))
verdict = result["decision"]["cases"][0]
said = [f"exit {sys.argv[2]}", verdict["verdict"] + " " + verdict.get("reason", "")]
for case in result.get("checks", []) + result["cases"]:
    for check in case["checks"]:
        side = result["sides"][check["side"]] if isinstance(check["side"], int) else {"role": check["side"]}
        if check["outcome"] != "OK": said.append(f'{side["role"]} {check["outcome"]} {check.get("finding", "-")}: {check["message"]}')
print(sys.argv[1] + ":", "; ".join(said))
P
done
# Without processes of their own the same kernels are caught by what they leave, not by two clocks.
for kernel in skips_timed writes_timed ends_timed nonsense_timed; do
    report_of gate --device sim:steady --candidate $kernel --baseline honest --isolation none >$kernel.out
    echo "$kernel in one process: $?" "$(grep -m1 -oE '(FAIL|CRASHED) .*' $kernel.out)"
done
