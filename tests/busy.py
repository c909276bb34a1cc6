#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Do verdicts hold on a machine that others use? Gates of a kernel against itself (no regression may be called, nine of ten
# comparisons must be decided) and against itself with 6.25 % more arithmetic (19 of 20 must be caught) beside a process that is
# busy half of the time; and beside three processes that never rest (a gate decides about as fast as it announced, or ends early and
# says why). Prints a row a gate and ends with what was promised and what was seen; exit code 1 if a promise is broken.
"""usage: tests/busy.py [--same N] [--slower N] [--crowded N] [--seed N]

  --same N    gates of `simd` against itself, ten problems each (default 10: about 20 minutes)
  --slower N  gates of `tiled` that computes every 16th tile twice against `tiled`, one problem (default 20: 7 minutes)
  --crowded N gates of `simd` against itself, two problems, beside three busy processes (default 20: 15 minutes)
  --seed N    of the first gate and of the load (default 1)
ASSAY is the program (default build/default/assay)."""

import argparse
import collections
import contextlib
import json
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EVERY = 16  # tile is computed twice
MEAN_S = 2.0  # of a busy and of a quiet time, drawn from an exponential distribution
COPY_BYTES = 64 << 20  # beyond the caches of a core
DECIDED = ("maintained", "regression", "improvement", "same_code")
DECIDED_WANTED, CAUGHT_WANTED = 0.9, 0.95  # of the comparisons, of the gates
CROWD, IN_TIME_WANTED, ANNOUNCED_MOST = 3, 0.9, 1.5  # processes, share of the gates, times the time that was announced

MANIFEST = """version: 1
kernels:
  simd: {operator: attention, backend: cpu, source: kernels/attention/simd.c}
  tiled: {operator: attention, backend: cpu, source: kernels/attention/tiled.c}
  tiled_slower: {operator: attention, backend: cpu, source: kernels/attention/tiled_slower.c}
suites:
  pr: {problems: {s128: attention/fp32/b1/h2/s128/d64, s128_causal: attention/fp32/b1/h2/s128/d64/causal}}
"""
ONCE = "static void tiled_run(void *arg, int64_t index, uint32_t thread) {"
NEXT = "\nstatic int tiled_supports("
TWICE = """
static void tiled_run(void *arg, int64_t index, uint32_t thread) {
    tiled_run_once(arg, index, thread);
    if (index %% %d == 0) tiled_run_once(arg, index, thread);
}
"""


def load(seed):
    """By turns arithmetic and copies, each for a drawn time, and as long a rest."""
    draw = random.Random(seed)
    source, target = bytearray(COPY_BYTES), bytearray(COPY_BYTES)
    is_copying = False
    while True:
        until = time.monotonic() + draw.expovariate(1 / MEAN_S)
        while time.monotonic() < until:
            if is_copying:
                target[:] = source
            else:
                sum(range(100000))
        is_copying = not is_copying
        time.sleep(draw.expovariate(1 / MEAN_S))


def write_kernels(folder):
    shutil.copytree(os.path.join(ROOT, "kernels"), os.path.join(folder, "kernels"))
    with open(os.path.join(folder, "kernels", "attention", "tiled.c"), encoding="utf-8") as file:
        text = file.read()
    if ONCE not in text or NEXT not in text:
        sys.exit("busy.py: kernels/attention/tiled.c has changed: tell this test where it computes a tile")
    text = text.replace(ONCE, ONCE.replace("tiled_run", "tiled_run_once")).replace(NEXT, TWICE % EVERY + NEXT)
    with open(os.path.join(folder, "kernels", "attention", "tiled_slower.c"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(folder, "assay.yaml"), "w", encoding="utf-8") as file:
        file.write(MANIFEST)


def work():
    while True:
        sum(range(100000))


@contextlib.contextmanager
def beside(count, target, *arguments):
    others = [multiprocessing.Process(target=target, args=arguments, daemon=True) for _ in range(count)]
    for other in others:
        other.start()
    try:
        yield
    finally:
        for other in others:
            other.terminate()


def seconds(text):
    """Of a duration as assay prints it: "1 min 20 s", "850 ms"."""
    units = {"ms": 0.001, "s": 1, "min": 60, "h": 3600}
    return sum(float(number) * units[unit] for number, unit in re.findall(r"([\d.]+) (ms|s|min|h)\b", text))


def crowded_gates(program, folder, options):
    words = ["--suite", "pr", "--measure-same", "--no-check", "--candidate", "simd", "--baseline", "simd"]
    false_alarms = in_time = 0
    for seed in range(options.seed, options.seed + options.crowded):
        began = time.monotonic()
        done = subprocess.run([program, "gate", "--json", "--no-store", "--seed", str(seed), *words], cwd=folder, capture_output=True,
                              text=True, env=dict(os.environ, NO_COLOR="1"), check=False)
        took_s = time.monotonic() - began
        announced = re.search(r"until the first look, up to (.*?) if measurements", done.stderr)
        most_s = ANNOUNCED_MOST * seconds(announced[1]) if announced else 0
        is_decided = done.returncode == 0 and took_s <= most_s
        is_ended = done.returncode == 3 and "ended early: in the last" in done.stderr
        false_alarms += done.returncode == 1
        in_time += is_decided or is_ended
        print(f"seed {seed:<4} exit {done.returncode}  {took_s:5.0f} s, announced at most {most_s / ANNOUNCED_MOST:.0f} s"
              f"{', ended early' if is_ended else ''}", flush=True)
    print(f"beside {CROWD} busy processes: {options.crowded} gates, {false_alarms} false alarms (0 promised), "
          f"{in_time} in time or ended early (nine of ten promised)")
    return false_alarms == 0 and in_time >= IN_TIME_WANTED * options.crowded


def gate(program, folder, seed, words):
    """Exit code and the outcome of each problem."""
    began = time.monotonic()
    done = subprocess.run(
        [program, "gate", "--quiet", "--no-check", "--json", "--seed", str(seed), "--suite", "cpu", *words],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, NO_COLOR="1"), check=False,
    )
    if done.returncode not in (0, 1, 3):
        sys.exit(f"busy.py: gate ended with {done.returncode}: {done.stderr.decode()}")
    outcomes = [case["verdict"] for case in json.loads(done.stdout)["decision"]["cases"]]
    counted = ", ".join(f"{count} {name}" for name, count in sorted(collections.Counter(outcomes).items()))
    print(f"seed {seed:<4} exit {done.returncode}  {time.monotonic() - began:5.0f} s  {counted}", flush=True)
    return done.returncode, outcomes


def same_gates(program, folder, options):
    words = ["--measure-same", "--candidate", "simd", "--baseline", "simd"]
    seen = []
    for seed in range(options.seed, options.seed + options.same):
        seen += gate(program, folder, seed, words)[1]
    wrong, decided = seen.count("regression") + seen.count("improvement"), sum(outcome in DECIDED for outcome in seen)
    print(f"the same kernel: {len(seen)} comparisons, {wrong} false alarms (0 promised), {decided} decided (nine of ten promised)")
    return wrong == 0 and decided >= DECIDED_WANTED * len(seen)


def slower_gates(program, folder, options):
    words = ["--only", "s256", "--candidate", "tiled_slower", "--baseline", "tiled"]
    codes = [gate(program, folder, seed, words)[0] for seed in range(options.seed, options.seed + options.slower)]
    print(f"6.25 % more arithmetic: {codes.count(1)} of {len(codes)} gates caught it (19 of 20 promised)")
    return codes.count(1) >= CAUGHT_WANTED * len(codes)


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=True)
    parser.add_argument("--same", type=int, default=10)
    parser.add_argument("--slower", type=int, default=20)
    parser.add_argument("--crowded", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = os.path.abspath(os.environ.get("ASSAY", "build/default/assay"))
    with tempfile.TemporaryDirectory(prefix="assay-busy-") as folder:
        write_kernels(folder)
        with beside(1, load, options.seed):
            is_kept = [same_gates(program, folder, options), slower_gates(program, folder, options)]
        with beside(CROWD, work):
            is_kept.append(crowded_gates(program, folder, options))
    return 0 if all(is_kept) else 1


if __name__ == "__main__":
    sys.exit(main())
