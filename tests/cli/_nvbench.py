# SPDX-License-Identifier: Apache-2.0
"""Writes an NVBench document with its sample files beside it, as `--jsonbin NAME.json` does; made numbers.

    from _nvbench import document, state, write
    write("a.json", [state("S=4096", [1.6e-3] * 50)])
"""
import json
import os
import random
import struct


def times(centre_s, count=60, seed=1, width=0.004):
    """Times around a centre, independent of each other, the same on every run."""
    draw = random.Random(seed)
    return [centre_s * (1 + width * (draw.random() - 0.5)) for _ in range(count)]


def value(name, kind, text):
    return {"name": name, "type": kind, "value": text}


def state(name, samples, clocks=None, device=0, **more):
    made = {"name": f"Device={device} {name}".rstrip(), "min_samples": 10, "device": device, "type_config_index": 0,
            "axis_values": [value(*axis) for axis in
                            [(part.split("=")[0], "string", part.split("=")[1]) for part in name.split()]] or None,
            "summaries": [{"tag": "nv/cold/sample_size", "name": "Samples",
                           "data": [value("value", "int64", str(len(samples)))]},
                          {"tag": "nv/cold/time/gpu/median", "name": "GPU Time Median", "hint": "duration",
                           "data": [value("value", "float64", repr(sorted(samples)[len(samples) // 2] if samples else 0.0))]},
                          {"tag": "nv/cold/time/gpu/stdev/relative", "data": [value("value", "float64", "inf")]}],
            "is_skipped": False, "_times": samples, "_clocks": clocks if clocks else [1.98e9] * len(samples)}
    made.update(more)
    return made


def sidecar(tag, hint, filename, size):
    return {"tag": tag, "name": "Samples", "hint": hint, "hide": "Not needed in table.",
            "data": [value("filename", "string", filename), value("size", "int64", str(size))]}


def document(name, states, devices=(0,), has_samples=True, has_clocks=True, tag="nv/cold"):
    """The document as an object; its sample files are written."""
    base = os.path.basename(name)
    for index, made in enumerate(states):
        samples, clocks = made.pop("_times"), made.pop("_clocks")
        if not has_samples or made["is_skipped"]:
            continue
        files = [(f"nv/json/bin:{tag}/sample_times", "file/sample_times", "-bin", samples)]
        if has_clocks:
            files.append((f"nv/json/freqs-bin:{tag}/sample_freqs", "file/sample_freqs", "-freqs-bin", clocks))
        for file_tag, hint, suffix, values in files:
            folder = name + suffix
            os.makedirs(folder, exist_ok=True)
            with open(f"{folder}/{index}.bin", "wb") as out:
                out.write(struct.pack(f"<{len(values)}f", *values))
            made["summaries"].append(sidecar(file_tag, hint, f"{base}{suffix}/{index}.bin", len(values)))
    return {"meta": {"argv": ["./attn", "--jsonbin", base],
                     "version": {"json": {"major": 1, "minor": 0, "patch": 0, "string": "1.0.0"},
                                 "nvbench": {"major": 0, "minor": 1, "patch": 0, "string": "0.1.0", "git_branch": "main",
                                             "git_sha": "66212f1", "git_version": "66212f1", "git_is_dirty": False}}},
            "devices": [{"id": device, "name": "NVIDIA H200", "sm_version": 900, "ptx_version": 900, "number_of_sms": 132,
                         "ecc_state": True} for device in devices],
            "benchmarks": [{"name": "attn_fwd", "index": 0, "devices": list(devices), "axes": [], "states": states}]}


def write(name, states, **more):
    with open(name, "w") as out:
        json.dump(document(name, states, **more), out)
