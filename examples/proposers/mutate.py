#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# A proposer of `assay tune` that mutates settings: one of the elite, or the baseline, with one or two settings changed. It asks for
# nothing twice, and ends when all was asked for. docs/tune.md has the protocol.
#   assay tune --kernel mine --proposer "python3 mutate.py"
import json
import random
import sys


def read_config(text):
    return dict((name, int(value)) for name, value in (part.split("=") for part in text.split(",") if part))


def main():
    question = json.load(sys.stdin)
    settings = question["settings"]
    if not settings:
        sys.exit("the kernel declares no setting with two values: there is nothing to mutate")
    draw = random.Random(question["seed"] * 1000003 + question["number"])
    baseline = {one["name"]: one["baseline"] for one in settings}
    asked_for = [variant["variant"] for variant in question["tried"]] + question["pending"]
    asked_for += [one["config"] for one in question["failures"] if "config" in one] # such as what a rule forbids
    known = [read_config(text) for text in asked_for] + [baseline]
    parents = [read_config(variant["config"]) for variant in question["elite"]]
    parents.append(baseline)
    for _ in range(1000):
        child = dict(draw.choice(parents))
        for one in draw.sample(settings, min(len(settings), draw.choice([1, 1, 2]))):
            child[one["name"]] = draw.choice(one["values"])
        if child not in known:
            print("// assay: config " + ",".join(f"{name}={child[name]}" for name in sorted(child)))
            return
    sys.exit("nothing is left that was not asked for")


main()
