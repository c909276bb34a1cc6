#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Kills processes of gates at drawn times: control, the judge or a kernel's process. Afterwards nothing may be left running, what was
# journalled must be there byte by byte, and --resume must end with a decision. Prints a row for each kind of victim and ends with
# "N as expected, M not"; exit code 1 if M is not 0. With --same both sides are the same kernel, and the judge or a kernel's process is
# killed once: no such gate may end with 1, and one without a decision ends with 3.
"""usage: tests/kills.py [--count N] [--seed N] [--keep] [--same]

  --count N  kills (default 500: half an hour on two processors; `make campaign`)
  --seed N   draws victims, signals and times (default: the time)
  --same     simulated gates of a kernel against itself, which nobody may call wrong or slower
  --keep     keep the folders of gates that went wrong, and say where they are
ASSAY is the program (default build/default/assay)."""

import argparse
import collections
import ctypes
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # this folder may be read-only
from trust_parts.processes import reap

HERE = os.path.dirname(os.path.abspath(__file__))
MANIFEST = """version: 1
suites:
  simulated: {from: sim, only: [p0, p1]}
  same: {from: sim, only: [p0, p1]}
  real: {problems: {a: attention/fp32/b1/h1/s24/d32, b: attention/fp32/b1/h2/s32/d16}}
kernels:
  one: {operator: scale, backend: sim, sim: {}}
  two: {operator: scale, backend: sim, sim: {slower_pct: 10}}
  again: {operator: scale, backend: sim, sim: {slower_pct: 0.001}} # as good as the same, and measured
  right: {operator: attention, backend: cpu, source: right.c}
  same: {operator: attention, backend: cpu, source: right.c, flags: ["-O1"]}
"""
GATES = {
    "simulated": ["--device", "sim:steady", "--candidate", "two", "--baseline", "one", "--isolation", "process"],
    "same": ["--device", "sim:steady", "--candidate", "again", "--baseline", "one", "--isolation", "process"],
    "real": ["--candidate", "same", "--baseline", "right"],
}
ROUNDS = {"simulated": "5", "real": "5", "same": "20"}
VICTIMS = ("control", "judge", "host")
DECISIONS = (0, 1, 2, 3)
BLAMELESS = (0, 3)  # of a kernel against itself
LONGEST_S = 2.0  # until a kill
LONGEST_SAME_S = 0.8  # such a gate lasts a second
GONE_S = 8.0  # after the end of a gate, or of control
GATE_S = 120.0


def children_of(parent):
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] not in "ZX":
            found.append((int(name), words[1].decode() if len(words) > 1 else ""))
    return found


def descendants(parent):
    found, front = [], [parent]
    while front:
        below = children_of(front.pop())
        found += below
        front += [pid for pid, _ in below]
    return found


def find(parent, word):
    """Descendants of that name, as quickly as they come and go."""
    found, front = [], [parent]
    while front:
        pid = front.pop()
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                below = [int(number) for number in file.read().split()]
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        front += below
        if len(words) > 1 and words[1].decode(errors="replace") == word:
            found.append(pid)
    return found


class Gate:
    def __init__(self, program, kind):
        self.program = program
        self.kind = kind
        self.folder = tempfile.mkdtemp(prefix="assay-kills-")
        shutil.copy(os.path.join(HERE, "broken", "right.c"), self.folder)
        shutil.copy(os.path.join(HERE, "broken", "broken.h"), self.folder)
        with open(os.path.join(self.folder, "assay.yaml"), "w", encoding="utf-8") as file:
            file.write(MANIFEST)
        self.words = ["gate", "--quiet", "--suite", kind, "--check", kind, "--rounds", ROUNDS[kind], "--iters", "10", *GATES[kind]]

    def start(self, words):
        environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(self.folder, "cache"), NO_COLOR="1")
        with open(os.path.join(self.folder, "said"), "ab") as said:
            return subprocess.Popen(
                [self.program, *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said
            )

    def journal(self):
        for path, _, files in os.walk(os.path.join(self.folder, "runs")):
            if "journal.jsonl" in files:
                with open(os.path.join(path, "journal.jsonl"), "rb") as file:
                    return os.path.basename(path), file.read()
        return None, b""

    def close(self, is_kept):
        if not is_kept:
            shutil.rmtree(self.folder, ignore_errors=True)


def wait_until_gone():
    """Names of what is still alive after GONE_S."""
    until = time.monotonic() + GONE_S
    while True:
        reap()
        left = descendants(os.getpid())
        if not left or time.monotonic() > until:
            break
        time.sleep(0.02)
    for pid, _ in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return [word for _, word in left]


def wait_for(child):
    try:
        return child.wait(GATE_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return None


def kill_one(gate, victim, number, delay_s):
    """Whether there was something to kill, and what went wrong: a sentence, "" if nothing did."""
    child = gate.start(gate.words)
    time.sleep(delay_s)
    word = {"judge": "worker", "host": "host"}.get(victim)
    found = find(child.pid, word) if word else [child.pid]
    while gate.kind == "same" and not found and child.poll() is None:  # it runs in parts of the time only
        found = find(child.pid, word)
    was_there = bool(found) and child.poll() is None
    if was_there:
        try:
            os.kill(random.choice(found), number)
        except ProcessLookupError:
            was_there = False
    code = wait_for(child)
    if code is None:
        return was_there, f"the gate did not end within {GATE_S:g} s"
    left = wait_until_gone()
    if left:
        return was_there, f"left running: {', '.join(left)}"
    if gate.kind == "same":
        return was_there, "" if code in BLAMELESS else f"exit code {code}"
    if victim != "control" and code not in DECISIONS + (69, 70):
        return was_there, f"exit code {code}"
    return was_there, resume(gate)


def resume(gate):
    run, before = gate.journal()
    whole = before[: before.rfind(b"\n") + 1]
    for line in whole.splitlines():
        try:
            json.loads(line)
        except ValueError:
            return f"the journal has a line that is none: {line[:80]!r}"
    if not whole:
        return ""  # killed before anything was measured
    child = gate.start(["gate", "--quiet", "--resume", run])
    code = wait_for(child)
    left = wait_until_gone()
    after = gate.journal()[1]
    if left:
        return f"left running after --resume: {', '.join(left)}"
    if not after.startswith(whole):
        return "--resume has changed what was journalled"
    return "" if code in DECISIONS else f"--resume ends with {code}"


def numbers_for(victim, is_same):
    if is_same:
        return (signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU)
    return (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP) if victim == "control" else (signal.SIGKILL,)


def main():
    words = argparse.ArgumentParser(usage=__doc__)
    words.add_argument("--count", type=int, default=500)
    words.add_argument("--seed", type=int, default=int(time.time()))
    words.add_argument("--keep", action="store_true")
    words.add_argument("--same", action="store_true")
    options = words.parse_args()
    program = os.path.abspath(os.environ.get("ASSAY", os.path.join(HERE, "..", "build", "default", "assay")))
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans come to us
    random.seed(options.seed)
    print(f"seed {options.seed}")
    hits, wrong = collections.Counter(), collections.Counter()
    for i in range(options.count):
        kind = "same" if options.same else ("simulated", "real")[i % 2]
        victim = random.choice(VICTIMS[1:] if options.same else VICTIMS)
        number = random.choice(numbers_for(victim, options.same))
        delay_s = random.uniform(0, LONGEST_SAME_S if options.same else LONGEST_S)
        gate = Gate(program, kind)
        was_there, fault = kill_one(gate, victim, number, delay_s)
        hits[victim] += was_there
        if fault:
            wrong[victim] += 1
            where = f"; see {gate.folder}" if options.keep else ""
            print(f"kill {i}: {victim} of a {kind} gate, {number.name} after {delay_s:.2f} s: {fault}{where}", flush=True)
        gate.close(fault and options.keep)
    for victim in VICTIMS:
        print(f"{victim:<8} {hits[victim]:>4} killed, {wrong[victim]} wrong")
    bad = sum(wrong.values())
    print(f"{options.count - bad} as expected, {bad} not")
    sys.exit(1 if bad else 0)


main()
