# SPDX-License-Identifier: Apache-2.0
"""Does the whole program keep a row of the promises (docs/promises.md)? Runs `assay gate` on a simulated device once a
seed, two at a time, counts what it decided, and holds the count against the 99.9 % binomial bound of the promised rate.

usage: _promises.py ROW        the promises of that row, then the same count on gates that are wrong in one way, which must
                               break them

PROMISES_GATES: gates a row (default 60; `make campaign` sets 200)
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

RUNS = int(os.environ.get("PROMISES_GATES", 60))
MUTANT_RUNS = 25
DOUBT = (1, 1000)
FEW = "p0,p1,p2,p3,p4"  # rows that need no distribution
TEN = FEW + ",p5,p6,p7,p8,p9"
SPREAD1 = ["--manifest", "spread1.yaml", "--device", "sim:spread1"]  # as sim:promise, processes 1 % apart
# Statistics are the same either way, and starting two processes a side and round takes as long as the round.
ISOLATION = ["--isolation", os.environ.get("PROMISES_ISOLATION", "none")]
TOGGLED = ["--manifest", "spread1.yaml", "--device", "sim:toggled"]  # foreign load half of the time
SPREAD2 = ["--device", "sim:promise"]


class Promise:
    """At most, or at least, that share (numerator, denominator) of the problems, or of the runs with any such problem."""

    def __init__(self, verdict, is_floor, rate, of="problems"):
        self.verdict, self.is_floor, self.rate, self.of = verdict, is_floor, rate, of


class Row:
    def __init__(self, sides, promises, mutants, device=SPREAD2, only=None, more=()):
        self.sides, self.promises, self.mutants, self.device, self.only = sides, promises, mutants, device, only
        self.more = list(more)  # options of every gate of the row


FALSE_ALARM = Promise("regression", False, (1, 1000))
ANY_FALSE_ALARM = Promise("regression", False, (2, 100), "runs")
PROVED = Promise("maintained", True, (985, 1000))
ONE_RUN = ("one run a side", "compare")  # the classic rule on two single runs, as `assay compare` has it
FIVE_ROUNDS = ("five rounds only", ["--rounds", "5"])
LOOSE = ("4 % threshold", ["--regression", "4"])
LOOSER = ("6 % threshold", ["--regression", "6"])
STRICT = ("1 % threshold", ["--regression", "1"])
CHEAP = ("8 % is enough", ["--improvement", "8"])
BY_WINDOW = ("2 % of busy windows", ["--busy-limit", "2"])
SWAPPED = ("sides exchanged", None)

# Mutants of a row: each breaks its first promise but where a promise is named.
ROWS = {
    "unchanged": Row(("sim", "sim"), [ANY_FALSE_ALARM, FALSE_ALARM, PROVED],
                     [ONE_RUN + (ANY_FALSE_ALARM,), ONE_RUN + (FALSE_ALARM,), FIVE_ROUNDS + (PROVED,)]),
    "slower5": Row(("sim_slower5", "sim"), [Promise("regression", True, (995, 1000))],
                   [SWAPPED, FIVE_ROUNDS, LOOSER], only=FEW),
    "slower4": Row(("sim_slower4", "sim"), [Promise("regression", True, (995, 1000))],
                   [SWAPPED, FIVE_ROUNDS, LOOSE], device=SPREAD1, only=FEW),
    "slower3": Row(("sim_slower3", "sim"), [Promise("maintained", False, (6, 100))], [SWAPPED, LOOSE], only=FEW),
    # Inside the band, and short of the claim: neither is called what it is not.
    "slower2": Row(("slower2", "sim"), [Promise("regression", False, (1, 100))], [STRICT],
                   device=["--manifest", "spread1.yaml"] + SPREAD2, only=FEW),
    "faster9": Row(("faster9", "sim"), [Promise("improvement", False, (2, 100), "runs")], [CHEAP],
                   device=["--manifest", "spread1.yaml"] + SPREAD2, only=TEN, more=["--expect", "improvement"]),
    # Disturbed pairs cost samples, not verdicts. As windows were judged before: any load makes them invalid.
    "toggled": Row(("sim", "sim"), [PROVED, ANY_FALSE_ALARM], [BY_WINDOW], device=TOGGLED, only=TEN),
    "toggled_slower5": Row(("sim_slower5", "sim"), [Promise("regression", True, (995, 1000))],
                           [SWAPPED, BY_WINDOW], device=TOGGLED, only=FEW),
    # One in a million: never, as far as the runs can say.
    "sign_faster": Row(("faster10", "sim"), [Promise("regression", False, (1, 10**6))], [SWAPPED],
                       device=["--manifest", "spread1.yaml"] + SPREAD2, only=FEW),
    "sign_slower": Row(("slower10", "sim"), [Promise("improvement", False, (1, 10**6)),
                                             Promise("regression", True, (995, 1000))],
                       [SWAPPED + (Promise("regression", True, (995, 1000)),)],
                       device=["--manifest", "spread1.yaml"] + SPREAD2, only=FEW),
}

MANIFEST = """\
version: 1
devices:
  "sim:spread1": {summary: "as sim:promise, processes 1 % apart", clock_mhz: 1500, noise: {cv_pct: 1, process_pct: 1}}
  "sim:toggled":
    summary: other programs half of the time, and a hypervisor
    clock_mhz: 1500
    noise: {cv_pct: 1, process_pct: 1, others_share_pct: 50, others_dwell_ms: 30, others_slower_pct: 2,
            others_wait_share_pct: 30, others_wait_us: 3000, steal_share_pct: 2, steal_us: 500}
kernels:
  slower2: {operator: scale, backend: sim, sim: {base_us: 100, slower_pct: 2}}
  faster9: {operator: scale, backend: sim, sim: {base_us: 100, slower_pct: -9}}
  faster10: {operator: scale, backend: sim, sim: {base_us: 100, slower_pct: -10}}
  slower10: {operator: scale, backend: sim, sim: {base_us: 100, slower_pct: 10}}
"""


def tail(n, rate, count, is_floor):
    """P(X <= count) for a floor, P(X >= count) else, X ~ Bin(n, rate), as (numerator, denominator): whole numbers."""
    a, b = rate
    terms, term = [], (b - a) ** n
    for k in range(count + 1 if is_floor else count):  # of k = 0, 1, ...
        terms.append(term)
        term = term * (n - k) * a // ((k + 1) * (b - a))
    whole, below = b ** n, sum(terms)
    return (below, whole) if is_floor else (whole - below, whole)


def is_kept(promise, n, count):
    if promise.is_floor:  # counted as misses: few, so the sum is short
        miss, whole = promise.rate[1] - promise.rate[0], promise.rate[1]
        chance = tail(n, (miss, whole), n - count, False)
    else:
        chance = tail(n, promise.rate, count, False)
    return chance[0] * DOUBT[1] >= chance[1] * DOUBT[0]


def gate(row, sides, more, seed, folder):
    """Verdicts of one run's problems."""
    runs = os.path.join(folder, "run-%d" % seed)
    command = ["assay", "gate", "--candidate", sides[0], "--baseline", sides[1], "--suite", "sim27", "--measure-same",
               "--no-check", "--seed", str(seed), "--json", "--quiet", "--output-dir", runs] + ISOLATION + row.device + row.more + more
    if row.only:
        command += ["--only", row.only]
    alone = dict(os.environ, XDG_CACHE_HOME=os.path.join(runs, "cache"))  # no gate is a rerun of another
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=alone)
    shutil.rmtree(runs, ignore_errors=True)
    if done.returncode not in (0, 1, 3):
        sys.exit("seed %d: exit %d: %s" % (seed, done.returncode, done.stderr))
    decision = json.loads(done.stdout)["decision"]
    verdicts = [case["verdict"] for case in decision["cases"]]
    is_refused = "--expect" in row.more and "improvement" not in verdicts
    is_open = {"undecidable", "invalid"} & set(verdicts)
    wanted = 1 if "regression" in verdicts or is_refused else 3 if is_open else 0
    if done.returncode != wanted:
        sys.exit("seed %d: exit %d, but the verdicts are %s" % (seed, done.returncode, sorted(set(verdicts))))
    return verdicts


def compare(row, sides, _, seed, folder):
    """Verdicts of the classic rule on one run of each side."""
    files = []
    for side, kernel in enumerate(sides):
        runs = os.path.join(folder, "run-%d-%d" % (seed, side))
        files.append(runs + ".json")
        subprocess.run(["assay", "bench", "--kernel", kernel, "--suite", "sim27", "--seed", str(2 * seed + side), "--quiet",
                        "--output-dir", runs, "--output", files[-1]] + row.device, check=True,
                       stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        shutil.rmtree(runs)
    done = subprocess.run(["assay", "compare", files[0], files[1], "--json"], capture_output=True, text=True)
    for file in files:
        os.remove(file)
    decision = json.loads(done.stdout)
    return [case["verdict"] for case in decision.get("decision", decision)["cases"]]


def gates(row, sides, more, count, folder):
    decide = compare if more == "compare" else gate
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda seed: decide(row, sides, more, seed, folder), range(1, count + 1)))


def check(promise, name, decided):
    """The one check that the program passes and its mutants fail. Prints a line."""
    counts = [verdicts.count(promise.verdict) for verdicts in decided]
    if promise.of == "runs":
        n, count = len(decided), sum(1 for c in counts if c)
    else:
        n, count = sum(len(verdicts) for verdicts in decided), sum(counts)
    kept = is_kept(promise, n, count)
    print("%-18s %-12s %5d of %4d %-8s  %7.3f %%  at %s %g %%: %s" %
          (name, promise.verdict, count, n, promise.of, 100 * count / n, "least" if promise.is_floor else "most",
           100 * promise.rate[0] / promise.rate[1], "kept" if kept else "broken"))
    return kept


def self_check():
    """The bounds at small numbers that can be worked out by hand: Bin(10, 1/2)."""
    assert tail(10, (1, 2), 10, False) == (1, 1024) and tail(10, (1, 2), 0, True) == (1, 1024)
    assert tail(10, (1, 2), 9, False) == (11, 1024)
    assert is_kept(Promise("", False, (1, 2)), 9, 9) and not is_kept(Promise("", False, (1, 2)), 10, 10)
    assert is_kept(Promise("", True, (1, 2)), 9, 0) and not is_kept(Promise("", True, (1, 2)), 10, 0)


def main():
    self_check()
    row = ROWS[sys.argv[1]]
    with open("spread1.yaml", "w") as file:
        file.write(MANIFEST)
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    failed = 0
    with tempfile.TemporaryDirectory(prefix="assay-promises-", dir=shm) as folder:
        decided = gates(row, row.sides, [], RUNS, folder)
        for promise in row.promises:
            failed += not check(promise, "gate", decided)
        made = {}
        for name, more, *promise in row.mutants:
            sides = row.sides if more is not None else row.sides[::-1]
            if name not in made:
                made[name] = gates(row, sides, more or [], MUTANT_RUNS, folder)
            failed += check(promise[0] if promise else row.promises[0], name, made[name])
    if failed:
        sys.exit("%d of these lines are not as they must be: the gate keeps, its mutants break" % failed)


main()
