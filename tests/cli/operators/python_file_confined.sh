# What an operator's Python file declares is asked in the sandbox of kernels' processes: it writes nothing but a folder that is gone
# afterwards, reads nothing of the user's, reaches no network and sees no token. It cannot prepare a verdict on what it belongs to.
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
python3 -c "import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)" || { echo "SKIPPED: no Landlock"; exit 0; }
mkdir tmp && echo secret >../outside && chmod 644 ../outside
cat "$ASSAY_SOURCE/tests/cli/python/_can.py" - >spy.py <<P
import os
import socket
import subprocess
import sys


def inputs(n=64):
    facts = [
        "reads outside: " + can(open, "$PWD/../outside"),
        "reads the home folder: " + can(os.listdir, "$HOME"),
        "reads its folder: " + can(open, "$PWD/spy.py"),
        "writes its folder: " + can(write, "$PWD/trace"),
        "writes home: " + can(write, os.path.expanduser("~/x")),
        "home is temporary: %s" % os.environ["HOME"].startswith("$PWD/tmp/assay-scratch-"),
        "program: " + can(subprocess.check_call, ["/bin/true"]),
        "network: " + can(socket.create_connection, ("127.0.0.1", 9)),
        "ends its parent: " + can(os.kill, os.getppid(), 0),
        "token: %s" % os.environ.get("CI_JOB_TOKEN"),
        "hash seed: %s" % os.environ["PYTHONHASHSEED"],
    ]
    raise ValueError("; ".join(facts[int(os.environ["ASSAY_PART"])::3]))


def reference(x):
    return x
P
export TMPDIR=$PWD/tmp CI_JOB_TOKEN=1234
for part in 0 1 2; do # a sentence has an end
    ASSAY_PART=$part assay list operators spy.py 2>&1 | grep -o 'ValueError at .*' | sed 's/ValueError at line [0-9]*: //; s/; /\n/g'
done
ls tmp trace 2>&1 | sed "s,$PWD,HERE,"
