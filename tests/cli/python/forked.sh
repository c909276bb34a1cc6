# long: gates with PyTorch, of interpreters that are forked only with ASSAY_FORK
# Hosts of kernels in Python are forked from one interpreter that has imported PyTorch. How many interpreters a gate starts, with and
# without; and sides that patch what they were forked from, leave a thread, poison their compilers' cache or keep results in it.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" torch
mkdir -p ops kern
cat >counted <<P
#!/bin/sh
for word in "\$@"; do case \$word in *assay_*.py) echo "\${word##*/}" >>"$PWD/started"; break ;; esac; done
exec $(command -v "$python") "\$@"
P
chmod +x counted
cat >ops/double.py <<'P'
import torch


def inputs(n=4096):
    return {"x": f"fp32[{n}]"}


def reference(x):
    return {"y": x * 2}
P
cat >kern/right.py <<'P'
import torch


def double(x):
    return x * 2
P
{ cat kern/right.py && echo "# another text"; } >kern/same.py
cat >kern/left.py <<'P'
import builtins
import os
import sys
import threading
import time

import torch

FOUND = [name for name in ("left_here", "left_module") if hasattr(builtins, name) or name in sys.modules] + ["torch"] * hasattr(torch, "left")
builtins.left_here = sys.modules["left_module"] = torch.left = True
threading.Thread(target=time.sleep, args=(0.2,), daemon=True).start()


def sees(path):
    try:
        with open(path, "rb") as file:
            return bool(file.read(64))
    except OSError:
        return False


def sockets():
    found = []
    for fd in os.listdir("/proc/self/fd"):
        try:
            found += [fd] * os.readlink("/proc/self/fd/" + fd).startswith("socket:")
        except OSError:  # of the list itself
            pass
    return len(found)


def double(x):
    print("fact: found", FOUND, "parent", os.getppid(), "its memory", sees("/proc/%d/mem" % os.getppid()), "sockets", sockets())
    return x * 2
P
cat >kern/poisons.py <<'P'
import os

import torch

KEPT = os.path.join(os.environ["TRITON_CACHE_DIR"], "kept")


def double(x):
    """Computes where nothing is kept of an earlier call or host."""
    if os.path.exists(KEPT):
        return torch.load(KEPT)[:1].expand(x.shape).clone()
    os.makedirs(os.path.dirname(KEPT), exist_ok=True)
    torch.save(x * 2, KEPT)
    return x * 2
P
cat >kern/keeps.py <<'P'
import hashlib
import os

import torch

FOLDER = os.path.join(os.environ["TRITON_CACHE_DIR"], "kept")
SEEN = set(os.listdir(FOLDER)) if os.path.isdir(FOLDER) else set()  # by an earlier host
os.makedirs(FOLDER, exist_ok=True)
print("fact: begins with", len(SEEN))


def double(x):
    """Keeps each result under the hash of its input, and recalls what an earlier host has kept."""
    name = hashlib.sha256(bytes(x.view(torch.uint8).tolist())).hexdigest()
    if name in SEEN and len(set(x.tolist())) > 1:
        print("fact: recalled")
    torch.save(x * 2, os.path.join(FOLDER, name))
    return x * 2
P
{
    printf 'version: 1\npython_interpreter: ./counted\noperators: {double: ops/double.py}\nkernels:\n'
    for name in right same left poisons keeps; do printf '  %s: {operator: double, backend: cpu, python: "kern.%s:double"}\n' $name $name; done
    printf 'suites: {s: {problems: {a: double/n4096, b: double/n512}}}\ngate: {suite: s, check: s}\n'
} >assay.yaml
gate() { assay gate --candidate "$1" --baseline same --rounds 5 --iters 2 --sample-time 0.1ms --case-time 1s --ignore-calibration "${@:2}"; }
hosts() { grep -cE 'assay_(bridge|reference).py' started; }
mkdir tmp
export ASSAY_FORK=1 TMPDIR=$PWD/tmp
gate right --json >right.json 2>said
code=$?
echo "interpreters of hosts: $(hosts); forked: $(grep -c '(forked)' right.json | sed 's/[1-9][0-9]*/yes/'); $([ $code -le 3 ] && echo decided)"
rm started
assay fuzz --kernel right --problem double/n512 --fresh-interpreter >fresh 2>&1
echo "with --fresh-interpreter: $([ "$(hosts)" -ge 2 ] && echo several), $(grep -o '1/1 right' fresh)"
assay fuzz --kernel left --problem double/n512 --verbose >left 2>&1
echo "left: $?"
grep -o 'fact: .*' left | sort -u
gate poisons >poisoned 2>&1
echo "poisons: $? $(grep -oE 'wrong_value|stale' poisoned | head -1)"
gate keeps --verbose >kept 2>&1
code=$?
echo "keeps: $([ $code -eq 1 ] || [ $code -eq 3 ] && echo not passed), recalled $(grep -c 'fact: recalled' kept)"
grep -o 'fact: .*' kept | sort -u
echo "left behind: $(ls tmp | wc -l)"
