# Traces of solutions that fail, each in the way that has a status of its own (the others: run.sh, solution_cpp.sh).
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" numpy
. "$ASSAY_SOURCE/tests/cli/dataset/_set.sh"
printf 'version: 1\npython_interpreter: %s\nlimits: {case_s: 2}\n' "$("$python" -c 'import sys; print(sys.executable)')" >assay.yaml
cp -r "$set/trace" set
solve() { # NAME TEXT
    sed "s/sum_returns/$1/" set/solutions/sum_returns.json >"set/solutions/$1.json"
    python3 - "set/solutions/$1.json" "$2" <<'P'
import json, sys
solution = json.load(open(sys.argv[1]))
solution["sources"] = [{"path": "main.py", "content": sys.argv[2]}]
solution["spec"]["entry_point"] = "main.py::run"
json.dump(solution, open(sys.argv[1], "w"))
P
    assay fuzz --dataset set --definition paged_sum_h8 --suite paged_sum_h8 --only 0c2489b2 --solution "$1" --trace traces.jsonl \
        --no-shrink >out 2>err
    echo "$1: $?"
}
solve wide 'import numpy as np
def run(cache, begins, pages, scale, shift):
    return np.zeros((len(begins) - 1, 8), "f8"), np.zeros(len(begins) - 1, "i4")'
solve raises 'def run(cache, begins, pages, scale, shift):
    raise ValueError("not today")'
solve hangs 'import time
def run(cache, begins, pages, scale, shift):
    time.sleep(60)'
solve syntax 'def run(cache'
solve nameless 'def walk(cache):
    return cache'
solve lacking 'import not_there_at_all'
python3 - <<'P'
import json
for t in map(json.loads, open("traces.jsonl")):
    e = t["evaluation"]
    print(t["solution"], t["workload"]["uuid"][:8], e["status"], [e["correctness"], e["performance"]], "log" if e["log"] else "no log")
P
