#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Writes a result file of seeded, lognormal times (docs/result-format.md): made_results.py PROBLEMS SAMPLES SEED FILE.
import json
import math
import random
import sys

CV = 0.02


def durations(draw, count, median_ns):
    return [round(draw.lognormvariate(math.log(median_ns), CV)) for _ in range(count)]


def document(problem_count, sample_count, seed):
    draw = random.Random(seed)
    cases = []
    for i in range(problem_count):
        problem = f"attention/fp32/b{1 + i % 20}/h{1 + i // 20}/s512/d64"
        samples = {"side": 0, "duration_ns": durations(draw, sample_count, 1e6 * (1 + i))}
        cases.append({"problem": problem, "short_name": f"p{i}", "rounds": [{"samples": [samples]}]})
    sides = [{"role": "candidate", "label": "made"}]
    return {"kind": "assay.result", "schema_version": 1, "sides": sides, "cases": cases}


if __name__ == "__main__":
    made = document(*(int(text) for text in sys.argv[1:4]))
    with open(sys.argv[4], "w", encoding="utf-8") as out:
        json.dump(made, out, separators=(",", ":"))
