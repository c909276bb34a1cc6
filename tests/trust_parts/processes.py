# SPDX-License-Identifier: Apache-2.0
#
# Processes below this one: what is left of a command is found, and ended.

import ctypes
import os
import signal
import time


# Orphans below this process come to it, so that none is missed.
def become_reaper():
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


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
