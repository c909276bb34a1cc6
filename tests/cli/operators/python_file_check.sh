# A kernel called by name against an operator's Python file, without a manifest: checked, made smaller, measured.
# slow: operators/python_file and operators/fuzz take its branches
for python in python3 /usr/bin/python3; do "$python" -c 'import numpy' 2>err && break; done
[ ! -s err ] || { echo "SKIPPED: no Python with NumPy"; exit 0; }
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
rm assay.yaml
python=$("$python" -c 'import sys; print(sys.executable)')
mkdir -p ops bin && ln -s "$python" bin/python3 && export PATH=$PWD/bin:$PATH
cat >ops/scaled.py <<'P'
import numpy as np

def inputs(rows=16, hidden=24, eps=1e-6):
    return {"x": f"fp32[{rows}, {hidden}]", "weight": f"fp32[{hidden}] normal(1, 0.1)", "eps": eps}

def reference(x, weight, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight
P
cat >mine.py <<'P'
import numpy as np

def scaled(x, weight, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(eps)) * weight

def bug(x, weight, eps):
    y = scaled(x, weight, eps)
    y[16:] = 0
    return y
P
run() { assay "$@" 2>err | sed '/^results: /d; s/ (abs .*//; s/ *[0-9.]* [um]s.*//'; sed '/^note: /d; /^kernel 1/d' err; }
run fuzz ops/scaled.py --kernel mine:scaled --problem rows=3,hidden=5
run fuzz ops/scaled.py --kernel mine:bug --problem rows=18,hidden=1 | tail -5
run fuzz ops/scaled.py --kernel mine:scaled --quiet
run fuzz ops/scaled.py --audit --suite scaled --quiet
run bench ops/scaled.py --kernel mine:scaled --rounds 2 --iters 5 --dry-run | head -2
echo "--- its reference as a kernel"
run fuzz ops/scaled.py --kernel reference --problem rows=3,hidden=5
run bench ops/scaled.py --kernel mine:scaled --vs reference,reference:compiled --dry-run | head -4
run fuzz --kernel reference:compiled
printf 'import functools\n\ndef compile(function, dynamic):\n    return functools.wraps(function)(lambda *a: 2 * function(*a))\n' >ops/torch.py
echo 'reference.tensors = "numpy"' >>ops/scaled.py
run fuzz ops/scaled.py --kernel reference:compiled --problem rows=1,hidden=1 | grep expected
