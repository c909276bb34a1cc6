# A baseline file holds ten rounds, and its check measures as many and decides: reproduced (0), or not when the kernel is 6 % slower (1).
# The samples of one process do not show how processes differ: such a file is told to be written anew where its check cannot decide.
cat >assay.yaml <<'Y'
version: 1
kernels:
  mine: {operator: scale, backend: sim, sim: {base_us: 100}}
Y
rounds() { python3 -c 'import json, sys; print("rounds:", {sum(r["is_valid"] for r in c["rounds"]) for c in json.load(open(sys.argv[1]))["cases"]})' "$1"; }
set_and_check() { # DEVICE OPTIONS
    sed -i 's/base_us: [0-9]*/base_us: 100/' assay.yaml
    assay baseline set --device "$1" --kernel mine --suite quick --output base.json --quiet "${@:2}" >/dev/null; echo "$1: set $?"
    rounds base.json
    assay baseline check base.json --output again.json --seed 7 >out.txt; echo "check: $?"; tail -1 out.txt
    rounds again.json
    sed -i 's/base_us: 100/base_us: 106/' assay.yaml
    assay baseline check base.json >out.txt; echo "slower: $?"; tail -1 out.txt
}
set_and_check sim:steady
set_and_check sim:promise
set_and_check sim:promise --rounds 1
assay baseline set --device sim:steady --kernel mine --output other.json --rounds 0; echo "none: $?"
