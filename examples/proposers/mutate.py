#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# A proposer of `assay tune` that mutates settings: one of the elite, or the baseline, with one or two settings changed. It tries no
# variant twice, and ends when all are tried. docs/tune.md has the protocol.
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
    tried = {variant["variant"] for variant in question["tried"]}
    parents = [read_config(variant["config"]) for variant in question["elite"]]
    parents.append({one["name"]: one["baseline"] for one in settings})
    for _ in range(1000):
        child = dict(draw.choice(parents))
        for one in draw.sample(settings, min(len(settings), draw.choice([1, 1, 2]))):
            child[one["name"]] = draw.choice(one["values"])
        config = ",".join(f"{name}={child[name]}" for name in sorted(child))
        if config not in tried:
            print(f"// assay: config {config}")
            return
    sys.exit("nothing is left that was not tried")


main()
