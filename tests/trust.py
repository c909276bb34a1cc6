#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Whether assay can be talked to. Runs `fuzz` and `gate` on every kernel of tests/broken (trust.txt says what has to
# come of it) and of tests/honest (honest.txt; all of them are right), prints a row for each and ends with
# "N as expected, M not"; exit code 1 if M is not 0. Also looks for what a kernel leaves behind: processes, files,
# shared memory, changed sources, control characters, other words in a report.
"""usage: tests/trust.py [OPTIONS] [NAME...]

  NAME                only these kernels, and no share of decisions is wanted
  --broken, --honest  only those of one folder
  --unprivileged      run assay as the user nobody (needs root)
  --user NAME         run assay as that user (needs root)
  --isolation WHAT    passed on to fuzz and gate
  --limit S           a command that takes longer is ended, and its row has failed (default 60; of a kernel
                      that is right 320, beyond limits.gate_s: it shall be decided, however long it takes)
  --memory GB         the same for memory (default 6)
  --part K/N          only part K of N, each N-th row: machines with processors to spare run the parts beside each other
  --hide-load         hide the machine's load from assay (needs root): for a machine that is never quiet
  --list              print the rows and what is expected of them, run nothing
  --keep              keep the working folder and say where it is
ASSAY is the program (default build/default/assay)."""

import argparse
import ctypes
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MARK = "TRUST_WAS_HERE"  # tests/broken/hostile.h
SOCKET = "\0assay_trust"  # tests/broken/opens_socket.c
DECIDED_WANTED = 0.95  # of the honest kernels
TRIES = 3  # of a row whose gate says that the machine was busy
WRONG = ("FAIL", "CRASHED", "TIMEOUT")  # outcomes that a kernel is blamed for
OPTIONS = "baseline:, case_s:, gain_pct:, memory_gb:, suite:, fuzz: and gate:"  # of a row of trust.txt
CASE_S = 20  # limit of a case, unless its row has another
GRACE_S = 2.0  # for processes that are ending
LIMIT_S, LIMIT_RIGHT_S = 60, 320  # of a command: of a wrong kernel, and of a right one

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
  extreme: {problems: {a: {problem: attention/fp32/b1/h2/s33/d16/causal, family: very_negative}}}
limits: {case_s: %d, gate_s: 300%s}
"""


# ---- the tables ----


class Row:
    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.entry = ""  # of the manifest
        self.suite, self.baseline = "tiny", "right"
        self.fuzz_options, self.gate_options = [], []
        self.limits, self.rounds = (CASE_S, ""), 5  # limits.case_s and, where it is set, limits.memory_gb
        self.gain_pct = 5  # of tests/broken_cuda/gate.py
        self.fuzz_codes, self.gate_codes = {"0"}, {"0", "3"}
        self.reasons = {"harmless"}
        self.text = ""  # of the table, as it is printed

    @property
    def is_honest(self):
        return self.folder == "honest"


def table_lines(path):
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            line = line.split("#", 1)[0].strip() if path.endswith("trust.txt") else line.strip()
            if line and not line.startswith("#"):
                yield number, line.split()


def read_table(path):
    """The rows of a trust.txt; no entries."""
    rows = []
    for number, words in table_lines(path):
        if len(words) < 4:
            sys.exit(f"{path}:{number}: a row has a file, two columns of exit codes and a reason")
        row = Row("broken", words[0])
        row.fuzz_codes, row.gate_codes = set(words[1].split("|")), set(words[2].split("|"))
        row.reasons = set(words[3].split("|"))
        row.text = " ".join([f"{words[1]}/{words[2]}", words[3]])
        for option in words[4:]:
            what, _, value = option.partition(":")
            if what in ("baseline", "suite"):
                setattr(row, what, value)
            elif what == "gain_pct":
                row.gain_pct = int(value)
            elif what == "case_s":
                row.limits = (int(value), row.limits[1])
            elif what == "memory_gb":
                row.limits = (row.limits[0], value)
            elif what in ("fuzz", "gate"):
                getattr(row, what + "_options").extend(value.split("="))
            else:
                sys.exit(f"{path}:{number}: unknown option '{option}'; there are {OPTIONS}")
        rows.append(row)
    return rows


def read_broken():
    path = os.path.join(HERE, "broken", "trust.txt")
    rows = read_table(path)
    for row in rows:
        # Without AVX the same code is up to 30 % slower in one module than in another.
        row.entry = f'source: broken/{row.name}.c, flags: ["-march=native"]'
    sources = {name[:-2] for name in os.listdir(os.path.join(HERE, "broken")) if name.endswith(".c")}
    missing = sorted(sources - {row.name for row in rows})
    if missing:
        sys.exit(f"{path}: no row for {', '.join(missing)}")
    return rows


# file lang suite [flags=F ...] [entry=E] [isolation=WHAT] note
def read_honest():
    path = os.path.join(HERE, "honest", "honest.txt")
    if not os.path.exists(path):
        return []
    rows = []
    for number, words in table_lines(path):
        if len(words) < 4 or words[1] not in ("c", "c++", "shipped"):
            sys.exit(f"{path}:{number}: a row has a file, a language (c, c++) or shipped, a suite and a note")
        row = Row("honest", words[0])
        row.suite = words[2]
        flags = [word[6:] for word in words[3:] if word.startswith("flags=")]
        if words[1] == "shipped":
            row.entry = f"source: kernels/attention/{row.name}.c"
        else:
            flags.insert(0, "-march=native")  # as read_broken does
            row.entry = f"source: honest/{row.name}{'.c' if words[1] == 'c' else '.cc'}"
        entries = [word[6:] for word in words[3:] if word.startswith("entry=")]
        isolation = [word[10:] for word in words[3:] if word.startswith("isolation=")]
        if isolation:
            row.fuzz_options = row.gate_options = ["--isolation", isolation[0]]
        if flags:
            row.entry += f", flags: {json.dumps(flags)}"
        if entries:
            row.entry += f", entry: {entries[0]}"
        row.text = "right"
        rows.append(row)
    return rows


def manifest_name(limits):
    return "assay.yaml" if limits == (CASE_S, "") else f"assay_{limits[0]}_{limits[1]}.yaml"


# ---- processes ----


# {pid: (parent, state, command)} of all processes
def process_table():
    table = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        head, _, rest = text.rpartition(")")
        fields = rest.split()
        table[int(name)] = (int(fields[1]), fields[0], head.partition("(")[2])
    return table


# Ours and what came to us: this process is the reaper of all orphans below it.
def descendants():
    table = process_table()
    found, front = [], [os.getpid()]
    while front:
        parent = front.pop()
        below = [pid for pid, (above, _, _) in table.items() if above == parent]
        found += below
        front += below
    return [(pid, table[pid][1], table[pid][2]) for pid in found]


def memory_bytes(pids):
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/statm", encoding="utf-8") as file:
                total += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            pass
    return total


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


# Kills everything below us. Returns the names of what was still alive after the time of grace.
def end_descendants(grace_s):
    deadline = time.monotonic() + grace_s
    while True:
        reap()
        alive = [(pid, name) for pid, state, name in descendants() if state not in "ZX"]
        if not alive or time.monotonic() >= deadline:
            break
        time.sleep(0.02)
    left = [name for _, name in alive]
    while alive:
        for pid, _ in alive:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.02)
        reap()
        alive = [(pid, name) for pid, state, name in descendants() if state not in "ZX"]
    return left


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
            source = os.path.join(os.path.dirname(HERE), source)
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
        return {
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


# ---- one kernel ----


class Got:
    def __init__(self):
        self.fuzz = self.gate = ""
        self.reason, self.faults, self.seconds = "", [], 0.0
        self.is_busy = False  # the machine, not the kernel
        self.is_decided = False

    @property
    def text(self):
        codes = f"{self.fuzz}/{self.gate}" if self.gate else self.fuzz
        return f"{codes} {self.reason}"


def outcomes(result, wanted):
    """OUTCOME:finding of every check of the sides with that role that blames it, in order."""
    roles = [side.get("role") for side in result.get("sides", [])]
    found = []
    for case in result.get("checks", []) + result.get("cases", []):
        for check in case.get("checks", []):
            side = check.get("side", 0)
            role = roles[side] if side < len(roles) else "?"
            if (role == "baseline") != (wanted == "baseline") or check["outcome"] not in WRONG:
                continue
            finding = check.get("finding")
            found.append(check["outcome"] + (f":{finding}" if finding else ""))
    return found


# The result document of the only run; {}: there is none.
def read_result(machine):
    runs = os.path.join(machine.project, "runs")
    try:
        (name,) = os.listdir(runs)
        with open(os.path.join(runs, name, "result.json"), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


# One word for what came of it.
def reason_of(result, ended):
    wrong = outcomes(result, "candidate")
    if wrong:
        return wrong[0]
    verdicts = [case.get("verdict") for case in result.get("decision", {}).get("cases", [])]
    if not result and ended.code in ("1", "64", "65"):
        return "refused"
    for verdict in ("improvement", "regression", "wrong", "removed", "invalid", "undecidable"):
        if verdict in verdicts:
            return verdict
    odd = [verdict for verdict in verdicts if verdict not in ("maintained", "same_code")]
    if verdicts:
        return odd[0] if odd else "maintained"
    return "right" if ended.code == "0" else "nothing"


def run_command(machine, row, words, got):
    """Its exit code and its result document; what came of it goes to got."""
    if machine.options.isolation:
        words += ["--isolation", machine.options.isolation]
    machine.clear()
    ended = machine.run(words, machine.options.limit or (LIMIT_RIGHT_S if row.is_honest else LIMIT_S))
    result = read_result(machine)
    machine.inspect(ended)
    got.faults += ended.faults
    got.reason = reason_of(result, ended)
    return ended.code, result


def run_gate(machine, row, program, got):
    words = [program, "gate", "--quiet", "--candidate", row.name, "--baseline", row.baseline]
    words += ["--suite", row.suite, "--iters", "20", *row.gate_options]
    words += [] if "--check" in row.gate_options else ["--check", "matrix"]
    words += [] if row.is_honest else ["--rounds", str(row.rounds)]  # honest ones shall be decided, however long it takes
    words += ["--manifest", manifest_name(row.limits)]
    if row.is_honest:
        words += ["--measure-same"] + (["--only", "large"] if row.suite == "tiny" else [])
    got.gate, result = run_command(machine, row, words, got)
    blamed = outcomes(result, "baseline")
    if blamed and row.baseline != row.name:
        got.faults.append(f"blames {row.baseline}: {blamed[0]}")
    cases = result.get("decision", {}).get("cases", [])
    got.is_busy = any(case.get("reason") in ("busy_machine", "too_noisy", "too_few_samples") for case in cases)
    got.is_decided = got.gate == "0" and bool(cases)


def run_fuzz(machine, row, program, got):
    words = [program, "fuzz", "--quiet", "--kernel", row.name, *row.fuzz_options]
    words += [] if "--suite" in row.fuzz_options else ["--suite", "mixed" if row.suite == "mixed" else "matrix"]
    words += ["--manifest", manifest_name(row.limits)]
    got.fuzz, _ = run_command(machine, row, words, got)


def is_reason(row, reason):
    if row.is_honest:
        # none: a problem that neither side supports
        return reason in ("right", "maintained", "undecidable", "invalid", "none")
    if reason in row.reasons or reason.split(":")[0] in row.reasons:
        return True
    return "harmless" in row.reasons and reason in ("right", "maintained", "undecidable", "invalid")


def run_row(machine, row, program):
    """What came of it, and why that is not right: "" if it is."""
    begin = time.monotonic()
    for _ in range(TRIES):
        got = Got()
        run_fuzz(machine, row, program, got)
        why = []
        if got.fuzz not in row.fuzz_codes:
            why.append(f"fuzz ends with {got.fuzz}")
        if got.fuzz != "0" and not is_reason(row, got.reason):
            why.append(f"fuzz says {got.reason}")
        if "-" not in row.gate_codes:
            run_gate(machine, row, program, got)
            if got.gate not in row.gate_codes:
                why.append(f"the gate ends with {got.gate}")
            if not is_reason(row, got.reason):
                why.append(f"the gate says {got.reason}")
        got.seconds = time.monotonic() - begin
        why += got.faults
        is_again = got.gate == "3" and got.is_busy and (why or row.is_honest)
        if not is_again:
            break
    return got, "; ".join(dict.fromkeys(why))


# ---- all of them ----


# Orphans below this process come to it, so that none is missed.
def become_reaper():
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


class Table:
    """Prints the rows as they come."""

    def __init__(self, rows):
        self.names = max(len(row.name) for row in rows)
        self.texts = min(max(len(row.text) for row in rows), 44)
        print(f"{'kernel':{self.names}}  {'expected':{self.texts}}  {'got':28}  {'time':>6}")

    def add(self, row, got, why):
        mark = f"NOT: {why}" if why else "ok"
        line = f"{row.name:{self.names}}  {row.text:{self.texts}}  {got.text:28}  {got.seconds:4.1f} s  {mark}"
        print(line.encode("ascii", "replace").decode(), flush=True)


def read_options():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--help", action="store_true")
    for flag in ("broken", "honest", "unprivileged", "hide-load", "keep", "list"):
        parser.add_argument("--" + flag, action="store_true")
    parser.add_argument("--user")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--isolation")
    parser.add_argument("--limit", type=float)
    parser.add_argument("--memory", type=float, default=6)
    options = parser.parse_args()
    if options.help:
        sys.exit(__doc__)
    if options.unprivileged:
        options.user = options.user or "nobody"
    if (options.user or options.hide_load) and os.geteuid() != 0:
        sys.exit("--unprivileged, --user and --hide-load need root")
    return options


# A mount namespace in which /proc/stat is empty.
def hide_load():
    if os.environ.get("TRUST_LOAD_HIDDEN"):
        return
    os.environ["TRUST_LOAD_HIDDEN"] = "1"
    script = 'mount --bind /dev/null /proc/stat && exec "$@"'
    os.execvp("unshare", ["unshare", "-m", "sh", "-c", script, "sh", sys.executable, *sys.argv])


def main():
    options = read_options()
    if options.hide_load:
        hide_load()
    is_all = not options.broken and not options.honest
    rows = (read_broken() if options.broken or is_all else []) + (read_honest() if options.honest or is_all else [])
    unknown = set(options.names) - {row.name for row in rows}
    if unknown:
        sys.exit(f"no kernel {', '.join(sorted(unknown))}")
    part, parts = (int(word) for word in options.part.split("/"))
    wanted = [row for row in rows if not options.names or row.name in options.names][part - 1 :: parts]
    if options.list:
        for row in wanted:
            print(f"{row.folder}/{row.name}: {row.text}")
        return 0
    program = os.environ.get("ASSAY") or os.path.join(HERE, "..", "build", "default", "assay")
    program = os.path.abspath(program)
    if not os.access(program, os.X_OK):
        sys.exit(f"no program at {program}: build it with 'make' or set ASSAY")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # cleans up
    become_reaper()
    machine = Machine(options)
    begin, wrong, honest, decided = time.monotonic(), 0, 0, 0
    try:
        machine.lay_out(rows)
        table = Table(wanted)
        for row in wanted:
            if row.is_honest:
                row.baseline = row.name
            got, why = run_row(machine, row, program)
            honest += row.is_honest
            decided += row.is_honest and got.is_decided
            wrong += bool(why)
            table.add(row, got, why)
    finally:
        end_descendants(0)
        machine.close()
    if honest:
        is_sample = parts > 1 or options.names
        is_enough = is_sample or decided >= DECIDED_WANTED * honest
        print(f"honest kernels with a decision: {decided} of {honest}", end="")
        print("" if is_enough else f", wanted {DECIDED_WANTED:.0%}")
        wrong += not is_enough
    print(f"{len(wanted) - min(wrong, len(wanted))} as expected, {wrong} not ({time.monotonic() - begin:.0f} s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
