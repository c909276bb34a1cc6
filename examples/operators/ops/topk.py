# SPDX-License-Identifier: Apache-2.0
import torch

outputs = {"values": "fp32[rows, k]", "indices": "int32[rows, k] picks(x, values)"}


def inputs(rows=64, columns=32000, k=8):
    assert k <= columns
    return {"x": f"fp32[{rows}, {columns}]"}


def reference(x, k):
    values, indices = torch.topk(x, k)
    return {"values": values, "indices": indices.to(torch.int32)}
