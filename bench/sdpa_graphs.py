# SPDX-License-Identifier: Apache-2.0
#
# PyTorch's attention on the problems of the ci suite, timed without assay; `bench/agree.py` compares assay's medians of the same
# backends with these. Launches rotate over N sets of inputs and outputs (2 to 64) that together take at least twice the L2; a
# multiple of N launches, enough to fill 1 ms, is captured as one graph, with events around each replay. A pause of twice its
# duration follows each replay, so that the power limit is not reached. Writes JSON to the file given, a table to standard output.
import json
import math
import statistics
import sys
import time

import torch
import torch.nn.functional as functional
from torch.nn.attention import SDPBackend, sdpa_kernel

REPLAY_S = 1e-3
SAMPLE_COUNT = 100
HIDE_CYCLES = 400_000  # about 0.2 ms
BACKENDS = {"torch:flash": SDPBackend.FLASH_ATTENTION, "torch:cudnn": SDPBackend.CUDNN_ATTENTION}
PROBLEMS = {  # name: batch, heads, sequence, head dimension, causal
    "s128": (32, 8, 128, 64, False),
    "s256": (32, 8, 256, 64, False),
    "s512": (32, 8, 512, 64, False),
    "s1024": (32, 8, 1024, 64, False),
    "s2048": (32, 8, 2048, 64, False),
    "mission": (1, 8, 512, 64, False),
    "small": (2, 8, 512, 64, False),
    "long": (2, 8, 2048, 64, False),
    "s512_causal": (32, 8, 512, 64, True),
    "s512_d128": (32, 16, 512, 128, False),
}


def timed(action):
    """Seconds between two events around action(). A blocking kernel keeps the device busy until everything is enqueued: otherwise
    a replay starts tens of microseconds after the first event, 1 to 2 % of a millisecond."""
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(HIDE_CYCLES)
    first.record()
    action()
    last.record()
    last.synchronize()
    return first.elapsed_time(last) / 1e3


def full_name(shape):
    """The name that assay gives this problem."""
    return "attention/fp16/b{}/h{}/s{}/d{}{}".format(*shape[:4], "/causal" if shape[4] else "")


def make_sets(shape, l2_bytes):
    batch, heads, length, dim, _ = shape
    set_bytes = 4 * batch * heads * length * dim * 2  # Q, K, V and O in fp16
    count = min(64, max(2, math.ceil(2 * l2_bytes / set_bytes)))
    return [[torch.randn(batch, heads, length, dim, device="cuda", dtype=torch.float16) for _ in range(3)]
            for _ in range(count)]


def capture(attend, sets, launch_count):
    """A graph of launch_count calls; the last output of each set is kept, so that every set has memory of its own."""
    graph, outputs = torch.cuda.CUDAGraph(), [None] * len(sets)
    with torch.cuda.graph(graph):
        for i in range(launch_count):
            outputs[i % len(sets)] = None  # its memory is the next output of this set
            outputs[i % len(sets)] = attend(*sets[i % len(sets)])
    return graph, outputs


def measure(shape, backend, l2_bytes):
    sets = make_sets(shape, l2_bytes)

    def attend(q, k, v):
        return functional.scaled_dot_product_attention(q, k, v, is_causal=shape[4])

    with sdpa_kernel(backend), torch.no_grad():
        torch.cuda.synchronize()
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for tensors in sets:
                attend(*tensors)
        torch.cuda.synchronize()
        graph, outputs = capture(attend, sets, len(sets))
        graph.replay()
        torch.cuda.synchronize()
        once_s = min(timed(graph.replay) for _ in range(5))
        repeat_count = max(1, math.ceil(REPLAY_S / once_s))
        launch_count = repeat_count * len(sets)
        del graph, outputs
        graph, outputs = capture(attend, sets, launch_count)
        settle_until = time.monotonic() + 0.2
        while time.monotonic() < settle_until:
            time.sleep(2 * timed(graph.replay))
        samples_s = []
        for _ in range(SAMPLE_COUNT):
            duration_s = timed(graph.replay)
            samples_s.append(duration_s / launch_count)
            time.sleep(2 * duration_s)
        addresses = {output.data_ptr() for output in outputs}
    return {"set_count": len(sets), "launch_count": launch_count, "output_count": len(addresses),
            "median_us": statistics.median(samples_s) * 1e6, "min_us": min(samples_s) * 1e6,
            "samples_us": [round(s * 1e6, 4) for s in samples_s]}


def main():
    torch.manual_seed(42)
    torch.backends.cuda.matmul.allow_tf32 = False
    properties = torch.cuda.get_device_properties(0)
    rows = []
    print(f"{'problem':12} {'backend':12} {'sets':>4} {'launches':>8} {'outputs':>7} {'median us':>10} {'min us':>10}")
    for name, shape in PROBLEMS.items():
        for label, backend in BACKENDS.items():
            try:
                row = measure(shape, backend, properties.L2_cache_size)
            except RuntimeError as error:
                row = {"error": str(error).splitlines()[0]}
            row.update({"name": name, "problem": full_name(shape), "backend": label})
            rows.append(row)
            if "error" in row:
                print(f"{name:12} {label:12} {row['error']}")
            else:
                print(f"{name:12} {label:12} {row['set_count']:4} {row['launch_count']:8} {row['output_count']:7} "
                      f"{row['median_us']:10.3f} {row['min_us']:10.3f}", flush=True)
            torch.cuda.empty_cache()
    result = {"device": properties.name, "l2_bytes": properties.L2_cache_size, "torch": torch.__version__,
              "cudnn": torch.backends.cudnn.version(), "rows": rows}
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
