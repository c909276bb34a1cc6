# SPDX-License-Identifier: Apache-2.0
#
# Are the ceilings of a GPU ceilings? Measures them (`assay devices --ceilings`), then what PyTorch reaches on the same device in
# the same minute: an 8192^3 product of cuBLAS on random numbers and a copy of 4 GiB, with pauses (cool) and without (sustained).
# usage: bench/ceilings.py ASSAY [DEVICE]    exit code 1: something is faster than its ceiling x 1.02, or a ceiling is below its goal
import json
import subprocess
import sys
import time

import torch

SIZE = 8192
COPY_BYTES = 4 << 30
LIMIT = 1.02
GOALS = {"NVIDIA H200": {"copy_gb_per_s": 4100}}
DTYPES = {"bf16_matrix_gflop_per_s": torch.bfloat16, "fp16_matrix_gflop_per_s": torch.float16}


def timed(action, count):
    """Seconds of one action, of that many in a row."""
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(400_000)  # keeps the device busy until everything is enqueued
    first.record()
    for _ in range(count):
        action()
    last.record()
    last.synchronize()
    return first.elapsed_time(last) / 1e3 / count


def cool_and_sustained(action, work):
    """Giga-work per second: the best of single actions with pauses, and all of a second."""
    for _ in range(3):
        single = timed(action, 1)
    best = float("inf")
    for _ in range(50):
        best = min(best, timed(action, 1))
        time.sleep(2 * best)
    return {"cool": work / best / 1e9, "sustained": work / timed(action, max(1, int(1 / single))) / 1e9}


def measured(assay, device):
    output = subprocess.run([assay, "devices", "--ceilings", "--device", device, "--json"], check=True, capture_output=True,
                            text=True).stdout
    found = json.loads(output)["devices"][0]
    return found["name"], {(item["name"], item.get("power_mode")): item["value"] for item in found["ceilings"]}


def reached():
    for name, dtype in DTYPES.items():
        a, b = (torch.randn(SIZE, SIZE, device="cuda", dtype=dtype) for _ in range(2))
        out = torch.empty_like(a)
        yield name, cool_and_sustained(lambda: torch.matmul(a, b, out=out), 2 * SIZE**3)
    source = torch.randint(0, 256, (COPY_BYTES,), device="cuda", dtype=torch.uint8)
    target = torch.empty_like(source)
    yield "copy_gb_per_s", cool_and_sustained(lambda: target.copy_(source), 2 * COPY_BYTES)


def main():
    assay, device = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "cuda:0"
    name, ceilings = measured(assay, device)
    failures = 0
    print(f"{name}\n{'ceiling':28}{'power mode':12}{'assay':>12}{'PyTorch':>12}  share")
    for kind, rates in reached():
        for mode, rate in rates.items():
            ceiling = ceilings[kind, mode]
            is_right = rate <= LIMIT * ceiling and ceiling >= GOALS.get(name, {}).get(kind, 0)
            failures += not is_right
            print(f"{kind:28}{mode:12}{ceiling:12.0f}{rate:12.0f}  {100 * rate / ceiling:5.1f} %{'' if is_right else '  FAIL'}")
    return failures > 0


sys.exit(main())
