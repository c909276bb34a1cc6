# SPDX-License-Identifier: Apache-2.0
#
# What comes of a kernel: `fuzz` and `gate` on it, their exit codes and findings, and whether its row allows them.

import json
import os
import time

from trust_parts.rows import manifest_name

TRIES = 3  # of a row whose gate says that the machine was busy
WRONG = ("FAIL", "CRASHED", "TIMEOUT")  # outcomes that a kernel is blamed for
LIMIT_S, LIMIT_RIGHT_S = 60, 320  # of a command: of a wrong kernel, and of a right one


class Got:
    def __init__(self):
        self.fuzz = self.gate = ""
        self.reason, self.faults, self.seconds = "", [], 0.0
        self.is_busy = False  # the machine, not the kernel
        self.is_decided = False

    @property
    def text(self):
        codes = f"{self.fuzz}/{self.gate}" if self.gate else self.fuzz
        return f"{codes} {self.reason}"


def outcomes(result, wanted):
    """OUTCOME:finding of every check of the sides with that role that blames it, in order."""
    roles = [side.get("role") for side in result.get("sides", [])]
    found = []
    for case in result.get("checks", []) + result.get("cases", []):
        for check in case.get("checks", []):
            side = check.get("side", 0)
            role = roles[side] if side < len(roles) else "?"
            if (role == "baseline") != (wanted == "baseline") or check["outcome"] not in WRONG:
                continue
            finding = check.get("finding")
            found.append(check["outcome"] + (f":{finding}" if finding else ""))
    return found


# The result document of the only run; {}: there is none.
def read_result(machine):
    runs = os.path.join(machine.project, "runs")
    try:
        (name,) = os.listdir(runs)
        with open(os.path.join(runs, name, "result.json"), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


# One word for what came of it.
def reason_of(result, ended):
    wrong = outcomes(result, "candidate")
    if wrong:
        return wrong[0]
    decision = result.get("decision", {})
    verdicts = [case.get("verdict") for case in decision.get("cases", [])]
    if decision.get("not_judged") or (ended.code == "2" and not verdicts):
        return "not_judged"
    if not result and ended.code in ("1", "64", "65"):
        return "refused"
    for verdict in ("improvement", "regression", "wrong", "removed", "invalid", "undecidable"):
        if verdict in verdicts:
            return verdict
    odd = [verdict for verdict in verdicts if verdict not in ("maintained", "same_code")]
    if verdicts:
        return odd[0] if odd else "maintained"
    if ended.code == "3":
        return "unsupported"
    return "right" if ended.code == "0" else "nothing"


def run_command(machine, row, words, got):
    """Its exit code and its result document; what came of it goes to got."""
    if machine.options.isolation:
        words += ["--isolation", machine.options.isolation]
    machine.clear()
    ended = machine.run(words, machine.options.limit or (LIMIT_RIGHT_S if row.is_honest else LIMIT_S))
    result = read_result(machine)
    machine.inspect(ended)
    got.faults += ended.faults
    got.reason = reason_of(result, ended)
    return ended.code, result


def run_gate(machine, row, program, got):
    words = [program, "gate", "--quiet", "--candidate", row.name, "--baseline", row.baseline]
    words += ["--suite", row.suite, "--iters", "20", *row.gate_options]
    words += [] if {"--check", "--no-check"} & set(row.gate_options) else ["--check", "matrix"]
    words += [] if row.is_honest or not row.rounds else ["--rounds", str(row.rounds)]  # honest ones shall be decided, however long it takes
    words += ["--manifest", manifest_name(row.limits)]
    if row.is_honest:
        words += ["--measure-same"] + (["--only", "large"] if row.suite == "tiny" else [])
    got.gate, result = run_command(machine, row, words, got)
    blamed = outcomes(result, "baseline")
    if blamed and row.baseline != row.name:
        got.faults.append(f"blames {row.baseline}: {blamed[0]}")
    cases = result.get("decision", {}).get("cases", [])
    got.is_busy = any(case.get("reason") in ("busy_machine", "too_noisy", "too_few_samples") for case in cases)
    got.is_decided = got.gate == "0" and bool(cases)


def run_fuzz(machine, row, program, got):
    words = [program, "fuzz", "--quiet", "--kernel", row.name, *row.fuzz_options]
    words += [] if "--suite" in row.fuzz_options else ["--suite", "mixed" if row.suite == "mixed" else "matrix"]
    words += ["--manifest", manifest_name(row.limits)]
    got.fuzz, _ = run_command(machine, row, words, got)


def is_reason(row, reason):
    if row.is_honest:
        # none: a problem that neither side supports
        return reason in ("right", "maintained", "undecidable", "invalid", "none")
    if reason in row.reasons or reason.split(":")[0] in row.reasons:
        return True
    return "harmless" in row.reasons and reason in ("right", "maintained", "undecidable", "invalid")


def run_row(machine, row, program, only=""):
    """What came of it, and why that is not right: "" if it is. only: fuzz or gate."""
    begin = time.monotonic()
    for _ in range(TRIES):
        got = Got()
        why = []
        if only != "gate":
            run_fuzz(machine, row, program, got)
            if got.fuzz not in row.fuzz_codes:
                why.append(f"fuzz ends with {got.fuzz}")
            if got.fuzz != "0" and not is_reason(row, got.reason):
                why.append(f"fuzz says {got.reason}")
        if "-" not in row.gate_codes and only != "fuzz":
            run_gate(machine, row, program, got)
            if got.gate not in row.gate_codes:
                why.append(f"the gate ends with {got.gate}")
            if not is_reason(row, got.reason):
                why.append(f"the gate says {got.reason}")
        got.seconds = time.monotonic() - begin
        why += got.faults
        is_again = got.gate == "3" and got.is_busy and (why or row.is_honest)
        if not is_again:
            break
    return got, "; ".join(dict.fromkeys(why))


class Table:
    """Prints the rows as they come."""

    def __init__(self, rows):
        self.names = max(len(row.name) for row in rows)
        self.texts = min(max(len(row.text) for row in rows), 44)
        print(f"{'kernel':{self.names}}  {'expected':{self.texts}}  {'got':28}  {'time':>6}")

    def add(self, row, got, why):
        mark = f"NOT: {why}" if why else "ok"
        line = f"{row.name:{self.names}}  {row.text:{self.texts}}  {got.text:28}  {got.seconds:4.1f} s  {mark}"
        print(line.encode("ascii", "replace").decode(), flush=True)
