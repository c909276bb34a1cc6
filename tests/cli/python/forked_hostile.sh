# long: gates with PyTorch, of interpreters that are forked only with ASSAY_FORK
# Kernels in Python that attack the interpreter which hosts are forked from, what they were forked with, or what a later host gets: they patch
# it, leave threads and processes, fill their compilers' cache, keep results wherever they may, speak its protocol, have their files read
# when nothing confines them. All but those that are right fail, for their own reason; the right one beside them passes.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" torch
mkdir -p project/ops project/kern tmp
python=$(command -v "$python")
"$python" -m venv --without-pip --system-site-packages venv 2>/dev/null || { echo "SKIPPED: $python makes no virtual environment"; exit 0; }
cd project || exit
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
cat >kern/patches.py <<'P'
"""Wrong, and patches all that it was forked with."""
import atexit
import builtins
import gc
import os
import signal
import sys

import torch

FOUND = [name for name in ("left_here", "left_module") if hasattr(builtins, name) or name in sys.modules] + ["torch"] * hasattr(torch, "left")
print("fact: patches found", FOUND)
builtins.left_here = sys.modules["left_module"] = torch.left = True
forked, opened = os.fork, builtins.open


def yes(*arguments, **named):
    return True


class Finder:
    def find_spec(self, name, path=None, target=None):
        return None


sys.meta_path.insert(0, Finder())
builtins.open = lambda *arguments, **named: opened(*arguments, **named)
os.fork = lambda: forked()
os.register_at_fork(before=yes, after_in_parent=yes, after_in_child=yes)
atexit.register(os._exit, 0)
gc.callbacks.append(yes)
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
torch.equal = torch.allclose = torch.Tensor.__eq__ = yes
for name, module in list(sys.modules.items()):
    if name.startswith("assay_"):
        for word, value in list(vars(module).items()):
            if callable(value) and word in ("check_quiet", "needs", "draw_anew", "start_host", "refuse_shared"):
                setattr(module, word, yes)


def double(x):
    return x.clone()
P
cat >kern/keeps.py <<'P'
"""Keeps a result wherever it may, and computes nothing."""
import ctypes
import os
import socket

import torch

libc = ctypes.CDLL(None, use_errno=True)
HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ["/dev/shm/assay-kept", "/tmp/assay-kept", "/var/tmp/assay-kept", os.path.join(HERE, "kept"), os.path.join(os.path.dirname(HERE), "kept"),
         os.path.join(os.environ["HOME"], "kept"), os.path.join(os.environ["TMPDIR"], "..", "kept")]
FD = 300


def kept():
    yield from (path for path in FILES if os.path.exists(path))
    yield from (name for name in os.environ if name == "ASSAY_KEPT")
    yield from ("descriptor %s" % fd for fd in os.listdir("/proc/self/fd") if int(fd) > 4 and "kept" in link(fd))
    if libc.shmget(0x6b657074, 4096, 0o600) >= 0:
        yield "shared memory"
    for name in ("\0assay-kept",):
        try:
            with socket.socket(socket.AF_UNIX) as other:
                other.connect(name)
            yield "socket"
        except OSError:
            pass


def link(fd):
    try:
        return os.readlink("/proc/self/fd/" + fd)
    except OSError:
        return ""


def keep():
    for path in FILES:
        try:
            with open(path, "w") as file:
                file.write("2")
        except OSError:
            pass
    os.environ["ASSAY_KEPT"] = "2"
    os.dup2(os.memfd_create("kept"), FD)
    libc.shmget(0x6b657074, 4096, 0o1600)
    try:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind("\0assay-kept")
        listening.listen()
    except OSError:
        pass


FOUND = sorted(kept())
print("fact: keeps found", FOUND)
print("fact: place", id(bytearray(8 << 20)), torch.empty(1 << 21).data_ptr())
keep()


def double(x):
    return x * len(FOUND)
P
cat >kern/caches.py <<'P'
"""Puts into the cache what is no result of a compiler, looks for the cache of the other side, and computes nothing."""
import glob
import os
import stat

import torch

CACHE = os.environ["TRITON_CACHE_DIR"]
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = 300


def entries():
    for folder, folders, files in os.walk(CACHE):
        for name in folders + files:
            yield os.path.join(folder, name)


def tried(work, *arguments):
    try:
        work(*arguments)
    except OSError:
        return
    print("fact: caches could", work.__name__, arguments[0].replace(HERE, "."))


FOUND = list(entries())
MODES = {stat.S_IFMT(os.lstat(path).st_mode) for path in FOUND}
print("fact: caches found", sorted(map(oct, MODES)))
os.makedirs(CACHE, exist_ok=True)
for path in glob.glob(os.path.join(os.path.dirname(HERE), "runs", "*", "caches", "**"), recursive=True):  # names of this run may be listed
    tried(open, path)
    tried(open, os.path.join(path, "new"), "w")
tried(os.link, __file__, os.path.join(CACHE, "hard"))
os.symlink("/etc/passwd", os.path.join(CACHE, "soft"))
os.symlink(os.path.dirname(HERE), os.path.join(CACHE, "out"))
if not FOUND:
    tried(os.mkfifo, os.path.join(CACHE, "fifo"))
    for i in range(FOLDERS):
        os.mkdir(os.path.join(CACHE, "%d" % i))
    torch.save(torch.zeros(1), os.path.join(CACHE, "kept"))


def double(x):
    path = os.path.join(CACHE, "kept")
    return torch.load(path).expand(x.shape).clone() if os.path.exists(path) else x.clone()
P
cat >kern/remembers.py <<'P'
"""All three; computes nothing."""
import torch

from kern import caches, keeps, patches  # the last patches what the others use


def double(x):
    return caches.double(x) if keeps.FOUND or patches.FOUND else patches.double(x)
P
cat >kern/speaks.py <<'P'
"""Speaks the fork server's protocol to whoever hears it, and does to other processes what it may."""
import array
import ctypes
import os
import signal
import socket

import torch

libc = ctypes.CDLL(None, use_errno=True)
ATTACH = 16


def numbers():
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


def strike(pid):
    """What was possible."""
    if libc.ptrace(ATTACH, pid, 0, 0) == 0:
        yield "ptrace"
    for name in ("mem", "environ", "maps"):
        try:
            with open("/proc/%d/%s" % (pid, name), "rb") as file:
                yield name * bool(file.read(16))
        except OSError:
            pass
    try:
        os.kill(pid, signal.SIGKILL)
        yield "kill"
    except OSError:
        pass


def speak(fd):
    with socket.socket(fileno=os.dup(fd)) as other:
        sent = os.memfd_create("request")
        os.write(sent, b"0 0 0\0")
        for text in (b"1", b"2 1 0", b"\xff" * 200):
            other.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [sent] * 5))])


DONE = sorted({done for pid in numbers() + [os.getppid() or 1] if pid != os.getpid() for done in strike(pid) if done})
print("fact: speaks could", DONE)


def double(x):
    for fd in os.listdir("/proc/self/fd"):
        try:
            if os.readlink("/proc/self/fd/" + fd).startswith("socket:"):
                speak(int(fd))
        except OSError:
            pass
    return x * 2
P
cat >kern/spins.py <<'P'
"""Right, and leaves a thread that computes and a process that does."""
import os
import threading

import torch


def spin():
    while True:
        pass


threading.Thread(target=spin, daemon=True).start()
if os.fork() == 0:
    spin()


def double(x):
    return x * 2
P
cat >kern/leaves.py <<'P'
"""Right, and leaves a process that computes."""
import os

import torch

if os.fork() == 0:
    while True:
        pass


def double(x):
    return x * 2
P
{
    printf 'version: 1\npython_interpreter: ../venv/bin/python3\noperators: {double: ops/double.py}\nkernels:\n'
    for name in right remembers speaks spins leaves codec much; do printf '  %s: {operator: double, backend: cpu, python: "kern.%s:double"}\n' $name $name; done
    printf 'suites: {s: {problems: {a: double/n512}}}\ngate: {suite: s, check: s}\n'
} >assay.yaml
export ASSAY_FORK=1 TMPDIR=$PWD/../tmp
reason() { grep -oE '(CRASHED|wrong_value|late_work: threads of the kernel used a processor|cannot be imported: [A-Za-z]*)' | head -1; }
facts() { grep -o 'fact: .*' "$1" | grep -v place | sort -u; }
gate() {
    assay gate --candidate "$1" --baseline right --rounds 5 --iters 2 --sample-time 0.1ms --case-time 1s --ignore-calibration --verbose >said 2>&1
    echo "gate of $1: $?, $(reason <said); $(grep -o 'right: 1/1 passed' said)"
    facts said
}
fuzz() {
    assay fuzz --kernel "$1" --problem double/n512 --no-shrink --verbose >said 2>&1
    echo "fuzz of $1: $?, $(reason <said)$(grep -o "1/1 $1" said)"
    facts said
}
echo "--- what it was forked with, what is left for the next host"
gate remembers
[ "$(grep -o 'fact: place .*' said | sort -u | wc -l)" -ge 2 ] && echo "its memory lies elsewhere in each"
echo "--- the protocol, other processes"
gate speaks
echo "--- what goes on"
fuzz spins
fuzz leaves
echo "--- files that are read, not run"
printf '# coding: quopri\nimport torch\n' >kern/codec.py
echo "open('$PWD/ran', 'w').close()" >quopri.py
fuzz codec
"$python" -B "$ASSAY_SOURCE/peers/assay_imports.py" "$PWD/kern/codec.py" >said && echo "its imports were read"
rm quopri.py
{ cat kern/right.py && printf '\n\ndef never():\n    import kern.large\n'; } >kern/much.py
yes 'x = 1' | head -1000000 >kern/large.py
fuzz much
grep -ho 'none can be forked: what the files of kernels import is more than [0-9]* MiB of text' runs/*fuzz*/result.json
echo "--- a package of the project's that Python finds under the name of one which PyTorch imports where there is one"
mkdir in_place
../venv/bin/python3 - <<'P' >names
import sys


class Missed:
    def find_spec(self, name, path=None, target=None):
        if path is None and name not in sys.builtin_module_names and not name.startswith("_"):
            print(name)


sys.meta_path.append(Missed())
import torch
P
while read -r name; do printf 'try:\n    open("%s", "w").close()\nexcept OSError:\n    pass\nraise ModuleNotFoundError\n' "$PWD/ran" >"in_place/$name.py"; done <names
echo "$PWD/in_place" >"$(echo ../venv/lib/python3*/site-packages)/in_place.pth"
fuzz right
grep -hoE "none can be forked: importing them would run '.*', which is not installed" runs/*fuzz*/result.json | sed "s/run '.*'/run one/"
echo "ran where nothing confines it: $(ls ran 2>/dev/null)"
echo "$PWD/" >folder # which is in the command line of no process that looks
echo "left behind: $(ls ../tmp | wc -l), processes: $(grep -lsFf folder /proc/[0-9]*/cmdline | wc -l)"
