#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# What a process of its own costs an honest kernel: runs `assay bench` COUNT times with --isolation process and COUNT times
# without, alternately, and prints for every problem the median ratio of blocks of two and two with its 95 % interval (percentile
# bootstrap of the blocks), how the processes of each form vary, and what the judge's clock has beyond the stamps.
"""usage: bench/isolation_cost.py [--assay PROGRAM] [--count N] [--limit S] [--log FILE] -- BENCH-OPTIONS...

  --assay PROGRAM  default build/default/assay
  --count N        processes of each form (default 40)
  --limit S        begin no process after that time, and evaluate what there is (default: none)
  --log FILE       keeps the medians of every process, and goes on where an earlier call ended
Example: bench/isolation_cost.py --count 40 -- --kernel simd --suite cpu --only s512,mission --iters 20"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

FORMS = ("none", "process")
RESAMPLES = 4000


def run(program, form, options):
    """{problem: {"median_ns", "beyond_ns"}}, seconds"""
    with tempfile.TemporaryDirectory(prefix="assay-cost-") as folder:
        output = os.path.join(folder, "result.json")
        begin = time.monotonic()
        ended = subprocess.run(
            [program, "bench", "--quiet", "--isolation", form, "--output", output, *options], capture_output=True, text=True
        )
        seconds = time.monotonic() - begin
        if ended.returncode:
            sys.exit(f"assay bench --isolation {form} ends with {ended.returncode}: {ended.stderr.strip() or ended.stdout.strip()}")
        with open(output, encoding="utf-8") as file:
            return medians(json.load(file)), seconds


def samples_of(result):
    for case in result["cases"]:
        for one in case["rounds"]:
            for samples in one["samples"] if one["is_valid"] else []:
                yield f"{case.get('short_name') or case['problem']} {result['sides'][samples['side']]['label']}", samples


def medians(result):
    found = {}
    for name, samples in samples_of(result):
        entry = found.setdefault(name, {"median_ns": [], "beyond_ns": []})
        launches, judged = samples["launches"], samples.get("judge_ns")
        for i, duration_ns in enumerate(samples["duration_ns"]):
            if str(i) in samples.get("discard", {}):
                continue
            entry["median_ns"].append(duration_ns / (launches[i] if isinstance(launches, list) else launches))
            if judged:
                entry["beyond_ns"].append(judged[i] - duration_ns)
    return {
        name: {key: statistics.median(values) for key, values in entry.items() if values} for name, entry in found.items()
    }


def block_ratios(runs, name):
    """process / none of each block of four processes in a row (none, process, process, none): what drifts from block to
    block is in both."""
    for i in range(0, len(runs) - 3, 4):
        by_form = {form: [] for form in FORMS}
        for one in runs[i : i + 4]:
            if name in one["problems"]:
                by_form[one["form"]].append(math.log(one["problems"][name]["median_ns"]))
        if all(len(logs) == 2 for logs in by_form.values()):
            yield math.exp((sum(by_form["process"]) - sum(by_form["none"])) / 2)


def interval(ratios):
    draw = random.Random(1)
    medians_drawn = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    return medians_drawn[int(0.025 * RESAMPLES)], medians_drawn[int(0.975 * RESAMPLES) - 1]


def spread_pct(values):
    quartiles = statistics.quantiles(values, n=4)
    return 100 * (quartiles[2] - quartiles[0]) / statistics.median(values)


def evaluate(runs):
    by_form = {form: [one for one in runs if one["form"] == form] for form in FORMS}
    print(f"{'problem':<28} {'none':>10} {'process':>10}  process / none (95 %)      IQR none, process   judge beyond")
    for name in by_form["none"][0]["problems"]:
        values = {
            form: [one["problems"][name]["median_ns"] for one in by_form[form] if name in one["problems"]] for form in FORMS
        }
        ratios = list(block_ratios(runs, name))
        if len(ratios) < 3:
            continue
        none, process = (statistics.median(values[form]) for form in FORMS)
        low, high = interval(ratios)
        beyond = [one["problems"][name]["beyond_ns"] for one in by_form["process"] if "beyond_ns" in one["problems"].get(name, {})]
        row = f"{name:<28} {none / 1e3:>7.2f} us {process / 1e3:>7.2f} us  {statistics.median(ratios):.4f} ({low:.4f} to {high:.4f})"
        row += f"  {spread_pct(values['none']):>6.2f} %, {spread_pct(values['process']):.2f} %"
        print(row + (f"  {statistics.median(beyond) / 1e3:>8.1f} us" if beyond else ""))
    for form in FORMS:
        seconds = [one["seconds"] for one in by_form[form]]
        print(f"{form}: {len(seconds)} processes, {statistics.median(seconds):.2f} s each")


def main():
    words = argparse.ArgumentParser(usage=__doc__)
    words.add_argument("--assay", default="build/default/assay")
    words.add_argument("--count", type=int, default=40)
    words.add_argument("--limit", type=float, default=float("inf"))
    words.add_argument("--log")
    words.add_argument("options", nargs="*")
    options = words.parse_args()
    runs, begin = [], time.monotonic()
    if options.log and os.path.exists(options.log):
        with open(options.log, encoding="utf-8") as file:
            runs = [json.loads(line) for line in file]
    while len(runs) < 2 * options.count and time.monotonic() - begin < options.limit:
        form = FORMS[(len(runs) + 1) // 2 % 2]  # none, process, process, none: drift affects both alike
        problems, seconds = run(options.assay, form, options.options)
        runs.append({"form": form, "seconds": seconds, "problems": problems})
        if options.log:
            with open(options.log, "a", encoding="utf-8") as file:
                file.write(json.dumps(runs[-1]) + "\n")
    evaluate(runs)


main()
