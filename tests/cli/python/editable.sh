# A package of a src layout that is installed in place (`pip install -e`) is the working tree's in every revision, whatever imports it: the
# operator's file, its reference, kernels. Against a revision all three are that revision's; what git does not track is there for both.
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
python3 "$ASSAY_SOURCE/tests/cli/python/_editable.py" "$ASSAY_SOURCE/peers" || exit 1
mkdir -p ops src/own && python3 -m venv --without-pip .venv && site=$(echo .venv/lib/python3*/site-packages)
echo '__version__ = "1"' >src/own/_version.py # as a build writes it
printf 'from ._version import __version__\nFACTOR = 2\n' >src/own/__init__.py
echo 'SIZES = [5, 64]' >src/own/sizes.py
cat >src/own/twice.py <<'P'
from own import FACTOR
try:
    from own.fast import FACTOR
except ImportError:
    pass
OFFSET = 0

def twice(x, y, n):
    from own import late
    x, y = (t.memory().cast("d" if t.dtype == "fp64" else "f") for t in (x, y))
    for i in range(n):
        y[i] = FACTOR * x[i] + OFFSET + late.OFFSET
P
echo 'OFFSET = 0' >src/own/late.py
cat >ops/twice.py <<'P'
from own.sizes import SIZES
from own.twice import twice as reference

def inputs(n=64):
    return {"x": f"fp32[{n}]"}

def outputs(n):
    return {"y": f"fp32[{n}]"}

problems = [{"n": n} for n in SIZES]
P
cat >assay.yaml <<'Y'
version: 1
python_interpreter: .venv/bin/python3
operators: {twice: ops/twice.py}
kernels: {mine: {operator: twice, backend: cpu, python: "own.twice:twice"}}
gate: {suite: twice, check: twice, candidate: mine}
Y
printf '.venv/\nruns/\n_version.py\n' >.gitignore
git init -q -b main . && git config user.email t@example.org && git config user.name tester && git add -A && git commit -qm first
gated() { # what: kernel and reference are wrong alike
    assay gate --baseline git:HEAD --rounds 5 --iters 5 --sample-time 0.1ms >../out 2>&1
    echo "$1: exit $?"
    sed -n 's/^assay: error: /  /p; s/^mine: /  mine: /p' ../out
}
measured() { # the revision's kernel, by the working tree's reference
    assay bench --kernel mine --vs git:HEAD --problem twice/n5 --rounds 1 --iters 5 --sample-time 0.1ms --isolation $1 >../out 2>&1
    echo "measured, isolation $1:$(sed -n '/^mine @/,$ s/.*(when measured): \(.*\)/ \1/p' ../out)"
}
in_place() { echo "$PWD/src" >"$site/__editable__.own-1.0.pth"; }
by_finder() { # as setuptools writes it
    echo 'import __editable___own_1_0_finder; __editable___own_1_0_finder.install()' >"$site/__editable__.own-1.0.pth"
    cat >"$site/__editable___own_1_0_finder.py" <<P
import sys
from importlib.machinery import PathFinder
from importlib.util import spec_from_file_location

MAPPING = {"own": "$PWD/src/own"}

class _EditableFinder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in MAPPING:
            return spec_from_file_location(fullname, MAPPING[fullname] + "/__init__.py")
        parent, _, child = fullname.rpartition(".")
        if parent and parent in MAPPING:
            return PathFinder.find_spec(fullname, path=[MAPPING[parent]])
        return None

def install():
    sys.meta_path.append(_EditableFinder)
P
}
in_place
sed -i 's/= 2/= 3/' src/own/__init__.py
gated 'by a .pth file'
measured process
by_finder
echo 'FACTOR = 3' >src/own/fast.py # is new
git mv src/own/sizes.py src/own/numbers.py && sed -i 's/own.sizes/own.numbers/' ops/twice.py && git add -A
gated 'by a finder'
measured none
rm "$site"/__editable__* && export PYTHONPATH=src
gated 'by PYTHONPATH'
unset PYTHONPATH && git reset -q --hard && in_place && rest=$(grep -v sizes ops/twice.py) && cat >ops/twice.py <<P
import importlib.util
spec = importlib.util.spec_from_file_location("sizes", "$PWD/src/own/sizes.py")
sizes = importlib.util.module_from_spec(spec)
import sys; sys.modules["sizes"] = sizes
spec.loader.exec_module(sizes)
SIZES = sizes.SIZES
$rest
P
git commit -qam 'by its path'
gated 'a module loaded by its path'
git status --short
