#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a gate's verdict is one of those expected: judge_gate.py RESULT.json VERDICT [VERDICT...]. A gate's exit code is 1 for
a regression and for a wrong candidate alike; this check also fails if a side failed."""
import json
import sys


def main():
    path, wanted = sys.argv[1], sys.argv[2:]
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    decision = result.get("decision") or {}
    bad = sorted({case.get("verdict", "?") for case in decision.get("cases", [])} & {"wrong", "invalid"})
    text = json.dumps([result.get("checks", []), result.get("cases", [])])
    bad += [outcome for outcome in ("FAIL", "CRASHED", "TIMEOUT") if f'"outcome": "{outcome}"' in text]
    print(f"verdict {decision.get('verdict')}, expected {' or '.join(wanted)}" + (f"; found {', '.join(bad)}" if bad else ""))
    return 0 if decision.get("verdict") in wanted and not bad else 1


if __name__ == "__main__":
    sys.exit(main())
