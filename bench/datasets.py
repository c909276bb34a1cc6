#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts on somebody's copy of a set (FlashInfer Trace, SOL-ExecBench) what assay makes of it: how many definitions are described, and
on how many interfaces the reference passes as a kernel of its own.

bench/datasets.py DIR [--assay PROGRAM] [--device cuda:0] [--seconds 1800] [--limit 120] [--jobs 1] [--results FILE.jsonl]
    [--elements 60e6] [--fuzz OPTIONS]

An interface is what definitions have in common that differ in sizes only; the smallest definition of each is run, on its default problem.
The results file is added to, and what it has is not run again.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time


def definitions_of(folder):
    paths = glob.glob(os.path.join(folder, "**", "*.json"), recursive=True)
    for path in sorted(p for p in paths if "/definitions/" in p or os.path.basename(p) == "definition.json"):
        with open(path) as file:
            yield json.load(file)


def interface_of(definition):
    sides = [[(name, t["dtype"], t["shape"] if t["shape"] is None else len(t["shape"])) for name, t in definition[side].items()]
             for side in ("inputs", "outputs")]
    return json.dumps([definition.get("op_type"), sides])


def elements_of(definition):
    """Those of all tensors, with 32 for a size that is free."""
    total = 0
    for tensor in [*definition["inputs"].values(), *definition["outputs"].values()]:
        count = 1
        for size in tensor["shape"] or []:
            count *= definition["axes"].get(size, {}).get("value") or 32 if isinstance(size, str) else size
        total += count
    return total


def run(arguments, name, operator):
    command = [arguments.assay, "fuzz", "--dataset", arguments.folder, "--definition", name, "--solution", "reference",
               "--problem", operator + "/default", "--output-dir", arguments.runs, "--json"]
    command += ["--device", arguments.device] * (arguments.device is not None) + shlex.split(arguments.fuzz)
    begin = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.limit)
    except subprocess.TimeoutExpired:
        return {"outcome": "took over %d s" % arguments.limit, "seconds": arguments.limit}
    answer = {"seconds": round(time.time() - begin, 1), "code": done.returncode}
    try:
        result = json.loads(done.stdout)
    except ValueError:
        return {**answer, "outcome": "error", "why": (done.stderr.strip().splitlines() or ["nothing said"])[-1]}
    if "error" in result:
        return {**answer, "outcome": "error", "why": result["error"]}
    check = result["checks"][0]["checks"][0] if result.get("checks") else {}
    decides = [w for w in result.get("warnings", []) if "reference" in w]
    return {**answer, "outcome": check.get("outcome", "none"), "why": check.get("message"), "decides": decides}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--assay", default="assay")
    parser.add_argument("--device")
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", default="datasets.jsonl")
    parser.add_argument("--elements", type=float, default=60e6)
    parser.add_argument("--fuzz", default="")
    arguments = parser.parse_args()
    arguments.runs = tempfile.mkdtemp()
    begin = time.time()
    listed = json.loads(subprocess.run([arguments.assay, "list", "--dataset", arguments.folder, "--json"],
                                       capture_output=True, text=True, check=True).stdout)
    print("%d of %d described, in %.2f s" % (listed["described"], len(listed["definitions"]), time.time() - begin))
    operators = {d["name"]: d["operator"] for d in listed["definitions"] if d["is_described"]}
    groups = collections.defaultdict(list)
    for definition in definitions_of(arguments.folder):
        groups[interface_of(definition)].append(definition)
    smallest = [min(group, key=elements_of) for group in groups.values()]
    known = {}
    if os.path.exists(arguments.results):
        with open(arguments.results) as file:
            known = {row["name"]: row for row in map(json.loads, file)}
    lock = threading.Lock()

    def look_at(definition):
        name, elements = definition["name"], elements_of(definition)
        if name in known or time.time() - begin > arguments.seconds:
            return
        if name not in operators:
            row = {"outcome": "not described"}
        elif elements > arguments.elements:
            row = {"outcome": "too large"}
        else:
            row = run(arguments, name, operators[name])
        with lock, open(arguments.results, "a") as file:
            known[name] = {"name": name, "elements": elements, **row}
            file.write(json.dumps(known[name]) + "\n")
            print("%-70s %s" % (name, known[name]["outcome"]), flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(look_at, sorted(smallest, key=elements_of)))
    counts = collections.Counter(row["outcome"] for row in known.values())
    print("%d interfaces: %s" % (len(smallest), ", ".join("%d %s" % (n, word) for word, n in counts.most_common())))


if __name__ == "__main__":
    sys.exit(main())
