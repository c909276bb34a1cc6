# SPDX-License-Identifier: Apache-2.0
# A slower candidate is slower: with --baseline that is code 1; without, the kernel whose place it takes is beside it and decides nothing.
complain() { echo "FAILED: $*"; exit_code=1; }
exit_code=0
cat >assay.yaml <<'Y'
version: 1
kernels:
  mine: {operator: scale, backend: sim, sim: {base_us: 100}}
  slow: {operator: scale, backend: sim, sim: {base_us: 140}}
  lies: {operator: scale, backend: sim, sim: {base_us: 140, stamps_pct: 40}}
  narrow: {operator: scale, backend: sim, sim: {base_us: 100, unsupported_on: scale/fp32/n65}}
suites: {pr: {problems: {a: scale/fp32/n64, b: scale/fp32/n65}}}
gate: {candidate: mine}
Y
asked() { # CANDIDATE WANTED-CODE WANTED-VERDICT OPTIONS...
    local name=$1 code=$2 verdict=$3 got
    shift 3
    assay referee scale "$name" --device sim:steady --suite pr --json "$@" >answer.json 2>err
    got=$?
    [ $got = "$code" ] && grep -q "\"verdict\": \"$verdict\"" answer.json || complain "$name $*: code $got: $(cat answer.json err)"
}
asked slow 0 right
python3 - <<'P' || complain "$(cat answer.json)"
import json
answer = json.load(open("answer.json"))
ratio, problem = answer["against"][0], answer["problems"][0]
assert ratio["name"] == "mine" and ratio["speed"] == "slower" and ratio["speedup_low"] < ratio["speedup"] < ratio["speedup_high"] < 0.8, ratio
assert problem["against"][0]["median_ns"] < problem["median_ns"] and ratio["round_count"] == 3 and len(answer["problems"]) == 2, problem
P
asked slow 1 right --baseline mine --rounds 2
grep -q 'slower' answer.json || complain "no word of it: $(cat answer.json)"
asked mine 0 right --baseline slow
asked narrow 3 unsupported
asked lies 1 dishonest
[ $exit_code = 0 ] && echo "as it is"
exit $exit_code
