# A kernel in Python runs confined: it reads its folder and the interpreter's, writes to a folder of its own that is gone afterwards,
# and finds nothing of the user's. What a killed assay left goes with the next run.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
python3 -c "import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)" || { echo "SKIPPED: no Landlock"; exit 0; }
mkdir tmp tmp/assay-scratch-old0 tmp/another && touch -d '1 hour ago' tmp/assay-scratch-old0 tmp/another
echo secret >../outside && chmod 644 ../outside
cat "$ASSAY_SOURCE/tests/cli/python/_can.py" - >kern/spy.py <<P
import glob
import os
import socket
import subprocess
import sys


FACTS = [
    "at import: " + can(write, "$PWD/kern/trace"),
    "reads outside: " + can(open, "$PWD/../outside"),
    "reads the home folder: " + can(os.listdir, "$HOME"),
    "reads its folder: " + can(open, "$PWD/kern/plain.py"),
    "reads the run: %s" % {can(open, file) for file in glob.glob("$PWD/runs/*-fuzz-*/*.json*")},
    "writes outside: " + can(write, "$PWD/written"),
    "writes home: " + can(write, os.path.expanduser("~/x")),
    "caches: %s" % all(os.environ[name].startswith(os.environ["HOME"] + "/") for name in ("TRITON_CACHE_DIR", "CUDA_CACHE_PATH")),
    "home is temporary: %s" % (os.environ["HOME"] == os.environ["TMPDIR"] and os.environ["HOME"].startswith("$PWD/tmp/assay-scratch-")),
    "program: " + can(subprocess.check_call, ["/bin/true"]),
    "network: " + can(socket.socket),
    "token: %s" % os.environ.get("CI_JOB_TOKEN"),
    "hash seed: %s" % os.environ["PYTHONHASHSEED"],
]


def forward(problem, inputs, outputs, stream):
    for fact in FACTS:
        print("fact:", fact)
    raise NotImplementedError("looked around")
P
export TMPDIR=$PWD/tmp CI_JOB_TOKEN=1234
assay fuzz --kernel kern.spy:forward --problem attention/fp32/b1/h1/s2/d2 --verbose 2>&1 | grep -oE 'fact: .*|looked around' | sort -u
ls tmp kern/trace written 2>&1 || true
