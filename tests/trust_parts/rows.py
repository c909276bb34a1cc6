# SPDX-License-Identifier: Apache-2.0
#
# The tables: kernels of tests/broken with what has to come of them (trust.txt), and of tests/honest (honest.txt), which are right.

import json
import os
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OPTIONS = "baseline:, case_s:, gain_pct:, memory_gb:, suite:, fuzz: and gate:"  # of a row of trust.txt
CASE_S = 20  # limit of a case, unless its row has another


class Row:
    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.entry = ""  # of the manifest
        self.suite, self.baseline = "tiny", "right"
        self.fuzz_options, self.gate_options = [], []
        self.limits, self.rounds = (CASE_S, ""), 5  # limits.case_s and, where it is set, limits.memory_gb
        self.gain_pct = 5  # of tests/broken_cuda/gate.py
        self.fuzz_codes, self.gate_codes = {"0"}, {"0", "3"}
        self.reasons = {"harmless"}
        self.text = ""  # of the table, as it is printed

    @property
    def is_honest(self):
        return self.folder == "honest"


def table_lines(path):
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            line = line.split("#", 1)[0].strip() if path.endswith("trust.txt") else line.strip()
            if line and not line.startswith("#"):
                yield number, line.split()


def read_table(path):
    """The rows of a trust.txt; no entries."""
    rows = []
    for number, words in table_lines(path):
        if len(words) < 4:
            sys.exit(f"{path}:{number}: a row has a file, two columns of exit codes and a reason")
        row = Row("broken", words[0])
        row.fuzz_codes, row.gate_codes = set(words[1].split("|")), set(words[2].split("|"))
        row.reasons = set(words[3].split("|"))
        row.text = " ".join([f"{words[1]}/{words[2]}", words[3]])
        for option in words[4:]:
            what, _, value = option.partition(":")
            if what in ("baseline", "suite"):
                setattr(row, what, value)
            elif what == "gain_pct":
                row.gain_pct = int(value)
            elif what == "case_s":
                row.limits = (int(value), row.limits[1])
            elif what == "memory_gb":
                row.limits = (row.limits[0], value)
            elif what in ("fuzz", "gate"):
                getattr(row, what + "_options").extend(value.split("="))
            else:
                sys.exit(f"{path}:{number}: unknown option '{option}'; there are {OPTIONS}")
        rows.append(row)
    return rows


def read_broken():
    path = os.path.join(TESTS, "broken", "trust.txt")
    rows = read_table(path)
    for row in rows:
        # Without AVX the same code is up to 30 % slower in one module than in another.
        row.entry = f'source: broken/{row.name}.c, flags: ["-march=native"]'
    sources = {name[:-2] for name in os.listdir(os.path.join(TESTS, "broken")) if name.endswith(".c")}
    missing = sorted(sources - {row.name for row in rows})
    if missing:
        sys.exit(f"{path}: no row for {', '.join(missing)}")
    return rows


# file lang suite [flags=F ...] [entry=E] [isolation=WHAT] note
def read_honest():
    path = os.path.join(TESTS, "honest", "honest.txt")
    if not os.path.exists(path):
        return []
    rows = []
    for number, words in table_lines(path):
        if len(words) < 4 or words[1] not in ("c", "c++", "shipped"):
            sys.exit(f"{path}:{number}: a row has a file, a language (c, c++) or shipped, a suite and a note")
        row = Row("honest", words[0])
        row.suite = words[2]
        flags = [word[6:] for word in words[3:] if word.startswith("flags=")]
        if words[1] == "shipped":
            row.entry = f"source: kernels/attention/{row.name}.c"
        else:
            flags.insert(0, "-march=native")  # as read_broken does
            row.entry = f"source: honest/{row.name}{'.c' if words[1] == 'c' else '.cc'}"
        entries = [word[6:] for word in words[3:] if word.startswith("entry=")]
        isolation = [word[10:] for word in words[3:] if word.startswith("isolation=")]
        if isolation:
            row.fuzz_options = row.gate_options = ["--isolation", isolation[0]]
        if flags:
            row.entry += f", flags: {json.dumps(flags)}"
        if entries:
            row.entry += f", entry: {entries[0]}"
        row.text = "right"
        rows.append(row)
    return rows


def manifest_name(limits):
    return "assay.yaml" if limits == (CASE_S, "") else f"assay_{limits[0]}_{limits[1]}.yaml"
