#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes folders of runs out of one result: store_documents.py RESULT FOLDER RUNS PROBLEMS. Each run has the first
problem's samples under that many names."""
import json
import os
import sys

source, folder, run_count, problem_count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with open(source, encoding="utf-8") as file:
    result = json.load(file)
first = result["cases"][0]
first.pop("short_name", None)
text = json.dumps(first)
result["cases"] = []
for i in range(problem_count):
    case = json.loads(text.replace(first["problem"], f"scale/fp32/n{i + 1}"))
    case["index"] = i
    result["cases"].append(case)
for run in range(run_count):
    result["run_id"] = f"20260101-000000-bench-{run:04x}"
    result["created_utc"] = f"2026-01-{run + 1:02d}T00:00:00Z"
    os.makedirs(f"{folder}/{run}")
    with open(f"{folder}/{run}/result.json", "w", encoding="utf-8") as file:
        json.dump(result, file)
