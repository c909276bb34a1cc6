# slow: operators/policy takes its branches
# Against a revision the baseline's Python file decides: declaration, reference, tolerance and problems. The record says what differs.
for python in python3 /usr/bin/python3; do "$python" -c 'import numpy' 2>err && break; done
[ ! -s err ] || { echo "SKIPPED: no Python with NumPy"; exit 0; }
. "$ASSAY_SOURCE/tests/cli/operators/_declared.sh"
try() { # what changes; further arguments
    assay gate "${file[@]}" --candidate mine --baseline git:HEAD --rounds 5 --iters 5 --sample-time 0.1ms --json "${@:2}" >result.json 2>err
    echo "$1: exit $?"; sed -n 's,/[^ ]*/trees/[^/]*/,TREE/,; s/^assay: error: /  /p' err
    python3 - <<'P'
import json
try: result = json.load(open("result.json"))
except ValueError: raise SystemExit
for change in (result.get("policy") or {}).get("changes", []):
    used = "the baseline's" if change.get("used") == change.get("baseline") else change.get("used")
    print("  differs:", change["setting"], change.get("only_candidate", ""), "used:", used)
checks = [check for case in result["checks"] for check in case["checks"] if result["sides"][check["side"]]["role"] == "candidate"]
print("  candidate:", sum(check["outcome"] == "OK" for check in checks), "of", len(checks), "pass")
P
    rm -rf runs; git checkout -q .
}
python=$("$python" -c 'import sys; print(sys.executable)')
mkdir ops own && ln -s "$python" own/python3 && cat >ops/twice.py <<'P'
import numpy as np

def inputs(n=64):
    return {"x": f"fp32[{n}]"}

def reference(x):
    return {"y": 2 * x}

problems = [{"n": 5}, {"n": 64}]
P
kernel 'for (int i = 0; i < n; ++i) y[i] = 2 * x[i];'
cat >assay.yaml <<Y
version: 1
python_interpreter: ./own/python3
operators: {twice: ops/twice.py}
kernels: {mine: {operator: twice, source: mine.c, call: "twice(x, y, int n)"}}
gate: {suite: twice, check: twice}
Y
printf 'runs/\nown/\nresult.json\nerr\n' >.gitignore
git init -q -b main . && git config user.email t@example.org && git config user.name tester && git add -A && git commit -qm first
wrong='for (int i = 0; i < n; ++i) y[i] = 3 * x[i];'
file=()
kernel "$wrong"; sed -i 's/2 \* x/3 * x/' ops/twice.py
try 'the reference'
kernel 'for (int i = 0; i < n; ++i) y[i] = 2.5f * x[i];'; echo 'tolerance = {"rtol": 0.5, "atol": 1, "why": "wide"}' >>ops/twice.py
try 'the tolerance, a problem named' --problem n=33
kernel 'for (int i = 0; i < n; ++i) y[i] = n == 5 ? 0 : 2 * x[i];'; sed -i 's/{"n": 5}, //' ops/twice.py
try 'its problems'
kernel "$wrong"; sed -i 's,ops/twice,ops/other,' assay.yaml; sed 's/2 \* x/3 * x/' ops/twice.py >ops/other.py
try 'another file'
kernel "$wrong"; sed -i 's,^operators.*,operators: {twice: ops/twice.py\, easy: ops/easy.py},; s/{operator: twice/{operator: easy/; s/^gate.*/gate: {suite: easy\, check: easy}/' assay.yaml
sed 's/2 \* x/3 * x/' ops/twice.py >ops/easy.py
try 'another operator for the kernel'
echo '--- named on the command line'
sed -i '/^operators/d; /^kernels/d; /^gate/d' assay.yaml
cat >mine.py <<'P'
import numpy as np
def twice(x): return {"y": np.float32(2) * x}
P
git add -A && git commit -qm second
sed -i 's/2 \* x/3 * x/' ops/twice.py; sed -i 's/float32(2)/float32(3)/' mine.py
file=(ops/twice.py)
try 'file and kernel' --candidate mine:twice --check twice
echo '--- without a manifest'
git rm -q assay.yaml && git commit -qm third && mkdir -p bin && ln -s "$python" bin/python3 && export PATH=$PWD/bin:$PATH
sed -i 's/2 \* x/3 * x/' ops/twice.py; sed -i 's/float32(2)/float32(3)/' mine.py
try 'file and kernel' --candidate mine:twice --check twice
printf 'version: 1\noperators: {twice: ops/twice.py}\n' >assay.yaml
sed -i 's/2 \* x/3 * x/' ops/twice.py; sed -i 's/float32(2)/float32(3)/' mine.py
try 'a manifest besides' --candidate mine:twice --check twice
rm assay.yaml
sed -i 's/float32(2)/float32(4) \/ np.float32(2)/' mine.py
try 'the kernel alone' --candidate mine:twice --check twice | sed 's/: exit.*//'
