# A baseline file holds ten rounds, and its check measures as many and decides: reproduced (0), or not when the kernel is 6 % slower (1).
# On a device whose processes differ, too, and with as few rounds as have an interval.
cat >assay.yaml <<'Y'
version: 1
kernels:
  mine: {operator: scale, backend: sim, sim: {base_us: 100}}
suites:
  pr: {problems: {a: scale/fp32/n64, b: scale/fp32/n65}}
Y
rounds() { python3 -c 'import json, sys; print("rounds:", {sum(r["is_valid"] for r in c["rounds"]) for c in json.load(open(sys.argv[1]))["cases"]})' "$1"; }
set_and_check() { # DEVICE OPTIONS
    sed -i 's/base_us: [0-9]*/base_us: 100/' assay.yaml
    assay baseline set --device "$1" --kernel mine --suite pr --output base.json --quiet "${@:2}" >/dev/null; echo "$1: set $?"
    rounds base.json
    assay baseline check base.json --output again.json --seed 7 >out.txt; echo "check: $?"; tail -1 out.txt
    rounds again.json
    sed -i 's/base_us: 100/base_us: 106/' assay.yaml
    assay baseline check base.json >out.txt; echo "slower: $?"; tail -1 out.txt
}
set_and_check sim:steady
set_and_check sim:promise
set_and_check sim:promise --rounds 6
assay baseline set --device sim:steady --kernel mine --suite pr --output other.json --rounds 0; echo "none: $?"
