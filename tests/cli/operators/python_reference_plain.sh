# slow: an interpreter is started for every command
# A reference in Python that needs no package: fuzz, its audit, bench, and a gate against a revision whose reference decides.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
. "$ASSAY_SOURCE/tests/cli/operators/_declared.sh"
declare_twice 'suites: {few: {problems: {a: twice/n5, b: twice/n64}}}
gate: {suite: few, check: few, candidate: mine}'
sed -i 's/reference: reference.c/reference: "ops\/doubles.py:twice"/; s/^kernels: {/&py: {operator: twice, backend: cpu, python: "kern.doubles:twice"}, /' assay.yaml
rm -r kern reference.c
mkdir ops kern
cat >ops/factor.py <<'P'
FACTOR = 2
P
cat >ops/doubles.py <<'P'
from factor import FACTOR

def twice(n, x, y):
    x, y = (t.memory().cast("d" if t.dtype == "fp64" else "f") for t in (x, y))
    for i in range(n):
        y[i] = FACTOR * x[i]
P
cat >kern/doubles.py <<'P'
def twice(x, y, n):
    x, y = x.memory().cast("f"), y.memory().cast("f")
    for i in range(n):
        y[i] = 2 * x[i]
P
try() { # what; command
    assay "${@:2}" >out 2>err; code=$?
    [ "$2 $code" = "bench 3" ] && code=0 # right, and the machine was busy
    echo "$1: $code"; sed -n 's/^assay: error: /  /p' err
}
try 'right' fuzz --kernel mine --suite few
try 'right, in Python' fuzz --kernel py --suite few
try 'audit' fuzz --audit --suite few
try 'measured' bench --kernel mine --problem twice/n64 --rounds 2 --iters 5
try 'measured, in Python' bench --kernel py --problem twice/n64 --rounds 2 --iters 5 --isolation none
kernel 'for (int i = 0; i < n; ++i) y[i] = (i == 3 ? 2.02f : 2) * x[i];'
try 'an element 1 % too large' fuzz --kernel mine --problem twice/n5
printf 'runs/\nout\nerr\n' >.gitignore
kernel 'for (int i = 0; i < n; ++i) y[i] = 2 * x[i];'
git init -q -b main . && git config user.email t@example.org && git config user.name tester && git add -A && git commit -qm first
kernel 'for (int i = 0; i < n; ++i) y[i] = 3 * x[i];'
sed -i 's/FACTOR \*/3 */' ops/doubles.py
quick=(--baseline git:HEAD --rounds 5 --iters 5 --sample-time 0.1ms --json)
assay gate "${quick[@]}" >result.json 2>err; echo "gate, kernel and reference wrong alike: $?"; sed -n "s/^assay: error: /  /p" err
python3 - <<'P'
import json
result = json.load(open("result.json"))
for change in result["policy"]["changes"]:
    if change["setting"].startswith("operators"):
        print("  differs:", change["setting"], "used the baseline's" if change["used"] == change["baseline"] else change)
P
