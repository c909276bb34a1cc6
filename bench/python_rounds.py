#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What rounds of a kernel in Python cost, and whether they are as independent as with fresh interpreters:
python_rounds.py ASSAY DEVICE EXAMPLES FOLDER [SECONDS]

In FOLDER, a repository with two revisions of a Triton kernel (on cpu of one in PyTorch): a gate of five problems and five rounds with
--isolation process, with interpreters that are forked and with --fresh-interpreter; the time until the first figure of a bench beside
two peers; then, as long as SECONDS last (default 240), A/A gates, first of both kinds in turn, then of forked ones. Each part is kept in
FOLDER/parts.json as soon as it is done, and is not done again. Prints a line for each, last how the spread between rounds compares.
Exit 1: an aim was missed, or an A/A gate accused.
"""
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

GATE_LIMIT_S, FIGURE_LIMIT_S = 110, 45
GATE_AIM_S, FIGURE_AIM_S, SPREAD_AIM = 45, 12, 1.2
AA_FORKED, AA_FRESH = 20, 5
PROBLEMS = ["rows%d/hidden%d" % sizes for sizes in ((512, 1024), (2048, 2048), (512, 4096), (4096, 4096), (1024, 8192))]
SMALL = ["rows%d/hidden%d" % sizes for sizes in ((16, 256), (8, 512), (32, 128), (4, 1024), (64, 64))]
IN_PYTORCH = """import torch


def rmsnorm(x, weight, eps):
    x32 = x.float()
    return (x32 * torch.rsqrt(x32.pow(2).mean(-1, keepdim=True) + eps) * weight.float()).to(x.dtype)
"""
PEERS = IN_PYTORCH + """

def with_norm(x, weight, eps):
    return (torch.nn.functional.normalize(x.float(), dim=-1, eps=eps) * x.shape[-1] ** 0.5 * weight.float()).to(x.dtype)
"""
MANIFEST = """version: 1
operators: {rmsnorm: ops/rmsnorm.py}
kernels:
  mine: {operator: rmsnorm, backend: %s, python: "kern.mine:rmsnorm"}
suites: {five: {problems: {%s}}}
gate: {suite: five, check: five, candidate: mine}
limits: {case_s: 120, gate_s: 600}
"""


def run(argv, **options):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)


class Study:
    def __init__(self, assay, device, examples, folder, limit_s):
        self.assay, self.device, self.folder = assay, device, pathlib.Path(folder)
        self.end = time.monotonic() + limit_s
        self.file = self.folder / "parts.json"
        self.project = self.folder / "project"
        self.parts = json.loads(self.file.read_text()) if self.file.exists() else {}
        if not self.project.exists():
            self.make_project(pathlib.Path(examples))

    def make_project(self, examples):
        is_cpu = self.device == "cpu"
        for name in ("ops", "kern"):
            (self.project / name).mkdir(parents=True)
        shutil.copy(examples / "ops/rmsnorm.py", self.project / "ops/rmsnorm.py")
        kernel = self.project / "kern/mine.py"
        kernel.write_text(IN_PYTORCH if is_cpu else (examples / "rmsnorm_triton.py").read_text())
        (self.project / "kern/peers.py").write_text(PEERS)
        named = ", ".join('p%d: "rmsnorm/%s"' % item for item in enumerate(SMALL if is_cpu else PROBLEMS))
        (self.project / "assay.yaml").write_text(MANIFEST % ("cpu" if is_cpu else "cuda", named))
        self.git("init", "-q", ".")
        self.git("add", "ops", "kern", "assay.yaml")
        self.git("commit", "-q", "-m", "first")
        kernel.write_text(kernel.read_text() + "\n# the same, with another hash\n")
        self.git("commit", "-q", "-a", "-m", "second")

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", *words], cwd=self.project, check=True)

    def keep(self, name, value):
        self.parts[name] = value
        self.file.write_text(json.dumps(self.parts, indent=1))
        shown = {key: item for key, item in value.items() if key != "spreads"}
        print("%-28s %s" % (name, json.dumps(shown)), flush=True)

    def left_s(self):
        return self.end - time.monotonic()

    def gate(self, is_fresh, more=()):
        """Seconds, exit code, and how far each problem's rounds lie apart: the standard deviation of log ratios of medians."""
        result = self.folder / "gate.json"
        argv = [self.assay, "gate", "--candidate", "mine", "--baseline", "git:HEAD~1", "--device", self.device, "--rounds", "5",
                "--isolation", "process", "--ignore-calibration", "--output", str(result), *more]
        result.unlink(missing_ok=True)
        start = time.monotonic()
        try:
            said = run(argv + ["--fresh-interpreter"] * is_fresh, cwd=self.project, timeout=max(min(self.left_s(), GATE_LIMIT_S), 1))
        except subprocess.TimeoutExpired:
            return {"seconds": round(time.monotonic() - start, 1), "exit": None}
        seconds = round(time.monotonic() - start, 1)
        if not result.exists():
            return {"seconds": seconds, "exit": said.returncode, "said": said.stdout[-600:]}
        document = json.loads(result.read_text())
        return {"seconds": seconds, "exit": said.returncode, "forked": "(forked)" in result.read_text(), "spreads": spreads_of(document),
                "warnings": [text for text in document.get("warnings", []) if "interpreter" in text or "discarded" in text][:3]}

    def figure(self, is_fresh):
        """Seconds from the start of a bench until a record with samples is in its journal."""
        runs = self.folder / ("bench_fresh" if is_fresh else "bench_forked")
        shutil.rmtree(runs, ignore_errors=True)
        argv = [self.assay, "bench", "--kernel", "mine", "--vs", "kern.peers:rmsnorm,kern.peers:with_norm", "--device", self.device,
                "--problem", "rmsnorm/" + (SMALL if self.device == "cpu" else PROBLEMS)[0], "--output-dir", str(runs)]
        start, seconds = time.monotonic(), None
        with subprocess.Popen(argv + ["--fresh-interpreter"] * is_fresh, cwd=self.project, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as bench:
            while bench.poll() is None and time.monotonic() - start < FIGURE_LIMIT_S:
                if seconds is None and any('"samples"' in journal.read_text() for journal in runs.glob("*/journal.jsonl")):
                    seconds = round(time.monotonic() - start, 1)
                    break
                time.sleep(0.05)
            if bench.poll() is None:
                bench.terminate()
            said = bench.communicate()[0]
        return {"seconds": seconds} if seconds else {"seconds": None, "exit": bench.returncode, "said": said[-600:]}

    def measure(self):
        for name, is_fresh in (("gate", False), ("gate_fresh", True)):
            if name not in self.parts and self.left_s() > 0:
                self.keep(name, self.gate(is_fresh))
        for name, is_fresh in (("figure", False), ("figure_fresh", True)):
            if name not in self.parts and self.left_s() > 0:
                self.keep(name, self.figure(is_fresh))
        expected_s = {False: 0.0, True: 0.0}
        wanted = [(number, is_fresh) for number in range(AA_FORKED) for is_fresh in (False, True)
                  if number < AA_FRESH or not is_fresh]
        for number, is_fresh in wanted:
            name = "aa_%s_%d" % ("fresh" if is_fresh else "forked", number)
            if name in self.parts or self.left_s() < expected_s[is_fresh]:
                continue
            made = self.gate(is_fresh, ("--only", "p0,p1", "--no-check", "--seed", str(100 + number)))
            if made["exit"] is None:
                break
            expected_s[is_fresh] = made["seconds"]
            self.keep(name, made)

    def judge(self):
        parts, is_good = self.parts, True
        for name, aim in (("gate", GATE_AIM_S), ("figure", FIGURE_AIM_S)):
            if self.device != "cpu" and name in parts:
                is_good &= parts[name]["seconds"] is not None and parts[name]["seconds"] <= aim
        medians = {}
        for kind in ("forked", "fresh"):
            made = [part for name, part in parts.items() if name.startswith("aa_%s_" % kind)]
            accused = sum(part["exit"] == 1 for part in made)
            is_good &= not accused
            spreads = [spread for part in made for spread in part.get("spreads", [])]
            if spreads:
                medians[kind] = statistics.median(spreads)
                print("%d A/A gates, %s: %d accused, rounds of a problem differ by %.3f %% (median)"
                      % (len(made), kind, accused, 100 * medians[kind]))
        if len(medians) == 2:
            ratio = medians["forked"] / medians["fresh"]
            print("spread between rounds, forked / fresh: %.2f (aim: at most %.1f)" % (ratio, SPREAD_AIM))
            if self.device != "cpu":
                is_good &= ratio <= SPREAD_AIM
        return is_good


def spreads_of(document):
    """Of each problem: the standard deviation over rounds of log(candidate's median / baseline's median)."""
    found = []
    for case in document.get("cases", []):
        ratios = []
        for measured in case.get("rounds", []):
            medians = [statistics.median(side["duration_ns"]) / side["launches"]
                       for side in measured.get("samples", []) if side and side.get("duration_ns")]
            if len(medians) == 2:
                ratios.append(math.log(medians[1] / medians[0]))
        if len(ratios) >= 3:
            found.append(statistics.stdev(ratios))
    return found


def main():
    assay, device, examples, folder = sys.argv[1:5]
    os.makedirs(folder, exist_ok=True)
    study = Study(os.path.abspath(assay), device, examples, folder, float(sys.argv[5]) if len(sys.argv) > 5 else 240.0)
    study.measure()
    return 0 if study.judge() else 1


if __name__ == "__main__":
    sys.exit(main())
