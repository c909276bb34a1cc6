# PYTHONPATH names the project: what is imported from there is found, and runs confined. Python itself would run sitecustomize, and a file
# that is named like one of its modules, before that: in kernels' processes, references', and where a file is asked what it declares.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" numpy
printf 'version: 1\npython_interpreter: %s\n' "$("$python" -c 'import sys; print(sys.executable)')" >assay.yaml
mkdir lib ops
cat >lib/sitecustomize.py <<P
try:
    with open("$PWD/escaped", "a") as file:
        file.write(__name__ + chr(10))
except OSError:
    pass
P
for module in ast ctypes difflib; do cp lib/sitecustomize.py lib/$module.py; done
echo 'def doubled(x): return x + x' >lib/helper.py
cat >ops/twice.py <<'P'
import helper
import numpy as np
def inputs(n: int = 64):
    return {"x": f"fp32[{n}]"}
def reference(x):
    return helper.doubled(x)
P
printf 'import helper\nimport numpy\ndef twice(x):\n    return helper.doubled(x)\n' >mine.py
sed 's/twice(x)/thrice(x)/; s/helper.doubled(x)/x + helper.doubled(x)/' mine.py >other.py
PYTHONPATH=lib assay fuzz ops/twice.py --kernel mine:twice --problem twice/n64 2>err | grep -oE '1/1 .*|PASS'
PYTHONPATH=lib assay fuzz ops/twice.py --kernel other:thrice --problem twice/n64 >out 2>&1; echo "wrong: $?"
cat err
# Nor where a solution in C++ of a set is about to be built, where something that it is built with is not there.
. "$ASSAY_SOURCE/tests/cli/dataset/_set.sh"
CXX=none PYTHONPATH=lib assay fuzz --dataset "$set/trace" --definition paged_sum_h8 --suite paged_sum_h8 --only 27ef153a \
    --solution sum_cpp >out 2>&1
grep -oE "the solution 'sum_cpp':" out
[ ! -e escaped ] || sort escaped | uniq -c
