# SPDX-License-Identifier: Apache-2.0
"""An interpreter that has imported PyTorch and Triton, from which workers and hosts are forked, so that they need not import them anew.
Started by assay itself: python3 -u assay_fork_server.py INTERPRETER libassay_worker.so SOCKET BACKEND PROCESSORS

It runs no code of any side: it looks into the files that are named to it, in a fork, for which of PACKAGES they import, and imports
those from where the interpreter has them installed. It has touched no device and has one thread. Its first line on
descriptor 3 has the packages that are needed ("needs torch triton"), none where nothing is worth a fork; its second is "ready", or
"refused SENTENCE".

What is forked (src/base/process/proc_spawn.c, src/worker/host/host_fork.h says the same of the other end):

  this process, of assay's -> a worker: the judge's program is executed, or where kernels run in the worker its bridge is run here
                              (its parent ends at once, so that it becomes assay's child)
                           -> before that the judge's own server, its child -> hosts (whose parent ends at once, so that they become
                              the judge's children)

A request is a memory file. Only what is forked for it reads it: nothing of it is left in the memory that the next one is copied from.
"""
import array
import contextlib
import ctypes
import errno
import fcntl
import gc
import importlib
import importlib.util
import mmap
import os
import resource
import signal
import socket
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ("torch", "triton", "numpy")  # in the order of their import
WORTH = {"torch", "triton"}  # the others take no time; PyTorch's libraries are in a process only if its side asks for them
SUBMODULES = {"torch": ("torch.utils.dlpack",), "triton": ("triton.language", "triton.compiler", "triton.runtime.driver")}
PDEATHSIG, DUMPABLE = 1, 4  # prctl
FD_HIGH = 200  # above all numbers that a worker is to find something under
FDS_MAX = 64
# For reading what files import: whoever wrote them decides how much there is to parse.
LOOK_SECONDS, LOOK_BYTES, SOURCE_BYTES = 20, 2 << 30, 4 << 20
RECORDS = 3
START_MASK = os.sched_getaffinity(0)
libc = ctypes.CDLL(None, use_errno=True)
sys.dont_write_bytecode = True

import assay_imports  # noqa: E402
import assay_revision  # noqa: E402
import assay_threads  # noqa: E402


class Refused(Exception):
    """There is nothing to be forked, for a reason that the user should know."""


# ---- what a file imports ----

def read(fd):
    with open(fd, "rb", closefd=False) as file:
        file.seek(0)
        return file.read()


def items_of(fd):
    """The first line and the items behind it."""
    head, *items = read(fd).split(b"\0")[:-1]
    return head.split(), items


def needs(callable_text, folder):
    """Which of PACKAGES the file of "module:function" imports; None: not a file that can be read."""
    path = assay_imports.module_file(callable_text.partition(":")[0], folder)
    if path is None:
        return None
    with assay_imports.found_in([folder] + sys.path):
        return {name for name in assay_imports.packages(path, SOURCE_BYTES) if name in PACKAGES}


def repository_of(folder):
    """The root of the repository that a folder lies in, or the folder."""
    place = os.path.realpath(folder)
    while place != os.path.dirname(place):
        if os.path.exists(os.path.join(place, ".git")):
            return place
        place = os.path.dirname(place)
    return os.path.realpath(folder)


def scan(fd):
    """In a fork: prints the packages that the named files import. Nothing where the interpreter or one of them is the user's own."""
    _, items = items_of(fd)
    files = [item.decode() for item in items]
    found, roots = set(), set()
    for text, folder in zip(files[::2], files[1::2]):
        needed = needs(text, folder or HERE) or set()
        if needed & WORTH:
            found |= needed
        if folder:
            roots.add(repository_of(folder))
    places = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix]
    for name in found:
        spec = importlib.util.find_spec(name)
        if spec is None or not spec.origin or not assay_imports.is_installed(spec.origin):
            return ""
        places.append(spec.origin)
    if any(assay_revision.is_below(os.path.realpath(place), root) for place in places for root in roots):
        return ""
    return " ".join(name for name in PACKAGES if name in found)


def limit_look():
    """Of the process that calls it, which ends by them: then nothing is forked for that file."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LOOK_SECONDS)
    with open("/proc/self/statm", encoding="ascii") as pages:  # the sixth number: private memory, PyTorch's among it
        most = int(pages.read().split()[5]) * resource.getpagesize() + LOOK_BYTES
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(hard, most), hard))


def in_fork(work, limit=lambda: None):
    """What work returns, a text, computed in a process that then ends. None: it raised, or a limit ended it."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        with contextlib.suppress(BaseException):
            limit()
            os.write(writing, work().encode())
            code = 0
        os._exit(code)
    os.close(writing)
    said = b""
    while True:
        part = os.read(reading, 4096)
        if not part:
            break
        said += part
    os.close(reading)
    _, status = os.waitpid(pid, 0)
    return said.decode() if status == 0 else None


# ---- importing ----

class InstalledOnly:
    """First on sys.meta_path while PyTorch is imported: of what it imports none may be the user's own, such as a package of the
    repository's that `pip install -e` has put where Python looks, under the name of one that PyTorch uses where there is one.
    """

    def __init__(self):
        self.refused = None

    def find_spec(self, name, path=None, target=None):
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in list(sys.meta_path)
                                  if finder is not self and hasattr(finder, "find_spec"))), None)
        if spec is None or not spec.has_location or self.is_allowed(spec.origin):
            return spec
        self.refused = self.refused or name
        raise ImportError("%s is not installed" % name)

    @staticmethod
    def is_allowed(place):
        return assay_imports.is_installed(place) or assay_revision.is_below(place, HERE)

    def __enter__(self):
        sys.meta_path.insert(0, self)

    def __exit__(self, *raised):
        sys.meta_path.remove(self)
        if self.refused:
            raise Refused("importing them would run '%s', which is not installed but lies in a project" % self.refused)


def rehearse():
    """In a fork: does with PyTorch what every host does, and returns what that has imported. PyTorch imports much only when it is first
    needed, parts of its compiler in torch.use_deterministic_algorithms among it.
    """
    before = set(sys.modules)
    assay_torch, assay_float64 = importlib.import_module("assay_torch"), importlib.import_module("assay_float64")
    torch = assay_torch.torch
    with contextlib.suppress(Exception):  # of another version
        torch.set_num_threads(1)
        torch.manual_seed(0)
        with assay_float64.Float64(), assay_float64.WholeNumbers(), torch.device("cpu"), torch.no_grad():
            ones = torch.ones(4, 4)
            (ones * torch.rsqrt(ones.pow(2).mean(-1, keepdim=True))).to(torch.bfloat16).sum().item()
    return " ".join(name for name in sys.modules if name not in before and not name.startswith("assay_"))


def load(names, backend):
    """Imports only: what hosts set, they set themselves."""
    assay_threads.set_environment()
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # as the bridge does: read when it is imported
    if backend == "cpu":
        assay_threads.bind_openmp()
    with InstalledOnly():
        for name in names:
            importlib.import_module(name)
            for inner in SUBMODULES.get(name, ()):
                with contextlib.suppress(ImportError):  # of another version
                    importlib.import_module(inner)
        for name in (in_fork(rehearse) or "").split() if "torch" in names else ():
            with contextlib.suppress(Exception):  # it wants others first; a host imports it then
                importlib.import_module(name)


def shared_mappings():
    """Memory that a fork would share with this process and others, and could write."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        return [line.split(None, 5)[-1].strip() for line in maps if line.split()[1][1:4:2] == "ws"]


def check_quiet(known):
    """One thread, no memory that forks would share, no file and no device open: else a fork is not what a fresh interpreter is."""
    pid = os.fork()  # BLAS libraries end their threads when they are forked, and start them again when they are needed
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    threads = len(os.listdir("/proc/self/task"))
    if threads > 1:
        raise Refused("importing them starts threads, %d of which are left" % (threads - 1))
    shared = shared_mappings()
    if shared:
        raise Refused("importing them maps memory that all forks would share: %s" % shared[0])
    open_now = {}
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # of the list itself
            open_now[int(name)] = os.readlink("/proc/self/fd/" + name)
    left = [place for fd, place in open_now.items() if fd not in known and not place.startswith("/proc/")]
    if left:
        raise Refused("importing them leaves %s open" % left[0])


# ---- requests ----

def receive(sock):
    """A message and its descriptors, or None when the other end is closed."""
    size = array.array("i").itemsize
    while True:
        try:
            text, control, _, _ = sock.recvmsg(256, socket.CMSG_SPACE(FDS_MAX * size))
            break
        except InterruptedError:
            continue
    fds = array.array("i")
    for level, kind, data in control:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(data[:len(data) - len(data) % size])
    return (text, list(fds)) if text else None


def close_all(fds):
    for fd in fds:
        with contextlib.suppress(OSError):
            os.close(fd)


def set_death_signal(parent):
    """SIGKILL when the parent ends; it may have ended already."""
    libc.prctl(PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(127)


def serve(sock, start):
    """Forks for each request, from this process, which never reads one. start forks once more and ends. When it has, the pipe ends: only
    then is what it forked somebody else's child, and may ask for a signal when its parent ends.
    """
    while True:
        message = receive(sock)
        if message is None:
            os._exit(0)
        text, fds = message
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(writing)
                start(sock, text, fds, reading)
            finally:
                os._exit(1)
        close_all(fds + [reading])
        _, status = os.waitpid(pid, 0)
        os.close(writing)
        if status:
            with contextlib.suppress(OSError):
                sock.send(b"%s -1 0" % text)
        del message, text, fds


def move_memory():
    """What a fork maps from here on, and what its heap grows by, lies elsewhere than another's, as in fresh interpreters: else rounds would
    repeat one layout of a side's memory, and what that costs or saves would look like the side's own.
    """
    pages = int.from_bytes(os.urandom(4), "little")
    move_memory.kept = mmap.mmap(-1, (1 + pages % 65536) * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0)
    libc.sbrk(ctypes.c_ssize_t((pages >> 16) % 8192 * mmap.PAGESIZE))


def draw_anew():
    """No fork shares its dice with another. PyTorch's are the same in every fresh interpreter, and Python draws anew itself."""
    move_memory()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    if "tempfile" in sys.modules:
        sys.modules["tempfile"].tempdir = None


def set_environment(variables):
    os.environ.clear()
    for item in variables:
        name, _, value = item.partition(b"=")
        os.environb[name] = value


def run_program(argv):
    """What `python3 -u argv...` does from here on."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    assay_threads.FULL_MASK = os.sched_getaffinity(0)
    assay_threads.IS_FORKED = True
    draw_anew()
    sys.argv = argv
    sys.orig_argv = [sys.executable, "-u"] + argv
    sys.path[0] = os.path.dirname(argv[0])
    main = sys.modules["__main__"]
    with open(argv[0], "rb") as source:
        code = compile(source.read(), argv[0], "exec")
    names = {"__name__": "__main__", "__file__": argv[0], "__builtins__": __builtins__, "__loader__": None, "__spec__": None,
             "__package__": None, "__cached__": None, "__doc__": None}
    vars(main).clear()
    vars(main).update(names)
    exec(code, vars(main))


# ---- hosts ----

INTERPRETER = LIBRARY = None


def start_host(sock, text, fds, ended):
    """In the process between: the request, namespaces, the host. Answers "NUMBER PROCESS ERRNO", and ends."""
    head, items = items_of(fds[0])
    argument_count, variable_count, namespaces = (int(number) for number in head)
    callable_text, folder, place = (item.decode() for item in items[:3])
    argv, variables = items[3:3 + argument_count], items[3 + argument_count:3 + argument_count + variable_count]
    argv = [os.fsdecode(item) for item in argv[2:]]  # the interpreter, -u
    is_ours = items[3] == os.fsencode(INTERPRETER)
    said = is_ours and in_fork(lambda: " ".join(needs(callable_text, folder or os.path.dirname(argv[0])) or ()), limit_look)
    needed = set((said or "").split())
    if not needed & WORTH or not needed <= set(sys.modules):
        sock.send(b"%s -1 0" % text)
        os._exit(0)
    if namespaces and libc.unshare(ctypes.c_int(namespaces)) < 0:
        sock.send(b"%s 0 %d" % (text, ctypes.get_errno()))
        os._exit(0)
    pid = os.fork()
    if pid:
        sock.send(b"%s %d 0" % (text, pid))
        os._exit(0)
    sock.detach()  # closed with all others
    os.read(ended, 1)
    _, channel, out, error, report = fds
    LIBRARY.assay_python_fork_enter(channel, out, error, report, ctypes.c_uint64(namespaces), os.fsencode(place) if place else None)
    set_environment(variables)
    run_forked(argv)


def run_forked(argv):
    """The bridge ends the process. What it raises is told as by an interpreter of its own."""
    code = 1
    try:
        run_program(argv)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def fork_host_server():
    """The judge's own server, a child of the process that becomes the judge. Returns the judge's end and the server's number."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    judge = os.getpid()
    pid = os.fork()
    if pid:
        theirs.close()
        return ours.detach(), pid
    set_death_signal(judge)
    os.setsid()
    number = fcntl.fcntl(theirs.detach(), fcntl.F_DUPFD_CLOEXEC, FD_HIGH)
    ours.detach()
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.closerange(3, number)
    os.closerange(number + 1, 4096)
    serve(socket.socket(fileno=number), start_host)
    os._exit(0)


# ---- workers ----

def start_worker(sock, text, fds, ended):
    """In the process between: forks the worker, which answers, and ends."""
    if os.fork():
        os._exit(0)
    os.read(ended, 1)
    os.close(ended)
    become_worker(sock, text, fds)


def reset_signals():
    for number in range(1, 65):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def wire(targets, fds):
    """Descriptors under the numbers of targets, -1: one that exec closes. Returns where those are. All others are closed."""
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, FD_HIGH) for fd in fds]
    os.closerange(0, FD_HIGH)
    for fd, target in zip(high, targets):
        if target >= 0:
            os.dup2(fd, target)  # which exec keeps
            os.close(fd)
    return [fd for fd, target in zip(high, targets) if target < 0]


def fail(report, is_dir, error):
    """struct launch_failure of proc_spawn.c."""
    os.write(report, struct.pack("@?i", is_dir, error.errno or errno.EINVAL))
    os._exit(127)


def become_worker(sock, text, fds):
    """fds: the request, then what the request's targets say; -1 is the report, which ends when the program has been started."""
    channel, server = fork_host_server()  # first: what the worker is told its hosts must not find
    head, items = items_of(fds[0])
    parent, leads_session, is_executed, argument_count, variable_count = (int(number) for number in head)
    program, place = items[:2]
    targets = [int(item) for item in items[2].split()]
    argv, variables = items[3:3 + argument_count], items[3 + argument_count:3 + argument_count + variable_count]
    if leads_session:
        os.setsid()
    else:
        os.setpgid(0, 0)
    set_death_signal(parent)
    sock.send(b"%s %d %d" % (text, os.getpid(), server))
    variables.append(b"ASSAY_FORK_SERVER=%d:%d" % (FD_HIGH - 1, server))  # host_fork.h
    targets.append(FD_HIGH - 1)
    fds.append(channel)
    sock.detach()
    report = wire(targets, fds[1:])[0]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    reset_signals()
    if place:
        try:
            os.chdir(place)
        except OSError as error:
            fail(report, True, error)
    if not is_executed:
        os.close(report)
        set_environment(variables)
        run_forked([os.fsdecode(item) for item in argv[2:]])
    os.sched_setaffinity(0, START_MASK)
    libc.prctl(DUMPABLE, 1, 0, 0, 0)
    try:
        os.execve(program, argv, dict(item.split(b"=", 1) for item in variables if b"=" in item))
    except OSError as error:
        fail(report, False, error)


# ---- the server ----

def processors(text):
    """"0-3,6"."""
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


def say(text):
    os.write(RECORDS, text.replace("\n", " ").encode("utf-8", "replace") + b"\n")


def main():
    global INTERPRETER, LIBRARY
    INTERPRETER, library, number, backend, allowed = sys.argv[1:6]
    libc.prctl(DUMPABLE, 0, 0, 0, 0)
    sock = socket.socket(fileno=int(number))
    if allowed:
        os.sched_setaffinity(0, processors(allowed))
    assay_threads.FULL_MASK = os.sched_getaffinity(0)
    _, fds = receive(sock)
    found = in_fork(lambda: scan(fds[0]), limit_look)
    close_all(fds)
    if found is None:
        say("refused what the files of kernels import is more than %d MiB of text, or is not read within %d s"
            % (SOURCE_BYTES >> 20, LOOK_SECONDS))
        return
    names = found.split()
    say("needs " + " ".join(names))
    if not names:
        return
    try:
        load(names, backend)
        LIBRARY = ctypes.CDLL(library)
        os.sched_setaffinity(0, assay_threads.FULL_MASK)  # OpenMP may have bound this thread
        check_quiet({0, 1, 2, RECORDS, sock.fileno()})
    except Refused as error:
        say("refused %s" % error)
        return
    except Exception as error:  # what it lacks it says where a side imports it
        say("refused importing them raises %s: %s" % (type(error).__name__, error))
        return
    gc.collect()
    gc.freeze()
    say("ready")
    os.close(RECORDS)
    serve(sock, start_worker)


if __name__ == "__main__":  # which is what is forked to be: this file's functions stay in a module of its own
    importlib.import_module("assay_fork_server").main()
