# The process of a kernel in Python, however it is started, holds nothing that its side must not know: no secret of the user's
# environment, in no frame, no memory and no file of /proc; no trace of the host before it. A file of the project that is named like a
# package runs confined. OpenMP's threads are pinned in fact, not only told to be: the library reads that when it is loaded.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
python=/usr/bin/python3
"$python" -c 'import numpy, torch' 2>/dev/null || { echo "SKIPPED: $python lacks NumPy or PyTorch"; exit 0; }
python3 -c "import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)" || { echo "SKIPPED: no Landlock"; exit 0; }
[ "$(nproc)" -ge 2 ] || { echo "SKIPPED: one processor"; exit 0; }
cat "$ASSAY_SOURCE/tests/cli/python/_can.py" - >kern/spy.py <<'P'
import builtins
import os
import re
import sys

import numpy
import torch

SECRET = re.compile(rb"MY_TOKE[N]=secre[t]")  # matches no text of this file


def frames_say():
    frame, said = sys._getframe(), []
    while frame:
        said += [name for name, value in frame.f_locals.items() if SECRET.search(repr(value).encode())]
        frame = frame.f_back
    return said


def environment_says():
    try:
        with open("/proc/self/environ", "rb") as file:
            return bool(SECRET.search(file.read()))
    except OSError:  # root's, since the process may not be dumped
        return False


def memory_says():
    if can(open, "/proc/self/mem", "rb") != "yes":
        return False
    with open("/proc/self/maps") as lines, open("/proc/self/mem", "rb", 0) as memory:
        for first, last in (line.split()[0].split("-") for line in lines if line.split()[1].startswith("rw")):
            memory.seek(int(first, 16))
            if SECRET.search(memory.read(int(last, 16) - int(first, 16))):
                return True
    return False


def affinities():
    torch.set_num_threads(2)
    (torch.ones(1 << 20) * 2).sum()
    masks = [sorted(os.sched_getaffinity(int(task))) for task in os.listdir("/proc/self/task")]
    return sum(len(mask) == 1 for mask in masks) >= 2


def forward(problem, inputs, outputs, stream):
    facts = {
        "frames": frames_say(),
        "memory": memory_says(),
        "environment": environment_says(),
        "the host before it": hasattr(builtins, "left_here") or "left" in vars(torch) or "left" in vars(numpy),
        "parent's memory": can(open, "/proc/%d/mem" % os.getppid(), "r+b") == "yes",
        "a signal to its parent": os.getppid() > 0 and can(os.kill, os.getppid(), 0) == "yes",
        "pinned": affinities(),
    }
    builtins.left_here = torch.left = numpy.left = True
    for fact in facts.items():
        print("fact: %s: %s" % fact)
    raise NotImplementedError("looked around")
P
# Beside the manifest, where PYTHONPATH finds it first.
cat >triton.py <<P
for path in ("$PWD/escaped", "$PWD/kern/escaped"):
    try:
        open(path, "w").close()
    except OSError:
        pass
__version__ = "0"
P
echo 'import triton' >kern/shadow.py
printf '\n\nfrom kern.plain import forward\n' >>kern/shadow.py
sed -i "1a python_interpreter: $python" assay.yaml
export MY_TOKEN=secret
assay fuzz --kernel kern.spy:forward --threads 2 --problem attention/fp32/b1/h1/s2/d2 --verbose 2>&1 | grep -oE 'fact: .*' | sort -u
PYTHONPATH=$PWD assay fuzz --kernel kern.shadow:forward --problem attention/fp32/b1/h1/s2/d2 2>&1 | grep -oE 'PASS' | sort -u
ls escaped kern/escaped 2>/dev/null
exit 0
