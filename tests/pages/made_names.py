# SPDX-License-Identifier: Apache-2.0
"""Makes of a gate's result one of many problems, some of whose names are markup: made_names.py GATE COUNT OUT."""
import copy
import json
import sys

NAMES = ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(2)>", "</title></style></script><h1>&lt;", "a\u202egpj.exe",
         "long_" * 30, "\u05e9\u05dc\u05d5\u05dd", "`${alert(3)}`", "javascript:alert(4)"]
VERDICTS = [("maintained", 0), ("regression", 8), ("improvement", -15), ("undecidable", 2), ("maintained", -1)]

source, count, target = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(source, encoding="utf-8") as file:
    result = json.load(file)
cases, decided = result["cases"], result["decision"]["cases"]
result["cases"], result["decision"]["cases"] = [], []
for i in range(count):
    case, item = copy.deepcopy(cases[i % len(cases)]), copy.deepcopy(decided[i % len(cases)])
    short = NAMES[i] if i < len(NAMES) else f"n{100 + i}"
    verdict, change = VERDICTS[i % len(VERDICTS)]
    case |= {"index": i, "problem": f"scale/fp32/n{100 + i}", "short_name": short}
    item |= {"name": case["problem"], "short_name": short, "verdict": verdict, "sentence": NAMES[0], "change_pct": change,
             "change_low_pct": change - 1 - i % 3, "change_high_pct": change + 1 + i % 2}
    result["cases"].append(case)
    result["decision"]["cases"].append(item)
for side, name in zip(result["sides"], NAMES):
    side["label"] = name
result["suite"] = result["command"] = result["environment"]["device_name"] = NAMES[1]
result["decision"]["sentence"] = NAMES[2]
with open(target, "w", encoding="utf-8") as file:
    json.dump(result, file)
