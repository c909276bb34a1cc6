# What else an operator's Python file may have.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" numpy
rm -f assay.yaml
python=$("$python" -c 'import sys; print(sys.executable)')
mkdir -p ops bin && ln -s "$python" bin/python3 && export PATH=$PWD/bin:$PATH
echo 'import numpy as np' >mine.py
run() { assay fuzz "ops/$1.py" --kernel "mine:$2" "${@:3}" >out 2>err; echo "$1 $2 ${*:3}: $?"; sed '/^note: /d; /^kernel 1/d; s/^assay: error: //' err; }
# True and False: a scalar that a function gets as such.
cat >ops/flag.py <<'P'
import numpy as np

def inputs(n=12, negate=True):
    return {"x": f"fp32[{n}]", "negate": negate}

def reference(x, negate):
    assert negate is True or negate is False
    return {"y": -x if negate else x * 2}
P
cat >>mine.py <<'P'

def flag(x, negate):
    assert negate is True or negate is False
    return -x if negate else x * 2

def always(x, negate):
    return -x
P
run flag flag --problem negate=False
run flag always --problem n=12
run flag always --problem n=12,negate=False
grep '^smallest' out
# `plain` computes as kernels do: its errors are what the 2 x rule allows.
cat >ops/half.py <<'P'
import numpy as np

def inputs(rows=80, n=16):
    return {"x": f"fp32[{rows}, {n}]"}

def reference(x):
    return {"y": 2 * x}
P
cat >>mine.py <<'P'

def half(x):
    return (2 * x.astype(np.float16)).astype(np.float32)
P
run half half --problem rows=80
printf '\ndef plain(x):\n    return {"y": (2 * x.astype(np.float16)).astype(np.float32)}\n' >>ops/half.py
run half half --problem rows=80
printf '\ndef plain(x):\n    return {"y": 3 * x}\n' >>ops/half.py # no rounding
run half half --problem rows=80
grep '^reference of' out
