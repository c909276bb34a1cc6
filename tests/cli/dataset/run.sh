# A set's definitions as operators: the reference as a kernel, solutions that return or fill their results, inputs from files and of a
# function, tolerances of workloads; and traces of what was found.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" numpy
. "$ASSAY_SOURCE/tests/cli/dataset/_set.sh"
printf 'version: 1\npython_interpreter: %s\n' "$("$python" -c 'import sys; print(sys.executable)')" >assay.yaml
run() { # the command's options
    assay fuzz "$@" >out 2>err
    echo "fuzz ${*:2}: $?" | short
    sed -n 's/^\[.*\] //; s/ (abs.*//; / \.\.\. /p; /^  *.[a-z]*. returned/p' out
    sed 's/^assay: error: //' err | grep -v '^note'
}
paged() { run --dataset "$set/trace" --definition paged_sum_h8 --suite paged_sum_h8 "$@"; }
paged --solution reference
paged --solution sum_fills --only 27ef153a --trace traces.jsonl
paged --solution sum_wrong --only 27ef153a --trace traces.jsonl
paged --solution sum_shape --only 0c2489b2 --trace traces.jsonl
run --dataset "$set/sol" --definition Org_Model-1.0_Half_Matmul --suite org_model_1_0_half_matmul --solution half_matmul
run --dataset "$set/trace" --definition gather_v32 --input 'chosen=below(rows)' --solution reference --problem gather_v32/n6
assay bench --dataset "$set/trace" --definition paged_sum_h8 --solution sum_returns --only 0c2489b2 --iters 5 --sample-time 50us \
    --isolation none --trace traces.jsonl >out 2>err
echo "bench: $?"
python3 - <<'P'
import json
for line in open("traces.jsonl"):
    t = json.loads(line)
    e = t["evaluation"]
    known = [k if e[k] else "no " + k for k in ("correctness", "performance")]
    print(t["definition"], t["solution"], t["workload"]["uuid"][:8], e["status"], *known)
P
grep -o 'fuzz --dataset.*definition paged_sum_h8.*' out | head -1
