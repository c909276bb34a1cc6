# slow: an interpreter is started for every mistake
# What a reference in Python does wrong ends fuzz with one sentence that says what to write, before a kernel is judged.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" numpy torch
. "$ASSAY_SOURCE/tests/cli/operators/_declared.sh"
declare_twice "python_interpreter: $python"
sed -i 's/reference: reference.c/reference: ops\/twice.py/' assay.yaml
mkdir ops
cp assay.yaml right.yaml
try() { # what it does; body of the function; before it; its parameters
    [ "$2" = as_it_is ] || printf 'import numpy as np\n%s\ndef reference(%s):\n    %s\n' "${3-}" "${4-x}" "$2" >ops/twice.py
    assay fuzz --kernel mine --problem twice/n5 >out 2>err; code=$?
    sed -i '/^note: /d; /^kernel 1 of 1: /d; s,'"$PWD"',HERE,g' err # the machine is busy
    echo "$1: $code$(sed 's/^assay: error://; 2,$d; s,/[^ ]*python3,PYTHON,; s/NumPy [0-9.]*/NumPy/; s/PyTorch [0-9.]*/PyTorch/' err)"
    grep '^reference of' out | sed 's/^/  /; s/NumPy [0-9.]*/NumPy/; s/PyTorch [0-9.]*/PyTorch/'
    rm -rf runs
}
try 'is honest' 'return 2 * x'
try 'fills its output' 'y[...] = 2 * x' '' 'x, y'
try 'returns a dict' 'return {"y": 2 * x}'
try 'prints' 'print("printed"); return 2 * x'
try 'starts a process, as a kernel in Python may' 'import os; os._exit(0) if os.fork() == 0 else os.wait(); return 2 * x'
try 'raises' 'raise ValueError("no table")'
try 'returns another name' 'return {"z": 2 * x}'
try 'returns another shape' 'return np.append(x, x)'
try 'returns complex numbers' 'return 2j * x'
try 'returns integers' 'return x.astype(int)'
try 'returns two results' 'return x, 2 * x'
try 'returns nothing' '2 * x'
try 'returns a text' 'return "2 * x"'
try 'has another parameter' 'return 2 * w' '' w
try 'changes an input' 'x *= 2; return x'
try 'changes an input of PyTorch' 'return x.mul_(2)' 'import torch'
try 'returns complex numbers of PyTorch' 'return x * 2j' 'import torch'
try 'returns a list of PyTorch' 'return [[float(v) for v in x]]' 'import torch'
try 'ends the process' 'import os; os._exit(3)'
try 'exits' 'raise SystemExit(3)'
try 'writes a file' 'open("'"$PWD"'/file", "w")'
try 'needs a package' 'return 2 * x' 'import nowhere'
try 'imports from its package' 'return 2 * x' 'from .common import x'
try 'needs a package later' 'import nowhere'
try 'has a syntax error' 'return 2 x'
try 'raises when it is imported' 'return 2 * x' 'table = [][0]'
sed -i 's/twice.py/&:nothing/' assay.yaml
try 'has no such function' 'return 2 * x'
sed -i 's/twice.py:nothing/twice.py:not a name/' assay.yaml
try 'has no name' as_it_is
sed 's/outputs: {y: "fp32/outputs: {y: "int8/; s/\[n\]"}, reference/[n] steps(1)"}, reference/' right.yaml >assay.yaml
try 'has no number for an integer' 'return x * np.nan'
try 'has no number for an integer of PyTorch' 'return x * np.nan' 'import torch'
try 'makes an integer of NaN' '2 * (x * np.nan).astype(np.int8)'
try 'makes an integer of what PyTorch has too large' 'return (1e4 * x).round().to(torch.int8)' 'import torch'
sed 's/ops.twice.py/"&", reference_call: "twice(x, y, int n)"/' right.yaml >assay.yaml
try 'has a signature' as_it_is
sed 's/ops.twice.py/ops\/nowhere.py/' right.yaml >assay.yaml
try 'is missing' as_it_is
sed '$ a limits: {reference_s: 5}' right.yaml >assay.yaml
printf 'def reference(x, y):\n    while True: pass\n' >ops/twice.py # imports nothing, so that it is sure to have begun
try 'hangs' as_it_is
[ ! -e file ] || echo "it wrote a file"
# No mistakes: what one precision lacks, the other decides; the report says so.
cp right.yaml assay.yaml
try 'needs fp64' 'assert x.dtype == torch.float64; return 2 * x' 'import torch'
try 'needs fp32' 'assert x.dtype == torch.float32; return 2 * x' 'import torch'
try 'reinterprets bits' 'return 2 * x.view(torch.int32).view(torch.float32)' 'import torch'
try 'means a rounding' 'return 2 * x.half().to(torch.int8).to(torch.float32) if x.dtype == torch.float64 else 2 * x' 'import torch'
try 'is infinite as written' 'return 2 * x * (np.inf if x.dtype == np.float32 else 1)'
try 'rounds in NumPy' 'return 2 * x * (1 + 0.01 * (x.dtype == np.float64))'
