#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Whether assay can be talked to by a kernel of a GPU. Runs `fuzz` and `gate --baseline right` on every kernel of trust.txt, from
# modules that build.sh built, prints a row for each, and keeps what was said of it. Exit code 1 if one is not as expected or was
# not run. tests/trust.py does the same on a processor, of the same parts.
"""usage: tests/broken_cuda/gate.py [OPTIONS] MODULES [NAME...]

  MODULES          the folder of build.sh
  NAME             only these kernels
  --device D       default cuda:0
  --isolation WHAT passed on to fuzz and gate
  --output FOLDER  keeps results.json (with the rows of earlier calls), and of every command its text and result document
  --limit S        a command that takes longer is ended, and its row has failed (default 90)
  --budget S       no row is begun after that time (default 360); the last line says which are left
  --list           print the rows and what is expected of them, run nothing
ASSAY is the program (default build/default/assay)."""

import argparse
import json
import os
import re
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(HERE))
from trust_parts import machine as on_machine  # pylint: disable=wrong-import-position
from trust_parts import processes, rows as tables, verdicts  # pylint: disable=wrong-import-position

PASSED_ON = ("ASSAY_", "CUDA_", "FAKE_", "LD_LIBRARY_PATH")  # beginnings of names
BLAMES_RIGHT = re.compile("of side 'right' were disturbed and .* it disturbs itself")
DECIDE_S = 10  # before its limit a gate shall end by itself
ROUNDS = 10  # with fewer, an improvement has to lie beyond 25 %

MANIFEST = """version: 1
kernels:
%s
suites:
  matrix: {problems: {a: attention/fp16/b1/h2/s33/d64/causal, b: attention/fp16/b2/h4/hkv2/s17/d32}}
  large: {problems: {large: attention/fp16/b8/h8/s128/d64}}
  small: {problems: {small: attention/fp16/b1/h2/s32/d64}}
limits: {case_s: 20, gate_s: %d}
"""


class Machine(on_machine.Machine):
    def __init__(self, options):
        super().__init__(options)
        self.name = self.command = ""
        self.result = {}  # of the last command

    # None of these kernels talks to sockets, or leaves shared memory or files: tests/trust.py may run beside this.
    def listen(self):
        pass

    def environment(self):
        passed_on = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}
        return {**passed_on, **super().environment()}

    def lay_out(self, rows):
        kernels = [f"  {row.name}: {{operator: attention, backend: cuda, {row.entry}}}" for row in rows]
        path = os.path.join(self.project, tables.manifest_name((tables.CASE_S, "")))
        with open(path, "w", encoding="utf-8") as manifest:
            manifest.write(MANIFEST % ("\n".join(kernels), max(self.options.limit - DECIDE_S, 1)))
        self.sources = self.snapshot()

    def run(self, words, limit_s):
        self.command = words[1]
        return super().run(words, limit_s)

    def inspect(self, ended):
        self.inspect_runs(ended)
        self.result = verdicts.read_result(self)
        if BLAMES_RIGHT.search(ended.out + ended.err):
            ended.faults.append("blames right: it disturbs itself")
        if not self.options.output:
            return
        path = os.path.join(self.options.output, f"{self.name}_{self.command}")
        with open(path + ".txt", "w", encoding="utf-8", errors="surrogateescape") as text:
            text.write(ended.out + ended.err)
        if self.result:
            with open(path + ".json", "w", encoding="utf-8") as file:
                json.dump(self.result, file, indent=1)


def read_rows(modules, device):
    rows = tables.read_table(os.path.join(HERE, "trust.txt"))
    with open(os.path.join(HERE, "expected.txt"), encoding="utf-8") as expected:
        known = {line.split()[0] for line in expected if line.strip()} | {row.name for row in rows}
    missing = sorted({name[:-3] for name in os.listdir(HERE) if name.endswith(".cu")} - known)
    if missing:
        sys.exit(f"gate.py: neither trust.txt nor expected.txt has a row for {', '.join(missing)}")
    for row in rows:
        row.suite = "large" if row.suite == "tiny" else row.suite
        row.rounds = ROUNDS
        row.entry = "library: " + json.dumps(os.path.join(modules, row.name + ".so"))
        row.fuzz_options.append(f"--device={device}")
        row.gate_options.append(f"--device={device}")
    return rows


def gain_of(result):
    """By how many per cent the candidate is proved faster in its best problem; None: there is no decision."""
    changes = [case.get("change_high_pct") for case in result.get("decision", {}).get("cases", [])]
    known = [change for change in changes if change is not None]
    return -min(known) if known else None


def run_row(machine, row, program):
    machine.name = row.name
    got, why = verdicts.run_row(machine, row, program)
    got.gain_pct = gain_of(machine.result)
    if got.gate == "0" and got.gain_pct is not None and got.gain_pct > row.gain_pct:
        why += ("; " if why else "") + f"passes {got.gain_pct:.1f} % faster than right"
    return got, why


def add_to_results(folder, row, got, why):
    """results.json has one object a row, the newest."""
    path = os.path.join(folder, "results.json")
    rows = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            rows = [other for other in json.load(file) if other["kernel"] != row.name]
    rows.append(
        {
            "kernel": row.name,
            "suite": row.suite,
            "expected": row.text,
            "fuzz": got.fuzz,
            "gate": got.gate,
            "reason": got.reason,
            "gain_pct": got.gain_pct,
            "seconds": round(got.seconds, 1),
            "is_expected": not why,
            "why": why,
        }
    )
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
    os.replace(path + ".new", path)


def read_options():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("modules", nargs="?", default="")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--help", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--isolation")
    parser.add_argument("--output")
    parser.add_argument("--limit", type=int, default=90)
    parser.add_argument("--budget", type=float, default=360)
    options = parser.parse_args()
    if options.help or not (options.modules or options.list):
        sys.exit(__doc__)
    # of on_machine.Machine
    options.user, options.keep, options.memory = None, False, 64
    return options


def main():
    options = read_options()
    modules = os.path.abspath(options.modules)
    rows = read_rows(modules, options.device)
    unknown = set(options.names) - {row.name for row in rows}
    if unknown:
        sys.exit(f"gate.py: no kernel {', '.join(sorted(unknown))}")
    wanted = [row for row in rows if not options.names or row.name in options.names]
    if options.list:
        for row in wanted:
            print(f"{row.name}: {row.suite} {row.text}")
        return 0
    needed = {"right"} | {row.name for row in wanted}
    missing = sorted(name for name in needed if not os.path.exists(os.path.join(modules, name + ".so")))
    if missing:
        sys.exit(f"gate.py: {modules} has no {', '.join(missing)}: tests/broken_cuda/build.sh FOLDER builds them")
    program = os.path.abspath(
        os.environ.get("ASSAY") or os.path.join(HERE, "..", "..", "build", "default", "assay")
    )
    if not os.access(program, os.X_OK):
        sys.exit(f"gate.py: no program at {program}: build it with 'make' or set ASSAY")
    if options.output:
        options.output = os.path.abspath(options.output)
        os.makedirs(options.output, exist_ok=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # cleans up
    processes.become_reaper()
    machine = Machine(options)
    begin, wrong, left = time.monotonic(), 0, []
    try:
        machine.lay_out([row for row in rows if row.name in needed])
        table = verdicts.Table(wanted)
        for row in wanted:
            if time.monotonic() - begin > options.budget:
                left.append(row.name)
                continue
            got, why = run_row(machine, row, program)
            wrong += bool(why)
            table.add(row, got, why)
            if options.output:
                add_to_results(options.output, row, got, why)
    finally:
        processes.end_descendants(0)
        machine.close()
    done = len(wanted) - wrong - len(left)
    print(f"{done} as expected, {wrong} not ({time.monotonic() - begin:.0f} s)", end="")
    print(f"; no time for {' '.join(left)}" if left else "")
    return 1 if wrong or left else 0


if __name__ == "__main__":
    sys.exit(main())
