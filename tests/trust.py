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
import os
import signal
import sys
import time

sys.dont_write_bytecode = True  # this folder may be read-only
from trust_parts.machine import Machine  # pylint: disable=wrong-import-position
from trust_parts.processes import become_reaper, end_descendants  # pylint: disable=wrong-import-position
from trust_parts.rows import TESTS, read_broken, read_honest  # pylint: disable=wrong-import-position
from trust_parts.verdicts import Table, run_row  # pylint: disable=wrong-import-position

DECIDED_WANTED = 0.95  # of the honest kernels


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
    program = os.environ.get("ASSAY") or os.path.join(TESTS, "..", "build", "default", "assay")
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
