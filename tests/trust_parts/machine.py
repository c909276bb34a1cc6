# SPDX-License-Identifier: Apache-2.0
#
# A working folder with its project, cache and user, in which commands run, and what kernels must not do to them.

import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from trust_parts.processes import descendants, end_descendants, memory_bytes
from trust_parts.rows import TESTS, manifest_name

MARK = "TRUST_WAS_HERE"  # tests/broken/hostile.h
SOCKET = "\0assay_trust"  # tests/broken/opens_socket.c
GRACE_S = 2.0  # for processes that are ending

MANIFEST = """version: 1
kernels:
  right: {operator: attention, backend: cpu, source: broken/right.c, flags: ["-march=native"]}
%s
suites:
  matrix: {problems: {a: attention/fp32/b1/h2/s33/d16/causal, b: attention/fp32/b1/h1/s40/d20}}
  tiny: {problems: {small: attention/fp32/b1/h1/s24/d32, large: attention/fp32/b1/h2/s48/d32}}
  mixed: {problems: {small: attention/fp32/b1/h1/s24/d32, causal: attention/fp32/b1/h2/s48/d32/causal}}
  capped: {problems: {small: attention/fp32/b1/h1/s24/d32/softcap2000, large: attention/fp32/b1/h2/s48/d32/softcap2000}}
  decode: {problems: {short: attention/fp32/b1/h1/sq1/sk1024/d32, long: attention/fp32/b1/h1/sq1/sk8192/d32}}
  extreme: {problems: {a: {problem: attention/fp32/b1/h2/s33/d16/causal, distribution: very_negative}}}
limits: {case_s: %d, gate_s: 300%s}
"""


class Ended:
    def __init__(self):
        self.code, self.out, self.err, self.seconds = "", "", "", 0.0
        self.faults = []  # sentences: what must not happen, whatever the kernel is


class Machine:
    """Runs commands in the working folder, as the user asked for, and looks after what they leave."""

    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="assay-trust-")
        self.project = os.path.join(self.folder, "project")
        self.cache = os.path.join(self.folder, "cache")
        self.scratch = os.path.join(self.folder, "tmp")
        self.home = os.path.join(self.folder, "home")
        self.user = pwd.getpwnam(options.user) if options.user else None
        for folder in (self.project, self.cache, self.scratch, self.home):
            os.mkdir(folder)
        for folder in (self.project, self.cache):
            open(os.path.join(folder, ".trust_target"), "w", encoding="utf-8").close()
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.listen()

    # One run on a machine at a time has that name.
    def listen(self):
        self.listener.bind(SOCKET)
        self.listener.setblocking(False)

    def close(self):
        self.listener.close()
        if self.options.keep:
            print(f"kept: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def own(self, folder):
        if not self.user:
            return
        for path, _, files in os.walk(folder):
            os.chown(path, self.user.pw_uid, self.user.pw_gid)
            for name in files:
                os.chown(os.path.join(path, name), self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)

    def lay_out(self, rows):
        for source in ("tests/broken", "tests/honest", "kernels"):
            source = os.path.join(os.path.dirname(TESTS), source)
            shutil.copytree(source, os.path.join(self.project, os.path.basename(source)), dirs_exist_ok=True)
        kernels = [
            f"  {row.name}: {{operator: attention, backend: cpu, {row.entry}}}"
            for row in rows
            if row.entry and not (row.folder == "broken" and row.name == "right")
        ]
        for limits in {row.limits for row in rows}:
            path = os.path.join(self.project, manifest_name(limits))
            memory = f", memory_gb: {limits[1]}" if limits[1] else ""
            with open(path, "w", encoding="utf-8") as manifest:
                manifest.write(MANIFEST % ("\n".join(kernels), limits[0], memory))
        self.sources = self.snapshot()
        os.chmod(self.folder, 0o755)
        for folder in (self.project, self.cache, self.scratch, self.home):
            self.own(folder)

    def snapshot(self):
        found = {}
        for path, folders, files in os.walk(self.project):
            if path == self.project:
                folders[:] = [name for name in folders if name != "runs"]
            for name in files:
                with open(os.path.join(path, name), "rb") as file:
                    found[os.path.relpath(os.path.join(path, name), self.project)] = file.read()
        return found

    # As before every command: no runs, no log of decided gates, no replayed results.
    def clear(self):
        for folder in (os.path.join(self.project, "runs"), os.path.join(self.cache, "assay", "gates")):
            shutil.rmtree(folder, ignore_errors=True)
        for name in os.listdir(self.scratch):
            path = os.path.join(self.scratch, name)
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)

    def restore(self):
        for name, text in self.sources.items():
            with open(os.path.join(self.project, name), "wb") as file:
                file.write(text)
        for name in set(self.snapshot()) - set(self.sources):
            os.unlink(os.path.join(self.project, name))

    def environment(self):
        sanitizers = {name: value for name, value in os.environ.items() if name in ("ASAN_OPTIONS", "UBSAN_OPTIONS")}
        return {
            **sanitizers,
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": self.home,
            "XDG_CACHE_HOME": self.cache,
            "TMPDIR": self.scratch,
            "LC_ALL": "C",
            "NO_COLOR": "1",
            "ASSAY_STORE": "none",  # the project's folder must stay as it is
        }

    def start(self, words):
        more = {}
        if self.user:
            more = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
        out = open(os.path.join(self.folder, "out"), "wb")
        err = open(os.path.join(self.folder, "err"), "wb")
        with out, err:
            return subprocess.Popen(
                words,
                cwd=self.project,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                **more,
            )

    def run(self, words, limit_s):
        ended, begin = Ended(), time.monotonic()
        child = self.start(words)
        status, looked = None, begin
        while status is None:
            try:
                pid, status = os.waitpid(child.pid, os.WNOHANG)
                status = status if pid else None
            except ChildProcessError:
                status = 0
            now = time.monotonic()
            if status is None and now - begin > limit_s:
                ended.faults.append(f"hangs: ended after {limit_s:g} s")
            elif status is None and now - looked > 0.25:
                looked = now
                used = memory_bytes(pid for pid, _, _ in descendants())
                if used > self.options.memory * 1e9:
                    ended.faults.append(f"takes more than {self.options.memory:g} GB of memory")
            if ended.faults:
                os.kill(child.pid, signal.SIGKILL)
                end_descendants(0)
                break
            time.sleep(0.01)
        child.returncode = 0  # we have reaped it
        ended.seconds = time.monotonic() - begin
        if status is not None:
            ended.code = str(os.WEXITSTATUS(status)) if os.WIFEXITED(status) else f"SIG{os.WTERMSIG(status)}"
            left = end_descendants(GRACE_S)
            if left:
                ended.faults.append(f"leaves {len(left)} processes ({', '.join(sorted(set(left)))})")
        ended.out, ended.err = (self.read(name) for name in ("out", "err"))
        return ended

    def read(self, name):
        path = os.path.join(self.folder, name)
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(32 << 20)

    def is_told(self):
        is_any = False
        while True:
            try:
                self.listener.recv(4096)
            except BlockingIOError:
                return is_any
            is_any = True

    # What a kernel has done to anything but its own outputs.
    def inspect(self, ended):
        if self.snapshot() != self.sources:
            ended.faults.append("the project's sources or folder were changed")
            self.restore()
        if self.is_told():
            ended.faults.append("a kernel talked to a socket")
        with open("/proc/sysvipc/shm", encoding="utf-8") as table:
            keys = [int(line.split()[0]) & 0xFFFFFFFF for line in table.readlines()[1:]]
        if 0x7A55A7 in keys:
            ended.faults.append("leaves System V shared memory")
            subprocess.run(["ipcrm", "-M", "0x7a55a7"], check=False)
        self.inspect_runs(ended)
        path = os.path.join(self.cache, "assay", MARK)
        if os.path.exists(path):
            ended.faults.append("the cache was changed")
            os.unlink(path)

    def inspect_runs(self, ended):
        texts = {"standard output": ended.out, "standard error": ended.err}
        for path, _, files in os.walk(os.path.join(self.project, "runs")):
            for name in files:
                file = os.path.join(path, name)
                if os.path.islink(file) or MARK in name:
                    ended.faults.append(f"{name} of the run was replaced")
                    continue
                with open(file, encoding="utf-8", errors="surrogateescape") as opened:
                    text = opened.read()
                if MARK in text or (name == "plan.json" and not text):
                    ended.faults.append(f"{name} of the run was changed")
                if name in ("report.md", "report.html"):
                    texts[name] = text
        for name, text in texts.items():
            if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text):
                ended.faults.append(f"control characters in {name}")
            if re.search("^::", text, re.M):
                ended.faults.append(f"workflow commands in {name}")
            if "harmless!!" in text:
                ended.faults.append(f"other words in {name}")
