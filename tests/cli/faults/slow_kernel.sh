# A right kernel that is slow is measured: the limit of a case is one of a single call, not of all that a case takes.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
in_each_launch 'nanosleep(&(struct timespec){0, 40000000}, NULL);' time.h
sed -i 's/^gate:/limits: {case_s: 1}\ngate:/' assay.yaml
assay bench --kernel mine --suite tiny --cache warm --warmup 3 --json >out.json; echo "exit $?"
python3 - <<'P'
import json
case = json.load(open('out.json'))["cases"][0]
count = sum(len(s["duration_ns"]) for r in case.get("rounds", []) for s in r["samples"])
print(case["checks"][0]["outcome"], case["checks"][0].get("message", ""), "some samples" if count else "no samples")
P
grep -c '"case_budget_ns": 500000000,' runs/*/plan.json
no_workers
