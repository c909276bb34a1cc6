# What is wrong with a Python file that declares an operator is one sentence that says what to write.
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
python=$(python3 -c 'import sys; print(sys.executable)') # behind no script that starts it
printf 'version: 1\npython_interpreter: %s\n' "$python" >assay.yaml
try() { # what; the file; its name
    [ -z "$2" ] || printf '%s\n' "$2" >"${3-one.py}"
    assay list operators "${3-one.py}" >out 2>err; code=$?
    echo "$1: $code: $(sed "s/^assay: error: //; s,$PWD,HERE,g; s,$python,PYTHON,; s/\(SyntaxError at line [0-9]*\): .*/\1/" err)$(grep '^one' out)"
}
reference='def reference(x): return x'
outputs='outputs = {"y": "fp32[n]"}'
both="$reference
$outputs"
inputs='def inputs(n=64): return {"x": f"fp32[{n}]"}'
try 'is right' "$inputs
$both"
try 'has no inputs' "$both"
try 'has no reference' "$inputs"
try 'is not there' '' nowhere.py
try 'does not parse' 'def inputs(n=64):
    return {' 
try 'imports what is missing' 'import no_such_package'
try 'raises when loaded' 'table = {}["key"]'
try 'ends when loaded' 'import sys
sys.exit("not today")'
try 'dies when loaded' 'import os
print("a last word", flush=True)
os.kill(os.getpid(), 9)'
echo 'limits: {reference_s: 1}' >>assay.yaml
try 'hangs when loaded' 'while True: pass'
sed -i /limits/d assay.yaml
try 'closes its output' "import os
for fd in range(1, 20):
    try: os.close(fd)
    except OSError: pass
$inputs
$both"
try 'prints what is no answer' "import os
os.write(1, b'{\"error\": \"not this\"}\n')
$inputs
$both"
try 'has capitals' "$inputs
$both" One.py
try 'has functions in a class' 'class Norm:
    def inputs(self, n=64): return {"x": f"fp32[{n}]"}
    def reference(self, x): return x'
try 'has methods' "class Norm:
    def inputs(self, n=64): return {'x': f'fp32[{n}]'}
inputs = Norm.inputs
$both"
try 'has a dict in place of a function' "inputs = {'x': 'fp32[64]'}
$both"
try 'has lambdas' 'inputs = lambda n=64: {"x": f"fp32[{n}]"}
reference = lambda x: x
'"$outputs"
try 'imports from its package' 'from .common import SIZE'
try 'is indented by tabs and blanks' 'def inputs(n=64):
	a = 1
        return {}'
echo "--- parameters"
parameter() { try "$1" "def inputs($1): return {'x': f'fp32[{n}]'}
$both"; }
parameter 'n'
parameter 'n=64, causal=True'
parameter 'n=64, kind="silu"'
parameter 'n=64, bias=None'
parameter 'n=0'
parameter '*n'
parameter '*, n=64'
parameter 'n=64.0'
parameter 'n="64"'
parameter 'n=1 << 40, m=1 << 40'
echo "--- inputs"
input() { try "$1" "def inputs(n=64): $1
$both"; }
input 'raise KeyError("no")'
input 'return f"fp32[{n}]"'
input 'return {"x": "float[3]"}'
input 'return {"x": "fp32 3"}'
input 'return {"x": f"fp32[{n}] normall"}'
input 'return {"x": f"fp32[{m}]"}'
input 'return {"x": "fp32[m]"}'
input 'return {"my x": f"fp32[{n}]"}'
input 'return {"x": f"fp32[{n - 64}]"}'
input 'return {"x": f"fp32[{n << 55}]"}'
input 'return {"x": f"fp32[{n / 2}]"}'
input 'return {"x": [1, 2]}'
input 'return {"x": "fp32[{n}]"}'
input 'return {"x": f"float32[{n}]"}'
input 'yield {"x": f"fp32[{n}]"}'
input 'return f"fp32[{n}]", f"fp32[{n}]"'
input 'return {"x": f"fp32[{n}]", "flag": True}'
input 'return {"x": f"fp32[{n}]", "scale": 1 / n}'
input 'return {"x": "fp32[%d]" % len(str(int(n)))}'
input 'return {"x": f"fp32[{n}]", "n": n + 1}'
input 'return {"x": f"fp32[{n}]", "m": None}'
input 'return {"z": f"fp32[{n}]"}'
echo "--- other names"
more() { try "$1" "$inputs
$both
$1"; }
more 'outputs = {"y": 3}'
more 'outputs = "fp32[n]"'
more 'def outputs(m): return {"y": f"fp32[{m}]"}'
more 'problems = {"n": 3}'
more 'problems = [{"m": 3}]'
more 'problems = [{"n": 0}]'
more 'problems = [{"n": 3}, {"n": 3}]'
more 'tolerance = 0.5'
more 'tolerance = {"atol": 0.5}'
more 'tolerance = {"atol": 0.5, "why": "wide", "mad": 3}'
more 'where = "n > 3"'
more 'where = ["n > 100"]'
more 'flops = 2.5'
more 'def flops(n): return n / 2'
more 'plain = 3'
echo "--- in a manifest"
in_manifest() { printf 'version: 1\noperators: {%s}\n' "$1" >assay.yaml; assay list operators 2>&1 >/dev/null | sed "s,$PWD/,,"; }
printf '%s\n' "$both" >one.py
in_manifest 'one: one.py'
in_manifest 'one: ../one.py'
in_manifest 'one: one'
in_manifest 'gemm: one.py'
printf '%s\n%s\n' "$inputs" "$both" >one.py
in_manifest 'gemm: one.py'
printf 'version: 1\noperators: {one: other.py}\npython_interpreter: ./none\n' >assay.yaml && cp one.py other.py
assay list operators 2>&1 | sed "s,$PWD/,,"
sed -i /none/d assay.yaml
assay list operators one.py 2>&1 | sed "s,$PWD/,,"
echo "--- several, by one interpreter"
mkdir a b && echo 'SIZE = 3' >a/common.py && echo 'SIZE = 5' >b/common.py
for folder in a b; do printf 'from common import SIZE\n%s\n%s\n' "${inputs/n=64/n=SIZE}" "$both" >$folder/$folder.py; done
printf '#!/bin/sh\necho >>%s/starts\nexec %s "$@"\n' "$PWD" "$python" >count && chmod +x count
printf 'version: 1\npython_interpreter: ./count\noperators: {a: a/a.py, one: {outputs: {y: "fp32[3]"}}, b: b/b.py}\n' >assay.yaml
several() { assay list operators 2>&1 | sed "/^attention\|^gemm\|^scale/d; s,$PWD/,,"; }
several
echo "interpreters: $(wc -l <starts)"
echo 'import os; os.write(2, b"a last word\n"); os.kill(os.getpid(), 9)' >>b/b.py
several
sed -i 's/kill.*/_exit(3)/' b/b.py
several
sed -i 's/import os.*/while True: pass/' b/b.py && echo 'limits: {reference_s: 1}' >>assay.yaml
several
echo 'raise KeyError' >>a/a.py
sed -i '/while/d' b/b.py
several
