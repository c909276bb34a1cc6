# SPDX-License-Identifier: Apache-2.0
"""The inputs that a data set's workloads bring as files, or that a function of its definition makes (control/plan/dataset)."""
import json
import os
import random
import struct
import types

import assay_results
import assay_sizes


def parsed(text):
    """"batch_size=4, eps=1e-06" as numbers by name."""
    pairs = (item.partition("=") for item in filter(None, text.split(", ")))
    return {name: float({"True": 1, "False": 0}.get(value, value)) for name, _, value in pairs}


def loaded(arrays, path, dtype, shape):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    kind = arrays.dtype(dtype)
    return (arrays.module.frombuffer(data, dtype=kind) if data else arrays.module.zeros(0, dtype=kind)).reshape(shape)


def inputs(names, numbers, make):
    """names: those of the definition's file. numbers: axes and scalars by name. make: its function of them; None: there is none."""
    arrays = assay_results.arrays_of(types.SimpleNamespace(**names))
    folder = os.path.dirname(os.path.abspath(names["__file__"]))
    with open(os.path.join(folder, "inputs.json")) as file:
        spec = json.load(file)
    seed = random.getrandbits(63)  # follows from the seed that assay sets
    fitting = [w for w in spec["workloads"] if all(float(numbers.get(n, v)) == v for n, v in parsed(w["numbers"]).items())]
    files = fitting[seed % len(fitting)]["files"] if fitting else {}
    made = {}
    if make:
        made = dict(make(dict(numbers), arrays.module.device("cpu") if arrays.is_torch else "cpu"))
    for name, tensor in spec["tensors"].items():
        if name in made and name not in files:
            continue
        shape = [assay_sizes.evaluate(size, numbers) for size in tensor["sizes"]]
        if name in files:
            made[name] = loaded(arrays, os.path.join(folder, files[name]), tensor["dtype"], shape)
        else:
            made[name] = drawn(arrays, tensor, shape, numbers, seed)
    return {name: made[name] for name in spec["tensors"]}


def routing(shape, experts, seed):
    """Of each row other experts with weights that sum to 1: in an integer's upper half the expert, in its lower one the weight in bf16."""
    draw, values = random.Random(seed), []
    for _ in range(shape[0]):
        weights = [draw.uniform(0.1, 1) for _ in range(shape[1])]
        for expert, weight in zip(draw.sample(range(experts), shape[1]), weights):
            values.append(expert << 16 | struct.unpack("<I", struct.pack("<f", weight / sum(weights)))[0] >> 16)
    return values


def drawn(arrays, tensor, shape, numbers, seed):
    count = 1
    for size in shape:
        count *= size
    arguments = [assay_sizes.evaluate(text, numbers) for text in tensor["arguments"]]
    dtype = tensor["dtype"]
    wide = arrays.dtype(dtype) if dtype in assay_results.WHOLE or dtype == "bool" else arrays.dtype("fp32")
    values = routing(shape, int(arguments[0]), seed) if tensor["family"] == "routing" else \
        assay_results.numbers_of(dtype, count, tensor["family"], arguments, seed)
    value = arrays.make(values, wide, shape)
    kind = arrays.dtype(dtype)
    return value.to(kind) if arrays.is_torch else value.astype(kind)
