# SPDX-License-Identifier: Apache-2.0
#
# Attention kernels on the problems of the ci suite and on several input distributions, timed without assay: modules are called through
# the ABI by ctypes, PyTorch's backends directly, both in graphs that PyTorch captures (bench/sdpa_graphs.py says how samples are
# taken). All sides of a problem take turns, on the same inputs. Before it is timed, each module's output is compared with float64
# on drawn heads. Prints a line a problem and distribution; --json FILE writes everything.
#   python3 bench/attention_graphs.py --module fa=build/fa_sm90.so --torch flash,cudnn --distribution normal,mixed --only s512
import argparse
import ctypes
import json
import math
import os
import re
import statistics
import sys
import time

import torch
from torch.nn.attention import sdpa_kernel

HERE = os.path.dirname(os.path.abspath(__file__))
# peers/ of the repository; share/assay/peers of a folder that h200_build.sh made
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("peers", "share/assay/peers")]
import assay_abi as abi  # noqa: E402
from sdpa_graphs import BACKENDS, PROBLEMS, REPLAY_S, timed  # noqa: E402

DEVIATIONS = {"normal": 1.0, "normal2": 2.0, "normal4": 4.0, "normal6": 6.0, "normal10": 10.0}
DISTRIBUTIONS = ("normal", "normal2", "normal4", "normal10", "mixed", "sink", "rising", "sharp")
SINK_KEYS, RISE, SHARP = 4, 24.0, 3.0
CHECKED_HEADS = 4
FP16, FP32, FP8 = 2, 1, 4  # enum assay_dtype


# ---- inputs ----

def distribution_inputs(shape, distribution):
    """Q, K and V in float32, as docs/operators.md describes the distributions; ones: V is 1, and so is O."""
    batch, heads, length, dim, _ = shape
    q, k, v = (torch.randn(batch, heads, length, dim, device="cuda") for _ in range(3))
    position = torch.arange(length, device="cuda")
    if distribution == "mixed":
        exponent = torch.randint(0, 5, (batch, heads, 1, 1), device="cuda")
        q *= 0.5 * 2.0 ** exponent * (1 + torch.rand(batch, heads, 1, 1, device="cuda"))
    elif distribution == "sink":
        q[..., 0], k[..., 0] = 4, (position < SINK_KEYS) * 2 * math.sqrt(dim)
    elif distribution == "rising":
        q[..., 0], k[..., 0] = 4, RISE / 4 * math.sqrt(dim) * (position / max(1, length - 1) - 0.5)
    elif distribution == "ones":
        v = torch.ones_like(v)
    elif distribution == "sharp":
        key = torch.randint(0, length, (batch, heads, length, 1), device="cuda")
        if shape[4]:
            key = torch.minimum(key, position.reshape(1, 1, length, 1))
        q += SHARP * k.gather(2, key.expand(-1, -1, -1, dim))
    else:
        q *= DEVIATIONS[distribution]
    return q, k, v


def quantised(x):
    """x in e4m3 with a scale for each head."""
    scale = (x.abs().amax(dim=(2, 3)) / 448).clamp(min=1e-6).contiguous()
    return (x / scale[..., None, None]).to(torch.float8_e4m3fn), scale


def make_set(shape, distribution, is_fp8):
    made = distribution_inputs(shape, distribution)
    if not is_fp8:
        return [x.to(torch.float16) for x in made], []
    pairs = [quantised(x) for x in made]
    return [x for x, _ in pairs], [scale for _, scale in pairs]


def reference(values, scales, heads, shape):
    """Float64 results of heads (batch, head)."""
    wide = []
    for i, x in enumerate(values):
        part = torch.stack([x[b, h].double() for b, h in heads])
        if scales:
            part = part * torch.stack([scales[i][b, h] for b, h in heads]).double()[:, None, None]
        wide.append(part)
    scores = wide[0] @ wide[1].transpose(1, 2) / math.sqrt(shape[3])
    if shape[4]:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    return torch.softmax(scores, dim=2) @ wide[2]


# ---- modules ----

class Kernel(ctypes.Structure):
    """The members of struct assay_kernel up to release."""
    _fields_ = [("struct_size", ctypes.c_uint32), ("abi_version", ctypes.c_uint32), ("name", ctypes.c_char_p),
                ("op", ctypes.c_char_p), ("backend", ctypes.c_char_p), ("supports", ctypes.c_void_p),
                ("launch", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(abi.Tensors), ctypes.c_void_p,
                                            ctypes.c_void_p, ctypes.POINTER(abi.Message))),
                ("prepare", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(abi.Problem), ctypes.POINTER(abi.Env),
                                             ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t),
                                             ctypes.POINTER(abi.Message))),
                ("release", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


class Module(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("abi_version", ctypes.c_uint32), ("kernel_count", ctypes.c_uint32),
                ("kernel_bytes", ctypes.c_uint32), ("kernels", ctypes.POINTER(Kernel))]


def message():
    buffer = ctypes.create_string_buffer(512)
    return abi.Message(len(buffer), 0, ctypes.cast(buffer, ctypes.c_void_p)), buffer


def describe(role, access, dtype, tensor):
    stride = tuple(tensor.stride())
    return abi.Tensor(role, access, dtype, tensor.dim(), tuple(tensor.shape), stride, tensor.data_ptr(),
                      b"qkvo"[role - 1:role] if role <= 4 else b"scale", 1 if tensor.dim() == 2 else 0, 0)


def tensor_list(values, scales, out):
    types = FP8 if scales else FP16
    items = [describe(i + 1, 1, types, x) for i, x in enumerate(values)]
    items += [describe(6 + i, 1, FP32, x) for i, x in enumerate(scales)]
    items.append(describe(4, 2, FP16, out))
    array = (abi.Tensor * len(items))(*items)
    return abi.Tensors(ctypes.sizeof(abi.Tensors), len(items), ctypes.sizeof(abi.Tensor), 0,
                       ctypes.cast(array, ctypes.c_void_p)), array


class Side:
    """A kernel of a module, prepared for one shape."""

    def __init__(self, path, shape, sets):
        symbol = ctypes.CDLL(path).assay_module
        symbol.restype = ctypes.POINTER(Module)
        self.kernel = symbol().contents.kernels[0]
        batch, heads, length, dim, causal = shape
        values = (("batch", batch), ("heads", heads), ("heads_kv", heads), ("seq_q", length), ("seq_k", length),
                  ("head_dim", dim), ("causal", int(causal)), ("scale", 1 / math.sqrt(dim)))
        self.scalars = (abi.Scalar * len(values))(*((name.encode(), float(value)) for name, value in values))
        self.outputs = [torch.full(tuple(values_[0].shape), math.nan, device="cuda", dtype=torch.float16)
                        for values_, _ in sets]
        self.lists = [tensor_list(*one, out) for one, out in zip(sets, self.outputs)]
        problem = abi.Problem(ctypes.sizeof(abi.Problem), len(values), b"attention", b"attention", self.scalars,
                              self.lists[0][0], self.scalars, 6, 0, None)
        env = abi.Env(ctypes.sizeof(abi.Env), 1, 0, 0, torch.cuda.get_device_properties(0).L2_cache_size)
        self.problem, self.state, size = problem, ctypes.c_void_p(), ctypes.c_size_t()
        text, buffer = message()
        if self.kernel.prepare(problem, env, self.state, size, text):
            raise RuntimeError(buffer.value.decode())
        self.workspace = torch.empty(size.value, device="cuda", dtype=torch.uint8)

    def launch(self, k):
        text, buffer = message()
        if self.kernel.launch(self.state, self.lists[k][0], self.workspace.data_ptr(), torch.cuda.current_stream().cuda_stream, text):
            raise RuntimeError(buffer.value.decode())

    def check(self, values, scales, shape):
        """Largest error against float64 on drawn heads of set 0, and whether two launches give the same bits."""
        self.launch(0)
        torch.cuda.synchronize()
        first = self.outputs[0].clone()
        self.launch(0)
        torch.cuda.synchronize()
        is_same = torch.equal(first.view(torch.int16), self.outputs[0].view(torch.int16))
        heads = [(i % shape[0], (i * 5) % shape[1]) for i in range(CHECKED_HEADS)]
        want = reference(values, scales, heads, shape)
        error = (torch.stack([first[b, h] for b, h in heads]).double() - want).abs()
        limit = 1e-2 + 1e-2 * want.abs() if scales else 2e-3 + 1e-3 * want.abs()
        return {"max_error": error.max().item(), "rms_error": error.square().mean().sqrt().item(),
                "beyond": (~(error <= limit)).double().mean().item(), "is_same": is_same}


    def release(self):
        torch.cuda.synchronize()
        if self.kernel.release:
            self.kernel.release(self.state)


class TorchSide:
    def __init__(self, backend, shape, sets):
        self.backend, self.shape, self.sets, self.outputs = BACKENDS[backend], shape, sets, [None] * len(sets)

    def launch(self, k):
        with sdpa_kernel(self.backend), torch.no_grad():
            self.outputs[k] = None
            self.outputs[k] = torch.nn.functional.scaled_dot_product_attention(*self.sets[k][0], is_causal=self.shape[4])

    def release(self):
        self.outputs = []


# ---- times ----

def graph_of(side, set_count, launch_count):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(launch_count):
            side.launch(i % set_count)
    return graph


def prepare_graph(side, set_count):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for k in range(set_count):
            side.launch(k)
    torch.cuda.synchronize()
    graph = graph_of(side, set_count, set_count)
    once_s = min(timed(graph.replay) for _ in range(4))
    launch_count = max(1, math.ceil(REPLAY_S / once_s)) * set_count
    return graph_of(side, set_count, launch_count), launch_count


def measure(sides, set_count, sample_count):
    """Microseconds of a launch of each side: samples in turn, pauses of twice their length."""
    graphs = {name: prepare_graph(side, set_count) for name, side in sides.items()}
    samples = {name: [] for name in graphs}
    for i in range(sample_count + 10):
        for name, (graph, launch_count) in graphs.items():
            duration_s = timed(graph.replay)
            time.sleep(2 * duration_s)
            if i >= 10:
                samples[name].append(duration_s / launch_count * 1e6)
    return {name: statistics.median(of) for name, of in samples.items()}


def shape_of(name):
    """Of the ci suite's short names, or as assay writes it: b8/h16/s2048/d128/causal."""
    if name in PROBLEMS:
        return PROBLEMS[name]
    found = re.fullmatch(r"b(\d+)/h(\d+)/s(\d+)/d(\d+)(/causal)?", name)
    if not found:
        raise SystemExit("--only %s: neither of %s nor a problem such as b8/h16/s2048/d128/causal" % (name, ", ".join(PROBLEMS)))
    return (*(int(x) for x in found.groups()[:4]), bool(found.group(5)))


def run_one(args, name, distribution, l2_bytes):
    shape = shape_of(name)
    set_bytes = 4 * shape[0] * shape[1] * shape[2] * shape[3] * (1.25 if args.fp8 else 2)
    set_count = min(64, max(2, math.ceil(2 * l2_bytes / set_bytes)))
    sets = [make_set(shape, distribution, args.fp8) for _ in range(set_count)]
    sides = {label: Side(path, shape, sets) for label, path in args.module}
    row = {"problem": name, "distribution": distribution, "checks": {label: side.check(*sets[0], shape) for label, side in sides.items()}}
    if not args.fp8:
        sides.update({backend: TorchSide(backend, shape, sets) for backend in args.torch})
    row["us"] = measure(sides, set_count, args.samples) if args.samples else {}
    for side in sides.values():
        side.release()
    return row


def line(row):
    checks = " ".join("%s %.1e%s%s" % (label, c["max_error"], "" if c["beyond"] == 0 else " beyond %.1e" % c["beyond"],
                                       "" if c["is_same"] else " OTHER BITS") for label, c in row["checks"].items())
    times = " ".join("%s %.2f" % pair for pair in row["us"].items())
    return "%-12s %-9s %s | %s" % (row["problem"], row["distribution"], times, checks)


def spread(rows, labels):
    """The slowest distribution over the fastest one, by side and problem."""
    for label in labels:
        texts = []
        for problem in dict.fromkeys(row["problem"] for row in rows):
            times = {row["distribution"]: row["us"][label] for row in rows if row["problem"] == problem and label in row["us"]}
            if times:
                slowest = max(times, key=times.get)
                texts.append("%s %.2f (%s)" % (problem, times[slowest] / min(times.values()), slowest))
        print("spread %-12s %s" % (label, ", ".join(texts)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--module", action="append", default=[], type=lambda text: text.split("=", 1), metavar="NAME=FILE")
    parser.add_argument("--torch", default="", help="flash,cudnn")
    parser.add_argument("--distribution", default="all")
    parser.add_argument("--only", default=",".join(PROBLEMS))
    parser.add_argument("--fp8", action="store_true", help="the modules take e4m3")
    parser.add_argument("--samples", type=int, default=100, help="0: only compare with float64")
    parser.add_argument("--json")
    args = parser.parse_args()
    args.torch = ["torch:" + name for name in args.torch.split(",") if name]
    torch.manual_seed(42)
    properties = torch.cuda.get_device_properties(0)
    rows = []
    for name in args.only.split(","):
        for distribution in DISTRIBUTIONS if args.distribution == "all" else args.distribution.split(","):
            rows.append(run_one(args, name, distribution, properties.L2_cache_size))
            print(line(rows[-1]), flush=True)
            torch.cuda.empty_cache()
    spread(rows, [label for label, _ in args.module] + ([] if args.fp8 else args.torch))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"device": properties.name, "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(),
                       "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
