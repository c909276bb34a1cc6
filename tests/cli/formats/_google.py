# SPDX-License-Identifier: Apache-2.0
"""Writes google-benchmark documents of made numbers: rows("name", times in us), write("a.json", rows...)."""
import json


def rows(name, times, family=0, **more):
    return [dict({"name": name, "family_index": family, "per_family_instance_index": 0, "run_name": name,
                  "run_type": "iteration", "repetitions": len(times), "repetition_index": i, "threads": 1,
                  "iterations": 310, "real_time": time, "cpu_time": 1.0, "time_unit": "us"}, **more)
            for i, time in enumerate(times)]


def aggregate(name, kind, time):
    return {"name": f"{name}_{kind}", "family_index": 0, "per_family_instance_index": 0, "run_name": name,
            "run_type": "aggregate", "repetitions": 20, "threads": 1, "aggregate_name": kind, "aggregate_unit": "time",
            "iterations": 20, "real_time": time, "cpu_time": 1.0, "time_unit": "us"}


def write(path, benchmarks, **context):
    base = {"date": "2026-09-30T10:00:00+00:00", "host_name": "gpu01", "executable": "./attn_bench", "num_cpus": 16,
            "mhz_per_cpu": 2900, "cpu_scaling_enabled": False, "caches": [], "load_avg": [0.4],
            "library_version": "v1.9.4", "library_build_type": "release", "json_schema_version": 1}
    base.update(context)
    with open(path, "w") as out:
        json.dump({"context": base, "benchmarks": benchmarks}, out)  # NaN and Infinity as google-benchmark writes them
